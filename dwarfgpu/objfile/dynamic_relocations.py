"""Apply dynamic relocations to the memory of a loaded file (System V ABI, chapter 5; psABI
of each machine; AMDGPU usage, "Relocation Records").

Law: bytes that depend only on the file and its load address are computed; bytes that depend on
other files or on time are unknown and name what sets them. Tables are read when memory is first
read.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal

from dwarfgpu.arch.registry import abi_of
from dwarfgpu.base.bits import signed
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.printable import name_text, printable
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unavailable
from dwarfgpu.objfile.dynamic_segment import dynamic_tags, dynamic_words
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import (
    ET_EXEC,
    ET_REL,
    PT_LOAD,
    SHF_ALLOC,
    SHT_NOBITS,
    SHT_REL,
    SHT_RELA,
    SymbolFields,
)

SHT_RELR: Final = 19
PT_INTERP: Final = 3
SHN_ABS: Final = 0xFFF1
STB_LOCAL: Final = 0
STV_DEFAULT: Final = 0
STT_TLS: Final = 6
STT_GNU_IFUNC: Final = 10
DT_PLTRELSZ: Final = 2
DT_STRTAB: Final = 5
DT_SYMTAB: Final = 6
DT_SONAME: Final = 14
DT_SYMBOLIC: Final = 16
DT_PLTREL: Final = 20
DT_JMPREL: Final = 23
DT_FLAGS: Final = 30
DT_FLAGS_1: Final = 0x6FFFFFFB
DF_SYMBOLIC: Final = 0x2
DF_1_PIE: Final = 0x08000000
MAX_FIELD_BYTES: Final = 16
"""No field is larger, but for what COPY copies."""
LONGEST_NAME_BYTES: Final = 1 << 10
_MAX_SLOTS: Final = 16
"""Words for one name that are kept: a linker needs one of each kind."""

TableKind = Literal["rela", "rel", "relr"]
SlotKind = Literal["address", "copy", "module", "displacement", "negative", "descriptor"]
"""What the dynamic linker writes for the name of a variable: its address; the contents of a copy;
for a thread-local one the number of the module, and the offset in the next word; the distance from
the thread pointer, or the negative one; a function, and in the next word that distance or the
address of number and offset (Drepper, "ELF Handling For Thread-Local Storage", 4; Oliva,
"Thread-Local Storage Descriptors")."""
_SLOTS: Final[tuple[tuple[str, SlotKind], ...]] = (
    ("_GLOB_DAT", "address"),
    ("_COPY", "copy"),
    *((f"_DTPMOD{bits}", "module") for bits in ("64", "32", "")),
    *((f"_{name}", "displacement") for name in ("TPOFF64", "TLS_TPOFF", "TLS_TPREL")),
    ("_TLS_TPOFF32", "negative"),
    ("_TLSDESC", "descriptor"),
    ("_TLS_DESC", "descriptor"),
)
"""The relocations of each kind, by the ends of their names."""
_COMPUTED: Final = frozenset({"base", "symbol", "symbol_addend", "absolute", "absolute_high"})
"""The kinds of relocation whose value depends only on the file and its load address."""
_STRIDES: Final[dict[TableKind, int]] = {"rela": 3, "rel": 2, "relr": 1}
"""Words of an entry."""
_PART_ENTRIES: Final = 1 << 19
"""Of a table, which are sorted together."""
_COST: Final = 2
"""What an entry counts as towards the limit: sorting takes longer."""
_OF_SECTION: Final[dict[int, TableKind]] = {SHT_RELA: "rela", SHT_REL: "rel", SHT_RELR: "relr"}
_OF_TAGS: Final[tuple[tuple[int, int, TableKind], ...]] = (
    (7, 8, "rela"),
    (17, 18, "rel"),
    (36, 35, "relr"),
)
"""Dynamic tags of address and size in bytes of each table."""


@frozen
class LinkerSlot:
    """A word, or two, that the dynamic linker writes for the name of a variable."""

    kind: SlotKind
    address: int
    """Of the file."""


@frozen
class _Symbols:
    """A symbol table and its names, as offsets in the file."""

    at: int
    names_at: int


@frozen
class _Range:
    """A table as it is in the file."""

    kind: TableKind
    at: int
    size_bytes: int
    symbols: _Symbols | None
    name: str
    """In messages."""

    @property
    def identity(self) -> object:
        """What is the same for a table that two headers describe."""
        return self.kind, self.at, self.size_bytes, self.symbols


@frozen
class _Table:
    """A table, or a part of a large one, in the order of the addresses that it relocates."""

    kind: TableKind
    symbols: _Symbols | None
    addresses: array[int]
    """Those of entries; of `relr` those where words begin."""
    entries: array[int]
    """Which entry of `words` relocates each address."""
    words: array[int]
    copies: tuple[tuple[int, int, int], ...]
    """First address, end address, and entry of each copied range."""


class DynamicRelocations:
    """The dynamic relocations of a file that is loaded at an address."""

    def __init__(self, file: ObjectFile, load_address: int) -> None:
        self._file = file
        self._load_address = load_address
        # What the driver does with the relocations of a linked cubin is not documented.
        is_known = file.machine != "CUDA"
        self._abi = abi_of(file.machine)
        self._types = self._abi.relocations if is_known else {}
        self._word = file.address_bytes

    def applied(
        self, address: int, size_bytes: int, contents: Callable[[int, int], bytes]
    ) -> bytes:
        """Return the relocated bytes at an address of the file, as loaded; `held` are those in the
        file.

        `Unavailable` where any of them depends on more than the file and where it is loaded,
        `Malformed` for a table that cannot be believed, `LimitExceeded` for tables that overlap or
        have too many relocations.
        """
        out = bytearray(contents(address, size_bytes))
        if isinstance(self._tables, DwarfGpuError):
            raise self._tables.anew()
        for table in self._tables:
            for start, entry in _within(table, address, size_bytes, self._word, self._file.path):
                field, value = self._field(table, start, entry, contents)
                first, end = max(start, address), min(start + field, address + size_bytes)
                if first >= end:
                    continue
                if isinstance(value, str):
                    raise Unavailable(f"{self._setter} sets it: {value}")
                data = (value & (1 << 8 * field) - 1).to_bytes(field, self._file.endian)
                out[first - address : end - address] = data[first - start : end - start]
            index = bisect_right(table.copies, address, key=lambda copy: copy[1])
            if index < len(table.copies) and table.copies[index][0] < address + size_bytes:
                first, _, entry = table.copies[index]
                _, why = self._field(table, first, entry, contents)
                raise Unavailable(f"{self._setter} sets it: {why}")
        return bytes(out)

    @property
    def _setter(self) -> str:
        return "the loader" if self._abi.is_loaded_by_runtime else "the dynamic linker"

    def _field(
        self, table: _Table, address: int, entry: int, contents: Callable[[int, int], bytes]
    ) -> tuple[int, int | str]:
        """Return the size in bytes of a field, and its value or what sets it."""
        word = self._word
        if table.kind == "relr":
            return word, self._load_address + int.from_bytes(
                contents(address, word), self._file.endian
            )
        stride = _STRIDES[table.kind]
        info = table.words[stride * entry + 1]
        symbol_shift = 32 if word == 8 else 8
        number = info & (1 << symbol_shift) - 1
        kind = self._types.get(number)
        if kind is None:
            return MAX_FIELD_BYTES, f"relocation type {number} of {self._file.machine}"
        if kind.kind == "none":
            return 0, 0
        name, symbol = kind.name, None
        if info >> symbol_shift and table.symbols is not None:
            row = table.symbols.at + (info >> symbol_shift) * self._file.symbol_bytes
            symbol = self._file.symbol_fields(row)
            name = f"{name} against {self._name(table.symbols, symbol)}"
        if kind.kind == "copy":
            return (0 if symbol is None else symbol.size_bytes), name
        if kind.kind not in _COMPUTED:
            return kind.size_bytes, name
        if table.kind == "rela":
            addend = signed(table.words[stride * entry + 2], 8 * word)
        elif kind.kind == "symbol":
            addend = 0
        else:
            addend = int.from_bytes(contents(address, kind.size_bytes), self._file.endian)
        if kind.kind == "base":
            return kind.size_bytes, self._load_address + addend
        if symbol is None:
            return kind.size_bytes, addend
        base = self._address(symbol)
        if isinstance(base, str):
            return kind.size_bytes, name + base
        value = base + (0 if kind.kind == "symbol" else addend)
        return kind.size_bytes, value >> 32 if kind.kind == "absolute_high" else value

    def _address(self, symbol: SymbolFields) -> int | str:
        """Return the address of a symbol, as loaded; else the reason why it is unknown."""
        if symbol.section == 0 or symbol.info & 15 in (STT_TLS, STT_GNU_IFUNC):
            return ""
        may_be_another = symbol.info >> 4 != STB_LOCAL and symbol.other & 3 == STV_DEFAULT
        if may_be_another and not self._binds_itself:
            return ", which another file may define too"
        return symbol.address + (0 if symbol.section == SHN_ABS else self._load_address)

    @cached_property
    def _binds_itself(self) -> bool:
        return binds_itself(self._file)

    def _name(self, symbols: _Symbols, symbol: SymbolFields) -> str:
        return printable(self._beginning_of_name(symbols, symbol)[0]) or "a section"

    def _whole_name(self, symbols: _Symbols, symbol: SymbolFields, most_bytes: int) -> bytes:
        """Return a name; of a long one, no more bytes than a maximum."""
        name, is_whole = self._beginning_of_name(symbols, symbol)
        return name if is_whole else self._beginning_of_name(symbols, symbol, most_bytes)[0]

    def _beginning_of_name(
        self, symbols: _Symbols, symbol: SymbolFields, most_bytes: int = LONGEST_NAME_BYTES
    ) -> tuple[bytes, bool]:
        """Return the first bytes of a name, and whether they are all."""
        offset = symbols.names_at + symbol.name
        data = self._file.file_bytes(
            offset, max(0, min(most_bytes, self._file.size_bytes - offset)), "symbol name"
        )
        name, end, _ = data.partition(b"\0")
        return name, end != b""

    def slots(self) -> dict[str, list[LinkerSlot]]:
        """Return the words of the global offset table, by the name of the variable for which the
        dynamic linker writes them. Empty if the tables cannot be read, or if the names are longer
        than the file, which then uses its bytes for many."""
        slots: dict[str, list[LinkerSlot]] = {}
        names: dict[int, str] = {}
        left = self._file.size_bytes
        kinds = {
            number: next((kind for end, kind in _SLOTS if relocation.name.endswith(end)), None)
            for number, relocation in self._types.items()
        }
        symbol_shift = 32 if self._word == 8 else 8
        for table in () if isinstance(self._tables, DwarfGpuError) else self._tables:
            if table.kind == "relr":
                continue
            stride = _STRIDES[table.kind]
            for address, entry in zip(table.addresses, table.entries, strict=True):
                info = table.words[stride * entry + 1]
                kind = kinds.get(info & (1 << symbol_shift) - 1)
                if kind is None or table.symbols is None:
                    continue
                row = table.symbols.at + (info >> symbol_shift) * self._file.symbol_bytes
                if row not in names:
                    try:
                        fields = self._file.symbol_fields(row)
                        name = self._whole_name(table.symbols, fields, left + 1)
                    except DwarfGpuError:
                        continue  # the names of other symbols are readable
                    left -= len(name)
                    if left < 0:
                        return {}
                    names[row] = name_text(name)
                of_name = slots.setdefault(names[row], [])
                if len(of_name) < _MAX_SLOTS:
                    of_name.append(LinkerSlot(kind, address))
        return slots

    # Tables

    @cached_property
    def _tables(self) -> tuple[_Table, ...] | DwarfGpuError:
        """The tables, or why they cannot be read, which is found out once."""
        try:
            named = self._from_sections() or self._from_dynamic()
            ranges = {extent.identity: extent for extent in named}.values()
            if sum(span.size_bytes for span in ranges) > self._file.size_bytes:
                raise LimitExceeded(f"{self._file.path}: its tables of dynamic relocations overlap")
            return tuple(part for span in ranges for part in self._read(span))
        except DwarfGpuError as error:
            return error

    def _from_sections(self) -> list[_Range]:
        file, out = self._file, list[_Range]()
        for section in file.sections:
            kind = _OF_SECTION.get(section.type)
            if kind is None or not section.flags & SHF_ALLOC:
                continue
            symbols = None
            if 0 < section.link < len(file.sections):
                linked = file.sections[section.link]
                if linked.type != SHT_NOBITS and 0 < linked.link < len(file.sections):
                    symbols = _Symbols(linked.offset, file.sections[linked.link].offset)
            out.append(_Range(kind, section.offset, section.size_bytes, symbols, section.name))
        return out

    def _from_dynamic(self) -> list[_Range]:
        tags, symbols = dynamic_tags(self._file), None
        if DT_SYMTAB in tags and DT_STRTAB in tags:
            symbols = _Symbols(self._offset(tags[DT_SYMTAB]), self._offset(tags[DT_STRTAB]))
        plt: TableKind = "rel" if tags.get(DT_PLTREL) == 17 else "rela"
        return [
            _Range(kind, self._offset(tags[tag]), tags[size], symbols, f"dynamic tag {tag}")
            for tag, size, kind in (*_OF_TAGS, (DT_JMPREL, DT_PLTRELSZ, plt))
            if tag in tags and tags.get(size)
        ]

    def _offset(self, address: int) -> int:
        """Return where the file has what it loads at an address."""
        for segment in self._file.segments:
            if segment.type == PT_LOAD and 0 <= address - segment.address < segment.file_bytes:
                return segment.offset + address - segment.address
        raise Malformed(f"{self._file.path}: no segment has {address:#x} of the dynamic segment")

    def _read(self, extent: _Range) -> Iterator[_Table]:
        """Yield the parts of a table, whose sorting takes several times their memory."""
        # Few commands read such tables.
        from dwarfgpu.objfile.relocation_budget import relocation_budget

        budget = relocation_budget(self._file).of(extent.identity, extent.name)
        stride = _STRIDES[extent.kind]
        entry_bytes = stride * self._word
        count = extent.size_bytes // entry_bytes
        budget.spend(_COST * count)
        next_address: int | None = None
        for begin in range(0, count, _PART_ENTRIES):
            size_bytes = min(_PART_ENTRIES, count - begin) * entry_bytes
            words = dynamic_words(self._file, extent.at + begin * entry_bytes, size_bytes, stride)
            if extent.kind == "relr":
                addresses, next_address = _starts(words, self._word, next_address, self._file.path)
            else:
                addresses = words[::stride]
            order = array("I", sorted(range(len(addresses)), key=addresses.__getitem__))
            in_order = array(addresses.typecode, map(addresses.__getitem__, order))
            table = _Table(extent.kind, extent.symbols, in_order, order, words, ())
            if extent.kind != "relr" and (copies := self._copies(table)):
                table = _Table(extent.kind, extent.symbols, in_order, order, words, copies)
            yield table

    def _copies(self, table: _Table) -> tuple[tuple[int, int, int], ...]:
        """Return the ranges copied from other files, in the order of their ends; none contains
        another."""
        number = next(
            (n for n, relocation_type in self._types.items() if relocation_type.kind == "copy"),
            None,
        )
        if number is None:
            return ()
        stride = _STRIDES[table.kind]
        mask = (1 << (32 if self._word == 8 else 8)) - 1
        infos = table.words[1::stride]
        out: list[tuple[int, int, int]] = []
        for address, entry in zip(table.addresses, table.entries, strict=True):
            if infos[entry] & mask == number:
                size_bytes, _ = self._field(table, address, entry, lambda start, size: bytes(size))
                if not out or address + size_bytes > out[-1][1]:
                    out.append((address, address + size_bytes, entry))
        return tuple(out)


@kept_with(first)
def linker_slots(file: ObjectFile) -> Mapping[str, Sequence[LinkerSlot]]:
    """Return `DynamicRelocations.slots` of a file."""
    return DynamicRelocations(file, 0).slots()


@kept_with(first)
def is_program(file: ObjectFile) -> bool:
    """Return whether a loader starts a file, or it always runs at its linked address.

    The C library has an interpreter too, but also a name for its users (DT_SONAME).
    """
    if file.type in (ET_EXEC, ET_REL):
        return True
    if abi_of(file.machine).is_loaded_by_runtime:
        return False
    tags = dynamic_tags(file)
    if tags.get(DT_FLAGS_1, 0) & DF_1_PIE:
        return True  # without an interpreter, it is linked statically
    return any(segment.type == PT_INTERP for segment in file.segments) and DT_SONAME not in tags


@kept_with(first)
def binds_itself(file: ObjectFile) -> bool:
    """Return whether a symbol defined in a file binds to it, whatever other files define.

    That holds for programs, whose symbols come first, and for files linked symbolically; a GPU
    code object has no other files.
    """
    tags = dynamic_tags(file)
    return (
        abi_of(file.machine).is_loaded_by_runtime
        or is_program(file)
        or DT_SYMBOLIC in tags
        or bool(tags.get(DT_FLAGS, 0) & DF_SYMBOLIC)
    )


def _starts(
    words: array[int], word_bytes: int, next_address: int | None, path: str
) -> tuple[array[int], int | None]:
    """Return where what each word of a table of relative relocations relocates begins, and where
    the next bitmap does: words are addresses, and bitmaps of the words behind.

    `next_address`: where the first bitmap begins; None at the begin of a table.
    """
    starts = array(words.typecode)
    mask, span_bytes = (1 << 8 * word_bytes) - 1, (8 * word_bytes - 1) * word_bytes
    for word in words:
        if not word & 1:
            starts.append(word)
            next_address = word + word_bytes & mask
            continue
        if next_address is None:
            raise Malformed(f"{path}: a table of relative relocations begins with a bitmap")
        starts.append(next_address)
        next_address = next_address + span_bytes & mask
    return starts, next_address


def _within(
    table: _Table, address: int, size_bytes: int, word_bytes: int, path: str
) -> Iterator[tuple[int, int]]:
    """Yield address and entry of each relocation whose field may overlap a range."""
    is_bitmaps = table.kind == "relr"
    # Each of the table relocates bytes from another address on, at which no other one begins.
    reach = (8 * word_bytes - 1) * word_bytes if is_bitmaps else MAX_FIELD_BYTES
    first = bisect_left(table.addresses, address - reach + 1)
    end = bisect_left(table.addresses, address + size_bytes)
    if end - first > size_bytes + reach:
        raise _repeated(address, path)
    if is_bitmaps:
        most = size_bytes + word_bytes
        for index in range(first, end):
            entry = table.entries[index]
            for start in _relocated_by(table.words[entry], table.addresses[index], word_bytes):
                if address - word_bytes < start < address + size_bytes:
                    most -= 1
                    if most < 0:
                        raise _repeated(address, path)
                    yield start, entry
        return
    for index in range(first, end):
        yield table.addresses[index], table.entries[index]


def _repeated(address: int, path: str) -> Malformed:
    return Malformed(f"{path}: bytes at {address:#x} are relocated more than once")


def _relocated_by(word: int, start: int, word_bytes: int) -> Iterator[int]:
    """Yield the addresses that a word of a table of relative relocations relocates."""
    if not word & 1:
        yield start
        return
    for index in range(8 * word_bytes - 1):
        if word >> index + 1 & 1:
            yield start + index * word_bytes
