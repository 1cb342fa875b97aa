"""Relocations of the sections of relocatable objects (psABI of each machine; AMDGPU usage,
"Relocation Records").

The sections are placed one after the other (`dwarfgpu.objfile.section_placement`). Debug sections
with the same name (type units have their own groups) are concatenated.

Law: a symbol of another file gets an address of its own, with nothing there.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.abi import RelocationKind
from dwarfgpu.arch.registry import abi_of
from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import LimitExceeded, Malformed, Unavailable, Unsupported, counted
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import (
    SHF_ALLOC,
    SHN_LORESERVE,
    SHT_REL,
    SHT_RELA,
    Section,
    relocated_name,
    uncompressed,
)
from dwarfgpu.objfile.file_bytes import FileBytes
from dwarfgpu.objfile.symbol_entries import UNKNOWN_SECTION
from dwarfgpu.objfile.symbols import Symbol, SymbolTable

if TYPE_CHECKING:
    from dwarfgpu.objfile.section_buffer import SectionBuffer

_MIN_BUFFER_BYTES: Final = 1 << 20
"""Size from which a section is read by ranges; a smaller one takes 1 ms."""
_MAX_BUFFER_BYTES: Final = 1 << 32
MAX_FIELD_BYTES: Final = 8
_MAX_ULEB_BYTES: Final = 16
"""Of a field: a value of 64 bits has 10, and assemblers may pad it."""
_MAX_UNKNOWN: Final = 10_000
"""Fields of unknown contents in a section that is read despite them."""
_PAGE_BYTES: Final = 0x1000
_LOST: Final = 3
"""Relocations of debugging information that are 0: only damage writes as many in a row. `ld -r
--gc-sections` leaves some in `.rela.eh_frame`."""
_NOWHERE_BYTES: Final = 16
"""Between the addresses of two symbols that are not defined here."""
MAX_EXPANSION: Final = 64
"""How many times the size of the file sections of one name may have when decompressed."""

_SIX_BITS: Final = frozenset({"set_6_bits", "add_6_bits", "subtract_6_bits"})
_ULEB: Final = frozenset({"set_uleb", "add_uleb", "subtract_uleb"})
_SUMS: Final = frozenset({"add", "subtract"}) | _SIX_BITS | _ULEB
"""The kinds that use what is in the field, as do other relocations of the same field before."""
_STATIC: Final = _SUMS | {
    "none", "absolute", "absolute_high", "relative", "relative_high", "size", "tls_offset",
}  # fmt: skip
"""The kinds that linkers apply; only dynamic linkers apply the others."""


def relocated_data(file: ObjectFile, name: str) -> bytes:
    """Return the bytes of a section, relocated if the file is a relocatable object.

    `Malformed` for a relocation outside the section or of a symbol that does not exist,
    `Unsupported` for a type that the machine's ABI does not define, or that only a linker applies,
    `LimitExceeded` for sections of the name that overlap.
    """
    data, unknown = relocated_where_known(file, name)
    for field in unknown:
        assert field.problem is not None
        raise field.problem
    return data


def relocated_where_known(file: ObjectFile, name: str) -> tuple[bytes, list[Field]]:
    """Return the bytes of a section as `relocated_data`, and in order the fields of relocations
    whose type is unknown, or which only a linker applies; these are as in the file.

    Errors as there, and `Unsupported` for a machine without known types, for a field outside the
    section and for very many.
    """
    sections = file.sections_named(name)
    if not file.is_relocatable or not sections:
        return file.section_data(name), []
    _refuse_overlap(file, f"sections {name}", sections)
    relocator, out, unknown = Relocator(file), bytearray(), list[Field]()
    can_miss = bool(abi_of(file.machine).relocations)
    for section in sections:
        begin = len(out)
        data, fields = relocator.data_of(section)
        out += data
        for field in fields:
            assert field.problem is not None
            if not can_miss or field.offset >= len(data) or len(unknown) >= _MAX_UNKNOWN:
                raise field.problem
            unknown.append(Field(begin + field.offset, field.data, field.problem))
    unknown.sort(key=attrgetter("offset"))
    return bytes(out), unknown


def section_buffer(file: ObjectFile, name: str) -> SectionBuffer | None:
    """Return the memory for ranges of a section that is large and in the file as it is; None for
    one that is compressed, relocated or small. `Malformed` where the file ends before it."""
    section = file.sections_by_name.get(name)
    if section is None or file.is_relocatable or file.is_compressed(section):
        return None
    if not _MIN_BUFFER_BYTES <= section.size_bytes <= _MAX_BUFFER_BYTES:
        return None
    file_bytes = file.window(section)
    if not isinstance(file_bytes, FileBytes):
        return None
    from dwarfgpu.objfile.section_buffer import SectionBuffer  # few files are as large

    with suppress(OSError):  # the addresses of the process are limited
        return SectionBuffer(file_bytes, lambda size_bytes: file.count_read(section, size_bytes))
    return None


def _refuse_overlap(file: ObjectFile, subject: str, sections: Collection[Section]) -> None:
    sizes = Sizes(file, f"{len(sections)} {subject}")
    for section in sections:
        sizes.add(section)


class Sizes:
    """The sizes of several sections of one file, which cannot be larger than the file together."""

    def __init__(self, file: ObjectFile, subject: str) -> None:
        self._file, self._subject = file, subject
        self._count = self._size_bytes = self._unpacked_bytes = 0

    def add(self, section: Section) -> None:
        """Add a section; `LimitExceeded` if it overlaps the others."""
        file = self._file
        self._count += 1
        self._size_bytes += section.size_bytes
        self._unpacked_bytes += file.unpacked_bytes(section)
        is_larger = (
            self._size_bytes > file.size_bytes
            or self._unpacked_bytes > MAX_EXPANSION * file.size_bytes
        )
        if is_larger and self._count > 1:  # what reads a single one says why it cannot
            raise LimitExceeded(f"{file.path}: its {self._subject} overlap")


class LinkedSymbols:
    """The symbol tables of one file that its tables of relocations name, each read once."""

    def __init__(self, file: ObjectFile) -> None:
        self._file = file
        self._read: dict[int, SymbolTable] = {}
        self._sizes = Sizes(file, "symbol tables")

    def of(self, table: Section) -> SymbolTable:
        """Return the symbols for a table of relocations; `Malformed` if it names none,
        `LimitExceeded` for symbol tables that overlap."""
        file, link = self._file, table.link
        if not 0 < link < len(file.sections):
            raise Malformed(f"{file.path}: {table.name} names no symbol table")
        if link not in self._read:
            section = file.sections[link]
            self._sizes.add(section)
            self._read[link] = file.symbol_table_of(section)
        return self._read[link]


@frozen
class Field:
    """A field of a section that a relocation sets."""

    offset: int
    """In the section."""
    data: bytes
    problem: Unavailable | Unsupported | Malformed | None
    """Why `data` is not what it will be."""

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.offset + len(self.data)


class Relocator:
    """Relocates sections of one file; tables and symbols are read once."""

    def __init__(self, file: ObjectFile, load_address: int = 0) -> None:
        self._file = file
        self._load_address = load_address
        self._tables: dict[int, list[Section]] = {}
        self._misdirected: dict[str, Section] = {}
        """Tables by the debug section that they are named after, if they say another one."""
        for section in file.sections:
            if section.type in (SHT_RELA, SHT_REL):
                kind, named = relocated_name(section.name)
                if kind is not None and named != self._name_of(section.info):
                    self._misdirected[named] = section
                else:
                    self._tables.setdefault(section.info, []).append(section)
        self._symbols = LinkedSymbols(file)
        self._starts: dict[str, dict[int, int]] = {}
        self._bases: dict[int, int] = {}
        """Where the sections that symbols are in begin, by their numbers."""
        loaded = (section for section in file.sections if section.flags & SHF_ALLOC)
        end = max((section.address + section.size_bytes for section in loaded), default=0)
        self._external_address = end + -end % _PAGE_BYTES + _PAGE_BYTES

    def data_of(self, section: Section) -> tuple[bytes, list[Field]]:
        """Return the bytes of one section, and the fields of types that are unknown or for a
        linker; sections of the same name are concatenated.

        A symbol of another file has no address; a symbol of the file whose section it does not say
        is an error.
        """
        data = self._file.data_of(section)
        out, unknown = bytearray(data), list[Field]()
        for field in self.fields(section, data, self._start_of(section)):
            if isinstance(field.problem, Malformed):
                raise field.problem
            if isinstance(field.problem, Unsupported):
                unknown.append(field)
                if len(unknown) > _MAX_UNKNOWN:
                    raise field.problem
            else:
                out[field.offset : field.end] = field.data
        return bytes(out), unknown

    def _name_of(self, index: int) -> str | None:
        """Return the name of a section, without the z of those that objcopy compresses; None if
        the file has none of the number."""
        sections = self._file.sections
        return uncompressed(sections[index].name) if index < len(sections) else None

    def fields(self, section: Section, data: bytes, place: int) -> Iterator[Field]:
        """Yield the relocations of a section placed at an address, in the order of its tables.

        `Malformed` for a table that is named after the section but relocates another one, which no
        producer writes.
        """
        table = self._misdirected.get(uncompressed(section.name))
        if table is not None:
            raise Malformed(
                f"{self._file.path}: {table.name} relocates section {table.info}, "
                f"{self._name_of(table.info) or 'which the file does not have'}"
            )
        tables = self._tables.get(section.index, []) if data else []
        _refuse_overlap(self._file, f"relocation tables of {section.name}", tables)
        for table in tables:
            yield from self._fields(table, section, data, place)

    def _start_of(self, section: Section) -> int:
        """Return where a section begins in what all sections of its name are read as."""
        name = section.name
        if name not in self._starts:
            namesakes = self._file.sections_named(name)
            starts, end = {}, namesakes[0].address
            for alike in namesakes:
                starts[alike.index] = end
                end += self._file.unpacked_bytes(alike)
            self._starts[name] = starts
        return self._starts[name][section.index]

    def _address(self, index: int, symbol: Symbol) -> int:
        """Return the value of a symbol with an index in its table."""
        if 0 < symbol.section < len(self._file.sections):
            return symbol.address + self._base_of(symbol.section)
        if self._is_external(index, symbol):
            return self._external_address + _NOWHERE_BYTES * index
        return symbol.address

    def _base_of(self, number: int) -> int:
        """Return what is added to the addresses of the symbols of a section."""
        base = self._bases.get(number)
        if base is None:
            section = self._file.sections[number]
            is_loaded = section.flags & SHF_ALLOC
            base = self._load_address if is_loaded else self._start_of(section)
            self._bases[number] = base
        return base

    def _fields(self, table: Section, section: Section, data: bytes, place: int) -> Iterator[Field]:
        file, endian = self._file, self._file.endian
        abi = abi_of(file.machine)
        types, has_sums = (
            abi.relocations,
            any(type.kind in _SUMS for type in abi.relocations.values()),
        )
        sums: dict[int, int] = {}
        symbols = self._symbols.of(table)
        symbol_count, data_bytes = len(symbols), len(data)
        symbol_sections, values = symbols.entries.sections, symbols.entries.values
        end = min(len(file.sections), SHN_LORESERVE)
        address_of, base_of = symbols.entries.address, self._base_of
        for offset, index, number, explicit_addend in _entries(file, table):
            relocation = types.get(number)
            if relocation is None or (kind := relocation.kind) not in _STATIC:
                what = f"relocations of {file.machine} are unknown"
                size_bytes = MAX_FIELD_BYTES
                if relocation is not None and relocation.kind == "linker":
                    size_bytes = min(relocation.size_bytes, MAX_FIELD_BYTES)
                    what = f"{relocation.name} at {section.name}+{offset:#x} has no value before "
                    what += "a linker applies it"
                elif types:
                    what = f"relocation type {number} of {file.machine} is unknown"
                unknown = Unsupported(f"{file.path}: {table.name}: {what}")
                yield Field(offset, data[offset : offset + size_bytes], unknown)
                continue
            if kind == "none":
                continue
            size_bytes = relocation.size_bytes
            if has_sums and kind in _ULEB:
                size_bytes = _uleb_bytes(data, offset)
                if size_bytes > _MAX_ULEB_BYTES:
                    raise Malformed(
                        f"{file.path}: {table.name} relocates {section.name}+{offset:#x}: a "
                        f"ULEB128 number of more than {_MAX_ULEB_BYTES} bytes"
                    )
            if offset + size_bytes > data_bytes:
                raise Malformed(f"{file.path}: {table.name} relocates {section.name}+{offset:#x}")
            if index >= symbol_count:
                raise Malformed(f"{file.path}: {table.name} names symbol {index} of {symbol_count}")
            addend = explicit_addend
            if addend is None:
                contents = data[offset : offset + size_bytes]
                addend = signed(int.from_bytes(contents, endian), 8 * size_bytes)
            symbol_section = symbol_sections[index]
            external: Symbol | None = None
            if 0 < symbol_section < end and kind != "size":
                # Nearly all: hundreds of thousands of them need no `Symbol`.
                base = address_of(symbol_section, values[index]) + base_of(symbol_section)
            else:
                symbol = symbols.symbol(index)
                base = symbol.size_bytes if kind == "size" else self._address(index, symbol)
                external = symbol if self._is_external(index, symbol) else None
            if kind == "tls_offset":
                addend -= abi.dtv_offset
            value = base + addend
            if has_sums and kind in _SUMS:
                contents = data[offset : offset + size_bytes]
                before = sums.get(offset, _number(kind, contents, endian))
                value = _sum(kind, before, value)
            elif kind != "absolute":
                value = _value(kind, value, place + offset)
            if has_sums:
                sums[offset] = value
            if kind == "subtract_uleb" and not 0 <= value < 1 << 7 * size_bytes:
                raise Malformed(
                    f"{file.path}: {table.name} relocates {section.name}+{offset:#x}: {value} does "
                    f"not fit a ULEB128 number of {counted(size_bytes, 'byte')}"
                )
            yield Field(
                offset,
                _encoded(kind, value, size_bytes, endian),
                None if external is None else self._problem(section, offset, index, external),
            )

    def _problem(
        self, section: Section, offset: int, index: int, symbol: Symbol
    ) -> Unavailable | Malformed:
        path, what = self._file.path, f"{section.name}+{offset:#x} depends"
        name = symbol.name or f"symbol {index}"  # those of sections have no name
        if symbol.section == UNKNOWN_SECTION:
            return Malformed(
                f"{path}: SHT_SYMTAB_SHNDX does not have the section of {name}, on which {what}"
            )
        if symbol.section > 0:
            return Malformed(
                f"{path}: {name}, on which {what}, is in section {symbol.section} of "
                f"{len(self._file.sections)}"
            )
        return Unavailable(
            f"{path} is not linked, and does not define {symbol.name}, on which {what}"
        )

    def _is_external(self, index: int, symbol: Symbol) -> bool:
        """Return whether the file itself does not decide where a symbol of that index is: another
        one, or the linker, does (SHN_UNDEF, SHN_COMMON and processor-specific ones), or its section
        is unknown."""
        is_placed = 0 < symbol.section < len(self._file.sections)
        return index > 0 and not is_placed and not symbol.is_absolute


def _value(kind: RelocationKind, target: int, place: int) -> int:
    if kind in ("relative", "relative_high"):
        target -= place
    return target >> 32 if kind in ("absolute_high", "relative_high") else target


def _uleb_bytes(data: bytes, offset: int) -> int:
    """Return the size of a ULEB128 number; one more than is left, or may be, if it has no end."""
    end, last = offset, min(len(data), offset + _MAX_ULEB_BYTES)
    while end < last and data[end] & 0x80:
        end += 1
    return end + 1 - offset


def _number(kind: RelocationKind, contents: bytes, endian: Endian) -> int:
    """Return V, what is in the field."""
    if kind in _ULEB:
        return sum((byte & 0x7F) << 7 * index for index, byte in enumerate(contents))
    return int.from_bytes(contents, endian)


def _sum(kind: RelocationKind, before: int, operand: int) -> int:
    """Return the value after one of several relocations of a field."""
    if kind.startswith("set"):
        value = operand
    else:
        value = before + operand if kind.startswith("add") else before - operand
    return before & ~0x3F | value & 0x3F if kind in _SIX_BITS else value


def _encoded(kind: RelocationKind, value: int, size_bytes: int, endian: Endian) -> bytes:
    if kind in _ULEB:
        groups = [value >> 7 * index & 0x7F | 0x80 for index in range(size_bytes)]
        return bytes((*groups[:-1], groups[-1] & 0x7F))
    return (value & (1 << 8 * size_bytes) - 1).to_bytes(size_bytes, endian)


def _entries(file: ObjectFile, table: Section) -> Iterator[tuple[int, int, int, int | None]]:
    """Yield offset, symbol index, type and addend; an addend of None is in the section. `Malformed`
    for relocations that zeros replaced."""
    order = "<" if file.endian == "little" else ">"
    word = "Q" if file.address_bytes == 8 else "I"
    has_addend = table.type == SHT_RELA
    form = struct.Struct(order + 2 * word + (word.lower() if has_addend else ""))
    symbol_shift = 32 if file.address_bytes == 8 else 8
    data = file.data_of(table)
    is_swapped = (
        abi_of(file.machine).has_three_relocation_types
        and file.address_bytes == 8
        and file.endian == "little"
    )
    of_debug = relocated_name(table.name)[1].startswith(".debug_")
    if of_debug and bytes(_LOST * form.size) in data:
        starts = range(0, len(data) - form.size + 1, form.size)
        count = sum(not any(data[start : start + form.size]) for start in starts)
        raise Malformed(
            f"{file.path}: {table.name} has {count} of {len(starts)} relocations that are 0"
        )
    for offset, info, *addend in form.iter_unpack(data[: len(data) - len(data) % form.size]):
        if is_swapped:
            symbol, types = info & 0xFFFFFFFF, info >> 32
            info = symbol << 32 | int.from_bytes(types.to_bytes(4, "big"), "little")
        number = info & (1 << symbol_shift) - 1
        yield offset, info >> symbol_shift, number, addend[0] if addend else None
