"""Which entries of an abstract instance a scope has as concrete ones (DWARF 5 3.3.8.2).

Law: a function is searched once, however many blocks in one another ask for theirs.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, DATA, FUNCTIONS
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_INNER = BLOCKS - FUNCTIONS
_HOLDERS = _INNER | {dw.TAG_COMMON_BLOCK}
"""What has data entries of the function in it."""
_MOST_INSTANCES: Final = 100_000
"""Entries of a unit that are compared with a variable."""


@frozen(eq=False)
class _Instances:
    """The data entries of a function, its blocks and common blocks, without inlined calls."""

    indexes: dict[Die, list[int]] = field(factory=dict)
    """Where in their unit those are that inherit from an entry, in the order of the file."""
    errors: list[tuple[int, DwarfGpuError]] = field(factory=list)
    """Those whose origins cannot be read."""


class ConcreteEntries:
    """The data entries of one scope, and of its blocks, into which producers move them."""

    def __init__(self, scope: Die) -> None:
        self._instances = _instances_around(scope)
        self._first = scope.index
        self._end = scope.unit.tree.ends[self._first]
        for index, error in self._instances.errors:
            if self._first <= index < self._end:
                raise error.with_traceback(None)

    def __contains__(self, origin: Die) -> bool:
        """Return whether one of them inherits from an entry, or is that."""
        indexes = self._instances.indexes.get(origin, [])
        following = bisect_left(indexes, self._first)
        return following < len(indexes) and indexes[following] < self._end


@kept_with(first)
def _known(unit: CompilationUnit) -> dict[int, _Instances]:
    """Return what is known of the unit, by the indexes of functions and blocks."""
    return {}


def _instances_around(scope: Die) -> _Instances:
    """Return the instances in the function of a scope."""
    known = _known(scope.unit)
    if scope.index not in known:
        function = scope
        while function.tag in _INNER and (above := function.parent()) is not None:
            function = above
        known.update(_searched(function))  # once it is whole: other threads may ask
    return known[scope.index]


def _searched(function: Die) -> dict[int, _Instances]:
    """Return the instances in a function, by the indexes of it and its blocks."""
    unit, instances = function.unit, _Instances()
    by_index: dict[int, _Instances] = {}
    abbreviations = unit.tree.abbreviations
    pending = [function.index]
    while pending:
        scope = pending.pop()
        by_index[scope] = instances
        for index in unit.tree.children(scope):
            tag = abbreviations[index].tag
            if tag in _HOLDERS:
                pending.append(index)
            elif tag in DATA:
                try:
                    for origin in unit.die(index).origins():
                        instances.indexes.setdefault(origin, []).append(index)
                except DwarfGpuError as error:
                    instances.errors.append((index, error.with_traceback(None)))
    for indexes in instances.indexes.values():
        indexes.sort()
    return by_index


def may_have_location(declared: Die) -> bool:
    """Return whether a variable may have a location or value: an instance in its unit has one, or
    the instances are in another unit, as with -flto, or too many to look at."""
    unit, remaining = declared.unit, _MOST_INSTANCES
    of_unit = unit.root.abbreviation.positions
    if dw.AT_LOW_PC not in of_unit and dw.AT_RANGES not in of_unit:
        return True
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        if abbreviation.has_location and dw.AT_ABSTRACT_ORIGIN in abbreviation.positions:
            remaining -= 1
            if not remaining or declared in unit.die(index).origins():
                return True
    return declared.abbreviation.has_location
