"""A code object: a loaded object file with its debugging information."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.argument_types import names_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, integer, plain_integer, wrong_type
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import field, frozen
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported
from dwarfgpu.machine.code_object_memory import LoadedSegment
from dwarfgpu.objfile.container import open_object
from dwarfgpu.objfile.debug_directories import DEBUG_DIRECTORIES
from dwarfgpu.objfile.dynamic_relocations import DynamicRelocations
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import (
    ET_REL,
    PF_W,
    PT_LOAD,
    SHF_ALLOC,
    SHF_TLS,
    SHF_WRITE,
    SHT_NOBITS,
    Section,
    Segment,
)
from dwarfgpu.objfile.file_bytes import OfOpenFile
from dwarfgpu.objfile.object_data import ObjectData, placed_sections
from dwarfgpu.objfile.plt_symbols import PltSymbols
from dwarfgpu.objfile.separate_debug import (
    MINI_DEBUG_INFO,
    find_debug_file,
    has_debug_info,
    why_unusable,
)

if TYPE_CHECKING:
    from pathlib import Path

    from dwarfgpu.objfile.borrowed_file import ElfFile


def _debug_file(
    file: ObjectFile, directories: tuple[str | Path, ...]
) -> tuple[ObjectFile | None, DwarfGpuError | None]:
    """Return the separate debug file, where there is one; otherwise why one that is there, or the
    link to it, cannot be used."""
    reasons: list[str] = []
    try:
        separate = find_debug_file(file, directories, reasons)
    except Malformed as error:
        return None, error.with_traceback(None)
    return separate, None if separate is not None else why_unusable(file, reasons)


def _symbol_file(file: ObjectFile) -> ObjectFile | None:
    """Return the compressed symbols; damaged ones, and too many of them, do no harm."""
    if not file.has_section(MINI_DEBUG_INFO):
        return None
    from dwarfgpu.objfile.mini_debug_info import mini_debug_info  # few files have any

    try:
        return mini_debug_info(file)
    except (LimitExceeded, Malformed, Unsupported):
        return None


def _class_definitions(
    loaded_files: Iterable[CodeObject], info: DebugInfo, declaration: Die
) -> tuple[Die, ...]:
    """Call `class_definitions`, whose module few questions need."""
    from dwarfgpu.dwarf.scope.class_definition import class_definitions

    return class_definitions(
        info, declaration, (file.info for file in loaded_files if file.info is not info)
    )


@frozen(eq=False)
class CodeObject(OfOpenFile):
    """An object file as loaded."""

    file: ObjectFile
    info: DebugInfo
    scopes: Scopes
    load_address: int
    relocations: DynamicRelocations = field()

    @relocations.default
    def _relocations(self) -> DynamicRelocations:
        return DynamicRelocations(self.file, self.load_address)

    plt: PltSymbols = field()

    @plt.default
    def _plt(self) -> PltSymbols:
        return PltSymbols(self.file)

    unusable_debug_file: DwarfGpuError | None = None
    """Why a separate debug file that is there cannot be used; None if it can, or there is none."""
    is_library: bool = False
    """Whether it is known not to be the program of the process that loaded it."""

    @classmethod
    @names_wrong_arguments
    def open(
        cls,
        path: str | Path,
        load_address: int = 0,
        dialect: str | None = None,
        *,
        strict: bool = False,
        target: str | None = None,
        debug_directories: Iterable[str | Path] = DEBUG_DIRECTORIES,
        limits: FileLimits = DEFAULT_FILE_LIMITS,
        loaded_files: Iterable[CodeObject] = (),
    ) -> CodeObject:
        """Read a file; `UsageError` or `Malformed` where it is not a readable object file.

        `strict`: what compilers write is read literally. `target`: the code object of a fat
        binary or bundle to use, as in `dwarfgpu.objfile.container.open_object`.
        `debug_directories`: where to look for debug information in other files. `limits`: limits
        of each file. `loaded_files`: as in `of`.
        """
        placed = integer("load_address", load_address, 0, (1 << 64) - 1)
        file = open_object(path, target, limits)
        return cls.of(
            file,
            placed,
            dialect,
            strict=strict,
            debug_directories=debug_directories,
            loaded_files=loaded_files,
        )

    @classmethod
    @names_wrong_arguments
    def of(
        cls,
        file: ObjectFile,
        load_address: int = 0,
        dialect: str | None = None,
        *,
        strict: bool = False,
        debug_directories: Iterable[str | Path] = DEBUG_DIRECTORIES,
        loaded_files: Iterable[CodeObject] = (),
        debug_file: ObjectFile | None = None,
        is_library: bool = False,
    ) -> CodeObject:
        """Return the code object of a file that is open, which may be in memory.

        `loaded_files`: the code objects of the program, which may define classes that this one only
        declares. They are read whenever such a class is met: a list may be filled later.
        `debug_file`: the file with its debug information; by default it is itself or, if it has
        none, the one that it names. `is_library`: as the field.
        """
        if isinstance(debug_directories, str | bytes):  # its characters would be folders
            raise wrong_type("debug_directories", debug_directories, "several folders")
        load_address = _placed(file, integer("load_address", load_address))
        roots = tuple(map(_folder, debug_directories))
        problem: DwarfGpuError | None = None
        if debug_file is None and not has_debug_info(file):
            debug_file, problem = _debug_file(file, roots)
        described = debug_file or file
        if described is file:
            described = _symbol_file(file) or file
        info = DebugInfo.of(
            described,
            load_address,
            dialect,
            literal=strict,
            loaded=file,
            directories=roots,
            find_class=partial(_class_definitions, loaded_files),
        )
        return cls(
            file,
            info,
            Scopes(info),
            load_address,
            unusable_debug_file=problem,
            is_library=is_library,
        )

    @classmethod
    def from_elffile(
        cls,
        elffile: ElfFile,
        load_address: int = 0,
        dialect: str | None = None,
        *,
        strict: bool = False,
        debug_directories: Iterable[str | Path] = DEBUG_DIRECTORIES,
        limits: FileLimits = DEFAULT_FILE_LIMITS,
    ) -> CodeObject:
        """Return the code object of an `ELFFile` of pyelftools (`dwarfgpu.pyelftools`).

        A large file is read on demand, from the `ELFFile`'s stream: it must stay open. Arguments
        and errors as in `open`; `UsageError` for a load address that is not an address of the
        machine.
        """
        # Commands open files by name.
        from dwarfgpu.objfile.borrowed_file import object_of

        file = object_of(elffile, limits)
        return cls.of(
            file,
            integer("load_address", load_address, 0, (1 << 64) - 1),
            dialect,
            strict=strict,
            debug_directories=debug_directories,
        )

    @property
    def name(self) -> str:
        """The name of the file without its folder."""
        return os.path.basename(self.file.path)

    def covers(self, pc: int) -> bool:
        """Return whether a program location, as loaded, is in code of the file."""
        try:
            if type(pc) is not int:
                pc = plain_integer(pc)
            address, (low, high) = pc - self.load_address, self.file.extent
            return low <= address < high and self.file.is_code(address)
        except FOREIGN:
            require_right_arguments(CodeObject.covers, self, pc)
            raise

    def offset_text(self, address: int) -> str:
        """Return the text of a loaded address: `k.co+0x1a40`."""
        try:
            if type(address) is not int:
                address = plain_integer(address)
            return f"{self.name}+{address - self.load_address:#x}"
        except FOREIGN:
            require_right_arguments(CodeObject.offset_text, self, address)
            raise

    @property
    def architecture(self) -> Architecture | None:
        """The architecture of the code; None if it is not supported."""
        return self.info.architecture

    @property
    def placement_note(self) -> str | None:
        """The note on what addresses of an unlinked object are; None for any other file."""
        if not placed_sections(self.file):
            return None
        reason = "is not linked" if self.file.type == ET_REL else "has sections without addresses"
        return (
            f"{self.name} {reason}: its sections are assumed to be loaded one after the other "
            f"from {self.load_address:#x}, as `dwarfgpu info` lists them"
        )

    @property
    def opening_notes(self) -> list[str]:
        """What all answers about the file depend on."""
        notes = [] if self.placement_note is None else [self.placement_note]
        faults = self.unusable_debug_file, self.file.entry_fault
        return [*notes, *(str(fault) for fault in faults if fault is not None)]

    @property
    def mini_debug_damage(self) -> LimitExceeded | Malformed | Unsupported | None:
        """Why the symbols in `.gnu_debugdata` cannot be read, if no debug file has them; None if
        they can, or there are none."""
        file = self.file
        if self.info.object is not file or not file.has_section(MINI_DEBUG_INFO):
            return None
        from dwarfgpu.objfile.mini_debug_info import damaged_mini_debug_info  # as above

        return damaged_mini_debug_info(file)

    def loaded_sections(self) -> Iterator[LoadedSegment]:
        """Return the parts of the segments that sections describe, as GDB reads a program that has
        not started: the headers of the file, where a null pointer may lead, are in none. Of a file
        without sections, the segments."""
        spans = _spans(
            (section.address, section.address + section.size_bytes)
            for section in self.file.sections
            if section.flags & SHF_ALLOC and not _is_empty_of_thread(section)
        )
        for segment in self.loaded_segments():
            if self.file.is_relocatable or not spans:
                yield segment
                continue
            first, end = segment.address - self.load_address, segment.size_bytes
            for start, stop in spans:
                begin = max(start - first, 0)
                if begin < (last := min(stop - first, end)):
                    yield segment.part(begin, last - begin)

    def loaded_segments(self) -> Iterator[LoadedSegment]:
        """Return the segments that the file loads; dynamic relocations are applied when they are
        read.

        Behind what the file has of a segment are zeros (System V ABI, "Program Header").
        """
        if self.file.is_relocatable:
            yield from self._sections()
            return
        loaded = [part for part in self.file.segments if part.type == PT_LOAD and part.memory_bytes]
        with_bytes = sorted(part.address for part in loaded if part.file_bytes)
        for segment in loaded:

            def segment_bytes(address: int, size_bytes: int, segment: Segment = segment) -> bytes:
                first = address - segment.address
                if not 0 <= first <= segment.memory_bytes - size_bytes:
                    raise Malformed(
                        f"{self.file.path}: a relocation at {address:#x} crosses its segment"
                    )
                there = min(size_bytes, max(0, segment.file_bytes - first))
                if not there:  # the zeros may lie behind the end of the file
                    return bytes(size_bytes)
                data = self.file.file_bytes(segment.offset + first, there, "segment")
                return data.ljust(size_bytes, b"\0")

            def read(
                offset: int,
                size_bytes: int,
                segment: Segment = segment,
                section_bytes: Callable[[int, int], bytes] = segment_bytes,
            ) -> bytes:
                first = segment.address + self._first_byte(segment)
                return self.relocations.applied(first + offset, size_bytes, section_bytes)

            begin = self._first_byte(segment)
            address = segment.address + self.load_address + begin
            # Zeros never hide bytes of the file, which a loader maps behind them.
            above = bisect_left(with_bytes, segment.address + segment.file_bytes)
            end = segment.address + segment.memory_bytes
            if above < len(with_bytes):
                end = min(end, with_bytes[above])
            size_bytes = max(0, end - segment.address - begin)
            yield LoadedSegment(address, size_bytes, bool(segment.flags & PF_W), read)

    def _first_byte(self, segment: Segment) -> int:
        """Return where in a segment there is something to read: behind the headers of a GPU's file
        at 0.

        0 is the null pointer of generic and global memory (AMDGPU usage, "Address Spaces"), and a
        file that is not loaded yet must not be what it points to.
        """
        is_at_null = segment.address + self.load_address == 0 and segment.offset == 0
        if self.file.machine != "AMDGPU" or not is_at_null:
            return 0
        return min(self.file.headers_bytes, segment.memory_bytes)

    def _sections(self) -> Iterator[LoadedSegment]:
        """Yield the sections of a relocatable object where they are placed."""
        contents = ObjectData(self.file, self.load_address)
        for section in placed_sections(self.file):

            def read(offset: int, size_bytes: int, section: Section = section) -> bytes:
                return contents.read(section, offset, size_bytes)

            address = section.address + self.load_address
            yield LoadedSegment(address, section.size_bytes, bool(section.flags & SHF_WRITE), read)


def has_end(code_object: CodeObject) -> bool:
    """Return whether a code object ends within 64 bits where it is loaded."""
    ends = (segment.address + segment.size_bytes for segment in code_object.loaded_segments())
    return not code_object.load_address or max(ends, default=0) <= 1 << 64


def _placed(file: ObjectFile, load_address: int) -> int:
    """Return the load address; `UsageError` if it is that of no machine.

    It is negative for a file that is loaded below the addresses for which it is linked.
    """
    if 0 <= load_address < 1 << 64:
        return load_address
    loaded = (part.address for part in file.segments if part.type == PT_LOAD)
    first = min(loaded, default=0)
    least = max(-first, 1 - (1 << 64))
    return integer("load_address", load_address, least, (1 << 64) - 1)


def _folder(path: str | Path) -> str | Path:
    """Return one of `debug_directories`: an iterator, even an endless one, ends at a wrong one."""
    if not isinstance(path, str | os.PathLike):
        raise wrong_type("debug_directories", path, "str or Path")
    return path


def _is_empty_of_thread(section: Section) -> bool:
    """Return whether a section is only in thread-local blocks: its addresses are those of
    others."""
    return bool(section.flags & SHF_TLS) and section.type == SHT_NOBITS


def _spans(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the ranges in order, those that touch as one."""
    out: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((begin, end))
    return out
