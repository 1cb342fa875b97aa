"""Decide whether a file is a program or a library."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.registry import abi_of
from dwarfgpu.objfile.dynamic_relocations import (
    DF_1_PIE,
    DT_FLAGS_1,
    PT_INTERP,
    dynamic_tags,
)
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import ET_EXEC, ET_REL

_DT_SONAME: Final = 14


def is_program(file: ObjectFile) -> bool:
    """Return whether a loader starts it, or it always runs at its linked address.

    The C library has an interpreter too, but also a name for its users (DT_SONAME).
    """
    if file.type in (ET_EXEC, ET_REL):
        return True
    if abi_of(file.machine).is_loaded_by_runtime:
        return False
    tags = dynamic_tags(file)
    if tags.get(DT_FLAGS_1, 0) & DF_1_PIE:
        return True  # without an interpreter, it is linked statically
    return any(segment.type == PT_INTERP for segment in file.segments) and _DT_SONAME not in tags
