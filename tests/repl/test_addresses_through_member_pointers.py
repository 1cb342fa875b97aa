"""Addresses of what pointers to members mean, `&s.*m`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

NOTE = "note: no state is given: writable memory has its initial contents\n"
SOURCE = """\
struct S { int first = 4, second = 9; };
S s, *to = &s, several[2];
int S::*member = &S::second;
int main() { return s.*member + to->*member + several[1].*member; }
"""


def test_the_member_comes_before_the_address(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """It was a member of the object at `&s`, as in `(&s)->*member`; C++ has no such expression."""
    build(tmp_path, {"a.cc": SOURCE}, [[tool("g++"), "-g", "-O0", "-no-pie", "a.cc", "-o", "a"]])
    files = [str(tmp_path / "a")]
    expressions = [
        "&s.*member", "*&s.*member", "&several[1].*member", "&s.*&S::second", "&s.*member + 1",
        "sizeof(&s.*member)", "(&s)->*member", "&(s.*member)", "&s.second", "s.*member",
    ]  # fmt: skip
    commands = [f"output {expression}" for expression in expressions]
    shown = [text.replace(NOTE, "") for text in answers(None, files, commands)]
    assert shown == answers(tool("gdb"), files, commands)
