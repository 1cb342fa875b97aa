"""Variables that a program declares and the linker or assembly code defines, and symbols without a
size, against the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = r"""
extern char _end[], end, etext, __bss_start, _start[], hidden[];
extern short table[3];
extern int gone __attribute__((weak));
extern char number[], given[];
__asm__(".data\n"
        ".globl number, other_number\nnumber = 0x77\nother_number = 0x1000\n"
        ".globl table\ntable: .short 7, 8, 9\n"
        ".hidden hidden\n.globl hidden\nhidden: .asciz \"hid\"\n"
        "label: .long 1, 2\n"
        ".type sized, @object\n.size sized, 4\nsized: .long 3, 4\n"
        ".type unsized, @object\nunsized: .long 5, 6\n"
        ".text\n"
        "code: nop\nnop\n"
        ".type small, @function\n.size small, 1\nsmall: nop\nnop\n");
int none[0];
char *kept[] = {_end, &end, &etext, &__bss_start, _start, hidden, (char *)table, (char *)&gone,
                number, given};
int main(void) { return kept[0] != 0; }
"""
DECLARED = [
    "print &_end", "print &end", "print &etext", "print &__bss_start", "print &_start[1]",
    "print table", "print table[1]", "print &table", "whatis table", "x/3dh table", "print hidden",
    "info address table", "info address hidden", "info address _start",
    "info address gone", "info symbol &table", "info symbol _start",
]  # fmt: skip
ABSOLUTE = [
    "print &number", "print number", "print (long) given", "info address given", "info symbol 0x77",
    "print &other_number", "print other_number", "whatis other_number", "print &unseen",
    "print (long) &unseen + 1", "info address unseen", "print &other_number + 1",
]  # fmt: skip
OF_LINKER = ("-Wl,--defsym,given=0x1234", "-Wl,--defsym,unseen=0x7654")
SYMBOLS = [
    f"info symbol (char *) &{name} + {offset}"
    for name in ("table", "label", "sized", "unsized", "none", "code", "small", "data_start")
    for offset in (0, 1, 4, 5)
]
NAMED = [f"x/xb (char *) &{name}" for name in ("label", "sized", "unsized", "none", "small")]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("linker")
    build(folder, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-no-pie", *OF_LINKER, "-o", "a", "a.c"]])
    return [str(folder / "a")]


@pytest.mark.parametrize(
    "commands",
    [DECLARED, ABSOLUTE, SYMBOLS, NAMED],
    ids=["declared", "absolute", "symbol", "x"],
)
def test_answers_are_those_of_gdb(
    program: list[str], tool: Callable[[str], str], commands: list[str]
) -> None:
    """GDB takes any symbol of the name for a variable that is only declared; `info symbol` of an
    address also finds symbols without a size, which `<symbol>` leaves out."""
    noted = answers(None, program, commands)
    own = [re.sub(r"note: .*\n", "", text) for text in noted]
    assert own == answers(tool("gdb"), program, commands)


def test_an_absolute_symbol_is_not_moved(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB adds the load address of the file (docs/gdb-differences.md)."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-pie", *OF_LINKER, "-o", "a", "a.c"]])
    files = [str(tmp_path / "a"), "--load-address", "0x555555554000"]
    commands = ["output (long) given", "output (long) &unseen", "output (long) number"]
    shown = [text.splitlines()[1] for text in answers(None, files, commands)]
    assert shown == [str(0x1234), str(0x7654), str(0x77)]


def test_an_undefined_symbol_is_missing(program: list[str]) -> None:
    said = answers(None, program, ["print &gone", "print gone"])
    assert all('Missing ELF symbol "gone": it is only declared' in text for text in said), said


def test_names_with_versions_are_demangled(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The linker copies the data of a library into the program: `_ZTIi@CXXABI_1.3`."""
    source = (
        "#include <typeinfo>\n"
        "const void *p;\n"
        "int main() { p = &typeid(int); *(volatile int *)0 = 0; }\n"
    )
    build(tmp_path, {"a.cc": source}, [[tool("g++"), "-g", "-no-pie", "-o", "a", "a.cc"]])
    files, commands = with_core(tool, tmp_path), ["output p", "info symbol p"]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


LINKAGE = """
int own asm("linked") = 8;
struct pair { short a, b; } both asm("linked_pair") = {3, 4};
_Thread_local int each asm("linked_thread") = 5;
int main(void) { return own + both.a + each; }
"""


