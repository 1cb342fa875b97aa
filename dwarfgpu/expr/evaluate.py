"""Evaluation of operation and location list expressions (AMD text A.2.5.4, A.2.5.5).

Evaluation is a pure function of frozen inputs. Only this module moves the program counter,
starts nested evaluations and counts what they cost.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Token
from typing import Literal, TypeAlias, overload

from dwarfgpu.access.access_protocol import HasAccess
from dwarfgpu.access.coalesced_reads import READ_BUDGET, ReadBudget
from dwarfgpu.base.argument_types import names_wrong_arguments, wrong_call
from dwarfgpu.base.arguments import FOREIGN, contents
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    LimitExceeded,
    Malformed,
    MissingContext,
    Site,
    StaleLocation,
)
from dwarfgpu.expr.bind import Program, prepare, prepare_cached
from dwarfgpu.expr.context import (
    ConstValue,
    Context,
    ExprLoc,
    LocationAttribute,
    LocList,
    ResultKind,
    format_of,
)
from dwarfgpu.expr.control_flow import Enter, Jump, Nested, Outcome
from dwarfgpu.expr.decode import CACHED_BYTES
from dwarfgpu.expr.dialect.dialect import AMD, Dialect
from dwarfgpu.expr.implicit_conversions import (
    as_location,
    as_value,
    constant_location,
    dated,
    incomplete,
)
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operation import Kind, Stack
from dwarfgpu.expr.operation_budget import FREE_STEPS, OPERATION_BUDGET
from dwarfgpu.model.location import (
    UNDEFINED_LOCATION,
    Entry,
    ImplicitPointerValue,
    IncompleteComposite,
    Location,
)
from dwarfgpu.model.value import Value

Result: TypeAlias = Value | ImplicitPointerValue | Location
"""What an evaluation gives."""


EVALUATIONS = 128
"""Evaluations after which an expression is compiled, which takes as long as some dozens of them:
more than one for each lane of a wave."""
_STEPS_OF_A_CALL = 3
"""Operations that take as long as a call of an expression."""
_STEPS_OF_AN_EVALUATION = 10
"""Operations that take as long as an evaluation within another one, in a context of its own,
without what it performs."""
_ENTRIES_OF_A_STEP = 16
"""Entries of a location list that are compared in the time of an operation."""
OBSERVED = 64
"""Stack entries shown to observers; more would make observing a deep stack quadratic."""


@frozen
class Step:
    """An operation that was performed, for observers."""

    instruction: Instruction
    before: tuple[Entry, ...]
    """The stack, its top last; at most `OBSERVED` entries from the top."""
    after: tuple[Entry, ...]
    stack_depth_before: int
    """Entries of the whole stack."""
    stack_depth_after: int
    depth: int
    """0 in the expression itself, more in what it calls or evaluates."""
    error: DwarfGpuError | None = None
    number: int = 0
    """Position in the order in which operations begin, from 0."""
    parent: int | None = None
    """The number of the operation that called or evaluated the expression; None for the outermost
    expression."""
    context: Context | None = field(default=None, eq=False, repr=False)
    """The context of the operation."""


Observer: TypeAlias = Callable[[Step], None]


@frozen
class _Begun:
    """An operation that is observed, before it is performed."""

    number: int
    parent: int | None
    context: Context
    before: tuple[Entry, ...]
    stack_depth: int
    calls: int


@overload
def evaluate(
    data: bytes | bytearray,
    context: Context,
    *,
    result_kind: Literal["location"],
    dialect: Dialect | None = None,
    observe: Observer | None = None,
) -> Location: ...


@overload
def evaluate(
    data: bytes | bytearray,
    context: Context,
    *,
    result_kind: Literal["value"],
    dialect: Dialect | None = None,
    observe: Observer | None = None,
) -> Value | ImplicitPointerValue: ...


@overload
def evaluate(
    data: bytes | bytearray,
    context: Context,
    *,
    result_kind: ResultKind | None = None,
    dialect: Dialect | None = None,
    observe: Observer | None = None,
) -> Result: ...


def evaluate(
    data: bytes | bytearray,
    context: Context,
    *,
    result_kind: ResultKind | None = None,
    dialect: Dialect | None = None,
    observe: Observer | None = None,
) -> Result:
    """Evaluate an operation expression in a context (A.2.5.4).

    `result_kind` replaces that of the context: "location" gives a `Location`, "value" one of the
    others. The dialect is the unit's unless given. Raises `Malformed`, `IllFormed`,
    `EvaluationError` and its kinds, `Unsupported` or `LimitExceeded`, each with the operation that
    caused it.
    """
    try:
        data = data if type(data) is bytes else contents("data", data)  # only bytes have a hash
        if result_kind is not None:
            context = evolve(context, result_kind=result_kind)
        program = program_of(data, context, dialect)
        form = program.bound_form.compiled
        if observe is None and form is not None and form.evaluated is not None:
            result = form.evaluated(context)
            if result is not None:
                return result
        evaluator = Evaluator(context, observe)
        token = READ_BUDGET.set(READ_BUDGET.get() or evaluator)
        try:
            return evaluator.result_of(evaluator.run(program, context)[0], context)
        finally:
            READ_BUDGET.reset(token)
    except FOREIGN:  # not with the decorator: a call more is a tenth of a short expression
        named = {"result_kind": result_kind, "dialect": dialect, "observe": observe}
        wrong = wrong_call(evaluate, (data, context), named)
        if wrong is None:
            raise
        raise wrong from None


@names_wrong_arguments
def evaluate_attribute(
    attribute: ExprLoc | LocList, context: Context, *, observe: Observer | None = None
) -> Result:
    """Return the result of an attribute's expression; its unit becomes the current one."""
    unit = attribute.unit
    ctx = context if context.unit is unit else evolve(context, unit=unit)
    if observe is None and isinstance(attribute, ExprLoc):
        form = program_of(attribute.expression, ctx).bound_form.compiled
        if form is not None and form.evaluated is not None:
            result = form.evaluated(ctx)
            if result is not None:
                return result
    with Evaluator(context, observe) as evaluator:
        entry = evaluator.attribute(attribute, ctx).entry
    assert not isinstance(entry, IncompleteComposite)
    return entry


