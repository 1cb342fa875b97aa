"""Compare the single locations of a location description: they hold the same bits, or the DWARF is
ill-formed (A.2.5.3).

Reading needs one of them only; the comparison runs on request (`--verify-places`).
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.model.location import SingleLocation
from dwarfgpu.model.object import Bits

MAX_FINDINGS: Final = 64
"""Findings that are kept."""


@frozen
class LocationFinding:
    """A single location whose bits differ from those of an earlier one, or that cannot be read."""

    index: int
    single: SingleLocation
    earlier_index: int | None
    """Index of the earlier one whose bits differ; None if this one cannot be read."""
    earlier: SingleLocation | None
    reason: str = ""
    """Why it cannot be read."""


@define(eq=False)
class Comparison:
    """Findings for all location descriptions with several single locations, in reading order."""

    _findings: dict[LocationFinding, None] = field(factory=dict, init=False)

    def of(self, singles: tuple[SingleLocation, ...]) -> ComparedLocations:
        """Return what collects their contents, for one read of a location."""
        return ComparedLocations(self, singles)

    def add(self, finding: LocationFinding) -> None:
        if len(self._findings) < MAX_FINDINGS:
            self._findings[finding] = None

    def take_findings(self) -> tuple[LocationFinding, ...]:
        """Return the findings since the last call."""
        differences = tuple(self._findings)
        self._findings.clear()
        return differences


@define(eq=False)
class ComparedLocations:
    """The single locations of one location description while they are read."""

    comparison: Comparison
    single_locations: tuple[SingleLocation, ...]
    _distinct_contents: list[tuple[int, Bits]] = field(factory=list, init=False)
    """The distinct contents so far, each with the index of the first that holds it."""

    def read(self, index: int, bits: Bits) -> None:
        """Record the contents of a single location; undefined bits match anything."""
        if bits.unavailable:
            self.unread(index, next(iter(bits.reasons), "the machine does not provide its bits"))
        for earlier_index, contents in self._distinct_contents:
            if (contents.value ^ bits.value) & ~(contents.unknown | bits.unknown):
                self.comparison.add(
                    LocationFinding(
                        index,
                        self.single_locations[index],
                        earlier_index,
                        self.single_locations[earlier_index],
                    )
                )
                return
        if all(
            (contents.value, contents.unknown) != (bits.value, bits.unknown)
            for _, contents in self._distinct_contents
        ):
            self._distinct_contents.append((index, bits))

    def unread(self, index: int, reason: str) -> None:
        """Add one that cannot be read, and the reason."""
        self.comparison.add(
            LocationFinding(index, self.single_locations[index], None, None, reason)
        )
