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
from dwarfgpu.model.object import Bits
from dwarfgpu.service.answer import Answer, where_text
from dwarfgpu.service.lanes.lane_answer import LaneAnswer, Shares
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.read_lanes import LanePick
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import DEFAULT_OPTIONS
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.location_json import location_json
from dwarfgpu.view.scalars import base_text
from dwarfgpu.view.strings import character_kind

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
        self._reasons_of_firsts: dict[int, str] = {}
        """Of lanes that were asked, by their index."""
        self._location_text: Callable[[int], str] | None = None
        self._by_contents: dict[Hashable, tuple[Answer, int]] = {}
        """With the index of the lane that was asked."""
        self._number_form: tuple[Base, Answer] | None = None
        """The type of plain numbers, and the answer of the lane that was asked first."""
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
            asked = self._of_number(index, session, is_own=shares == "text")
            if asked is None:
                asked = ask()
                self._keep_form(asked, contents, session)
            entry = self._by_contents[contents] = _with_contents_kept(asked), index
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

    def _keep_form(self, original: Answer, contents: Hashable, session: Session) -> None:
        """Keep the answer of a lane for those with other numbers."""
        base = _plain_base(self._whole, session) if self.is_complete else None
        if base is not None and not original.status and isinstance(contents, int):
            size_bits = base.base.bit_size
            if original.text == base_text(base.base, contents, size_bits):
                self._number_form = base, _with_contents_kept(original)

    def _of_number(self, index: int, session: Session, *, is_own: bool) -> Answer | None:
        """Return the answer of a lane with a number of its own, from that of another lane; None
        where only asking gives it. `is_own`: its location is that of the lane."""
        if self._number_form is None:
            return None
        bare, original = self._number_form
        number = self.contents[index]
        assert isinstance(number, int)
        text = base_text(bare.base, number, bare.base.bit_size)

        def contents() -> JsonObject:
            from dwarfgpu.view.value_data import base_data  # text needs none

            bits, endian = Bits(number, bare.base.bit_size), session.architecture.endian
            record = {
                **original.contents(),
                "bytes": bits.hex(endian),
                "text": text,
                "data": base_data(bare, bits),
            }
            if is_own:
                record["result"] = location_json(self._location(index), endian)
            return record

        return Answer(
            text,
            0,
            original.notes,
            original.assumed,
            contents=contents,
            location_line=lambda: where_text(self._location(index), session.code_objects),
        )

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
        reason = self._reasons_of_firsts.get(first)
        if reason is None:
            reason = self._reasons_of_firsts[first] = f": {self._reasons(first)[0]}"
        own = f": {self._reasons(index)[0]}"
        return tuple(
            [
                note.removesuffix(reason) + own if note.endswith(reason) else note
                for note in shared.notes
            ]
        )


def _plain_base(whole: Reading | TypedValue, session: Session) -> Base | None:
    """Return the type of a variable whose text is that of the number that its bits are; None for
    any other object."""
    if not isinstance(whole, Reading) or whole.location is None or whole.bits is None:
        return None
    bare = strip(whole.type)
    if not isinstance(bare, Base) or bare.flags or whole.variable.unit.style != "c":
        return None
    base = bare.base
    is_plain = (
        base.encoding in ("signed", "unsigned", "float")
        and base.vector_size is None
        and base.endian == session.architecture.endian
        and base.bit_size == whole.bits.size_bits
        and character_kind(whole.type) is None
    )
    return bare if is_plain else None


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
