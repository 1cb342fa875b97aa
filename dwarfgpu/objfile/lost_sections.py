"""Sections that a damaged file loses: without a name nothing finds them, and outside of segments
they are not in memory (System V ABI, "Section Header", "Program Header")."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import (
    ET_DYN,
    ET_EXEC,
    PT_LOAD,
    PT_TLS,
    SHF_ALLOC,
    SHF_TLS,
    SHT_NOBITS,
    SHT_NULL,
    Section,
    Segment,
)
from dwarfgpu.objfile.separate_debug import is_debug_file


def unnamed_sections(file: ObjectFile) -> Malformed | None:
    """Return the error about sections without a name, which no producer writes; None if all have
    one."""
    count = sum(not section.name and section.type != SHT_NULL for section in file.sections)
    if not count:
        return None
    have = "sections have" if count > 1 else "section has"
    return Malformed(
        f"{file.path}: {count} {have} no name: the section name string table may be damaged"
    )


def section_without_contents(file: ObjectFile, name: str) -> Malformed | None:
    """Return the error about a section of debugging information that has a size and no bytes in the
    file (SHT_NOBITS); None for another one.

    Only debug files may have one: eu-strip leaves a section that it keeps in the program.
    """
    section = file.sections_by_name.get(name)
    if section is None or section.type != SHT_NOBITS or not section.size_bytes:
        return None
    if not name.startswith(".debug_") or section.flags & SHF_ALLOC or is_debug_file(file):
        return None
    return Malformed(
        f"{file.path}: section {name} of {section.size_bytes:#x} bytes has no contents "
        "(SHT_NOBITS): the section headers may be damaged"
    )


def unloaded_sections(file: ObjectFile) -> Malformed | None:
    """Return the error about allocated sections of a linked file that no segment loads, or loads
    from another offset of the file, except of a debug file, whose segments may be those of the
    program; None if there are none, for a file without segments to load or with overlays, and for
    cubins, which are loaded by sections."""
    if file.type not in (ET_EXEC, ET_DYN) or file.machine == "CUDA":
        return None
    loaded = loaded_by_address(file)
    if not loaded or any(overlapping(loaded)):
        return None  # a section may be in several
    loads = _has_addresses if is_debug_file(file) else _has_contents
    begins = [segment.address for segment in loaded]
    outside = [
        section
        for section in file.sections
        if _is_in_memory(section)
        and not loads(loaded[bisect_right(begins, section.address) - 1], section)
    ]
    if not outside:
        return None
    more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
    return Malformed(
        f"{file.path}: no PT_LOAD segment has section {outside[0].name} at {outside[0].address:#x}"
        f"{more}: a program header may be damaged"
    )


def loaded_by_address(file: ObjectFile) -> list[Segment]:
    """Return the segments to load that have memory, by address."""
    loaded = [one for one in file.segments if one.type == PT_LOAD and one.memory_bytes]
    return sorted(loaded, key=lambda segment: segment.address)


def overlapping(by_address: Sequence[Segment]) -> Iterator[tuple[Segment, Segment]]:
    """Yield two segments after one another that have the same addresses, as overlays have."""
    for before, after in pairwise(by_address):
        if after.address < before.address + before.memory_bytes:
            yield before, after


@kept_with(first)
def contradicted_tls(file: ObjectFile) -> Malformed | None:
    """Return the error about a PT_TLS segment of a linked file that does not have the addresses,
    the size or the alignment of its thread-local sections (Drepper, "ELF Handling For Thread-Local
    Storage", 2); None without the segment or the sections, and for a debug file, whose segments may
    be those of the program."""
    segment = next((segment for segment in file.segments if segment.type == PT_TLS), None)
    sections = [section for section in file.sections if section.flags & SHF_TLS]
    is_linked = file.type in (ET_EXEC, ET_DYN) and not is_debug_file(file)
    if segment is None or not sections or not is_linked or _is_of_sections(segment, sections):
        return None
    filled = [section for section in sections if section.size_bytes]
    if filled and _is_of_sections(segment, filled):  # linkers may leave out an empty .tdata
        return None
    begin, end, alignment = _extent(filled or sections)
    return Malformed(
        f"{file.path}: PT_TLS has {segment.memory_bytes:#x} bytes at {segment.address:#x} aligned "
        f"to {segment.alignment:#x}, its sections {end - begin:#x} bytes at {begin:#x} aligned to "
        f"{alignment:#x}: a program header may be damaged"
    )


def _is_of_sections(segment: Segment, sections: Sequence[Section]) -> bool:
    begin, end, alignment = _extent(sections)
    size_bytes = end - begin
    sizes = size_bytes, size_bytes + -size_bytes % alignment  # gold and older LLDs round it up
    is_there = segment.address == begin and segment.memory_bytes in sizes
    raised = max(segment.alignment, 1)  # tools raise it for Android in the file (Bionic wants 64)
    return is_there and raised >= alignment and not raised & raised - 1


def _extent(sections: Sequence[Section]) -> tuple[int, int, int]:
    """Return where sections begin and end, and the largest alignment."""
    return (
        min(section.address for section in sections),
        max(section.address + section.size_bytes for section in sections),
        max(1, *(section.alignment for section in sections)),
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


__all__ = [
    "contradicted_tls",
    "loaded_by_address",
    "overlapping",
    "section_without_contents",
    "unloaded_sections",
    "unnamed_sections",
]
