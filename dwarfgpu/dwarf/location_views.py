"""The views of a location list, which GCC writes directly before it (DW_AT_GNU_locviews): a pair of
unsigned LEB128 numbers for each entry but those that set the base address.

Law: a list is damaged only where the number of its pairs is certain.
"""

from __future__ import annotations

from typing import Final, Protocol

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.errors import Malformed, counted
from dwarfgpu.expr.context import UnitFormat

_NOT_LAST: Final = bytes(range(0x80, 0x100))
"""The bytes of LEB128 numbers that are followed by another one."""


class ViewsUnit(Protocol):
    """What the views of a list need to know of its unit."""

    @property
    def sections(self) -> Sections: ...

    @property
    def format(self) -> UnitFormat: ...

    @property
    def is_split(self) -> bool: ...


def require_entries_of_views(
    unit: ViewsUnit, section: str, offset: int, views: int, count: int
) -> None:
    """Require that a location list has an entry for each pair of its views; `Malformed` for one
    that ends before. `views`: their offset in the section, as `offset` is that of the list."""
    if offset - views <= 2 * count:  # nearly always: no number has less than a byte
        return
    pairs = _pairs_between(unit, section, views, offset)
    if count < pairs and not _is_dropped(unit, section, offset, pairs):
        raise Malformed(
            f"the list ends after {count} of {pairs} entries: DW_AT_GNU_locviews has "
            f"{counted(pairs, 'pair')} of views"
        )


def _pairs_between(unit: ViewsUnit, section: str, begin: int, end: int) -> int:
    """Return how many pairs of numbers are between two offsets of a section; 0 if other bytes
    are."""
    data = unit.sections.section(section)
    unit.sections.budget.spend(section, len(data), end - begin)
    numbers = data[begin:end]
    if begin < 0 or numbers[-1] >= 0x80:
        return 0
    pairs, rest = divmod(len(numbers.translate(None, _NOT_LAST)), 2)
    return 0 if rest else pairs


def _is_dropped(unit: ViewsUnit, section: str, offset: int, pairs: int) -> bool:
    """Return whether a list has one entry for each pair if two addresses of 0 are no end of it:
    before DWARF 5, linkers write them for code that they drop."""
    sections, form = unit.sections, unit.format
    if form.version >= 5 or unit.is_split:
        return False

    def read(reader: Reader) -> bool:
        size_bytes, count = form.address_size, 0
        while count < pairs:
            begin = reader.take(size_bytes)
            reader.take(size_bytes)
            if begin.strip(b"\xff"):  # no base address
                reader.take(reader.unsigned(2))
                count += 1
        return not any(reader.take(2 * size_bytes))

    try:
        return sections.budget.read(section, sections.section(section), offset, form.endian, read)
    except Malformed:
        return False
