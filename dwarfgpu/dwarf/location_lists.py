"""The location lists and range lists of a unit, each read once (DWARF 5 2.6.2, 2.17.3).

Law: entries with equal bounds cover nothing and are omitted, as are those whose code the linker
dropped.

`expr/location_list_entry.py` chooses the entries that apply at a pc.
"""

from __future__ import annotations

from typing import Final, Protocol, TypeVar

from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.cached import cached_property
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range, merged
from dwarfgpu.dwarf.forms import Attribute
from dwarfgpu.dwarf.list_entries import (
    EntryUnit,
    Expressions,
    read_locations,
    read_ranges,
    read_unplaced_expressions,
)
from dwarfgpu.dwarf.unit_tables import UnitTables
from dwarfgpu.errors import DwarfGpuError, IllFormed
from dwarfgpu.expr.context import LocList
from dwarfgpu.expr.location_list_entry import LocationListEntry

_T = TypeVar("_T")
_BASES: Final = (dw.AT_LOCLISTS_BASE,)


class ListUnit(EntryUnit, Protocol):
    """What a list needs to know of its unit; `dwarfgpu.dwarf.unit.CompilationUnit` is one."""

    offset: int

    @property
    def section(self) -> str:
        """The name of the section that has the unit."""
        ...

    @property
    def tables(self) -> UnitTables: ...

    @property
    def lists(self) -> UnitLists: ...

    @property
    def linked(self) -> ListUnit:
        """The unit with what a linker changes: of a split unit its skeleton, else itself."""
        ...

    def is_no_code(self, address: int) -> bool:
        """Return whether the file has no code at an address, and can have none there."""
        ...

    @property
    def ranges_base(self) -> int:
        """Bytes from the start of `.debug_ranges` to the range lists of its split unit."""
        ...


@methods_name_wrong_arguments
class UnitLists:
    """The location lists and range lists of a unit. Each is read once."""

    def __init__(self, unit: ListUnit) -> None:
        self._unit = unit
        self._read = unit.sections.for_all_loads.once(
            ("ranges", unit.section, unit.offset), _ReadRanges
        )

    # Of hundreds of thousands of units, many have unreadable ranges and nothing else.

    @cached_property
    def _locations(self) -> dict[int, LocList | DwarfGpuError]:
        return {}

    @cached_property
    def _described(self) -> dict[int, DescribedCode]:
        return {}

    @cached_property
    def _expressions(self) -> Expressions:
        return {}

    def locations_of(self, attribute: Attribute, views: int | None = None) -> LocList:
        """Return the location list of an attribute, as loaded. `views`: the DW_AT_GNU_locviews of
        the entry."""
        offset = self._locations_at(attribute)
        cached = self._locations.get(offset)
        if cached is None:
            try:
                start = None if views is None else self._views_at(attribute, views)
                cached = self._loaded(read_locations(self._unit, offset, self._expressions, start))
            except DwarfGpuError as error:
                cached = error.with_traceback(None)
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
            return self._unit.tables.list_offset(".debug_loclists", _BASES, offset)
        return offset

    def _views_at(self, attribute: Attribute, views: int) -> int:
        """Return the offset of views in their section: GCC counts them from where it counts the
        lists from."""
        if attribute.kind == "loclistx":
            return self._unit.tables.offset_from_table(".debug_loclists", _BASES, views)
        return views

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
        self._expressions.clear()

    def ranges_of(self, attribute: Attribute) -> tuple[Range, ...]:
        """Return the range list of an attribute, with addresses of the file."""
        lists, offset = self._ranges_at(attribute)
        return lists._ranges_from(offset)

    def dropped_of(self, attribute: Attribute) -> tuple[Range, ...]:
        """Return what `ranges_of` leaves out: ranges that begin at the 0 of dropped code, and those
        of the same list that begin in no code: gold counts from the beginning of the section."""
        lists, offset = self._ranges_at(attribute)
        lists._ranges_from(offset)
        return lists._read.dropped.get(offset, ())

    def covered_by(self, attribute: Attribute) -> tuple[Range, ...]:
        """Return the same in order, adjacent and overlapping ones merged."""
        lists, offset = self._ranges_at(attribute)
        listed = lists._ranges_from(offset)
        known = lists._read.covered.get(offset)
        if known is None:
            known = lists._read.covered[offset] = merged(listed)
        return known

    def covered_once(self, attribute: Attribute) -> tuple[Range, ...]:
        """Return the same without keeping it, for a reader of very many lists."""
        lists, offset = self._ranges_at(attribute)
        listed = lists._read.ranges.get(offset)
        if listed is None:
            listed = lists._read_ranges(offset)
        return merged(value_or_raise(listed))

    def _ranges_from(self, offset: int) -> tuple[Range, ...]:
        ranges = self._read.ranges
        if offset not in ranges:
            try:
                ranges[offset] = self._read_ranges(offset)
            except DwarfGpuError as error:
                ranges[offset] = error.with_traceback(None)
        return value_or_raise(ranges[offset])

    def _read_ranges(self, offset: int) -> tuple[Range, ...]:
        listed = read_ranges(self._unit, offset)
        if all(begin for begin, _ in listed) or not self._unit.is_mark(0):  # nearly always
            return listed
        is_no_code = self._unit.is_no_code
        dropped = [span for span in listed if not span.begin or is_no_code(span.begin)]
        left_out = frozenset(dropped)
        self._read.dropped[offset] = tuple(dropped)
        return tuple([span for span in listed if span not in left_out])

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


class _ReadRanges:
    """The range lists that were read, by their offsets, for all loads of the file."""

    def __init__(self) -> None:
        self.ranges: dict[int, tuple[Range, ...] | DwarfGpuError] = {}

    @cached_property
    def dropped(self) -> dict[int, tuple[Range, ...]]:
        """What was left out of them."""
        return {}

    @cached_property
    def covered(self) -> dict[int, tuple[Range, ...]]:
        """The ranges in order, adjacent and overlapping ones merged."""
        return {}


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


def _moved(
    entry: LocationListEntry, begin: int, end: int, bias: int, mask: int
) -> LocationListEntry:
    """Return an entry as loaded; its end may be behind the highest address."""
    start = begin + bias & mask
    return entry._replace(begin=start, end=start + end - begin)


def value_or_raise(cached: _T | DwarfGpuError) -> _T:
    """Return a cached result, or raise its error. An unreadable list is not read again: each try
    costs budget."""
    if isinstance(cached, DwarfGpuError):
        raise cached.anew()
    return cached
