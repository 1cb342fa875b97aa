"""Characters and strings of Pascal as GDB prints them: `'it''s'#10'x'`, `'a' <repeats 20 times>`.

Law: in a string of bytes, a character beyond ASCII is shown as it is where it is valid UTF-8, else
by its number; GDB writes bytes from 160 on as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final

from dwarfgpu.base.bits import Endian

_FIRST_BEYOND_ASCII: Final = 0xA0


def pascal_character(code: int, *, sevenbit: bool = False) -> str:
    """Return `'a'` or `#10`."""
    text = _literal(code, sevenbit=sevenbit)
    return f"#{code}" if text is None else f"'{text}'"


def pascal_string(
    data: bytes,
    width: int,
    endian: Endian,
    *,
    elements: int,
    repeats: int,
    is_cut: bool,
    sevenbit: bool,
    character_at: Callable[[bytes, int, int], str] | None,
) -> str:
    """Format characters of `width` bytes, as `quoted_string`. `character_at`: returns the character
    of several bytes at a position before another one, or nothing."""
    end = len(data) // width * width
    if not is_cut and end and not any(data[end - width : end]):
        end -= width
    out: list[str] = []
    shown = position = 0
    is_inside = is_after_repeats = False
    characters = _characters(data[:end], width, endian, character_at, sevenbit=sevenbit)
    for (text, code, size), run in groupby(characters):
        count = sum(1 for _ in run)
        if shown >= elements:
            break
        out.append(", " if is_after_repeats else "")
        is_after_repeats = count > repeats
        if is_after_repeats:
            out.append("', " if is_inside else "")
            is_inside = False
            one = f"#{code}" if text is None else f"'{text}'"
            out.append(f"{one} <repeats {count} times>")
            shown += repeats
        else:
            count = min(count, elements - shown)
            out.append("'" if is_inside != (text is not None) else "")
            is_inside = text is not None
            out.append((f"#{code}" if text is None else text) * count)
            shown += count
        position += count * size
    out.append("'" if is_inside else "")
    return ("".join(out) or "''") + ("..." if is_cut or position < end else "")


def _characters(
    data: bytes,
    width: int,
    endian: Endian,
    character_at: Callable[[bytes, int, int], str] | None,
    *,
    sevenbit: bool,
) -> Iterator[tuple[str | None, int, int]]:
    """Yield each character: between quotes, or None, its number, and how many bytes it has."""
    position = 0
    while position < len(data):
        text = "" if character_at is None else character_at(data, position, len(data))
        if text:
            size = len(text.encode())
            yield text, ord(text), size
            position += size
            continue
        code = int.from_bytes(data[position : position + width], endian)
        yield _literal(code, sevenbit=sevenbit or width == 1), code, width
        position += width


def _literal(code: int, *, sevenbit: bool) -> str | None:
    """Return a character between quotes; None for one that is shown by its number."""
    if code == ord("'"):
        return "''"
    is_beyond = _FIRST_BEYOND_ASCII <= code <= 0xFF and not sevenbit
    return chr(code) if 0x20 <= code < 0x7F or is_beyond else None
