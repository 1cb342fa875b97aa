"""The function of a GPU kernel and its parameters, from debugging information."""

from __future__ import annotations

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable, variable_of


def kernel_function(code_object: CodeObject, entry: int | None) -> Subprogram | None:
    """Return the function of a kernel's entry, an address of the file; None if it is not described.

    Raises the errors of reading the debugging information.
    """
    if entry is None:
        return None
    return code_object.scopes.subprogram_at(entry + code_object.load_address)


def parameters_of(function: Subprogram) -> list[Variable | None]:
    """Return the parameters in order; None for one without a name."""
    children = function.die.children()
    return [variable_of(child) for child in children if child.tag == dw.TAG_FORMAL_PARAMETER]
