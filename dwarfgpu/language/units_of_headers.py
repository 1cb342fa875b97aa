"""The units that have a name and lines of a source file: `'header.h'::x` is that of the first one.

Law: line tables are read of units alone that may have the name, as units of a program are many;
those of all units only to say that no unit has the file, as for a breakpoint in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.qualified import parts
from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.several_files import differ, is_of_its_file, several
from dwarfgpu.dwarf.scope.unit_search import UnitSearch
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError


def meaning_in_header(
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
        try:
            table = unit.line_table
            if table is not None and table.has_file(file):
                yield unit
        except DwarfGpuError:  # its table is unreadable
            continue
