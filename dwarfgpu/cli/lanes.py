"""One answer for each lane: as lines of text, where equal neighbours share one, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from attrs import frozen

from dwarfgpu.cli.answers import NOT_AVAILABLE, Answer
from dwarfgpu.cli.errors import one_line
from dwarfgpu.errors import LimitExceeded
from dwarfgpu.session import Session
from dwarfgpu.view.plain import Plain

MAX_LANES = 1024
"""Lanes that one command answers for; no machine has more in a wave."""


@frozen
class LaneAnswer:
    """What was found for one lane."""

    lane: int
    active: bool | None
    """Whether the execution mask has it; None where that is not known."""
    answer: Answer

    @property
    def text(self) -> str:
        failed = self.answer.error is not None and not self.answer.text.startswith("<")
        return f"<error: {self.answer.text}>" if failed else self.answer.text

    @property
    def line(self) -> str:
        return one_line(f"{self.text} (inactive)" if self.active is False else self.text)


def all_lanes(session: Session) -> range:
    """The lanes of the wave; `LimitExceeded` where a file or the user claims too many."""
    count, _ = session.lane_count()
    if count > MAX_LANES:
        raise LimitExceeded(f"{count} lanes: at most {MAX_LANES} are looked at together")
    return range(count)


def lane_status(lanes: Sequence[LaneAnswer]) -> int:
    """0 where every active lane has all its bits."""
    return max((each.answer.status for each in lanes if each.active is not False), default=0)


def lane_records(lanes: Sequence[LaneAnswer]) -> list[Plain]:
    """The member `lanes` of the schemas."""
    return [{"lane": each.lane, "active": each.active, **each.answer.record} for each in lanes]


def lane_notes(lanes: Sequence[LaneAnswer]) -> list[str]:
    """What was assumed, once each; of what could not be read the first lane's reason only."""
    notes = dict.fromkeys(note for each in lanes for note in each.answer.notes)
    reasons = [note for note in notes if NOT_AVAILABLE in note]
    return [note for note in notes if note not in reasons[1:]]


def lane_lines(lanes: Sequence[LaneAnswer]) -> list[str]:
    """`[ 0- 3] 5`, `[ 4]    6 (inactive)`; one line where all lanes agree, active or not."""
    digits = max((len(str(each.lane)) for each in lanes), default=1)
    if len({each.text for each in lanes}) == 1:
        runs = [(one_line(lanes[0].text), list(lanes))]
    else:
        runs = [(line, list(run)) for line, run in groupby(lanes, lambda each: each.line)]
    labels = [_label(run[0].lane, run[-1].lane, digits) for _, run in runs]
    width = max((len(label) for label in labels), default=0)
    return [f"{label:<{width}} {line}" for label, (line, _) in zip(labels, runs, strict=True)]


def _label(first: int, last: int, digits: int) -> str:
    return f"[{first:{digits}}]" if first == last else f"[{first:{digits}}-{last:{digits}}]"
