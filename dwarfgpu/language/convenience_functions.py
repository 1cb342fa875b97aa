"""Functions built into the debugger, as in GDB: `$_strlen(s)`, `$_any_caller_is("main")`.

Law: they read the program and execute none of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Array, Base, Function, Pointer, strip
from dwarfgpu.errors import LimitExceeded, Unavailable, UsageError, counted
from dwarfgpu.language.assignment import decayed_in_memory
from dwarfgpu.language.complexes import is_complex, parts_of
from dwarfgpu.language.function_context import DebuggerFunction, FunctionContext
from dwarfgpu.language.read_strings import bytes_at, string_of
from dwarfgpu.language.syntax import literals
from dwarfgpu.language.syntax.ast import String
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.value_text import format
from dwarfgpu.language.wave_variables import integer_value, text_value
from dwarfgpu.session.stack_frames import StackFrame, stack_frames, why_caller_is_unknown
from dwarfgpu.view.format_options import DEFAULT_OPTIONS, FormatOptions

if TYPE_CHECKING:
    from dwarfgpu.base.regexp import Regexp

_MAX_BYTES: Final = 1 << 20
_CHARACTERS_OF_A_PART: Final = 16
"""Of a text of values that takes no longer than an element of an array."""
_MAX_FRAMES: Final = 1 << 32
"""More frames than any stack has."""


def is_void(context: FunctionContext, arguments: list[TypedValue]) -> TypedValue:
    _one(arguments, "_isvoid")
    return integer_value(context.session.architecture, int(arguments[0].type is None))


def string_length(context: FunctionContext, arguments: list[TypedValue]) -> TypedValue:
    (text,) = _strings(context, arguments, "_strlen", 1)
    return integer_value(context.session.architecture, len(text), 64)


def strings_equal(context: FunctionContext, arguments: list[TypedValue]) -> TypedValue:
    first, second = _strings(context, arguments, "_streq", 2)
    return context.truth(first == second)


def matches(context: FunctionContext, arguments: list[TypedValue]) -> TypedValue:
    text, pattern = _strings(context, arguments, "_regex", 2)
    return context.truth(_compiled(pattern).match(text))


def memory_equal(context: FunctionContext, arguments: list[TypedValue]) -> TypedValue:
    _require(arguments, "_memeq", 3, 3)
    length = context.arithmetic.number(arguments[2]).value.integer
    if length < 0:
        raise UsageError("length must be non-negative")
    if length > _MAX_BYTES:
        raise LimitExceeded(f"$_memeq of more than {_MAX_BYTES} bytes")
    first, second = (_bytes(context, argument, length) for argument in arguments[:2])
    return context.truth(first == second)


def as_string(
    context: FunctionContext,
    arguments: list[TypedValue],
    options: FormatOptions = DEFAULT_OPTIONS,
) -> TypedValue:
    _require(arguments, "_as_string", 1, 1)
    value = arguments[0]
    # As in GDB, an array is a pointer only where the argument is a variable.
    if value.variable is not None and not isinstance(strip(value.type), Function):
        value = decayed_in_memory(context.arithmetic, value)
    # One of no file, as of an operator, is spelled as the language in focus has it.
    value = evolve(value, unit=value.unit or context.names.current_unit)
    context.objects.count_contents(value.size_bits or 0)
    text = format(value, context.session, evolve(options, pointer_types=False))
    context.objects.count_parts(len(text) // _CHARACTERS_OF_A_PART)
    return string_value(context, text, options)


def string_value(context: FunctionContext, text: str, options: FormatOptions) -> TypedValue:
    """Return a text as a string literal of the language in focus where values are written in that,
    or where its literals have their lengths; else as GDB has it in C."""
    style = "c" if options.language is None else options.language[1]
    if style == "c" and not context.names.language.has_counted_strings:
        return text_value(context.session.architecture, text)
    written = String(tuple(text.encode("utf-8", "replace")), is_counted=True)
    return literals.text(context.names, context.arithmetic.numbers, written, cplusplus=False)


def real_part(context: FunctionContext, arguments: list[TypedValue]) -> TypedValue:
    return _part(context, arguments, "_creal", 0)


def imaginary_part(context: FunctionContext, arguments: list[TypedValue]) -> TypedValue:
    return _part(context, arguments, "_cimag", 1)


def _caller(name: str, *, is_any: bool, is_pattern: bool) -> DebuggerFunction:
    """Return whether the frame that many levels outside of the focus, or any frame up to it,
    belongs to a function; `Unavailable` where that depends on an unknown caller."""

    def is_caller(context: FunctionContext, arguments: list[TypedValue]) -> TypedValue:
        _require(arguments, name, 1, 2)
        function_name = string_of(context.objects, arguments[0])
        count = 1 if len(arguments) < 2 else context.arithmetic.number(arguments[1]).value.integer
        if count < 0:
            raise UsageError("nframes must be >= 0")
        count = min(count, _MAX_FRAMES)
        looked_at = islice(_outwards(context), 0 if is_any else count, count + 1)
        if is_pattern:
            pattern = _compiled(function_name)
            return context.truth(any(pattern.match(outer.function or "") for outer in looked_at))
        return context.truth(any(outer.function == function_name for outer in looked_at))

    return is_caller


def _outwards(context: FunctionContext) -> Iterator[StackFrame]:
    """Yield the frame in focus and outer frames, up to the main function; raise `Unavailable` after
    one whose caller is unknown."""
    from dwarfgpu.session.main_function import is_main

    session = context.session
    if session.call_stack is None:
        raise UsageError("No frame is currently selected.")
    here = (session.level, session.inline_level)
    for frame in stack_frames(session.at_level(0)):
        context.objects.count_parts(1)
        if (frame.session.level, frame.session.inline_level) >= here:
            yield frame
            if not frame.is_inlined and is_main(frame.session):
                return
    reason = why_caller_is_unknown(session)
    if reason is not None:
        raise Unavailable(f"the caller is unknown: {reason}")


FUNCTIONS: Final[dict[str, DebuggerFunction]] = {
    "_any_caller_is": _caller("_any_caller_is", is_any=True, is_pattern=False),
    "_any_caller_matches": _caller("_any_caller_matches", is_any=True, is_pattern=True),
    "_as_string": as_string,
    "_caller_is": _caller("_caller_is", is_any=False, is_pattern=False),
    "_caller_matches": _caller("_caller_matches", is_any=False, is_pattern=True),
    "_cimag": imaginary_part,
    "_creal": real_part,
    "_isvoid": is_void,
    "_memeq": memory_equal,
    "_regex": matches,
    "_streq": strings_equal,
    "_strlen": string_length,
}
"""Keyed by their names without the first `$`."""


def _one(arguments: list[TypedValue], name: str) -> None:
    if len(arguments) != 1:
        raise UsageError(f"You must provide one argument for ${name}.")


def _require(arguments: list[TypedValue], name: str, least: int, most: int) -> None:
    if not least <= len(arguments) <= most:
        expected = counted(most, "argument")
        expected = expected if least == most else f"{least} or {expected}"
        raise UsageError(f"${name} takes {expected}, not {len(arguments)}")


def _strings(
    context: FunctionContext, arguments: list[TypedValue], name: str, count: int
) -> list[str]:
    _require(arguments, name, count, count)
    return [string_of(context.objects, argument) for argument in arguments]


def _compiled(pattern: str) -> Regexp:
    from dwarfgpu.base.regexp import regexp  # few expressions have one

    try:
        return regexp(pattern)
    except UsageError as error:
        raise UsageError(f"{pattern!r} is not a regular expression: {error}") from None


def _bytes(context: FunctionContext, value: TypedValue, length: int) -> bytes:
    """Return the first bytes of an array, or from where a pointer or a number points to."""
    objects = context.objects
    if isinstance(strip(value.type), Array) and value.location is None:
        data = objects.known(value).to_bytes(objects.context.endian)
        if length > len(data):
            raise UsageError(f"{counted(length, 'byte')} of an array of {len(data)}")
        return data[:length]
    value = context.arithmetic.cast(value, context.names.builtins.pointer(None))
    kind = strip(value.type)  # in the address space of the array or the pointer
    assert isinstance(kind, Pointer)
    space = objects.space_of(kind, value.unit)
    address = objects.known(value).value
    return bytes_at(objects, space, address, length) if length else b""


def _part(
    context: FunctionContext, arguments: list[TypedValue], name: str, index: int
) -> TypedValue:
    _one(arguments, name)
    if not is_complex(arguments[0].type):
        raise UsageError("expected a complex number")
    assert isinstance(strip(arguments[0].type), Base)
    return context.arithmetic.value(parts_of(context.arithmetic, arguments[0])[index])
