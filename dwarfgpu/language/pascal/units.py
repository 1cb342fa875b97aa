"""Names that Pascal finds in a unit or a class: `bank.counter`, `square.made`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.meaning import Meaning, is_type
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.language.pascal.names import before_class_variables, names_of_unit, units_of_pascal
from dwarfgpu.language.syntax.ast import Name

if TYPE_CHECKING:
    from dwarfgpu.language.name_resolution import Names


def in_unit(names: Names, scope: str, name: str) -> Name | None:
    """Return a name in a unit of Pascal, or the class variable of a class; None where no unit or
    class is called so, or something nearer is. Free Pascal names the file after the unit."""
    meanings = names.meaning(scope)
    if meanings:
        nearest = meanings[0]
        if not isinstance(nearest, Die) or not is_type(nearest):
            return None
        variable = class_variable(names, types_of(nearest.unit).build(nearest), name)
        return None if variable is None else Name(variable.name)
    unit = next(_units_named(names, scope), None)
    if unit is None:
        return None
    spelled = names_of_unit(unit).get(name.lower(), (name,))
    return Name(spelled[0], unit.name)


def units_meant(names: Names, scope: str) -> list[CompilationUnit]:
    """Return the units of Pascal whose names are behind `scope.`; none where something nearer is
    called so."""
    return [] if names.meaning(scope) else [*_units_named(names, scope)]


def class_meant(names: Names, scope: str) -> Type | None:
    """Return the class whose variables are behind `scope.`; None where no type is called so."""
    nearest = next(iter(names.meaning(scope)), None)
    if not isinstance(nearest, Die) or not is_type(nearest):
        return None
    return types_of(nearest.unit).build(nearest)


def _units_named(names: Names, scope: str) -> Iterator[CompilationUnit]:
    folded = scope.lower()
    for code_object in names.session.loaded_objects():
        for unit in units_of_pascal(code_object.info):
            if PurePosixPath(unit.name.replace("\\", "/")).stem.lower() == folded:
                yield unit


def class_variable(names: Names, type_: Type | None, name: str) -> Variable | None:
    """Return the class variable of a class, or of one from which it is derived; None if no such
    class has one of the name."""
    for before in before_class_variables(type_):
        meanings: tuple[Meaning, ...] = names.meaning(before + name.upper())
        if meanings and isinstance(meanings[0], Variable):
            return meanings[0]
    return None
