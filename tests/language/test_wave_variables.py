"""`$_kernarg` and the ids of a wave of a dispatch, in expressions."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from dwarfgpu import language
from dwarfgpu.errors import Unavailable
from dwarfgpu.service.lanes import lane_questions
from dwarfgpu.service.lanes.lane_questions import values_of
from dwarfgpu.service.value.expression_answer import DEFAULT
from dwarfgpu.view.values import FormatOptions
from tests.cli.command import FIXTURES, STATES, run, run_json
from tests.language.sessions import waves_of

STATE = STATES / "dispatch.gfx1100.json"


def value(expression: str, *, wave: int = 1, lane: int | None = 3, state: Path = STATE) -> str:
    focus = () if lane is None else ("--lane", lane)
    done = run("eval", "--state", state, "--wave", wave, *focus, expression)
    [line] = [*done.lines, *([] if done.out else [done.error])]
    return line.removeprefix(f"{expression} = ").removeprefix(f"{expression}: ")


@pytest.mark.parametrize(
    ("wave", "lane", "expression", "expected"),
    [
        (1, 3, "$_workitem_id", "{3, 0, 0}"),
        (2, 3, "$_workitem_id", "{35, 0, 0}"),
        (4, 0, "$_workgroup_id", "{1, 0, 0}"),
        (5, 0, "$_workgroup_id", "{2, 0, 0}"),
        (1, 0, "$_workgroup_size", "{48, 1, 1}"),
        (5, 0, "$_workgroup_size", "{4, 1, 1}"),
        (5, 0, "$_grid_size", "{100, 1, 1}"),
        (5, 0, "$_enqueued_workgroup_size", "{48, 1, 1}"),
        (5, 0, "$_workgroup_id[0] * $_enqueued_workgroup_size[0] + $_workitem_id[0]", "96"),
        (3, 2, "$_workgroup_id[0] * 48 + $_workitem_id[0]", "50"),
        (5, 0, "$_kernarg.limit", "10"),
        (5, 0, "$_kernarg.limit + $_grid_size[0]", "110"),
        (1, 0, "&$_kernarg.in[5]", "(const int *) 0x7e0000002114"),
        (1, 0, "$_wave_id", '"(0,0,0)/0"'),
        (1, 7, "$_lane_workgroup_pos", '"[7,0,0]"'),
        (5, 4, "$_workitem_id", "Unavailable: lane 4 of wave 5 has no work-item"),
        (1, None, "$_workitem_id", "MissingContext: the context has no lane; give --lane N"),
    ],
)
def test_value(wave: int, lane: int | None, expression: str, expected: str) -> None:
    assert expected in value(expression, wave=wave, lane=lane)


def test_arguments_are_at_the_address_in_the_packet() -> None:
    """Byte 40 of the dispatch packet (compute ABI)."""
    answer = run_json("eval", "--state", STATE, "--wave", 2, "--lane", 0, "$_kernarg")
    [place] = answer.json["result"]["places"]
    [queue] = json.loads(STATE.read_text())["queues"]
    packet = int(queue["address"], 0)
    assert value(f"*(unsigned long *) {packet + 40:#x}") == str(place["address"])


def test_arguments_without_names_in_the_metadata(tmp_path: Path) -> None:
    """Those of HIP have their names and types of the debugging information alone."""
    saved = tmp_path / "state.json"
    file = FIXTURES / "hip/nest.gfx942.O2.v5.co"
    done = run("dispatch", file, "--grid", 64, "--workgroup", 64, "--save", saved,
               "--arg", f"in=bytes:{struct.pack('<Q', 0x1234).hex()}",
               "--arg", "out=?", "--arg", "limit=-7")  # fmt: skip
    assert done.status in (0, 1), done.err
    assert value("$_kernarg.limit", state=saved) == "-7"
    assert value("$_kernarg.in", state=saved) == "(const int *) 0x1234"
    assert "unavailable" in value("$_kernarg.out", state=saved)


def test_hidden_arguments(tmp_path: Path) -> None:
    saved = tmp_path / "state.json"
    done = run("dispatch", FIXTURES / "hip/nest.gfx942.O0.v5.co", "--grid", "128,3",
               "--workgroup", "64,3", "--save", saved, "--arg", "in=?", "--arg", "out=?",
               "--arg", "limit=?")  # fmt: skip
    assert done.status in (0, 1), done.err
    assert value("$_kernarg.hidden_block_count_x", state=saved) == "2"
    assert value("$_kernarg.hidden_group_size_y", state=saved) == "3"
    assert "unavailable" in value("$_kernarg.hidden_hostcall_buffer", state=saved)
    assert value("sizeof($_kernarg.hidden_group_size_y)", state=saved) == "2"
    assert value("$_kernarg.hidden_queue_ptr", state=saved).startswith("(void *) 0x7e")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("$_kernarg", "the dispatch of wave 0 is unknown"),
        ("$_grid_size", "the dispatch of wave 0 is unknown"),
    ],
)
def test_without_a_dispatch(name: str, message: str) -> None:
    done = run("eval", "--file", FIXTURES / "hip/nest.gfx942.O2.v5.co", name)
    assert message in done.error
    assert done.status in (1, 2)


def test_no_thread_of_a_cpu_has_them() -> None:
    done = run(
        "eval", "--arch", "x86_64", "--file", FIXTURES / "x86_64/demo.gcc.O0.v5", "$_grid_size"
    )
    assert "is unknown" in done.error


@pytest.fixture(autouse=True)
def together(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few lanes too are asked together."""
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 0)


