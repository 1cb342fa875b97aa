"""Characters and strings as GDB prints them: `7 '\\a'`, `"abc", '\\000' <repeats 20 times>`."""

from __future__ import annotations

import codecs
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


def quoted_character(code: int, kind: CharacterKind, *, sevenbit: bool = False) -> str:
    """`'a'`, `'\\377'`, `L'x'`; `sevenbit`: what is not ASCII is shown by its number."""
    text, _ = _escaped(code, kind, "'", False, sevenbit)
    return f"{kind.prefix}'{text}'"


def _escaped(
    code: int, kind: CharacterKind, quote: str, after_hex: bool, sevenbit: bool
) -> tuple[str, bool]:
    """A character between quotes, and whether a digit right after it would join it."""
    is_printable = _is_printable(code, 1 if sevenbit else kind.unit_bytes)
    if kind.style == "ada":
        if not is_printable:
            return f'["{code:0{2 * kind.unit_bytes}x}"]', False
        return '""' if code == 0x22 and quote == '"' else chr(code), False
    if code in _ESCAPES:
        return _ESCAPES[code], False
    if is_printable and not (after_hex and chr(code) in hexdigits):
        character = chr(code)
        return ("\\" + character if character in (quote, "\\") else character), False
    if code <= 0o777:
        return f"\\{code:03o}", False
    return f"\\x{code:x}", True


def _is_printable(code: int, unit_bytes: int) -> bool:
    if unit_bytes == 1:
        return 0x20 <= code < 0x7F
    return code < 0x110000 and category(chr(code)) not in _UNPRINTABLE


def _utf8_at(data: bytes, position: int, end: int) -> str:
    """The printable character of several bytes that begins at a position; else nothing."""
    size = _utf8_size(data[position])
    if size == 1 or position + size > end:
        return ""
    try:
        character = data[position : position + size].decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return character if _is_printable(ord(character), 4) else ""


def _utf8_size(first: int) -> int:
    """The bytes of the character that a byte begins; 1 for one that begins none of several."""
    if 0xC2 <= first < 0xF5:
        return 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    return 1


def _is_cut_character(data: bytes) -> bool:
    """Whether more bytes could make them one character."""
    if not data or len(data) >= _utf8_size(data[0]):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return True


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
    utf8: bool = False,
    sevenbit: bool = False,
) -> str:
    """The characters of `data`; one NUL at their end is not shown.

    `elements`: print `...` after so many characters. `repeats`: show more equal characters than
    this as `<repeats N times>`. `is_cut`: the string goes on after `data`. `utf8`: bytes are
    shown as the characters of which they are the UTF-8. `sevenbit`: but for ASCII, characters are
    shown by their numbers.
    """
    width = kind.unit_bytes
    end = len(data) // width * width
    if kind.style == "c" and not is_cut and end and not any(data[end - width : end]):
        end -= width
    pieces: list[str] = []
    plain: list[str] = []
    position = shown = 0
    after_hex = False
    has_utf8 = utf8 and not sevenbit and width == 1 and kind.style != "ada"
    while position < end and shown < elements:
        character = _utf8_at(data, position, end) if has_utf8 else ""
        if (
            has_utf8
            and not character
            and _is_cut_character(data[position : min(end, position + 4)])
        ):
            break
        if character:
            code, stride = -1, len(character.encode())
        else:
            code, stride = _code_at(data, position, end, width, endian)
        count = run_length(data, position, stride, (end - position) // stride)
        if count > repeats:
            _close(pieces, plain, kind)
            text = character or _escaped(code, kind, kind.quote, False, sevenbit)[0]
            pieces.append(f"'{text}' <repeats {count} times>")
            after_hex = False
        elif character:
            plain.append(character * count)
            after_hex = False
        else:
            for _ in range(count):
                text, after_hex = _escaped(code, kind, kind.quote, after_hex, sevenbit)
                plain.append(text)
        position += count * stride
        shown += count
    _close(pieces, plain, kind)
    if position < end and shown < elements:  # a character that the data do not end
        rest = "".join(f"\\{each:03o}" for each in data[position:end])
        pieces.append(f"<incomplete sequence {rest}>")
        position = end
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
