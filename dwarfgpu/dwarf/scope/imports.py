"""Imported units, and the units that share a unit's names (DWARF 5 3.2.5, 3.1.4, 7.3.6).

Law: each unit once, in any import graph.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import DwarfGpuError

if TYPE_CHECKING:
    from dwarfgpu.dwarf.debug_info import DebugInfo
    from dwarfgpu.dwarf.unit import CompilationUnit
    from dwarfgpu.dwarf.unit_file_protocol import TypeSource


def has_imports(unit: CompilationUnit) -> bool:
    """Return whether the unit may import others: whether its abbreviations have the tag."""
    return dw.TAG_IMPORTED_UNIT in unit.tags


def imported_units(
    unit: CompilationUnit, visited: set[CompilationUnit] | None = None
) -> Iterator[CompilationUnit]:
    """Yield the units that a unit imports, directly and indirectly, in order of discovery.

    A failed import raises after all others are done. `visited`: units to skip with their imports;
    this call adds its own. A search from many units shares one set, because imports may be
    circular.
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
    try:
        abbreviations = unit.tree.abbreviations if has_imports(unit) else ()
    except DwarfGpuError as error:
        yield error
        return
    for index, abbreviation in enumerate(abbreviations):
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
    """Yield the units to search for variables of a unit of the file: the split unit of a skeleton,
    then the units of a supplementary file that it imports. `visited`: as for `imported_units`."""
    full = unit.full
    yield full
    for imported in imported_units(full, visited):
        if imported.info is not full.info:
            yield imported


def units_with_names(
    info: DebugInfo, likely: Iterable[CompilationUnit] = ()
) -> Iterator[CompilationUnit]:
    """Yield every unit that may have a name of a file, once: the likely ones first, type units of
    split files last; missing ones are skipped."""
    visited: set[CompilationUnit] = set()
    for unit in chain(likely, info.reported_units()):
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
    """Return the split files and packages with type units of a file, each one once."""
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
