"""The steps that perform instructions: each pops, converts, calls the function of its operation,
and pushes; it returns a value only to transfer control.

Everything independent of the context happens when a step is made: the declarations give operands,
arity and coercions, and constants are made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, NoReturn, Protocol, TypeAlias, cast, get_args

from dwarfgpu.base.base_type import generic_type
from dwarfgpu.errors import IllFormed, Unsupported
from dwarfgpu.expr.context import Context, UnitFormat
from dwarfgpu.expr.control_flow import Control
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operation import Kind, Operation, Stack
from dwarfgpu.model.location import Entry, Location
from dwarfgpu.model.value import Value, merged_operands


class Converter(Protocol):
    """The part of the evaluator that steps need."""

    def coerced(self, entry: Entry, kind: Kind, ctx: Context) -> Entry:
        """Return the entry as the kind that an operation requires (A.2.5.4.4.3)."""
        ...


Perform: TypeAlias = Callable[[Converter, Stack, Context], Control | None]


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


def step_of(instruction: Instruction, form: UnitFormat) -> Perform:
    """Return the step that performs an instruction in units of a format."""
    operation = instruction.operation
    if operation.unsupported is not None:
        return partial(_unsupported, operation.title, operation.unsupported)
    call, leading, kinds = call_of(instruction, form)
    if operation.pushes in ("value", "location"):
        if not kinds and not leading:
            entry = call()
            is_undefined = isinstance(entry, Location) and entry.is_undefined
            return _new_step(call) if is_undefined else constant_step(entry)
        if operation.is_of_one_type:
            return _of_one_type(call)
        simple = _SIMPLE.get((len(kinds), leading))
        if simple is not None:
            return simple(call, *kinds)
    if leading == ("context", "stack") and not kinds:
        return _in_context_on_stack(call)
    if not leading and kinds and set(kinds) == {"entry"} and operation.pushes == "entries":
        return _moved(call, len(kinds))
    return _general(call, operation, leading, kinds)


def step_with_constants(
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
    if form == (1, ()) and operation.is_of_one_type and isinstance(constants[0], Value):
        return _of_one_type_with(function, constants[0])
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


def constant_step(entry: Entry) -> Perform:
    """Return a step that pushes an entry."""

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        stack.append(entry)

    return perform


def _new_step(call: Callable[[], Entry]) -> Perform:
    """Return a step that pushes an entry of its own each time: observers ask which operation made
    it."""

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        stack.append(call())

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


def _of_one_type(call: Callable[..., Entry]) -> Perform:
    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        if len(stack) < 2:
            raise _underflow(2, stack)
        top, second = stack.pop(), stack.pop()
        top = top if type(top) is Value else _value(coercer, top, ctx)
        second = second if type(second) is Value else _value(coercer, second, ctx)
        if second.type is not top.type and _merges_signed(ctx):
            second, top = merged_operands(second, top)
        stack.append(call(second, top))

    return perform


def _of_one_type_with(call: Callable[..., Entry], top: Value) -> Perform:
    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        if not stack:
            raise _underflow(2, [top])
        second = stack.pop()
        second = second if type(second) is Value else _value(coercer, second, ctx)
        if second.type is not top.type and _merges_signed(ctx):
            stack.append(call(*merged_operands(second, top)))
        else:
            stack.append(call(second, top))

    return perform


def _value(coercer: Converter, entry: Entry, ctx: Context) -> Value:
    return cast(Value, coercer.coerced(entry, "value", ctx))


def _merges_signed(ctx: Context) -> bool:
    return ctx.merges_signed and (ctx.unit is None or ctx.unit.dialect.is_of_compilers)


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
    count, expected = len(kinds), [(index, kind, _TYPES[kind]) for index, kind in enumerate(kinds)]

    def perform(coercer: Converter, stack: Stack, ctx: Context) -> None:
        if len(stack) < count:
            raise _underflow(count, stack)
        popped = stack[-count:]
        del stack[-count:]
        for index, kind, noun in expected:
            if type(popped[index]) is not noun:
                popped[index] = coercer.coerced(popped[index], kind, ctx)
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
        for index, entry in enumerate(popped):
            if type(entry) is not Value:
                popped[index] = coercer.coerced(entry, "entry", ctx)
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
