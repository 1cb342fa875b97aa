"""Neighbouring functions on one source line: GDB drops rows of theirs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu import CodeObject
from tests.repl.repl_shell import output_of, program_shell
from tests.repl.side_by_side import build

SOURCE = "int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }"
SOURCE += " int next(int n) { return n + 1; } int main() { return next(sum(3)); }\n"

ROW_AFTER_FUNCTION = "double sqrt(double); static double __attribute__((noinline)) "
ROW_AFTER_FUNCTION += "sum(double q, int n) { if (n > 2) { volatile int *p = (int *)(long)n; "
ROW_AFTER_FUNCTION += "*p = (int)q; } return sqrt(q); } int __attribute__((noinline)) next(int n) "
ROW_AFTER_FUNCTION += "{ while (n > 9) if (n & 1) n = 3 * n + 1; else n = sum(n, n); return n; } "
ROW_AFTER_FUNCTION += "int main(int n, char **words) { return next(n); }\n"
"""GCC describes the end of `sum`, the first byte of the padding, by a row."""


def test_a_line_begins_with_each_function(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The loop has discriminators, after which GDB keeps no rows of the line."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "-o", "a", "a.c"]])
    shell = program_shell(CodeObject.open(tmp_path / "a"))
    of_next = output_of(shell, "info line next")
    assert "<next> and ends at " in of_next and of_next.endswith(" <main>.\n")
    assert output_of(shell, "info line *(char *)next + 2") == of_next
    assert output_of(shell, "info line *(char *)next - 1").endswith(" <next>.\n")
    assert output_of(shell, "break *(char *)next + 2").endswith("file a.c, line 1.\n")


@pytest.mark.parametrize(("level", "source"), [("-O0", SOURCE), ("-O2", ROW_AFTER_FUNCTION)])
def test_each_address_of_a_range_has_that_range(
    level: str, source: str, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """Also padding between functions, which none of them covers, and where a row of the first one
    may begin: the line before it goes on up to the next function."""
    options = ["-g", level, "-falign-functions=64"]
    build(tmp_path, {"a.c": source}, [[tool("gcc"), *options, "-o", "a", "a.c", "-lm"]])
    shell = program_shell(CodeObject.open(tmp_path / "a"))
    answers = [output_of(shell, f"info line *(char *)sum + {offset}") for offset in range(66)]
    base = int(output_of(shell, "output &sum").split("0x")[1].split()[0], 16)
    for answer in answers:
        begin, end = (int(bound, 16) - base for bound in re.findall("0x([0-9a-f]+)", answer))
        assert set(answers[begin:end]) == {answer}
    assert answers[63].endswith(" <next>.\n")
