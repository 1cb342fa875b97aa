"""Find the address ranges that cover an address, or a part of a range, among many.

Law: a question costs a binary search, and some steps for each range that covers the address,
however many others are around it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Generic, TypeVar

T = TypeVar("T")
_BLOCK: Final = 32
"""Ranges, or blocks of them, that have one highest end."""


class SpanIndex(Generic[T]):
    """Address ranges, each from its begin to before its end, with what they belong to."""

    def __init__(self, spans: Iterable[tuple[tuple[int, int], T]]) -> None:
        ordered = sorted(
            (span for span in spans if span[0][0] < span[0][1]), key=lambda pair: pair[0]
        )
        self._begins: Sequence[int] = [begin for (begin, _), _ in ordered]
        self._ends: Sequence[int] = [end for (_, end), _ in ordered]
        self._owners: Sequence[T] = [owner for _, owner in ordered]
        self._reach = _reach(self._ends)

    @classmethod
    def of_columns(
        cls, begins: Sequence[int], ends: Sequence[int], owners: Sequence[T]
    ) -> SpanIndex[T]:
        """Return the index of ranges that are not empty, in the order of their begins: packed
        arrays take less memory than objects."""
        index = cls(())
        index._begins, index._ends, index._owners = begins, ends, owners
        index._reach = _reach(ends)
        return index

    def __iter__(self) -> Iterator[tuple[tuple[int, int], T]]:
        """Yield all of them, by address."""
        for begin, end, owner in zip(self._begins, self._ends, self._owners, strict=True):
            yield (begin, end), owner

    def __len__(self) -> int:
        return len(self._begins)

    def covering(self, address: int) -> Iterator[T]:
        """Yield the items that cover an address, the one that begins last first."""
        return self.overlapping(address, address + 1)

    def overlapping(self, begin: int, end: int) -> Iterator[T]:
        """Yield the items that cover an address of a range, the one that begins last first."""
        last = bisect_left(self._begins, end) - 1 if begin < end else -1
        index = self._reaching(last, begin)
        while index >= 0:
            yield self._owners[index]
            index = self._reaching(index - 1, begin)

    def _reaching(self, index: int, address: int) -> int:
        """Return the last range up to an index that ends beyond an address; -1 if none does."""
        if index >= 0 and self._ends[index] > address:  # nearly always
            return index
        level = 0
        while index >= 0:  # up, past blocks that end before
            first = index // _BLOCK * _BLOCK
            reaching = _last_beyond(self._reach[level], first, index, address)
            if reaching >= 0:
                break
            level += 1
            index = first // _BLOCK - 1
        else:
            return -1
        while level:  # and down, into the block that does not
            level -= 1
            last = min(reaching * _BLOCK + _BLOCK, len(self._reach[level])) - 1
            reaching = _last_beyond(self._reach[level], reaching * _BLOCK, last, address)
        return reaching


def _reach(ends: Sequence[int]) -> list[Sequence[int]]:
    """Return the ends; the highest end of each block of them; that of each block of blocks; …"""
    reach = [ends]
    while len(reach[-1]) > _BLOCK:
        last = reach[-1]
        blocks = (last[start : start + _BLOCK] for start in range(0, len(last), _BLOCK))
        reach.append([max(block) for block in blocks])
    return reach


def _last_beyond(ends: Sequence[int], first: int, last: int, address: int) -> int:
    """Return the last index of a range of them whose end is beyond an address; -1 if none is."""
    for index in range(last, first - 1, -1):
        if ends[index] > address:
            return index
    return -1
