"""Sections that a damaged file loses: without a name nothing finds them, and outside of segments
they are not in memory (System V ABI, "Section Header", "Program Header")."""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import Malformed
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import (
    ET_DYN,
    ET_EXEC,
    PT_LOAD,
    SHF_ALLOC,
    SHT_NOBITS,
    Section,
    Segment,
)
from dwarfgpu.objfile.separate_debug import is_debug_file

_SHT_NULL: Final = 0


def unnamed_sections(file: ObjectFile) -> Malformed | None:
    """Return the error about sections without a name, which no producer writes; None if all have
    one."""
    count = sum(not section.name and section.type != _SHT_NULL for section in file.sections)
    if not count:
        return None
    have = "sections have" if count > 1 else "section has"
    return Malformed(
        f"{file.path}: {count} {have} no name: the section name string table may be damaged"
    )


def unloaded_sections(file: ObjectFile) -> Malformed | None:
    """Return the error about allocated sections of a linked file that no segment loads, or loads
    from another offset of the file, except of a debug file, whose segments may be those of the
    program; None if there are none, for a file without segments to load, and for cubins, which are
    loaded by sections."""
    if file.type not in (ET_EXEC, ET_DYN) or file.machine == "CUDA":
        return None
    loaded = [segment for segment in file.segments if segment.type == PT_LOAD]
    loads = _has_addresses if is_debug_file(file) else _has_contents
    outside = [
        section
        for section in file.sections
        if _is_in_memory(section) and not any(loads(segment, section) for segment in loaded)
    ]
    if not loaded or not outside:
        return None
    more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
    return Malformed(
        f"{file.path}: no PT_LOAD segment has section {outside[0].name} at {outside[0].address:#x}"
        f"{more}: a program header may be damaged"
    )


def _is_in_memory(section: Section) -> bool:
    return bool(section.flags & SHF_ALLOC and section.covers(section.address))


def _has_addresses(segment: Segment, section: Section) -> bool:
    begin = section.address - segment.address
    return begin >= 0 and begin + section.size_bytes <= segment.memory_bytes


def _has_contents(segment: Segment, section: Section) -> bool:
    """Return whether a segment has a section, with its contents if they are in the file."""
    begin = section.offset - segment.offset
    is_there = begin == section.address - segment.address
    is_there = is_there and begin + section.size_bytes <= segment.file_bytes
    return _has_addresses(segment, section) and (is_there or section.type == SHT_NOBITS)


__all__ = ["unloaded_sections", "unnamed_sections"]
