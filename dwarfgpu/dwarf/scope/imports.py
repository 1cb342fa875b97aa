"""Units that a unit imports, and units in which its names are (DWARF 5 3.2.5, 3.1.4, 7.3.6).

Law: each unit once, whatever imports what.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import DwarfGpuError

if TYPE_CHECKING:
    from dwarfgpu.dwarf.info import DebugInfo
    from dwarfgpu.dwarf.unit import CompilationUnit, TypeSource


def has_imports(unit: CompilationUnit) -> bool:
    """Whether the unit may import others: whether its abbreviations have the tag."""
    return any(
        abbreviation.tag == dw.TAG_IMPORTED_UNIT for abbreviation in unit.abbreviations.values()
    )


def imported_units(
    unit: CompilationUnit, visited: set[CompilationUnit] | None = None
) -> Iterator[CompilationUnit]:
    """The units that a unit imports, also by way of others, in the order in which they are met.

    An import that cannot be followed is an error when all others are done. `visited`: units that
    are left out with what they import; those of this call are added. A search from many units has
    one set for all, because units may import one another in circles.
    """
    visited = set() if visited is None else visited
    if unit in visited:
        return
    visited.add(unit)
    pending = deque([unit])
    problem: DwarfGpuError | None = None
    while pending:
        for imported in _imports(pending.popleft()):
            if isinstance(imported, DwarfGpuError):
                problem = problem or imported
            elif imported not in visited:
                visited.add(imported)
                pending.append(imported)
                yield imported
    if problem is not None:
        raise problem


def _imports(unit: CompilationUnit) -> Iterator[CompilationUnit | DwarfGpuError]:
    if not has_imports(unit):
        return
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        if abbreviation.tag == dw.TAG_IMPORTED_UNIT:
            try:
                target = unit.die(index).reference(dw.AT_IMPORT)
                if target is not None:
                    yield target.unit.full
            except DwarfGpuError as error:
                yield error


def searched_units(
    unit: CompilationUnit, visited: set[CompilationUnit] | None = None
) -> Iterator[CompilationUnit]:
    """The units in which a search for variables in a unit of the file looks: of a skeleton the
    split unit; then units of a supplementary file that it imports. `visited`: as of
    `imported_units`."""
    full = unit.full
    yield full
    for imported in imported_units(full, visited):
        if imported.info is not full.info:
            yield imported


def units_with_names(
    info: DebugInfo, likely: Iterable[CompilationUnit] = ()
) -> Iterator[CompilationUnit]:
    """Every unit in which a name of a file may be, once: the likely ones first, type units of split
    files last; what cannot be found is left out."""
    visited: set[CompilationUnit] = set()
    for unit in chain(likely, info.watched_units()):
        if unit in visited:
            continue
        visited.add(unit)
        try:
            yield from searched_units(unit)
        except DwarfGpuError:
            continue
    for source in type_sources(info):
        yield from source.type_units


def type_sources(info: DebugInfo) -> Iterable[TypeSource]:
    """The split files and packages that have type units of a file, each once."""
    sources: dict[TypeSource, None] = {}
    if not info.has_skeletons:
        return sources
    for unit in info.units:
        try:
            if unit.full is not unit:
                sources[unit.full.info.type_source] = None
        except DwarfGpuError:
            continue
    return sources
