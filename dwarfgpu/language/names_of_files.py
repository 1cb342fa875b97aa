"""What a name means in a source file: `'file.c'::x` in its unit, `'header.h'::x` in the first unit
that has lines of it.

Law: line tables are read of units alone that may have the name, as units of a program are many;
those of all units only to say that no unit has the file, as for a breakpoint in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final, Protocol

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.line.file_table import is_primary_file
from dwarfgpu.dwarf.names.qualified import parts, split_last
from dwarfgpu.dwarf.scope.declarations import is_in_unnamed_namespace
from dwarfgpu.dwarf.scope.imports import refers_to, units_with_names
from dwarfgpu.dwarf.scope.meaning import Meaning, has_tag
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.scope.several_files import differ, is_of_its_file, several
from dwarfgpu.dwarf.scope.symbols_by_name import function_of_symbol
from dwarfgpu.dwarf.scope.unit_search import UnitSearch
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, NotUnderstood, UsageError, shortened
from dwarfgpu.language.source_lines import has_file
from dwarfgpu.session.session import Session

_MAX_IMPORTS: Final = 1_000_000
"""Units that those of one source file may import, each time they do: they take a second."""


class _Names(Protocol):
    """What is asked of `name_resolution.Names`."""

    session: Session
    remarks: dict[str, None]

    def meaning(self, name: str) -> tuple[Meaning, ...]:
        """Return the entities of a name."""

    def is_name(self, name: str) -> bool:
        """Return whether a name means anything."""

    def linked(self, name: str) -> tuple[Meaning, ...]:
        """Return the entity of a linkage name."""

    def visible_in(self, functions: Sequence[Meaning], simple: str) -> tuple[Meaning, ...]:
        """Return what a name outside of a function means to its text."""


def meaning_in_file(names: _Names, name: str, file: str) -> tuple[Meaning, ...]:
    """Return the meaning of a name in a source file, that of a unit or one that units include, or
    in a quoted function: `'f(int)'::x`. `UsageError` with GDB's wording if it has none; another
    error where a unit of the file cannot be read."""
    session = names.session
    objects = [*dict.fromkeys((*session.objects_with(name), *session.loaded_objects()))]
    try:
        return _meaning_in_objects(names, objects, name, file)
    except UsageError:
        _require_units(objects, file)
        raise


def _require_units(code_objects: Iterable[CodeObject], file: str) -> None:
    """Raise why a unit that has lines of a file has no entries, as its split file is missing."""
    for code_object in code_objects:
        info = code_object.info
        for unit in info.units if info.has_skeletons else ():
            try:
                _ = unit.full
            except DwarfGpuError:
                if _has_lines(unit, file):
                    raise


def _meaning_in_objects(
    names: _Names, objects: Iterable[CodeObject], name: str, file: str
) -> tuple[Meaning, ...]:
    session = names.session
    units = [
        unit
        for code_object in objects
        for unit in units_with_names(code_object.info)
        if is_primary_file(unit, file)
    ]
    if units:
        try:
            return _meaning_in_units(names, units, name, file)
        except UsageError:
            linked = names.linked(name)
            if linked and is_primary_file(linked[0].unit, file):
                return linked
            if _have_class_of(objects, units, name):
                return names.meaning(f"::{name}")
            raise
    if names.is_name(file) or function_of_symbol(session.objects_with(file), file) is not None:
        return names.meaning(f"{file}::{name}")
    first, note = _meaning_in_header(objects, name, file)
    names.remarks.update({} if note is None else {note: None})
    if not first:
        unknown, context = (name, "specified") if has_file(session, file) else (file, "current")
        raise NotUnderstood(f'No symbol "{unknown}" in {context} context.')
    return first


def _meaning_in_units(
    names: _Names, units: Iterable[CompilationUnit], name: str, file: str
) -> tuple[Meaning, ...]:
    """Return the meaning of a name in the first of the units of a file that has it, and add a note
    if the next one has another meaning."""
    instances, imports = "", 0
    first: tuple[Meaning, ...] = ()
    unknown: UsageError | None = None
    for unit in units:
        lookup = NameLookup((), unit)
        try:
            meanings = lookup.of(f"::{name}") or _of_function(names, lookup, name)
        except UsageError as error:
            meanings, instances = (), instances or lookup.on_template
            unknown = unknown or error.with_traceback(None)  # another unit may have it
        imports += lookup.imports_spent
        if imports > _MAX_IMPORTS:
            raise LimitExceeded(
                f"the units of {shortened(file)} import too many others to be searched"
                f" for {shortened(name)}"
            )
        if not first:
            first = meanings
        elif meanings and is_of_its_file(meanings[0]) and differ(first[0], meanings[0]):
            names.remarks[several(f"'{file}'::{name}", first[0], meanings[0])] = None
            break
    if not first:
        if unknown is not None and not instances:
            raise unknown.anew()
        raise NotUnderstood(f'No symbol "{name}" in specified context.{instances}')
    return first


def _have_class_of(
    objects: Iterable[CodeObject], units: Iterable[CompilationUnit], name: str
) -> bool:
    """Return whether the class around a name is one of C++ that a unit has, or refers to in a type
    unit: further units may have its base classes, and the definitions of its members."""
    scope, _ = split_last(name)
    infos = [code_object.info for code_object in objects]
    for unit in (unit for unit in units if scope and unit.is_cplusplus):
        for searched in ((), infos):
            with suppress(UsageError):
                for meaning in NameLookup(searched, unit).of(f"::{scope}", has_tag(CLASSES)):
                    die = meaning.die if isinstance(meaning, Variable) else meaning
                    is_of_unit = not searched or refers_to(unit, die.unit)
                    if is_of_unit and not is_in_unnamed_namespace(die):
                        return True
    return False


def _of_function(names: _Names, lookup: NameLookup, name: str) -> tuple[Meaning, ...]:
    """Return what the last part of `FUNCTION::NAME` means in the unit of a lookup."""
    scope, simple = split_last(name)
    return names.visible_in(lookup.of(f"::{scope}"), simple) if scope else ()


def _meaning_in_header(
    code_objects: Iterable[CodeObject], name: str, file: str
) -> tuple[tuple[Meaning, ...], str | None]:
    """Return the meaning of a name in the first unit that has it and lines of a file, empty if none
    has, and a note if the next one has another meaning."""
    first: tuple[Meaning, ...] = ()
    for code_object in code_objects:
        for unit in _units_of(code_object, name, file):
            meanings = NameLookup((), unit).of(f"::{name}")
            if not first and meanings and not is_of_its_file(meanings[0]):
                return meanings, None
            if first and meanings and not _is_one_variable(first[0], meanings[0]):
                note = several(f"'{file}'::{name}", first[0], meanings[0])
                return first, note if differ(first[0], meanings[0]) else None
            first = first or meanings
    return first, None


def _is_one_variable(first: Meaning, second: Meaning) -> bool:
    """Return whether two units have entries of one variable, as with -flto."""
    are_variables = isinstance(first, Variable) and isinstance(second, Variable)
    return are_variables and not differ(first, second)


def _units_of(code_object: CodeObject, name: str, file: str) -> Iterator[CompilationUnit]:
    outermost = parts(name)[0].name
    for unit in UnitSearch((code_object.info,), None).other_units((), outermost):
        if _has_lines(unit, file):
            yield unit


def _has_lines(unit: CompilationUnit, file: str) -> bool:
    """Return whether a unit is known to have lines of a file."""
    try:
        table = unit.line_table
        return table is not None and table.has_file(file)
    except DwarfGpuError:  # its table is unreadable
        return False
