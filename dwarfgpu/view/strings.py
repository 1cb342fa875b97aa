"""Characters and strings as GDB prints them: `7 '\\a'`, `"abc", '\\000' <repeats 20 times>`."""

from __future__ import annotations

import re
import sys
from typing import Final
from unicodedata import category

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.types.types import (
    WIDE_CHARACTERS,
    Base,
    Type,
    denoted,
    strip,
)

_HEX_DIGITS: Final = "0123456789abcdefABCDEF"
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
_LONGEST_UTF8: Final = 6
MOST_CHARACTERS: Final = 1 << 20
"""Of one string, where no setting bounds them."""
_PLAIN_TEXT: Final = pattern(rb"[ !#-\[\]-~]*")
_KIND_4: Final = "4_"
"""What GDB writes before strings of Fortran with characters of four bytes."""
_INTEGERS: Final = ("signed", "unsigned")
_WIDEST: Final = 4
"""The bytes of the largest characters."""


@frozen
class CharacterKind:
    """How the characters of a type are written."""

    unit_bytes: int
    prefix: str = ""
    """`L`, `u` or `U`."""
    style: Style = "c"

    @property
    def quote(self) -> str:
        """The delimiter of a string."""
        return "'" if self.style == "fortran" else '"'


def character_kind(
    type_: Type | None, style: Style = "c", *, is_text: bool = False
) -> CharacterKind | None:
    """Return how a character type is written; None for any other type. In C bytes are characters,
    in Rust and Pascal where text is asked for, as behind a pointer."""
    if style != "c":
        bare = strip(type_)
        if isinstance(bare, Base) and _is_character(bare, style, is_text=is_text):
            is_wide = style == "fortran" and bare.size_bytes == 4
            return CharacterKind(bare.size_bytes, _KIND_4 if is_wide else "", style)
        return None
    bare = strip(type_)
    if not isinstance(bare, Base):
        return None
    base = bare.base
    name = base.name if bare is type_ else denoted(type_).character
    if name in WIDE_CHARACTERS and base.is_integral and base.bit_size in (16, 32):
        return CharacterKind(bare.size_bytes, WIDE_CHARACTERS[name])
    if base.vector_size is not None or bare.is_range:
        return None
    if bare.is_byte and not is_text:
        return None
    if bare.storage_bits is not None:
        return None  # the units of its strings are not adjacent
    if base.encoding in ("UTF", "UCS") and base.bit_size in (8, 16, 32):
        return CharacterKind(base.size_bytes, {8: "", 16: "u", 32: "U"}[base.bit_size])
    if base.encoding == "ASCII" and base.name == "u8":  # no type of a file: a literal of Rust
        return CharacterKind(1, "b")
    if base.encoding in ("signed", "unsigned", "signed_char", "unsigned_char", "ASCII"):
        return CharacterKind(1) if base.bit_size == 8 else None
    return None


def _is_character(bare: Base, style: Style, *, is_text: bool) -> bool:
    """Return whether a base type is of characters; gfortran describes those of kind 4 as
    integers. A pointer to bytes of Pascal leads to text."""
    if bare.size_bytes > _WIDEST:
        return False  # a damaged type: a number
    if style == "pascal":
        is_byte = is_text and bare.base.bit_size == 8 and bare.base.encoding in _INTEGERS
        return is_byte or (bare.base.encoding in CHARACTERS and not bare.is_range)
    is_named = style == "fortran" and bare.name.startswith("character")
    return bare.base.encoding in CHARACTERS or (is_named and bare.base.is_integral)


def quoted_character(code: int, kind: CharacterKind, *, sevenbit: bool = False) -> str:
    """Return `'a'`, `'\377'`, `L'x'`; `sevenbit`: non-ASCII characters are shown by number."""
    if kind.style == "pascal":
        from dwarfgpu.view.pascal_strings import pascal_character  # few programs

        return pascal_character(code, sevenbit=sevenbit or kind.unit_bytes == 1)
    text, _ = _escaped(code, kind, "'", False, sevenbit)
    return f"{kind.prefix}'{text}'"


def _escaped(
    code: int, kind: CharacterKind, quote: str, after_hex: bool, sevenbit: bool
) -> tuple[str, bool]:
    """Return a character between quotes, and whether a digit right after it would join it."""
    is_ascii = sevenbit or kind.style == "ada"
    is_printable = _is_printable(code, 1 if is_ascii else kind.unit_bytes)
    if kind.style == "ada":
        if not is_printable:
            return f'["{code:0{min(2 * kind.unit_bytes, 6)}x}"]', False
        return '""' if code == 0x22 and quote == '"' else chr(code), False
    if code in _ESCAPES:
        return _ESCAPES[code], False
    if is_printable and not (after_hex and chr(code) in _HEX_DIGITS):
        character = chr(code)
        return ("\\" + character if character in (quote, "\\") else character), False
    if code <= 0o777:
        return f"\\{code:03o}", False
    return f"\\x{code:x}", True