OF_LINKAGE = [
    "print linked", "print &linked", "whatis linked", "print sizeof(linked)",
    "ptype linked_pair", "print linked_pair.b", "whatis linked_thread", "output linked",
    "info line linked", "info line linked_pair",
]  # fmt: skip


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_a_variable_by_its_linkage_name(
    tmp_path: Path, tool: Callable[[str], str], compiler: str
) -> None:
    build(tmp_path, {"a.c": LINKAGE}, [[tool(compiler), "-g", "-o", "a", "a.c"]])
    files = [str(tmp_path / "a")]
    own = [re.sub(r"note: .*\n", "", text) for text in answers(None, files, OF_LINKAGE)]
    assert own == answers(tool("gdb"), files, OF_LINKAGE)
    (address,) = answers(None, files, ["info address linked"])
    assert re.search('Symbol "own" is static storage at address 0x[0-9a-f]+', address)


FUNCTION_OF_LINKAGE = """
int own(int n) asm("linked"), other(int n) __attribute__((alias("linked")));
int own(int n) {
  static int kept = 4;
  int twice = 2 * n;
  *(volatile int *)0 = twice;
  return kept;
}
int main(void) { return own(3); }
"""


def test_a_function_by_its_linkage_name(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.c": FUNCTION_OF_LINKAGE}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    commands = [
        "info address linked", "info address other", "print linked::kept", "print linked::twice",
        "print &linked::kept", "print linked::unknown", "print 'linked'::kept",
    ]  # fmt: skip
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_lists_of_linkage_names(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """GDB lists them, too, but by these names."""
    sources = {"a.c": f'int counter asm("linked_counter") = 1;\n{FUNCTION_OF_LINKAGE}'}
    build(tmp_path, sources, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    commands = [f"info {kind} ^linked" for kind in ("functions", "variables", "types")]
    functions, variables, types = answers(None, [str(tmp_path / "a")], commands)
    assert functions.endswith("File a.c:\n4:\tint own(int);\n")
    assert variables.endswith("File a.c:\n1:\tint counter;\n")
    assert types.endswith('"^linked":\n')


def test_an_alias_of_a_function_is_none_of_its_names(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB calls it a syntax error."""
    build(tmp_path, {"a.c": FUNCTION_OF_LINKAGE}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    files, commands = [str(tmp_path / "a")], ["print other::kept", "print other::unknown"]
    for text in answers(None, files, commands):
        assert text.endswith('\nNo symbol "other" in current context.\n')


MANGLED = """
namespace n {
int f(int) { static int kept = 5; return kept++; }
template <class T> T of(T v) { static T kept = v; return kept; }
struct S { virtual int m(int k) { static int of_member = 6; return k + of_member; } };
int twice(int n) { { static int x = 1; n += x; } { static int x = 2; n += x; } return n; }
}
int main() { n::S s; return n::f(1) + n::of(2) + n::of(2.5) + s.m(4) + n::twice(1); }
"""


def test_mangled_names_of_what_has_no_such_entry(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    build(tmp_path, {"a.cpp": MANGLED}, [[tool("g++"), "-g", "-no-pie", "-o", "a", "a.cpp"]])
    files = [str(tmp_path / "a")]
    commands = [
        "print _ZN1n2ofIiET_S1_", "whatis _ZN1n2ofIdET_S1_", "print &_ZTVN1n1SE",
        "print sizeof(_ZZN1n1fEiE4kept)", "print _ZZN1n1fEiE4kept", "print &_ZN1n1fEi::kept",
        "whatis _ZZN1n2ofIdET_S1_E4kept", "print _ZZN1n1S1mEiE9of_member", "print &_ZTIN1n1SE",
        "print (char)_ZGVZN1n2ofIiET_S1_E4kept", "print _ZN1n1fEi::unknown", "print _ZN1n4goneE",
    ]  # fmt: skip
    own = [re.sub(r"note: .*\n", "", text) for text in answers(None, files, commands)]
    assert own == answers(tool("gdb"), files, commands)


MANGLED_TYPES = """
namespace n {
struct S { int a; } s = {4};
enum E { first, second } e;
template <class T> struct Of { T t; };
Of<int> of;
}
typedef int number;
struct T { number z; } t;
int first;
int main() { struct L { int k; } l = {3}; return n::s.a + n::e + n::of.t + t.z + l.k; }
"""


def test_types_by_names_that_are_mangled(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, {"a.cpp": MANGLED_TYPES}, [[tool("g++"), "-g", "-o", "a", "a.cpp"]])
    files = [str(tmp_path / "a")]
    commands = [
        "print _ZN1n1SE", "ptype _ZN1n1SE", "whatis _ZN1n1SE *", "print sizeof(_ZN1n1SE)",
        "print *(_ZN1n1SE *)&n::s", "ptype struct _ZN1n1SE", "print sizeof(struct _ZN1n1SE)",
        "ptype enum _ZN1n1EE", "print (_ZN1n1EE)1", "print _ZN1n6secondE", "whatis _ZN1n6secondE",
        "ptype _ZN1n2OfIiEE", "ptype _Z6number", "ptype _Z1T", "ptype _Z1n", "print _Z5first",
        "whatis _ZN1n4goneE", "ptype struct _ZN1n4goneE", "print _ZN1n1S1aE",
    ]  # fmt: skip
    own = [re.sub(r"note: .*\n", "", text) for text in answers(None, files, commands)]
    assert own == answers(tool("gdb"), files, commands)


OF_FILES = {
    "a.cpp": """
int own asm("linked") = 1;
namespace n { int y = 2; }
template <class T> T of(T v) { static T kept = 3; return kept += v; }
int f(int) asm("of_f");
int f(int n) { static int inside = 4; return n + inside++; }
int used() { return of(1) + own + n::y + f(1); }
""",
    "b.cpp": """
namespace n { int z = 5; }
int used();
int main() { return used() + n::z; }
""",
}


def test_linkage_names_in_a_file(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """In GDB a file also has the names of others."""
    build(tmp_path, OF_FILES, [[tool("g++"), "-g", "-no-pie", "-o", "a", *OF_FILES]])
    files = [str(tmp_path / "a")]
    names = "linked", "_ZN1n1yE", "_ZZ2ofIiET_S0_E4kept", "_Z4usedv", "_Z2ofIiET_S0_"
    commands = [f"print 'a.cpp'::{name}" for name in names]
    commands += ["print &'a.cpp'::_ZN1n1yE", "whatis 'a.cpp'::of_f", "print 'a.cpp'::of_f::inside"]
    commands += ["print 'a.cpp'::_ZN1n4goneE"]
    own = [re.sub(r"note: .*\n", "", text) for text in answers(None, files, commands)]
    assert own == answers(tool("gdb"), files, commands)
    for text in answers(None, files, [f"print 'b.cpp'::{name}" for name in names]):
        assert text.endswith(" in specified context.\n")
    [shown] = answers(None, files, ["whatis 'b.cpp'::_ZN1n1zE"])
    assert shown.endswith("\ntype = int\n")


def test_static_variables_of_one_name_in_several_blocks(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB takes the same one for all of them."""
    build(tmp_path, {"a.cpp": MANGLED}, [[tool("g++"), "-g", "-o", "a", "a.cpp"]])
    texts = answers(
        None, [str(tmp_path / "a")], ["print _ZZN1n5twiceEiE1x", "print _ZZN1n5twiceEiE1x_0"]
    )
    assert [text.splitlines()[1] for text in texts] == ["$1 = 1", "$2 = 2"]


@pytest.mark.parametrize(
    ("compiler", "version", "is_packed"),
    [
        ("gcc", 4, False), ("gcc", 5, False), ("clang-19", 4, False), ("clang-19", 5, False),
        ("gcc", 4, True), ("clang-19", 4, True), ("clang-19", 5, True),
    ],
)  # fmt: skip
def test_a_linkage_name_in_a_split_file(
    tmp_path: Path, tool: Callable[[str], str], compiler: str, version: int, is_packed: bool
) -> None:
    """The answers are those of the same program that is not split: this GDB cannot read each."""
    sources, flag = {"a.c": LINKAGE}, f"-gdwarf-{version}"
    whole = [[tool(compiler), flag, "-c", "a.c"], [tool(compiler), "-o", "whole", "a.o"]]
    split = [
        [tool(compiler), flag, "-gsplit-dwarf", "-c", "a.c"],
        [tool(compiler), "-o", "a", "a.o"],
    ]
    package = [[tool("llvm-dwp-19"), "-e", "a", "-o", "a.dwp"]] if is_packed else []
    build(tmp_path, sources, [*whole, *split, *package])
    if is_packed:
        (tmp_path / "a.dwo").unlink()
    said, expected = (answers(None, [str(tmp_path / name)], OF_LINKAGE) for name in ("a", "whole"))
    assert said == expected
    assert "$1 = 8\n" in said[0]
