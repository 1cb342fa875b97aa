"""The JSON of lanes, written from what they share, is that of each lane alone."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("numpy")

import numpy as np

from dwarfgpu import Session
from dwarfgpu.machine.target import lane_target_ids
from dwarfgpu.model.lane_extract import LaneExtractor
from dwarfgpu.model.lane_integers import lanes
from dwarfgpu.service.frame.focus import target_id_of_lane
from dwarfgpu.service.lanes import lane_questions
from dwarfgpu.service.lanes.lane_answer import Shares
from dwarfgpu.service.lanes.lane_choice import chosen_states
from dwarfgpu.service.lanes.lane_questions import Question, lane_answers
from dwarfgpu.service.lanes.lanes_json import LanesJson
from dwarfgpu.service.lanes.wave_lanes import WaveLanes
from dwarfgpu.view.json_object import JsonObject
from tests.service.test_shared_answers import WORDS, meaning
from tests.session.test_read_lanes import GPU_STATES, sessions


def waves_of(
    looking: list[Session], names: list[str], shares: Shares, step: int
) -> list[WaveLanes]:
    """Give the answers of every `step`th lane."""
    questions = [
        Question(session, tuple(chosen_states(session, None))[::step], meaning(session, name))
        for session in looking
        for name in names
    ]
    answers = iter(lane_answers(questions, shares=shares))
    return [
        WaveLanes(
            session,
            tuple(chosen_states(session, None))[::step],
            tuple((name, tuple(next(answers))) for name in names),
        )
        for session in looking
    ]


def record(wave: WaveLanes) -> JsonObject:
    """The object `waves` of `docs/schema/lanes.json`, by its definition."""
    session, out = wave.session, []
    for index, state in enumerate(wave.states):
        pc, outer = wave.pc(state), wave.outer(state)
        where = None
        if outer is not None:
            where = {"frame": outer.number, "pc": outer.pc, "source_line": outer.source_line}
        out.append(
            {
                "lane": state.lane,
                "state": wave.letter(state),
                "target_id": target_id_of_lane(session, state.lane),
                "pc": pc,
                "source_line": None if pc is None else wave.source_line(state),
                "is_in_frame": not state.is_absent,
                "outer": where,
                "values": [
                    {"name": name, **answers[index].answer.record} for name, answers in wave.answers
                ],
            }
        )
    return {"wave": session.wave, "title": wave.title, "pc": session.pc, "lanes": [*out]}


@pytest.mark.parametrize("name", GPU_STATES)
def test_it_is_that_of_each_lane_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 0)
    looking = [*sessions(name)[:2]]
    names = [*WORDS, *(variable.name for variable in looking[0].variables()[:3])]
    step = 1 if GPU_STATES.index(name) % 4 == 0 else 3
    writer = LanesJson()
    shared = [writer.wave(wave) for wave in waves_of(looking, names, "record", step)]
    alone = [json.dumps(record(wave)) for wave in waves_of(looking, names, "nothing", step)]
    assert shared == alone


def test_plain_data_with_integers_of_all_lanes() -> None:
    number = lanes(np.array([[3, 5], [7, 1 << 63]], np.uint64))
    data = {"a%d": [number, "100 %", None], "b": {}, "c": [True, number, 1.5, []]}
    texts = LaneExtractor((2, 2)).json_texts(data)
    assert texts == [
        json.dumps({"a%d": [n, "100 %", None], "b": {}, "c": [True, n, 1.5, []]})
        for n in (3, 5, 7, 1 << 63)
    ]
    assert LaneExtractor((1, 3)).json_texts({"a": 1}) == ['{"a": 1}'] * 3


def test_names_of_lanes_at_once_are_those_of_each() -> None:
    for name in GPU_STATES:
        for session in sessions(name)[:2]:
            count = range(session.lane_count()[0])
            names = [target_id_of_lane(session, lane) for lane in count]
            assert lane_target_ids(session.target, session.wave, count) == names
    assert lane_target_ids(None, 7, [2]) == ["AMDGPU Lane ?:?:?:7/2 (?,?,?)[?,?,?]"]
