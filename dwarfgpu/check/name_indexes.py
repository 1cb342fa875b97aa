"""The name indexes of `.debug_names` against the entries that they list (DWARF 5 6.1.1).

Law: each entry of an index is read once, however many names share it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Final

from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.entry_tree import Tree
from dwarfgpu.dwarf.index.aranges import MAX_LISTED_UNITS
from dwarfgpu.dwarf.index.name_table import NameEntry, NameTable, name_hash
from dwarfgpu.dwarf.names.function_paths import without_arguments
from dwarfgpu.dwarf.reference_targets import tag_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, Malformed, counted

_SHOWN: Final = 100
"""Bytes of a name."""
_NAME_BYTES: Final = 12
"""What a name takes in the tables of an index: its hash, and offsets of its string and entries.
Each entry of a name but the first counts as much."""
_MOST: Final = (1 << 64) - 1
_MOST_COMPARED: Final = 100_000
"""Entries of all indexes whose names are compared."""
_ANONYMOUS: Final = "(anonymous namespace)"


def check_names(
    info: DebugInfo,
    max_name_bytes: int,
    report: Callable[[str], None],
    unusable: Callable[[DwarfGpuError], None],
) -> None:
    """Report every index that cannot be used, and what is wrong in the further.

    `max_name_bytes`: of the names of all indexes that are compared.
    """
    for problem in info.names.problems:
        unusable(problem)
    checker = _NameChecker(info, max_name_bytes, report)
    for table in info.names.tables:
        try:
            checker.check(table)
        except DwarfGpuError as error:
            unusable(error)
            if checker.is_spent:
                return


@define(eq=False)
class _Listed:
    """What an index lists."""

    entries: dict[CompilationUnit, array[int]]
    """By unit, for each entry its offset in the index, that in the unit, its tag, the offset of its
    parent in the unit, and the number of its name."""
    offsets: set[int] = field(init=False, factory=set)
    """Of all entries in the index."""
    units: dict[tuple[int | None, int | None], CompilationUnit | None] = field(
        init=False, factory=dict
    )
    """By the numbers that entries have of their unit and their type unit."""


@define(eq=False)
class _NameChecker:
    info: DebugInfo
    max_name_bytes: int
    report: Callable[[str], None]
    is_spent: bool = field(init=False, default=False)
    """Whether there is too much for another index."""
    _compared: int = field(init=False, default=0)
    _name_bytes: int = field(init=False, default=0)
    """Of the names so far, with what each takes in the tables of its index, and of entries."""
    _unit_entries: int = field(init=False, default=0)
    """Of the units that the indexes list, each time that one lists them."""
    _units: int = field(init=False, default=0)
    """Of all lists of units."""

    def check(self, table: NameTable) -> None:
        """Compare the entries of an index of names with those of the units, and its hashes with
        its names."""
        listed = _Listed({unit: array("Q") for unit in self._listed(table)})
        problem: LimitExceeded | None = None
        header, strings = table.header, self.info.sections
        for name in range(header.name_count):
            text = strings.string(".debug_str", table.string_offset(name))
            self._name_bytes += _NAME_BYTES + len(text)
            if self._name_bytes > self.max_name_bytes:
                problem = self._too_many(header.offset, name)
                break
            hash = table.hash_of(name)
            if hash is not None and hash != name_hash(text.decode("utf-8", "replace")):
                shown = text[:_SHOWN].decode("utf-8", "replace")
                self.report(f"the hash of {shown} is not {hash:#x}")
            if not self._list_entries(table, name, listed):
                shown = text[:_SHOWN].decode("utf-8", "replace")
                self.report(f"the name {shown} has no entries")
            if self._name_bytes > self.max_name_bytes:
                problem = self._too_many(header.offset, name)
                break
        # GDB writes indexes for itself, without what it does not look up by name.
        is_of_gdb = header.augmentation.startswith("GDB")
        is_whole = problem is None and not is_of_gdb
        for unit, entries in listed.entries.items():
            uncompared = self._entries(
                unit, entries, None if is_of_gdb else table, is_whole=is_whole
            )
            if uncompared is not None and problem is None:
                problem = LimitExceeded(
                    f"more than {_MOST_COMPARED} entries of name indexes: the names of those from "
                    f"entry {uncompared:#x} on are not compared"
                )
        self._buckets(table)
        if problem is not None:
            raise problem

    def _list_entries(self, table: NameTable, name: int, listed: _Listed) -> int:
        """Add the entries of a name up to one that is listed, as those after it are; return how
        many were read. Those of too many bytes are left."""
        count = 0
        for count, entry in enumerate(table.entries(name), 1):
            if entry.offset in listed.offsets:
                break
            listed.offsets.add(entry.offset)
            self._name_bytes += _NAME_BYTES if count > 1 else 0
            if self._name_bytes > self.max_name_bytes:
                break
            named = entry.unit, entry.type_unit
            try:
                if named not in listed.units:  # there are few units for many entries
                    listed.units[named] = self.info.names.unit_of(table, entry)
            except (IllFormed, Malformed) as error:
                self.report(f"entry {entry.offset:#x}: {error.message}")
                continue
            except DwarfGpuError:  # a split unit that is missing, which is reported itself
                continue
            unit = listed.units[named]
            if unit is not None and entry.die_offset is not None:
                numbers = listed.entries.get(unit)
                if numbers is None:
                    numbers = listed.entries[unit] = array("Q")
                parent = min(self._parent(table, entry), _MOST)
                offset, tag = min(entry.die_offset, _MOST), min(entry.tag, _MOST)
                numbers.extend((entry.offset, offset, tag, parent, name))
        return count

    def _too_many(self, index: int, name: int) -> LimitExceeded:
        """Return the error that names from one of an index on are not checked."""
        self.is_spent = True
        reason = f"name indexes with more than {self.max_name_bytes} bytes of names"
        first = f"name {name + 1} of index {index:#x}"
        return LimitExceeded(
            f"{reason}: those from {first} on are not checked", "--max-searched-names"
        )

    def _listed(self, table: NameTable) -> Iterator[CompilationUnit]:
        """Yield the compilation units of an index whose entries are in the file itself."""
        self._units += table.header.unit_count
        if self._units > MAX_LISTED_UNITS:
            self.is_spent = True
            reason = f"name indexes list more than {MAX_LISTED_UNITS} units"
            first = f"index {table.header.offset:#x}"
            raise LimitExceeded(f"{reason}: those from {first} on are not checked")
        for index in range(table.header.unit_count):
            unit = self.info.unit_at(table.unit_offset(index))
            if unit is not None and unit.offset == table.unit_offset(index):
                try:
                    is_own = unit.full is unit
                except DwarfGpuError:  # a split file that is missing, which is reported itself
                    continue
                if is_own:
                    yield unit

    def _parent(self, table: NameTable, entry: NameEntry) -> int:
        """Return where the parent of an entry is in the unit, by the index; -1 if it does not say
        so. Report a parent that is none."""
        if not isinstance(entry.parent, int):
            return _MOST
        try:
            parent = table.entry_at(entry.parent)
        except Malformed as error:
            self.report(f"entry {entry.offset:#x}: its parent: {error.message}")
            return _MOST
        units = entry.unit, entry.type_unit
        if parent is None or (parent.unit, parent.type_unit) != units:
            what = "no entry" if parent is None else "of another unit"
            self.report(f"entry {entry.offset:#x}: its parent, entry {entry.parent:#x}, is {what}")
            return _MOST
        return _MOST if parent.die_offset is None else parent.die_offset

    def _buckets(self, table: NameTable) -> None:
        """Report buckets that do not begin in the table of names, and names in no bucket, which a
        search by hash does not find."""
        count, names = table.header.bucket_count, table.header.name_count
        reached = bytearray(names)
        for bucket, first in enumerate(table.buckets()):
            if not first:
                continue
            if first > names:
                message = f"bucket {bucket} begins at name {first} of {names}"
                self.report(message)
            for name in range(first - 1, names):
                hash = table.hash_of(name)
                if hash is None or hash % count != bucket:
                    break
                reached[name] = 1
        missing = reached.count(0) if count else 0
        if missing:
            number = reached.index(0) + 1
            message = f"no bucket leads to {counted(missing, 'name')}, the first is name {number}"
            self.report(message)

    def _entries(
        self,
        unit: CompilationUnit,
        entries: array[int],
        named: NameTable | None,
        *,
        is_whole: bool,
    ) -> int | None:
        """Compare entries of an index, each its offset there, that in the unit, its tag, the offset
        of its parent in the unit, and the number of its name; return the first whose name is not
        compared, because there are too many.

        `named`: the index, if its names are those of the unit, too. `is_whole`: if the index has
        every name.
        """
        try:
            tree = unit.tree
        except DwarfGpuError:  # reported where its entries are checked
            return None
        self._unit_entries += len(tree.offsets)
        most = self.info.object.limits.dies
        if self._unit_entries > most:
            self.is_spent = True
            reason = f"name indexes list units with more than {most} entries, each time counted"
            raise LimitExceeded(f"{reason}: the others are not checked", "--max-dies")
        if is_whole:
            self._missing(unit, set(entries[1::5]))
        uncompared = None
        for offset, die_offset, tag, parent, name in zip(*[iter(entries)] * 5, strict=True):
            index = tree.find(unit.offset + die_offset)
            if index is None:
                fault = f"no entry starts at {unit.offset + die_offset:#x} of {unit.section}"
            elif tree.abbreviations[index].tag != tag:
                shown, own = tag_name(tag), tag_name(tree.abbreviations[index].tag)
                fault = f"{shown}, and the entry at {tree.offsets[index]:#x} is {own}"
            elif parent != _MOST and not _is_inside(tree, index, unit.offset + parent):
                shown = f"{unit.offset + parent:#x}"
                fault = f"the entry at {shown} does not contain that at {tree.offsets[index]:#x}"
            elif named is None or uncompared is not None:
                continue
            elif self._compared >= _MOST_COMPARED:
                uncompared = offset
                continue
            else:
                self._compared += 1
                other = self._other_name(named, name, unit.die(index))
                if other is None:
                    continue
                fault = other
            self.report(f"entry {offset:#x}: {fault}")
        unit.forget_entries()
        return uncompared

    def _other_name(self, table: NameTable, name: int, die: Die) -> str | None:
        """Return what is wrong if an entry of the unit does not have the name under which the index
        lists it (6.1.1.1): nor as its linkage name, without the arguments of a template, or as a
        part of a name of Objective-C."""
        data = self.info.sections.string(".debug_str", table.string_offset(name))
        text = data.decode("utf-8", "surrogateescape")
        try:
            own, linkage = die.name, die.linkage_name
        except DwarfGpuError:  # reported where the entry is checked
            return None
        bare = own or _ANONYMOUS
        if text in (bare, linkage) or bare.startswith(("-[", "+[")):
            return None
        if without_arguments(text) == bare or without_arguments(bare) == text:
            return None
        shown = data[:_SHOWN].decode("utf-8", "replace")
        return f"its name is {shown}, and the entry at {die.offset:#x} is {bare[:_SHOWN]}"

    def _missing(self, unit: CompilationUnit, listed: set[int]) -> None:
        """Report names of the unit and its namespaces that an index does not have (6.1.1.1)."""
        missing, first = 0, None
        for index in _named_entries(unit.tree):
            if unit.tree.offsets[index] - unit.offset not in listed:
                missing += 1
                first = index if first is None else first
        if first is not None:
            die = unit.die(first)
            shown = f"{tag_name(die.tag)} {(die.name or '')[:_SHOWN]} at {die.offset:#x}"
            further = f", nor to {counted(missing - 1, 'other')}" if missing > 1 else ""
            self.report(f"no entry leads to {shown}{further}")


_TYPES: Final = frozenset(
    {
        dw.TAG_BASE_TYPE, dw.TAG_CLASS_TYPE, dw.TAG_ENUMERATION_TYPE, dw.TAG_STRUCTURE_TYPE,
        dw.TAG_TYPEDEF, dw.TAG_UNION_TYPE,
    }
)  # fmt: skip
_AROUND: Final = frozenset(
    {dw.TAG_COMPILE_UNIT, dw.TAG_NAMESPACE, dw.TAG_PARTIAL_UNIT, dw.TAG_TYPE_UNIT}
)
_MUST_HAVE: Final = {
    dw.TAG_SUBPROGRAM: frozenset({dw.AT_LOW_PC, dw.AT_RANGES}),
    **dict.fromkeys(_TYPES, frozenset({dw.AT_NAME})),
}
"""Entries that every index has, if they have one of the attributes: definitions."""


def _named_entries(tree: Tree) -> Iterator[int]:
    """Yield the types and functions with a name, directly in the unit or in namespaces."""
    named = {
        entry
        for entry in set(tree.abbreviations)
        if dw.AT_NAME in entry.positions
        and dw.AT_DECLARATION not in entry.positions
        and not _MUST_HAVE.get(entry.tag, frozenset()).isdisjoint(entry.positions)
    }
    around = {entry for entry in set(tree.abbreviations) if entry.tag in _AROUND}
    is_around = bytearray(len(tree.offsets))
    for index, entry in enumerate(tree.abbreviations):
        parent = tree.parents[index]
        if parent < 0 or is_around[parent]:
            is_around[index] = entry in around
            if entry in named:
                yield index


def _is_inside(tree: Tree, index: int, offset: int) -> bool:
    """Return whether the entry at an offset contains another one."""
    outer = tree.find(offset)
    return outer is not None and outer < index < tree.ends[outer]
