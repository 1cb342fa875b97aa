"""Relocations of the sections of relocatable objects (psABI of each machine; AMDGPU usage,
"Relocation Records").

The sections are placed one after the other (`dwarfgpu.objfile.section_placement`). Debug sections
with the same name (type units have their own groups) are concatenated.

Law: a symbol of another file gets an address of its own, with nothing there.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from operator import attrgetter, countOf
from typing import TYPE_CHECKING, Any, Final, TypeAlias

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
    from dwarfgpu.objfile.relocation_budget import TableBudget
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

_Quick: TypeAlias = tuple[int, Callable[..., tuple[Any, ...]], Callable[..., None], int, int, int]
"""For most relocations: the last offset of a field, how it is read and written, what is added to
the addend, how many times the offset is subtracted, and the bits that are kept."""
_WORDS: Final = {
    order: {
        size: struct.Struct(order + code) for size, code in ((1, "B"), (2, "H"), (4, "I"), (8, "Q"))
    }
    for order in "<>"
}
_NO_QUICK: Final[_Quick] = (-1, struct.unpack_from, struct.pack_into, 0, 0, 0)
_MAX_WAYS: Final = 1 << 17
"""Of one table that are kept."""
_SLOW: Final = 3
"""How many relocations more one counts as that is calculated from what is in the field, or in
another way that few need."""
_NEW_WAY: Final = 7
"""The same, for the first one of a symbol and type."""
_UNKNOWN: Final = 15
"""The same, for one whose symbol or type is unknown."""


def relocated_data(file: ObjectFile, name: str) -> bytes:
    """Return the bytes of a section, relocated if the file is a relocatable object.

    `Malformed` for a relocation outside the section or of a symbol that does not exist,
    `Unsupported` for a type that the machine's ABI does not define, or that only a linker applies,
    `LimitExceeded` for sections of the name that overlap, and for too many relocations.
    """
    data, unknown = relocated_where_known(file, name)
    for field in unknown:
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
    """A field of a section whose value is not known from the file."""

    offset: int
    """In the section."""
    data: bytes
    """What the file has there."""
    problem: Unavailable | Unsupported | Malformed

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.offset + len(self.data)


@frozen
class Way:
    """How the relocations of one symbol and type are applied."""

    table: Section
    index: int
    """Of the symbol."""
    number: int
    """Of the type."""
    kind: RelocationKind | None
    """None for a type that is unknown, or for a linker."""
    size_bytes: int
    """Of the field, but of LEB128 numbers."""
    base: int
    """What is added to the addend."""
    external: Symbol | None
    """The symbol, if the file does not decide where it is."""

    @property
    def is_quick(self) -> bool:
        """Whether the value is a sum, in a field of whole words."""
        return (
            self.external is None
            and self.kind in ("absolute", "relative")
            and self.size_bytes in _WORDS["<"]
        )

    @property
    def is_of_another_file(self) -> bool:
        """Whether another file, or the linker, decides the value."""
        symbol = self.external
        return symbol is not None and symbol.section <= 0 and symbol.section != UNKNOWN_SECTION


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
        for offset, way in self.relocate(section, data, out, self._start_of(section)):
            if way.is_of_another_file:
                continue
            field = self.field(section, data, offset, way)
            if isinstance(field.problem, Malformed):
                raise field.problem
            unknown.append(field)
            if len(unknown) > _MAX_UNKNOWN:
                raise field.problem
        return bytes(out), unknown

    def _name_of(self, index: int) -> str | None:
        """Return the name of a section, without the z of those that objcopy compresses; None if
        the file has none of the number."""
        sections = self._file.sections
        return uncompressed(sections[index].name) if index < len(sections) else None

    def relocate(
        self, section: Section, data: bytes, out: bytearray, place: int
    ) -> Iterator[tuple[int, Way]]:
        """Relocate the bytes of a section placed at an address, in the order of its tables; yield
        where a field is whose value is unknown, or depends on another file, and its relocation.

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
            yield from self._apply(table, section, data, out, place)

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

    def _apply(
        self, table: Section, section: Section, data: bytes, out: bytearray, place: int
    ) -> Iterator[tuple[int, Way]]:
        from dwarfgpu.objfile.relocation_budget import relocation_budget  # few files need it

        form = _form(self._file, table)
        budget = relocation_budget(self._file).of(table.index, table.name)
        budget.spend(self._file.unpacked_bytes(table) // form.size)
        symbols = self._symbols.of(table)
        order = form.format[0]
        ways: dict[int, Way] = {}
        quick: dict[int, _Quick] = {}
        pending: dict[int, int] = {}
        rows = form.iter_unpack(_entries(self._file, table, form))

        def way_of(info: int) -> Way:
            way = ways.get(info)
            if way is None:
                budget.spend(_NEW_WAY)
                if len(ways) >= _MAX_WAYS:
                    ways.clear()
                    quick.clear()
                way = ways[info] = self._way(table, symbols, info)
                if (known := _quick(way, len(data), place, order)) is not None:
                    quick[info] = known
            return way

        if table.type == SHT_RELA:
            for offset, info, addend in rows:
                last, _, write, base, less, mask = quick.get(info, _NO_QUICK)
                if offset <= last:
                    write(out, offset, base + addend - less * offset & mask)
                    continue
                way = way_of(info)
                yield from self._apply_slowly(
                    section, data, out, place, offset, addend, way, pending, budget
                )
            return
        for offset, info in rows:
            last, read, write, base, less, mask = quick.get(info, _NO_QUICK)
            if offset <= last:
                (addend,) = read(data, offset)
                write(out, offset, base + addend - less * offset & mask)
                continue
            way = way_of(info)
            yield from self._apply_slowly(
                section, data, out, place, offset, None, way, pending, budget
            )

    def _way(self, table: Section, symbols: SymbolTable, info: int) -> Way:
        file, abi = self._file, abi_of(self._file.machine)
        index, number = _symbol_and_type(file, info)
        relocation = abi.relocations.get(number)
        if relocation is None or relocation.kind not in _STATIC:
            size_bytes = MAX_FIELD_BYTES
            if relocation is not None and relocation.kind == "linker":
                size_bytes = min(relocation.size_bytes, MAX_FIELD_BYTES)
            return Way(table, index, number, None, size_bytes, 0, None)
        kind, size_bytes = relocation.kind, relocation.size_bytes
        if kind == "none":
            return Way(table, index, number, kind, size_bytes, 0, None)
        if index >= len(symbols):
            raise Malformed(f"{file.path}: {table.name} names symbol {index} of {len(symbols)}")
        entries = symbols.entries
        symbol_section = entries.sections[index]
        end = min(len(file.sections), SHN_LORESERVE)
        external: Symbol | None = None
        if 0 < symbol_section < end and kind != "size":
            # Nearly all: hundreds of thousands of them need no `Symbol`.
            base = entries.address(symbol_section, entries.values[index])
            base += self._base_of(symbol_section)
        else:
            symbol = symbols.symbol(index)
            base = symbol.size_bytes if kind == "size" else self._address(index, symbol)
            external = symbol if self._is_external(index, symbol) else None
        if kind == "tls_offset":
            base -= abi.dtv_offset
        return Way(table, index, number, kind, size_bytes, base, external)

    def _apply_slowly(
        self,
        section: Section,
        data: bytes,
        out: bytearray,
        place: int,
        offset: int,
        addend: int | None,
        way: Way,
        pending: dict[int, int],
        budget: TableBudget,
    ) -> Iterator[tuple[int, Way]]:
        """Apply one relocation of any kind; yield it if its field is not known from the file.

        `pending`: values of LEB128 numbers by their offsets, which need not fit before the last of
        their relocations.
        """
        kind, endian = way.kind, self._file.endian
        if kind == "none":
            return
        if kind is None:
            budget.spend(_UNKNOWN)
            yield offset, way
            return
        size_bytes, what = way.size_bytes, f"{self._file.path}: {way.table.name} relocates "
        what += f"{section.name}+{offset:#x}"
        if kind in _ULEB:
            budget.spend(_UNKNOWN)
            size_bytes = _uleb_bytes(data, offset)
            if size_bytes > _MAX_ULEB_BYTES:
                raise Malformed(f"{what}: a ULEB128 number of more than {_MAX_ULEB_BYTES} bytes")
        elif not way.is_quick:
            budget.spend(_SLOW if way.external is None else _UNKNOWN)
        end = offset + size_bytes
        if end > len(data):
            raise Malformed(what)
        if addend is None:
            addend = signed(int.from_bytes(data[offset:end], endian), 8 * size_bytes)
        value = way.base + addend
        if kind in _SUMS:
            before = pending.get(offset)
            if before is None:
                before = _number(kind, bytes(out[offset:end]), endian)
            value = _sum(kind, before, value)
            if kind in _ULEB:
                pending[offset] = value
        elif kind != "absolute":
            value = _value(kind, value, place + offset)
        if kind == "subtract_uleb" and not 0 <= value < 1 << 7 * size_bytes:
            raise Malformed(
                f"{what}: {value} does not fit a ULEB128 number of {counted(size_bytes, 'byte')}"
            )
        out[offset:end] = _encoded(kind, value, size_bytes, endian)
        if way.external is not None:
            yield offset, way

    def field(self, section: Section, data: bytes, offset: int, way: Way) -> Field:
        """Return a field that `relocate` yields, with why its value is unknown."""
        size_bytes = _uleb_bytes(data, offset) if way.kind in _ULEB else way.size_bytes
        contents = data[offset : offset + size_bytes]
        if way.external is not None:
            problem = self._problem(section, offset, way.index, way.external)
            return Field(offset, contents, problem)
        file = self._file
        types = abi_of(file.machine).relocations
        relocation = types.get(way.number)
        what = f"relocations of {file.machine} are unknown"
        if relocation is not None and relocation.kind == "linker":
            what = f"{relocation.name} at {section.name}+{offset:#x} has no value before a linker "
            what += "applies it"
        elif types:
            what = f"relocation type {way.number} of {file.machine} is unknown"
        return Field(offset, contents, Unsupported(f"{file.path}: {way.table.name}: {what}"))

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


def _form(file: ObjectFile, table: Section) -> struct.Struct:
    """Return how an entry of a table is written: offset, symbol and type, and the addend of those
    that are not in the section."""
    word = "Q" if file.address_bytes == 8 else "I"
    addend = word.lower() if table.type == SHT_RELA else ""
    return struct.Struct(("<" if file.endian == "little" else ">") + 2 * word + addend)


def _symbol_and_type(file: ObjectFile, info: int) -> tuple[int, int]:
    """Return the index of the symbol and the number of the type of a relocation."""
    if file.address_bytes == 4:
        return info >> 8, info & 0xFF
    if file.endian == "little" and abi_of(file.machine).has_three_relocation_types:
        types = (info >> 32).to_bytes(4, "big")
        return info & 0xFFFFFFFF, int.from_bytes(types, "little")
    return info >> 32, info & 0xFFFFFFFF


def _entries(file: ObjectFile, table: Section, form: struct.Struct) -> bytes:
    """Return the entries of a table; `Malformed` for relocations that zeros replaced."""
    data = file.data_of(table)
    data = data[: len(data) - len(data) % form.size]
    of_debug = relocated_name(table.name)[1].startswith(".debug_")
    if of_debug and bytes(_LOST * form.size) in data:
        zeros = form.unpack(bytes(form.size))
        count = countOf(form.iter_unpack(data), zeros)
        raise Malformed(
            f"{file.path}: {table.name} has {count} of {len(data) // form.size} relocations that "
            "are 0"
        )
    return data


def _quick(way: Way, data_bytes: int, place: int, order: str) -> _Quick | None:
    """Return how to write the fields of a relocation at once; None for those that need more."""
    if not way.is_quick:
        return None
    form = _WORDS[order][way.size_bytes]
    less = way.kind == "relative"
    last, mask = data_bytes - way.size_bytes, (1 << 8 * way.size_bytes) - 1
    return last, form.unpack_from, form.pack_into, way.base - less * place, int(less), mask
