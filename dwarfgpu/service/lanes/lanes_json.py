"""The JSON of the lanes of waves, written as text from parts that lanes share.

Law: the text is that of `json.dumps` for the objects `waves` of `docs/schema/lanes.json`. It is
made as text because a dispatch has tens of thousands of lanes, most of whose members are equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.encoder import encode_basestring_ascii as quoted

from dwarfgpu.base.records import define, field
from dwarfgpu.machine.target import lane_target_ids
from dwarfgpu.service.lanes.lane_answer import LaneAnswer
from dwarfgpu.service.lanes.wave_lanes import WaveLanes
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.view.json_object import JsonObject


@define(eq=False)
class LanesJson:
    """Writes waves; texts that they share are kept while their answers exist."""

    _values: dict[tuple[str, int], tuple[str, str, str]] = field(factory=dict, init=False)
    """Of a value before its notes, after them, and after its result; keyed by the name and `id` of
    the answer."""

    def wave(self, wave: WaveLanes) -> str:
        """Return the object of a wave."""
        session = wave.session
        head: JsonObject = {"wave": session.wave, "title": wave.title, "pc": session.pc}
        return f'{_members(head)}, "lanes": [{", ".join(self._lanes(wave))}]}}'

    def _lanes(self, wave: WaveLanes) -> Iterator[str]:
        positions: dict[int, str] = {}
        lanes = [state.lane for state in wave.states]
        names = lane_target_ids(wave.session.target, wave.session.wave, lanes)
        columns = [(name, answers) for name, answers in wave.answers]
        for index, state in enumerate(wave.states):
            # Lanes of the frame at one location are at one place.
            position = None if state.is_absent or state.error else positions.get(id(state.location))
            if position is None:
                position = positions[id(state.location)] = _members(_position(wave, state))[1:]
            values = ", ".join([self._value(name, answers[index]) for name, answers in columns])
            yield (
                f'{{"lane": {state.lane}, "state": "{wave.letter(state)}", '
                f'"target_id": {quoted(names[index])}, {position}, "values": [{values}]}}'
            )

    def _value(self, name: str, lane: LaneAnswer) -> str:
        key = name, id(lane.answer)
        texts = self._values.get(key)
        if texts is None:
            texts = self._values[key] = _value_texts(name, lane)
        before, between, after = texts
        notes = f"[{', '.join(map(quoted, lane.notes))}]"
        if lane.result_text is None:
            return f"{before}{notes}{between}{after}"
        return f'{before}{notes}, "result": {lane.result_text}{after}'


def _members(record: JsonObject) -> str:
    """Return an object without its closing brace."""
    return json.dumps(record, allow_nan=False)[:-1]


def _value_texts(name: str, lane: LaneAnswer) -> tuple[str, str, str]:
    """Return the value of a name before its notes, its result, and what is after that."""
    notes, *members = lane.answer.record.items()
    assert notes[0] == "notes"
    result = dict(members[:1]) if members and members[0][0] == "result" else {}
    rest = dict(members[len(result) :])
    between, after = (f", {_members(part)[1:]}" if part else "" for part in (result, rest))
    return f'{{"name": {quoted(name)}, "notes": ', between, after + "}"


def _position(wave: WaveLanes, state: LaneState) -> JsonObject:
    pc, outer = wave.pc(state), wave.outer(state)
    return {
        "pc": pc,
        "source_line": None if pc is None else wave.source_line(state),
        "is_in_frame": not state.is_absent,
        "outer": None
        if outer is None
        else {"frame": outer.number, "pc": outer.pc, "source_line": outer.source_line},
    }
