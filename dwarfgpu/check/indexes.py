"""Indexes against the units that they index: `.debug_aranges`, `.debug_names`, `.gdb_index` (DWARF
5 6.1), and units that cover the same code.

Law: what an index leaves out whole, as a unit without a set, is no fault, as consumers then read
the units; nor are addresses of data, and of what lies between functions.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import itemgetter
from typing import Final

from dwarfgpu.base.records import define, field
from dwarfgpu.check.attributes import tag_name
from dwarfgpu.check.entry_positions import unit_position
from dwarfgpu.check.finding import Finding, FindingPosition, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf.address_ranges import Range, listed_spans, merged, without
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index.aranges import OtherAddressSize
from dwarfgpu.dwarf.index.gdb_index import GdbIndexTable
from dwarfgpu.dwarf.index.name_table import NameEntry, NameTable, name_hash
from dwarfgpu.dwarf.scope.scope_entries import covered
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, counted

_MAX_NAME_BYTES: Final = 8 << 20
"""Of the names of an index that are compared, with the owners of those of `.gdb_index`."""
_MAX_RANGES: Final = 1_000_000
"""Of the code of all units."""
_FEW: Final = 5
_MOST: Final = (1 << 64) - 1


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
            code = covered(unit.root)
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
        aranges, gdb_index, names = self.info.aranges, self.info.gdb_index, self.info.names
        for problem in aranges.problems:
            if isinstance(problem, OtherAddressSize):  # reported with the headers
                continue
            self._unusable(".debug_aranges", problem)
        self._addresses(
            ".debug_aranges",
            ((one.unit_offset, span) for one in aranges.sets for span in one.spans),
        )
        if gdb_index.problem is not None:
            self._unusable(".gdb_index", gdb_index.problem)
        table = gdb_index.table
        if table is not None:
            units = table.units
            for offset in units:
                unit = self.info.unit_at(offset)
                if unit is None or unit.offset != offset:
                    self._report(".gdb_index", f"no unit starts at {offset:#x} of .debug_info")
            try:
                self._owners(table)
            except DwarfGpuError as error:
                self._unusable(".gdb_index", error)
            self._addresses(
                ".gdb_index",
                ((units[unit], span) for span, unit in table.addresses if unit < len(units)),
            )
        for problem in names.problems:
            self._unusable(".debug_names", problem)
        for name_table in names.tables:
            try:
                self._names(name_table)
            except DwarfGpuError as error:
                self._unusable(".debug_names", error)

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
        for offset, span in rows:
            by_unit.setdefault(offset, []).append(span)
        if not by_unit:
            return
        whole = merged(span for code in self._code.values() for span in code)
        for offset, spans in by_unit.items():
            code = self._code.get(offset)
            if code is None:  # it has addresses in its functions alone, or cannot be read
                continue
            indexed = merged(spans)
            missing = without(code, indexed)
            if missing:
                message = f"{listed_spans(missing)} of the unit at {offset:#x} is missing"
                self._report(section, message)
            # Some producers count what is between functions.
            wrong = _shared(without(indexed, code), whole)
            if wrong:
                message = f"{listed_spans(wrong)} is not code of the unit at {offset:#x}"
                self._report(section, message)

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
                    shown = name.decode("utf-8", "replace")
                    message = f"{shown} is in unit {owner.unit} of the {count} that are listed"
                    self._report(".gdb_index", message)

    def _names(self, table: NameTable) -> None:
        """Compare the entries of an index of names with those of the units, and its hashes with
        its names."""
        wanted: dict[CompilationUnit, array[int]] = {}
        read, size_bytes = set[int](), 0
        header, strings = table.header, self.info.sections
        for name in range(header.name_count):
            text = strings.string(".debug_str", table.string_offset(name))
            size_bytes += len(text)
            if size_bytes > _MAX_NAME_BYTES:
                raise LimitExceeded(f"names of more than {_MAX_NAME_BYTES} bytes are not checked")
            hash = table.hash_of(name)
            if hash is not None and hash != name_hash(text.decode("utf-8", "replace")):
                shown = text.decode("utf-8", "replace")
                self._report(".debug_names", f"the hash of {shown} is not {hash:#x}")
            if next(table.entries(name), None) is None:
                shown = text.decode("utf-8", "replace")
                self._report(".debug_names", f"the name {shown} has no entries")
            for entry in _new_entries(table, name, read):
                try:
                    unit = self.info.names.unit_of(table, entry)
                except (IllFormed, Malformed) as error:
                    self._report(".debug_names", f"entry {entry.offset:#x}: {error.message}")
                    continue
                except DwarfGpuError:  # a split unit that is missing, which is reported itself
                    continue
                if unit is not None and entry.die_offset is not None:
                    numbers = min(entry.offset, _MOST), min(entry.die_offset, _MOST), entry.tag
                    wanted.setdefault(unit, array("Q")).extend(numbers)
        for unit, entries in wanted.items():
            self._entries(unit, entries)
        self._buckets(table)

    def _buckets(self, table: NameTable) -> None:
        """Report buckets that do not begin in the table of names, and names in no bucket, which a
        search by hash does not find."""
        count, names = table.header.bucket_count, table.header.name_count
        reached = bytearray(names)
        for bucket in range(count):
            first = table.bucket(bucket)
            if first > names:
                message = f"bucket {bucket} begins at name {first} of {names}"
                self._report(".debug_names", message)
            for name in range(first - 1, names) if first else ():
                hash = table.hash_of(name)
                if hash is None or hash % count != bucket:
                    break
                reached[name] = 1
        missing = reached.count(0) if count else 0
        if missing:
            number = reached.index(0) + 1
            message = f"no bucket leads to {counted(missing, 'name')}, the first is name {number}"
            self._report(".debug_names", message)

    def _entries(self, unit: CompilationUnit, entries: array[int]) -> None:
        """Compare entries of an index, each its offset there, that in the unit, and its tag."""
        try:
            tree = unit.tree
        except DwarfGpuError:  # reported where its entries are checked
            return
        for offset, die_offset, tag in zip(*[iter(entries)] * 3, strict=True):
            index = tree.find(unit.offset + die_offset)
            if index is None:
                fault = f"no entry starts at {unit.offset + die_offset:#x} of {unit.section}"
            elif tree.abbreviations[index].tag != tag:
                shown, own = tag_name(tag), tag_name(tree.abbreviations[index].tag)
                fault = f"{shown}, and the entry at {tree.offsets[index]:#x} is {own}"
            else:
                continue
            self._report(".debug_names", f"entry {offset:#x}: {fault}")
        unit.forget_entries()

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


def _new_entries(table: NameTable, name: int, read: set[int]) -> Iterator[NameEntry]:
    """Yield the entries of a name, those that other names share once."""
    for entry in table.entries(name):
        if entry.offset in read:
            return
        read.add(entry.offset)
        yield entry
