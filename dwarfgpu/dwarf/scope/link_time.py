"""Variables of programs that GCC optimized at link time (-flto).

The units of the sources name and declare them, without locations. A unit that is written at link
time has an entry for each variable that remains, with its location and DW_AT_abstract_origin: the
entry of the source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

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


class _Completing:
    """The entries of link-time units, keyed by their origins and, for a variable that several
    sources define as one (`inline`), by its linkage name."""

    def __init__(self) -> None:
        self._tables: tuple[dict[Die, Die], dict[str, Die]] | None = None

    def entry(self, die: Die) -> Die | None:
        if self._tables is None:
            self._tables = _tables(die)
        by_origin, by_name = self._tables
        completing = by_origin.get(die)
        if completing is not None or not by_name:
            return completing
        name = _linkage_name(die)
        return None if name is None else by_name.get(name)


def _tables(die: Die) -> tuple[dict[Die, Die], dict[str, Die]]:
    """Return the entries of a file by their origins and by their linkage names, the first of
    each."""
    by_origin: dict[Die, Die] = {}
    by_name: dict[str, Die] = {}
    for entry in _entries(die):
        origin = entry.reference(dw.AT_ABSTRACT_ORIGIN)
        if origin is not None:
            by_origin.setdefault(origin, entry)
            name = _linkage_name(origin)
            if name is not None:
                by_name.setdefault(name, entry)
    return by_origin, by_name


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
                    elif abbreviation.tag == dw.TAG_VARIABLE and abbreviation.has_location:
                        entry = unit.die(index)
                        if entry.has(dw.AT_ABSTRACT_ORIGIN) and _is_fixed(entry):
                            yield entry
        except DwarfGpuError:
            continue  # what names the variable reports it


def _is_fixed(variable: Die) -> bool:
    """Return whether no frame is needed to know where a variable is."""
    parent = variable.parent()
    if parent is None or parent.tag in CONTAINERS:
        return True
    location = variable.unit.location_attribute(variable)
    return isinstance(location, ExprLoc) and may_be_dropped(location.expression)
