"""What lanes share that were asked together and have equal bits.

Law: a lane has the text, the record and the notes of asking it alone. The location and the reason
why bits are unknown are its own; where they are equal, so is all else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Base, Enum, Pointer, strip
from dwarfgpu.model.location import Location
from dwarfgpu.service.answer import NOT_AVAILABLE, Answer, where_text
from dwarfgpu.service.lanes.lane_answer import LaneAnswer, Shares
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.read_lanes import LanePick
from dwarfgpu.session.read_variable import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import DEFAULT_OPTIONS
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.location_json import location_json

if TYPE_CHECKING:
    from dwarfgpu.language import TypedValue
    from dwarfgpu.service.value.expression_settings import ExpressionSettings


class EqualLanes:
    """Answers by the bits of an object, for lanes that were asked together."""

    def __init__(self, pick: LanePick[Any]) -> None:
        self.contents: Sequence[Hashable] = pick.contents or ()
        """The bits at each index."""
        self.is_complete = pick.is_complete
        self._pick, self._whole = pick, pick.whole
        self._location: Callable[[int], Location] = pick.of(pick.whole.location)
        self._reasons = pick.reasons
        self._location_text: Callable[[int], str] | None = None
        self._by_contents: dict[Hashable, tuple[Answer, int]] = {}
        """With the index of the lane that was asked."""
        self._by_state: dict[tuple[int, Hashable], LaneAnswer] = {}
        """Keyed by `id` of the state, and the bits."""

    def answer(
        self,
        index: int,
        state: LaneState,
        session: Session,
        ask: Callable[[], Answer],
        shares: Shares,
    ) -> LaneAnswer:
        """Return the answer of a lane; `ask` asks it alone."""
        contents = self.contents[index]
        if shares == "text" and self._reasons is None:
            lane_answer = self._by_state.get((id(state), contents))
            if lane_answer is not None:
                return lane_answer
        entry = self._by_contents.get(contents)
        if entry is None:
            entry = self._by_contents[contents] = _with_contents_kept(ask()), index
        shared, first = entry
        own_notes: Callable[[], tuple[str, ...]] | None = None
        if self._reasons is not None and index != first:
            if shares == "nothing":
                shared = evolve(shared, notes=self._notes(shared, first, index))
            else:
                own_notes = partial(self._notes, shared, first, index)
        if shares == "nothing":
            return LaneAnswer(state, _moved(shared, self._location(index), session))
        if shares == "record":
            return LaneAnswer(state, shared, own_notes, self._result_text(index, shared, session))
        lane_answer = LaneAnswer(state, shared, own_notes)
        if own_notes is None:
            self._by_state[id(state), contents] = lane_answer
        return lane_answer

    def _result_text(self, index: int, shared: Answer, session: Session) -> str | None:
        """Return the location of a lane as JSON; None for an answer without one."""
        if self._whole.location is None or shared.error is not None:
            return None
        if self._location_text is None:
            self._location_text = self._location_texts(session.architecture.endian)
        return self._location_text(index)

    def _location_texts(self, endian: Endian) -> Callable[[int], str]:
        """Return a function that gives the location at an index as JSON; they are written at once,
        where all have one form."""
        location = self._location
        from dwarfgpu.model.lane_integers import Divergence  # it needs NumPy

        try:
            return self._pick.json_texts(location_json(self._whole.location, endian)).__getitem__
        except Divergence:
            return lambda index: json.dumps(location_json(location(index), endian))

    def _notes(self, shared: Answer, first: int, index: int) -> tuple[str, ...]:
        """Return the notes of a lane, whose bits are unknown for its own reason."""
        assert self._reasons is not None
        reason, own = (
            NOT_AVAILABLE + self._reasons(lane_index)[0] for lane_index in (first, index)
        )
        return tuple(
            [
                note.removesuffix(reason) + own if note.endswith(reason) else note
                for note in shared.notes
            ]
        )


def is_of_wave(pick: LanePick[Any]) -> bool:
    """Return whether lanes of different waves may have other texts for equal bits: what a pointer
    refers to, and why parts of the value of an expression are unknown."""
    whole: Reading | TypedValue = pick.whole
    is_of_variable = isinstance(whole, Reading)  # its location was evaluated in each wave
    return isinstance(strip(whole.type), Pointer) or not (pick.is_complete or is_of_variable)


def is_shared(pick: LanePick[Any], settings: ExpressionSettings | None) -> bool:
    """Return whether lanes of a wave that have equal bits have equal texts."""
    from dwarfgpu.access.location_access import NO_BITS

    whole: Reading | TypedValue = pick.whole
    if pick.reasons is None and whole.bits is not None and NO_BITS in whole.bits.reasons:
        return False  # the text of an implicit pointer is not that of its bits
    if isinstance(strip(whole.type), Base | Enum):
        return True
    from dwarfgpu.view.text_of_bits import is_text_of_bits  # not every question has a structure

    shown = DEFAULT_OPTIONS if settings is None else settings.format
    unit = whole.variable.unit if isinstance(whole, Reading) else whole.unit
    style = "c" if unit is None else unit.style
    return is_text_of_bits(whole.type, style, shown.printers)


def _with_contents_kept(original: Answer) -> Answer:
    """Return the same answer, whose record is made once."""
    return evolve(original, contents=cache(original.contents))


def _moved(shared: Answer, location: Location | None, session: Session) -> Answer:
    """Return the answer about an object with equal bits at another location."""
    if location is None or shared.error is not None:
        return shared

    def contents() -> JsonObject:
        result = location_json(location, session.architecture.endian)
        return {**shared.contents(), "result": result}

    return Answer(
        shared.text,
        shared.status,
        shared.notes,
        shared.assumed,
        missing=shared.missing,
        contents=contents,
        location_line=partial(where_text, location, session.code_objects),
    )
