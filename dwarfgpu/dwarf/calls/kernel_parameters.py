"""The function of a GPU kernel and its parameters, from debugging information."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.producer import parse_producer
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.scope.variable import Variable, variable_of
from dwarfgpu.objfile.gpu_code import GpuKernel, shared_entries

_SCRATCH_OF_TRITON: Final = ("global_scratch", "profile_scratch")
"""What Triton's launcher calls them; null for a kernel that needs none."""


def kernel_function(code_object: CodeObject, kernel: GpuKernel) -> Subprogram | None:
    """Return the function of a kernel, that of its entry; None if it is not described.

    Where several kernels begin, as a linker that folds equal code leaves them, it is the function
    with the symbol of the kernel, which may have lost its code. Raises the errors of reading the
    debugging information.
    """
    if kernel.entry is None:
        return None
    function = code_object.scopes.subprogram_at(kernel.entry + code_object.load_address)
    if kernel.entry not in shared_entries(code_object.file):
        return function
    if function is not None and is_function_of(function, kernel):
        return function
    from dwarfgpu.dwarf.scope.functions_by_name import function_with_symbol  # few kernels are so

    die = function_with_symbol(code_object.info, kernel.name)
    return None if die is None else Subprogram(die)


def is_function_of(function: Subprogram, kernel: GpuKernel) -> bool:
    """Return whether a function has the symbol of a kernel."""
    return kernel.name in (function.die.linkage_name, function.die.name)


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
