"""`printf`: C format strings, with C's escape sequences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from dwarfgpu.dwarf.types.types import Array, Base, Enum, Pointer, Struct, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.numbers import Numbers
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.strings import pointed, string_character, string_of, up_to_nul
from dwarfgpu.model.value import Value
from dwarfgpu.service.value.value_history import ValueHistory, evaluated
from dwarfgpu.session.session import Session

MAX_WIDE: Final = 10_000
"""Characters to which a field is padded."""
_ESCAPE: Final = re.compile(rb"\\([0-7]{1,3}|.)|\\$", re.DOTALL)
_ESCAPES: Final = {b"n": b"\n", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"e": b"\x1b", b"f": b"\f",
                   b"r": b"\r", b"v": b"\v"}  # fmt: skip
_FORMAT: Final = re.compile(r'"(?P<text>(?:\\.|[^"\\])*)"\s*(?P<rest>.*)', re.DOTALL)
_SPECIFIER: Final = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>[0-9]*)(?:\.(?P<precision>[0-9]*))?"
    r"(?P<length>hh|h|ll|l|j|z|t|L)?(?P<kind>.|$)",
    re.DOTALL,
)
_MAX_DIGITS: Final = 9
_IN_FORMAT: Final = '\\abefnrtv"'
"""Characters that `printf` knows after a backslash."""
_BITS: Final = {"hh": 8, "h": 16, "": 32, "l": 64, "ll": 64, "j": 64, "z": 64, "t": 64, "L": 64}


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
    rest = match["rest"]
    if rest and not rest.startswith(","):
        raise UsageError("Invalid argument syntax")
    arguments = [argument for argument in split_arguments(rest[1:]) if argument] if rest else []
    _check_escapes(match["text"])
    specifiers = [
        specifier for specifier in _SPECIFIER.finditer(match["text"]) if specifier["kind"] != "%"
    ]
    for specifier in specifiers:
        _check(specifier)
        if any(_is_wide(specifier[part] or "") for part in ("width", "precision")):
            raise UsageError(f"A field of printf is wider than {MAX_WIDE} characters.")
    if len(arguments) != len(specifiers):
        raise UsageError("Wrong number of arguments for specified format-string")
    fields = iter(
        [_field(session, values, *pair) for pair in zip(specifiers, arguments, strict=True)]
    )
    out, end = b"", 0
    text = match["text"]
    for directive in _SPECIFIER.finditer(text):
        field = "%" if directive["kind"] == "%" else next(fields)
        out += _bytes(unescaped(text[end : directive.start()]))
        out += _bytes(field if control is None else field.translate(control))
        end = directive.end()
    return (out + _bytes(unescaped(text[end:]))).decode("utf-8", "surrogateescape")


def _check_escapes(text: str) -> None:
    for match in re.finditer(r"\\(.)", text, re.DOTALL):
        if match[1] not in _IN_FORMAT:
            raise UsageError(f"Unrecognized escape character \\{match[1]} in format string.")


def _check(specifier: re.Match[str]) -> None:
    """Raise `UsageError` with GDB's wording for an invalid format."""
    kind = specifier["kind"]
    if not kind:
        raise UsageError("Incomplete format specifier at end of format string")
    if kind == "*":
        raise UsageError("`*' not supported for precision or width in printf")
    if kind == "n":
        raise UsageError("Format specifier `n' not supported in printf")
    if kind not in "diuxXocspeEfFgGaA":
        raise UsageError(f"Unrecognized format specifier '{unescaped(kind)}' in printf")
    if kind == "s" and specifier["length"] not in (None, "l"):
        raise UsageError("Inappropriate modifiers to format specifier 's' in printf")


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


def _field(session: Session, values: ValueHistory, specifier: re.Match[str], text: str) -> str:
    """Return one value, as `%5d`."""
    kind, flags, width = specifier["kind"], specifier["flags"], specifier["width"]
    precision = "" if specifier["precision"] is None else f".{specifier['precision'] or 0}"
    if kind == "s":
        value = evaluated(session, values, text)
        data = _string(session, value, is_wide=specifier["length"] == "l")
        return _padded(flags, width, precision, data)
    if kind in "aA":
        return f"%{flags}{width}s" % float(_number(session, values, "double", text)).hex()
    if kind in "eEfFgG":
        return f"%{flags}{width}{precision}{kind}" % _number(session, values, "double", text)
    number = int(_number(session, values, "long long", text))
    if kind == "p":
        return f"%{flags}{width}s" % (f"{number & (1 << 64) - 1:#x}" if number else "(nil)")
    if kind == "c":  # GDB's: the text of a NUL ends there
        is_wide = specifier["length"] == "l" and 0 <= number <= 0x10FFFF
        data = chr(number).encode("utf-8", "surrogatepass") if is_wide else bytes([number & 0xFF])
        return _padded(flags, width, "", data.rstrip(b"\0"))
    bits = _BITS[specifier["length"] or ""]
    number &= (1 << bits) - 1
    if kind in "di" and number >> bits - 1:
        number -= 1 << bits
    if kind == "o" and "#" in flags:  # C's 010, not Python's 0o10
        text = f"%{precision}o" % number
        text = text if text.startswith("0") else f"0{text}"
        padding = "0" if "0" in flags and not precision and "-" not in flags else " "
        wide = int(width or 0)
        return text.ljust(wide) if "-" in flags else text.rjust(wide, padding)
    return f"%{flags}{width}{precision}{'d' if kind in 'diu' else kind}" % number


def _number(session: Session, values: ValueHistory, kind: str, text: str) -> int | float:
    """Return the value of an expression as C converts it."""
    operand = evaluated(session, values, text)
    kind_read = strip(operand.type)
    if isinstance(kind_read, Pointer) and kind_read.kind != "pointer":
        kind_read = strip(kind_read.target)
    if operand.type is None or isinstance(kind_read, Struct):
        raise UsageError("Value can't be converted to integer.")
    builtins = Builtins(session.architecture)
    arithmetic = Arithmetic(ObjectAccess(session), Numbers(builtins))
    value = arithmetic.cast(operand, builtins.named(tuple(kind.split())))
    base = strip(value.type)
    assert isinstance(base, Base) and value.bits is not None
    data = value.bits.to_bytes(session.architecture.endian)
    return Value(int.from_bytes(data, session.architecture.endian), base.base).number


def _padded(flags: str, width: str, precision: str, data: bytes) -> str:
    """Return bytes in a field: as in C, width and precision count them, not characters."""
    shown = f"%{flags}{width}{precision}s".encode() % data
    return shown.decode("utf-8", "surrogateescape")


def _string(session: Session, value: TypedValue, *, is_wide: bool) -> bytes:
    """Return the characters of an array, or from an address, up to the first NUL, wide ones in
    UTF-8; `is_wide`: the target's characters are wide."""
    bare, objects = strip(value.type), ObjectAccess(session)
    if not isinstance(bare, Array | Pointer | Base | Enum) or value.bits is None:
        raise UsageError("Value can't be converted to integer.")
    kind = string_character(bare)
    if kind is not None and kind.unit_bytes > 1 and (is_wide or isinstance(bare, Array)):
        return string_of(objects, value).encode("utf-8", "surrogatepass")
    if isinstance(bare, Array):
        return up_to_nul(objects.known(value).to_bytes(objects.context.endian), 1)
    return pointed(objects, value) if objects.known(value).value else b"(null)"
