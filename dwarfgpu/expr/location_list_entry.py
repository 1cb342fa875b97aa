"""Location list expressions (A.2.5.5): their entries, and those that apply at a program location.

`dwarf/location_lists.py` reads them from a file, and `expr/evaluate.py` evaluates them.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from operator import le
from typing import TYPE_CHECKING, Final, NamedTuple

from dwarfgpu.base.cached import cached_property
from dwarfgpu.errors import EvaluationError

if TYPE_CHECKING:
    from dwarfgpu.base.span_index import SpanIndex

_MANY_ENTRIES: Final = 1_000
"""Of a list in no order: it gets an index."""
_ENTRIES_OF_AN_ANSWER: Final = 64
"""Entries that are compared in the time in which the index finds one."""


class LocationListEntry(NamedTuple):
    """A bounded or, without bounds, default location description (A.2.5.5)."""

    expression: bytes
    begin: int | None
    """First program location covered, as loaded; None for the default entry."""
    end: int | None
    """First program location past the range."""
    base: int | None = None
    """The base address that the list sets before it, as in the file."""

    @property
    def is_empty(self) -> bool:
        """Whether it covers no program location."""
        return self.begin is not None and self.begin == self.end


class EntriesByPc:
    """The entries of a long location list by program location.

    Each frame of a deep stack asks for one of them: in a list whose ranges are in order and do not
    overlap it is searched. Variables may share a list, and are read at one program location: in any
    other list the last answer is kept, and a long one gets an index for the next locations.
    """

    def __init__(self, entries: tuple[LocationListEntry, ...]) -> None:
        self._entries = entries
        self._last: tuple[int, list[LocationListEntry], tuple[bytes, ...]] | None = None
        self._bounded = [entry for entry in entries if entry.begin is not None]
        self._default = [entry for entry in entries if entry.begin is None]
        self._begins = [entry.begin or 0 for entry in self._bounded]
        ends = [entry.end or 0 for entry in self._bounded]
        self.is_ordered = (
            len(self._default) <= 1
            and all(map(le, self._begins, ends))
            and all(map(le, ends, self._begins[1:]))
        )

    def matching(self, pc: int) -> list[LocationListEntry]:
        """Return what `matching_entries` returns."""
        if not self.is_ordered:
            return self._compared(pc)[0]
        index = bisect_right(self._begins, pc) - 1
        if index >= 0:
            entry = self._bounded[index]
            if entry.end is not None and pc < entry.end:
                return [entry]
        return self._default

    def expressions(self, pc: int) -> tuple[bytes, ...]:
        """Return the expressions of those entries, each once."""
        return distinct_expressions(self.matching(pc)) if self.is_ordered else self._compared(pc)[1]

    def must_compare(self, pc: int | None) -> bool:
        """Return whether an answer costs work in proportion to the entries, as each new location's
        may."""
        return not self.is_ordered and (self._last is None or self._last[0] != pc)

    def _compared(self, pc: int) -> tuple[list[LocationListEntry], tuple[bytes, ...]]:
        last = self._last
        if last is None or last[0] != pc:
            is_second = last is not None and len(self._entries) > _MANY_ENTRIES
            matching = self._covering(pc) if is_second else matching_entries(self._entries, pc)
            last = self._last = pc, matching, distinct_expressions(matching)
        return last[1:]

    def _covering(self, pc: int) -> list[LocationListEntry]:
        """Return the entries that match, those of few by the index: it takes more for each."""
        most = len(self._entries) // _ENTRIES_OF_AN_ANSWER
        indexes = list(islice(self._spans.covering(pc), most + 1))
        if len(indexes) > most:
            return matching_entries(self._entries, pc)
        return [self._entries[index] for index in sorted(indexes)] or self._default

    @cached_property
    def _spans(self) -> SpanIndex[int]:
        """The indexes of the entries by their ranges."""
        from dwarfgpu.base.span_index import SpanIndex  # few lists are long and in no order

        return SpanIndex(
            ((entry.begin, entry.end), index)
            for index, entry in enumerate(self._entries)
            if entry.begin is not None and entry.end is not None
        )


def distinct_expressions(entries: list[LocationListEntry]) -> tuple[bytes, ...]:
    """Return the expressions of entries, each once."""
    return tuple(dict.fromkeys([entry.expression for entry in entries]))


def matching_entries(
    entries: tuple[LocationListEntry, ...], pc: int | None
) -> list[LocationListEntry]:
    """Return the entries that match a program location: bounded ones, or else the default
    (A.2.5.5)."""
    if pc is None:
        raise EvaluationError("a location list needs a program location, and the context has none")
    bounded = [
        entry
        for entry in entries
        if entry.begin is not None and entry.end is not None and entry.begin <= pc < entry.end
    ]
    return bounded or [entry for entry in entries if entry.begin is None]
