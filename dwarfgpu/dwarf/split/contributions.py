"""The headers of `.debug_loclists` and `.debug_rnglists` (DWARF 5 7.28, 7.29).

Law: an offset outside of all contributions is left to the list itself, as producers without headers
expect; existing headers must agree with the unit (AMD text A.2.5.1). A table is read only where a
list may be damaged.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from operator import le
from typing import Final, NamedTuple

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.unit_header import WrongHeader, initial_length, refuse_segments
from dwarfgpu.errors import Malformed, Unsupported

_VERSION: Final = 5
_LEAST_LENGTH: Final = 8
_NOT_ZERO: Final = pattern(rb"[^\0]")
_MOST: Final = 200_000
"""Contributions of one section; later ones are not checked."""


class Contribution(NamedTuple):
    """What the header of one unit's part of a section says."""

    begin: int
    lists_at: int
    """Offset of what follows the header."""
    end: int
    version: int
    address_size: int
    segment_size: int
    offset_size: int
    offsets: int
    """How many are in its table, which is what follows the header."""

    @property
    def first_list(self) -> int:
        """The offset behind its table, or behind the header if the table does not fit."""
        behind = self.lists_at + self.offsets * self.offset_size
        return behind if behind <= self.end else self.lists_at


class Contributions:
    """All contributions of one section, up to the first unreadable header."""

    def __init__(self, section: str, data: bytes, endian: Endian) -> None:
        self._section = section
        self._data, self._endian = data, endian
        self._contributions: list[Contribution] = []
        self._end_fault: tuple[int, str] | None = None
        """Where no header can be read, and why."""
        reader = Reader(data, endian)
        while reader and len(self._contributions) < _MOST:
            begin = reader.position
            try:
                self._contributions.append(_read(reader))
            except Malformed as error:
                behind = self._behind_padding(begin)
                if behind is None:
                    self._end_fault = begin, error.message
                    break
                reader.position = behind
        self._starts = [contribution.lists_at for contribution in self._contributions]
        self._last = (0, 0, 0, False)
        """Begin, end and address size of the contribution that was checked last, and agrees, and
        whether it has a table: the lists of a unit are in one."""
        self._lists: dict[Contribution, array[int]] = {}
        """The offsets of the lists of a table, in order."""

    def __len__(self) -> int:
        return len(self._contributions)

    def check(self, offset: int, address_size: int, *, is_base: bool = False) -> bool:
        """Return whether the contribution of a list at an offset has a table of lists. Raises
        `WrongHeader` if its header and the unit have different address sizes, `Unsupported` for
        another version, or segment selectors, `Malformed` where a header or a table is at the
        offset. `is_base`: the offset is that behind a header."""
        begin, end, last_size, has_table = self._last
        if begin <= offset < end and address_size == last_size:
            return has_table
        contribution = self._at(offset)
        if contribution is None:
            self._refuse_header(offset, address_size)
            return False
        if contribution.version != _VERSION:
            raise Unsupported(f"version {contribution.version} of {self._section}")
        if contribution.address_size != address_size:
            raise WrongHeader(
                f"address_size {contribution.address_size} of {self._section} and address_size "
                f"{address_size} of its unit disagree"
            )
        refuse_segments(contribution.segment_size, self._section)
        has_table = bool(contribution.offsets)
        if offset < contribution.first_list and not is_base:
            raise Malformed(f"no list is at {offset:#x}, in the table of offsets of lists")
        self._last = contribution.first_list, contribution.end, address_size, has_table
        return has_table

    def _refuse_header(self, offset: int, address_size: int) -> None:
        """Raise `Malformed` for the offset of a list that is in a header."""
        index = bisect_right(self._starts, offset)
        if index == len(self._starts):
            return
        following = self._contributions[index]
        if offset < following.begin or following.version != _VERSION:
            return
        if following.address_size == address_size:
            raise Malformed(f"no list is at {offset:#x}, in the header at {following.begin:#x}")

    def faults(self) -> Iterator[tuple[int, str]]:
        """Yield what is wrong with headers, with their offsets: a length or a version that none
        has, and a table that does not fit."""
        for one in self._contributions:
            if one.version != _VERSION:
                yield one.begin, f"version {one.version} in the header of a table, not {_VERSION}"
                return  # what follows may be no header either
            if one.lists_at + one.offsets * one.offset_size > one.end:
                room = one.end - one.lists_at
                yield (
                    one.begin,
                    f"offset_entry_count {one.offsets} is more than fit the {room} bytes of "
                    "the table",
                )
        if self._end_fault is not None:
            yield self._end_fault

    def _behind_padding(self, begin: int) -> int | None:
        """Return where zeros end, behind which is another table or nothing; None for others."""
        after = _NOT_ZERO.search(self._data, begin)
        if after is None:
            return len(self._data)
        behind = begin + (after.start() - begin) // 4 * 4
        if behind == begin:
            return None
        try:
            following = _read(Reader(self._data, self._endian, behind))
        except Malformed:
            return None
        return behind if following.version == _VERSION else None

    def _at(self, offset: int) -> Contribution | None:
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset >= self._contributions[index].end:
            return None
        return self._contributions[index]

    def end_of_list(self, offset: int) -> int | None:
        """Return where the list at an offset ends: where the next one of the table begins, or its
        contribution ends; None if the table has no list at the offset."""
        contribution = self._at(offset)
        if contribution is None:
            return None
        lists = self._lists.get(contribution)
        if lists is None:
            lists = self._lists[contribution] = self._lists_of(contribution)
        begin = contribution.lists_at
        index = bisect_right(lists, offset - begin)
        if not index or lists[index - 1] != offset - begin:
            return None
        return begin + lists[index] if index < len(lists) else contribution.end

    def _lists_of(self, contribution: Contribution) -> array[int]:
        begin, size_bytes = contribution.lists_at, contribution.offset_size
        count = min(contribution.offsets, (contribution.end - begin) // size_bytes)
        code = "I" if size_bytes == 4 else "Q"
        lists = array(code, bytes(self._data[begin : begin + count * size_bytes]))
        if self._endian != sys.byteorder:
            lists.byteswap()
        is_in_order = all(map(le, lists, islice(lists, 1, None)))  # as producers write them
        return lists if is_in_order else array(code, sorted(lists))


def _read(reader: Reader) -> Contribution:
    """Read the next header; leaves the reader at the one after it."""
    begin = reader.position
    length, offset_size = initial_length(reader)
    end = reader.position + length
    if length > (left := reader.remaining_bytes):
        raise Malformed(f"length {length:#x} of a table is beyond the {left:#x} bytes left")
    if length < _LEAST_LENGTH:
        raise Malformed(f"length {length:#x} of a table is less than its header has")
    version, address_size, segment_size = reader.unsigned(2), reader.u8(), reader.u8()
    count, lists_at = reader.unsigned(4), reader.position
    reader.position = end
    return Contribution(
        begin, lists_at, end, version, address_size, segment_size, offset_size, count
    )
