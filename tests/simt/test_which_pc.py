"""What is asked at the wave's program location, and what at the lane's (A.2.5.1, A.3.3.5).

The wave of `states/nested_if_whole.gfx942.json` is in c, where `r` is in v4; lanes 0 to 15 are with
it, 16 to 31 wait at the inner if and 32 to 55 at the outer one, where `r` is in v1.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu import Session, load_state
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import InconsistentContext
from dwarfgpu.view.location_text import location_text
from tests.cli.command import FIXTURES, STATES, run, run_json
from tests.simt.nested_if import program
from tests.spec.machine import raises

STATE = STATES / "nested_if_whole.gfx942.json"
AMD = ("--state", STATE, "--dialect", "amd-provisional")
LABELS = program("nested_if_whole", "gfx942").labels
WAVE = LABELS["1_1_then"] + 12
"""In the region with all lanes."""


@pytest.fixture(scope="module")
def there() -> Session:
    state = load_state(STATE)
    code_object = CodeObject.open(state.code_objects[0].path, dialect="amd-provisional")
    return Session(state.architecture, (code_object,), state.target, pc=state.waves[0].pc)


@pytest.mark.parametrize(
    ("lane", "pc", "place", "part"),
    [
        (None, WAVE, None, "c"),
        (3, WAVE, "v4 + byte 12 (wave 0)", "c"),
        (17, LABELS["1_1_start"], "v1 + byte 68 (wave 0)", "b"),
        (40, LABELS["1_start"], "v1 + byte 160 (wave 0)", "a"),
    ],
)
def test_lists_are_read_where_the_lane_is(
    there: Session, lane: int | None, pc: int, place: str | None, part: str
) -> None:
    """The list has another entry at the wave's program location; the registers are the same."""
    focused = there.focused(lane)
    assert there.pc == WAVE
    assert focused.context().pc == pc
    data = focused.read(there.variable("part"))
    assert data.bits is not None and chr(data.bits.value) == part
    reading = focused.read(there.variable("r"))
    assert (None if reading.location is None else location_text(reading.location)) == place


def test_scopes_and_lines_are_those_of_the_lane() -> None:
    lines = run("lanes", *AMD, "--lane", "15,16,32", "part").lines
    assert [line.split()[3:] for line in lines[2:]] == [
        ["asm/nested_if.hip:9", "99", "'c'"],
        ["asm/nested_if.hip:8", "98", "'b'"],
        ["asm/nested_if.hip:6", "97", "'a'"],
    ]


# A context whose program location is not the lane's


def test_a_context_elsewhere_is_refused(there: Session) -> None:
    context = there.focused(17).context()
    raises(
        lambda: evolve(context, pc=WAVE),
        InconsistentContext,
        f"program location {WAVE:#x}",
        f"lane 17 is at {LABELS['1_1_start']:#x}",
    )
    assert evolve(there.focused(3).context(), pc=WAVE).pc == WAVE


@pytest.mark.parametrize("command", ["eval", "explain"])
def test_a_location_on_the_command_line_is_that_of_the_lane(command: str) -> None:
    done = run(command, *AMD, "--pc", WAVE, "--lane", 17, "part")
    assert done.status == 1
    assert done.out == ""
    both = f"--pc {WAVE:#x} and lane 17, which is at {LABELS['1_1_start']:#x}, disagree"
    assert both in done.error
    error = run_json(command, *AMD, "--pc", WAVE, "--lane", 17, "part").json["error"]
    assert error["kind"] == "InconsistentContext"
    assert run(command, *AMD, "--pc", WAVE, "--lane", 3, "part").status == 0


def test_of_several_lanes_it_is_that_of_the_wave() -> None:
    done = run("eval", *AMD, "--pc", WAVE, "--lane", "3,17", "part")
    assert done.lines == ["[ 3] 99 'c'", f"[17] 98 'b' (inactive at {LABELS['1_1_start']:#x})"]


