"""Names that Pascal finds in a unit or a class: `bank.counter`, `square.made`."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Struct, strip
from dwarfgpu.language.pascal_names import names_of_unit, units_of_pascal
from dwarfgpu.language.syntax.ast import Name

if TYPE_CHECKING:
    from dwarfgpu.language.name_resolution import Names

_STATIC = "_static_{}_{}"
"""How Free Pascal calls a class variable: `_static_tsquare_MADE`, with `$` before it in DWARF 3."""


def in_unit(names: Names, unit_name: str, name: str) -> Name | None:
    """Return a name in a unit of Pascal; None where no unit is called so, or something nearer is.
    Free Pascal names the file after the unit."""
    if names.meaning(unit_name):
        return None
    folded = unit_name.lower()
    for code_object in names.session.loaded_objects():
        for unit in units_of_pascal(code_object.info):
            file = unit.name.replace("\\", "/")
            if PurePosixPath(file).stem.lower() == folded:
                spelled = names_of_unit(unit).get(name.lower(), (name,))
                return Name(spelled[0], unit.name)
    return None


def class_variable(names: Names, struct_type: Struct, name: str) -> Variable | None:
    """Return the class variable of a class, or of one from which it is derived; None if no such
    class has one of the name."""
    for _ in range(MAX_CHAIN):
        own = _STATIC.format((struct_type.name or "").lower(), name.upper())
        for spelled in (f"${own}", own):
            meanings: tuple[Meaning, ...] = names.meaning(spelled)
            if meanings and isinstance(meanings[0], Variable):
                return meanings[0]
        bases = [strip(member.type) for member in struct_type.members if member.is_base_class]
        parent = next((base for base in bases if isinstance(base, Struct)), None)
        if parent is None:
            break
        struct_type = parent
    return None
