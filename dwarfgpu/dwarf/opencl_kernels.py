"""Kernels of OpenCL, which show that a unit of C++ is of C++ for OpenCL: clang describes it like
one of HIP.

The metadata do not decide: a kernel of HIP that is linked with a library of OpenCL has the language
and version of the library there.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.unit import CompilationUnit

_CC_LLVM_OPENCL_KERNEL: Final = 0xC7
"""DW_CC_LLVM_OpenCLKernel, which kernels of HIP do not have."""
_WITH_KERNELS: Final = frozenset({dw.TAG_NAMESPACE, dw.TAG_SUBPROGRAM})


def has_opencl_kernel(unit: CompilationUnit) -> bool:
    """Return whether a unit defines a kernel of OpenCL C or of C++ for OpenCL."""
    if not unit.abbreviations.accepted(_has_convention):
        return False
    scopes = [unit.root]
    while scopes:
        for die in scopes.pop().children(_WITH_KERNELS):
            if die.tag == dw.TAG_NAMESPACE:
                scopes.append(die)
            elif die.integer(dw.AT_CALLING_CONVENTION) == _CC_LLVM_OPENCL_KERNEL:
                return True
    return False


def _has_convention(abbreviation: Abbreviation) -> bool:
    is_function = abbreviation.tag == dw.TAG_SUBPROGRAM
    return is_function and dw.AT_CALLING_CONVENTION in abbreviation.positions
