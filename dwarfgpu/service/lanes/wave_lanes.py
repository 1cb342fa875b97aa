"""The lanes of a wave, for a table, a grid or a picture: state, position, and values.

Law: a lane without a value has a word in its place, and the reason; neighbours with the same reason
have equal rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Unavailable, UndefinedBits
from dwarfgpu.language.machine_variables import used_lanes
from dwarfgpu.machine.target import Named
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.gdb_error_text import error_text
from dwarfgpu.service.lanes.lane_answer import LaneAnswer
from dwarfgpu.session.focused_frame import FramePosition
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import outer_frame
from dwarfgpu.session.unreadable_frames import UnreadableFrames
from dwarfgpu.view.json_object import JsonObject, Plain
from dwarfgpu.view.lane_grid import MARKS, Cell, LaneRow, reason_lines, state_letter

_NO_VALUE: Final = ("optimized out", "unavailable")
"""Texts of values without any known bit, in angle brackets."""


@frozen
class OuterPosition:
    """Where a lane is in an outer frame."""

    number: int
    pc: int
    source: FramePosition | None

    @property
    def source_line(self) -> str | None:
        return None if self.source is None else f"{self.source.file}:{self.source.line}"


@frozen
class WaveLanes:
    """The lanes of a wave that are shown."""

    session: Session
    states: tuple[LaneState, ...]
    answers: tuple[tuple[str, tuple[LaneAnswer, ...]], ...]
    """The answers for each name, for every lane of `states`."""
    used: int = field(init=False)
    """Lanes that have a work-item."""
    _source_lines: dict[int | None, str | None] = field(factory=dict, init=False, repr=False)
    _outer: dict[int, OuterPosition | None] = field(factory=dict, init=False, repr=False)
    _beyond: dict[int, LimitExceeded] = field(factory=dict, init=False, repr=False)
    _unreadable: UnreadableFrames = field(factory=UnreadableFrames, init=False, repr=False)

    @used.default
    def _used(self) -> int:
        return used_lanes(self.session)

    @property
    def title(self) -> str:
        """Return the wave, and where it is."""
        session = self.session
        target = session.target
        name = target.target_id(session.wave) if isinstance(target, Named) else f"{session.wave}"
        pc = self._shown(session.pc)
        return f"{name}, {'no program location' if pc is None else f'pc {pc:#x}'}"

    def letter(self, state: LaneState) -> str:
        """Return A, I, U or ?, as ROCgdb."""
        return state_letter(state, self.used)

    def pc(self, state: LaneState) -> int | None:
        """Return where a lane is; None if it is not in the frame, or that is unknown."""
        return self._shown(None if state.location is None else state.location.pc)

    def _shown(self, pc: int | None) -> int | None:
        """Return the pc that `bt` shows: an outer frame continues after the call that it waits
        for."""
        session = self.session
        physical = session.physical_frame if session.level and pc == session.pc else None
        return pc if physical is None else physical.pc

    def unknown_outer(self) -> str | None:
        """Return which limit hides the outer frame of a lane that is not in this one: of the first
        such lane, or of one that `outer` was asked for."""
        for state in self.states:
            if state.is_absent:
                self.outer(state)
                break
        for lane, error in self._beyond.items():
            return f"the frame of lane {lane} is unknown: {error}"
        return None

    def outer(self, state: LaneState) -> OuterPosition | None:
        """Return the outer frame of a lane that is not in this one; None where it is unknown."""
        lane = state.lane
        if lane not in self._outer and state.is_absent:
            try:
                frame = outer_frame(self.session.focused(lane))
            except LimitExceeded as error:
                self._beyond[lane] = error
                frame = None
            source_position = (
                None if frame is None else self._unreadable.position(frame.session, frame.pc)
            )
            position = (
                None if frame is None else OuterPosition(frame.number, frame.pc, source_position)
            )
            self._outer[lane] = position
        return self._outer.get(lane)

    def source_line(self, state: LaneState) -> str | None:
        """Return the source line of a lane; lanes at one program location share it."""
        pc = self.pc(state)
        if pc not in self._source_lines:
            own = self.session.focused(state.lane)
            position = None if pc is None else self._unreadable.position(own, pc)
            self._source_lines[pc] = (
                None if position is None else f"{position.file}:{position.line}"
            )
        return self._source_lines[pc]

    def unreadable_lines(self) -> Iterator[str]:
        """Yield why source lines of the lanes cannot be read, each reason once; of outer frames,
        those that `outer` was asked for."""
        last = None  # neighbours share a location, and a thousand waves have many lanes
        for state in self.states:
            if state.location is not last and state.lane < self.used:
                last = state.location
                self.source_line(state)
        yield from self._unreadable.notes()

    def text(self, answer: LaneAnswer) -> str:
        """Return the value of a lane, or a word in its place."""
        missing = _missing(in_cell(answer))
        return one_line(answer.text) if missing is None else f"<{missing}>"

    def row(self, answer: LaneAnswer) -> LaneRow:
        """Return a lane with its cell in a grid, its position, and why it has no value."""
        state, shown = answer.state, in_cell(answer)
        letter, missing = self.letter(state), _missing(shown)
        if missing is None:
            cell, reason = _cell(shown, letter), None
        else:
            cell, reason = Cell(MARKS[missing], letter, missing=missing), self._reason(shown)
        return LaneRow(state.lane, cell, self.source_line(state), self.text(answer), reason)

    def rows(self, answers: Sequence[LaneAnswer]) -> list[LaneRow]:
        """Return the row of each lane."""
        return [self.row(answer) for answer in answers]

    def reasons(self, answers: Sequence[LaneAnswer]) -> Iterator[str]:
        """Yield the reasons why lanes have no value, one line for each reason."""
        without = []
        for answer in answers:
            lane = answer if answer.answer.referent is None else in_cell(answer)
            if _error(lane) is not None and _missing(lane):
                without.append(answer)
        return map(one_line, reason_lines(self.rows(without)))

    def _reason(self, lane: LaneAnswer) -> str | None:
        """Return why a lane has no value; the words are those of GDB, if GDB has the error."""
        error = _error(lane)
        if error is None:
            return None
        if lane.state.is_absent:
            return f"the lane {self.session.focused(lane.lane).why_absent}"
        return error.message if _says_kind(error) else error_text(error)

    def machine_interface(self, answer: LaneAnswer) -> JsonObject:
        """Return a lane with the keys of GDB's machine interface."""
        row, pc = self.row(answer), self.pc(answer.state)
        return {
            "id": row.lane,
            "state": row.cell.state,
            "addr": None if pc is None else f"{pc:#x}",
            "source-line": row.source_line or "-",
            "value": row.text,
            "reason": row.reason,
        }