def test_it_can_be_forced() -> None:
    """The lane is assumed to be where the wave is, and a note reports it."""
    done = run("eval", *AMD, "--pc", WAVE, "--lane", 17, "--force-pc", "part")
    assert done.out == "part = 99 'c'\n"
    forced = f"lanes are assumed to be at {WAVE:#x}, wherever DW_AT_LLVM_lane_pc puts them"
    assert forced in done.notes
    done = run("eval", *AMD, "--lane", "all", "--force-pc", "part")
    assert done.lines[0] == "[ 0-15] 99 'c'"
    assert [note for note in done.notes if "assumed" in note] == [forced]
    lanes = run_json("eval", *AMD, "--lane", "3,17", "--force-pc", "part").json["lanes"]
    assert [(lane["pc"], lane["data"]) for lane in lanes] == [(WAVE, 99)] * 2
    # A lane that never entered is not in the frame, whatever its lane_pc.
    done = run("eval", *AMD, "--pc", WAVE, "--lane", 60, "--force-pc", "part")
    assert "was not active on entry" in done.error


def test_forced_in_the_library(there: Session) -> None:
    forced = evolve(there.focused(17), is_pc_forced=True)
    assert (forced.program_location, forced.context().pc) == (WAVE, WAVE)
    data = forced.read(there.variable("part"))
    assert data.bits is not None and chr(data.bits.value) == "c"
    assert any("are assumed to be at" in note for note in data.notes)


def test_forcing_helps_where_lane_pc_is_wrong() -> None:
    """The literal example: the lanes have no described pc."""
    literal = FIXTURES / "asm/nested_if_literal.gfx942.v5.co"
    state = STATES / "nested_if.gfx942.json"
    arguments = ("--file", literal, "--state", state, "--lane", 3, "part")
    assert "DW_OP_deref_type" in run("eval", *arguments).error
    assert run("eval", *arguments, "--force-pc").out == "part = 100 'd'\n"


def test_the_words() -> None:
    place = f"lane 17 is inactive; positioned at {LABELS['1_1_start']:#x} (asm/nested_if.hip:8)"
    assert place in run("eval", *AMD, "--lane", 17, "r").notes
    assert place in run("eval", *AMD, "--lane", 17, "-e", "lit1").notes
    assert place in run("lanes", *AMD, "--lane", 17).notes
    for asked in (("r",), ("r + 1",), ("-e", "lit1")):
        assert place in run("explain", *AMD, "--lane", 17, *asked).lines
    assert place in run("debug", *AMD, "--batch", "-ex", "lane 17").err
    assert run("eval", *AMD, "--lane", 3, "r").notes == []


@pytest.mark.parametrize("missing", ["exec", "s4"])
def test_where_lane_pc_cannot_be_evaluated_nothing_is_guessed(tmp_path: Path, missing: str) -> None:
    """Lane 3 is in d, and waits elsewhere: the wave's location says nothing of it."""
    state = json.loads((STATES / "nested_if.gfx942.json").read_text())
    registers = state["waves"][0]["registers"]
    del registers[missing]
    for code_object in state["code_objects"]:
        code_object["path"] = str((STATES / code_object["path"]).resolve())
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state))
    here = ("--state", path)
    done = run("eval", *here, "--lane", 3, "part")
    assert (done.status, done.out) == (1, "")
    assert f"register {missing} of wave 0 is not in the state" in done.error
    error = run_json("eval", *here, "--lane", 3, "part").json["error"]
    assert (error["kind"], "DW_AT_LLVM_lane_pc" in error["message"]) == ("Unavailable", True)
    assert run("eval", *here, "--lane", 3, "$v0[$_lane]").out == "$v0[$_lane] = 3\n"
    assert run("eval", *here, "--lane", 3, "--force-pc", "part").out.startswith("part = ")
    done = run("lanes", *here)
    assert {tuple(line.split()[2:]) for line in done.lines[2:]} == {("?", "-")}
    assert [note for note in done.notes if "DW_AT_LLVM_lane_pc" in note]
    lanes = run_json("lanes", *here).json["waves"][0]["lanes"]
    assert {lane["pc"] for lane in lanes} == {None}
    notes = [note for note in run("bt", *here, "--lane", 3).notes if "lane 3" in note]
    assert notes == ["the location of lane 3 is unknown: using the wave's frame"]
