"""Find the definition of a class that a unit only declares (DWARF 5 5.7.1).

GCC defines a class with virtual functions only in the unit that has the first of these; the units
that use it as a variable, member or base class have a declaration. That unit may be in a library.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.name_filter import mentions
from dwarfgpu.dwarf.index.units_by_name import units_naming
from dwarfgpu.dwarf.names.comparable import has_values
from dwarfgpu.dwarf.names.qualified import ANONYMOUS, canonical, exact
from dwarfgpu.dwarf.scope.declarations import is_definition, path_of
from dwarfgpu.dwarf.scope.exact_instances import has_all_types, within
from dwarfgpu.dwarf.scope.imports import refers_to, searched_units, type_sources
from dwarfgpu.dwarf.scope.named_entries import completed, named
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_STRUCTS: Final = (dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE, dw.TAG_INTERFACE_TYPE)
"""Declarations may say `struct` of a `class`, and the other way round (C++ dcl.type.elab)."""

_MAX_COMPARED: Final = 32
"""Definitions that are compared where a declaration may mean any of several that differ."""


def class_definitions(
    info: DebugInfo, declaration: Die, other_files: Iterable[DebugInfo] = ()
) -> tuple[Die, ...]:
    """Return the entry of a program that defines a class; none if nothing does. Several for an
    instance of a template whose declaration does not say the types of its values, if they differ
    in these alone.

    `other_files`: those loaded with this one, where classes of C++ are looked for, too: all files
    have the same definition (basic.def.odr). Structures of C with one name may differ.
    Classes of functions and of anonymous namespaces are those of their unit alone. Unreadable units
    are skipped.
    """
    wanted, is_known = within(declaration), has_all_types(declaration)
    of_name = partial(_definitions, info, declaration, other_files, is_known=is_known)
    if is_known:
        for definition in of_name():
            if _is(definition, wanted):
                return (definition,)
        if not any(map(has_values, wanted)):
            return ()
    with suppress(DwarfGpuError):
        for own in filter(is_definition, completed(declaration, (declaration.unit,))):
            return (own,)
    candidates: dict[tuple[str, ...], Die] = {}
    own_instances: set[tuple[str, ...]] = set()
    for number, definition in enumerate(of_name()):
        if number >= _MAX_COMPARED and len(candidates.keys() - own_instances) > 1:
            break
        if is_known and not _is(definition, wanted, is_any=True):
            continue
        if is_known or not _is_of(definition, declaration.unit):
            candidates.setdefault(within(definition), definition)
        elif has_all_types(definition):
            # A unit has one entry of a class: this one is another instance, in other units, too.
            own_instances.add(within(definition))
    return tuple(die for instance, die in candidates.items() if instance not in own_instances)


def _is_of(definition: Die, unit: CompilationUnit) -> bool:
    """Return whether a unit itself defines a class, or the type unit does that it refers to."""
    return definition.unit is unit or refers_to(unit, definition.unit)


def _definitions(
    info: DebugInfo, declaration: Die, other_files: Iterable[DebugInfo], *, is_known: bool
) -> Iterator[Die]:
    """Yield the entries that define a class of the name, those of the same unit first."""
    path, name = path_of(declaration), canonical(declaration.name or "")
    if any(scope.is_function or scope.name == ANONYMOUS for scope in path):
        units: Iterator[CompilationUnit] = iter((declaration.unit,))
    else:
        files = chain((info,), other_files if declaration.unit.is_cplusplus else ())
        defining = chain.from_iterable(_units(file, declaration) for file in files)
        units = chain((declaration.unit,), defining)  # the other files are needed last
        if not is_known:  # what skeletons name need not have type units of split files
            sources = type_sources(info)
            units = chain(units, chain.from_iterable(source.type_units for source in sources))
    tags = _STRUCTS if declaration.tag in _STRUCTS else (declaration.tag,)
    for unit in units:
        try:
            for namesake in named(unit, name) if name else (declaration,):
                if namesake.tag in tags and path_of(namesake) == path:
                    yield from filter(is_definition, completed(namesake, (unit,)))
        except DwarfGpuError:
            continue


def _is(definition: Die, wanted: tuple[str, ...], *, is_any: bool = False) -> bool:
    """Return whether a definition is of the instance, in the instance, that a declaration names
    with the types of its values, as clang does with `W<3L>`; `is_any`: where it writes none, it may
    be that of any type."""
    *scopes, own = within(definition)
    names = ((scope,) for scope in scopes), ((own, exact(definition.name or "")),)
    return all(
        name in defined or (is_any and name == canonical(name))
        for name, defined in zip(wanted, chain(*names), strict=True)
    )


def _units(info: DebugInfo, declaration: Die) -> Iterator[CompilationUnit]:
    """Yield the units of a file that may define the class of a declaration."""
    name = declaration.name
    if not name:
        return
    is_possible = mentions(info, name, CLASSES)
    visited: set[CompilationUnit] = set()
    for unit in units_naming(info, name):
        if unit.is_skeleton or is_possible(unit):
            try:
                yield from searched_units(unit, visited)
            except DwarfGpuError:
                continue
