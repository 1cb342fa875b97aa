"""ELF files of both classes and byte orders: headers, sections and segments (System V ABI,
chapters 4 and 5).

Law: opening reads the headers only; a section's bytes are read on demand. Headers are trusted only
within the file: anything outside of it is `Malformed`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal

from dwarfgpu.arch.registry import machine_name
from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, plain_integer
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, UNJUDGED_BYTES, FileLimits
from dwarfgpu.errors import FailedReads, Malformed, Unsupported, UsageError, counted
from dwarfgpu.objfile.bytes_in_memory import BytesInMemory
from dwarfgpu.objfile.compression import inflate, unpack_zstd
from dwarfgpu.objfile.elf_structures import (
    ELFCOMPRESS_ZLIB,
    ELFCOMPRESS_ZSTD,
    ET_DYN,
    ET_EXEC,
    ET_REL,
    GNU_COMPRESSED,
    LAYOUTS,
    SHF_ALLOC,
    SHF_COMPRESSED,
    SHN_XINDEX,
    SHT_NOBITS,
    Section,
    Segment,
    uncompressed,
)
from dwarfgpu.objfile.file_bytes import FileBytes, OfOpenFile, SmallFile, part_of
from dwarfgpu.objfile.file_kinds import (
    BITCODE_MAGICS,
    CORE_HEADER_BYTES,
    DEBIAN_PACKAGE_MAGIC,
    ELF_MAGIC,
    LONGEST_MAGIC_BYTES,
    SOURCE_ENDINGS,
    archive_kind,
    compressed_by,
    is_core_header,
)
from dwarfgpu.objfile.section_placement import CUBIN_GLOBAL, are_placed, placed
from dwarfgpu.objfile.string_table import StringTable

if TYPE_CHECKING:
    import os

    from dwarfgpu.objfile.compressed_file import Data

_HEADERS_OF_A_PIECE: Final = 1024
_MAX_HEADER: Final = 64
"""Bytes of the header of a 64-bit file."""
_GNU_HEADER_BYTES: Final = 12
"""Of a section that GNU tools compressed before SHF_COMPRESSED: `ZLIB`, and the size when it is not
compressed, 8 bytes, most significant first."""
_READ_STATES: Final = "eval, location, lanes, waves, bt, run and debug"


class ElfFile(OfOpenFile):
    """The headers of an ELF file, and the bytes of its sections.

    Raises `Malformed` for inconsistent headers, `UsageError` if the file is not an ELF file.
    """

    def __init__(
        self,
        path: str,
        data: bytes | FileBytes,
        limits: FileLimits = DEFAULT_FILE_LIMITS,
        entry_fault: Malformed | None = None,
    ) -> None:
        self.path = path
        self.limits = limits
        self._in_memory = BytesInMemory(path, limits)
        self.failed_reads = FailedReads()
        """By index for compressed sections."""
        self._data = data
        self.entry_fault = entry_fault
        """How the entry of a bundle contradicts the file, which is its code object."""
        self.size_bytes = len(data)
        archive = archive_kind(bytes(data[: len(DEBIAN_PACKAGE_MAGIC)]))
        if archive is not None:
            raise UsageError(f"{path} is {archive}")
        program = compressed_by(bytes(data[:LONGEST_MAGIC_BYTES]))
        if program is not None:
            raise _compressed(path, program, data)
        if data[:4] in BITCODE_MAGICS:
            raise UsageError(
                f"{not_elf(path)} but LLVM bitcode: give the file that the compiler made from it"
            )
        if data[:4] != ELF_MAGIC:
            from dwarfgpu.base.printable import shell_word  # only for this message

            is_json = bytes(data[:LONGEST_MAGIC_BYTES]).lstrip().startswith(b"{")
            raise UsageError(
                f"{not_elf(path)}; "
                f"give it as a state (--state {shell_word(path)} of {_READ_STATES})"
                if is_json
                else not_elf(path) + _source(path)
            )
        ident = data[:16]
        if len(ident) < 16 or ident[4] not in LAYOUTS or ident[5] not in (1, 2):
            raise self._malformed("ELF identification is cut short or names an unknown class")
        self.address_bytes: Literal[4, 8] = 4 if ident[4] == 1 else 8
        self.endian: Endian = "little" if ident[5] == 1 else "big"
        self.os_abi = ident[7]
        self.abi_version = ident[8]
        self._layout = LAYOUTS[ident[4]]
        header = self._unpack(self._layout.header, 16, "ELF header")
        self.type, machine, self.header_version, self.entry = header[:4]
        self._segments_at, self._sections_at = header[4:6]
        self.machine = machine_name(machine)
        self.flags = header[6]
        self._segment_bytes, self._segment_count = header[8:10]
        self._section_bytes, self._section_count, self._names_index = header[10:13]

    @property
    def status(self) -> os.stat_result | None:
        """The status of the file when it was opened; None for bytes that are not a whole file."""
        return self._data.status if isinstance(self._data, FileBytes | SmallFile) else None

    @cached_property
    def is_relocatable(self) -> bool:
        """Whether sections have no addresses yet, and relocations are still to be applied.

        So are cubins, linked or not: each function has a section, and all of these begin at 0.
        """
        if self.machine != "CUDA" or self.type not in (ET_EXEC, ET_DYN):
            return self.type == ET_REL
        return not are_placed(self._loaded_rows[1])

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Every section header, in the order of the file."""
        titles, rows = self._loaded_rows
        addresses = [row[3] for row in rows]
        if self.is_relocatable:
            if self.machine == "CUDA":  # no section has an address, but for damage
                rows = [(*row[:3], 0, *row[4:]) for row in rows]
            addresses = placed(rows, 1 << 8 * self.address_bytes, self.size_bytes)
        return tuple(
            Section(
                index, titles[index], row[1], row[2], addresses[index], row[4], row[5], row[6],
                row[7], row[9], row[8],
            )
            for index, row in enumerate(rows)
        )  # fmt: skip

    @cached_property
    def _loaded_rows(self) -> tuple[list[str], list[tuple[int, ...]]]:
        """The names and the fields of every section header; of a cubin, only sections in global
        memory have SHF_ALLOC."""
        rows = list(self._section_rows)
        names = self._names_index
        if rows and names == SHN_XINDEX:
            names = rows[0][6]
        table = StringTable(b"", self.path)
        if 0 < names < len(rows):
            row = rows[names]
            table = StringTable(self.file_bytes(row[4], row[5], "section name table"), self.path)
        titles = [table.at(row[0]) for row in rows]
        if self.machine == "CUDA":
            rows = [
                row if title.startswith(CUBIN_GLOBAL) else (*row[:2], row[2] & ~SHF_ALLOC, *row[3:])
                for row, title in zip(rows, titles, strict=True)
            ]
        return titles, rows

    @cached_property
    def _section_rows(self) -> tuple[tuple[int, ...], ...]:
        """The fields of every section header; `Malformed` where the ELF header has either only the
        offset or only the size of their table."""
        if not self._sections_at and not self._section_count:
            return ()
        if not self._sections_at:
            raise self._no_table(f"e_shnum is {self._section_count}, but e_shoff is 0")
        # A count that does not fit its field is in section 0 (System V ABI).
        count = self._section_count or self._section_fields(0)[5]
        if not count:
            raise self._no_table(f"e_shoff is {self._sections_at:#x}, but e_shnum is 0")
        self._check_table("section", self._sections_at, count, self._section_bytes)
        layout = self._layout.section
        return tuple(
            self._header_rows(layout, self._sections_at, count, self._section_bytes, "section")
        )

    @cached_property
    def sections_by_name(self) -> Mapping[str, Section]:
        """The first section of each name."""
        named: dict[str, Section] = {}
        for section in self.sections:
            named.setdefault(section.name, section)
        return named

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Every program header, in the order of the file."""
        count = self._segment_count
        if count == 0xFFFF and self._sections_at:
            count = self._section_fields(0)[7]
        self._check_table("program", self._segments_at, count, self._segment_bytes)
        out: list[Segment] = []
        layout = self._layout.segment
        for row in self._header_rows(
            layout, self._segments_at, count, self._segment_bytes, "program"
        ):
            in_order = row if self.address_bytes == 8 else (row[0], row[6], *row[1:6], row[7])
            kind, flags, offset, address, physical, file_bytes, memory_bytes, alignment = in_order
            out.append(
                Segment(kind, flags, offset, address, file_bytes, memory_bytes, alignment, physical)
            )
        return tuple(out)

    @property
    def headers_bytes(self) -> int:
        """The end of the file header and, if it comes next, of the table of segments."""
        table = self._segments_at + len(self.segments) * self._segment_bytes
        return table if 0 < self._segments_at <= _MAX_HEADER else _MAX_HEADER

    @property
    def header_parts(self) -> tuple[tuple[int, int, str], ...]:
        """Where the ELF header and the two tables of headers begin and end in the file, and what
        they are called."""
        sections_end = self._sections_at + len(self._section_rows) * self._section_bytes
        segments_end = self._segments_at + len(self.segments) * self._segment_bytes
        return (
            (0, 16 + struct.calcsize("<" + self._layout.header), "the ELF header"),
            (self._sections_at, sections_end, "the section headers"),
            (self._segments_at, segments_end, "the program headers"),
        )

    def sections_named(self, name: str) -> tuple[Section, ...]:
        """Return all sections of a name: each group of a relocatable object may have its own."""
        return self._namesakes.get(uncompressed(name), ())

    @cached_property
    def _namesakes(self) -> Mapping[str, tuple[Section, ...]]:
        named: dict[str, list[Section]] = {}
        for section in self.sections:
            named.setdefault(uncompressed(section.name), []).append(section)
        return {name: tuple(members) for name, members in named.items()}

    def has_section(self, name: str) -> bool:
        return name in self._namesakes

    def section_data(self, name: str) -> bytes:
        """Return the decompressed bytes of a section; empty if the file has no such section."""
        section = self.sections_by_name.get(name) or next(iter(self.sections_named(name)), None)
        return b"" if section is None else self.data_of(section)

    def is_compressed(self, section: Section) -> bool:
        """Return whether the bytes of a section are compressed in the file."""
        return bool(section.flags & SHF_COMPRESSED) or section.name.startswith(GNU_COMPRESSED)

    def data_of(self, section: Section) -> bytes:
        """Return the bytes of one section, decompressed; `Unsupported` for Zstandard."""
        if section.type == SHT_NOBITS:
            return b""
        if self.is_compressed(section):
            return self.failed_reads.read(section.index, lambda: self._decompressed(section))
        subject = section.name or f"section {section.index}"
        return self.file_bytes(section.offset, section.size_bytes, subject)

    def _decompressed(self, section: Section) -> bytes:
        subject = section.name or f"section {section.index}"
        data = self.file_bytes(section.offset, section.size_bytes, subject)
        kind, expanded, size = self._compression(section)
        self._in_memory.check_inflated(section, size_bytes=expanded, packed_bytes=len(data))
        if kind == ELFCOMPRESS_ZSTD:
            return unpack_zstd(data[size:], expanded, f"{subject} of {self.path}")
        if kind != ELFCOMPRESS_ZLIB:
            raise Unsupported(f"{subject} of {self.path} has compression type {kind}")
        return inflate(data[size:], expanded, f"{section.name} of {self.path}")

    def window(self, section: Section) -> bytes | FileBytes:
        """Return the bytes of a section; from an uncompressed section of a large file they are read
        on demand."""
        if section.type == SHT_NOBITS or self.is_compressed(section):
            return self.data_of(section)
        self._check_range(section.offset, section.size_bytes, section.name)
        return part_of(self._data, section.offset, section.size_bytes)

    def _compression(self, section: Section) -> tuple[int, int, int]:
        """Return how a section is compressed, its size when it is not, and that of the header."""
        subject = section.name or f"section {section.index}"
        if not section.flags & SHF_COMPRESSED:
            size = min(section.size_bytes, _GNU_HEADER_BYTES)
            header = self.file_bytes(section.offset, size, subject)
            if size < _GNU_HEADER_BYTES or not header.startswith(b"ZLIB"):
                raise Malformed(f"{subject} of {self.path} has no ZLIB header")
            return ELFCOMPRESS_ZLIB, int.from_bytes(header[4:], "big"), size
        size = struct.calcsize("<" + self._layout.compression)
        if section.size_bytes < size:
            raise self._malformed(f"compression header of {subject} is cut short")
        row = self._unpack(self._layout.compression, section.offset, subject)
        return row[0], row[-2], size

    def unpacked_bytes(self, section: Section) -> int:
        """Return the size of the result of `data_of`."""
        if section.type == SHT_NOBITS:
            return 0
        if self.is_compressed(section):
            return self._compression(section)[1]
        return section.size_bytes

    def file_bytes(self, offset: int, size_bytes: int, subject: str) -> bytes:
        """Return a range of the file; `Malformed` if the file is too short, `LimitExceeded` if
        more than the limit would be in memory."""
        try:
            offset, size_bytes = plain_integer(offset), plain_integer(size_bytes)
            self._check_range(offset, size_bytes, subject)
            if size_bytes > UNJUDGED_BYTES:
                self._in_memory.check_read(subject, (offset, size_bytes), size_bytes)
            return self._data[offset : offset + size_bytes]
        except FOREIGN:
            require_right_arguments(ElfFile.file_bytes, self, offset, size_bytes, subject)
            raise

    def count_read(self, section: Section, size_bytes: int) -> None:
        """Count how many bytes of a large section are in memory; `LimitExceeded` for too many."""
        part = section.offset, section.size_bytes
        self._in_memory.check_read(section.name, part, size_bytes)

    def part(self, offset: int, size_bytes: int) -> bytes | FileBytes:
        """Return bytes of the file; those of a large file are not read yet."""
        self._check_range(offset, size_bytes, "part")
        return part_of(self._data, offset, size_bytes)

    def _check_range(self, offset: int, size_bytes: int, subject: str) -> None:
        end = offset + size_bytes
        if not 0 <= offset <= end <= self.size_bytes:
            extent = f"at [{offset:#x},{end:#x})"
            if end > 1 << 64:  # no offset in a file
                extent = f"at {offset:#x} with {size_bytes:#x} bytes"
            raise self._malformed(
                f"{subject} {extent} is outside the {self.size_bytes:#x} bytes of the file: "
                "the file is cut short, or its headers are wrong"
            )

    @property
    def _order(self) -> str:
        return "<" if self.endian == "little" else ">"

    def _malformed(self, message: str) -> Malformed:
        return Malformed(f"{self.path}: {message}")

    def _unpack(self, form: str, offset: int, subject: str) -> tuple[int, ...]:
        form = self._order + form
        return struct.unpack(form, self.file_bytes(offset, struct.calcsize(form), subject))

    def _no_table(self, contradiction: str) -> Malformed:
        return self._malformed(f"the section headers are not found: {contradiction}")

    def _check_table(
        self, subject: Literal["program", "section"], offset: int, count: int, entry_bytes: int
    ) -> None:
        if count and entry_bytes < 32:
            raise self._malformed(f"{subject} headers have {counted(entry_bytes, 'byte')} each")
        if offset + count * entry_bytes > self.size_bytes:
            raise self._malformed(f"{count} {subject} headers do not fit into the file")
        self.limits.check_headers(self.path, subject, count)

    def _header_rows(
        self, layout: str, offset: int, count: int, entry_bytes: int, subject: str
    ) -> Iterator[tuple[int, ...]]:
        """Yield the fields of the headers of a table, which is read in pieces: there may be a
        million."""
        form = struct.Struct(self._order + layout)
        for first in range(0, count, _HEADERS_OF_A_PIECE):
            last = min(first + _HEADERS_OF_A_PIECE, count) - 1
            data = self.file_bytes(
                offset + first * entry_bytes,
                (last - first) * entry_bytes + form.size,
                f"{subject} headers {first} to {last}",
            )
            for start in range(0, (last - first) * entry_bytes + 1, entry_bytes):
                yield form.unpack_from(data, start)

    def _section_fields(self, index: int) -> tuple[int, ...]:
        offset = self._sections_at + index * self._section_bytes
        return self._unpack(self._layout.section, offset, f"section header {index}")


def _compressed(path: str, program: str, data: Data) -> UsageError:
    """Return why a file that a program has compressed is none: of a core file, as of others."""
    from dwarfgpu.objfile.compressed_file import head_of  # few files are compressed

    if is_core_header(head_of(path, data, CORE_HEADER_BYTES)):
        return core_without_program(path)
    return UsageError(f"{path} is compressed by {program}: give the output of {program} -d")


def core_without_program(path: str) -> UsageError:
    """Return the error about a core file where the files that it was made from are wanted."""
    return UsageError(f"{path} is a core file, without debug information: give the program")


def _source(path: str) -> str:
    """Return a hint for a file that is not compiled; otherwise empty."""
    if not path.lower().endswith(SOURCE_ENDINGS):
        return ""
    return "; it is named as source text: give the file that the compiler made from it"


def not_elf(path: str) -> str:
    """Return the message for a file that does not begin as an ELF file."""
    return f"{path} is not an ELF file"
