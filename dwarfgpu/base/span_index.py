"""Find the address ranges that cover an address, among many.

Law: a question costs a binary search and the ranges that reach that far, however they overlap.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Generic, TypeVar

T = TypeVar("T")


class SpanIndex(Generic[T]):
    """Address ranges, each from its begin to before its end, with what they belong to."""

    def __init__(self, spans: Iterable[tuple[tuple[int, int], T]]) -> None:
        self._spans = sorted(
            (span for span in spans if span[0][0] < span[0][1]), key=lambda pair: pair[0]
        )
        self._begins = [begin for (begin, _), _ in self._spans]
        self._reach = list(accumulate((end for (_, end), _ in self._spans), max))
        """The highest end of a range and all before it."""

    def __iter__(self) -> Iterator[tuple[tuple[int, int], T]]:
        """Yield all of them, by address."""
        return iter(self._spans)

    def __len__(self) -> int:
        return len(self._spans)

    def covering(self, address: int) -> Iterator[T]:
        """Yield the items that cover an address, the one that begins last first."""
        index = bisect_right(self._begins, address) - 1
        while index >= 0 and self._reach[index] > address:
            (_, end), owner = self._spans[index]
            if address < end:
                yield owner
            index -= 1
