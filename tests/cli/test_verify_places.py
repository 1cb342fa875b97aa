"""`--verify-places`: the places of all that is read on the way to an answer are compared."""

from __future__ import annotations

from functools import cache

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from tests.cli.command import FIXTURES, STATES, run, run_json

BLOCK_B = 0x1610
FOCUS = ("--state", STATES / "locations.gfx942.json", "--pc", BLOCK_B, "--verify-places")
DIFFERING = ("--reg", "v6=[0, 0, 0, 7]")
NOTE = (
    "place 1, private_lane#0x1c (wave 0, lane 3), and place 0, v6 + byte 12 (wave 0), hold "
    "different bits: the DWARF is ill-formed"
)
ASKED = [
    ("two_places",),
    ("two_places + 1",),
    ("-e", "call4 {two_places}; deref_size 4"),
    ("-e", "call4 {two_places}; piece 4; lit0; stack_value; piece 4"),
    ("-e", "call4 {two_places}; LLVM_extend 32 2; deref"),
]


@cache
def offset() -> int:
    """Of the variable that is in v6 and in private memory, from the start of its unit."""
    scopes = CodeObject.open(FIXTURES / "asm/locations.gfx942.v5.co").scopes
    [die] = [
        variable.die for variable in scopes.variables_at(BLOCK_B) if variable.name == "two_places"
    ]
    return die.offset - die.unit.header.offset


def filled(asked: tuple[str, ...]) -> list[str]:
    return [item.replace("{two_places}", str(offset())) for item in asked]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("command", ["eval", "explain"])
def test_a_difference_is_reported_with_status_1(command: str, asked: tuple[str, ...]) -> None:
    done = run(command, *FOCUS, "--lane", 3, *DIFFERING, *filled(asked))
    assert NOTE in done.notes and done.status == 1
    done = run(command, *FOCUS, "--lane", 3, *filled(asked))
    assert not any("place" in note for note in done.notes) and done.status == 0
    done = run_json(command, *FOCUS, "--lane", 3, *DIFFERING, *filled(asked))
    assert NOTE in done.json["notes"] and done.status == 1


@pytest.mark.parametrize("asked", ASKED[:3])
def test_each_lane_is_compared(asked: tuple[str, ...]) -> None:
    done = run_json("eval", *FOCUS, "--lane", "all", *DIFFERING, *filled(asked))
    notes = {lane["lane"]: lane["notes"] for lane in done.json["lanes"]}
    assert NOTE in notes[3] and done.status == 1
    assert sum(any("different bits" in note for note in item) for item in notes.values()) > 1


@pytest.mark.parametrize("asked", [("two_places",), ("-e", "call4 {two_places}; deref_size 4")])
def test_an_unreadable_single_location_is_reported(asked: tuple[str, ...]) -> None:
    """The object is that of the places that can."""
    file = (
        "--file",
        FIXTURES / "asm/locations.gfx942.v5.co",
        "--pc",
        BLOCK_B,
        "--force-pc",
        "--lane",
        3,
    )
    known = ("--reg", "v6=[0, 0, 0, 7]", "--reg", "exec=8", "--verify-places")
    done = run("eval", *file, *known, *filled(asked))
    [note] = [note for note in done.notes if "place" in note]
    assert note.startswith("place 1, private_lane#0x1c (wave 0, lane 3), cannot be read: ")
    assert done.out.endswith("7\n") and done.status == 1


def test_a_location_within_a_register_has_no_known_size() -> None:
    """The neighbours of a lane's dword are not the object."""
    done = run("eval", *FOCUS, "--lane", 3, *DIFFERING, *filled(("-e", "call4 {two_places}")))
    assert done.notes[-1].endswith("the object has no size here; name a variable")
    assert done.status == 0


def test_without_the_option_one_place_will_do() -> None:
    done = run("eval", *FOCUS[:-1], "--lane", 3, *DIFFERING, "two_places")
    assert (done.out, done.status) == ("two_places = 7\n", 0)
    assert not any("place" in note for note in done.notes)