def final_stack(data: bytes, context: Context, *, dialect: Dialect | None = None) -> Stack:
    """Return the whole stack after the last operation, its top last."""
    with Evaluator(context, None) as evaluator:
        return evaluator.run(program_of(data, context, dialect), context)[0]


def _require_fresh(ctx: Context) -> None:
    """Require that locations in the context were made at this stop; their mere address is old too
    (A.2.5.1)."""
    if ctx.target is None or (ctx.object is None and not ctx.initial_stack):
        return
    initial = (("current object", ctx.object), *(("initial stack", e) for e in ctx.initial_stack))
    for name, entry in initial:
        if isinstance(entry, Location) and entry.stop not in (None, ctx.target.stop):
            raise StaleLocation(
                f"the target has moved since the {name}'s location was made: evaluate it again"
            )


class Evaluator:
    """One evaluation and all that it evaluates within: they share one budget."""

    __slots__ = (
        "__weakref__",
        "begun",
        "bits_left",
        "current",
        "depth",
        "limits",
        "observe",
        "steps_left",
        "steps_unasked",
        "token",
    )

    def __init__(self, context: Context, observe: Observer | None) -> None:
        self.limits = context.limits
        self.observe = observe
        steps = context.limits.steps
        self.steps_left = steps if steps < FREE_STEPS else FREE_STEPS  # min() is a call
        self.steps_unasked = steps - self.steps_left
        """Steps that the limit allows and that the command has not been asked for."""
        self.bits_left = 8 * context.limits.total_bytes
        self.depth = 0
        self.begun = 0
        """How many operations observers know to have begun."""
        self.current: int | None = None
        """Number of the current operation, if there are observers."""
        if context.object is not None or context.initial_stack:
            _require_fresh(context)

    def __enter__(self) -> Evaluator:
        """Count what is read from here on: for the enclosing evaluation."""
        self.token: Token[ReadBudget | None] = READ_BUDGET.set(READ_BUDGET.get() or self)
        return self

    def __exit__(self, *_: object) -> None:
        READ_BUDGET.reset(self.token)

    def spend(self, bits: int) -> None:
        """Count bits that are read."""
        self.bits_left -= bits
        if self.bits_left < 0:
            most = self.limits.total_bytes
            raise LimitExceeded(
                f"more than {most} bytes read in one evaluation", "--max-total-bytes"
            )

    def result(self, data: bytes, ctx: Context) -> Result:
        return self.result_of(self.run(program_of(data, ctx), ctx)[0], ctx)

    def result_of(self, stack: Stack, ctx: Context) -> Result:
        """Return the rules of A.2.5.4 for the three result kinds."""
        kind = ctx.result_kind
        if not stack:
            if kind == "value":
                raise IllFormed("a value is required, and the stack is empty at the end")
            return dated(UNDEFINED_LOCATION, ctx)
        top = stack[-1]
        if type(top) is Location and kind != "value":
            return top if top.stop is not None else dated(top, ctx)
        if isinstance(top, IncompleteComposite):
            top = top.completed()
        if kind == "location":
            return dated(self._as_location(top, ctx), ctx)
        if kind == "value" and not isinstance(top, ImplicitPointerValue):
            return as_value(ctx, top)
        return dated(top, ctx) if isinstance(top, Location) else top

    def attribute(self, attribute: LocationAttribute, ctx: Context) -> Outcome:
        """Return a nested evaluation, with the unit of the attribute already in the context."""
        self._count_evaluation(ctx)
        if isinstance(attribute, ConstValue):
            return Outcome(constant_location(attribute.data, ctx.endian), None)
        if self.depth >= self.limits.nesting:
            raise LimitExceeded(
                f"evaluations nested more than {self.limits.nesting} deep", "--max-nesting"
            )
        self.depth += 1
        current = self.current
        try:
            if isinstance(attribute, LocList):
                return Outcome(self.result_of([self._location_list(attribute, ctx)], ctx), None)
            stack, last = self.run(program_of(attribute.expression, ctx), ctx)
            return Outcome(self.result_of(stack, ctx), register_of(last))
        finally:
            self.depth -= 1
            self.current = current

    def _location_list(self, loclist: LocList, ctx: Context) -> Location:
        """Return the union of the single locations of every matching entry (A.2.5.5).

        Entries of one expression have one location.
        """
        self._count_entries(loclist, ctx)
        expressions = loclist.expressions(ctx.pc)
        most = self.limits.places
        if len(expressions) > max(most, 1):
            raise LimitExceeded(
                f"{len(expressions)} expressions of the list apply, at most {most}", "--max-places"
            )
        entry_ctx = ctx.nested(unit=loclist.unit)
        locations: list[Location] = []
        for index, expression in enumerate(expressions):
            if index:  # the first is the evaluation of the list
                self._count_evaluation(ctx)
            result = self.result(expression, entry_ctx)
            assert isinstance(result, Location)
            locations.append(result)
        if not locations:
            return UNDEFINED_LOCATION
        if len(locations) == 1:
            return locations[0]
        singles = tuple(
            dict.fromkeys(single for location in locations for single in location.single_locations)
        )
        if len(singles) > most:
            raise LimitExceeded(f"{len(singles)} places, at most {most}", "--max-places")
        stops = (location.stop for location in locations if location.stop != ctx.stop)
        return Location(singles, next(stops, ctx.stop))

    def _as_location(self, entry: Entry, ctx: Context) -> Location:
        converted = as_location(ctx, entry)
        return converted if isinstance(converted, Location) else self._nested_location(converted)

    def _nested_location(self, nested: Nested) -> Location:
        entry = nested.then(self.attribute(nested.attribute, nested.context))
        assert isinstance(entry, Location)
        return entry

    def run(self, program: Program, ctx: Context) -> tuple[Stack, Instruction | None]:
        """Perform all operations; the stack they leave and the last of them."""
        stack: Stack = [*ctx.initial_stack]
        if program.is_straight and self.observe is None and self._afford(program, stack, ctx):
            index = -1
            try:
                for perform, index in (  # noqa: B007
                    program.bound_form.steps or program.straight_steps()
                ):
                    control = perform(self, stack, ctx)
                    if control is not None:
                        assert isinstance(control, Nested)
                        outcome = self.attribute(control.attribute, control.context)
                        stack.append(control.then(outcome))
            except DwarfGpuError as error:
                raise _located(error, program.instructions[index]) from error.__cause__
            program.bound_form.evaluations += 1
            if program.bound_form.evaluations >= EVALUATIONS:
                _compile(program, ctx)
            return stack, program.last
        callers: list[tuple[Program, int, Context]] = []
        steps, index = program.steps, 0
        performed, current = program, -1
        """The program and the index of the step that is performed, or was last."""
        stack_limit, observe = self.limits.stack, self.observe
        begun: _Begun | None = None
        parents = [self.current]
        """The number of the operation that called an expression, by the depth of calls."""
        loops: Loops | None = None
        try:
            while True:
                if index >= len(steps):
                    if program.expression.error is not None and index == len(steps):
                        current = -1
                        raise _copied(program.expression.error)
                    if not callers:
                        return stack, None if current < 0 else performed.instructions[current]
                    program, index, ctx = callers.pop()
                    steps = program.steps
                    continue
                performed, current = program, index
                index += 1
                if self.steps_left <= 0 and not self._has_left(1, ctx):
                    raise self._too_many()
                self.steps_left -= 1
                if observe is not None:
                    begun = self._begin(parents[len(callers)], ctx, stack, len(callers))
                control = steps[current](self, stack, ctx)
                if control is not None:
                    if isinstance(control, Jump):
                        index = jump_target(program, program.instructions[current], control)
                        if index <= current:
                            if loops is None:
                                from dwarfgpu.expr.endless_loop import Loops  # few have loops

                                loops = Loops()
                            if loops.is_endless((program, index, ctx), callers, stack):
                                raise LimitExceeded("a loop back to the same stack: it never ends")
                    elif isinstance(control, Enter):
                        self.steps_left -= _STEPS_OF_A_CALL - 1
                        if control.attribute is not None:
                            if len(callers) >= self.limits.calls:
                                raise LimitExceeded(
                                    f"calls more than {self.limits.calls} deep", "--max-calls"
                                )
                            callers.append((program, index, ctx))
                            parents[len(callers) :] = [self.current]
                            program, ctx = _entered(control.attribute, ctx)
                            steps, index = program.steps, 0
                    else:
                        outcome = self.attribute(control.attribute, control.context)
                        stack.append(control.then(outcome))
                if len(stack) > stack_limit:
                    raise LimitExceeded(f"more than {stack_limit} stack entries", "--max-stack")
                if observe is not None and begun is not None:
                    observe(self._step(performed.instructions[current], begun, stack, None))
        except DwarfGpuError as error:
            if current >= 0:
                last = performed.instructions[current]
                if observe is not None and begun is not None:
                    observe(self._step(last, begun, stack, _located(error, last)))
                raise _located(error, last) from error.__cause__
            raise

    def _afford(self, program: Program, stack: Stack, ctx: Context) -> bool:
        """Return whether no limit can be reached; if so, all steps are paid for."""
        steps = len(program.steps)
        if len(stack) + 3 * steps > self.limits.stack:
            return False
        if steps > self.steps_left and not self._has_left(steps, ctx):
            return False
        self.steps_left -= steps
        return True

    def _has_left(self, steps: int, ctx: Context) -> bool:
        """Return whether the limit allows more steps; `LimitExceeded` if that of the command does
        not."""
        wanted = steps - self.steps_left
        if wanted > self.steps_unasked:
            return False
        if wanted > 0:
            budget = OPERATION_BUDGET.get()
            if budget is not None:
                budget.spend(wanted, self.limits, ctx.stop)
            self.steps_left += wanted
            self.steps_unasked -= wanted
        return True

    def _count_evaluation(self, ctx: Context) -> None:
        """Count an evaluation within this one for the limits."""
        self.steps_left -= _STEPS_OF_AN_EVALUATION
        if self.steps_left < 0 and not self._has_left(0, ctx):
            raise self._too_many()

    def _too_many(self) -> LimitExceeded:
        most = self.limits.steps
        return LimitExceeded(f"more than {most} operations performed", "--max-steps")

    def _count_entries(self, loclist: LocList, ctx: Context) -> None:
        """Count the entries of a list for the limit; for that of the command, those that are
        compared, which is faster than operations are."""
        count, budget = len(loclist.entries), OPERATION_BUDGET.get()
        if count > self.steps_left + self.steps_unasked:
            raise LimitExceeded(
                f"more than {self.limits.steps} operations and list entries", "--max-steps"
            )
        of_command = min(count, self.steps_unasked)
        self.steps_unasked -= of_command
        self.steps_left -= count - of_command
        by_pc = loclist.by_pc
        if budget is not None and count > FREE_STEPS and by_pc and by_pc.must_compare(ctx.pc):
            budget.spend(count // _ENTRIES_OF_A_STEP, self.limits, ctx.stop)

    def _begin(self, parent: int | None, ctx: Context, stack: Stack, calls: int) -> _Begun:
        self.current, self.begun = self.begun, self.begun + 1
        before = tuple(stack[-OBSERVED:])
        return _Begun(self.current, parent, ctx, before, len(stack), calls)

    def _step(
        self, instruction: Instruction, begun: _Begun, stack: Stack, error: DwarfGpuError | None
    ) -> Step:
        return Step(
            instruction,
            begun.before,
            tuple(stack[-OBSERVED:]),
            begun.stack_depth,
            len(stack),
            self.depth + begun.calls,
            error,
            begun.number,
            begun.parent,
            begun.context,
        )

    def coerced(self, entry: Entry, kind: Kind, ctx: Context) -> Entry:
        """Return the entry as the kind that the operation requires (A.2.5.4.4.3)."""
        if isinstance(entry, IncompleteComposite):
            raise incomplete()
        if kind == "entry" or (kind == "pointer" and isinstance(entry, ImplicitPointerValue)):
            return entry
        if kind == "location":
            return self._as_location(entry, ctx)
        return as_value(ctx, entry)


def program_of(data: bytes, ctx: Context, dialect: Dialect | None = None) -> Program:
    """Return the bound expression of a context; the dialect is the unit's unless given."""
    unit = ctx.unit
    bound = prepare_cached if len(data) <= CACHED_BYTES else prepare
    if unit is not None:
        return bound(data, unit.dialect if dialect is None else dialect, unit.format)
    program = bound(data, AMD if dialect is None else dialect, format_of(ctx.architecture))
    if ctx.architecture is None:
        _require_sizes(program)
    return program


def _require_sizes(program: Program) -> None:
    """Require architecture and unit: without both the size of an address is unknown (A.2.5.1)."""
    for instruction in program.instructions:
        operation = instruction.operation
        sized = any(operand.codec.name in ("address", "offset") for operand in operation.operands)
        if sized or "generic" in operation.leading:
            error = MissingContext("the context has no target architecture nor compilation unit")
            raise _located(error, instruction)


def _compile(program: Program, ctx: Context) -> None:
    """Compile a program for contexts like this one, unless that was done."""
    form = program.bound_form
    form.evaluations = 0
    if ctx.architecture is None or isinstance(ctx.target, HasAccess):
        return
    if form.compiled is None or not form.compiled.is_for(ctx):
        from dwarfgpu.expr.straight_line import compiled  # few commands evaluate anything so often

        form.compiled = compiled(program, ctx)


def _located(error: DwarfGpuError, instruction: Instruction) -> DwarfGpuError:
    """Return an error with the operation that caused it; the innermost one stays.

    The error itself does not change: a target may raise one object at each access.
    """
    if error.site is not None:
        return error
    located = error.anew().with_traceback(error.__traceback__)
    operation = instruction.operation
    located.site = Site(instruction.offset, operation.title, operation.section)
    return located


def jump_target(program: Program, instruction: Instruction, jump: Jump) -> int:
    """Return the step to which an instruction branches; `IllFormed` where none begins there."""
    offset = instruction.end + jump.by
    index = program.index_at(offset)
    if index is None:
        if 0 <= offset <= len(program.expression.data):
            raise IllFormed(f"branch to offset {offset:#x}, which is not the start of an operation")
        raise IllFormed(f"branch to offset {offset:#x}, outside the expression")
    return index


def _entered(attribute: ExprLoc, ctx: Context) -> tuple[Program, Context]:
    unit = attribute.unit
    if unit is not ctx.unit:
        ctx = ctx.nested(unit=unit, result_kind=ctx.result_kind, object=ctx.object)
    return prepare(attribute.expression, unit.dialect, unit.format), ctx


def _copied(error: Malformed) -> Malformed:
    """Return a fresh exception: the decoded expression, with its error, is shared and cached."""
    copy = Malformed(error.message)
    copy.site = error.site
    return copy


def register_of(last: Instruction | None) -> int | None:
    """Return the register of a last operation DW_OP_reg*."""
    if last is None:
        return None
    if last.operation.name == "regx":
        register = last.operands[0]
        assert isinstance(register, int)
        return register
    if last.operation.name == f"reg{last.operation.number}":
        return last.operation.number
    return None


def base_register_of(instruction: Instruction) -> int | None:
    """Return the register of DW_OP_breg*."""
    operation, operands = instruction.operation, instruction.operands
    if operation.name == "bregx":
        register = operands[0]
        return register if isinstance(register, int) else None
    return operation.number if operation.name == f"breg{operation.number}" else None


__all__ = [
    "Observer",
    "Program",
    "Result",
    "ResultKind",
    "Step",
    "evaluate",
    "evaluate_attribute",
    "final_stack",
    "prepare",
    "register_of",
]
