"""The command `lanes` and the prompt's show the same grid: `service.lanes.wave_lanes` answers."""

from __future__ import annotations

import pytest

from tests.cli.command import STATES, run

LOCATIONS = ("--state", STATES / "locations.gfx942.json", "--pc", "0x1620")
DIVERGENT = ("--state", STATES / "divergent.gfx942.json")
WHOLE = ("--state", STATES / "wholewave.gfx942.json", "--dialect", "amd-provisional")


@pytest.mark.parametrize(
    ("machine", "expression"),
    [
        (("--demo",), "t"),
        (("--demo",), "r"),  # optimized out
        (DIVERGENT, "t / kept"),  # an error
        (DIVERGENT, "x"),  # active lanes have it
        (LOCATIONS, "pointer_frame"),
        (LOCATIONS, "local_color"),
        (WHOLE, "r"),  # lanes that did not enter the function
    ],
)
def test_one_grid(machine: tuple[object, ...], expression: str) -> None:
    shown = run("lanes", *machine, "--grid", "--wave", 0 if machine != DIVERGENT else 1, expression)
    command = f"lanes -grid -all {expression}"
    wave = 0 if machine != DIVERGENT else 1
    debug = run("debug", "-q", "--batch", *machine, "--wave", wave, "-ex", command)
    prompt = [line for line in debug.lines if not line.startswith("type ")]
    assert len(prompt) > 3, debug
    assert [line.replace("* ", "  ") for line in prompt] == shown.lines[2:]


def test_lanes_outside_of_the_frame_share_a_reason() -> None:
    lines = run("lanes", *WHOLE, "--grid", "r").lines
    reason = "the lane was not active on entry to the function"
    assert lines[-1] == f"<not in this frame> in lanes 8-63: {reason}"


def test_a_value_without_bits_has_a_reason() -> None:
    """The debugging information describes `r`, but not here."""
    lines = run("lanes", "--demo", "--lane", "0-1", "r").lines
    assert lines[2].endswith(" <optimized out>")
    assert lines[4].startswith("r: <optimized out> in lanes 0-1: r is optimized out at this pc")
