"""ELF object files of both classes and byte orders (System V ABI, chapters 4 and 5).

Law: opening reads the headers only; a section's bytes are read when they are asked for.
Headers are believed only as far as the file reaches: what lies outside it is `Malformed`.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from attrs import frozen

from dwarfgpu.bits import Endian
from dwarfgpu.errors import Malformed, Unsupported, UsageError
from dwarfgpu.objfile.compression import inflate, unpack_zstd

MACHINES: Final = {3: "386", 62: "X86_64", 183: "AARCH64", 224: "AMDGPU"}
"""`e_machine` to the name in `Architecture.machine`."""

ET_REL: Final = 1
PT_LOAD: Final = 1
PF_W: Final = 2
SHT_SYMTAB: Final = 2
SHT_NOBITS: Final = 8
SHT_DYNSYM: Final = 11
SHF_ALLOC: Final = 0x2
SHF_EXECINSTR: Final = 0x4
SHF_COMPRESSED: Final = 0x800
SHN_XINDEX: Final = 0xFFFF
_ZLIB: Final = 1
_ZSTD: Final = 2

SymbolKind = Literal["function", "object", "other"]
_SYMBOL_KINDS: Final[dict[int, SymbolKind]] = {1: "object", 2: "function", 10: "function"}


@frozen
class Section:
    """One section header."""

    index: int
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size_bytes: int
    link: int
    info: int
    entry_bytes: int

    def covers(self, address: int) -> bool:
        """Whether the section is loaded at this address of the file."""
        return bool(self.flags & SHF_ALLOC) and 0 <= address - self.address < self.size_bytes


@frozen
class Segment:
    """One program header."""

    type: int
    flags: int
    offset: int
    address: int
    file_bytes: int
    memory_bytes: int


@frozen
class Symbol:
    """One entry of a symbol table."""

    name: str
    address: int
    size_bytes: int
    kind: SymbolKind
    section: int
    """Index of its section; 0 for a symbol that is not defined here."""


@frozen
class _Layout:
    """The structures of one ELF class, as `struct` formats without their byte order."""

    header: str
    section: str
    segment: str
    symbol: str
    compression: str


_LAYOUTS: Final = {
    1: _Layout("HHIIIIIHHHHHH", "IIIIIIIIII", "IIIIIIII", "IIIBBH", "III"),
    2: _Layout("HHIQQQIHHHHHH", "IIQQQQIIQQ", "IIQQQQQQ", "IBBHQQ", "IIQQ"),
}


class ObjectFile:
    """An ELF file: what it is for, and its sections, segments and symbols.

    `Malformed` is raised where the headers cannot be believed, `UsageError` where the file is no
    ELF file at all.
    """

    def __init__(self, path: str, data: bytes | mmap.mmap) -> None:
        self.path = path
        self._data = data
        self.size_bytes = len(data)
        if data[:4] != b"\x7fELF":
            raise UsageError(f"{path} is not an ELF file")
        if len(data) < 16 or data[4] not in _LAYOUTS or data[5] not in (1, 2):
            raise self._malformed("ELF identification is cut short or names an unknown class")
        self.address_bytes: Literal[4, 8] = 4 if data[4] == 1 else 8
        self.endian: Endian = "little" if data[5] == 1 else "big"
        self.os_abi = data[7]
        self.abi_version = data[8]
        self._layout = _LAYOUTS[data[4]]
        header = self._unpack(self._layout.header, 16, "ELF header")
        self.type, machine, _, self.entry, self._segments_at, self._sections_at = header[:6]
        self.machine = MACHINES.get(machine, f"machine {machine}")
        self.flags = header[6]
        self._segment_bytes, self._segment_count = header[8:10]
        self._section_bytes, self._section_count, self._names_index = header[10:13]

    @property
    def is_relocatable(self) -> bool:
        return self.type == ET_REL

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Every section header, in the order of the file."""
        if not self._sections_at:
            return ()
        first = self._section_fields(0)
        # A count or index that does not fit its field stands in section 0 (System V ABI).
        count = self._section_count or first[5]
        names = first[6] if self._names_index == SHN_XINDEX else self._names_index
        self._check_table("section", self._sections_at, count, self._section_bytes)
        rows = [self._section_fields(index) for index in range(count)]
        table = b""
        if 0 < names < count:
            row = rows[names]
            table = self.file_bytes(row[4], row[5], "section name table")
        return tuple(
            Section(
                index, _name(table, row[0]), row[1], row[2], row[3], row[4], row[5], row[6], row[7],
                row[9],
            )
            for index, row in enumerate(rows)
        )  # fmt: skip

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
        for index in range(count):
            at = self._segments_at + index * self._segment_bytes
            row = self._unpack(self._layout.segment, at, f"program header {index}")
            if self.address_bytes == 4:
                row = (row[0], row[6], *row[1:6])
            out.append(Segment(row[0], row[1], row[2], row[3], row[5], row[6]))
        return tuple(out)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbol table, else the dynamic one."""
        for wanted in (SHT_SYMTAB, SHT_DYNSYM):
            for section in self.sections:
                if section.type == wanted:
                    return self.symbols_of(section)
        return ()

    def has_section(self, name: str) -> bool:
        return name in self.sections_by_name or _gnu_compressed(name) in self.sections_by_name

    def section_data(self, name: str) -> bytes:
        """The bytes of a section, decompressed; none where the file has no such section."""
        section = self.sections_by_name.get(name)
        if section is not None:
            return self.data_of(section)
        section = self.sections_by_name.get(_gnu_compressed(name))
        if section is None:
            return b""
        data = self.data_of(section)
        if data[:4] != b"ZLIB" or len(data) < 12:
            raise Malformed(f"{section.name} of {self.path} has no ZLIB header")
        return self._inflate(section, data[12:], int.from_bytes(data[4:12], "big"))

    def data_of(self, section: Section) -> bytes:
        """The bytes of one section, decompressed; `Unsupported` for Zstandard."""
        if section.type == SHT_NOBITS:
            return b""
        what = section.name or f"section {section.index}"
        data = self.file_bytes(section.offset, section.size_bytes, what)
        if not section.flags & SHF_COMPRESSED:
            return data
        size = struct.calcsize("<" + self._layout.compression)
        if len(data) < size:
            raise self._malformed(f"compression header of {what} is cut short")
        row = struct.unpack(self._order + self._layout.compression, data[:size])
        kind, expanded = row[0], row[-2]
        if kind == _ZSTD:
            return unpack_zstd(data[size:], expanded, f"{what} of {self.path}")
        if kind != _ZLIB:
            raise Unsupported(f"{what} of {self.path} has compression type {kind}")
        return self._inflate(section, data[size:], expanded)

    def file_bytes(self, offset: int, size_bytes: int, what: str) -> bytes:
        """A range of the file; `Malformed` where it does not reach that far."""
        if offset + size_bytes > self.size_bytes:
            raise self._malformed(
                f"{what} at [{offset:#x},{offset + size_bytes:#x}) is outside the "
                f"{self.size_bytes:#x} bytes of the file"
            )
        return self._data[offset : offset + size_bytes]

    def memory_bytes(self, address: int, size_bytes: int) -> bytes | None:
        """Bytes that the file loads at an address of its own; None where it loads none."""
        for section in self.sections:
            if section.type != SHT_NOBITS and section.covers(address):
                start = address - section.address
                if start + size_bytes <= section.size_bytes:
                    return self.file_bytes(section.offset + start, size_bytes, section.name)
        return None

    def bytes_of(self, symbol: Symbol, size_bytes: int) -> bytes | None:
        """What a symbol names, not relocated; None where the file does not have that much of it."""
        if not self.is_relocatable:
            return self.memory_bytes(symbol.address, size_bytes)
        if not 0 < symbol.section < len(self.sections):
            return None
        # Every section of a relocatable object begins at 0: an address alone does not tell.
        data = self.data_of(self.sections[symbol.section])
        found = data[symbol.address : symbol.address + size_bytes]
        return found if len(found) == size_bytes else None

    def is_code(self, address: int) -> bool:
        """Whether the file has instructions at an address of its own."""
        return any(s.flags & SHF_EXECINSTR and s.covers(address) for s in self.sections)

    @property
    def _order(self) -> str:
        return "<" if self.endian == "little" else ">"

    def _malformed(self, message: str) -> Malformed:
        return Malformed(f"{self.path}: {message}")

    def _unpack(self, form: str, offset: int, what: str) -> tuple[int, ...]:
        form = self._order + form
        return struct.unpack(form, self.file_bytes(offset, struct.calcsize(form), what))

    def _check_table(self, what: str, at: int, count: int, entry_bytes: int) -> None:
        if count and entry_bytes < 32:
            raise self._malformed(f"{what} headers have {entry_bytes} bytes each")
        if at + count * entry_bytes > self.size_bytes:
            raise self._malformed(f"{count} {what} headers do not fit into the file")

    def _section_fields(self, index: int) -> tuple[int, ...]:
        at = self._sections_at + index * self._section_bytes
        return self._unpack(self._layout.section, at, f"section header {index}")

    def _inflate(self, section: Section, data: bytes, size_bytes: int) -> bytes:
        return inflate(data, size_bytes, f"{section.name} of {self.path}")

    def symbols_of(self, section: Section) -> tuple[Symbol, ...]:
        """The entries of one symbol table."""
        names = b""
        if 0 < section.link < len(self.sections):
            names = self.data_of(self.sections[section.link])
        form = struct.Struct(self._order + self._layout.symbol)
        data = self.data_of(section)
        out: list[Symbol] = []
        for row in form.iter_unpack(data[: len(data) - len(data) % form.size]):
            if self.address_bytes == 8:
                name, info, _, index, address, size = row
            else:
                name, address, size, info, _, index = row
            kind = _SYMBOL_KINDS.get(info & 15, "other")
            out.append(Symbol(_name(names, name), address, size, kind, index))
        return tuple(out)


def _gnu_compressed(name: str) -> str:
    """The name under which GNU tools once kept a compressed debug section."""
    return name.replace(".debug_", ".zdebug_", 1)


def _name(table: bytes, offset: int) -> str:
    """The string at an offset of a string table; empty where it is outside."""
    end = table.find(b"\0", offset)
    return table[offset:end].decode("utf-8", "replace") if 0 <= offset <= end else ""


def open_object(path: str | Path) -> ObjectFile:
    """The ELF file of that path; `UsageError` where it cannot be read or is none."""
    return ObjectFile(str(path), map_file(path))


def map_file(path: str | Path) -> mmap.mmap:
    """The bytes of a file; `UsageError` where it cannot be read or is empty."""
    try:
        with open(path, "rb") as file:
            if not file.read(1):
                raise UsageError(f"{path} is empty")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path} cannot be read: {reason}") from None
