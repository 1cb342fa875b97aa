"""`dwarfgpu lanes`, and choices of lanes in `eval`."""

from __future__ import annotations

import re
from json import dumps
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, STATES, run, run_json

WHOLE = ("--state", STATES / "wholewave.gfx942.json", "--dialect", "amd-provisional")
DISPATCH = ("--state", STATES / "dispatch.gfx1100.json")


def test_each_lane_at_its_pc() -> None:
    """Lanes 0 to 3 are in the then part, 4 to 7 wait at the if, the others never entered."""
    lanes = run_json("lanes", *WHOLE, "r").json["waves"][0]["lanes"]
    assert [lane["state"] for lane in lanes] == ["A"] * 4 + ["I"] * 60
    assert [lane["pc"] for lane in lanes] == [0x151C] * 4 + [0x150C] * 4 + [None] * 56
    assert [lane["source_line"] for lane in lanes[3:6]] == [
        "asm/wholewave.hip:8",
        "asm/wholewave.hip:6",
        "asm/wholewave.hip:6",
    ]
    assert [lane["is_in_frame"] for lane in lanes] == [True] * 8 + [False] * 56
    assert [lane["values"][0]["data"] for lane in lanes[2:6]] == [2002, 2003, 1004, 1005]
    assert lanes[8]["values"][0]["error"]["kind"] == "InconsistentContext"


def test_the_table() -> None:
    lines = run("lanes", *WHOLE, "--lane", "3-4,8", "r").lines
    assert lines == [
        "AMDGPU Wave ?:?:?:0 (?,?,?)/?, pc 0x151c",
        "Lane State PC           Line                r",
        "   3 A     0x151c       asm/wholewave.hip:8 2003",
        "   4 I     0x150c       asm/wholewave.hip:6 1004",
        "   8 I     not in frame -                   -",
    ]


def test_neighbours_that_have_the_same_share_a_line() -> None:
    lines = run("lanes", *WHOLE, "--compact", "--lane", "0-9", "$v0[$_lane] / 8").lines
    assert lines[1:] == [
        "Lane State PC           Line                $v0[$_lane] / 8",
        " 0-3 A     0x151c       asm/wholewave.hip:8 0",
        " 4-7 I     0x150c       asm/wholewave.hip:6 0",
        " 8-9 I     not in frame -                   1",
    ]
    lines = run("lanes", *WHOLE, "--compact", "--lane", "0,2-3", "1").lines
    assert [line.split()[0] for line in lines[2:]] == ["0", "2-3"]
    assert "not both" in run("lanes", *WHOLE, "--compact", "--grid", "r").error


def test_unused_lanes() -> None:
    done = run("lanes", *DISPATCH, "--wave", 5, "$v0[$_lane]")
    assert done.status == 0  # lanes without a work-item need no value
    assert done.lines[0] == "AMDGPU Wave 1:1:1:5 (2,0,0)/0, pc 0x7f0000002100"
    assert [line.split()[1] for line in done.lines[2:]] == ["A"] * 4 + ["U"] * 28
    alone = run("eval", *DISPATCH, "--wave", 5, "--lane", 4, "$exec")
    assert alone.notes == ["lane 4 is unused: it has no work-item"]  # and stands nowhere
    lanes = run_json("lanes", *DISPATCH, "--wave", 5).json["waves"][0]["lanes"]
    assert lanes[3]["target_id"] == "AMDGPU Lane 1:1:1:5/3 (2,0,0)[3,0,0]"
    assert lanes[4]["target_id"] == "AMDGPU Lane 1:1:1:5/4 (2,0,0)[?,?,?]"


def test_every_wave() -> None:
    json = run_json("lanes", *DISPATCH, "--wave", "all", "--lane", "active", "$v0[$_lane]").json
    counts = [len(wave["lanes"]) for wave in json["waves"]]
    assert counts == [32, 16, 32, 16, 4]
    items = [lane["values"][0]["data"] for wave in json["waves"] for lane in wave["lanes"]]
    assert items == [*range(48), *range(48), *range(4)]


def test_a_grid() -> None:
    lines = run("lanes", "--demo", "--grid", "t").lines
    assert lines[2] == " 0    320   321 (322) (323)   324 (325) (326)   327"
    assert lines[10:] == [
        "    ( ) inactive",
        "  lanes 0-1,4,7-8,10-11,…  active    hip/nest.hip:14",
        "  lanes 2-3,5-6,9,12,…     inactive  hip/nest.hip:14",
    ]
    coloured = run("lanes", "--demo", "--grid", "--color", "always", "t").out
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert "\x1b[48;5;" in coloured
    assert plain.splitlines()[2] == " 0  320 321 322 323 324 325 326 327"
    assert "\x1b" not in run("lanes", "--demo", "--grid", "t").out
    few = run("lanes", "--demo", "--grid", "--lane", "active", "t").lines
    assert few[2] == " 0  320 321         324         327"


def test_what_is_not_there() -> None:
    done = run("lanes", "--demo", "--lane", "0-1", "r")
    assert done.status == 1
    assert done.lines[2].endswith(" <optimized out>")
    assert done.lines[4].startswith(
        "r: <optimized out> in lanes 0-1: r is optimized out at this pc"
    )
    grid = run("lanes", "--demo", "--grid", "--lane", "0", "r").lines
    assert grid[2:5] == [" 0  -", "    - optimized out", "  lane 0  active  hip/nest.hip:14"]
    assert grid[5].startswith("<optimized out> in lane 0: r is optimized out at this pc")


