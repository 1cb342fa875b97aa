"""Evaluate DWARF operations in the user's focus, and in the lanes of waves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, InconsistentContext
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.evaluate import Result, evaluate
from dwarfgpu.service.answer import Answer, of_error, of_result
from dwarfgpu.service.lanes.lane_answer import LaneAnswer
from dwarfgpu.service.value.location_differences import compared
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.session import Session


@frozen(eq=False)
class Operations:
    """An expression as bytes, its context, and the assumptions."""

    data: bytes
    context: Context
    dialect: Dialect
    notes: tuple[str, ...] = ()


OperationsOf: TypeAlias = Callable[[Session], Operations]
"""The operations of a request in the focus of a session: its unit says what encodings mean."""
_Outcome: TypeAlias = "tuple[Result | DwarfGpuError, tuple[str, ...]]"


def operations_answer(session: Session, operations_of: OperationsOf) -> Answer:
    """Return the result of operations in the focus. `UsageError` for invalid text."""
    return operations_outcome(session, *_outcome(session, operations_of))


def operations_in_lanes(
    sessions: Sequence[Session],
    states: Sequence[Sequence[LaneState]],
    operations_of: OperationsOf,
) -> list[list[LaneAnswer]]:
    """Evaluate operations in lanes of waves, in one batch if possible."""
    from dwarfgpu.session.read_lanes import evaluate_for_lanes, of_each_lane  # not for one lane

    pairs = [(row, state.lane) for row, chosen in enumerate(states) for state in chosen]
    outcomes = evaluate_for_lanes(
        sessions, lambda session: _outcome(session, operations_of), of_each_lane, among=pairs
    )

    def answer_of(row: int, state: LaneState) -> Answer:
        try:
            focused = sessions[row].focused(state.lane)
            return operations_outcome(focused, *outcomes.of(row, state.lane))
        except InconsistentContext as error:  # the lane is not in this frame
            return of_error(error, ())

    return [
        [LaneAnswer(state, answer_of(row, state)) for state in chosen]
        for row, chosen in enumerate(states)
    ]


def _outcome(session: Session, operations_of: OperationsOf) -> _Outcome:
    operations = operations_of(session)
    try:
        return evaluate(
            operations.data, operations.context, dialect=operations.dialect
        ), operations.notes
    except DwarfGpuError as error:
        return error, operations.notes


def operations_outcome(
    session: Session, result: Result | DwarfGpuError, notes: tuple[str, ...]
) -> Answer:
    """Return the answer of what they gave."""
    if isinstance(result, DwarfGpuError):
        return compared(session, of_error(result, notes))
    endian = session.architecture.endian
    answer = of_result(result, notes, endian, session.code_objects)
    return compared(session, answer, result)