def in_cell(answer: LaneAnswer) -> LaneAnswer:
    """Return what is in the cell of a lane: of a reference what it refers to, unless that has no
    contents for another reason than that they are unknown; of any other value the value."""
    if answer.answer.referent is None:
        return answer
    referent = LaneAnswer(answer.state, answer.answer.referent())
    return answer if _missing(referent) == "error" else referent


def _missing(lane: LaneAnswer) -> str | None:
    """Return why there is no value, by `MARKS`; None if there is one."""
    error = _error(lane)
    if error is None and not lane.answer.text.startswith("<"):
        return None
    if lane.state.is_absent and error is not None:
        return "not in this frame"
    for kind in _NO_VALUE:
        if lane.text.startswith(f"<{kind}>"):
            return kind
    if isinstance(error, UndefinedBits):
        return "optimized out"
    if isinstance(error, Unavailable):
        return "unavailable"
    return None if error is None else "error"


def _error(lane: LaneAnswer) -> DwarfGpuError | None:
    """Return the error that keeps a lane from having a value, or some bits of it."""
    return lane.answer.error or lane.answer.missing


def _says_kind(error: DwarfGpuError) -> bool:
    """Return whether the word in place of a value is the kind of the error."""
    return isinstance(error, UndefinedBits | Unavailable)


def _cell(answer: LaneAnswer, letter: str) -> Cell:
    """Return a value in a grid: of a pointer the address, by which it is coloured too."""
    data = _data(answer)
    number = _number(data)
    text = one_line(answer.text)
    if isinstance(data, Mapping) and "address" in data and number is not None:
        address = data["address"]
        text = f"{address:#x}" if isinstance(address, int) else str(address)
    return Cell(text, letter, number)


def _data(answer: LaneAnswer) -> Plain:
    try:
        return answer.answer.record.get("data")
    except LimitExceeded:  # a number that is too long for JSON
        return None


def _number(data: Plain) -> float | None:
    """Return the number that colours a value: for a pointer its address. An integer stays one, as
    doubles do not distinguish all of them."""
    if isinstance(data, Mapping):
        data = data.get("address", data.get("value"))
    if isinstance(data, int):
        return int(data)
    return data if isinstance(data, float) and math.isfinite(data) else None
