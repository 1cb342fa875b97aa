"""What `x/a` leaves for the next `x` of a program of 32 bits, against the installed GDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.repl.side_by_side import answers, build

SOURCE = "int words[] = {1, 2, 3, 4}; float numbers[] = {1.5, -2, 8, 0.25}; int _start;\n"
COMMANDS = (
    "x/2a &words", "x/2x &words", "x/a &words", "x/2f &numbers", "x/2x &words", "x/wa &words",
    "x/2f &numbers", "x/a &words", "x/c &words", "x/a &words", "x/s &words", "x/2x &words",
    "x/ga &words", "x/x &words", "x/a &words", "x/h &words", "x/a &words", "print/f 1",
    "x/2 &words",
)  # fmt: skip


def test_the_size_of_addresses_is_kept_but_for_numbers(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    flags = ["-m32", "-g", "-nostdlib", "-static", "-no-pie"]
    build(tmp_path, {"a.c": SOURCE}, [[tool("gcc"), *flags, "a.c", "-o", "a"]])
    files, commands = [str(tmp_path / "a")], list(COMMANDS)
    ours = answers(None, files, commands)
    assert ours == answers(tool("gdb"), files, commands)
    assert "0x0000000200000001" in ours[4]
