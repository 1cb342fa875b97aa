"""Bind an expression: turn it into a program of steps that are ready to run.

Everything independent of the context happens here, once per expression: the declarations give
operands, arity and coercions, and constants are made. A step pops, converts, calls and pushes; it
returns a value only to transfer control.

An expression without branches and calls has a bound form, too. An operation that depends on popped
entries alone, and pops constants, is performed when it is bound; one that pops constants after
other entries has them as arguments.

Law: what the bound form gives, and the operation that its error names, are those of the steps one
by one. An operation that fails is left as it is, to fail when it is performed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from itertools import count
from typing import Any, NamedTuple, NoReturn, Protocol, TypeAlias, cast, get_args

from dwarfgpu.access.coalesced_reads import READ_BUDGET
from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import generic_type
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.errors import DwarfGpuError, IllFormed, Unsupported
from dwarfgpu.expr.context import Context, ResultKind, UnitFormat
from dwarfgpu.expr.control_flow import Control
from dwarfgpu.expr.decode import CACHED_BYTES, Expression, decode
from dwarfgpu.expr.dialect import upstream_clang
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.instruction import Instruction, Instructions
from dwarfgpu.expr.operation import Kind, Operation, Stack
from dwarfgpu.expr.segments import with_offsets
from dwarfgpu.model.location import Entry, Location
from dwarfgpu.model.value import Value


class Converter(Protocol):
    """The part of the evaluator that steps need."""

    def coerced(self, entry: Entry, kind: Kind, ctx: Context) -> Entry:
        """Return the entry as the kind that an operation requires (A.2.5.4.4.3)."""
        ...


Perform: TypeAlias = Callable[[Converter, Stack, Context], Control | None]


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
    reads: bool
    """Whether it reads the machine: it does not count that for an enclosing evaluation."""

    def is_for(self, ctx: Context) -> bool:
        """Return whether it was made for contexts like this one, which begin with no entry."""
        return (
            self.architecture is ctx.architecture
            and self.limits is ctx.limits
            and self.result_kind == ctx.result_kind
            and not ctx.initial_stack
            and ctx.object is None
        )

    def result(self, ctx: Context) -> Value | Location | None:
        """Return the result; None where the operations have to be performed."""
        if self.evaluated is None or not self.is_for(ctx):
            return None
        if self.reads and READ_BUDGET.get() is not None:
            return None
        try:
            return self.evaluated(ctx)
        except DwarfGpuError:  # performing the operations says which one raises it
            return None


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
    bound: list[Perform] = [_bound(instruction, form) for instruction in distinct[:BOUND]]
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
        return _bound(self.instruction, self.form)(coercer, stack, ctx)


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
            out.append(FoldedStep(_bound(instruction, form), index))
            continue
        call = call_of(instruction, form)
        count = constant_arguments(call, constants)
        if count == len(call.kinds) and not call.leading:
            pushed = performed(call, constants[len(constants) - count :])
            if pushed is not None:
                _drop(out, constants, count)
                constants += pushed
                out += [FoldedStep(_constant(entry), index) for entry in pushed]
                continue
        bound = _with_constants(operation, call, tuple(constants[len(constants) - count :]))
        if bound is None:
            constants.clear()
            out.append(FoldedStep(_bound(instruction, form), index))
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
    """Return what a call pushes; None where it fails, or pushes what is no constant."""
    try:
        pushed: Any = call.function(*arguments)
    except DwarfGpuError:
        return None
    entries = pushed if isinstance(pushed, tuple) else () if pushed is None else (pushed,)
    return list(entries) if all(isinstance(entry, _CONSTANTS) for entry in entries) else None


class Call(NamedTuple):
    """The function of an operation with its operands, and what it takes besides."""

    function: Callable[..., Any]
    leading: tuple[str, ...]
    """What comes before the popped entries: `context` or `stack`."""
    kinds: tuple[Kind, ...]
    """The kinds of the popped entries, the deepest first."""


def call_of(instruction: Instruction, form: UnitFormat) -> Call:
    """Return the call that performs an instruction in units of a format."""
    operation = instruction.operation
    namespace: dict[str, Any] = {
        info.name: value
        for info, value in zip(operation.operands, instruction.operands, strict=True)
    }
    if operation.number is not None:
        namespace["number"] = operation.number
    call: Callable[..., Any] = (
        partial(operation.function, **namespace) if namespace else operation.function
    )
    leading: tuple[str, ...] = operation.leading
    if leading == ("generic",):
        call, leading = partial(call, generic_type(form.address_size * 8, form.endian)), ()
    return Call(call, leading, tuple(info.kind for info in operation.pops))


def _bound(instruction: Instruction, form: UnitFormat) -> Perform:
    """Return the step that performs an instruction in units of a format."""
    operation = instruction.operation
    if operation.unsupported is not None:
        return partial(_unsupported, operation.title, operation.unsupported)
    call, leading, kinds = call_of(instruction, form)
    if operation.pushes in ("value", "location"):
        if not kinds and not leading:
            return _constant(call())
        simple = _SIMPLE.get((len(kinds), leading))
        if simple is not None:
            return simple(call, *kinds)
    if leading == ("context", "stack") and not kinds:
        return _in_context_on_stack(call)
    if not leading and kinds and set(kinds) == {"entry"} and operation.pushes == "entries":
        return _moved(call, len(kinds))
    return _general(call, operation, leading, kinds)


def _with_constants(
    operation: Operation, call: Call, constants: tuple[Entry, ...]
) -> Perform | None:
    """Return the step of a call whose topmost arguments are constants; None if it has no such
    form."""
    function, leading, kinds = call
    if not constants or operation.pushes not in ("value", "location", "control"):
        return None
    form = len(kinds) - len(constants), leading
    if form == (0, ("context",)):
        return _constants_in_context(function, constants)
    if form == (1, ()):
        return _unary_with(function, kinds[0], constants)
    if form == (1, ("context",)):
        return _unary_in_context_with(function, kinds[0], constants)
    return None


def _unsupported(title: str, reason: str, *_: object) -> NoReturn:
    raise Unsupported(f"{title} is not supported: {reason}")


def _underflow(needed: int, stack: Stack) -> IllFormed:
    entries = "entry" if needed == 1 else "entries"
    return IllFormed(f"{needed} stack {entries} needed, the stack has {len(stack)}")


# The shapes that most operations have, written out because this is where evaluation spends its
# time; `_general` does the same for any shape.


def _constant(entry: Entry) -> Perform:
    """Return a step that pushes an entry."""

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        stack.append(entry)

    return perform


def _from_context(call: Callable[..., Entry]) -> Perform:
    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        stack.append(call(ctx))

    return perform


def _unary(call: Callable[..., Entry], kind: Kind) -> Perform:
    noun = _TYPES[kind]

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        if not stack:
            raise _underflow(1, stack)
        top = stack.pop()
        stack.append(call(top if type(top) is noun else coercer.coerced(top, kind, ctx)))

    return perform


def _unary_in_context(call: Callable[..., Entry], kind: Kind) -> Perform:
    noun = _TYPES[kind]

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        if not stack:
            raise _underflow(1, stack)
        top = stack.pop()
        stack.append(call(ctx, top if type(top) is noun else coercer.coerced(top, kind, ctx)))

    return perform


def _constants_in_context(call: Callable[..., Any], constants: tuple[Entry, ...]) -> Perform:
    def perform(coercer: Converter, stack: Stack, ctx: Context) -> Control | None:
        pushed = call(ctx, *constants)
        if type(pushed) in _ENTRIES:
            stack.append(pushed)
            return None
        return cast("Control | None", pushed)

    return perform


def _unary_with(call: Callable[..., Any], kind: Kind, constants: tuple[Entry, ...]) -> Perform:
    noun, count = _TYPES[kind], 1 + len(constants)

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> Control | None:
        if not stack:
            raise _underflow(count, [*stack, *constants])
        top = stack.pop()
        pushed = call(top if type(top) is noun else coercer.coerced(top, kind, ctx), *constants)
        if type(pushed) in _ENTRIES:
            stack.append(pushed)
            return None
        return cast("Control | None", pushed)

    return perform


def _unary_in_context_with(
    call: Callable[..., Any], kind: Kind, constants: tuple[Entry, ...]
) -> Perform:
    noun, count = _TYPES[kind], 1 + len(constants)

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> Control | None:
        if not stack:
            raise _underflow(count, [*stack, *constants])
        top = stack.pop()
        if type(top) is not noun:
            top = coercer.coerced(top, kind, ctx)
        pushed = call(ctx, top, *constants)
        if type(pushed) in _ENTRIES:
            stack.append(pushed)
            return None
        return cast("Control | None", pushed)

    return perform


def _binary(call: Callable[..., Entry], first_kind: Kind, second_kind: Kind) -> Perform:
    first_noun, second_noun = _TYPES[first_kind], _TYPES[second_kind]

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        if len(stack) < 2:
            raise _underflow(2, stack)
        top, second = stack.pop(), stack.pop()
        if type(top) is not second_noun:
            top = coercer.coerced(top, second_kind, ctx)
        if type(second) is not first_noun:
            second = coercer.coerced(second, first_kind, ctx)
        stack.append(call(second, top))

    return perform


def _several_in_context(call: Callable[..., Entry], *kinds: Kind) -> Perform:
    count, expected = len(kinds), [(at, kind, _TYPES[kind]) for at, kind in enumerate(kinds)]

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        if len(stack) < count:
            raise _underflow(count, stack)
        popped = stack[-count:]
        del stack[-count:]
        for at, kind, noun in expected:
            if type(popped[at]) is not noun:
                popped[at] = coercer.coerced(popped[at], kind, ctx)
        stack.append(call(ctx, *popped))

    return perform


def _in_context_on_stack(call: Callable[..., Any]) -> Perform:
    def perform(coercer: Converter, stack: Stack, ctx: Context) -> Control | None:
        pushed = call(ctx, stack)
        if type(pushed) in _ENTRIES:
            stack.append(pushed)
            return None
        return cast("Control | None", pushed)

    return perform


def _moved(call: Callable[..., tuple[Entry, ...]], count: int) -> Perform:
    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        if count > len(stack):
            raise _underflow(count, stack)
        popped = stack[-count:]
        del stack[-count:]
        for at, entry in enumerate(popped):
            if type(entry) is not Value:
                popped[at] = coercer.coerced(entry, "entry", ctx)
        stack.extend(call(*popped))

    return perform


_TYPES: dict[Kind, type | None] = {
    "value": Value,
    "pointer": Value,
    "location": Location,
    "entry": None,
}
"""The noun that needs no conversion to be of a kind."""
_SIMPLE: dict[tuple[int, tuple[str, ...]], Callable[..., Perform]] = {
    (0, ("context",)): _from_context,
    (1, ()): _unary,
    (1, ("context",)): _unary_in_context,
    (2, ()): _binary,
    (3, ("context",)): _several_in_context,
    (4, ("context",)): _several_in_context,
}


_ENTRIES = frozenset(get_args(Entry))


def _general(
    call: Callable[..., Any],
    operation: Operation,
    leading: tuple[str, ...],
    kinds: tuple[Kind, ...],
) -> Perform:
    count = len(kinds)
    nouns = [_TYPES[kind] for kind in kinds]

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> Control | None:
        if count > len(stack):
            raise _underflow(count, stack)
        arguments: list[object] = [
            ctx if parameter == "context" else stack for parameter in leading
        ]
        if count:
            popped = stack[-count:]
            del stack[-count:]
            for entry, kind, noun in zip(popped, kinds, nouns, strict=True):
                arguments.append(
                    entry if type(entry) is noun else coercer.coerced(entry, kind, ctx)
                )
        pushed = call(*arguments)
        if type(pushed) in _ENTRIES:
            stack.append(pushed)
        elif isinstance(pushed, tuple):
            stack.extend(pushed)
        else:
            return cast("Control | None", pushed)
        return None

    return perform
