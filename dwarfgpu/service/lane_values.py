"""An expression of the source language in every lane of a wave, in one pass where that is possible.

Law: a lane has what asking it alone gives; that all are asked together is seen by the time alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from attrs import evolve

from dwarfgpu import language
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language import Options, TypedValue
from dwarfgpu.session.all_lanes import evaluate_for_lanes
from dwarfgpu.session.session import LaneState, Session

if TYPE_CHECKING:
    from dwarfgpu.model.lane_extract import LaneExtractor

OptionsOf: TypeAlias = Callable[[Session], Options]
"""What an expression may use where a session looks."""
_OF_ONE_LANE: Final = re.compile(r"\$_(?!lane\b|lane_count\b)|[^=!<>]=(?!=)|\+\+|--")
"""What each lane is asked alone: variables of the debugger, and what would write."""


@frozen
class LaneValue:
    """What a lane has."""

    state: LaneState
    value: TypedValue | None
    error: DwarfGpuError | None = None
    """Why there is no value at all."""


def lane_values(
    session: Session, text: str, states: Sequence[LaneState], options_of: OptionsOf
) -> list[LaneValue]:
    """The value of an expression in each lane, where the lane is.

    `UsageError` where the expression means nothing in any of them.
    """
    known = [state for state in states if state.error is None]
    failed = _unknown_names(session, text, known, options_of)
    present = [each for each in known if not each.is_absent]
    asked = [each.lane for each in present if _pc(each) not in failed]
    nameless = next((each for each in failed.values() if isinstance(each, UsageError)), None)
    if nameless is not None and all(_pc(each) in failed for each in known):
        raise nameless

    def ask(looking: Session) -> TypedValue:
        value = language.evaluate(text, looking, options_of(looking))
        if value.error is not None:
            _ = value.error.message  # as it is for all of them, or `Divergence`
        return value

    is_together = _OF_ONE_LANE.search(text) is None
    among = [(0, lane) for lane in asked] if is_together else []
    answers = evaluate_for_lanes([session], ask, _picks, among=among, batch=True)
    out = []
    for state in states:
        error = state.error or failed.get(_pc(state))
        if error is not None:
            out.append(LaneValue(state, None, error))
            continue
        try:
            out.append(LaneValue(state, answers.of(0, state.lane)))
        except DwarfGpuError as raised:
            out.append(LaneValue(state, None, raised))
    return out


def _picks(value: TypedValue, picker: LaneExtractor) -> Callable[[int], TypedValue]:
    location, bits = picker.of(value.location), picker.of(value.bits)
    pointer = picker.of(value.pointer)

    def pick(at: int) -> TypedValue:
        return evolve(value, location=location(at), bits=bits(at), pointer=pointer(at))

    return pick


def _unknown_names(
    session: Session, text: str, states: Sequence[LaneState], options_of: OptionsOf
) -> dict[int | None, DwarfGpuError]:
    """Where the expression cannot be understood: names mean the same wherever lanes are together,
    and for all lanes that are not in the frame.

    One lane of each place is asked.
    """
    failed: dict[int | None, DwarfGpuError] = {}
    seen: set[int | None] = set()
    for state in states:
        pc = _pc(state)
        if pc in seen:
            continue
        seen.add(pc)
        focused = session.focused(state.lane)
        try:
            language.type_of(text, focused, options_of(focused))
        except UsageError as error:
            failed[pc] = error
        except DwarfGpuError as error:
            if state.is_absent:
                failed[pc] = error
            continue  # of this lane, perhaps: each says what is in its way
    return failed


def _pc(state: LaneState) -> int | None:
    return None if state.location is None else state.location.pc
