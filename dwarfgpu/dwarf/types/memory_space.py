"""DW_AT_LLVM_memory_space of pointers, references and data objects (AMD text A.2.14, A.4.1).

Its numbers are DW_MSPACE_LLVM_none, DW_MSPACE_LLVM_global, DW_MSPACE_LLVM_constant,
DW_MSPACE_LLVM_group and DW_MSPACE_LLVM_private (A.7.15).
"""

from __future__ import annotations

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die


def memory_space(die: Die) -> int | None:
    """Return the memory space of an entry or of its abstract origins; None if absent."""
    for holder in die.origins():
        space = holder.llvm_integer(dw.AT_LLVM_MEMORY_SPACE)
        if space is not None:
            return space
    return None
