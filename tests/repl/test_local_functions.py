"""Functions of local classes and lambdas, by file and name, beside the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build

SOURCE = """\
struct A { int v; int m(int x) const { auto l = [x](int y) { return x + y; }; return l(v); } };
int main(int argc, char **) {
  struct L {
    int k;
    int go() { return k * 2; }
    int go(int z) { return k + z; }
  };
  L l{argc};
  A a{3};
  return l.go() + l.go(4) + a.m(2);
}
"""
COMMANDS = [
    "rbreak operator", "break a.cc:main::L::go()", "break a.cc:'main::L::go()'",
    "break 'a.cc':'main::L::go(int)'", "break a.cc:main::L::go(int)", "break a.cc:main::L::go",
    "break a.cc:'A::m(int) const'", "break a.cc:'nosuch'",
    "break a.cc:A::m(int) const::{lambda(int)#1}::operator()(int) const",
]  # fmt: skip


@pytest.mark.parametrize("compiler", ["clang++-19", "g++"])
def test_breakpoints(tmp_path: Path, tool: Callable[[str], str], compiler: str) -> None:
    build(tmp_path, {"a.cc": SOURCE}, [[tool(compiler), "-g", "-o", "a", "a.cc"]])
    files = [str(tmp_path / "a")]
    commands = COMMANDS
    if compiler == "g++":  # GDB finds no function of a local class of GCC by its file
        commands = [command for command in COMMANDS if "::L::" not in command]
    of_gdb = answers(tool("gdb"), files, commands)
    assert answers(None, files, commands) == of_gdb
    assert "Breakpoint 1 at" in of_gdb[0]


NAMED = """\
struct Base { static const int count; };
const int Base::count = 77;
static const char *const names[2] = {"ab", "c"};
int f1(int n, const char *) { return n + names[0][0]; }
int main() { int names = 5; return f1(names, "") == 0; }
"""


def test_names_of_the_linker(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """A mangled name means what the name that it encodes means outside of functions."""
    build(tmp_path, {"a.cc": NAMED}, [[tool("g++"), "-g", "-o", "a", "a.cc"]])
    files = [str(tmp_path / "a")]
    commands = [
        "p _ZN4Base5countE", "whatis _ZN4Base5countE", "info address _ZN4Base5countE",
        "p sizeof(_ZL5names)", "whatis _ZL5names", "p _Z2f1iPKc", "info address _Z2f1iPKc",
        "p _ZN3nosE",
    ]  # fmt: skip
    assert answers(None, files, commands) == answers(tool("gdb"), files, commands)
