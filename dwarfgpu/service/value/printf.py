"""`printf`: C format strings, with C's escape sequences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Function,
    Pointer,
    Struct,
    is_method_pointer,
    strip,
)
from dwarfgpu.errors import LimitExceeded, SeveralLines, UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.complexes import is_complex
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.read_strings import of_array, pointed, string_character
from dwarfgpu.language.stored_objects import parts_counted_together
from dwarfgpu.language.vectors import is_vector
from dwarfgpu.service.value.printf_fields import FieldFormat, floating
from dwarfgpu.service.value.value_history import ValueHistory, evaluated
from dwarfgpu.session.session import Session
from dwarfgpu.view.scalars import LONG_LONG_BITS, TOO_WIDE

MAX_WIDE: Final = 10_000
"""Characters to which a field is padded."""
MAX_BYTES: Final = 1 << 20
"""Of the whole text, beyond which it ends."""
MAX_VALUES: Final = 4_000
"""Of one line: a second or two of processor time."""
MAX_CHARACTERS: Final = 40_000
"""Of the expressions of one line: two seconds of processor time for sums of small numbers."""
_NO_INTEGER: Final = "Value can't be converted to integer."
_ESCAPE: Final = re.compile(rb"\\([0-7]{1,3}|.)|\\$", re.DOTALL)
_ESCAPES: Final = {b"n": b"\n", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"f": b"\f",
                   b"r": b"\r", b"v": b"\v"}  # fmt: skip
_FORMAT: Final = re.compile(r'"(?P<text>(?:\\.|[^"\\])*)"\s*(?P<rest>.*)', re.DOTALL)
_DIRECTIVE: Final = re.compile(
    r"%(?:%|(?P<flags>[-+ #0]*)(?P<width>[0-9]*)(?:\.(?P<precision>[0-9]*))?"
    r"(?P<length>hh|ll|DD|[hlLjztHD])?(?P<kind>.|\Z))",
    re.DOTALL,
)
_FLOATING: Final = "eEfFgG"
_NOT_MEANT: Final = {
    **dict.fromkeys("di", ("", ("L",))),
    **dict.fromkeys("oxX", (" +", ("L",))),
    "u": (" +#", ("L",)),
    "c": (" +0.", ("L", "h", "hh", "ll", "j", "t")),
    "p": (" +0.#", ("L", "h", "hh", "l", "ll", "j", "t")),
    "s": (" +0", ("L", "h", "hh", "ll", "j", "z", "t")),
    **dict.fromkeys(_FLOATING, ("", ("h", "hh", "l", "ll", "j", "t"))),
}
"""The flags, with `.` for a precision, and lengths that GDB refuses for each conversion."""
_WIDE_BYTES: Final = 4
"""The size of the characters of `%lc` and `%ls`, unless a string has characters of two bytes."""
_MAX_DIGITS: Final = 9
_IN_FORMAT: Final = '\\abefnrtv"'
"""Characters that `printf` knows after a backslash."""
_BITS: Final = {"hh": 8, "h": 16, "": 32, "l": 64, "ll": 64, "j": 64, "z": 64, "t": 64}


def unescaped(text: str) -> str:
    """Return a text with its escapes replaced; bytes that are not UTF-8 are halves of surrogate
    pairs."""

    def meant(match: re.Match[bytes]) -> bytes:
        escape = match[1]
        if escape is None:
            return b""
        if escape[0] in b"01234567":
            return bytes([int(escape, 8) & 0xFF])
        return _ESCAPES.get(escape, escape)

    return _ESCAPE.sub(meant, _bytes(text)).decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    """Encode a text, with halves of surrogate pairs as bytes that are not UTF-8, even unpaired
    ones."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _is_wide(digits: str) -> bool:
    """Return whether a width or precision is too large; Python reads no number of very many
    digits."""
    return len(digits) > _MAX_DIGITS or int(digits or "0") > MAX_WIDE


