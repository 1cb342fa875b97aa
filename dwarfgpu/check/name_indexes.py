"""The name indexes of `.debug_names` against the entries that they list (DWARF 5 6.1.1).

Law: each entry of an index is read once, however many names share it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Final

from dwarfgpu.base.records import define
from dwarfgpu.check.attributes import tag_name
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.index.name_table import NameEntry, NameTable, name_hash
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, counted

_SHOWN: Final = 100
"""Bytes of a name."""
_MOST: Final = (1 << 64) - 1


def check_names(
    info: DebugInfo,
    max_name_bytes: int,
    report: Callable[[str], None],
    unusable: Callable[[DwarfGpuError], None],
) -> None:
    """Report every index that cannot be used, and what is wrong in the others.

    `max_name_bytes`: of the names of an index that are compared.
    """
    for problem in info.names.problems:
        unusable(problem)
    checker = _NameChecker(info, max_name_bytes, report)
    for table in info.names.tables:
        try:
            checker.check(table)
        except DwarfGpuError as error:
            unusable(error)


@define(eq=False)
class _NameChecker:
    info: DebugInfo
    max_name_bytes: int
    report: Callable[[str], None]

    def check(self, table: NameTable) -> None:
        """Compare the entries of an index of names with those of the units, and its hashes with
        its names."""
        wanted: dict[CompilationUnit, array[int]] = {}
        read, size_bytes = set[int](), 0
        problem: LimitExceeded | None = None
        header, strings = table.header, self.info.sections
        for name in range(header.name_count):
            text = strings.string(".debug_str", table.string_offset(name))
            size_bytes += len(text)
            if size_bytes > self.max_name_bytes:
                reason = f"names of more than {self.max_name_bytes} bytes"
                problem = LimitExceeded(f"{reason}: those from name {name + 1} on are not checked")
                break
            hash = table.hash_of(name)
            if hash is not None and hash != name_hash(text.decode("utf-8", "replace")):
                shown = text[:_SHOWN].decode("utf-8", "replace")
                self.report(f"the hash of {shown} is not {hash:#x}")
            if next(table.entries(name), None) is None:
                shown = text[:_SHOWN].decode("utf-8", "replace")
                self.report(f"the name {shown} has no entries")
            for entry in _new_entries(table, name, read):
                try:
                    unit = self.info.names.unit_of(table, entry)
                except (IllFormed, Malformed) as error:
                    self.report(f"entry {entry.offset:#x}: {error.message}")
                    continue
                except DwarfGpuError:  # a split unit that is missing, which is reported itself
                    continue
                if unit is not None and entry.die_offset is not None:
                    numbers = entry.offset, entry.die_offset, entry.tag
                    clipped = (min(number, _MOST) for number in numbers)
                    wanted.setdefault(unit, array("Q")).extend(clipped)
        for unit, entries in wanted.items():
            self._entries(unit, entries)
        self._buckets(table)
        if problem is not None:
            raise problem

    def _buckets(self, table: NameTable) -> None:
        """Report buckets that do not begin in the table of names, and names in no bucket, which a
        search by hash does not find."""
        count, names = table.header.bucket_count, table.header.name_count
        reached = bytearray(names)
        for bucket in range(count):
            first = table.bucket(bucket)
            if first > names:
                message = f"bucket {bucket} begins at name {first} of {names}"
                self.report(message)
            for name in range(first - 1, names) if first else ():
                hash = table.hash_of(name)
                if hash is None or hash % count != bucket:
                    break
                reached[name] = 1
        missing = reached.count(0) if count else 0
        if missing:
            number = reached.index(0) + 1
            message = f"no bucket leads to {counted(missing, 'name')}, the first is name {number}"
            self.report(message)

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
            self.report(f"entry {offset:#x}: {fault}")
        unit.forget_entries()


def _new_entries(table: NameTable, name: int, read: set[int]) -> Iterator[NameEntry]:
    """Yield the entries of a name, those that other names share once."""
    for entry in table.entries(name):
        if entry.offset in read:
            return
        read.add(entry.offset)
        yield entry
