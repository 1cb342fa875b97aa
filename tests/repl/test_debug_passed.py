"""Breakpoints that are passed without a stop change nothing: neither a step, nor the focus."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repl.test_debug_simulated import talk


@pytest.mark.parametrize("passed", ["break fibonacci if n == 99", "break fibonacci\nignore 2 9999"])
def test_next_passes_over_a_call(passed: str, tmp_path: Path) -> None:
    """GDB steps over the call; the function that is called has a breakpoint that does not stop."""
    lines = talk(
        tmp_path, "recursion", "tbreak integers.hip:129", "run", "lane 7", *passed.split("\n"),
        "next", "p $_lane", "p $_thread", a=[1] * 128,
    )  # fmt: skip
    assert lines[-3:] == ["130\tin run/integers.hip", "$1 = 7", "$2 = 1"]


def test_the_lane_in_focus_stays(tmp_path: Path) -> None:
    """Lane 2 does not execute line 65, where a condition is evaluated on the way."""
    lines = talk(
        tmp_path, "nest", "tbreak nest", "run", "lane 2", "break integers.hip:65 if x == 99999",
        "tbreak integers.hip:80", "continue", "p $_lane",
    )  # fmt: skip
    assert "with lanes [0-63], nest (" in lines[-3]
    assert lines[-1] == "$1 = 2"
