"""Characters and strings as GDB prints them: `7 '\\a'`, `"abc", '\\000' <repeats 20 times>`."""

from __future__ import annotations

from string import hexdigits
from typing import Final
from unicodedata import category

from dwarfgpu.bits import Endian
from dwarfgpu.dwarf.foreign_names import CHARACTERS
from dwarfgpu.dwarf.types import MAX_CHAIN, Base, Qualified, Style, Type, Typedef, strip
from dwarfgpu.nouns import frozen

_ESCAPES: Final = {
    7: "\\a",
    8: "\\b",
    9: "\\t",
    10: "\\n",
    11: "\\v",
    12: "\\f",
    13: "\\r",
    27: "\\033",
}

_UNPRINTABLE: Final = frozenset({"Cc", "Cn", "Cs", "Zl", "Zp"})
"""Categories of Unicode without characters to print, for the C library and so for GDB."""
_WIDE_NAMES: Final = {"wchar_t": "L", "char16_t": "u", "char32_t": "U"}


@frozen
class CharacterKind:
    """How the characters of a type are written."""

    unit_bytes: int
    prefix: str = ""
    """`L`, `u` or `U`."""
    style: Style = "c"

    @property
    def quote(self) -> str:
        """What is around a string."""
        return "'" if self.style == "fortran" else '"'


def character_kind(kind: Type | None, style: Style = "c") -> CharacterKind | None:
    """How a character type is written; None for any other type. In C bytes are characters."""
    if style != "c":
        bare = strip(kind)
        if isinstance(bare, Base) and bare.base.encoding in CHARACTERS:
            return CharacterKind(bare.size_bytes, style=style)
        return None
    for _ in range(MAX_CHAIN):
        name = getattr(kind, "name", None)
        if name in _WIDE_NAMES:
            bare = strip(kind)
            if isinstance(bare, Base) and bare.base.is_integral and bare.base.bit_size in (16, 32):
                return CharacterKind(bare.size_bytes, _WIDE_NAMES[name])
        if not isinstance(kind, Typedef | Qualified):
            break
        kind = kind.target
    if not isinstance(kind, Base) or kind.base.vector_size is not None or kind.is_range:
        return None
    base = kind.base
    if base.encoding in ("UTF", "UCS") and base.bit_size in (8, 16, 32):
        return CharacterKind(base.size_bytes, {8: "", 16: "u", 32: "U"}[base.bit_size])
    if base.encoding in ("signed", "unsigned", "signed_char", "unsigned_char", "ASCII"):
        return CharacterKind(1) if base.bit_size == 8 else None
    return None


def quoted_character(code: int, kind: CharacterKind) -> str:
    """`'a'`, `'\\377'`, `L'x'`."""
    text, _ = _escaped(code, kind, "'", False)
    return f"{kind.prefix}'{text}'"


def _escaped(code: int, kind: CharacterKind, quote: str, after_hex: bool) -> tuple[str, bool]:
    """A character between quotes, and whether a digit right after it would join it."""
    if kind.style == "ada":
        if not _is_printable(code, kind):
            return f'["{code:0{2 * kind.unit_bytes}x}"]', False
        return '""' if code == 0x22 and quote == '"' else chr(code), False
    if code in _ESCAPES:
        return _ESCAPES[code], False
    if _is_printable(code, kind) and not (after_hex and chr(code) in hexdigits):
        character = chr(code)
        return ("\\" + character if character in (quote, "\\") else character), False
    if code <= 0o777:
        return f"\\{code:03o}", False
    return f"\\x{code:x}", True


def _is_printable(code: int, kind: CharacterKind) -> bool:
    if kind.unit_bytes == 1:
        return 0x20 <= code < 0x7F
    return code < 0x110000 and category(chr(code)) not in _UNPRINTABLE


def run_length(data: bytes, start: int, stride: int, limit: int) -> int:
    """How many elements of `stride` bytes from `start` are equal, at most `limit`.

    Doubles, then halves, comparing whole blocks, none of them twice.
    """

    def equal(known: int, count: int) -> bool:
        first, end = start + known * stride, start + count * stride
        return data[first:end] == data[first - stride : end - stride]

    good = 1
    bad = limit + 1
    while good + 1 < bad:
        count = min(2 * good, limit) if bad > limit else (good + bad) // 2
        if equal(good, count):
            good = count
        else:
            bad = count
    return good


def quoted_string(
    data: bytes,
    kind: CharacterKind,
    endian: Endian,
    *,
    elements: int,
    repeats: int,
    is_cut: bool = False,
) -> str:
    """The characters of `data`; one NUL at their end is not shown.

    `elements`: print `...` after so many characters. `repeats`: show more equal characters than
    this as `<repeats N times>`. `is_cut`: the string goes on after `data`.
    """
    width = kind.unit_bytes
    end = len(data) // width * width
    if kind.style == "c" and not is_cut and end and not any(data[end - width : end]):
        end -= width
    pieces: list[str] = []
    plain: list[str] = []
    position = shown = 0
    after_hex = False
    while position < end and shown < elements:
        code, stride = _code_at(data, position, end, width, endian)
        count = run_length(data, position, stride, (end - position) // stride)
        if count > repeats:
            _close(pieces, plain, kind)
            text, _ = _escaped(code, kind, kind.quote, False)
            pieces.append(f"'{text}' <repeats {count} times>")
            after_hex = False
        else:
            for _ in range(count):
                text, after_hex = _escaped(code, kind, kind.quote, after_hex)
                plain.append(text)
        position += count * stride
        shown += count
    _close(pieces, plain, kind)
    ellipsis = "..." if is_cut or position < end else ""
    return kind.prefix + (", ".join(pieces) or 2 * kind.quote) + ellipsis


def _close(pieces: list[str], plain: list[str], kind: CharacterKind) -> None:
    if plain:
        pieces.append(f"{kind.quote}{''.join(plain)}{kind.quote}")
        plain.clear()


def _code_at(data: bytes, position: int, end: int, width: int, endian: Endian) -> tuple[int, int]:
    """The code point at a position and the bytes it takes: UTF-16 pairs are one character."""
    code = int.from_bytes(data[position : position + width], endian)
    if width == 2 and 0xD800 <= code < 0xDC00 and position + 4 <= end:
        low = int.from_bytes(data[position + 2 : position + 4], endian)
        if 0xDC00 <= low < 0xE000:
            return 0x10000 + (code - 0xD800 << 10) + (low - 0xDC00), 4
    return code, width
