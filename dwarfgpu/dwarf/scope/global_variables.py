"""The variables of units outside functions, one by one and by name (DWARF 5 4.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.units_by_name import units_naming
from dwarfgpu.dwarf.names.qualified import canonical, split_last
from dwarfgpu.dwarf.scope.declarations import around, is_definition, path_of
from dwarfgpu.dwarf.scope.imports import has_imports, imported_units, searched_units
from dwarfgpu.dwarf.scope.link_time import is_link_time
from dwarfgpu.dwarf.scope.named_entries import named_entries
from dwarfgpu.dwarf.scope.scope_entries import (
    CONTAINERS,
    DATA,
    UNKNOWN_NAME,
    UNREADABLE_NAME,
    noted_name,
)
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.scope.written_parameters import is_called
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError


def globals_of(unit: CompilationUnit) -> Iterator[Variable]:
    """Yield the variables of a unit outside of its functions, including those of namespaces and
    imported units.

    A declaration completed by another entry of the unit is skipped. A failed import, or an
    imported unit that cannot be read, raises at the end.
    """
    if not has_imports(unit):
        yield from own_globals_of(unit)
        return
    concrete: set[Die] = set()
    for variable in own_globals_of(unit):
        concrete.update(variable.die.origins())
        yield variable
    problem: DwarfGpuError | None = None
    imports = imported_units(unit)
    while True:
        try:
            imported = next(imports, None)
            if imported is None:
                break
            for variable in own_globals_of(imported):
                if variable.die not in concrete:
                    yield variable
        except DwarfGpuError as error:
            problem = problem or error
    if problem is not None:
        raise problem


def own_globals_of(
    unit: CompilationUnit, names: Collection[str] | None = None
) -> Iterator[Variable]:
    """Yield the same without those of imported units.

    `names`: only variables whose simple names, in canonical form, are some of these, or cannot
    be read.
    """
    tree = unit.tree
    may_be = None if names is None else named_entries(unit).may_have(names)
    pending = [tree.children(0)] if len(tree.offsets) else []
    while pending:
        for index in pending[-1]:
            abbreviation = tree.abbreviations[index]
            if abbreviation.tag in CONTAINERS:
                pending.append(tree.children(index))
                break
            if abbreviation.tag not in DATA:
                continue
            if may_be is not None and not may_be(index, abbreviation):
                continue
            die = unit.die(index)
            if dw.AT_ABSTRACT_ORIGIN in abbreviation.positions and is_link_time(unit):
                continue  # its origin has the name, and is completed by it
            if not is_definition(die):
                continue
            name, note = noted_name(die)
            if name is None:
                continue
            is_unreadable = name in (UNKNOWN_NAME, UNREADABLE_NAME)
            if names is None or is_unreadable or canonical(name) in names:
                yield Variable(name, die, "global", note=note)
        else:
            pending.pop()


def global_named(info: DebugInfo, name: str) -> Variable | None:
    """Return the first global variable with that name or, with `::`, that qualified name.

    A variable outside of namespaces precedes others of its unit, and is the only match for
    `::x`.

    Indexes and the symbol table are searched first, then all units that mention the name. An
    unreadable unit is an error only if no other unit has the name.
    """
    simple = split_last(name)[1]
    indexed = _indexed(info, simple, name)
    if indexed is not None:
        return indexed
    problem: DwarfGpuError | None = None
    visited: set[CompilationUnit] = set()
    for unit in units_naming(info, name):
        try:
            matching: list[Variable] = []
            for searched in searched_units(unit, visited):
                for variable in own_globals_of(searched, {canonical(simple)}):
                    if variable.name == simple and is_called(variable.die, name):
                        matching.append(variable)
                    elif variable.name in (UNKNOWN_NAME, UNREADABLE_NAME):
                        problem = problem or _name_problem(variable.die)
                if matching:
                    return min(matching, key=lambda candidate: len(path_of(candidate.die)))
        except DwarfGpuError as error:
            problem = problem or error
    if problem is not None:
        raise problem
    return None


def _indexed(info: DebugInfo, simple: str, name: str) -> Variable | None:
    """Return the global variable in `.debug_names`; None if it has none or is wrong."""
    try:
        matching = [
            die for die in info.names.find(simple, DATA) if is_called(die, name) and _is_global(die)
        ]
    except DwarfGpuError:
        return None
    matching.sort(key=_file_order)
    first = min(matching, key=lambda die: len(path_of(die)), default=None)
    return None if first is None else Variable(simple, first, "global")


def _is_global(die: Die) -> bool:
    """Return whether a variable is defined directly in its unit or in namespaces."""
    if not is_definition(die):
        return False
    above = next((above for above in around(die) if above.tag not in CONTAINERS), None)
    return above is not None and above.parent() is None


def _file_order(die: Die) -> tuple[int, int]:
    """Return the position of an entry in the file, for an entry of a split unit that of its
    skeleton."""
    return (die.unit.skeleton or die.unit).offset, die.offset


def _name_problem(die: Die) -> DwarfGpuError | None:
    try:
        die.name  # noqa: B018
    except DwarfGpuError as error:
        return error
    return None
