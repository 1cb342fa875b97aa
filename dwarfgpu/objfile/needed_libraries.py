"""The libraries that a file names for the dynamic linker (System V ABI, "Shared Object
Dependencies")."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.dynamic_relocations import DT_SONAME, DT_STRTAB
from dwarfgpu.objfile.dynamic_segment import dynamic_entries
from dwarfgpu.objfile.elf import ObjectFile

_DT_NEEDED: Final = 1
_LONGEST_NAME_BYTES: Final = 4096


@kept_with(first)
def needed_libraries(file: ObjectFile) -> tuple[str, ...]:
    """Return the names of the libraries that a file needs, in order, without directories; empty if
    they cannot be read."""
    return tuple(map(os.path.basename, _names(file, _DT_NEEDED)))


@kept_with(first)
def library_name(file: ObjectFile) -> str:
    """Return the name by which other files need a library, without directories: that of its path
    if it has no other."""
    return os.path.basename(next(iter(_names(file, DT_SONAME)), file.path))


def _names(file: ObjectFile, wanted: int) -> list[str]:
    names: list[str] = []
    left = file.size_bytes  # more are one text that is named often
    with suppress(DwarfGpuError):
        entries = list(dynamic_entries(file))
        begins = [value for tag, value in entries if tag == DT_STRTAB]
        for value in [value for tag, value in entries if tag == wanted and begins]:
            name = file.loaded_from(begins[0] + value, _LONGEST_NAME_BYTES).partition(b"\0")[0]
            left -= len(name)
            if left < 0:
                break
            names.append(os.fsdecode(name))
    return names
