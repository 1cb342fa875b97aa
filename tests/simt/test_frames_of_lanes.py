"""A lane has the frames in which it was active on entry ("AMDGPU DW_AT_LLVM_lane_pc").

In `states/nested_if_call.gfx942.json` c has called y: lanes 0 to 7 are in the if of y, 8 to 15 wait
for it, 16 to 31 wait at the inner if of x, 32 to 55 at the outer one; the others never entered.
"""

from __future__ import annotations

import pytest

from tests.cli.command import STATES, Done, run, run_json

STATE = ("--state", STATES / "nested_if_call.gfx942.json")
IN_Y = "#0  y (c3=true) at asm/nested_if.hip:23"
IN_X = "#1  {} in x (c1={}, c2={}) at asm/nested_if.hip:{}"


@pytest.mark.parametrize(
    ("lane", "frames"),
    [
        (3, [IN_Y, IN_X.format("0x0000000000001328", "true", "true", 9)]),
        (
            12,
            [
                "#0  0x000000000000135c in y (c3=false) at asm/nested_if.hip:22",
                IN_X.format("0x0000000000001328", "true", "true", 9),
            ],
        ),
        (17, [IN_X.format("0x000000000000131c", "true", "false", 8)]),
        (40, [IN_X.format("0x000000000000130c", "false", "false", 6)]),
        (60, []),
    ],
)
def test_a_backtrace_of_each_lane(lane: int, frames: list[str]) -> None:
    """Unwound until a location is defined; the numbers of the frames stay."""
    done = run("bt", *STATE, "--lane", lane)
    assert done.lines == frames
    omitted = 2 - len(frames)
    s = "s" if omitted != 1 else ""
    text = [f"lane {lane} was not active on entry to {omitted} frame{s}, omitted"]
    assert [note for note in done.notes if ", omitted" in note] == (text if omitted else [])


def test_lanes_that_are_in_an_outer_frame() -> None:
    """All 64 stand somewhere in the source, or never entered any function that is running."""
    lines = run("lanes", *STATE, "--compact", "n").lines
    assert lines[1:] == [
        " Lane State PC           Line                 n",
        "  0-7 A     0x1360       asm/nested_if.hip:23 1",
        " 8-15 I     0x135c       asm/nested_if.hip:22 1",
        "16-31 I     #1 0x131c    asm/nested_if.hip:8  -",
        "32-55 I     #1 0x130c    asm/nested_if.hip:6  -",
        "56-63 I     not in frame -                    -",
    ]
    lanes = run_json("lanes", *STATE).json["waves"][0]["lanes"]
    assert [lanes[lane]["outer"] for lane in (3, 12, 60)] == [None] * 3
    assert lanes[17]["outer"] == {"frame": 1, "pc": 0x131C, "source_line": "asm/nested_if.hip:8"}
    assert (lanes[17]["pc"], lanes[17]["is_in_frame"]) == (None, False)


def test_lanes_of_the_calling_frame() -> None:
    """The state is what the wave does now, in whichever frame it is looked at."""
    lines = run("lanes", *STATE, "--frame", 1, "--compact", "r", "part").lines
    assert [line.split() for line in lines[2:]] == [
        ["0-7", "A", "0x1328", "asm/nested_if.hip:9", "7", "99", "'c'"],
        ["8-15", "I", "0x1328", "asm/nested_if.hip:9", "7", "99", "'c'"],
        ["16-31", "I", "0x131c", "asm/nested_if.hip:8", "3", "98", "'b'"],
        ["32-55", "I", "0x130c", "asm/nested_if.hip:6", "1", "97", "'a'"],
        ["56-63", "I", "not", "in", "frame", "-", "-", "-"],
    ]


def test_a_variable_of_the_frame_that_a_lane_has() -> None:
    assert "not active on entry" in run("eval", *STATE, "--lane", 17, "n").error
    done = run("eval", *STATE, "--lane", 17, "--frame", 1, "r", "part")
    assert done.out == "r = 3\npart = 98 'b'\n"
    place = "lane 17 is inactive; positioned at 0x131c (asm/nested_if.hip:8)"
    assert done.notes[0] == place
    [place] = run("eval", *STATE, "--lane", 12, "--frame", 1, "r").notes
    assert place == "lane 12 is inactive; positioned at 0x1328 (asm/nested_if.hip:9)"
    lanes = run_json("lanes", *STATE, "--lane", "12", "n").json["waves"][0]["lanes"]
    assert (lanes[0]["state"], lanes[0]["pc"]) == ("I", 0x135C)


