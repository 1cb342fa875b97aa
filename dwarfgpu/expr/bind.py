"""Bind an expression: make a program of steps that are ready to run (`dwarfgpu.expr.steps`).

An expression without branches and calls has a bound form, too. An operation that depends on popped
entries alone, and pops constants, is performed when it is bound; one that pops constants after
other entries has them as arguments.

Law: what the bound form gives, and the operation that its error names, are those of the steps one
by one. An operation that fails is left as it is, to fail when it is performed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple, TypeAlias

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import (
    ConstValue,
    Context,
    LocationAttribute,
    ResultKind,
    UnitFormat,
)
from dwarfgpu.expr.control_flow import Control
from dwarfgpu.expr.decode import CACHED_BYTES, Expression, decode
from dwarfgpu.expr.dialect import upstream_clang
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.instruction import Instruction, Instructions
from dwarfgpu.expr.operation import Stack
from dwarfgpu.expr.segments import with_offsets
from dwarfgpu.expr.steps import (
    Call,
    Converter,
    Perform,
    call_of,
    constant_step,
    step_of,
    step_with_constants,
)
from dwarfgpu.model.location import Location
from dwarfgpu.model.value import Value


class FoldedStep(NamedTuple):
    """A step of the bound form."""

    perform: Perform
    number: int
    """The number of the instruction that it performs: the last one, where it replaces several."""


Evaluated: TypeAlias = "Callable[[Context], Value | Location | None]"
"""An expression as one function: the result; None where the operations have to be performed."""


@frozen(eq=False)
class CompiledForm:
    """A program as one function, for contexts with these elements (`expr.straight_line`)."""

    architecture: Architecture
    limits: Limits
    result_kind: ResultKind | None
    evaluated: Evaluated | None
    """None for a program that cannot be one function."""

    def is_for(self, ctx: Context) -> bool:
        """Return whether these elements of a context are those that it was made for."""
        return (
            self.architecture is ctx.architecture
            and self.limits is ctx.limits
            and self.result_kind == ctx.result_kind
        )


@define(eq=False)
class BoundForm:
    """The bound form of a program, made when it is needed: it depends on the program alone."""

    steps: tuple[FoldedStep, ...] | None = None
    is_wanted: bool = False
    """Whether the program was evaluated before."""
    evaluations: int = 0
    """How often its steps were performed since they were compiled."""
    compiled: CompiledForm | None = None
    """The steps as one function, of a program that is evaluated often."""


@frozen(eq=False)
class Program:
    """An expression bound to the declarations of its operations."""

    expression: Expression
    instructions: Instructions
    """The instructions of the expression, as its dialect reads them."""
    steps: tuple[Perform, ...]
    """Each instruction, ready to be performed."""
    is_straight: bool
    """Whether its steps are performed once each, in order, up to the end of the bytes."""
    last: Instruction | None
    """The last instruction."""
    notes: tuple[str, ...] = ()
    """What the dialect changed."""
    bound_form: BoundForm = field(factory=BoundForm, init=False, repr=False)
    """That of straight steps, of an expression that is evaluated again."""

    def straight_steps(self) -> Iterable[tuple[Perform, int]]:
        """Return straight steps in order, each with the number of its instruction; from the second
        time on as their bound form, unless the expression is long."""
        kept = self.bound_form
        if kept.steps is None:
            if not kept.is_wanted or len(self.expression.data) > CACHED_BYTES:
                kept.is_wanted = True
                return zip(self.steps, count(), strict=False)
            kept.steps = _folded(self.instructions, self.expression.format)
        return kept.steps

    def index_at(self, offset: int) -> int | None:
        """Return the step at an offset; the end of the expression counts as one.

        A branch to the end of the bytes is complete, regardless of the bytes before it; steps that
        run into undecodable bytes are not.
        """
        if offset == len(self.expression.data):
            return len(self.steps) + (self.expression.error is not None)
        return self.instructions.index_at(offset)


BOUND = 4096
"""Distinct instructions bound beforehand; of more, each takes memory only while it is performed."""


def prepare(data: bytes, dialect: Dialect, form: UnitFormat) -> Program:
    """Decode and bind an expression; what cannot be decoded fails when it is reached."""
    return (prepare_cached if len(data) <= CACHED_BYTES else _prepare_long)(data, dialect, form)


def programs_at(attribute: LocationAttribute | None, pc: int | None) -> Iterator[Program]:
    """Yield the expressions of an attribute that apply at a program location, each once; none of a
    constant.

    Raises `EvaluationError` for a bounded location list without a program location.
    """
    if attribute is None or isinstance(attribute, ConstValue):
        return
    unit = attribute.unit
    for expression in attribute.expressions(pc):
        yield prepare(expression, unit.dialect, unit.format)


def bind(expression: Expression) -> Program:
    """Bind an expression. The program is not kept: who judges all expressions of a file needs each
    once."""
    dialect, form = expression.dialect, expression.format
    instructions = expression.instructions
    notes: tuple[str, ...] = ()
    if dialect.upstream_clang:
        meant = upstream_clang.translated(instructions)
        instructions, notes = meant.instructions, meant.notes
    else:
        instructions = with_offsets(instructions)
    distinct = instructions.distinct
    bound: list[Perform] = [step_of(instruction, form) for instruction in distinct[:BOUND]]
    bound += [_Late(instruction, form) for instruction in distinct[BOUND:]]
    steps = tuple([bound[number] for number in instructions.order])
    is_straight = expression.error is None and not any(
        instruction.operation.transfers for instruction in distinct
    )
    last = instructions[-1] if len(instructions) else None
    return Program(expression, instructions, steps, is_straight, last, notes)


def _prepare(data: bytes, dialect: Dialect, form: UnitFormat) -> Program:
    return bind(decode(data, dialect, form))


prepare_cached = lru_cache(maxsize=4096)(_prepare)
_prepare_long = lru_cache(maxsize=2)(_prepare)


class _Late:
    """A step that is bound each time it is performed."""

    __slots__ = ("form", "instruction")

    def __init__(self, instruction: Instruction, form: UnitFormat) -> None:
        self.instruction = instruction
        self.form = form

    def __call__(self, coercer: Converter, stack: Stack, ctx: Context) -> Control | None:
        return step_of(self.instruction, self.form)(coercer, stack, ctx)


_Constant: TypeAlias = "Value | Location"
_NOUNS = {"value": (Value,), "pointer": (Value,), "location": (Location,)}
_CONSTANTS = (Value, Location)


def _folded(instructions: Iterable[Instruction], form: UnitFormat) -> tuple[FoldedStep, ...]:
    """Return the bound form of instructions that are performed once each, in order."""
    out: list[FoldedStep] = []
    constants: list[_Constant] = []
    """What the last steps of `out` push, which push a constant each."""
    for index, instruction in enumerate(instructions):
        operation = instruction.operation
        if operation.unsupported is not None or "stack" in operation.leading:
            constants.clear()
            out.append(FoldedStep(step_of(instruction, form), index))
            continue
        call = call_of(instruction, form)
        count = constant_arguments(call, constants)
        if count == len(call.kinds) and not call.leading:
            pushed = performed(call, constants[len(constants) - count :])
            if pushed is not None:
                _drop(out, constants, count)
                constants += pushed
                out += [FoldedStep(constant_step(entry), index) for entry in pushed]
                continue
        bound = step_with_constants(operation, call, tuple(constants[len(constants) - count :]))
        if bound is None:
            constants.clear()
            out.append(FoldedStep(step_of(instruction, form), index))
        else:
            _drop(out, constants, count)
            constants.clear()
            out.append(FoldedStep(bound, index))
    return tuple(out)


def _drop(out: list[FoldedStep], constants: list[_Constant], count: int) -> None:
    if count:
        del out[-count:], constants[-count:]


def constant_arguments(call: Call, constants: list[_Constant]) -> int:
    """Return how many of the topmost entries that are popped are constants of the required kind."""
    count = 0
    for kind, entry in zip(reversed(call.kinds), reversed(constants), strict=False):
        if not isinstance(entry, _NOUNS.get(kind, _CONSTANTS)):
            break
        count += 1
    return count


def performed(call: Call, arguments: list[_Constant]) -> list[_Constant] | None:
    """Return what a call pushes; None if it fails, or pushes something other than a constant."""
    try:
        pushed: Any = call.function(*arguments)
    except DwarfGpuError:
        return None
    entries = pushed if isinstance(pushed, tuple) else () if pushed is None else (pushed,)
    return list(entries) if all(isinstance(entry, _CONSTANTS) for entry in entries) else None
