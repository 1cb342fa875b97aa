"""Evaluate a branching expression for many lanes that part and meet again.

Lanes at one operation perform it together. Where they disagree about a branch they part, each part
with its share of the stack; the part that is furthest behind goes on, and takes along the parts
that it meets, so that lanes are together again after a branch or a loop.

Law: each lane performs the operations that it performs alone. What needs more than that, such as a
call or too many steps, is left to `dwarfgpu.expr.evaluate_lanes`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np

from dwarfgpu.access.coalesced_reads import READ_BUDGET
from dwarfgpu.access.lane_group import Group, Machine
from dwarfgpu.access.many_lanes import LaneTarget
from dwarfgpu.base import records
from dwarfgpu.base.records import define, frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.control_flow import Jump
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.evaluate import Evaluator, Result, jump_target, program_of
from dwarfgpu.expr.operation import OPERATIONS, Stack
from dwarfgpu.model.lane_extract import MODEL_TYPES
from dwarfgpu.model.lane_integers import Array, Divergence, Lanes, lanes
from dwarfgpu.model.location import IncompleteComposite
from dwarfgpu.model.value import Value

T = TypeVar("T")

MAX_PARTS: Final = 16
"""Parts into which lanes divide at one operation; of more, each is evaluated on its own."""
MAX_STEPS: Final = 1024
"""Operations performed by all parts, before the rest of them is evaluated without meeting."""
_BRANCHES: Final = frozenset({"skip", "bra"})
_BRANCH_CODES: Final = [OPERATIONS[name].code for name in sorted(_BRANCHES)]

_Take: TypeAlias = Callable[[Array], Array]


def may_branch(data: bytes) -> bool:
    """Return False for bytes in which no operation can be a branch; decoding decides the rest."""
    return any(isinstance(code, int) and code in data for code in _BRANCH_CODES)


def _only_branches(program: Program) -> bool:
    """Return whether the expression branches, and does nothing else that transfers control."""
    operations = [instruction.operation for instruction in program.instructions.distinct]
    transfers = {operation.name for operation in operations if operation.transfers}
    return bool(transfers) and transfers <= _BRANCHES and program.expression.error is None


@define
class _Part:
    """Lanes that are at the same operation."""

    group: Group
    index: int
    """The step that is next."""
    steps: int
    """Steps that a lane has performed, at most."""
    read_bits: int
    """Bits that a lane has read, at most."""
    stack: Stack
    context: Context | None = None
    is_apart: bool = False
    """Whether they have just parted from others at their step."""


@frozen(eq=False)
class Together(Generic[T]):
    """What lanes answered together."""

    group: Group
    answer: T | None
    """None where all of them have an error."""


@frozen(eq=False)
class Parted(Generic[T]):
    """Answers of lanes, and the lanes that are to be asked otherwise."""

    answers: list[Together[T]]
    unanswered: list[Group]


def in_step(
    data: bytes,
    dialect: Dialect | None,
    machine: Machine,
    group: Group,
    context_of: Callable[[LaneTarget], Context],
    finish: Callable[[Result, Context], T],
) -> Parted[T] | None:
    """Evaluate an expression for the lanes of a group; `finish` makes their answer of a result.

    None for an expression that does not branch, or that lanes do not begin alike.
    """
    try:
        context = context_of(LaneTarget(machine, group))
        program = program_of(data, context, dialect)
        evaluator = Evaluator(context, None)
    except (Divergence, DwarfGpuError):
        return None
    if context.initial_stack or not _only_branches(program):
        return None
    lockstep = _Lockstep(
        program, evaluator, context, lambda part: context_of(LaneTarget(machine, part))
    )
    token = READ_BUDGET.set(evaluator)
    try:
        return lockstep.run([_Part(group, 0, 0, 0, [])], finish)
    finally:
        READ_BUDGET.reset(token)


@define
class _Lockstep:
    """The evaluation of an expression for parts of lanes."""

    program: Program
    evaluator: Evaluator
    context: Context
    """That of some of the lanes: the limits are those of all."""
    context_of: Callable[[Group], Context]
    steps_left: int = MAX_STEPS

    def run(self, parts: list[_Part], finish: Callable[[Result, Context], T]) -> Parted[T]:
        """Perform all steps for all parts; the part that is furthest behind is always the next."""
        out: Parted[T] = Parted([], [])
        end = len(self.program.steps)
        while parts:
            index = min(part.index for part in parts)
            part, apart = _met([part for part in parts if part.index == index])
            parts = [part for part in parts if part.index != index] + apart
            until = min((waiting.index for waiting in parts), default=end + 1)
            if until == index and not part.is_apart:
                until = end + 1  # they cannot go together
            before = part.stack
            most_bits = 8 * self.context.limits.total_bytes
            self.evaluator.bits_left = most_bits - part.read_bits
            try:
                is_end = part.index >= end
                while part.index < end and (part.is_apart or part.index < until):
                    before = part.stack.copy()
                    self._perform(part)
                if not is_end and until <= end:
                    parts.append(part)
                    continue
                context = self._context(part)
                result = self.evaluator.result_of(part.stack, context)
                out.answers.append(Together(part.group, finish(result, context)))
            except Divergence as divergence:
                part.stack = before
                divided = None if divergence.key is None else _divided(part, divergence.key)
                if divided is None:
                    out.unanswered.append(part.group)
                elif part.index >= end:
                    out.unanswered.extend(share.group for share in divided)
                else:
                    parts += divided
            except LimitExceeded:  # of several lanes together, or of those that never end
                out.unanswered.append(part.group)
            except DwarfGpuError:
                out.answers.append(Together(part.group, None))
            finally:
                part.read_bits = most_bits - self.evaluator.bits_left
        return out

    def _perform(self, part: _Part) -> None:
        """Perform the next step of a part; its index is that of the step until it has succeeded."""
        limits = self.context.limits
        part.steps, part.is_apart = part.steps + 1, False
        self.steps_left -= 1
        if part.steps > limits.steps or self.steps_left < 0:
            raise Divergence(None)
        instruction = self.program.instructions[part.index]
        operation = instruction.operation
        popped = part.stack[-len(operation.pops) :] if operation.pops else []
        depends = "context" in operation.leading or any(type(e) is not Value for e in popped)
        context = self._context(part) if depends else self.context
        control = self.program.steps[part.index](self.evaluator, part.stack, context)
        if isinstance(control, Jump):
            part.index = jump_target(self.program, instruction, control)
            return
        if control is not None:
            raise Divergence(None)
        if len(part.stack) > limits.stack:
            raise LimitExceeded(f"more than {limits.stack} stack entries", "--max-stack")
        part.index += 1

    def _context(self, part: _Part) -> Context:
        """Return the context of the lanes of a part, made when it is first needed."""
        if part.context is None:
            part.context = self.context_of(part.group)
        return part.context


def _divided(part: _Part, key: Array) -> list[_Part] | None:
    """Return the parts of a part, by key; None where there are too many."""
    values = np.unique(key) if key.dtype != bool else np.array([False, True])
    if len(values) > MAX_PARTS or any(type(entry) is IncompleteComposite for entry in part.stack):
        return None
    out = []
    for value in values:
        group, take = _share(part.group, key == value)
        if group.size:
            stack = [_taken(entry, take) for entry in part.stack]
            share = _Part(group, part.index, part.steps, part.read_bits, stack, is_apart=True)
            out.append(share)
    return out


def _share(group: Group, mask: Array) -> tuple[Group, _Take]:
    """Return the lanes of a group in a mask, and what takes their numbers from its arrays."""
    shape = group.shape
    if _is_product(group) and mask.shape[0] == 1:
        columns = mask[0]
        return Group(
            group.rows, group.columns[:, columns]
        ), lambda array: array[:, columns] if array.shape[1] > 1 else array
    if _is_product(group) and mask.shape[1] == 1:
        rows = mask[:, 0]
        return Group(
            group.rows[rows], group.columns
        ), lambda array: array[rows] if array.shape[0] > 1 else array
    lane_numbers = np.flatnonzero(np.broadcast_to(mask, shape))

    def taken(array: Array) -> Array:
        return np.broadcast_to(array, shape).reshape(-1).take(lane_numbers)[:, None]

    return Group(taken(group.rows), taken(group.columns)), taken


def _is_product(group: Group) -> bool:
    """Return whether the group is every column of every row."""
    return bool(group.rows.shape[1] == 1 and group.columns.shape[0] == 1)


def _taken(value: Any, take: _Take) -> Any:
    """Return the same with the numbers of some lanes."""
    kind = type(value)
    if kind is Lanes:
        return Lanes(take(value.array), value.least, value.most)
    if kind is tuple:
        return tuple([_taken(item, take) for item in value])
    if kind not in MODEL_TYPES:
        return value
    return kind(*[_taken(member, take) for member in _members(value)])


def _members(value: Any) -> list[Any]:
    return [getattr(value, field.name) for field in records.fields(type(value)) if field.init]


class _Different(Exception):
    """Entries that are not of one form."""


def _met(parts: list[_Part]) -> tuple[_Part, list[_Part]]:
    """Return the parts at one step as one part, as far as their stacks have one form, and the
    others."""
    first, *remaining = sorted(parts, key=lambda part: not part.is_apart)
    if first.is_apart:
        return first, remaining
    alike = [part for part in remaining if len(part.stack) == len(first.stack)]
    if not alike:
        return first, remaining
    meeting = [first, *alike]
    group, joined = _union([part.group for part in meeting])
    try:
        columns = zip(*(part.stack for part in meeting), strict=True)
        stack = [_joined(list(entries), joined) for entries in columns]
    except _Different:
        return first, remaining
    steps, read_bits = (
        max(getattr(part, name) for part in meeting) for name in ("steps", "read_bits")
    )
    together = _Part(group, first.index, steps, read_bits, stack)
    return together, [part for part in remaining if len(part.stack) != len(first.stack)]


def _union(groups: list[Group]) -> tuple[Group, Callable[[list[int]], int]]:
    """Return the lanes of several groups as one, and what joins their numbers."""
    first = groups[0]
    axis: int | None = None
    if all(map(_is_product, groups)):
        if all(np.array_equal(group.rows, first.rows) for group in groups):
            axis = 1
        elif all(np.array_equal(group.columns, first.columns) for group in groups):
            axis = 0
    if axis == 1:
        union = Group(first.rows, np.concatenate([group.columns for group in groups], axis=1))
    elif axis == 0:
        union = Group(np.concatenate([group.rows for group in groups]), first.columns)
    else:
        members = [np.broadcast_arrays(group.rows, group.columns) for group in groups]
        rows, columns = (
            np.concatenate([numbers.ravel() for numbers in of_one])
            for of_one in zip(*members, strict=True)
        )
        union = Group(rows[:, None], columns[:, None])

    def joined(numbers: list[int]) -> int:
        arrays = [
            number.array if isinstance(number, Lanes) else np.array([[number]])
            for number in numbers
        ]
        if axis is None:
            pairs = zip(arrays, groups, strict=True)
            flat = [np.broadcast_to(array, group.shape).ravel() for array, group in pairs]
            return lanes(_concatenated(flat, 0)[:, None])
        across = max(array.shape[1 - axis] for array in arrays)
        wide = []
        for array, group in zip(arrays, groups, strict=True):
            along = group.shape[axis]
            shape = (across, along) if axis == 1 else (along, across)
            wide.append(np.broadcast_to(array, shape))
        return lanes(_concatenated(wide, axis))

    return union, joined


def _concatenated(arrays: list[Array], axis: int) -> Array:
    """Return arrays one after the other; numbers of different kinds become Python's own."""
    if len({array.dtype for array in arrays}) > 1:
        arrays = [array.astype(object) for array in arrays]
    return np.concatenate(arrays, axis=axis)


def _joined(values: list[Any], join: Callable[[list[int]], int]) -> Any:
    """Return what several groups have, as one; `_Different` if it is not of one form."""
    first, *following = values
    if all(value is first for value in following) and not isinstance(first, Lanes):
        return first
    kind = type(first)
    if kind is int or kind is Lanes:
        if not all(type(value) is int or type(value) is Lanes for value in following):
            raise _Different
        if kind is int and all(type(value) is int and value == first for value in following):
            return first
        return join(values)
    if any(type(value) is not kind for value in following):
        raise _Different
    if kind is tuple or kind in MODEL_TYPES:
        members: list[Any] = [value if kind is tuple else _members(value) for value in values]
        if len({len(of_one) for of_one in members}) > 1:
            raise _Different
        joined_columns = [_joined(list(column), join) for column in zip(*members, strict=True)]
        make: Any = kind
        return tuple(joined_columns) if kind is tuple else make(*joined_columns)
    if any(value != first for value in following):
        raise _Different
    return first
