"""Find the class whose member function contains the code at an address."""

from __future__ import annotations

from collections.abc import Iterable

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Type


def class_of_method(code_objects: Iterable[CodeObject], address: int) -> Type | None:
    """Return the class that declares the function; None where no class does, or no unit has the
    code."""
    code_object = code_object_at(code_objects, address)
    subprogram = None if code_object is None else code_object.scopes.subprogram_at(address)
    declared = None if subprogram is None else list(subprogram.die.origins())[-1].parent()
    if declared is None or declared.tag not in CLASSES:
        return None
    return types_of(declared.unit).build(declared)
