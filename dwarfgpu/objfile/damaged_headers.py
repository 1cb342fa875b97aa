"""Headers of ELF files that contradict one another or have values that no producer writes
(System V ABI, "ELF Header", "Sections", "Program Header").

Law: a file is read as its headers say, and what is wrong with them is said with the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, Malformed, counted
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import (
    ET_DYN,
    ET_EXEC,
    ET_LOOS,
    ET_REL,
    SHF_ALLOC,
    SHT_NOBITS,
    SHT_NULL,
    SHT_REL,
    SHT_RELA,
    Section,
    relocated_name,
    uncompressed,
)
from dwarfgpu.objfile.file_kinds import ET_CORE
from dwarfgpu.objfile.lost_sections import loaded_by_address, overlapping, unloaded_sections

_NULL: Final = Section(0, "", SHT_NULL, 0, 0, 0, 0, 0, 0, 0, alignment=0)
"""What zeros are read as."""
_IN_MEMORY: Final = {
    ".bss", ".data", ".fini", ".init", ".rodata", ".tbss", ".tdata", ".text",
}  # fmt: skip
"""Sections that have SHF_ALLOC (System V ABI, "Special Sections")."""
_TYPES: Final = ET_REL, ET_EXEC, ET_DYN, ET_CORE


@kept_with(first)
def header_damage(file: ObjectFile) -> tuple[Malformed, ...]:
    """Return how the headers of a file contradict one another.

    Nothing of a core file, whose memory is in segments, and of headers that cannot be read, which
    is an error of the command that asks.
    """
    if file.type == ET_CORE:
        return ()
    try:
        return tuple(Malformed(f"{file.path}: {fault}") for fault in _faults(file))
    except DwarfGpuError:
        return ()


@kept_with(first)
def odd_layout(file: ObjectFile) -> tuple[Malformed, ...]:
    """Return where linker scripts and objcopy may put sections and compilers do not: linked ones
    outside of all segments, and relocatable ones, and segments, at the addresses of one another. As
    for `header_damage`, nothing of other files, and of cubins, whose segments begin at 0."""
    if file.type == ET_CORE or file.machine == "CUDA":
        return ()
    try:
        overlaps = _overlapping_addresses if file.is_relocatable else _overlapping_segments
        odd = [unloaded_sections(file), *(Malformed(overlap) for overlap in overlaps(file))]
        return tuple(fault for fault in odd if fault is not None)
    except DwarfGpuError:
        return ()


def _faults(file: ObjectFile) -> Iterator[str]:
    sections = file.sections
    if file.type not in _TYPES and file.type < ET_LOOS:
        yield f"e_type is {file.type:#x}, which is no type of files: the ELF header may be damaged"
    elif file.type != ET_REL and not file.segments and file.machine != "CUDA":
        linked = next((section for section in sections if _is_for_a_linker(section)), None)
        if linked is not None:
            yield (
                f"e_type is {file.type}, and there are relocations in {linked.name} but no "
                "segments: the ELF header may be damaged"
            )
    null = [section for section in sections[1:] if section.type == SHT_NULL]
    absent = sum(section == evolve(_NULL, index=section.index) for section in null)
    if absent:
        are = "is" if absent == 1 else "are"
        yield f"{absent} of {counted(len(sections), 'section header')} {are} 0"
    for section in null:
        if section.size_bytes:
            yield f"section {section.name} has no type (SHT_NULL): its header may be damaged"
    half_of_memory = 1 << 8 * file.address_bytes - 1
    in_memory = [one for one in sections if one.flags & SHF_ALLOC and one.type == SHT_NOBITS]
    large = [one for one in in_memory if one.size_bytes > half_of_memory]
    if large:
        yield f"section {large[0].name} of {large[0].size_bytes:#x} bytes is larger than memory"
    outside = [one for one in sections if one.flags & SHF_ALLOC and _is_outside(one, file)]
    if outside:
        names, more = outside[0].name, len(outside) - 1
        what = f"sections {names} and {more} more are" if more else f"section {names} is"
        yield f"{what} outside the file: it is cut short, or its headers are wrong"
    for section in sections if file.machine != "CUDA" else ():
        if section.name in _IN_MEMORY and section.size_bytes and not section.flags & SHF_ALLOC:
            yield f"section {section.name} has no SHF_ALLOC: its header may be damaged"
            break
    yield from _misnamed_relocations(file)
    yield from _overlaps(file)


def _is_for_a_linker(section: Section) -> bool:
    return section.type in (SHT_REL, SHT_RELA) and not section.flags & SHF_ALLOC


def _misnamed_relocations(file: ObjectFile) -> Iterator[str]:
    """Yield which sections with the name of relocations have another type, or relocate a section
    that is not the one in their name, in a relocatable object; the first of several."""
    sections = file.sections
    for table in sections if file.type == ET_REL else ():
        kind, named = relocated_name(table.name)
        if kind is None or table.type in (SHT_NULL, SHT_NOBITS):  # eu-strip writes the latter
            continue
        if table.type != kind:
            yield f"section {table.name} has type {table.type:#x}: its header may be damaged"
            return
        target = sections[table.info].name if table.info < len(sections) else None
        if named != uncompressed(target or ""):
            what = target or f"section {table.info}"
            yield f"{table.name} relocates {what}: its header may be damaged"
            return


def _overlapping_addresses(file: ObjectFile) -> Iterator[str]:
    """Yield which two sections have the same addresses, the first of several."""
    loaded = [section for section in file.sections if section.covers(section.address)]
    for before, after in pairwise(sorted(loaded, key=lambda section: section.address)):
        if after.address < before.address + before.size_bytes:
            what = f"sections {before.name} and {after.name} have the same addresses"
            yield f"{file.path}: {what}, from {after.address:#x} on"
            return


def _is_outside(section: Section, file: ObjectFile) -> bool:
    """Return whether bytes of a section are not in its file; those of debugging information are
    missed when they are read."""
    is_in_file = section.type not in (SHT_NULL, SHT_NOBITS)
    return is_in_file and section.offset + section.size_bytes > file.size_bytes


def _overlaps(file: ObjectFile) -> Iterator[str]:
    """Yield which sections have bytes that are a header or another section, the first of several;
    of cubins, only those at the ELF header: in these, sections share their bytes."""
    parts = [
        (section.offset, section.offset + section.size_bytes, f"section {section.name}")
        for section in file.sections
        if section.type not in (SHT_NULL, SHT_NOBITS) and section.size_bytes
    ]
    parts = [part for part in parts if part[1] <= file.size_bytes]
    parts += file.header_parts[:1] if file.machine == "CUDA" else file.header_parts
    end, last = 0, ""
    for begin, part_end, name in sorted(parts):
        if begin < end and (file.machine != "CUDA" or last == file.header_parts[0][2]):
            yield (
                f"{last} and {name} have the same bytes of the file, from {begin:#x} on: a section "
                "header may be damaged"
            )
            return
        if part_end > end:
            end, last = part_end, name


def _overlapping_segments(file: ObjectFile) -> Iterator[str]:
    """Yield which two segments to load have the same addresses, also the physical ones, which are
    those of overlays before they run."""
    for before, after in overlapping(loaded_by_address(file)):
        first, second = sorted((before, after), key=lambda segment: segment.physical_address)
        if second.physical_address < first.physical_address + first.memory_bytes:
            addresses = f"{before.address:#x} and {after.address:#x}"
            yield f"{file.path}: the PT_LOAD segments at {addresses} overlap"
            return


__all__ = ["header_damage", "odd_layout"]