def test_cells_of_a_grid_are_short() -> None:
    """A pointer is its address; what is not there is a mark; NO_COLOR and pipes have no colours."""
    state = STATES / "data.gfx942.O0.json"
    lines = run("lanes", "--state", state, "--grid", "shared_pointer", "d").lines
    assert lines[2].split()[:3] == ["0", "0x10000000000fc", "(?)"]
    assert lines[10] == "    ( ) inactive  ? unavailable"
    second = lines[lines.index("d") + 1]
    assert second.split()[:5] == ["0", "0", "(?)", "(?)", "1.5"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--demo", "nosuch"), 'No symbol "nosuch" in current context.'),
        (("--demo", "--grid"), "--grid: give the NAME of what it shows"),
        (("--demo", "--lane", "64"), "--lane 64: the wave has 64 lanes, from 0"),
        (("--demo", "--lane", "5-2"), "--lane 5-2: a range begins with its lower lane: 2-5"),
        (("--demo", "--lane", "x"), "--lane x: expected a lane, several as in 0-3,7"),
        (("--state", STATES / "demo.gcc.O0.json"), "a thread of x86_64 has no lanes"),
    ],
)
def test_refused(arguments: tuple[str | Path, ...], message: str) -> None:
    done = run("lanes", *arguments)
    assert done.status == 2
    assert message in done.error
    assert run_json("lanes", *arguments).status == 2


def test_several_wrong_names_have_a_line_each() -> None:
    done = run("lanes", "--demo", "--lane", "3-5", "nosuch", "t +", "nosuch")
    errors = done.err.splitlines()
    assert errors[0] == 'dwarfgpu: nosuch: No symbol "nosuch" in current context.'
    assert errors[1].startswith("dwarfgpu: t +: ")
    assert (len(errors), done.out, done.status) == (2, "", 2)
    record = run_json("lanes", "--demo", "nosuch", "neither")
    assert record.json["error"]["message"] == (
        'nosuch: No symbol "nosuch" in current context; '
        'neither: No symbol "neither" in current context'
    )


def test_choices_of_eval() -> None:
    assert len(run("eval", "--demo", "--lane", "active", "t").lines) == 34
    lanes = run_json("eval", "--demo", "--lane", "inactive", "t").json["lanes"]
    assert {item["active"] for item in lanes} == {False} and len(lanes) == 30
    assert run("eval", "--demo", "--lane", "60,3-4", "t").lines == [
        "[ 3] 323 (inactive)",
        "[ 4] 324",
        "[60] 380",
    ]
    assert (
        "--lane 3-70: the wave has 64 lanes" in run("eval", "--demo", "--lane", "3-70", "t").error
    )


def test_lanes_outside_the_request_share_no_line() -> None:
    assert run("eval", "--demo", "--lane", "3,16-17", "launches").lines == [
        "[ 3]    3",
        "[16-17] 3",
    ]
    assert run("eval", "--demo", "--lane", "0-1,4", "$exec").lines[0].startswith("[0-1] ")


def test_eval_gives_the_pc_of_an_inactive_lane() -> None:
    done = run("eval", *WHOLE, "--lane", 5, "r")
    assert done.out == "r = 1005\n"
    assert done.notes[0] == "lane 5 is inactive; positioned at 0x150c (asm/wholewave.hip:6)"
    json = run_json("eval", "--demo", "--lane", 2, "t").json
    assert json["notes"][0].startswith("lane 2 is inactive; positioned at 0x7f0000001690 (hip/nest")
    assert run("eval", "--demo", "--lane", 4, "t").notes[0].startswith("DW_AT_LLVM_lanes absent")


def test_a_code_object_by_option() -> None:
    lines = run("lanes", "--file", FIXTURES / "asm/wholewave_legacy.gfx942.v5.co", "--state",
                STATES / "wholewave.gfx942.json", "--lane", "4", "r").lines  # fmt: skip
    assert lines[2].endswith("1004")


@pytest.mark.parametrize("form", [(), ("--json",), ("--grid",), ("--compact",)])
@pytest.mark.parametrize(
    "name", ["$_lane", "$_thread == 1 ? $_lane : 1 / ($_thread - 3)", "nothing"]
)
def test_waves_are_printed_in_groups(
    form: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state has tens of thousands of waves, whose answers would take gigabytes together."""
    asked = ("lanes", "--state", STATES / "dispatch.gfx1100.json", "--wave", "all", *form, name)
    together = run(*asked)
    monkeypatch.setattr("dwarfgpu.cli.lanes._GROUP", 1)
    assert run(*asked) == together
    assert bool(together.out) == (name != "nothing" or form == ("--json",))


def test_a_mistake_in_the_first_groups_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a wave outside all functions: its answers report it."""
    nest = {"path": str(FIXTURES / "hip/nest.gfx942.O2.v5.co"), "load_address": 0x7F0000000000}
    waves = [{"pc": pc} for pc in (0x7F0000001A00, 0x7F0000001A00, 0x7F0000001690)]
    schema = "dwarfgpu-state-1"
    stopped = {"schema": schema, "architecture": "gfx942", "code_objects": [nest], "waves": waves}
    path = tmp_path / "state.json"
    path.write_text(dumps(stopped))
    asked = ("lanes", "--state", path, "--wave", "all", "t")
    together = run(*asked)
    assert "No symbol" in together.err
    assert together.out
    monkeypatch.setattr("dwarfgpu.cli.lanes._GROUP", 1)
    assert run(*asked) == together
