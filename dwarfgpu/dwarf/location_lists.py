"""Location lists and range lists (DWARF 5 2.6.2, 2.17.3, 7.7.3, 7.25; AMD text A.2.5.5,
A.7.7.3; DWARF 4 2.6.2, 7.8; GNU Fission, "DWARF 4 debug_loc.dwo").

Law: bounds are returned as addresses of the file; entries with equal bounds cover nothing and are
omitted, as are those whose code the linker dropped.

`expr/location_list_entry.py` chooses the entries that apply at a pc.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final, Protocol, TypeAlias, TypeVar

from dwarfgpu.base.records import define
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range, merged
from dwarfgpu.dwarf.forms import Attribute, WordReader
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit_tables import UnitTables
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, counted
from dwarfgpu.expr.context import LocList, Unit, UnitFormat
from dwarfgpu.expr.location_list_entry import LocationListEntry

_LLE_OFFSET_PAIR: Final = 0x04
_LLE_DEFAULT_LOCATION: Final = 0x05
_LLE_GNU_VIEW_PAIR: Final = 0x09
_RLE_OFFSET_PAIR: Final = 0x04
_SHORT_OFFSET: Final = 1 << 21
"""Offsets below have up to three bytes as LEB128."""
_SHORT_PAIR_BYTES: Final = 1 + 3 + 3 + 1 + 127
"""Maximum size of an entry with such offsets, and an expression whose length has one byte."""
_SHORT_RANGE_BYTES: Final = 1 + 3 + 3
_RLE_KINDS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 7, 7: 8}
"""DW_RLE codes 1 to 7 to the DW_LLE codes that give bounds in the same way."""


class InvertedRange(IllFormed):
    """An entry of a list that ends before it begins."""

    @property
    def kind(self) -> str:
        return "IllFormed"


_NOTHING: Final = (0, 0)


_T = TypeVar("_T")
Bounds: TypeAlias = tuple[int, int]
"""The first address, and that after the last."""
_new: Final = tuple.__new__
"""Makes an entry in half of the time of its class: a file has several times as many entries as
variables."""


class ListUnit(Unit, Protocol):
    """What a list needs to know of its unit; `dwarfgpu.dwarf.unit.CompilationUnit` is one."""

    @property
    def sections(self) -> Sections: ...

    @property
    def format(self) -> UnitFormat: ...

    @property
    def is_split(self) -> bool: ...

    @property
    def base_address(self) -> int | None: ...

    @property
    def address_mask(self) -> int: ...

    @property
    def tombstone(self) -> int: ...

    @property
    def tables(self) -> UnitTables: ...

    @property
    def lists(self) -> UnitLists: ...

    @property
    def linked(self) -> ListUnit:
        """The unit with what a linker changes: of a split unit its skeleton, else itself."""
        ...

    @property
    def ranges_base(self) -> int:
        """Bytes from the start of `.debug_ranges` to the range lists of its split unit."""
        ...

    def address(self, index: int) -> int:
        """Return an entry of `.debug_addr`, an address of the file."""
        ...


@define
class _Bounds:
    """Reads the bounds of entries; the base address changes along the list."""

    unit: ListUnit
    reader: WordReader
    base: int | None

    def _address(self) -> int:
        return self.reader.unsigned(self.unit.format.address_size)

    def _indexed(self) -> int:
        return self.unit.address(self.reader.uleb())

    def _based(self, offset: int) -> int:
        if self.base is None:
            raise IllFormed("a list has offsets, but neither it nor its unit a base address")
        # Linkers mark a base in code that they dropped by one of the two highest addresses.
        return self.base + offset if self.base < self.unit.tombstone else self.unit.tombstone

    def read(self, kind: int) -> Bounds | None:
        """Return the bounds of a DW_LLE code; None for an entry that sets the base address."""
        reader = self.reader
        match kind:
            case 1:
                self.base = self._indexed()
                return None
            case 2:
                return self._range(self._indexed(), self._indexed())
            case 3:
                return self._sized(self._indexed())
            case 4:
                return self.offset_pair()
            case 6:
                self.base = self._address()
                return None
            case 7:
                return self._range(self._address(), self._address())
            case 8:
                return self._sized(self._address())
            case _:
                raise Malformed(f"list entry at {reader.position - 1:#x} has kind {kind:#x}")

    def offset_pair(self) -> Bounds:
        """Return the bounds of DW_LLE_offset_pair."""
        reader, base = self.reader, self.base
        begin, end = reader.uleb(), reader.uleb()
        if base is not None and base + begin <= base + end < self.unit.tombstone:
            return (base + begin, base + end)
        return self._range(self._based(begin), self._based(end))

    def _sized(self, begin: int) -> Bounds:
        return self._range(begin, begin + self.reader.uleb())

    def fission(self, kind: int) -> Bounds | None:
        """Return the bounds of an entry of `.debug_loc.dwo`: as in DWARF 5, but lengths and offsets
        have four bytes."""
        reader = self.reader
        match kind:
            case 3:
                begin = self._indexed()
                return self._range(begin, begin + reader.unsigned(4))
            case 4:
                begin, end = reader.unsigned(4), reader.unsigned(4)
                return self._range(self._based(begin), self._based(end))
            case 1 | 2:
                return self.read(kind)
            case _:
                raise Malformed(f"list entry at {reader.position - 1:#x} has kind {kind:#x}")

    def pair(self) -> Bounds | None:
        """Read an entry of DWARF 4: None if it sets the base address, (0, 0) if it ends the
        list."""
        begin, end = self._address(), self._address()
        if begin == self.unit.address_mask:
            self.base = end
            return None
        if begin == end == 0:
            return _NOTHING
        return self._range(self._based(begin), self._based(end))

    def _range(self, begin: int, end: int) -> Bounds:
        if begin >= self.unit.tombstone:
            return (begin, begin)
        if end < begin:
            raise InvertedRange(f"list entry ends at {end:#x}, before its begin {begin:#x}")
        if end > self.unit.address_mask + 1:
            size = counted(end - begin, "byte")
            raise IllFormed(f"list entry at {begin:#x} has {size}, more than there are addresses")
        return (begin, end)


class _UnplacedBounds(_Bounds):
    """Reads entries whose addresses are in another file: each counts from 0."""

    def read(self, kind: int) -> Bounds | None:
        if kind != 2:
            return super().read(kind)
        self._indexed(), self._indexed()
        return (0, 1)

    def _indexed(self) -> int:
        self.reader.uleb()
        return 0

    def _based(self, offset: int) -> int:
        return offset if self.base is None else super()._based(offset)


def _read(
    unit: ListUnit,
    section: str,
    offset: int,
    read: Callable[[_Bounds], _T],
    bounds: type[_Bounds] = _Bounds,
) -> _T:
    """Return what a function reads from an offset of a section of lists."""
    sections, form = unit.sections, unit.format
    try:
        if form.version >= 5:
            sections.contributions(section).check(offset, form.address_size)
        return sections.budget.read(
            section,
            sections.section(section),
            offset,
            form.endian,
            lambda reader: read(
                bounds(unit, reader, unit.base_address if bounds is _Bounds else None)
            ),
        )
    except DwarfGpuError as error:
        raise _located(error, unit, section, offset)


def read_locations(unit: ListUnit, offset: int) -> tuple[LocationListEntry, ...]:
    """Read the location list at an offset of `.debug_loclists` or, before DWARF 5, of `.debug_loc`.

    With the entries of empty ranges, all with addresses of the file.
    """
    if unit.format.version >= 5:
        return _read(unit, ".debug_loclists", offset, _read_loclist)
    return _read(unit, ".debug_loc", offset, _read_loc_dwo if unit.is_split else _read_loc)


def read_unplaced_expressions(unit: ListUnit, offset: int) -> tuple[bytes, ...]:
    """Return the expressions of a location list of a split unit without its linked file, which has
    the addresses; without entries that are known to be empty."""
    is_standard = unit.format.version >= 5
    section = ".debug_loclists" if is_standard else ".debug_loc"
    read = _read_loclist if is_standard else _read_loc_dwo
    entries = _read(unit, section, offset, read, _UnplacedBounds)
    return tuple([entry.expression for entry in entries if not entry.is_empty])


def _located(error: DwarfGpuError, unit: ListUnit, section: str, offset: int) -> DwarfGpuError:
    if error.context is None:
        sections = unit.sections
        error.context = f"{sections.path}: {section}{sections.suffix} list {offset:#x}"
    return error


def _moved(
    entry: LocationListEntry, begin: int, end: int, bias: int, mask: int
) -> LocationListEntry:
    """Return an entry as loaded; its end may be behind the highest address."""
    start = begin + bias & mask
    return entry._replace(begin=start, end=start + end - begin)


def _read_loc(bounds: _Bounds) -> tuple[LocationListEntry, ...]:
    reader, same = bounds.reader, bounds.unit.lists.expressions
    out: list[LocationListEntry] = []
    base: int | None = None
    while True:
        span = bounds.pair()
        if span is None:
            base = bounds.base
            continue
        if span == _NOTHING:
            return tuple(out)
        expression = reader.take(reader.unsigned(2))
        out.append(LocationListEntry(same.setdefault(expression, expression), *span, base))
        base = None


def _read_loc_dwo(bounds: _Bounds) -> tuple[LocationListEntry, ...]:
    reader, same = bounds.reader, bounds.unit.lists.expressions
    out: list[LocationListEntry] = []
    base: int | None = None
    while kind := reader.u8():
        span = bounds.fission(kind)
        if span is None:
            base = bounds.base
            continue
        expression = reader.take(reader.unsigned(2))
        out.append(LocationListEntry(same.setdefault(expression, expression), *span, base))
        base = None
    return tuple(out)


def _read_loclist(bounds: _Bounds) -> tuple[LocationListEntry, ...]:
    reader, tombstone = bounds.reader, bounds.unit.tombstone
    data, last, position = reader.data, reader.end - _SHORT_PAIR_BYTES, reader.position
    out: list[LocationListEntry] = []
    same = bounds.unit.lists.expressions
    base: int | None = None
    while True:
        list_base = bounds.base
        limit = 0 if list_base is None else min(_SHORT_OFFSET, tombstone - list_base)
        # Nearly all entries: a pair of offsets of up to three bytes, and a length of one.
        while position <= last and data[position] == _LLE_OFFSET_PAIR and list_base is not None:
            offset = position + 1
            begin = data[offset]
            if begin >= 0x80:
                offset += 1
                begin += (data[offset] << 7) - 0x80
                if begin >= 1 << 14:
                    offset += 1
                    begin += (data[offset] << 14) - (1 << 14)
            offset += 1
            end = data[offset]
            if end >= 0x80:
                offset += 1
                end += (data[offset] << 7) - 0x80
                if end >= 1 << 14:
                    offset += 1
                    end += (data[offset] << 14) - (1 << 14)
            size_bytes = data[offset + 1]
            if not begin <= end < limit or size_bytes >= 0x80:
                break
            offset += 2
            position = offset + size_bytes
            expression = data[offset:position]
            expression = same.setdefault(expression, expression)
            out.append(
                _new(LocationListEntry, (expression, list_base + begin, list_base + end, base))
            )
            base = None
        reader.position = position
        kind = reader.u8()
        if not kind:
            return tuple(out)
        if kind == _LLE_GNU_VIEW_PAIR:
            reader.uleb(), reader.uleb()
        elif kind == _LLE_DEFAULT_LOCATION:
            expression = reader.block()
            out.append(LocationListEntry(same.setdefault(expression, expression), None, None))
        else:
            span = bounds.read(kind)
            if span is None:
                base = bounds.base
            else:
                expression = reader.block()
                out.append(LocationListEntry(same.setdefault(expression, expression), *span, base))
                base = None
        position = reader.position


def read_ranges(unit: ListUnit, offset: int) -> tuple[Range, ...]:
    """Read the range list at an offset of `.debug_rnglists` or, before DWARF 5, of
    `.debug_ranges`."""
    if unit.format.version >= 5:
        return _read(unit, ".debug_rnglists", offset, _read_rnglist)
    return _read(unit, ".debug_ranges", offset, _read_pairs)


def _read_rnglist(bounds: _Bounds) -> tuple[Range, ...]:
    reader, tombstone = bounds.reader, bounds.unit.tombstone
    data, last, position = reader.data, reader.end - _SHORT_RANGE_BYTES, reader.position
    out: list[Range] = []
    while True:
        list_base = bounds.base
        limit = 0 if list_base is None else min(_SHORT_OFFSET, tombstone - list_base)
        # Nearly all entries, as in a location list.
        while position <= last and data[position] == _RLE_OFFSET_PAIR and list_base is not None:
            offset = position + 1
            begin = data[offset]
            if begin >= 0x80:
                offset += 1
                begin += (data[offset] << 7) - 0x80
                if begin >= 1 << 14:
                    offset += 1
                    begin += (data[offset] << 14) - (1 << 14)
            offset += 1
            end = data[offset]
            if end >= 0x80:
                offset += 1
                end += (data[offset] << 7) - 0x80
                if end >= 1 << 14:
                    offset += 1
                    end += (data[offset] << 14) - (1 << 14)
            if not begin <= end < limit:
                break
            position = offset + 1
            if begin != end:
                out.append(_new(Range, (list_base + begin, list_base + end)))
        reader.position = position
        kind = reader.u8()
        if not kind:
            return tuple(out)
        if kind not in _RLE_KINDS:
            offset = reader.position - 1
            raise Malformed(f"range list entry at {offset:#x} has kind {kind:#x}")
        span = bounds.offset_pair() if kind == _RLE_OFFSET_PAIR else bounds.read(_RLE_KINDS[kind])
        if span is not None and span[0] != span[1]:
            out.append(_new(Range, span))
        position = reader.position


def _read_pairs(bounds: _Bounds) -> tuple[Range, ...]:
    out: list[Range] = []
    while (span := bounds.pair()) != _NOTHING:
        if span is not None and span[0] != span[1]:
            out.append(_new(Range, span))
    return tuple(out)


class UnitLists:
    """The location lists and range lists of a unit. Each is read once."""

    def __init__(self, unit: ListUnit) -> None:
        self._unit = unit
        self._locations: dict[int, LocList | DwarfGpuError] = {}
        self._ranges: dict[int, tuple[Range, ...] | DwarfGpuError] = {}
        self._covered: dict[int, tuple[Range, ...]] = {}
        self._described: dict[int, DescribedCode] = {}
        self.expressions: dict[bytes, bytes] = {}
        """The expressions of location lists so far, each by itself: equal ones are kept once, with
        their hash."""

    def locations_of(self, attribute: Attribute) -> LocList:
        """Return the location list of an attribute, as loaded."""
        offset = self._locations_at(attribute)
        cached = self._locations.get(offset)
        if cached is None:
            try:
                cached = self._loaded(read_locations(self._unit, offset))
            except DwarfGpuError as error:
                cached = error
            self._locations[offset] = cached
        return cached if cached.__class__ is LocList else value_or_raise(cached)

    def described_by(self, listed: LocList) -> DescribedCode:
        """Return the code for which a location list describes the variables that share it."""
        described = self._described.get(id(listed))
        if described is None:  # it keeps the list, so that no other one has its identity
            described = self._described[id(listed)] = DescribedCode(listed)
        return described

    def unplaced_expressions(self, attribute: Attribute) -> tuple[bytes, ...]:
        """Return the expressions of the location list of an attribute of a split unit whose linked
        file, which has the addresses, is unknown."""
        return read_unplaced_expressions(self._unit, self._locations_at(attribute))

    def _locations_at(self, attribute: Attribute) -> int:
        offset = attribute.raw
        assert isinstance(offset, int)
        if attribute.kind == "loclistx":
            bases = (dw.AT_LOCLISTS_BASE,)
            return self._unit.tables.list_offset(".debug_loclists", bases, offset)
        return offset

    def _loaded(self, listed: tuple[LocationListEntry, ...]) -> LocList:
        unit = self._unit
        bias, mask = unit.sections.program.load_address, unit.address_mask
        if not bias:
            for _, begin, end, _ in listed:
                if begin == end or end > mask:  # type: ignore[operator]  # both or none
                    break
            else:
                return LocList(listed, unit)  # nearly always
        if bias or max([end or 0 for _, _, end, _ in listed], default=0) > mask:
            listed = tuple(
                entry
                if entry.begin is None or entry.end is None
                else _moved(entry, entry.begin, entry.end, bias, mask)
                for entry in listed
            )
        empty = tuple([entry for entry in listed if entry[1] == entry[2] and entry[1] is not None])
        if not empty:
            return LocList(listed, unit)
        return LocList(
            tuple([entry for entry in listed if not entry.is_empty]), unit, empty, listed
        )

    def forget_locations(self) -> None:
        """Free the location lists that were read: a reader of the whole file no longer needs
        them."""
        self._locations.clear()
        self._described.clear()
        self.expressions.clear()

    def ranges_of(self, attribute: Attribute) -> tuple[Range, ...]:
        """Return the range list of an attribute, with addresses of the file."""
        lists, offset = self._ranges_at(attribute)
        return lists._ranges_from(offset)

    def covered_by(self, attribute: Attribute) -> tuple[Range, ...]:
        """Return the same in order, adjacent and overlapping ones merged."""
        lists, offset = self._ranges_at(attribute)
        if offset not in lists._covered:
            lists._covered[offset] = merged(lists._ranges_from(offset))
        return lists._covered[offset]

    def _ranges_from(self, offset: int) -> tuple[Range, ...]:
        if offset not in self._ranges:
            try:
                self._ranges[offset] = read_ranges(self._unit, offset)
            except DwarfGpuError as error:
                self._ranges[offset] = error
        return value_or_raise(self._ranges[offset])

    def _ranges_at(self, attribute: Attribute) -> tuple[UnitLists, int]:
        """Return the lists of the unit that has a range list, and the offset of the list."""
        offset, unit = attribute.raw, self._unit
        if not isinstance(offset, int):
            raise IllFormed(f"DW_AT_ranges is of class {attribute.kind}")
        if attribute.kind == "rnglistx":
            return self, unit.tables.list_offset(".debug_rnglists", (dw.AT_RNGLISTS_BASE,), offset)
        if unit.is_split and unit.format.version < 5:
            # GNU Fission leaves range lists in the linked file.
            return unit.linked.lists, offset + unit.linked.ranges_base
        return self, offset


class DescribedCode:
    """The code for which a location list describes its variables, computed once."""

    def __init__(self, listed: LocList) -> None:
        self._listed = listed

    @cached_property
    def code(self) -> tuple[Range, ...] | None:
        """The ranges of all entries, as loaded; None if the list has a default entry."""
        out: list[Range] = []
        for entry in self._listed.entries:
            if entry.begin is None or entry.end is None:
                return None
            out.append(Range(entry.begin, entry.end))
        return merged(out)

    @cached_property
    def somewhere(self) -> tuple[Range, ...]:
        """`code` without entries that say that the variable is optimized out."""
        from dwarfgpu.expr.static_check.extent import extent_of  # most variables are somewhere

        unit = self._listed.unit
        return merged(
            Range(entry.begin, entry.end)
            for entry in self._listed.entries
            if entry.begin is not None
            and entry.end is not None
            and extent_of(entry.expression, unit.dialect, unit.format).completeness != "nothing"
        )


def value_or_raise(cached: _T | DwarfGpuError) -> _T:
    """Return a cached result, or raise its error. An unreadable list is not read again: each try
    costs budget."""
    if isinstance(cached, DwarfGpuError):
        raise cached.with_traceback(None)
    return cached
