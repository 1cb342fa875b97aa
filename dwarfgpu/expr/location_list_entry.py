"""Location list expressions (A.2.5.5): their entries, and those that apply at a program location.

`dwarf/location_lists.py` reads them from a file, and `expr/evaluate.py` evaluates them.
"""

from __future__ import annotations

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
