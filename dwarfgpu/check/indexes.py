"""Indexes against the units that they index: `.debug_aranges`, `.debug_names`, `.gdb_index` (DWARF
5 6.1), and units that cover the same code.

Law: what an index leaves out whole, as a unit without a set, is no fault, as consumers then read
the units; nor are addresses of data, and of what lies between functions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import define, field
from dwarfgpu.check.entry_positions import unit_position
from dwarfgpu.check.finding import Finding, FindingPosition, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf.address_ranges import Range, covers, listed_spans, merged, without
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index.aranges import MAX_LISTED_UNITS, OtherAddressSize
from dwarfgpu.dwarf.index.gdb_index import GdbIndexTable
from dwarfgpu.dwarf.scope.scope_entries import (
    code_ranges,
    dropped_code,
    subprograms_with_code,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed

_NAMES: Final = ".debug_names"
_MAX_NAME_BYTES: Final = 8 << 20
"""Of the names of `.gdb_index` that are compared, with their owners."""
_BYTES_OF_A_NAME: Final = 6
"""Of those of `.debug_names` that are compared, for each name that may be searched."""
_PADDING: Final = pattern(
    rb"(?:\x00|\xcc|[\x66\x2e]{0,10}(?:\x90|\x0f\x1f(?:[\x00-\x03]|\x40.|\x44..|\x80.{4}|\x84.{5})))*",
    re.DOTALL,
)
"""What aligns a function: zeros, or instructions of x86 that do nothing."""
_MAX_PADDING: Final = 4096
"""Of them, in bytes."""
_MAX_RANGES: Final = 1_000_000
"""Of the code of all units."""
_FEW: Final = 5


@define(eq=False)
class IndexChecker:
    """The indexes of a file."""

    info: DebugInfo
    findings: Findings
    _code: dict[int, tuple[Range, ...]] = field(init=False, factory=dict)
    """The code of the units, by their offsets, of those that have some."""
    _ranges: int = field(init=False, default=0)

    def add(self, unit: CompilationUnit) -> None:
        """Add a unit of the file, before the indexes are checked."""
        try:
            code = code_ranges(unit.root)
        except DwarfGpuError:  # reported where its entries are checked
            return
        self._ranges += len(code)
        if self._ranges > _MAX_RANGES:
            self._code.clear()
        elif code:
            self._code[unit.offset] = code

    def run(self) -> None:
        """Check every index, after all units were added."""
        if self._ranges > _MAX_RANGES:
            reason = f"the code of the units has more than {_MAX_RANGES} ranges"
            self.findings.skip(LimitExceeded(f"{reason}: they are not compared"))
        self._overlaps()
        aranges, gdb_index = self.info.aranges, self.info.gdb_index
        for problem in aranges.problems:
            if isinstance(problem, OtherAddressSize):  # reported with the headers
                continue
            self._unusable(".debug_aranges", problem)
        for one in aranges.sets:
            if not one.is_terminated:
                message = f"the set at {one.offset:#x} does not end with a pair of zeros"
                self._report(".debug_aranges", message)
        self._addresses(
            ".debug_aranges",
            ((one.unit_offset, span) for one in aranges.sets for span in one.spans),
        )
        if gdb_index.problem is not None:
            self._unusable(".gdb_index", gdb_index.problem)
        table = gdb_index.table
        if table is not None:
            units = table.units
            if len(units) > MAX_LISTED_UNITS:
                reason = f".gdb_index lists more than {MAX_LISTED_UNITS} units"
                self.findings.skip(LimitExceeded(f"{reason}: those after them are not looked up"))
            for offset in units[:MAX_LISTED_UNITS]:
                try:
                    self.info.unit_starting_at(offset)
                except IllFormed as error:
                    self._unusable(".gdb_index", error)
            try:
                self._owners(table)
            except DwarfGpuError as error:
                self._unusable(".gdb_index", error)
            try:
                self._addresses(
                    ".gdb_index",
                    ((units[unit], span) for span, unit in table.addresses if unit < len(units)),
                )
            except LimitExceeded as error:
                self._unusable(".gdb_index", error)
        if self.info.object.has_section(_NAMES):
            from dwarfgpu.check.name_indexes import check_names  # few files have them

            report, unusable = partial(self._report, _NAMES), partial(self._unusable, _NAMES)
            most = _BYTES_OF_A_NAME * self.info.object.limits.searched_names
            check_names(self.info, most, report, unusable)

    def _overlaps(self) -> None:
        """Report units that cover a part of each other's code. Where the whole code of one is that
        of another, linkers have folded equal functions."""
        spans = sorted((span, offset) for offset, code in self._code.items() for span in code)
        last, of_last = Range(0, 0), 0
        for span, offset in spans:
            if span.begin < last.end and offset != of_last and span != last:
                shared = f"[{span.begin:#x},{min(span.end, last.end):#x})"
                message = f"{shared} is also the code of the unit at {of_last:#x}"
                unit = self.info.unit_at(offset)
                if unit is not None:
                    self._add("overlapping-units", message, partial(unit_position, unit))
            if span.end > last.end:
                last, of_last = span, offset

    def _addresses(self, section: str, rows: Iterable[tuple[int, Range]]) -> None:
        """Compare the code that an index gives units with that which they have."""
        by_unit: dict[int, list[Range]] = {}
        has_zero = self.info.object.is_code(0)
        for offset, span in rows:
            if span.begin or has_zero:  # else the linker dropped it
                by_unit.setdefault(offset, []).append(span)
        if not by_unit:
            return
        whole = merged(span for code in self._code.values() for span in code)
        for offset, spans in by_unit.items():
            code = merged(self._code.get(offset, ()))
            if not code:  # it has addresses in its functions alone, or cannot be read
                continue
            indexed = merged(spans)
            missing = without(code, indexed)
            unit = self.info.unit_at(offset) if missing else None
            if unit is not None:
                missing = self._without_padding(missing, unit)
            if missing:
                message = f"{listed_spans(missing)} of the unit at {offset:#x} is missing"
                self._report(section, message)
            # Some producers count what is between functions.
            wrong = _shared(without(indexed, code), whole)
            if wrong:
                message = f"{listed_spans(wrong)} is not code of the unit at {offset:#x}"
                self._report(section, message)
            of_file = merged(filter(self._begins_in_file, spans))
            beyond = without(without(of_file, self._in_file), code)
            if beyond and unit is None:
                unit = self.info.unit_at(offset)
            if beyond and unit is not None:
                beyond = without(beyond, merged(dropped_code(unit)))
            if beyond:
                message = f"{listed_spans(beyond)} of the unit at {offset:#x} is in no section"
                self._report(section, message)

    @cached_property
    def _in_file(self) -> tuple[Range, ...]:
        """The addresses of the loaded sections."""
        sections = self.info.object.sections
        return merged(
            Range(section.address, section.address + section.size_bytes)
            for section in sections
            if section.covers(section.address)
        )

    def _without_padding(self, code: tuple[Range, ...], unit: CompilationUnit) -> tuple[Range, ...]:
        """Return code of a unit without what aligns its functions. An index has addresses that
        "some entry" covers (DWARF 5 6.1.2): Free Pascal's units have the padding before and behind
        functions, too."""
        padding = {span for span in code if self._is_padding(span)}
        if not padding:
            return code
        try:
            functions = [
                span
                for spans, _ in subprograms_with_code(unit)
                for span in (() if isinstance(spans, int) else spans)
            ]
        except DwarfGpuError:
            return code
        begins, ends = {span.begin for span in functions}, {span.end for span in functions}
        return tuple(
            span
            for span in code
            if span not in padding or (span.begin not in ends and span.end not in begins)
        )

    def _is_padding(self, span: Range) -> bool:
        size_bytes = span.end - span.begin
        if size_bytes > _MAX_PADDING:
            return False
        data = self.info.object.memory_bytes(span.begin, size_bytes)
        return data is not None and _PADDING.fullmatch(data) is not None

    def _begins_in_file(self, span: Range) -> bool:
        return covers(self._in_file, span.begin)

    def _owners(self, table: GdbIndexTable) -> None:
        """Report names of units that the index does not list."""
        count = len(table.units) + len(table.type_units)
        size_bytes = 0
        for name, owners in table.owner_lists():
            size_bytes += len(name) + 8 * len(owners)
            if size_bytes > _MAX_NAME_BYTES:
                raise LimitExceeded(f"names of more than {_MAX_NAME_BYTES} bytes are not checked")
            for owner in owners:
                if owner.unit >= count:
                    shown = name[:100].decode("utf-8", "replace")
                    message = f"{shown} is in unit {owner.unit} of the {count} that are listed"
                    self._report(".gdb_index", message)

    def _unusable(self, section: str, problem: DwarfGpuError) -> None:
        if isinstance(problem, IllFormed | Malformed):
            self._report(section, str(problem))
        else:
            self.findings.skip(problem)

    def _report(self, section: str, message: str) -> None:
        position = FindingPosition(section, 0, "index")
        self._add("wrong-index", message, position)

    def _add(
        self, name: str, message: str, position: FindingPosition | Callable[[], FindingPosition]
    ) -> None:
        rule = RULES[name]
        self.findings.add(Finding(rule.severity, rule.name, message, rule.section, position))


def _shared(some: tuple[Range, ...], whole: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return what is in both of two merged tuples, the first few ranges of it."""
    shared = list[Range]()
    for begin, end in some:
        index = max(bisect_right(whole, begin, key=itemgetter(0)) - 1, 0)
        while index < len(whole) and whole[index].begin < end and len(shared) < _FEW:
            span = Range(max(begin, whole[index].begin), min(end, whole[index].end))
            if span.begin < span.end:
                shared.append(span)
            index += 1
    return tuple(shared)
