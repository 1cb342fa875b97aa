"""The unit and the subprogram whose code covers an address of a file (DWARF 5 2.17.3, 3.1, 6.1.2).

Law: a question about an address reads only the units that may cover it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from dwarfgpu.dwarf.address_ranges import Range, covers, merged
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.location_lists import value_or_raise
from dwarfgpu.dwarf.scope.scope_entries import covered, subprograms_with_code
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError


class CoveredCode:
    """The code that the units of one file cover."""

    def __init__(self, info: DebugInfo) -> None:
        self._info = info
        self._spans: dict[CompilationUnit, tuple[Range, ...] | DwarfGpuError] = {}
        self._subprograms: dict[
            CompilationUnit, list[tuple[tuple[Range, ...], int]] | DwarfGpuError
        ] = {}
        self._everything: tuple[Range, ...] | None = None
        """The code of all units, once an address was in none of them."""
        self._problem: DwarfGpuError | None = None
        """Why it may be incomplete: the error of the first unreadable unit."""

    def linked_unit(self, address: int) -> CompilationUnit | None:
        """Return the first unit whose code covers an address of the file, a skeleton for a split
        unit.

        An unreadable unit is an error only if no other one covers the address.
        """
        everything = self._everything
        is_elsewhere = everything is not None and not covers(everything, address)
        if is_elsewhere and not self._is_indexed(address):
            return self._nothing(self._problem)
        problem: DwarfGpuError | None = None
        for unit in self._candidates(address):
            try:
                if self._covers(unit, address):
                    return unit
            except DwarfGpuError as error:
                problem = problem or error
        if everything is None and not self._is_indexed(address):
            self._problem = problem
            self._everything = merged(chain.from_iterable(map(self._readable, self._info.units)))
        return self._nothing(problem)

    @staticmethod
    def _nothing(problem: DwarfGpuError | None) -> None:
        if problem is not None:
            raise problem.with_traceback(None)

    def _readable(self, unit: CompilationUnit) -> Iterator[Range]:
        """Yield the code of a unit that `_covers` has found nothing in, as far as it is
        readable."""
        with suppress(DwarfGpuError):
            spans = self._spans_of(unit)
            yield from spans
            if not spans and not unit.is_skeleton:
                for listed, _ in self._code_of(unit):
                    yield from listed

    def _is_indexed(self, address: int) -> bool:
        """Return whether `.debug_aranges` or `.gdb_index` names a unit for an address."""
        indexes = self._info.aranges, self._info.gdb_index
        return any(True for index in indexes for _ in index.units_at(address))

    def _candidates(self, address: int) -> Iterator[CompilationUnit]:
        """Yield the units that `.debug_aranges` and `.gdb_index` name for an address, which may be
        wrong or incomplete; then the units in file order."""
        yield from self._info.aranges.units_at(address)
        yield from self._info.gdb_index.units_at(address)
        yield from self._info.units

    def _covers(self, unit: CompilationUnit, address: int) -> bool:
        """Return whether the code of a unit covers an address; if its own entry has no ranges,
        whether that of its subprograms does. A skeleton always has ranges (DWARF 5 3.1.2).

        GCC's strict DWARF 2 has no DW_AT_ranges: the entry covers a part, `.debug_aranges` all.
        """
        spans = self._spans_of(unit)
        is_covered = covers(spans, address)
        if is_covered or unit.is_skeleton:
            return is_covered
        if spans and unit not in self._info.aranges.units_at(address):
            return False
        return self.subprogram(unit, address) is not None

    def subprogram(self, unit: CompilationUnit, address: int) -> Die | None:
        """Return the last entry, which is the innermost, of a subprogram that covers an address."""
        for spans, index in reversed(self._code_of(unit)):
            if spans[0].begin <= address < spans[-1].end and covers(spans, address):
                return unit.die(index)
        return None

    def _spans_of(self, unit: CompilationUnit) -> tuple[Range, ...]:
        """Return the addresses that a unit says it covers."""
        if unit not in self._spans:
            try:
                self._spans[unit] = covered(unit.root)
            except DwarfGpuError as error:  # not read again for each address
                self._spans[unit] = error
        return value_or_raise(self._spans[unit])

    def _code_of(self, unit: CompilationUnit) -> list[tuple[tuple[Range, ...], int]]:
        """Return the ranges of all subprograms of a unit that have code, in the order of the
        file."""
        if unit not in self._subprograms:
            try:
                self._subprograms[unit] = list(subprograms_with_code(unit))
            except DwarfGpuError as error:  # not read again for each address
                self._subprograms[unit] = error
        return value_or_raise(self._subprograms[unit])
