"""Look up units by name or address in `.gdb_index` (GDB manual, "Index Section Format", versions 7
to 9).

Law: the section is a hint. It contains no locals and no members, so that a missing name may be in
any unit; callers verify the returned unit. All numbers are little-endian in every file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import Struct, iter_unpack, unpack
from typing import Final, Literal

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.base.records import evolve, field, frozen
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.index.aranges import MAX_RANGES
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported, counted
from dwarfgpu.objfile.file_bytes import FileBytes

OwnerKind = Literal["unknown", "type", "variable", "function", "other"]

_VERSIONS: Final = (7, 8, 9)
_KINDS: Final[dict[int, OwnerKind]] = {
    0: "unknown",
    1: "type",
    2: "variable",
    3: "function",
    4: "other",
}
_MAX_PROBES: Final = 10_000
"""Slots that are tried for one name; a table that is not full needs a few."""
_ROW: Final = Struct("<QQI")
"""The start and end of a range, and the index of its unit."""
_UNIT_MASK: Final = (1 << 24) - 1
_UPPER: Final = bytes(range(0x41, 0x5B))
_FOLDED: Final = bytes.maketrans(_UPPER, _UPPER.lower())


@frozen
class Owner:
    """A unit that has a name."""

    unit: int
    """Index in the list of units, type units behind the others."""
    kind: OwnerKind
    is_static: bool


def name_hash(name: bytes) -> int:
    """Return the hash of a name, the same for the upper and lower case of ASCII."""
    number = 0
    for byte in name.translate(_FOLDED):
        number = number * 67 + byte - 113 & 0xFFFFFFFF
    return number


@frozen(eq=False, slots=False)
class GdbIndexTable:
    """The areas of a section, by the offsets at which they start."""

    data: bytes | FileBytes = field(repr=False)
    """The section; of a large file, read piece by piece."""
    version: int
    units_at: int
    type_units_at: int
    addresses_at: int
    symbols_at: int
    symbols_end: int
    pool_at: int

    @cached_property
    def units(self) -> tuple[int, ...]:
        """The offset of each unit in `.debug_info`."""
        pairs = iter_unpack("<QQ", self.data[self.units_at : self.type_units_at])
        return tuple(offset for offset, _ in pairs)

    @cached_property
    def type_units(self) -> tuple[int, ...]:
        """The signature of each type unit."""
        rows = iter_unpack("<QQQ", self.data[self.type_units_at : self.addresses_at])
        return tuple(signature for _, _, signature in rows)

    @property
    def addresses(self) -> Iterator[tuple[Range, int]]:
        """Addresses of the file, each range with the index of its unit; `LimitExceeded` for more
        than `MAX_RANGES`."""
        count = (self.symbols_at - self.addresses_at) // _ROW.size
        if count > MAX_RANGES:
            amount = counted(count, "range")
            raise LimitExceeded(f"{amount} of addresses: more than {MAX_RANGES} are not read")
        for low, high, unit in _ROW.iter_unpack(self.data[self.addresses_at : self.symbols_at]):
            yield Range(low, high), unit

    def names(self) -> Iterator[tuple[bytes, tuple[Owner, ...]]]:
        """Yield every name with its owners, in the order of the table."""
        data = bytes(self.data)
        whole = evolve(self, data=data)
        for slot in range(self.slot_count):
            name_at, owners_at = whole._slot(slot)
            if name_at or owners_at:
                yield _name(data, self.pool_at, name_at), tuple(whole._owners(owners_at))

    def owner_lists(self) -> Iterator[tuple[bytes, tuple[Owner, ...]]]:
        """Yield every list of owners once, with the first name that has it."""
        data = bytes(self.data)
        whole = evolve(self, data=data)
        read = set[int]()
        for slot in range(self.slot_count):
            name_at, owners_at = whole._slot(slot)
            if owners_at and owners_at not in read:
                read.add(owners_at)
                yield _name(data, self.pool_at, name_at), tuple(whole._owners(owners_at))

    def owners(self, name: bytes) -> Iterator[Owner]:
        """Yield the units with a name; none if the table does not contain it."""
        last = self.slot_count - 1
        hash = name_hash(name)
        slot, step = hash & last, hash * 17 & last | 1
        terminated = name + b"\0"
        for _ in range(min(self.slot_count, _MAX_PROBES)):
            name_at, owners_at = self._slot(slot)
            if not name_at and not owners_at:
                return
            start = self.pool_at + name_at
            if self.data[start : start + len(terminated)] == terminated:
                yield from self._owners(owners_at)
                return
            slot = slot + step & last

    @property
    def slot_count(self) -> int:
        """The slots of the table of names, a power of two or 0."""
        return (self.symbols_end - self.symbols_at) // 8

    def _slot(self, slot: int) -> tuple[int, int]:
        """Return the offsets of a name and of its owners in the pool; twice 0 for an empty slot."""
        start = self.symbols_at + 8 * slot
        name_at, owners_at = unpack("<II", self.data[start : start + 8])
        return name_at, owners_at

    def _owners(self, offset: int) -> Iterator[Owner]:
        start = self.pool_at + offset + 4
        count = 0 if start > len(self.data) else unpack("<I", self.data[start - 4 : start])[0]
        if start + 4 * count > len(self.data):
            raise Malformed(f"the units at offset {offset:#x} are outside the constant pool")
        for (number,) in iter_unpack("<I", self.data[start : start + 4 * count]):
            kind = _KINDS.get(number >> 28 & 7, "unknown")
            yield Owner(number & _UNIT_MASK, kind, bool(number >> 31))


def _name(data: bytes, pool_at: int, offset: int) -> bytes:
    start = pool_at + offset
    end = data.find(b"\0", start)
    if end < 0:
        raise Malformed(f"no name starts at offset {offset:#x} of the constant pool")
    return data[start:end]


def read_gdb_index(data: bytes | FileBytes) -> GdbIndexTable:
    """Return the areas of a section; `Malformed` where they do not follow each other in it.

    `Unsupported` for another version: before 7 hashes or entries were others.
    """
    version = int.from_bytes(data[:4], "little")
    if version not in _VERSIONS:
        raise Unsupported(f"version {version}")
    count = 6 if version >= 9 else 5  # the table of `main` is an area of its own since version 9
    header_bytes = 4 + 4 * count
    if len(data) < header_bytes:
        raise Malformed(f"header of {counted(header_bytes, 'byte')} is cut short")
    starts = unpack(f"<{count}I", data[4:header_bytes])
    if [*starts] != sorted(starts) or starts[0] < header_bytes or starts[-1] > len(data):
        raise Malformed("its areas do not follow each other in the section")
    units, type_units, addresses, symbols, symbols_end = starts[:5]
    sizes = (type_units - units, 16), (addresses - type_units, 24), (symbols - addresses, 20)
    slots, remainder = divmod(symbols_end - symbols, 8)
    if any(size % entry for size, entry in sizes) or remainder or slots & slots - 1:
        raise Malformed("the size of an area is not a multiple of its entries'")
    return GdbIndexTable(
        data, version, units, type_units, addresses, symbols, symbols_end, starts[-1]
    )


class GdbIndex:
    """The `.gdb_index` of a file."""

    def __init__(
        self,
        sections: Sections,
        unit_at: Callable[[int], CompilationUnit | None],
        type_unit: Callable[[int], CompilationUnit | None],
    ) -> None:
        """`unit_at`: returns the unit at an offset of `.debug_info`; `type_unit`: the one with a
        signature."""
        self._sections = sections
        self._unit_at = unit_at
        self._type_unit = type_unit

    @cached_property
    def _read(self) -> GdbIndexTable | DwarfGpuError | None:
        try:
            file = self._sections.object
            section = file.sections_by_name.get(".gdb_index")
            data = b"" if section is None else file.window(section)
            return read_gdb_index(data) if data else None
        except DwarfGpuError as error:
            error.context = error.context or f"{self._sections.path}: .gdb_index"
            return error

    @property
    def table(self) -> GdbIndexTable | None:
        """The table; None if there is no usable one."""
        return self._read if isinstance(self._read, GdbIndexTable) else None

    @property
    def problem(self) -> DwarfGpuError | None:
        """Why it cannot be used."""
        return self._read if isinstance(self._read, DwarfGpuError) else None

    def units_named(self, name: str) -> Iterator[CompilationUnit]:
        """Yield the units with a qualified name according to the index, up to a nonexistent one:
        that may be the first with the name, and those after it would be taken instead.

        `Malformed` if the units of the name cannot be read.
        """
        if self.table is None:
            return
        visited: set[int] = set()
        count = len(self.table.units)
        for owner in self.table.owners(name_bytes(name)):
            if owner.unit in visited:
                continue
            visited.add(owner.unit)
            unit = self._unit(self.table, owner.unit)
            if unit is not None:
                yield unit
            elif owner.unit < count:
                return

    def units_at(self, address: int) -> Iterator[CompilationUnit]:
        """Return the units that contain the code at an address of the file, according to the
        index."""
        if self.table is None:
            return
        for index in dict.fromkeys(self._spans.covering(address)):
            unit = self._unit(self.table, index)
            if unit is not None:
                yield unit

    @cached_property
    def _spans(self) -> SpanIndex[int]:
        try:
            return SpanIndex(() if self.table is None else self.table.addresses)
        except LimitExceeded:  # the units themselves have their addresses, too
            return SpanIndex(())

    def _unit(self, table: GdbIndexTable, index: int) -> CompilationUnit | None:
        types = index - len(table.units)
        if types >= 0:
            signatures = table.type_units
            return self._type_unit(signatures[types]) if types < len(signatures) else None
        unit = self._unit_at(table.units[index])
        return unit if unit is not None and unit.offset == table.units[index] else None