def _is_printable(code: int, unit_bytes: int) -> bool:
    if unit_bytes == 1:
        return 0x20 <= code < 0x7F
    return code < 0x110000 and category(chr(code)) not in _UNPRINTABLE


def _utf8_size(first: int) -> int:
    """Return the bytes of the character that a byte begins; 1 for one that begins none of several.

    Of 5 and 6 too, as UTF-8 once had them: the iconv of the GNU C library waits for their end.
    """
    if not 0xC2 <= first < 0xFE:
        return 1
    return 2 if first < 0xE0 else 3 if first < 0xF0 else 4 if first < 0xF8 else 5 + (first >= 0xFC)


def _utf8_at(data: bytes, position: int, end: int) -> str:
    """Return the multi-byte character that begins at a position; empty if there is none."""
    size = _utf8_size(data[position])
    if size == 1 or position + size > end:
        return ""
    try:
        return data[position : position + size].decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _incomplete_bytes(data: bytes, end: int, width: int, endian: Endian, *, utf8: bool) -> int:
    """Return how many bytes at the end begin a character that needs more: of UTF-8, or of
    UTF-16."""
    if width == 2 and end >= 2:
        code = int.from_bytes(data[end - 2 : end], endian)
        return 2 if 0xD800 <= code < 0xDC00 else 0
    if not utf8:
        return 0
    for count in range(1, min(end, _LONGEST_UTF8) + 1):
        byte = data[end - count]
        if byte & 0xC0 != 0x80:
            return count if count < _utf8_size(byte) else 0
    return 0


