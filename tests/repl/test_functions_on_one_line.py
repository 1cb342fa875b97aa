"""Lines of functions that are next to each other on one source line, of which GDB drops rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dwarfgpu import CodeObject
from tests.repl.repl_shell import output_of, program_shell
from tests.repl.side_by_side import build

SOURCE = "int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }"
SOURCE += " int next(int n) { return n + 1; } int main() { return next(sum(3)); }\n"


def test_a_line_begins_with_each_function(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The loop has discriminators, after which GDB keeps no rows of the line."""
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), "-g", "-O0", "-o", "a", "a.c"]])
    shell = program_shell(CodeObject.open(tmp_path / "a"))
    of_next = output_of(shell, "info line next")
    assert "<next> and ends at " in of_next and of_next.endswith(" <main>.\n")
    assert output_of(shell, "info line *(char *)next + 2") == of_next
    assert output_of(shell, "info line *(char *)next - 1").endswith(" <next>.\n")
    assert output_of(shell, "break *(char *)next + 2").endswith("file a.c, line 1.\n")
