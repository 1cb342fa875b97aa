"""Address ranges (DWARF 5 2.17), and unions, intersections and differences of sets of them.

`location_lists` reads range lists.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter
from typing import Final, NamedTuple


class Range(NamedTuple):
    """Addresses of the file from `begin` to before `end`."""

    begin: int
    end: int

    def covers(self, address: int) -> bool:
        return self.begin <= address < self.end


def listed_spans(spans: tuple[Range, ...]) -> str:
    """Return the first ranges as text."""
    more = " …" if len(spans) > _LISTED else ""
    return " ".join(f"[{span.begin:#x},{span.end:#x})" for span in spans[:_LISTED]) + more


_LISTED: Final = 4
_new: Final = tuple.__new__
"""Makes a `Range` in half of the time of the class: sets of ranges have several per variable."""


def merged(spans: Iterable[Range]) -> tuple[Range, ...]:
    """Return the spans in order, adjacent and overlapping ones merged."""
    out: list[Range] = []
    last = -1
    for span in sorted(spans):
        begin, end = span
        if begin > last:
            out.append(span)
            last = end
        elif end > last:
            out[-1] = _new(Range, (out[-1][0], end))
            last = end
    return tuple(out)


def covers(spans: tuple[Range, ...], address: int) -> bool:
    """Return whether one of `merged` spans covers an address."""
    index = bisect_right(spans, address, key=itemgetter(0)) - 1
    return index >= 0 and address < spans[index].end


def common(some: tuple[Range, ...], second_list: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return the addresses that two `merged` tuples share, as one."""
    if len(second_list) == 1 and some:
        begin, end = second_list[0]
        if begin <= some[0][0] and some[-1][1] <= end:  # most variables of a function
            return some
    out: list[Range] = []
    first = second = 0
    while first < len(some) and second < len(second_list):
        left, right = some[first], second_list[second]
        (left_begin, left_end), (right_begin, right_end) = left, right
        begin = left_begin if left_begin > right_begin else right_begin
        end = left_end if left_end < right_end else right_end
        if begin < end:
            if begin == left_begin and end == left_end:
                out.append(left)
            else:
                out.append(_new(Range, (begin, end)))
        if left_end <= right_end:
            first += 1
        else:
            second += 1
    return tuple(out)


def contains(some: tuple[Range, ...], span: Range) -> bool:
    """Return whether one of `merged` spans contains a whole range."""
    index = bisect_right(some, span.begin, key=itemgetter(0)) - 1
    return index >= 0 and span.end <= some[index].end


def without(some: tuple[Range, ...], removed: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return the ranges of one merged tuple that another one does not contain."""
    out: list[Range] = []
    index, count = 0, len(removed)
    for span in some:
        begin, end = span
        while index < count and removed[index][1] <= begin:
            index += 1
        next_index, is_whole = index, True
        while next_index < count and removed[next_index][0] < end:
            first, last = removed[next_index]
            if begin < first:
                out.append(_new(Range, (begin, first)))
            if last > begin:
                begin = last
            is_whole = False
            next_index += 1
        if begin < end:
            out.append(span if is_whole else _new(Range, (begin, end)))
        if next_index - 1 > index:
            index = next_index - 1
    return tuple(out)


def size_bytes(spans: Iterable[Range]) -> int:
    """Return the size of ranges that do not overlap."""
    size = 0
    for begin, end in spans:
        size += end - begin
    return size