def formatted(
    session: Session,
    values: ValueHistory,
    argument: str,
    control: Mapping[int, str] | None = None,
) -> str:
    """Return the text of `"FORMAT", VALUES`, with halves of surrogate pairs for bytes that are not
    UTF-8; errors with GDB's wording.

    `control`: the replacement for control characters of the values, so that the program's data does
    not control a terminal.
    """
    if not argument:
        raise UsageError("Argument required (format-control string and values to print).")
    if not argument.startswith('"'):
        raise UsageError("Bad format string, missing '\"'.")
    match = _FORMAT.fullmatch(argument)
    if match is None:
        raise UsageError("Bad format string, non-terminated '\"'.")
    _check_escapes(match["text"])
    text, rest = unescaped(match["text"]), match["rest"]
    directives = [*_DIRECTIVE.finditer(text)]
    conversions = [directive for directive in directives if directive["kind"] is not None]
    for conversion in conversions:
        _check(conversion)
    if rest and not rest.startswith(","):
        raise UsageError("Invalid argument syntax")
    # As in GDB, all arguments are evaluated, then counted.
    arguments = _arguments(rest[1:])
    if len(arguments) > MAX_VALUES:
        raise LimitExceeded(f"printf of more than {MAX_VALUES} values")
    if sum(map(len, arguments)) > MAX_CHARACTERS:
        raise LimitExceeded(f"printf of expressions with more than {MAX_CHARACTERS} characters")
    with parts_counted_together():
        operands = [evaluated(session, values, argument) for argument in arguments]
        objects = ObjectAccess(session)  # for the strings
    if len(operands) != len(conversions):
        raise UsageError("Wrong number of arguments for specified format-string")
    builtins = Builtins(session.architecture)
    arithmetic = Arithmetic(objects, Numbers(builtins))
    values_left = iter(operands)
    out, end = bytearray(), 0
    for directive in directives:
        is_percent = directive["kind"] is None
        field = "%" if is_percent else _field(arithmetic, directive, next(values_left))
        out += _bytes(text[end : directive.start()])
        out += _bytes(field if control is None else field.translate(control))
        if len(out) > MAX_BYTES:
            raise LimitExceeded(f"printf of more than {MAX_BYTES} bytes")
        end = directive.end()
    return (out + _bytes(text[end:])).decode("utf-8", "surrogateescape")


def _arguments(text: str) -> list[str]:
    """Return the expressions after the format; a comma may end them."""
    *arguments, last = split_arguments(text)
    if "" in arguments:
        raise UsageError("A syntax error in expression, near `,'.")
    return [*arguments, last] if last else arguments


def _check_escapes(text: str) -> None:
    for match in re.finditer(r"\\(.)", text, re.DOTALL):
        if match[1] not in _IN_FORMAT:
            raise UsageError(f"Unrecognized escape character \\{match[1]} in format string.")


def _check(conversion: re.Match[str]) -> None:
    """Raise `UsageError` with GDB's wording for an invalid format (format_pieces)."""
    kind, length = conversion["kind"], conversion["length"]
    if not kind:
        raise UsageError("Incomplete format specifier at end of format string")
    if kind == "*":
        raise UsageError("`*' not supported for precision or width in printf")
    if kind == "n":
        raise UsageError("Format specifier `n' not supported in printf")
    if kind not in _NOT_MEANT:
        raise SeveralLines(f"Unrecognized format specifier '{kind}' in printf")
    flags, lengths = _NOT_MEANT[kind]
    modifiers = conversion["flags"] + ("" if conversion["precision"] is None else ".")
    if length in lengths or any(modifier in flags for modifier in modifiers):
        raise UsageError(f"Inappropriate modifiers to format specifier '{kind}' in printf")
    if length in ("H", "D", "DD"):
        raise UsageError(f"%{length}{kind}: printf has no decimal floating point.")
    if any(_is_wide(conversion[part] or "") for part in ("width", "precision")):
        raise UsageError(f"A field of printf is wider than {MAX_WIDE} characters.")


def split_arguments(text: str) -> list[str]:
    """Yield expressions between commas outside of brackets and quotes."""
    out, depth, quote, start = [], 0, "", 0
    skipped = False
    for index, character in enumerate(text):
        if skipped:
            skipped = False
        elif quote:
            skipped = character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and not depth:
            out.append(text[start:index])
            start = index + 1
    return [part.strip() for part in (*out, text[start:])]


