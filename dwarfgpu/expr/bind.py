"""Bind an expression: turn it into a program of steps that are ready to run.

Everything independent of the context happens here, once per expression: the declarations give
operands, arity and coercions, and constants are made. A step pops, converts, calls and pushes; it
returns a value only to transfer control.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NoReturn, Protocol, TypeAlias, cast, get_args

from dwarfgpu.base.base_type import generic_type
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.errors import IllFormed, Unsupported
from dwarfgpu.expr.context import Context, UnitFormat
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
    notes: tuple[str, ...] = ()
    """What the dialect changed."""

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


def _prepare(data: bytes, dialect: Dialect, form: UnitFormat) -> Program:
    expression = decode(data, dialect, form)
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
    return Program(expression, instructions, steps, is_straight, notes)


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


def _bound(instruction: Instruction, form: UnitFormat) -> Perform:
    operation = instruction.operation
    if operation.unsupported is not None:
        return partial(_unsupported, operation.title, operation.unsupported)
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
    kinds = tuple(info.kind for info in operation.pops)
    if operation.pushes in ("value", "location"):
        if not kinds and not leading:
            return _constant(call())
        simple = _SIMPLE.get((len(kinds), leading))
        if simple is not None:
            return simple(call, *kinds)
    return _general(call, operation, leading, kinds)


def _unsupported(title: str, reason: str, *_: object) -> NoReturn:
    raise Unsupported(f"{title} is not supported: {reason}")


def _underflow(needed: int, stack: Stack) -> IllFormed:
    entries = "entry" if needed == 1 else "entries"
    return IllFormed(f"{needed} stack {entries} needed, the stack has {len(stack)}")


# The shapes that most operations have, written out because this is where evaluation spends its
# time; `_general` does the same for any shape.


def _constant(entry: Entry) -> Perform:
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
