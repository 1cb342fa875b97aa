"""The answers for one wave: lines for people, and members of `dwarfgpu-eval-1`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import InconsistentContext
from dwarfgpu.service.answer import Answer
from dwarfgpu.service.lanes.lane_answer import (
    LaneAnswer,
    lane_lines,
    lane_notes,
    lane_records,
    lane_status,
)
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.lane_position import lane_position


@frozen
class Line:
    """A line of text."""

    text: str
    is_error: bool = False
    """Whether it says why there is no answer."""
    is_common: bool = False
    """Whether all waves that have not begun have the same line."""


class WaveAnswer(Protocol):
    """All answers about one wave."""

    @property
    def session(self) -> Session: ...

    @property
    def status(self) -> int:
        """1 where a value is missing, or bits of one."""

    @property
    def record(self) -> JsonObject:
        """The members of the answer in JSON, besides `schema`."""

    def lines(self, *, have_begun: bool = True) -> Iterator[Line]:
        """Yield the answer as text.

        `have_begun`: False for several waves before their first instruction, which share a line.
        """

    def notes(self) -> Sequence[str]:
        """Return the assumptions, and hints about missing values."""

    @property
    def notes_on_all(self) -> Sequence[str]:
        """Return the notes that belong to no single variable."""

    @property
    def asked_files(self) -> Sequence[CodeObject]:
        """The files whose damage may make the answer wrong: the same for thousands of waves."""


@frozen(eq=False)
class SingleAnswer:
    """The result for the lane in focus."""

    session: Session
    answer: Answer

    @property
    def status(self) -> int:
        return self.answer.status

    @property
    def record(self) -> JsonObject:
        return self.answer.record

    def lines(self, *, have_begun: bool = True) -> Iterator[Line]:
        failed = self.answer.error is not None
        yield Line(f"dwarfgpu: {self.answer.text}" if failed else self.answer.text, failed)

    def notes(self) -> Sequence[str]:
        return self.answer.notes

    @property
    def notes_on_all(self) -> Sequence[str]:
        return ()

    @property
    def asked_files(self) -> Sequence[CodeObject]:
        return ()


@frozen(eq=False)
class LanesAnswer:
    """The results for several lanes."""

    session: Session
    lanes: Sequence[LaneAnswer]

    @property
    def status(self) -> int:
        return lane_status(self.lanes)

    @property
    def record(self) -> JsonObject:
        return {"lanes": lane_records(self.lanes)}

    def lines(self, *, have_begun: bool = True) -> Iterator[Line]:
        yield from map(Line, lane_lines(self.lanes, self.session.pc))

    def notes(self) -> Sequence[str]:
        return lane_notes(self.lanes)

    @property
    def notes_on_all(self) -> Sequence[str]:
        return ()

    @property
    def asked_files(self) -> Sequence[CodeObject]:
        return ()


def positioned(session: Session, answer: Answer) -> Answer:
    """Return the answer for a lane; for an inactive lane, with its location."""
    if isinstance(answer.error, InconsistentContext):
        return answer  # the wave has no such lane
    note = lane_position(session)
    return answer if note is None else answer.with_notes((note, *answer.notes))