def _field(arithmetic: Arithmetic, conversion: re.Match[str], value: TypedValue) -> str:
    """Return one value, as `%5d`."""
    kind, length, precision = conversion["kind"], conversion["length"], conversion["precision"]
    form = FieldFormat(
        conversion["flags"],
        int(conversion["width"] or 0),
        None if precision is None else int(precision or 0),
    )
    if kind in _FLOATING:  # GDB reads a reference as bits, too
        name = "long double" if length == "L" else "double"
        return form.floating(floating(arithmetic, value, name), kind)
    value = _referent(arithmetic.objects, value)
    if kind == "s":
        return _decoded(form.text(_string(arithmetic, value, is_wide=length == "l")))
    number = _integer(arithmetic, value)
    if kind == "p":
        return form.pointer(number & (1 << 64) - 1)
    if kind == "c":  # GDB's: the text of a NUL ends there
        width, endian = _WIDE_BYTES if length == "l" else 1, arithmetic.objects.context.endian
        data = (number & (1 << 8 * width) - 1).to_bytes(width, endian)
        return _decoded(form.text(_in_utf8(data, width, endian).rstrip(b"\0")))
    bits = _BITS[length or ""]
    number &= (1 << bits) - 1
    return form.integer(signed(number, bits) if kind in "di" else number, kind)


def _referent(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return the object to which a reference refers; another value as it is."""
    bare = strip(value.type)
    if isinstance(bare, Pointer) and bare.kind != "pointer":
        return objects.read(objects.dereferenced(value))
    return value


def _integer(arithmetic: Arithmetic, value: TypedValue) -> int:
    """Return a value as C converts it to `long long`."""
    bare = strip(value.type)
    is_of_parts = isinstance(bare, Struct) or is_complex(bare) or is_vector(bare)
    if bare is None or is_of_parts or is_method_pointer(bare):
        raise UsageError(_NO_INTEGER)
    return arithmetic.number(_long_long(arithmetic, value)).value.integer


def _long_long(arithmetic: Arithmetic, value: TypedValue) -> TypedValue:
    """Return a scalar as `long long`; `UsageError` for a wider integer."""
    if is_integer(value.type) and (value.size_bits or 0) > LONG_LONG_BITS:
        raise UsageError(TOO_WIDE)
    return arithmetic.cast(value, arithmetic.numbers.builtins.named(("long", "long")))


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _string(arithmetic: Arithmetic, value: TypedValue, *, is_wide: bool) -> bytes:
    """Return the characters of an array, or from an address, up to the first NUL, wide ones in
    UTF-8; `is_wide`: the target's characters are wide."""
    bare, objects = strip(value.type), arithmetic.objects
    if isinstance(bare, Function):
        value = arithmetic.decayed(value)
    elif not isinstance(bare, Array | Pointer | Base | Enum) or is_complex(bare) or is_vector(bare):
        raise UsageError(_NO_INTEGER)
    elif value.error is not None:
        raise value.error
    width = _WIDE_BYTES if is_wide else 1
    kind = string_character(bare)
    if kind is not None and kind.unit_bytes > 1 and is_wide:
        width = kind.unit_bytes
    if isinstance(bare, Array) and not all(bare.dimensions):
        value = arithmetic.decayed(value)  # a flexible array member: `char key[]`
    elif isinstance(bare, Array):
        return _in_utf8(of_array(objects, value, width), width, objects.context.endian)
    if isinstance(bare, Base | Enum):
        value = _long_long(arithmetic, value)
    if not objects.known(value).value:
        return b"(null)"
    return _in_utf8(pointed(objects, value, width), width, objects.context.endian)


def _in_utf8(data: bytes, width: int, endian: Endian) -> bytes:
    """Return characters of some bytes each in UTF-8; one that is none as the octal escapes of its
    bytes, as GDB's `translit_char`."""
    if width == 1:
        return data
    coding, out = f"utf-{8 * width}-{'le' if endian == 'little' else 'be'}", ""
    while True:
        try:
            return (out + data.decode(coding)).encode()
        except UnicodeDecodeError as error:
            wrong = data[error.start : error.end]
            out += data[: error.start].decode(coding) + "".join(f"\\{byte:03o}" for byte in wrong)
            data = data[error.end :]
