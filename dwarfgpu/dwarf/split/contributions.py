"""The headers of `.debug_loclists` and `.debug_rnglists` (DWARF 5 7.28, 7.29).

Law: an offset outside of all contributions is left to the list itself, as producers without headers
expect; existing headers must agree with the unit (AMD text A.2.5.1).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, NamedTuple

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.dwarf.unit_header import initial_length, refuse_segments
from dwarfgpu.errors import IllFormed, Malformed, Unsupported

_MOST: Final = 200_000
"""Contributions of one section; later ones are not checked."""


class Contribution(NamedTuple):
    """What the header of one unit's part of a section says."""

    lists_at: int
    """Offset of what follows the header."""
    end: int
    version: int
    address_size: int
    segment_size: int


class Contributions:
    """All contributions of one section, up to the first unreadable header."""

    def __init__(self, section: str, data: bytes, endian: Endian) -> None:
        self._section = section
        self._contributions: list[Contribution] = []
        reader = Reader(data, endian)
        try:
            while reader and len(self._contributions) < _MOST:
                self._contributions.append(_read(reader))
        except Malformed:
            pass
        self._starts = [contribution.lists_at for contribution in self._contributions]
        self._last = (0, 0, 0)
        """Begin, end and address size of the contribution that was checked last, and agrees: the
        lists of a unit are in one."""

    def check(self, offset: int, address_size: int) -> None:
        """Raise `IllFormed` if the header for an offset and the unit have different address
        sizes, `Unsupported` for another version, or segment selectors."""
        begin, end, last_size = self._last
        if begin <= offset < end and address_size == last_size:
            return
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset >= self._contributions[index].end:
            return
        contribution = self._contributions[index]
        if contribution.version != 5:
            raise Unsupported(f"version {contribution.version} of {self._section}")
        if contribution.address_size != address_size:
            raise IllFormed(
                f"address_size {contribution.address_size} of {self._section} and address_size "
                f"{address_size} of its unit disagree"
            )
        refuse_segments(contribution.segment_size, self._section)
        self._last = contribution.lists_at, contribution.end, address_size


def _read(reader: Reader) -> Contribution:
    """Read the next header; leaves the reader at the one after it."""
    length, _ = initial_length(reader)
    end = reader.position + length
    if length > reader.remaining_bytes or length < 8:
        raise Malformed(f"length {length:#x} of a contribution")
    version, address_size, segment_size = reader.unsigned(2), reader.u8(), reader.u8()
    lists_at = reader.position + 4
    reader.position = end
    return Contribution(lists_at, end, version, address_size, segment_size)
