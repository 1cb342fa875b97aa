"""`waves` and `info threads` answer one question: where each wave is, with how many lanes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.command import STATES, run

GPU_STATES = sorted(
    path for path in STATES.glob("*.json") if '"architecture": "gfx' in path.read_text("utf-8")
)
ROW = re.compile(r"[* ] (\d+) +(?:T +)?(AMDGPU Wave \S+ \S+) +(\S+) +(.*)")


def rows(lines: list[str]) -> list[tuple[str, ...]]:
    """Number, target id, lanes, and the frame without the values of its arguments."""
    found = [match.groups() for match in map(ROW.fullmatch, lines) if match is not None]
    return [(*row, re.sub(r"\((.+)\) at ", "(...) at ", frame)) for *row, frame in found]


@pytest.mark.parametrize("path", GPU_STATES, ids=lambda path: path.stem)
def test_waves_are_where_info_threads_shows_them(path: Path) -> None:
    waves = rows(run("waves", "--state", path).lines)
    assert waves
    prompt = run("debug", "--state", path, "-ex", "info threads", "--batch")
    assert rows(prompt.lines) == waves


def test_threads_of_a_cpu_have_no_lanes() -> None:
    lines = run("waves", "--state", STATES / "demo.gcc.O0.json").lines
    assert lines[0] == "  Id State Target Id Lanes Frame"
    assert re.fullmatch(r"  0  T     Thread 0  -     0x\w+ in leaf \(\.\.\.\) at .*", lines[1])