def run_length(data: bytes, start: int, stride: int, limit: int) -> int:
    """Return how many elements of `stride` bytes from `start` are equal, at most `limit`.

    Doubles, then halves, comparing whole blocks, none of them twice.
    """

    def equal(code: int, count: int) -> bool:
        first, end = start + code * stride, start + count * stride
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
    cut_runs: bool = False,
    is_cut: bool = False,
    is_counted: bool = False,
    utf8: bool = False,
    sevenbit: bool = False,
    most: int | None = None,
) -> str:
    """Format the characters of `data`; one NUL at the end is not shown.

    `elements`: print `...` after that many characters. `repeats`: show more equal characters than
    this as `<repeats N times>`. `cut_runs`: fewer equal characters end at `elements` too, as in
    GDB 16 and for Ada; in GDB 13 all are shown. `is_cut`: the string continues after `data`.
    `is_counted`: a NUL at the end is a character of it. `utf8`: decode bytes as UTF-8. `sevenbit`:
    show non-ASCII characters by number. `most`: how many characters of the text the caller
    needs; what is behind them need not be made.

    As GDB (`wchar_iterator::iterate`), an incomplete character at the end takes the place of the
    character before it: `"abÃ"` is shown as `"a", <incomplete sequence Ã>`.
    """
    width = kind.unit_bytes
    if kind.style == "pascal":
        from dwarfgpu.view.pascal_strings import pascal_string  # few programs

        return pascal_string(
            data, width, endian, elements=elements, repeats=repeats, is_cut=is_cut,
            sevenbit=sevenbit,
            character_at=_utf8_at if utf8 and width == 1 and not sevenbit else None,
        )  # fmt: skip
    end = len(data) // width * width
    has_terminator = kind.style == "c" and not is_cut and not is_counted
    if has_terminator and end and not any(data[end - width : end]):
        end -= width
    if kind.style == "c" and end <= elements and _is_plain(data[:end], width, repeats):
        ellipsis = "..." if is_cut else ""
        return f'{kind.prefix}"{data[:end].decode("ascii")}"{ellipsis}'
    is_ada = kind.style == "ada"
    has_utf8, cuts_runs = utf8 and width == 1 and not is_ada, cut_runs or is_ada
    whole_end = end - _incomplete_bytes(data, end, width, endian, utf8=has_utf8)
    pieces: list[str] = []
    plain: list[str] = []
    position = shown = length = 0
    most = sys.maxsize if most is None else most
    after_hex = False
    while position < whole_end and shown < elements and length <= most:
        character = _character_at(data, position, whole_end, kind, endian, utf8=has_utf8)
        stride = character.size_bytes
        count = run_length(data, position, stride, (whole_end - position) // stride)
        if not character.is_valid and count > 1:  # the last one may begin a valid character
            last = position + (count - 1) * stride
            count -= _character_at(data, last, whole_end, kind, endian, utf8=has_utf8).is_valid
        position += count * stride
        if position == whole_end < end and character.is_valid:
            count -= 1  # the incomplete one takes its place
        if cuts_runs and repeats >= count > (left := elements - shown):
            position -= (count - left) * stride
            count = left
        shown += min(count, repeats) if is_ada else count  # as in GDB
        if count > repeats:
            _close(pieces, plain, kind)
            text, after_hex = _shown(character, kind, after_hex=after_hex, sevenbit=sevenbit)
            pieces.append(f"'{text}' <repeats {count} times>")
            length += len(pieces[-1])
            continue
        for _ in range(min(count, most + 1)):
            text, after_hex = _shown(character, kind, after_hex=after_hex, sevenbit=sevenbit)
            plain.append(text)
            length += len(text)
    _close(pieces, plain, kind)
    if position == whole_end < end and shown < elements:
        codes = (
            int.from_bytes(data[offset : offset + width], endian)
            for offset in range(position, end, width)
        )
        escapes = "".join(f"\\{code:03o}" if code <= 0o777 else f"\\x{code:x}" for code in codes)
        pieces.append(f"<incomplete sequence {escapes}>")
        position = end
    ellipsis = "..." if is_cut or position < end else ""
    return kind.prefix + (", ".join(pieces) or 2 * kind.quote) + ellipsis


def _is_plain(data: bytes, width: int, repeats: int) -> bool:
    """Return whether bytes are unescaped characters, with no run that is shown as repeats."""
    if width != 1 or _PLAIN_TEXT.fullmatch(data) is None:
        return False
    return repeats >= len(data) or re.search(rb"(.)\1{%d}" % repeats, data) is None


@frozen
class _Character:
    """One of a string."""

    codes: tuple[int, ...]
    """Its code point; its bytes or units where it takes several."""
    size_bytes: int
    text: str = ""
    """The text of a character of several bytes or units, if it can be printed."""
    is_valid: bool = True
    """Whether the encoding has such a character."""


def _character_at(
    data: bytes, position: int, end: int, kind: CharacterKind, endian: Endian, *, utf8: bool
) -> _Character:
    """Return the character of a string that begins at a position."""
    text = _utf8_at(data, position, end) if utf8 else ""
    if text:
        size = len(text.encode())
        codes = tuple(data[position : position + size])
        return _Character(codes, size, text if _is_printable(ord(text), 4) else "")
    code, size = _code_at(data, position, end, kind.unit_bytes, endian)
    width = kind.unit_bytes
    if width == 1:
        return _Character((code,), size, is_valid=code < 0x80)
    if size > width:
        units = (data[offset : offset + width] for offset in (position, position + width))
        codes = tuple(int.from_bytes(unit, endian) for unit in units)
        return _Character(codes, size, chr(code) if _is_printable(code, width) else "")
    return _Character((code,), size, is_valid=code < 0x110000 and not 0xD800 <= code < 0xE000)


def _shown(
    character: _Character, kind: CharacterKind, *, after_hex: bool, sevenbit: bool
) -> tuple[str, bool]:
    """Return a character in a string, and whether a digit right after it would join it."""
    if character.text and not sevenbit:
        return character.text, False
    parts: list[str] = []
    for code in character.codes:
        text, after_hex = _escaped(code, kind, kind.quote, after_hex, sevenbit)
        parts.append(text)
    return "".join(parts), after_hex


def _close(pieces: list[str], plain: list[str], kind: CharacterKind) -> None:
    if plain:
        pieces.append(f"{kind.quote}{''.join(plain)}{kind.quote}")
        plain.clear()


def _code_at(data: bytes, position: int, end: int, width: int, endian: Endian) -> tuple[int, int]:
    """Return the code point at a position and the bytes it takes: UTF-16 pairs are one
    character."""
    code = int.from_bytes(data[position : position + width], endian)
    if width == 2 and 0xD800 <= code < 0xDC00 and position + 4 <= end:
        low = int.from_bytes(data[position + 2 : position + 4], endian)
        if 0xDC00 <= low < 0xE000:
            return 0x10000 + (code - 0xD800 << 10) + (low - 0xDC00), 4
    return code, width
