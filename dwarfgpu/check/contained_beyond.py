"""Types that contain themselves through types of other units, by their offsets in the section or
their signatures (DWARF 5 5.7, 7.5.5).

Law: what a unit keeps is what leads out of it; a circle within one unit is reported there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.check.entry_chains import EntryChains, EntryOfUnit
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

Beyond: TypeAlias = tuple[int, int]
"""A form, and the value by which it names a type: its offset in the section, or its signature."""
BEYOND: Final = frozenset({dw.FORM_REF_ADDR, dw.FORM_REF_SIG8})


@frozen(eq=False)
class LeadingOut:
    """The types of one unit that contain types of others, by offsets in the unit."""

    unit: CompilationUnit
    within: dict[int, list[int]]
    """What each of them contains in the unit, if that leads out of it, too."""
    beyond: dict[int, list[Beyond]]
    records: frozenset[int]
    """Those that are structures: other types consist of one type."""


def leading_out(
    unit: CompilationUnit,
    contained: dict[int, list[int]],
    beyond: dict[int, list[Beyond]],
    records: frozenset[int],
) -> LeadingOut:
    """Return the part of what the types of a unit contain that leads out of it."""
    above: dict[int, list[int]] = {}
    for source, targets in contained.items():
        for target in targets:
            above.setdefault(target, []).append(source)
    reached, waiting = set(beyond), list(beyond)
    while waiting:
        for source in above.get(waiting.pop(), ()):
            if source not in reached:
                reached.add(source)
                waiting.append(source)
    within = {
        source: leading
        for source in reached & contained.keys()
        if (leading := [target for target in contained[source] if target in reached])
    }
    return LeadingOut(unit, within, beyond, records & reached)


@define(eq=False)
class ContainedBeyond:
    """What the types of all units contain that lead out of their units."""

    _units: dict[CompilationUnit, LeadingOut] = field(init=False, factory=dict)

    def add(self, part: LeadingOut) -> None:
        """Add a unit."""
        self._units[part.unit] = part

    def circles(self, chains: EntryChains) -> Iterator[EntryOfUnit]:
        """Yield a structure of each circle of structures that is in several units."""
        if not any(part.records for part in self._units.values()):
            return  # other types alone are a circle of entries, which `EntryChains` finds
        finished = set[EntryOfUnit]()
        for unit, part in self._units.items():
            for offset in part.beyond:
                yield from self._search((unit, offset), finished, chains)

    def _search(
        self, start: EntryOfUnit, finished: set[EntryOfUnit], chains: EntryChains
    ) -> Iterator[EntryOfUnit]:
        """Yield the circles to which a type leads: a search in depth that meets its own path."""
        if start in finished:
            return
        path = [(start, iter(self._targets(start, chains)))]
        depths = {start: 0}
        crossings = [0]
        """How many references of the path may leave a unit, up to each of its types."""
        structures = [start if self._is_record(start) else None]
        """The last structure up to each of its types."""
        while path:
            node, targets = path[-1]
            target, is_beyond = next(targets, (None, False))
            if target is None:
                path.pop(), crossings.pop(), structures.pop()
                del depths[node]
                finished.add(node)
            elif target in depths:
                is_beyond = is_beyond or crossings[-1] > crossings[depths[target]]
                last = structures[-1]
                if is_beyond and last is not None and depths[last] >= depths[target]:
                    yield last
            elif target not in finished:
                depths[target] = len(path)
                path.append((target, iter(self._targets(target, chains))))
                crossings.append(crossings[-1] + is_beyond)
                structures.append(target if self._is_record(target) else structures[-1])

    def _is_record(self, node: EntryOfUnit) -> bool:
        part = self._units.get(node[0])
        return part is not None and node[1] in part.records

    def _targets(
        self, node: EntryOfUnit, chains: EntryChains
    ) -> Iterator[tuple[EntryOfUnit, bool]]:
        """Yield what a type contains, in any unit, and whether the reference may leave its own."""
        unit, offset = node
        part = self._units.get(unit)
        if part is None:
            return
        for target in part.within.get(offset, ()):
            yield (unit, target), False
        for form, value in part.beyond.get(offset, ()):
            try:
                entry = _entry_at(unit, form, value, chains)
            except DwarfGpuError:  # reported where it is looked up
                continue
            if entry is not None:
                yield (entry[0], entry[1] - entry[0].offset), True


def _entry_at(
    unit: CompilationUnit, form: int, value: int, chains: EntryChains
) -> EntryOfUnit | None:
    if form == dw.FORM_REF_SIG8:
        return chains.of_signature(unit, value)
    other = unit.info.unit_at(value)
    return None if other is None else (other, value)