def of_two_dispatches(folder: Path) -> Path:
    """The state, with its second workgroup in another dispatch that has other arguments."""
    document = json.loads(STATE.read_text())
    [first] = document["dispatches"]
    document["dispatches"].append(first | {"id": 2, "kernarg": first["kernarg"][:-2] + "c0"})
    document["workgroups"][1]["dispatch"] = 2
    document["memory"].append({"address": "0x7e00000020c0", "bytes": "00" * 16 + "0b000000"})
    document["memory"] = [item for item in document["memory"] if "npy" not in item]
    for code_object in document["code_objects"]:
        code_object["path"] = str(STATE.parent / code_object["path"])
    for wave in document["waves"]:
        wave["registers"] = {}
    path = folder / "state.json"
    path.write_text(json.dumps(document))
    return path


NUMBERS = [
    "$_agent", "$_dispatch", "$_queue", "$_grid_size[0]", "$_workgroup_id[0]",
    "$_workgroup_size[0]", "$_workitem_id[0]", "$_workitem_id[1]", "$_kernarg.limit",
    "$_workgroup_id[0] * $_workgroup_size[0] + $_workitem_id[0]", "$_kernarg.limit + $_lane",
]  # fmt: skip


@pytest.mark.parametrize("expression", NUMBERS)
@pytest.mark.parametrize("is_one", [True, False], ids=["one dispatch", "two dispatches"])
def test_one_pass_answers_for_every_lane_of_every_wave(
    tmp_path: Path, expression: str, is_one: bool
) -> None:
    waves = waves_of(STATE if is_one else of_two_dispatches(tmp_path))
    used = [32, 16, 32, 16, 4]  # lanes that have a work-item
    lanes = [(row, lane) for row, count in enumerate(used) for lane in range(count)]
    answers = values_of(waves, expression, lanes)
    assert answers.together_count == len(lanes)
    for row, lane in lanes:
        alone = language.evaluate(expression, waves[row].focused(lane), DEFAULT)
        of = answers.of(row, lane)
        assert alone.bits is not None and alone.error is None
        assert (of.bits, of.location) == (alone.bits, alone.location), (row, lane)


def test_lanes_without_a_work_item_part_from_the_others() -> None:
    waves = waves_of(STATE)
    lanes = [(row, lane) for row in range(5) for lane in range(32)]
    answers = values_of(waves, "$_workitem_id[0]", lanes)
    assert answers.together_count == 100
    with pytest.raises(Unavailable, match="lane 4 of wave 5 has no work-item"):
        answers.of(4, 4)


def test_a_text_is_that_of_each_lane() -> None:
    waves = waves_of(STATE)
    answers = values_of(waves, "$_lane_systag", [(row, 1) for row in range(5)])
    texts = {language.format(answers.of(row, 1), waves[row], FormatOptions()) for row in range(5)}
    assert len(texts) == 5
