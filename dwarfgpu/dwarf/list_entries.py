"""The entries of location lists and range lists in their sections (DWARF 5 2.6.2, 2.17.3, 7.7.3,
7.25; AMD text A.2.5.5, A.7.7.3; DWARF 4 2.6.2, 7.8; GNU Fission, "DWARF 4 debug_loc.dwo").

Law: bounds are returned as addresses of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Protocol, TypeAlias, TypeVar

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import define
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.forms import WordReader
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, counted
from dwarfgpu.expr.context import Unit, UnitFormat
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
_ZEROED_ENDS: Final = bytes(16)
"""Zeros that replaced lists of DWARF 5, whose end is one byte: no producer writes as many empty
lists beside one another."""
_ZEROED_PAIRS: Final = 4
"""The same, in ends of lists of DWARF 4, which are two addresses."""
_ZEROED_SPLIT_ENDS: Final = bytes(8)
"""The same in split units before DWARF 5: nothing aligns or pads lists between others."""
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
Expressions: TypeAlias = dict[bytes, bytes]
"""Expressions, each by itself: equal ones are kept once, with their hash."""
_new: Final = tuple.__new__
"""Makes an entry in half of the time of its class: a file has several times as many entries as
variables."""


class EntryUnit(Unit, Protocol):
    """What the entries of a list need to know of its unit."""

    @property
    def sections(self) -> Sections: ...

    @property
    def format(self) -> UnitFormat: ...

    @property
    def is_split(self) -> bool: ...

    @property
    def abbreviations(self) -> Mapping[int, Abbreviation]: ...

    @property
    def base_address(self) -> int | None: ...

    @property
    def address_mask(self) -> int: ...

    @property
    def tombstone(self) -> int: ...

    def is_mark(self, address: int) -> bool:
        """Return whether linkers write an address for code that they dropped."""
        ...

    def address(self, index: int) -> int:
        """Return an entry of `.debug_addr`, an address of the file."""
        ...


@define
class _Bounds:
    """Reads the bounds of entries; the base address changes along the list."""

    unit: EntryUnit
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
        return self._offsets(begin, end)

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
                return self._offsets(begin, end)
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
        return self._offsets(begin, end)

    def _offsets(self, begin: int, end: int) -> Bounds:
        low, high = self._based(begin), self._based(end)
        mask = self.unit.address_mask
        # A sum beyond the last address is no mark of a linker, unless the offset is one.
        if low > mask and not self.unit.tombstone <= begin <= mask:
            raise IllFormed(f"list entry begins at {low:#x}, beyond the last address {mask:#x}")
        return self._range(low, high)

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
    unit: EntryUnit,
    section: str,
    offset: int,
    read: Callable[[_Bounds], _T],
    bounds: type[_Bounds] = _Bounds,
) -> _T:
    """Return what a function reads from an offset of a section of lists."""
    sections, form = unit.sections, unit.format

    def read_list(reader: WordReader) -> _T:
        out = read(bounds(unit, reader, unit.base_address if bounds is _Bounds else None))
        end = reader.position
        if has_table and reader.data[end : end + 1] == b"\0":
            _require_whole(unit, section, offset, end)
        return out

    try:
        has_table = form.version >= 5 and sections.contributions(section).check(
            offset, form.address_size
        )
        data = sections.section(section)
        return sections.budget.read(section, data, offset, form.endian, read_list)
    except DwarfGpuError as error:
        raise _located(error, unit, section, offset)


def read_locations(
    unit: EntryUnit, offset: int, same: Expressions, views: int | None = None
) -> tuple[LocationListEntry, ...]:
    """Read the location list at an offset of `.debug_loclists` or, before DWARF 5, of `.debug_loc`.

    With the entries of empty ranges, all with addresses of the file. `same`: the expressions of
    the unit's lists so far. `views`: the offset of the list's views, if the file has them.
    """
    if unit.format.version >= 5:
        section, read = ".debug_loclists", _read_loclist
    else:
        section = ".debug_loc"
        read = _read_loc_dwo if unit.is_split else partial(_read_loc, has_views=views is not None)
    entries = _read(unit, section, offset, partial(read, same=same))
    if views is not None:
        from dwarfgpu.dwarf.location_views import require_entries_of_views  # GCC alone has views

        try:
            require_entries_of_views(unit, section, offset, views, len(entries))
        except DwarfGpuError as error:
            raise _located(error, unit, section, offset)
    return entries


def read_unplaced_expressions(unit: EntryUnit, offset: int) -> tuple[bytes, ...]:
    """Return the expressions of a location list of a split unit without its linked file, which has
    the addresses."""
    is_standard = unit.format.version >= 5
    section = ".debug_loclists" if is_standard else ".debug_loc"
    read = _read_loclist if is_standard else _read_loc_dwo
    entries = _read(unit, section, offset, partial(read, same={}), _UnplacedBounds)
    return tuple([entry.expression for entry in entries])


def _located(error: DwarfGpuError, unit: EntryUnit, section: str, offset: int) -> DwarfGpuError:
    if error.context is None:
        sections = unit.sections
        error.context = f"{sections.path}: {section}{sections.suffix} list {offset:#x}"
    return error


def _require_end(
    bounds: _Bounds,
    start: int,
    size_bytes: int = 1,
    zeros: bytes = _ZEROED_ENDS,
    has_views: bool = False,
) -> None:
    """Require that the end of the list at an offset, behind which the reader is, is not among zeros
    that replaced lists (DWARF 5 2.6.2, 2.17.3): those would say that there is no code."""
    reader = bounds.reader
    end = reader.position - size_bytes
    # Zeros before the end of a list with entries are of the last one, and those before a list with
    # views are views: before DWARF 5, the list of code that a linker dropped begins with an end.
    begin = end if end > start or has_views else max(end - len(zeros) + 1, 0)
    is_zeroed = reader.data.find(zeros, begin, end + len(zeros)) >= 0
    if is_zeroed and not _leaves_room(bounds.unit):
        raise Malformed("the list is overwritten with zeros")


def _require_end_of_pairs(bounds: _Bounds, start: int, has_views: bool) -> None:
    """Require the same of a list of DWARF 4; in a relocatable file, zeros are the addresses of
    sections."""
    if bounds.unit.sections.object.is_relocatable:
        return
    size_bytes = 2 * bounds.unit.format.address_size
    _require_end(bounds, start, size_bytes, bytes(_ZEROED_PAIRS * size_bytes), has_views)


def _require_whole(unit: EntryUnit, section: str, offset: int, end: int) -> None:
    """Require that the list at an offset, which zeros follow, ends where the next one of the table
    of its contribution begins (DWARF 5 7.28, 7.29): else zeros replaced a part of it."""
    following = unit.sections.contributions(section).end_of_list(offset)
    if following is None or end >= following or _has_views(unit):
        return
    if not _leaves_room(unit):
        raise Malformed(f"zeros replaced a part of the list, which ends at {following:#x}")


def _leaves_room(unit: EntryUnit) -> bool:
    from dwarfgpu.objfile.linker_room import leaves_room  # few files have as many zeros

    return leaves_room(unit.sections.object)


@kept_with(first, 1)
def _has_views(unit: EntryUnit) -> bool:
    """Return whether views of GCC may follow a location list, which may be any number of zeros:
    they are before the list to which they belong."""
    abbreviations = unit.abbreviations.values()
    return any(dw.AT_GNU_LOCVIEWS in abbreviation.positions for abbreviation in abbreviations)


# Before DWARF 5, views of the next unit may follow, too.


def _read_loc(bounds: _Bounds, same: Expressions, has_views: bool) -> tuple[LocationListEntry, ...]:
    reader = bounds.reader
    start = reader.position
    out: list[LocationListEntry] = []
    base: int | None = None
    while True:
        span = bounds.pair()
        if span is None:
            base = bounds.base
            continue
        if span == _NOTHING:
            if not out:
                _require_end_of_pairs(bounds, start, has_views)
            return tuple(out)
        expression = reader.take(reader.unsigned(2))
        out.append(LocationListEntry(same.setdefault(expression, expression), *span, base))
        base = None


def _read_loc_dwo(bounds: _Bounds, same: Expressions) -> tuple[LocationListEntry, ...]:
    reader = bounds.reader
    start = reader.position
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
    zeros, data, stop = _ZEROED_SPLIT_ENDS, reader.data, reader.position - 1
    is_zeroed = data[stop : stop + len(zeros)] == zeros and not _has_views(bounds.unit)
    if not out or is_zeroed and stop < bounds.unit.sections.end_of_contents(".debug_loc"):
        _require_end(bounds, start, zeros=zeros)
    return tuple(out)


def _read_loclist(bounds: _Bounds, same: Expressions) -> tuple[LocationListEntry, ...]:
    reader, tombstone = bounds.reader, bounds.unit.tombstone
    data, last, position = reader.data, reader.end - _SHORT_PAIR_BYTES, reader.position
    start = position
    out: list[LocationListEntry] = []
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
            stop = reader.position - 1
            is_zeroed = data[stop : stop + len(_ZEROED_ENDS)] == _ZEROED_ENDS
            if not out or is_zeroed and not _has_views(bounds.unit):
                _require_end(bounds, start)
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


def read_ranges(unit: EntryUnit, offset: int) -> tuple[Range, ...]:
    """Read the range list at an offset of `.debug_rnglists` or, before DWARF 5, of
    `.debug_ranges`."""
    if unit.format.version >= 5:
        return _read(unit, ".debug_rnglists", offset, _read_rnglist)
    return _read(unit, ".debug_ranges", offset, _read_pairs)


def _read_rnglist(bounds: _Bounds) -> tuple[Range, ...]:
    reader, tombstone = bounds.reader, bounds.unit.tombstone
    data, last, position = reader.data, reader.end - _SHORT_RANGE_BYTES, reader.position
    start = position
    out: list[Range] = []
    marked: int | None = None
    """Where the ranges of a base begin that may be a mark."""
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
            if reader.position == start + 1:
                _require_end(bounds, start)
            _leave_out_dropped(bounds.unit, out, marked)
            return tuple(out)
        if kind not in _RLE_KINDS:
            offset = reader.position - 1
            raise Malformed(f"range list entry at {offset:#x} has kind {kind:#x}")
        span = bounds.offset_pair() if kind == _RLE_OFFSET_PAIR else bounds.read(_RLE_KINDS[kind])
        if span is None:
            _leave_out_dropped(bounds.unit, out, marked)
            marked = None
            if bounds.base is not None and bounds.unit.is_mark(bounds.base):
                if bounds.base:
                    bounds.base = tombstone
                else:
                    marked = len(out)
        elif span[0] != span[1]:
            out.append(_new(Range, span))
        position = reader.position


def _leave_out_dropped(unit: EntryUnit, out: list[Range], marked: int | None) -> None:
    """Remove the ranges of a base of 0, unless each begins in code: then they are addresses, as
    LLVM writes them for several sections."""
    if marked is not None:
        is_code = unit.sections.object.is_code
        if not all(is_code(span.begin) for span in out[marked:]):
            del out[marked:]


def _read_pairs(bounds: _Bounds) -> tuple[Range, ...]:
    out: list[Range] = []
    while (span := bounds.pair()) != _NOTHING:
        if span is not None and span[0] != span[1]:
            out.append(_new(Range, span))
    # Zeros show nothing: they are also the lists of code that a linker dropped.
    return tuple(out)
