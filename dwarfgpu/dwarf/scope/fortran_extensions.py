"""Which derived types of Fortran extend another one, as gfortran's tables of methods have it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.named_entries import named, named_entries
from dwarfgpu.dwarf.unit import CompilationUnit

_TABLE: Final = "__vtype_"
"""What is before the module and the name of a type in that of the type of its table."""
_EXTENDS: Final = "_extends"
"""The pointer to the table of the parent; without a parent, of the type of its own table."""


def is_extension(derived_type: Die) -> bool:
    """Return whether a type has a table, and it points to that of a parent; tables of several
    modules that differ do not decide it."""
    name = derived_type.name
    return name is not None and _is_extension(derived_type.unit, f"_{name.capitalize()}")


@kept_with(first, 64)
def _is_extension(unit: CompilationUnit, end: str) -> bool:
    tables = [
        name
        for name in named_entries(unit).by_name
        if name.startswith(_TABLE) and name.endswith(end)
    ]
    answers = {
        parent != name
        for name in tables
        for table in named(unit, name)
        for parent in _parent(table)
    }
    return answers == {True}


def _parent(table: Die) -> Iterator[str]:
    """Yield the name of the type of the table to which a table's pointer leads."""
    for member in table.children((dw.TAG_MEMBER,)):
        if member.name == _EXTENDS:
            pointer = member.reference(dw.AT_TYPE)
            target = None if pointer is None else pointer.reference(dw.AT_TYPE)
            if target is not None and (target.name or "").startswith(_TABLE):
                yield target.name or ""
