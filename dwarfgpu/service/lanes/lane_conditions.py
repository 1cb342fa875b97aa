"""Evaluate conditions in the lanes of a wave.

Law: a lane has what testing it alone gives; testing many together changes the time only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dwarfgpu.service.lanes.lane_questions import is_batchable
from dwarfgpu.service.value.condition import holds
from dwarfgpu.service.value.value_history import ValueHistory
from dwarfgpu.session.read_lanes import evaluate_for_lanes
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.model.lane_extract import LaneExtractor


def holds_in_lanes(
    session: Session, history: ValueHistory, text: str, lanes: Sequence[int]
) -> Callable[[int], bool]:
    """Return a function that tests a condition in one of the lanes, and raises its error there.

    Lanes that take the same way are evaluated together, at once. A condition with side effects is
    evaluated lane by lane, at each test.
    """

    def holds_here(focused: Session) -> bool:
        return holds(focused, history, text)

    if not is_batchable(text):
        return lambda lane: holds_here(session.focused(lane))
    among = [(0, lane) for lane in lanes]
    answers = evaluate_for_lanes([session], holds_here, _of_each, among=among)
    return lambda lane: bool(answers.of(0, lane))


def _of_each(answer: bool, picker: LaneExtractor) -> Callable[[int], bool]:
    return picker.of(answer)
