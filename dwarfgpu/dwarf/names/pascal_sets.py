"""Sets of Pascal, as GDB writes them: `set of cRed..cBlue`, `[cRed, 'a'..'z', #0]`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf.types.types import Base, Elements, Enum, Type, strip


def set_name(elements: Elements) -> str:
    """Return the name of a set type, which none has of its own."""
    lowest, highest = (ordinal(elements.type, end) for end in (elements.lower, elements.upper))
    return f"set of {lowest}..{highest}"


def set_text(elements: Elements, data: bytes, endian: Endian) -> str:
    """Return the values that are in a set, whose bytes are given; several in succession as a
    range."""
    present = _present(elements, data, endian)
    ends = [(None, present[0]), *pairwise(present), (present[-1], None)] if present else []
    begins = [value for before, value in ends if value is not None and before != value - 1]
    stops = [value for value, after in ends if value is not None and after != value + 1]
    ranges = zip(begins, stops, strict=True)
    return f"[{', '.join(_range(elements.type, begin, stop) for begin, stop in ranges)}]"


def _present(elements: Elements, data: bytes, endian: Endian) -> list[int]:
    def bits() -> Iterator[int]:
        for byte in data:
            order = range(8) if endian == "little" else range(7, -1, -1)
            yield from (byte >> index & 1 for index in order)

    values = range(elements.lower, elements.upper + 1)
    return [value for value, bit in zip(values, bits(), strict=False) if bit]


def _range(type_: Type | None, begin: int, stop: int) -> str:
    first = ordinal(type_, begin)
    return first if begin == stop else f"{first}..{ordinal(type_, stop)}"


def ordinal(type_: Type | None, value: int) -> str:
    """Return a value of an ordinal type: `cRed`, `'a'`, `#10`, `TRUE` or a number."""
    bare = strip(type_)
    if isinstance(bare, Enum):
        return bare.table.names.get(value, str(value))
    if isinstance(bare, Base) and bare.base.encoding == "boolean":
        return "TRUE" if value else "FALSE"
    if isinstance(bare, Base) and bare.base.encoding in CHARACTERS and not bare.is_range:
        quoted = "''" if value == ord("'") else chr(value)
        return f"'{quoted}'" if 0x20 <= value < 0x7F else f"#{value}"
    return str(value)
