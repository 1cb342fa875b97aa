"""The libraries that a file names for the dynamic linker (System V ABI, "Shared Object
Dependencies")."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.dynamic_relocations import DT_STRTAB, PT_DYNAMIC
from dwarfgpu.objfile.elf import ObjectFile

_DT_NULL: Final = 0
_DT_NEEDED: Final = 1
_DT_SONAME: Final = 14
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
    return os.path.basename(next(iter(_names(file, _DT_SONAME)), file.path))


def _names(file: ObjectFile, wanted: int) -> list[str]:
    names: list[str] = []
    with suppress(DwarfGpuError):
        entries = list(_entries(file))
        for begin in (value for tag, value in entries if tag == DT_STRTAB):
            for value in (value for tag, value in entries if tag == wanted):
                data = file.loaded_from(begin + value, _LONGEST_NAME_BYTES)
                names.append(os.fsdecode(data.partition(b"\0")[0]))
    return names


def _entries(file: ObjectFile) -> Iterator[tuple[int, int]]:
    word = file.address_bytes
    for segment in file.segments:
        if segment.type != PT_DYNAMIC:
            continue
        size_bytes = segment.file_bytes - segment.file_bytes % (2 * word)
        data = file.file_bytes(segment.offset, size_bytes, "dynamic segment")
        for start in range(0, size_bytes, 2 * word):
            tag = int.from_bytes(data[start : start + word], file.endian)
            if tag == _DT_NULL:
                return
            yield tag, int.from_bytes(data[start + word : start + 2 * word], file.endian)
