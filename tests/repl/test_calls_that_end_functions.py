"""Calling frames whose call is the last instruction of their function, so that the address at which
they would go on is of another, against the installed GDB."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repl.side_by_side import answers, build, with_core

SOURCE = """\
__attribute__((noinline, noreturn)) void die(int n)
{
  __asm__ volatile("int3" :: "D"(n));
  __builtin_abort();
}
__attribute__((noinline)) void caller(int x) { die(x + 1); }
__attribute__((noinline)) int next_function(int y) { return y * 3; }
static inline __attribute__((always_inline)) void inlined(int x)
{
  caller(x + 2);
}
int main(int argc, char **argv)
{
  if (argc > 5)
    return next_function(argc);
  inlined(argc);
}
"""
OPTIONS = ["-g", "-O2", "-fno-align-functions", "-fno-reorder-functions", "-w"]


@pytest.fixture
def of_gdb_and_ours(
    tmp_path: Path, tool: Callable[[str], str]
) -> Callable[[list[str]], tuple[list[str], list[str]]]:
    pytest.importorskip("capstone")
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), *OPTIONS, "a.c", "-o", "a"]])
    files = with_core(tool, tmp_path)

    def both(commands: list[str]) -> tuple[list[str], list[str]]:
        """The answers without what differs: the instructions, and lines of frames."""
        of_gdb, ours = (
            [
                re.sub(r"(>:\t(?:[0-9a-f]{2} )*).*|(?m:^#.*\n)", r"\1", text)
                for text in answers(gdb, files, commands)
            ]
            for gdb in (tool("gdb"), None)
        )
        return of_gdb, ours

    return both


def test_the_calling_function_is_disassembled(
    of_gdb_and_ours: Callable[[list[str]], tuple[list[str], list[str]]],
) -> None:
    of_gdb, ours = of_gdb_and_ours(
        ["up", "disassemble", "disassemble /s", "disassemble $pc", "frame apply all disassemble"]
    )
    assert ours == of_gdb
    assert "for function caller:\n" in ours[1] and "for function next_function:\n" in ours[3]


def test_the_line_of_the_call_is_disassembled(
    of_gdb_and_ours: Callable[[list[str]], tuple[list[str], list[str]]],
) -> None:
    of_gdb, ours = of_gdb_and_ours(["set disassemble-next-line on", "up", "up", "up"])
    assert ours == of_gdb
    assert [text.count(">:\t") for text in ours[1:]] == [1, 1, 0]
