"""`extern int x;` in a block, which denotes a variable outside of functions (C11 6.2.2, C++
[basic.link]), against the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import answers, build, with_core

PLAIN = r"""
int x = 5;
static int own = 6;
__asm__(".data\n.globl hidden\nhidden: .short 77\n.text\n");
int f(int v) {
  int x = v, own = 9;
  {
    extern int x;
    extern short hidden;
    extern int gone __attribute__((weak));
    int w = x + hidden + (&gone != 0);
    *(volatile int *)0 = w;
  }
  return x + own;
}
int main(void) { return f(1) + own; }
"""
SCOPED = r"""
int x = 5;
namespace n {
int x = 7;
int f(int v) {
  int x = v;
  { extern int x; *(volatile int *)0 = x; }
  return x;
}
}
int main() { return n::f(1); }
"""
COMMANDS = [
    "print x", "print &x", "whatis hidden", "print hidden", "print &hidden", "print own",
    "whatis gone", "info locals", "info scope f", "info address hidden", "info address gone",
    "up", "print x", "print hidden",
]  # fmt: skip


@pytest.mark.parametrize("optimized", ["-O0", "-O2"])
@pytest.mark.parametrize(("name", "compiler"), [("a.c", "gcc"), ("a.cc", "g++")])
def test_a_declaration_hides_local_variables(
    tool: Callable[[str], str], tmp_path: Path, name: str, compiler: str, optimized: str
) -> None:
    text = PLAIN if name == "a.c" else SCOPED
    build(tmp_path, {name: text}, [[tool(compiler), "-g", optimized, "-o", "a", name]])
    files = with_core(tool, tmp_path)
    commands = COMMANDS if name == "a.c" else COMMANDS[:2]
    own = [
        re.sub(r"(note: |type \"explain).*\n", "", said) for said in answers(None, files, commands)
    ]
    assert own == answers(tool("gdb"), files, commands)


def test_the_symbol_of_a_weak_declaration_may_be_missing(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    build(tmp_path, {"a.c": PLAIN}, [[tool("gcc"), "-g", "-o", "a", "a.c"]])
    said = answers(None, with_core(tool, tmp_path), ["print gone", "print &gone"])
    assert all('Missing ELF symbol "gone": it is only declared' in text for text in said), said


def test_in_a_member_function_a_declaration_is_of_the_namespace(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    """C++ [basic.link]: of the innermost namespace, not of the class."""
    source = """
namespace n { struct S { int own; int f(); }; }
int n::S::f() {
  extern int gone __attribute__((weak));
  struct Local { int other; int g() { *(volatile int *)0 = 1; return 0; } } local{1};
  return (&gone ? gone : 0) + local.g();
}
int main() { return n::S{}.f(); }
"""
    build(tmp_path, {"a.cc": source}, [[tool("g++"), "-g", "-o", "a", "a.cc"]])
    files = with_core(tool, tmp_path)
    commands = ["print n::S::own", "up", "print gone", "print n::S::own", "print n::S::nothing"]
    inner, _, gone, own, nothing = answers(None, files, commands)
    assert 'Cannot reference non-static field "own"' in inner
    assert 'Missing ELF symbol "n::gone": it is only declared' in gone
    assert "$1 = 0" in own and "There is no field named nothing" in nothing


def test_enumerators_are_named_as_they_are_used(tool: Callable[[str], str], tmp_path: Path) -> None:
    """As in GDB: those of a scoped enumeration with its name (C++ [dcl.enum])."""
    text = (
        "int main() { enum class L { P = 1 } l = L::P; enum { Q = 2 } q = Q; return int(l) + q; }"
    )
    build(tmp_path, {"a.cc": text}, [[tool("g++"), "-g", "-o", "a", "a.cc"]])
    done = run("debug", tmp_path / "a", "-q", "--batch", "-ex", "info scope main")
    assert "Symbol L::P is a constant with value 1 (0x1), length 4.\n" in done.out
    assert "Symbol Q is a constant with value 2 (0x2), length 4.\n" in done.out


BLOCKS_OF_LINES = """\
int g(int x) { return x; }
int f(int n) { for (int i = 0; i < n; i++) { int sq = i * i; g(sq); } return n; }
int h(int n)
{ int a = n; { int b = a * 2; g(b); } return a; }
int main(void) { { int inmain = 5; f(inmain); } return h(2); }
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_the_scope_of_a_line_with_the_entry_of_a_function(
    tool: Callable[[str], str], tmp_path: Path, compiler: str
) -> None:
    """It is that of the code after the prologue, where a breakpoint at the line stops."""
    build(tmp_path, {"a.c": BLOCKS_OF_LINES}, [[tool(compiler), "-g", "-o", "a", "a.c"]])
    files, commands = [str(tmp_path / "a")], [f"info scope a.c:{line}" for line in range(1, 6)]
    of_gdb, own = (
        [re.findall(r"Symbol (\w+) is", text) for text in answers(gdb, files, commands)]
        for gdb in (tool("gdb"), None)
    )
    assert own == of_gdb
    assert own[1] == ["i", "n"] and own[4] == ["inmain"]


OF_LINE_4 = (
    "note: S is that of line 4, which may be in a block that is not around the code: line 1 has "
    "another one"
)
OF_ANOTHER_BLOCK = """\
struct S { static int s; }; int S::s = 7;
volatile int sink;
int f(int n) {
  { struct S { long q; }; S x; x.q = n; sink = x.q; }
  sink = S::s;
  *(volatile int *)0 = n;
  return n;
}
int main() { return f(1); }
"""


@pytest.mark.parametrize(
    "asked",
    [
        "print S::s",
        "print &S::s",
        "ptype S::s",
        "ptype S::In::t",
        "break 6 if S::s",
        "explain S::s",
    ],
)
def test_an_error_says_which_entity_was_searched(
    tool: Callable[[str], str], tmp_path: Path, asked: str
) -> None:
    build(tmp_path, {"a.cc": OF_ANOTHER_BLOCK}, [[tool("g++"), "-g", "-o", "a", "a.cc"]])
    (said,) = answers(None, with_core(tool, tmp_path), [asked])
    note, error = said.splitlines()[1:]
    assert note == OF_LINE_4
    assert error in ("There is no field named s", 'No type "In" within class or namespace "f::S".')


@pytest.mark.parametrize("command", ["eval", "explain", "location"])
def test_an_error_of_a_command_says_so_too(
    tool: Callable[[str], str], tmp_path: Path, command: str
) -> None:
    build(tmp_path, {"a.cc": OF_ANOTHER_BLOCK}, [[tool("g++"), "-g", "-o", "a", "a.cc"]])
    done = run(command, tmp_path / "a", "--pc", "a.cc:6", "S::s")
    assert done.err.splitlines() == [OF_LINE_4, "dwarfgpu: There is no field named s"]
