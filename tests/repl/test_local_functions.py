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
