"""`watch` at the first instruction of a kernel, and `run` after it."""

from __future__ import annotations

import pytest

from tests.cli.command import FIXTURES, run


def lines_of(*commands: str) -> list[str]:
    """Return the answers of a session on a kernel whose `tile[3]`, in LDS, becomes 1.5."""
    done = run(
        "debug", FIXTURES / "opencl/kernels.gfx942.O2.v5.co", "--dispatch", "lds", "--grid", 64,
        "--workgroup", 64, "--arg", "out=zeros:256", "--batch",
        *(word for command in commands for word in ("-ex", command)),
    )  # fmt: skip
    return [line for line in done.lines if line]


@pytest.mark.parametrize("commands", [("run",), ("starti", "continue"), ("start", "continue")])
def test_run_keeps_what_is_watched_before_the_program_has_run(commands: tuple[str, ...]) -> None:
    lines = lines_of("watch tile[3]", *commands)
    at = lines.index("Old value = <unavailable>")
    assert lines[at - 1] == "Thread 1 hit Hardware watchpoint 1, with lane 3: tile[3]"
    assert lines[at + 1] == "New value = 1.5"


def test_run_deletes_what_is_watched_in_a_function_that_has_run() -> None:
    """As in GDB, without a word: the call of its function has ended."""
    lines = lines_of("starti", "stepi", "watch tile[3]", "starti", "info watchpoints")
    assert "Hardware watchpoint 1: tile[3]" in lines
    assert lines[-1] == "No watchpoints."
