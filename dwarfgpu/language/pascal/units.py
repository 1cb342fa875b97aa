"""Names that Pascal finds in a unit or a class: `bank.counter`, `square.made`."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.meaning import Meaning, is_type
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Type
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
    folded = scope.lower()
    for code_object in names.session.loaded_objects():
        for unit in units_of_pascal(code_object.info):
            file = unit.name.replace("\\", "/")
            if PurePosixPath(file).stem.lower() == folded:
                spelled = names_of_unit(unit).get(name.lower(), (name,))
                return Name(spelled[0], unit.name)
    return None


def class_variable(names: Names, type_: Type | None, name: str) -> Variable | None:
    """Return the class variable of a class, or of one from which it is derived; None if no such
    class has one of the name."""
    for before in before_class_variables(type_):
        meanings: tuple[Meaning, ...] = names.meaning(before + name.upper())
        if meanings and isinstance(meanings[0], Variable):
            return meanings[0]
    return None
