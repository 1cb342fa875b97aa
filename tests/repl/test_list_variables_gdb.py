"""`list` and `info line` of names that variables or types share with functions, as in GDB: a name
denotes what has it in any scope, also in libraries without debugging information."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.language.symbol_locations import _listed
from tests.cli.command import run
from tests.repl.repl_shell import output_of, program_shell
from tests.repl.side_by_side import answers, build, build_with_library, with_core
from tests.work import calls_of

LIBRARY = """\
struct Text { int at(int i); int size(); };
int Text::at(int i) { return i; }
int Text::size() { return 2; }
"""
PROGRAM = """\
#include <cstdlib>
struct Text { int at(int i); int size(); };
int at = 1;
static int size = 2;
struct Own { int value; Own(int); int only(); static int shared; };
Own::Own(int n) { value = n; }
int Own::only() { return value; }
int only = 3;
int Own::shared = 4;
int shared() { return Own::shared; }
namespace inner { static int both = 5; }
int both(int n) { return n + inner::both; }
enum Kind { first, second };
int single = 6;
template <class T> T whole(T t) { return t; }
struct whole_type { int whole; };
int main() {
  Own own(at);
  Text text;
  whole_type typed = {whole(7)};
  if (own.only() + only + shared() + both(1) + text.at(2) + text.size() + size) abort();
  return single + typed.whole + second;
}
"""
COMMANDS = [
    "list at", "info line at", "list size", "info line size", "list only", "info line only",
    "list Own", "info line Own", "list shared", "info line shared", "list both", "info line both",
    "list ::both", "list a.cpp:both", "info line a.cpp:both", "list -function both",
    "list -source a.cpp -function both", "list -qualified only", "list -qualified inner::both",
    "list -function single", "info line -function at", "list both,", "list ,both", "list both,only",
    "list at,", "list at,size", "list single", "info line single", "list whole",
    "list inner::both", "list Kind", "list main", "info line both(int)",
    "break only", "info scope only",
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder = tmp_path_factory.mktemp("variables")
    build_with_library(folder, "cpp", LIBRARY, PROGRAM, [tool("g++"), "-fno-plt"], "-g0")
    return with_core(tool, folder)


def test_names_of_variables_and_functions(files: list[str], tool: Callable[[str], str]) -> None:
    commands = ["set listsize 2", "set print asm-demangle on", *COMMANDS]
    [_, _, *shown], [_, _, *of_gdb] = (
        answers(None, files, commands),
        answers(tool("gdb"), files, commands),
    )
    assert dict(zip(COMMANDS, shown, strict=True)) == dict(zip(COMMANDS, of_gdb, strict=True))


def test_the_variable_comes_before_functions_of_libraries(files: list[str]) -> None:
    """Without lines, they do not matter for `list`."""
    listed, line = answers(None, files, ["set listsize 1", "list at", "info line at"])[1:]
    assert listed == "list at\n3\tint at = 1;\n"
    first, second = line.split("\n")[1:3]
    assert first.startswith('Line 3 of "a.cpp" is at address 0x')
    assert second.startswith("No line number information available for address 0x")
    assert second.endswith(" <Text::at(int)>")


def test_a_variable_that_only_a_symbol_table_has(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    text = "int known = 1;\nstatic int own = 2;\nint main(void) { return known + own; }\n"
    build(tmp_path, {"a.c": text}, [[tool("gcc"), "-no-pie", "-o", "a", "a.c"]])
    files, commands = [str(tmp_path / "a")], ["info line known", "info line own", "info line gone"]
    shown = answers(None, files, commands)
    assert shown == answers(tool("gdb"), files, commands)
    assert shown[0].endswith(" <known>\n")


def test_all_versions_that_only_symbol_tables_have(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    text = """
int older = 1, newer = 2, single = 3;
__asm__(".symver older,kept@V1\\n.symver newer,kept@@V2\\n.symver single,lone@V1");
"""
    versions = "V1 { global: kept; lone; };\nV2 { global: kept; } V1;\n"
    command = [tool("gcc"), "-shared", "-fPIC", "-Wl,--version-script=a.map", "-o", "a.so", "a.c"]
    build(tmp_path, {"a.c": text, "a.map": versions}, [command])
    files, commands = [str(tmp_path / "a.so")], ["info line kept", "info line lone"]
    shown = answers(None, files, commands)
    assert shown == answers(tool("gdb"), files, commands)
    assert shown[0].count("for address") == 2


@pytest.mark.parametrize("options", [["-g"], []])
def test_versions_are_listed_with_and_without_them(
    tmp_path: Path, tool: Callable[[str], str], options: list[str]
) -> None:
    text = """
