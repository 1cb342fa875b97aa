"""Which of many overlapping ranges of addresses is the last one that covers an address.

Law: a question takes as long as a binary search. Ranges are numbers in arrays, because a file may
have millions of them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Final

from dwarfgpu.dwarf.address_ranges import Range

_NO_OWNER: Final = -1
_LAST_ADDRESS: Final = (1 << 64) - 1


class CoverIndex:
    """The last owner of a range that covers an address, in the order in which they were given."""

    def __init__(self, ranges: Iterable[tuple[int, int, int]]) -> None:
        """Take begin, end and owner, a number that is not negative, of each range."""
        begins, lasts, owners = array("Q"), array("Q"), array("q")
        for begin, end, owner in ranges:
            if begin < end:
                begins.append(begin)
                lasts.append(end - 1)  # the end of the last address has no number of 64 bits
                owners.append(owner)
        self._starts = array("Q")
        """Where another range, or none, becomes the last one."""
        self._owners = array("q")
        order = sorted(range(len(begins)), key=begins.__getitem__)
        active: list[int] = []
        """The ranges that have begun and may not have ended, as negative numbers: the last one
        first."""
        following, count = 0, len(order)
        while following < count or active:
            start = begins[order[following]] if not active else lasts[-active[0]] + 1
            if following < count:
                start = min(start, begins[order[following]])
            while following < count and begins[order[following]] <= start:
                heappush(active, -order[following])
                following += 1
            while active and lasts[-active[0]] < start:
                heappop(active)
            if start > _LAST_ADDRESS:
                return
            owner = owners[-active[0]] if active else _NO_OWNER
            if not self._owners or self._owners[-1] != owner:
                self._starts.append(start)
                self._owners.append(owner)

    def last_at(self, address: int) -> int | None:
        """Return the owner of the last range that covers an address; None if no range does."""
        position = bisect_right(self._starts, address) - 1
        owner = _NO_OWNER if position < 0 else self._owners[position]
        return None if owner == _NO_OWNER else owner

    def owned(self) -> Iterator[tuple[Range, int]]:
        """Yield the ranges in order, with the owner of the last of those that cover them."""
        for position, owner in enumerate(self._owners):
            if owner != _NO_OWNER:
                is_last = position + 1 == len(self._starts)
                end = _LAST_ADDRESS + 1 if is_last else self._starts[position + 1]
                yield Range(self._starts[position], end), owner
