"""Variables of programs that GCC optimized at link time (-flto).

The units of the sources name and declare them, without locations. A unit that is written at link
time has an entry for each variable that remains, with its location and DW_AT_abstract_origin: the
entry of the source. A thread-local one of AArch64 has no location there, either.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.dropped_data import may_be_dropped
from dwarfgpu.dwarf.scope.scope_entries import BLOCKS, CONTAINERS, FUNCTIONS
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ExprLoc

if TYPE_CHECKING:
    from dwarfgpu.dwarf.debug_info import DebugInfo
    from dwarfgpu.dwarf.unit import CompilationUnit

_SCOPES: Final = CONTAINERS | BLOCKS | FUNCTIONS
_PRODUCER: Final = "GNU GIMPLE"
"""How GCC's name begins as the producer of such a unit."""


def is_link_time(unit: CompilationUnit) -> bool:
    """Return whether a unit was written at link time."""
    return unit.producer.startswith(_PRODUCER)


def source_unit(function: Die, unit: CompilationUnit) -> CompilationUnit:
    """Return the unit of the source of a function: another one than that of its code, if that was
    written at link time."""
    if not is_link_time(function.unit):
        return unit
    return list(function.origins())[-1].unit


def completing(die: Die) -> Die | None:
    """Return the entry with the location of a variable of a source; None if there is none."""
    return die.unit.sections.program.shared(_Completing).entry(die)


def unlocated(die: Die) -> Die | None:
    """Return the entry without a location of a variable of a source that remains; None if there is
    none."""
    return die.unit.sections.program.shared(_Completing).unlocated(die)


class _Completing:
    """The entries of link-time units, keyed by their origins and, for a variable that several
    sources define as one (`inline`), by its linkage name."""

    def __init__(self) -> None:
        self._tables: _Tables | None = None

    def _read(self, die: Die) -> _Tables:
        if self._tables is None:
            self._tables = _tables(die)
        return self._tables

    def unlocated(self, die: Die) -> Die | None:
        return self._read(die).unlocated.get(die)

    def entry(self, die: Die) -> Die | None:
        by_origin, by_name, _ = self._read(die)
        completing = by_origin.get(die)
        if completing is not None or not by_name:
            return completing
        name = _linkage_name(die)
        return None if name is None else by_name.get(name)


class _Tables(NamedTuple):
    """The entries of a file, the first of each key."""

    by_origin: dict[Die, Die]
    by_name: dict[str, Die]
    unlocated: dict[Die, Die]
    """Those without a location, by their origins."""


def _tables(die: Die) -> _Tables:
    """Return the entries of a file by their origins and by their linkage names."""
    by_origin, by_name, unlocated = tables = _Tables({}, {}, {})
    for entry in _entries(die):
        origin = entry.reference(dw.AT_ABSTRACT_ORIGIN)
        if origin is not None and not entry.abbreviation.has_location:
            unlocated.setdefault(origin, entry)
        elif origin is not None:
            by_origin.setdefault(origin, entry)
            name = _linkage_name(origin)
            if name is not None:
                by_name.setdefault(name, entry)
    return tables


def _linkage_name(die: Die) -> str | None:
    """Return the linkage name of a variable that other files can mean."""
    for holder in die.origins():
        if holder.flag(dw.AT_EXTERNAL):
            return holder.linkage_name
    return None


def _entries(die: Die) -> Iterator[Die]:
    """Yield the variables in link-time units of a file: those outside of functions, and those in
    functions that are at a fixed address."""
    for unit in cast("DebugInfo", die.unit.info).units:
        try:
            if not is_link_time(unit):
                continue
            tree = unit.tree
            pending = [0] if len(tree.offsets) else []
            while pending:
                for index in tree.children(pending.pop()):
                    abbreviation = tree.abbreviations[index]
                    if abbreviation.tag in _SCOPES:
                        pending.append(index)
                    elif abbreviation.tag == dw.TAG_VARIABLE:
                        entry = unit.die(index)
                        if entry.has(dw.AT_ABSTRACT_ORIGIN) and _is_fixed(entry):
                            yield entry
        except DwarfGpuError:
            continue  # what names the variable reports it


def _is_fixed(variable: Die) -> bool:
    """Return whether no frame is needed to know where a variable is."""
    parent = variable.parent()
    if parent is None or parent == variable.unit.root or parent.tag in CONTAINERS:
        return True
    location = variable.unit.location_attribute(variable)
    return isinstance(location, ExprLoc) and may_be_dropped(location.expression)
