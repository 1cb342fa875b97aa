"""One answer per lane, as JSON and as text in which equal neighbouring lanes share a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

from dwarfgpu.base.records import field, frozen
from dwarfgpu.service.answer import Answer, is_on_availability
from dwarfgpu.service.error_text import one_line
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.view.json_object import Plain

ABSENT = "<not in this frame>"
"""The text for a lane that was not active on entry to the function (A.2.5.1)."""

Shares: TypeAlias = Literal["nothing", "record", "text"]
"""What lanes with equal bits share. `nothing`: each has an answer of its own. `record`: they share
an answer, but not what `LaneAnswer` has besides. `text`: they may share that, too, and the
contents of the answer are those of one of them."""


@frozen
class LaneAnswer:
    """The answer for one lane."""

    state: LaneState
    answer: Answer
    """Lanes with equal bits may share it."""
    own_notes: Callable[[], tuple[str, ...]] | None = field(default=None, repr=False)
    """The notes, where those of the shared answer are about another lane."""
    result_text: str | None = field(default=None, repr=False)
    """The member `result` of the record as JSON, where that of the shared answer is about another
    lane."""

    @property
    def notes(self) -> tuple[str, ...]:
        return self.answer.notes if self.own_notes is None else self.own_notes()

    @property
    def lane(self) -> int:
        return self.state.lane

    @property
    def pc(self) -> int | None:
        """Where the lane is; None if it is not in the frame, or that is unknown."""
        return None if self.state.location is None else self.state.location.pc

    @property
    def text(self) -> str:
        if self.state.is_absent and self.answer.error is not None:
            return ABSENT
        failed = self.answer.error is not None and not self.answer.text.startswith("<")
        return f"<error: {self.answer.text}>" if failed else self.answer.text

    def line(self, pc: int | None) -> str:
        """Return the text, and what differs for the lane of a wave at a program location."""
        marks = ["inactive"] if self.state.is_active is False else []
        if self.pc not in (None, pc):
            marks.append(f"at {self.pc:#x}")
        return one_line(f"{self.text} ({' '.join(marks)})" if marks else self.text)


def lane_status(lanes: Sequence[LaneAnswer]) -> int:
    """Return 0 if every active lane has all its bits."""
    return max(
        (lane.answer.status for lane in lanes if lane.state.is_active is not False), default=0
    )


def lane_records(lanes: Sequence[LaneAnswer]) -> list[Plain]:
    """Return the member `lanes` of the schemas."""
    return [
        {"lane": lane.lane, "active": lane.state.is_active, "pc": lane.pc, **lane.answer.record}
        for lane in lanes
    ]


def lane_notes(lanes: Sequence[LaneAnswer]) -> list[str]:
    """Return the assumptions, once each; for unreadable values only the first lane's reason."""
    firsts: dict[int, LaneAnswer] = {}
    for lane in lanes:
        firsts.setdefault(id(lane.answer), lane)
    notes: dict[str, None] = {}
    has_reason = False
    for lane in firsts.values():
        for note in lane.answer.notes if has_reason else lane.notes:
            is_reason = is_on_availability(note)
            if not (is_reason and has_reason):
                notes[note] = None
                has_reason = has_reason or is_reason
    return [*notes]


def lane_lines(lanes: Sequence[LaneAnswer], pc: int | None) -> list[str]:
    """Return `[ 0- 3] 5`, `[ 4]    6 (inactive at 0x160c)`; one line if all lanes agree, active or
    not.

    The program location of the wave is not repeated. Only consecutive selected lanes share a line.
    """
    digits = max((len(str(lane.lane)) for lane in lanes), default=1)
    agree = len({lane.text for lane in lanes}) == 1
    lines = [one_line(lane.text) if agree else lane.line(pc) for lane in lanes]
    # A skipped lane changes the difference between number and index.
    keys = [(state.lane - index, lines[index]) for index, state in enumerate(lanes)]
    runs = [[lane for lane, _ in run] for _, run in groupby(enumerate(keys), lambda pair: pair[1])]
    labels = [_label(lanes[run[0]].lane, lanes[run[-1]].lane, digits) for run in runs]
    width = max((len(label) for label in labels), default=0)
    return [f"{label:<{width}} {lines[run[0]]}" for label, run in zip(labels, runs, strict=True)]


def _label(first: int, last: int, digits: int) -> str:
    return f"[{first:{digits}}]" if first == last else f"[{first:{digits}}-{last:{digits}}]"
