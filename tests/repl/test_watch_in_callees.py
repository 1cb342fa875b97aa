"""`watch` of a local variable that other functions and other waves write, with unknown callers."""

from __future__ import annotations

import pytest

from tests.cli.command import FIXTURES, run

NAMES = ["gfx90a", "gfx942", "gfx1100"]


def stops(processor: str, expression: str, *options: str) -> list[tuple[str, ...]]:
    """Return, for each stop in `outer` of hip/call.hip, the values and the frame.

    `outer(5)` of lane 0 has `local = 10`, and calls `inner` twice, which adds 1 to it in line 11.
    """
    commands = ["tbreak call.hip:17", "run", f"watch {expression}", "c", "c", "c"]
    done = run(
        "debug", FIXTURES / f"hip/call.{processor}.O0.v5.co", "--dispatch", "call", *options,
        "--grid", 64, "--workgroup", 64, "--scratch", 4096, "--arg", "out=zeros:256", "--batch",
        *(word for command in commands for word in ("-ex", command)),
    )  # fmt: skip
    lines = [line for line in done.lines if line]
    return [
        (lines[at], lines[at + 1], lines[at + 2].split()[-1])
        for at, line in enumerate(lines)
        if line.startswith("Old value")
    ]


@pytest.mark.parametrize("options", [(), ("--heuristic",)])
@pytest.mark.parametrize("processor", NAMES)
def test_a_callee_that_writes_a_watched_variable(processor: str, options: tuple[str, ...]) -> None:
    """Upstream clang has no call frame information: without --heuristic, no caller is found."""
    assert stops(processor, "local", *options) == [
        ("Old value = 10", "New value = 11", "hip/call.hip:12"),
        ("Old value = 11", "New value = 12", "hip/call.hip:12"),
    ]


@pytest.mark.parametrize("processor", NAMES)
def test_a_computed_value_is_compared_when_the_callee_has_returned(processor: str) -> None:
    assert stops(processor, "local + n") == [
        ("Old value = 15", "New value = 16", "hip/call.hip:17"),
        ("Old value = 16", "New value = 17", "hip/call.hip:18"),
    ]
