"""The function of a GPU kernel and its parameters, from debugging information."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable, variable_of

_SCRATCH_OF_TRITON: Final = ("global_scratch", "profile_scratch")
"""What Triton's launcher calls them; null for a kernel that needs none."""


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


def undeclared_parameters(function: Subprogram, declared: int, passed: int) -> tuple[str, ...]:
    """Return the names of the pointers that Triton passes after the parameters of the source, which
    it does not declare; none for other compilers.

    `declared`, `passed`: how many parameters the function has, and arguments the kernel.
    """
    if not declared or not parse_producer(function.die.unit.producer).is_triton:
        return ()
    return _SCRATCH_OF_TRITON[: max(0, passed - declared)]
