"""The units of a file that have a name, with the tags of its entries: the arrays of the index
cache.

The arrays are of 32-bit little-endian numbers, one after the other: where each name starts among
the texts, and at which posting its postings start, each with one more for the end; the postings, a
number of a unit and a kind each; the units that may have any name. The texts, which are sorted and
end with a zero each, come last.

Law: a unit that `units` leaves out has no entry with such a name. Content is not trusted beyond its
checksum: what does not fit is an `IndexError` or `ValueError` of the look-up.
"""

from __future__ import annotations

import string
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from struct import Struct
from typing import Final

NO_TAG: Final = 0
"""The kind of a string that names no entry, as a linkage name does."""
OTHER_TAG: Final = 0x7F
"""The kind of all tags from this number on."""
DECLARATION: Final = 0x80
"""Is added to the kind of entries that are declarations."""
_KIND_BITS: Final = 8
MAX_UNITS: Final = 1 << 32 - _KIND_BITS
_LETTERS: Final = frozenset(b"_" + string.ascii_letters.encode())
"""The first letters of identifiers; in mangled names these begin after digits."""
_COUNTS: Final = Struct("<5I")
"""Units of the file; names; postings; units with any name; bytes of the texts."""


class UnitNames:
    """The names of the units of one file."""

    def __init__(self, content: memoryview, unit_count: int) -> None:
        """`content`: what `encoded` made; `ValueError` where it is of a file with other units."""
        if len(content) < _COUNTS.size:
            raise ValueError("the index has no counts")
        units, names, postings, anywhere, text_bytes = _COUNTS.unpack_from(content)
        arrays = [names + 1, names + 1, postings, anywhere]
        if units != unit_count or len(content) != _COUNTS.size + 4 * sum(arrays) + text_bytes:
            raise ValueError("the index is of another file")
        offset = _COUNTS.size
        parts: list[Sequence[int]] = []
        for count in arrays:
            parts.append(_numbers(content[offset : offset + 4 * count]))
            offset += 4 * count
        self._starts, self._firsts, self._postings, self.anywhere = parts
        """`anywhere`: the units that may have any name."""
        self._texts = bytes(content[offset:])
        self._count = names

    def units(self, texts: Iterable[bytes]) -> set[int]:
        """Return the units with a name that begins with one of these texts; one that ends with a
        zero is a whole name."""
        return {
            posting >> _KIND_BITS for text in texts for posting in self._postings_of(text)
        }.union(self.anywhere)

    def units_containing(
        self, text: bytes, kinds: Collection[int] | None = None, *, is_beginning: bool = False
    ) -> set[int]:
        """Return the units with a name that has a text in it, of an entry of these kinds, if given.
        `is_beginning`: an identifier in the name begins with it."""
        units, offset = set(self.anywhere), self._texts.find(text)
        while offset >= 0:
            if is_beginning and offset and self._texts[offset - 1] in _LETTERS:
                offset = self._texts.find(text, offset + 1)
                continue
            name = bisect_right(self._starts, offset) - 1
            first, end = self._firsts[name], self._firsts[name + 1]
            units.update(
                posting >> _KIND_BITS
                for posting in self._postings[first:end]
                if kinds is None or posting & 0xFF in kinds
            )
            following = self._starts[name + 1]
            if following <= offset:
                raise ValueError("the names are not in order")
            offset = self._texts.find(text, following)
        return units

    def units_defining(self, texts: Iterable[bytes], tags: Collection[int]) -> set[int]:
        """Return the units with such a name of an entry with one of these tags that is not
        a declaration, or that completes a declaration with the name."""
        kinds = {kind_of(tag) for tag in tags}
        return {
            posting >> _KIND_BITS
            for text in texts
            for posting in self._postings_of(text)
            if posting & 0xFF in kinds
        }.union(self.anywhere)

    def _postings_of(self, text: bytes) -> Sequence[int]:
        """Return the postings of all names that begin with a text."""
        first = bisect_left(range(self._count), text, key=self._text)
        last = first
        while last < self._count and self._text(last).startswith(text):
            last += 1
        return self._postings[self._firsts[first] : self._firsts[last]]

    def _text(self, name: int) -> bytes:
        return self._texts[self._starts[name] : self._starts[name + 1]]


def kind_of(tag: int) -> int:
    """Return the kind of entries with a tag."""
    return min(tag, OTHER_TAG)


def kinds_of(tags: Collection[int], declared: Collection[int]) -> frozenset[int]:
    """Return the kinds of entries with the first tags that are not declarations, of entries with
    the others, and of strings that name no entry."""
    kinds = {NO_TAG, *map(kind_of, tags), *map(kind_of, declared)}
    return frozenset(kinds | {kind_of(tag) | DECLARATION for tag in declared})


def encoded(
    unit_count: int, postings: Mapping[bytes, Collection[tuple[int, int]]], anywhere: Iterable[int]
) -> tuple[bytes, ...]:
    """Return the arrays of a file, in parts. `postings`: units and kinds of each name."""
    starts, firsts, numbers = array("I", [0]), array("I", [0]), array("I")
    names = sorted(name + b"\0" for name in postings)
    text_bytes = 0
    for name in names:
        text_bytes += len(name)
        starts.append(text_bytes)
        numbers.extend(sorted(unit << _KIND_BITS | kind for unit, kind in postings[name[:-1]]))
        firsts.append(len(numbers))
    unspecific = array("I", sorted(anywhere))
    counts = _COUNTS.pack(unit_count, len(names), len(numbers), len(unspecific), text_bytes)
    arrays = (starts, firsts, numbers, unspecific)
    if sys.byteorder == "big":
        for numbers_ in arrays:
            numbers_.byteswap()
    return counts, *(numbers_.tobytes() for numbers_ in arrays), b"".join(names)


def _numbers(data: memoryview) -> Sequence[int]:
    """Return little-endian numbers; on other machines a copy of them."""
    if sys.byteorder == "little":
        return data.cast("I")
    numbers = array("I", data)
    numbers.byteswap()
    return numbers