@pytest.mark.parametrize("asked", [("n",), ("-e", "LLVM_push_lane")])
@pytest.mark.parametrize("command", ["eval", "explain"])
def test_an_error_says_in_which_frame_the_lane_is(command: str, asked: tuple[str, ...]) -> None:
    error = run(command, *STATE, "--lane", 17, *asked).error
    assert "not active on entry" in error
    assert error.endswith("; it is in frame 1, at 0x131c (asm/nested_if.hip:8)")
    nowhere = run(command, *STATE, "--lane", 60, *asked).error
    assert "not active on entry" in nowhere and "it is in frame" not in nowhere


def prompted(*script: str) -> Done:
    return run(
        "debug", *STATE, "--batch", *(word for command in script for word in ("-ex", command))
    )


def test_a_lane_is_shown_in_the_frame_that_it_entered() -> None:
    done = prompted("lane 17", "print r", "frame", "lane 60")
    shown = IN_X.format("0x000000000000131c", "true", "false", 8)
    lines = [line for line in done.lines if not line.startswith("[")]
    assert lines == [
        shown, "8\tasm/nested_if.hip: No such file or directory.",
        "$1 = 3", shown, "8\tin asm/nested_if.hip",
    ]  # fmt: skip
    assert done.err.splitlines()[0] == (
        "warning: lane 17 is inactive; positioned at 0x131c (asm/nested_if.hip:8), "
        "in frame 1, the innermost that it entered"
    )
    assert "warning: lane 60 was not active on entry to the function" in done.err


@pytest.mark.parametrize(
    ("script", "numbers"),
    [
        (("lane 17", "lane 3"), ["#1", "#0"]),
        (("lane 17", "lane 40", "lane 12"), ["#1", "#1", "#0"]),
        (("lane 3", "up", "lane 12", "lane 17", "lane 3"), ["#0", "#1", "#1", "#1", "#0"]),
        (("lane 3", "lane apply 12 17 frame", "frame"), ["#0", "#0", "#1", "#0"]),
    ],
)
def test_without_up_a_focus_stays_in_the_innermost_frame(
    script: tuple[str, ...], numbers: list[str]
) -> None:
    lines = prompted(*script).lines
    assert [line[:2] for line in lines if line.startswith("#")] == numbers


def test_the_lanes_of_the_prompt_are_each_in_their_frame() -> None:
    def frames(*script: str) -> list[list[str]]:
        rows = prompted(*script, "info lanes 3 12 17 60").lines[-4:]
        return [row.lstrip("* ").replace("]  ", "]|").split("|") for row in rows]

    def shown(rows: list[list[str]]) -> list[str]:
        return [f"{left.split()[1]} {right.strip()}" for left, right in rows]

    assert shown(frames()) == [
        "A y (...) at asm/nested_if.hip:23",
        "I 0x000000000000135c in y (...) at asm/nested_if.hip:22",
        "I #1 0x000000000000131c in x (...) at asm/nested_if.hip:8",
        "I (not in this frame)",
    ]
    assert shown(frames("up")) == [
        "A 0x0000000000001328 in x (...) at asm/nested_if.hip:9",
        "I 0x0000000000001328 in x (...) at asm/nested_if.hip:9",
        "I 0x000000000000131c in x (...) at asm/nested_if.hip:8",
        "I (not in this frame)",
    ]


def test_info_frame_shows_the_place_that_frame_shows() -> None:
    assert prompted("lane 12", "info frame").lines[-4:] == [
        " pc = 0x135c in y (asm/nested_if.hip:22)",
        " active lanes 0xff of 64",
        " lane 12 at 0x135c",
        " the wave at 0x1360",
    ]
    assert prompted("lane 3", "up", "info frame").lines[-3:] == [
        " pc = 0x1328 in x (asm/nested_if.hip:9)",
        " active lanes 0xffff of 64, at the call",
        " lane 3 at 0x1328",
    ]


def test_the_location_given_is_of_the_top_frame() -> None:
    """Lane 12 waits in y, so is not where --pc says; lane 17 is nowhere in y."""
    arguments = ("eval", *STATE, "--pc", 0x1360, "--frame", 1, "part")
    assert "which is at 0x135c, disagree" in run(*arguments, "--lane", 12).error
    assert run(*arguments, "--lane", 17).out == "part = 98 'b'\n"
    assert run(*arguments, "--lane", 3).out == "part = 99 'c'\n"


@pytest.mark.parametrize(
    ("lane", "frame", "address"),
    [(3, 0, 64 * 64), (12, 0, 64 * 64), (3, 1, 32 * 64), (17, 1, 32 * 64), (40, 1, 32 * 64)],
)
def test_call_frame_information_is_that_where_the_wave_is(
    lane: int, frame: int, address: int
) -> None:
    """Lane 40 waits where the frame of x was still at 0; the wave is further."""
    done = run("eval", *STATE, "--lane", lane, "--frame", frame, "-e", "call_frame_cfa")
    assert done.out == f"private_wave#{address:#x} (wave 0)\n"