int older = 1, newer = 2;
int f_1(void) { return 1; }
int f_2(void) { return 2; }
__asm__(".symver older,kept@V1\\n.symver newer,kept@@V2");
__asm__(".symver f_1,f@V1\\n.symver f_2,f@@V2");
"""
    versions = "V1 { global: kept; f; local: *; };\nV2 { global: kept; f; } V1;\n"
    command = [tool("gcc"), "-shared", "-fPIC", "-Wl,--version-script=a.map", "-o", "a.so", "a.c"]
    build(tmp_path, {"a.c": text, "a.map": versions}, [[*command, *options]])
    files = [str(tmp_path / "a.so")]
    commands = [
        f"info {kind} {pattern}"
        for kind, names in {"variables": ("kept", "older"), "functions": ("f", "f_1")}.items()
        for name in names
        for pattern in (f"^{name}", f"^{name}$", f"^{name}@")
    ]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


@pytest.mark.parametrize("version", ["3", "5"])
def test_the_symbol_of_a_described_variable_is_not_listed_again(
    tmp_path: Path, tool: Callable[[str], str], version: str
) -> None:
    """Before DWARF 4, the attribute of its linkage name is that of a vendor."""
    text = 'int own asm("linked") = 4;\nint main() { return own; }\n'
    given = [tool("g++"), "-g", f"-gdwarf-{version}", "-o", "a", "a.cpp"]
    build(tmp_path, {"a.cpp": text}, [given])
    (shown,) = answers(None, [str(tmp_path / "a")], ["info variables -q linked"])
    assert shown == "info variables -q linked\n\nFile a.cpp:\n1:\tint own;\n"


NAMESPACES = """
namespace ns {
int y = 1;
thread_local int t = 2;
struct K { static int own; };
int K::own = 3;
template <class T> T item = T(4);
int fun(int n) { static int kept = 5; return n + kept++; }
int fun(char n) { static int kept = 5; return n + kept++; }
namespace in { [[gnu::abi_tag("new")]] int tagged = 6; int y = 7; }
}
namespace other { int y = 8; }
extern "C" { int plain; }
__thread int in_thread = 9;
asm(".globl absolute; .set absolute, 0x1234");
int main() {
  return ns::y + ns::t + in_thread + ns::K::own + ns::item<int> + ns::item<char> + ns::fun(1)
      + ns::fun('a') + ns::in::tagged + ns::in::y + other::y + plain;
}
"""


def test_names_of_cplusplus_that_only_a_symbol_table_has(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    command = [tool("g++"), "-std=c++17", "-no-pie", "-o", "a", "a.cpp"]
    build(tmp_path, {"a.cpp": NAMESPACES}, [command])
    names = [
        "ns::y", "'ns::y'", "::ns::y", "y", "in::y", "-function ns::y", "-qualified ns::y",
        "-qualified in::y", "-qualified y", "-function plain", "K::own", "own", "ns::item<int>",
        "ns::item", "ns::item<long>", "ns::fun(int)::kept", "fun(char)::kept", "fun::kept", "kept",
        "tagged", "ns::in::tagged[abi:new]", "absolute", "a.cpp:plain", "-label y", "ns::t", "t",
    ]  # fmt: skip
    files = [str(tmp_path / "a")]
    commands = ["set print asm-demangle on", *(f"info line {name}" for name in names)]
    shown = answers(None, files, commands)
    assert shown == answers(tool("gdb"), files, commands)
    assert shown[4].count("for address") == 3
    [of_thread] = answers(None, files, ["info line in_thread"])  # GDB shows its offset
    assert of_thread.endswith("\nNo line number information available.\n")


def test_a_thread_local_variable_that_only_a_symbol_table_has(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB adds its offset to the load address."""
    text = "#include <stdlib.h>\n__thread int item = 1;\nint main(void) { abort(); }\n"
    build(tmp_path, {"a.c": text}, [[tool("gcc"), "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    address, line = answers(None, files, ["output (long) &item", "info line item"])
    shown = f"for address {int(address.split()[-1]):#x}"
    assert shown in line


def test_the_copy_of_the_variable_of_a_library(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The library has the variable whose value was copied, too."""
    library = """
int copied = 1, old = 2, new = 3, other = 4, own = 5;
__asm__(".symver old,kept@V1\\n.symver new,kept@@V2");
"""
    program = """
#include <stdlib.h>
extern int copied, kept;
static int own = 6;
int main(void) { if (copied + kept + own) abort(); }
"""
    versions = "V1 { global: kept; };\nV2 { global: *; } V1;\n"
    shared = ["-shared", "-fPIC", "-Wl,--version-script=a.map", "-o", "a.so", "lib.c"]
    commands = [
        [tool("gcc"), *shared],
        [tool("gcc"), "-no-pie", "-o", "a", "a.c", f"{tmp_path}/a.so"],
    ]
    build(tmp_path, {"lib.c": library, "a.c": program, "a.map": versions}, commands)
    files = with_core(tool, tmp_path)
    names = "copied", "kept", "kept@V1", "kept@@V2", "other", "own"
    commands_of_gdb = [f"info line {name}" for name in names]
    shown = answers(None, files, commands_of_gdb)
    assert shown == answers(tool("gdb"), files, commands_of_gdb)
    assert [text.count("for address") for text in shown] == [1, 1, 1, 1, 1, 2]


@pytest.mark.parametrize("options", [["-g"], []])
def test_a_declaration_describes_the_name_without_a_version(
    tmp_path: Path, tool: Callable[[str], str], options: list[str]
) -> None:
    library = 'extern "C" { int kept = 1; }\nnamespace ns { int inner = 2; }\n'
    text = """
extern "C" { extern int kept; }
namespace ns { extern int inner; }
int main() { return kept + ns::inner; }
"""
    sources = {"lib.cc": library, "main.cc": text, "a.map": "V1 { global: *; };\n"}
    linked = ["-shared", "-fPIC", "-Wl,--version-script=a.map", "-o", "lib.so", "lib.cc"]
    program = ["-no-pie", *options, "-o", "main", "main.cc", "lib.so"]
    build(tmp_path, sources, [[tool("g++"), *linked], [tool("g++"), *program]])
    files = [str(tmp_path / "main")]
    commands = [f"info variables {name}" for name in ("kept", "inner", "^ns::", "^kept$")]
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)


def test_clear_means_the_function(files: list[str]) -> None:
    shown = answers(None, files, ["break only", "clear only", "info breakpoints"])
    assert shown[-1] == "info breakpoints\nNo breakpoints or watchpoints.\n"


def test_namesakes_that_are_not_meant_do_not_count(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Those of other files than the one that is typed, and of namespaces for a whole name."""
    inner = "".join(f"namespace n{number} {{ int x; }}\n" for number in range(3))
    texts = {"a.cpp": "int x = 1;\nint main() { return x; }\n", "b.cpp": inner}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    given = [tool("g++"), "-g", "-o", "p", *texts]
    subprocess.run(given, cwd=tmp_path, check=True, timeout=60)
    bounded = {"list x": True, "list b.cpp:x": True, "list a.cpp:x": False,
               "info line a.cpp:x": False, "list -qualified x": False}  # fmt: skip
    for command, is_bounded in bounded.items():
        options = "--batch", "-ex", command, "--max-namesakes", 2
        done = run("debug", tmp_path / "p", *options)
        assert ("variables and types are named x" in done.err) == bool(done.status) == is_bounded


def test_where_says_that_more_have_the_name(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """As the command line does."""
    texts = {"a.c": "static int f(int q) { int x = q; return x; }\nint a(void) { return f(1); }\n",
             "b.c": "int a(void);\nstatic int f(int q) { int x = q; return x; }\n"
             "int main(void) { return a() + f(2); }\n"}  # fmt: skip
    build(tmp_path, texts, [[tool("gcc"), "-g", "-O0", "-o", "p", *texts]])
    command = "debug", tmp_path / "p", "--batch", "-ex", "where f::x"
    note = "more variables have such a name: the others are not examined (--max-namesakes)"
    for options, count in (((), 2), (("--max-namesakes", 1), 1)):
        done = run(*command, *options)
        assert done.out.count("local int x, declared at line") == count
        assert (note in done.err) == bool(options)


@pytest.mark.parametrize("command", ["list both", "list whole(int)", "info line ::only"])
def test_what_a_name_denotes_is_looked_for_once(files: list[str], command: str) -> None:
    shell = program_shell(CodeObject.open(files[0]))
    first = output_of(shell, command)
    assert output_of(shell, command) == first
    assert calls_of(lambda: shell.execute(command)) < 2_500  # 8,000 before


def test_parameters_are_those_of_no_variable_or_type(files: list[str]) -> None:
    """The names of units of C++ are not even read for them."""
    shell = program_shell(CodeObject.open(files[0]))
    output_of(shell, "info line single", "info line both(int)")
    program = shell.session.code_objects[0]
    assert _listed(program, "both(int)", None, False) == ()
    assert calls_of(lambda: _listed(program, "single(int)", None, False)) < 2_500
    assert [name for name, _ in _listed(program, "both", None, False)] == ["inner::both"]
