"""Imported units, and the units that share a unit's names (DWARF 5 3.2.5, 3.1.4, 7.3.6).

Law: each unit once, in any import graph.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation, ValueReader
from dwarfgpu.dwarf.forms import FormClass, Raw
from dwarfgpu.dwarf.section_budget import IMPORT
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

if TYPE_CHECKING:
    from dwarfgpu.dwarf.debug_info import DebugInfo
    from dwarfgpu.dwarf.unit import CompilationUnit
    from dwarfgpu.dwarf.unit_file_protocol import TypeSource, UnitFile


_OF_SECTIONS: Final = ("section_reference", "supplementary_reference")
"""The classes of references to entries of any unit of a file."""


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
        importing = pending.popleft()
        imports, own_problem = _imports(importing) if _may_import(importing) else ((), None)
        problem = problem or own_problem
        for imported in imports:
            if imported not in visited:
                visited.add(imported)
                pending.append(imported)
                yield imported
    if problem is not None:
        raise problem.anew()


def _may_import(unit: CompilationUnit) -> bool:
    try:
        return has_imports(unit)
    except DwarfGpuError:
        return True  # what reads the imports reports the error


@kept_with(first)
def _imports(unit: CompilationUnit) -> tuple[tuple[CompilationUnit, ...], DwarfGpuError | None]:
    """Return the units that a unit itself imports, each once, and why an import cannot be followed.

    Each search asks for them, of thousands of units that may import hundreds each: they are read
    once, and no object is made for an entry.
    """
    imported: dict[CompilationUnit, None] = {}
    problem: DwarfGpuError | None = None
    try:
        indexes = _entries_of_imports(unit)
    except DwarfGpuError as error:
        return (), error.with_traceback(None)
    value_of, known = _reader_of_imports(unit), set[tuple[FormClass, Raw]]()
    targets = _targets_of_imports(unit.info)
    for index in indexes:
        try:
            value = value_of(index)
            if value is None or value in known:
                continue
            known.add(value)
            if (kept := targets.get(value)) is not None:
                imported[kept] = None
                continue
            target = _unit_with_entry(unit, *value)
            is_explained = problem is not None and value[0] in _OF_SECTIONS
            if target is not None:
                targets[value] = target.full
            elif not is_explained:  # the entry knows why, and other classes
                entry = unit.die(index).reference(dw.AT_IMPORT)
                target = None if entry is None else entry.unit
            if target is not None:
                imported[target.full] = None
        except DwarfGpuError as error:
            problem = problem or error.with_traceback(None)
    return tuple(imported), problem


@kept_with(first)
def _targets_of_imports(_: UnitFile) -> dict[tuple[FormClass, Raw], CompilationUnit]:
    """Return the units that references to sections lead to, of the imports of a file that were
    read: thousands of its units may import the same ones."""
    return {}


def _entries_of_imports(unit: CompilationUnit) -> list[int]:
    """Return the entries of a unit that import others; `LimitExceeded` where there are too many in
    the file."""
    budget = unit.sections.budget
    left = budget.imports_left
    indexes = unit.tree.with_tags((dw.TAG_IMPORTED_UNIT,)) if left >= 0 else []
    if len(indexes) > left:
        budget.imports_left = -1  # the next attempt ends at once
        most = unit.sections.object.limits.dies // IMPORT
        message = f"the units import others more than {most} times: no more imports are read"
        raise LimitExceeded(f"{unit.sections.path}: {message}", "--max-dies")
    budget.imports_left = left - len(indexes)
    return indexes


def _reader_of_imports(
    unit: CompilationUnit,
) -> Callable[[int], tuple[FormClass, Raw] | None]:
    """Return what reads the class and the value of DW_AT_import of an entry; None without one."""
    tree, data, end = unit.tree, unit.data, unit.end
    readers: dict[Abbreviation, ValueReader | None] = {}

    def value_of(index: int) -> tuple[FormClass, Raw] | None:
        abbreviation, start = tree.abbreviations[index], tree.offsets[index]
        if abbreviation not in readers:
            position = abbreviation.positions.get(dw.AT_IMPORT)
            readers[abbreviation] = None if position is None else abbreviation.value(position)
        reader = readers[abbreviation]
        if reader is not None and reader.kind != "indirect" and data[start] < 0x80:
            return reader.kind, reader.read(data, start + 1, end)  # nearly always
        attribute = unit.die(index).attribute(dw.AT_IMPORT)
        return None if attribute is None else (attribute.kind, attribute.raw)

    return value_of


def _unit_with_entry(unit: CompilationUnit, kind: FormClass, raw: Raw) -> CompilationUnit | None:
    """Return the unit in which an entry of this or of the supplementary file starts; None where
    none does, and for a reference of another class."""
    if isinstance(raw, bytes):
        return None
    if kind == "section_reference":
        target = unit.info.unit_at(raw)
    elif kind == "supplementary_reference":
        target = unit.info.supplementary.unit_at(raw)
    else:
        return None
    if target is None or raw == target.header.entries_at:
        return target
    return None if target.tree.find(raw) is None else target


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


def refers_to(unit: CompilationUnit, type_unit: CompilationUnit) -> bool:
    """Return whether a type unit describes a type of a unit, which has its signature; False for
    another unit than a type unit."""
    signature = type_unit.header.signature
    if signature is None or not type_unit.header.is_type_unit:
        return False
    reference = signature.to_bytes(8, unit.endian)
    return unit.data.find(reference, unit.header.entries_at, unit.end) >= 0


def units_with_names(
    info: DebugInfo, likely: Iterable[CompilationUnit] = ()
) -> Iterator[CompilationUnit]:
    """Yield every unit that may have a name of a file, once: the likely ones first, type units of
    split files last; missing ones are skipped."""
    searched: set[CompilationUnit] = set()
    visited: set[CompilationUnit] = set()
    for unit in chain(likely, info.reported_units()):
        if unit in searched:
            continue
        searched.add(unit)
        try:
            yield from searched_units(unit, visited)
        except DwarfGpuError:
            continue
    for source in type_sources(info):
        yield from source.type_units


@kept_with(first)  # each search for a name asks
def type_sources(info: DebugInfo) -> tuple[TypeSource, ...]:
    """Return the split files and packages with type units of a file, each one once."""
    sources: dict[TypeSource, None] = {}
    if not info.has_skeletons:
        return ()
    for unit in info.units:
        try:
            if unit.full is not unit:
                sources[unit.full.info.type_source] = None
        except DwarfGpuError:
            continue
    return tuple(sources)
