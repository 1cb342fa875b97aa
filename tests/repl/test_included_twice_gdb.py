"""`info line` without an argument, against the installed GDB: in a file that two units include, and
in a frame without a line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build, with_core

INCLUDED = """\
static int NAME(int x) {
  x = x * 3;
#ifdef FAILS
  if (x) __builtin_abort();
#endif
  return x;
}
"""
SOURCES = {
    "part.h": INCLUDED,
    "a.c": '#define NAME one\n#define FAILS\n#include "part.h"\nint main() { return one(1); }\n',
    "b.c": '#define NAME two\n#include "part.h"\nint other(void) { return two(2); }\n',
}
COMMANDS = ["frame function one", "info line", "info line"]


def test_info_line_is_of_the_unit_in_focus(tmp_path: Path, tool: Callable[[str], str]) -> None:
    build(tmp_path, SOURCES, [[tool("gcc"), "-g", "-O0", "-o", "a", "b.c", "a.c"]])
    files = with_core(tool, tmp_path)
    shown = answers(None, files, COMMANDS)
    assert shown == answers(tool("gdb"), files, COMMANDS)
    assert [text.count("Line ") for text in shown[1:3]] == [1, 1]
    assert "<one+" in shown[1]


def test_a_frame_without_a_line_has_no_default_line(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    source = "void (*volatile none)(void);\nint main(void) { none(); return 0; }\n"
    build(tmp_path, {"a.c": source}, [[tool("gcc"), "-g", "-O0", "-o", "a", "a.c"]])
    files = with_core(tool, tmp_path)
    commands = ["info line", "list main", "info line"]
    shown = answers(None, files, commands)
    assert shown == answers(tool("gdb"), files, commands)
    assert "No line number information available." in shown[0]
    assert 'Line 1 of "a.c" is at address 0x' in shown[2]
