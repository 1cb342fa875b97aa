"""Relocations of the sections of relocatable objects (psABI of each machine; AMDGPU usage,
"Relocation Records").

A section of such an object is not loaded anywhere yet: every one begins at address 0, so that an
address in its debug information is the offset in the section that the address is in. Debug sections
of one name, which type units have in groups of their own, are read as one, each after the other.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal

from dwarfgpu.bits import signed
from dwarfgpu.errors import LimitExceeded, Malformed, Unsupported
from dwarfgpu.nouns import frozen
from dwarfgpu.objfile.elf import SHF_ALLOC, ObjectFile, Section, Symbol

SHT_RELA: Final = 4
SHT_REL: Final = 9
LARGEST_EXPANSION: Final = 64
"""How many times the size of the file sections of one name may have when decompressed."""

Kind = Literal["none", "absolute", "high", "relative", "relative_high", "size"]


@frozen
class Relocation:
    """How one type of relocation is calculated."""

    kind: Kind
    size_bytes: int = 0


_NONE: Final = Relocation("none")
RELOCATIONS: Final[Mapping[str, Mapping[int, Relocation]]] = {
    "AMDGPU": {
        0: _NONE,
        1: Relocation("absolute", 4),
        2: Relocation("high", 4),
        3: Relocation("absolute", 8),
        4: Relocation("relative", 4),
        5: Relocation("relative", 8),
        6: Relocation("absolute", 4),
        10: Relocation("relative", 4),
        11: Relocation("relative_high", 4),
    },
    "X86_64": {
        0: _NONE,
        1: Relocation("absolute", 8),
        2: Relocation("relative", 4),
        10: Relocation("absolute", 4),
        11: Relocation("absolute", 4),
        12: Relocation("absolute", 2),
        13: Relocation("relative", 2),
        14: Relocation("absolute", 1),
        15: Relocation("relative", 1),
        17: Relocation("absolute", 8),  # DTPOFF64: the offset in the thread's block
        21: Relocation("absolute", 4),  # DTPOFF32
        24: Relocation("relative", 8),
        32: Relocation("size", 4),
        33: Relocation("size", 8),
    },
    "AARCH64": {
        0: _NONE,
        256: _NONE,
        257: Relocation("absolute", 8),
        258: Relocation("absolute", 4),
        259: Relocation("absolute", 2),
        260: Relocation("relative", 8),
        261: Relocation("relative", 4),
        262: Relocation("relative", 2),
        1029: Relocation("absolute", 8),  # TLS_DTPREL64
    },
    "386": {
        0: _NONE,
        1: Relocation("absolute", 4),
        2: Relocation("relative", 4),
        32: Relocation("absolute", 4),  # TLS_LDO_32
    },
}
"""What is applied to sections that are not loaded, by the name of the machine and the type."""


def relocated_data(file: ObjectFile, name: str) -> bytes:
    """The bytes of a section, relocated where the file is a relocatable object.

    `Malformed` for a relocation outside the section or of a symbol that does not exist,
    `Unsupported` for a type that is not in `RELOCATIONS`, `LimitExceeded` for sections of the name
    that overlap.
    """
    sections = file.sections_named(name)
    if not file.is_relocatable or not sections:
        return file.section_data(name)
    if len(sections) > 1:
        _refuse_overlap(file, f"sections {name}", sections)
    relocator = _Relocator(file)
    return b"".join(relocator.data_of(section) for section in sections)


def _refuse_overlap(file: ObjectFile, what: str, sections: Collection[Section]) -> None:
    unpacked = sum(map(file.unpacked_bytes, sections))
    if (
        sum(each.size_bytes for each in sections) > file.size_bytes
        or unpacked > LARGEST_EXPANSION * file.size_bytes
    ):
        raise LimitExceeded(f"{file.path}: its {len(sections)} {what} overlap")


class _Relocator:
    """Relocates the sections of one name; tables and symbols are read once."""

    def __init__(self, file: ObjectFile) -> None:
        self._file = file
        self._tables: dict[int, list[Section]] = {}
        for each in file.sections:
            if each.type in (SHT_RELA, SHT_REL):
                self._tables.setdefault(each.info, []).append(each)
        self._symbols: dict[int, tuple[Symbol, ...]] = {}
        self._places: dict[str, dict[int, int]] = {}

    def data_of(self, section: Section) -> bytes:
        """The bytes of one section."""
        data = self._file.data_of(section)
        tables = self._tables.get(section.index)
        if not tables or not data:
            return data
        if len(tables) > 1:
            _refuse_overlap(self._file, f"relocation tables of {section.name}", tables)
        out = bytearray(data)
        for table in tables:
            self._apply(table, section, out)
        return bytes(out)

    def _symbols_of(self, table: Section) -> tuple[Symbol, ...]:
        file = self._file
        if not 0 < table.link < len(file.sections):
            raise Malformed(f"{file.path}: {table.name} names no symbol table")
        if table.link not in self._symbols:
            read = [file.sections[index] for index in (*self._symbols, table.link)]
            if len(read) > 1:
                _refuse_overlap(file, "symbol tables", read)
            self._symbols[table.link] = file.symbols_of(file.sections[table.link])
        return self._symbols[table.link]

    def _place(self, index: int) -> int:
        """Where a section begins in what all sections of its name are read as."""
        file = self._file
        if not 0 < index < len(file.sections) or file.sections[index].flags & SHF_ALLOC:
            return 0
        name = file.sections[index].name
        if name not in self._places:
            places, end = {}, 0
            for each in file.sections_named(name):
                places[each.index] = end
                end += file.unpacked_bytes(each)
            self._places[name] = places
        return self._places[name][index]

    def _apply(self, table: Section, section: Section, out: bytearray) -> None:
        file = self._file
        kinds = RELOCATIONS.get(file.machine)
        if kinds is None:
            raise Unsupported(f"{file.path}: relocations of {file.machine}")
        symbols = self._symbols_of(table)
        for offset, index, number, given in _entries(file, table):
            relocation = kinds.get(number)
            if relocation is None:
                raise Unsupported(f"{file.path}: relocation type {number} of {file.machine}")
            if relocation.kind == "none":
                continue
            size_bytes = relocation.size_bytes
            if offset + size_bytes > len(out):
                raise Malformed(f"{file.path}: {table.name} relocates {section.name}+{offset:#x}")
            if index >= len(symbols):
                raise Malformed(f"{file.path}: {table.name} names symbol {index} of {len(symbols)}")
            field = slice(offset, offset + size_bytes)
            addend = given
            if addend is None:
                addend = signed(int.from_bytes(out[field], file.endian), 8 * size_bytes)
            symbol = symbols[index]
            base = symbol.address + self._place(symbol.section)
            if relocation.kind == "size":
                base = symbol.size_bytes
            value = _value(relocation.kind, base + addend, section.address + offset)
            out[field] = (value & (1 << 8 * size_bytes) - 1).to_bytes(size_bytes, file.endian)


def _value(kind: Kind, target: int, place: int) -> int:
    if kind in ("relative", "relative_high"):
        target -= place
    return target >> 32 if kind in ("high", "relative_high") else target


def _entries(file: ObjectFile, table: Section) -> Iterator[tuple[int, int, int, int | None]]:
    """Offset, index of the symbol, type and addend; None where the addend is in the section."""
    order = "<" if file.endian == "little" else ">"
    word = "Q" if file.address_bytes == 8 else "I"
    has_addend = table.type == SHT_RELA
    form = struct.Struct(order + 2 * word + (word.lower() if has_addend else ""))
    symbol_shift = 32 if file.address_bytes == 8 else 8
    data = file.data_of(table)
    for offset, info, *addend in form.iter_unpack(data[: len(data) - len(data) % form.size]):
        number = info & (1 << symbol_shift) - 1
        yield offset, info >> symbol_shift, number, addend[0] if addend else None
