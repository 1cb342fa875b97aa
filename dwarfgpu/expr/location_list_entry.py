"""Location list expressions (A.2.5.5): their entries, and those that apply at a program location.

`dwarf/location_lists.py` reads them from a file, and `expr/evaluate.py` evaluates them.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import le
from typing import NamedTuple

from dwarfgpu.errors import EvaluationError


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
    """The entries of a location list in the order of their ranges, which do not overlap: each frame
    of a deep stack asks for one of them."""

    def __init__(self, entries: tuple[LocationListEntry, ...]) -> None:
        self._bounded = [entry for entry in entries if entry.begin is not None]
        self._default = [entry for entry in entries if entry.begin is None]
        self._begins = [entry.begin or 0 for entry in self._bounded]
        ends = [entry.end or 0 for entry in self._bounded]
        self.is_ordered = all(map(le, self._begins, ends)) and all(map(le, ends, self._begins[1:]))

    def matching(self, pc: int) -> list[LocationListEntry]:
        """Return what `matching_entries` returns."""
        index = bisect_right(self._begins, pc) - 1
        if index >= 0:
            entry = self._bounded[index]
            if entry.end is not None and pc < entry.end:
                return [entry]
        return self._default


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
