"""The unit, the subprogram and the scopes in it whose code covers an address of a file (DWARF 5
2.17.3, 3.1, 3.5, 6.1.2).

Law: a question about an address reads only the units that may cover it. Many questions share an
index: none of them goes through all units, subprograms or entries of a scope.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from operator import itemgetter
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.address_ranges import Range, covers
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.forms import Raw
from dwarfgpu.dwarf.list_entries import InvertedRange
from dwarfgpu.dwarf.location_lists import value_or_raise
from dwarfgpu.dwarf.scope.cover_index import CoverIndex
from dwarfgpu.dwarf.scope.scope_entries import (
    BLOCKS,
    bounds_fault,
    covered,
    covered_by_list,
    entries_of,
    indexes_of,
    pc_bounds,
    range_reader,
    subprograms_with_code,
)
from dwarfgpu.dwarf.section_budget import LIST_OF_BLOCK
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

_MOST_UNREADABLE: Final = 1_000
"""Units with unreadable ranges whose subprograms are looked at instead."""
_FEW_STEPS: Final = 10_000
_MOST_PASSES: Final = 4
"""How many units or subprograms are gone through one by one before an index of all is made:
`_FEW_STEPS`, and `_MOST_PASSES` times all of them. An index reads units that no question needs."""
_FEW_ENTRIES: Final = 500
"""In a scope: they are gone through for each address."""


class CoveredCode:
    """The code that the units of one file cover."""

    def __init__(self, info: DebugInfo) -> None:
        self._info = info
        self._subprograms: dict[CompilationUnit, _Subprograms | DwarfGpuError] = {}

    @cached_property
    def _units(self) -> _UnitCode:
        """What is known of the code of its units; for all loads of the file, but of a package."""
        sections = self._info.sections
        return (
            sections.for_all_loads.once("code of units", _UnitCode)
            if sections.is_whole_file
            else _UnitCode()
        )

    def linked_unit(self, address: int) -> CompilationUnit | None:
        """Return the first unit whose code covers an address of the file, a skeleton for a split
        unit.

        An unreadable unit is an error only if no other one covers the address.
        """
        for unit in self._indexed(address):
            if self._covers(unit, address):
                return unit
        units, known = self._info.units, self._units
        most = _FEW_STEPS + _MOST_PASSES * len(units)
        if known.index is None and known.steps < most:
            for unit in units:
                known.steps += 1
                if self._covers(unit, address):
                    return unit
            known.steps = most  # the next address may be in none, too
        else:
            number = self._all_code().last_at(address)
            if number is not None:
                return units[number]
        if known.problem is not None:
            raise known.problem.with_traceback(None)
        return None

    def _all_code(self) -> CoverIndex:
        known = self._units
        if known.index is None:
            known.index = CoverIndex(self._numbered_code())
        return known.index

    def _numbered_code(self) -> Iterator[tuple[int, int, int]]:
        """Yield the code of all units with their numbers, the first unit last."""
        units = self._info.units
        for number in range(len(units) - 1, -1, -1):
            for begin, end in self._code_in(units[number]):
                yield begin, end, number

    def _code_in(self, unit: CompilationUnit) -> Iterator[tuple[int, int]]:
        """Yield the code of a unit for which `.debug_aranges` names none that it does not have."""
        spans = self._spans_of(unit)
        yield from spans or ()
        if _key(unit) in self._units.unreadable or (spans == () and not unit.is_skeleton):
            try:
                yield from self._code_of(unit).ranges()
            except DwarfGpuError as error:
                self._keep(error)

    def _indexed(self, address: int) -> Iterator[CompilationUnit]:
        """Yield the units that `.debug_aranges` and `.gdb_index` name for an address, which may be
        wrong or incomplete."""
        yield from self._info.aranges.units_at(address)
        yield from self._info.gdb_index.units_at(address)

    def _covers(self, unit: CompilationUnit, address: int) -> bool:
        """Return whether the code of a unit covers an address; if its own entry has no ranges, or
        none that can be read, whether that of its subprograms does. A skeleton always has ranges
        (DWARF 5 3.1.2).

        GCC's strict DWARF 2 has no DW_AT_ranges: the entry covers a part, `.debug_aranges` all.
        """
        spans = self._spans_of(unit)
        if spans is None:
            is_few = _key(unit) in self._units.unreadable
            return is_few and self._has_subprogram(unit, address)
        is_covered = covers(spans, address)
        if is_covered or unit.is_skeleton:
            return is_covered
        if spans and unit not in self._info.aranges.units_at(address):
            return False
        return self._has_subprogram(unit, address)

    def _has_subprogram(self, unit: CompilationUnit, address: int) -> bool:
        """Return whether a subprogram covers an address; False where none can be read."""
        try:
            return self._code_of(unit).last_at(address) is not None
        except DwarfGpuError as error:
            self._keep(error)
            return False

    def subprogram(self, unit: CompilationUnit, address: int) -> Die | None:
        """Return the last entry, which is the innermost, of a subprogram that covers an address.

        `InvertedRange` if none does, and one that begins before the address ends before it begins
        or beyond all addresses: that one may be of the address.
        """
        code = self._code_of(unit)
        index = code.last_at(address)
        if index is not None:
            return unit.die(index)
        damaged = code.damaged_before(address)
        if damaged is None:
            return None
        die = unit.die(damaged)
        bounds = pc_bounds(die)
        assert bounds is not None
        raise die.located(InvertedRange(bounds_fault(die, *bounds) or ""))

    def subprogram_begins(self, unit: CompilationUnit) -> Sequence[int]:
        """Return where ranges of the subprograms of a unit begin, in order."""
        return self._code_of(unit).ordered_begins

    def _spans_of(self, unit: CompilationUnit) -> tuple[Range, ...] | None:
        """Return the addresses that a unit says it covers; None if they cannot be read."""
        known, key = self._units, _key(unit)
        if key not in known.spans:
            try:
                known.spans[key] = covered(unit.root)
            except DwarfGpuError as error:  # not read again for each address
                known.spans[key] = None
                if not unit.is_skeleton and len(known.unreadable) < _MOST_UNREADABLE:
                    known.unreadable.add(key)
                error.with_traceback(None)  # the unit keeps it, for each of very many
                if known.problem is None:
                    where = f"the code of the unit at {unit.header.offset:#x}"
                    error.context = f"{error.context}, {where}"
                self._keep(error)
        return known.spans[key]

    def _code_of(self, unit: CompilationUnit) -> _Subprograms:
        """Return the ranges of all subprograms of a unit that have code."""
        if unit not in self._subprograms:
            key = "subprograms", unit.header.section, unit.offset
            self._subprograms[unit] = unit.sections.for_all_loads.once(
                key, lambda: _subprograms_of(unit)
            )
        return value_or_raise(self._subprograms[unit])

    def _keep(self, error: DwarfGpuError) -> None:
        if self._units.problem is None:
            self._units.problem = error


class _UnitCode:
    """What is known of the code of the units of a file."""

    def __init__(self) -> None:
        self.spans: dict[CompilationUnit | int, tuple[Range, ...] | None] = {}
        """None where they cannot be read."""
        self.unreadable: set[CompilationUnit | int] = set()
        """The first of those."""
        self.steps = 0
        """How many units were gone through, one by one."""
        self.index: CoverIndex | None = None
        """The numbers of units by their code, once they were gone through often, or an address was
        in none."""
        self.problem: DwarfGpuError | None = None
        """Why it may be incomplete: the error of the first unreadable unit."""


def _key(unit: CompilationUnit) -> CompilationUnit | int:
    """Return what is the same for a unit in all loads of its file, where that is known."""
    is_usual = unit.sections.is_whole_file and unit.header.section == ".debug_info"
    return unit.offset if is_usual else unit


def _subprograms_of(unit: CompilationUnit) -> _Subprograms | DwarfGpuError:
    try:
        return _Subprograms(unit)
    except DwarfGpuError as error:  # not read again for each address
        return error.with_traceback(None)


class _Subprograms:
    """The ranges of the subprograms of a unit, which may have a million, in the order of the
    file."""

    def __init__(self, unit: CompilationUnit) -> None:
        self._begins, self._lasts, self._indexes = array("Q"), array("Q"), array("Q")
        """Of those with one range."""
        shared: dict[int, tuple[tuple[Range, ...], int]] = {}
        self._damaged: list[tuple[int, int]] = []
        """DW_AT_low_pc and index of those whose code has no end after it."""
        for spans, index in subprograms_with_code(unit):
            if isinstance(spans, int):
                self._damaged.append((spans, index))
            elif len(spans) == 1:
                [(begin, end)] = spans
                self._begins.append(begin)
                self._lasts.append(end - 1)
                self._indexes.append(index)
            else:
                shared[id(spans)] = spans, index
        self._lists = sorted(shared.values(), key=itemgetter(1))
        """Lists of ranges, each with the last subprogram that has it."""
        self._damaged.sort()
        self._steps = 0
        self._index: CoverIndex | None = None

    def damaged_before(self, address: int) -> int | None:
        """Return the index of the last subprogram at or before an address whose code has no end
        after its begin."""
        position = bisect_right(self._damaged, address, key=itemgetter(0))
        return self._damaged[position - 1][1] if position else None

    @cached_property
    def ordered_begins(self) -> Sequence[int]:
        return array("Q", sorted(begin for begin, _ in self.ranges()))

    def ranges(self) -> Iterator[tuple[int, int]]:
        for begin, last in zip(self._begins, self._lasts, strict=True):
            yield begin, last + 1
        for spans, _ in self._lists:
            yield from spans

    def last_at(self, address: int) -> int | None:
        """Return the index of the last entry of those that cover an address."""
        count = len(self._begins) + len(self._lists)
        if self._index is None and self._steps >= _FEW_STEPS + _MOST_PASSES * count:
            self._index = CoverIndex(self._owned())
        if self._index is not None:
            return self._index.last_at(address)
        of_list = next((i for spans, i in reversed(self._lists) if covers(spans, address)), None)
        begins, lasts = self._begins, self._lasts
        for position in range(len(begins) - 1, -1, -1):
            if begins[position] <= address <= lasts[position]:
                self._steps += count - position
                index = self._indexes[position]
                return index if of_list is None else max(index, of_list)
        self._steps += count
        return of_list

    def _owned(self) -> Iterator[tuple[int, int, int]]:
        """Yield all ranges with the indexes of their entries, in the order of the file."""
        columns = zip(self._begins, self._lasts, self._indexes, strict=True)
        of_lists = ((begin, end, i) for spans, i in self._lists for begin, end in spans)
        return merge(
            ((begin, last + 1, index) for begin, last, index in columns),
            of_lists,
            key=itemgetter(2),
        )


def inner_scope(scope: Die, address: int) -> Die | None:
    """Return the first block or inlined call directly in a scope that covers an address of the
    file; None if there is none. One that cannot be read is an error unless one before it covers
    the address."""
    if not scope.abbreviation.has_children:
        return None
    if is_indexed(scope):
        code, error = _inner_code(scope)
        inner = code.last_at(address)
        if inner is None and error is not None:
            raise error.anew()
        return None if inner is None else scope.unit.die(inner)
    for child in entries_of(scope, BLOCKS):
        if covers(covered(child), address):
            return child
    return None


def is_indexed(scope: Die) -> bool:
    """Return whether so much is in a scope that `inner_scope` has an index of its blocks."""
    index = scope.index
    return scope.unit.tree.ends[index] - index > _FEW_ENTRIES


def inner_ranges(scope: Die) -> Iterator[tuple[Range, int]]:
    """Yield the ranges of the blocks and inlined calls directly in a scope with their indexes, and
    then the error of the first that cannot be read: those behind it are left out.

    Where several cover an address, the first one is that of `inner_scope`.
    """
    if is_indexed(scope):
        code, error = _inner_code(scope)
        yield from code.owned()
        if error is not None:
            raise error.anew()
        return
    for child in entries_of(scope, BLOCKS):
        index = child.index
        for span in covered(child):
            yield span, index


@kept_with(lambda scope: scope.unit)
def _inner_code(scope: Die) -> tuple[CoverIndex, DwarfGpuError | None]:
    """Return the indexes of the blocks and inlined calls directly in a scope by their code, the
    first one last, and the error of the first that cannot be read: those behind it are not in it.

    Each frame of a stack, and each thread, asks at another address.
    """
    begins, lasts, indexes = array("Q"), array("Q"), array("Q")
    problem: DwarfGpuError | None = None
    try:
        for (begin, end), index in _code_in(scope):
            begins.append(begin)
            lasts.append(end - 1)
            indexes.append(index)
    except DwarfGpuError as error:
        problem = error.with_traceback(None)
    columns = zip(reversed(begins), reversed(lasts), reversed(indexes), strict=True)
    return CoverIndex((begin, last + 1, index) for begin, last, index in columns), problem


def _count_list(unit: CompilationUnit) -> None:
    """Count a list of ranges in a large scope; `LimitExceeded` where there are too many in the
    file."""
    budget = unit.sections.budget
    if not budget.lists_left:
        most = unit.sections.object.limits.dies // LIST_OF_BLOCK
        message = f"the blocks and inlined calls have more than {most} lists of ranges to read"
        raise LimitExceeded(f"{unit.sections.path}: {message}", "--max-dies")
    budget.lists_left -= 1


def _code_in(scope: Die) -> Iterator[tuple[Range, int]]:
    """Yield the ranges of the blocks and inlined calls directly in a scope with their indexes, in
    the order of the file.

    Of those that share a list only the first one: no other one is the first at an address.
    """
    unit = scope.unit
    readers: dict[Abbreviation, Callable[[int], Range | None] | None] = {}
    lists: dict[str, set[Raw]] = {}
    """By the class of the attribute."""
    for index in indexes_of(scope, BLOCKS):
        abbreviation = unit.tree.abbreviations[index]
        if abbreviation not in readers:
            readers[abbreviation] = range_reader(unit, abbreviation)
        reader = readers[abbreviation]
        span = None if reader is None else reader(unit.tree.offsets[index])
        if span is not None:
            yield span, index
            continue
        die = unit.die(index)
        if dw.AT_RANGES in abbreviation.positions:
            listed = die.attribute(dw.AT_RANGES)
            assert listed is not None
            known = lists.setdefault(listed.kind, set())
            if listed.raw in known:
                continue
            known.add(listed.raw)
            _count_list(unit)
            spans = covered_by_list(die, listed)
        else:
            spans = covered(die)
        for span in spans:
            yield span, index
