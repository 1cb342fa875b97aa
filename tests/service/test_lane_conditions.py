"""A condition over few lanes is no more work than one over many."""

from __future__ import annotations

from pathlib import Path

import numpy as np  # noqa: F401 - what is imported already is used for few lanes, too
import pytest

import dwarfgpu as dg
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.service.lanes.lane_conditions import holds_in_lanes
from dwarfgpu.service.value.value_history import ValueHistory
from tools.bench_journeys import calls

DEMO = Path(dg.__file__).parent / "data"


def work(lane_count: int, condition: str) -> int:
    """The calls that testing a condition in the first lanes of the demo takes."""

    def question() -> list[bool]:
        state = load_state(DEMO / "demo.json")
        code = dg.CodeObject.open(str(DEMO / "demo.co"), state.code_objects[0].load_address)
        [wave] = state.waves
        session = dg.Session(
            state.architecture, (code,), state.target, wave=wave.wave, lane=0, pc=wave.pc
        )
        holds = holds_in_lanes(session, ValueHistory(), condition, range(lane_count))
        return [holds(lane) for lane in range(lane_count)]

    return calls(question)[0]


@pytest.mark.parametrize("condition", ["t > 3", "$_lane == 5 && t"])
def test_few_lanes_are_not_more_work_than_many(condition: str) -> None:
    all_lanes = work(64, condition)
    for count in (1, 2, 3, 8, 15, 16):
        assert work(count, condition) <= all_lanes, count
