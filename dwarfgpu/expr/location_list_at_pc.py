"""Which entries of a location list describe an object at a program location (A.2.5.5)."""

from __future__ import annotations

from dwarfgpu.errors import EvaluationError
from dwarfgpu.expr.context import LocationListEntry


def matching_entries(
    entries: tuple[LocationListEntry, ...], pc: int | None
) -> list[LocationListEntry]:
    """The entries that match a program location: bounded ones, else the default (A.2.5.5)."""
    if pc is None:
        raise EvaluationError("a location list needs a program location, and the context has none")
    bounded = [
        entry
        for entry in entries
        if entry.begin is not None and entry.end is not None and entry.begin <= pc < entry.end
    ]
    return bounded or [entry for entry in entries if entry.begin is None]
