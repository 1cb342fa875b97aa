"""The lane in focus belongs to its wave, as in ROCgdb."""

from __future__ import annotations

from tests.cli.command import FIXTURES, run

STATE = FIXTURES / "states/divergent.gfx942.json"


def test_a_wave_keeps_its_lane() -> None:
    commands = ("lane 5", "thread 1", "thread 2", "lane 7", "thread 1", "thread 2")
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "-q", "--state", STATE, "--batch", *words)
    assert [line.split(" (")[0] for line in done.lines if line.startswith("[Switching")] == [
        f"[Switching to thread {thread}, lane {lane}"
        for thread, lane in ((1, 5), (1, 5), (2, 0), (2, 7), (1, 5), (2, 7))
    ]
