"""The entries of one unit as arrays: offset, abbreviation, parent and end of the subtree.

Law: one linear pass without recursion; the arrays are as long as the unit has entries.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping
from typing import Final, Protocol

from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, integer
from dwarfgpu.base.byte_reader import Data
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.forms import SkipPlan, fixed_bytes, read_uleb, skip
from dwarfgpu.dwarf.unit_header import UnitHeader
from dwarfgpu.errors import LimitExceeded, Malformed

_MOST_ALIGNING: Final = 16
"""Zeros with which an assembler or a linker may align the next unit, in bytes."""
_REFERENCES: Final = frozenset(
    {dw.FORM_REF1, dw.FORM_REF2, dw.FORM_REF4, dw.FORM_REF8, dw.FORM_REF_UDATA}
)
"""The forms of offsets from the start of the unit."""


class UnitOfEntries(Protocol):
    """What the end of its entries says of a unit."""

    @property
    def data(self) -> Data: ...

    @property
    def offset(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def header(self) -> UnitHeader: ...

    @property
    def abbreviations(self) -> Mapping[int, Abbreviation]: ...


class Tree:
    """The entries of a unit in the order of the file; an entry is named by its index."""

    __slots__ = ("abbreviations", "ends", "offsets", "parents", "stop")

    def __init__(self) -> None:
        self.offsets = array("Q")
        """Offset of each entry in `.debug_info`."""
        self.abbreviations: list[Abbreviation] = []
        self.parents = array("q")
        """Index of the parent, -1 for the unit's own entry."""
        self.ends = array("q")
        """Index of the first entry that is not a descendant."""
        self.stop = 0
        """Offset behind the last entry and the null entry that ends it."""

    def find(self, offset: int) -> int | None:
        """Return the index of the entry that starts at an offset in `.debug_info`."""
        try:
            index = bisect_left(self.offsets, offset)
        except FOREIGN:
            require_right_arguments(Tree.find, self, offset)
            raise
        if index < len(self.offsets) and self.offsets[index] == offset:
            return index
        return None

    def with_tags(self, tags: Container[int]) -> list[int]:
        """Return the indexes of the entries with one of some tags, in the order of the file."""
        try:
            wanted = {entry for entry in set(self.abbreviations) if entry.tag in tags}
        except FOREIGN:
            require_right_arguments(Tree.with_tags, self, tags)
            raise
        if not wanted:
            return []
        return [index for index, entry in enumerate(self.abbreviations) if entry in wanted]

    def children(self, index: int) -> Iterator[int]:
        """Yield the indexes of the children of an entry; `UsageError` for the index of none."""
        try:
            child, end = index + 1, self.ends[index]
        except FOREIGN:
            integer("index", index, 0, len(self.offsets) - 1)
            raise
        if index < 0:  # an array would count from its end
            integer("index", index, 0, len(self.offsets) - 1)
        while child < end:
            yield child
            child = self.ends[child]


def read_tree(
    data: Data,
    position: int,
    end: int,
    abbreviations: Mapping[int, Abbreviation],
    most: int | None = None,
) -> Tree:
    """Return the entries between two offsets of `.debug_info`.

    A unit that ends before its entries are closed is accepted, as other consumers do.
    `LimitExceeded` beyond `most` entries.
    """
    is_bounded = most is not None and end - position > most  # an entry has at least one byte
    tree = Tree()
    offsets, abbrevs, parents = tree.offsets, tree.abbreviations, tree.parents
    ends: dict[int, int] = {}
    """Of the entries that may have children: others end where the next one is."""
    plans: dict[int, tuple[Abbreviation, bool, int | None, SkipPlan]] = {}
    """The abbreviations so far, whether their entries have children, and the bytes of all values or
    the steps over them."""
    parent = -1
    while position < end:
        start = position
        code = data[position]
        if code < 0x80:  # nearly always: a call for each would take as long as all the rest
            position += 1
        else:
            code, position = read_uleb(data, position, end)
        if code == 0:
            if parent >= 0:
                ends[parent] = len(offsets)
                parent = parents[parent]
            if parent < 0:
                break
            continue
        planned = plans.get(code)
        if planned is None:
            abbreviation = abbreviations.get(code)
            if abbreviation is None:
                raise Malformed(f"entry at offset {start:#x} has the unknown abbreviation {code}")
            planned = plans[code] = _planned(abbreviation)
        abbreviation, has_children, size_bytes, plan = planned
        if size_bytes is None:
            position = skip(plan, data, position, end)
        else:
            position += size_bytes
            if position > end:
                skip(plan, data, position - size_bytes, end)  # raises
        offsets.append(start)
        if is_bounded and len(offsets) > (most or 0):
            raise LimitExceeded(
                f"entries from offset {start:#x} of .debug_info on are not read", "--max-dies"
            )
        abbrevs.append(abbreviation)
        parents.append(parent)
        if has_children:
            parent = len(offsets) - 1
        elif parent < 0:
            break
    tree.stop = position
    while parent >= 0:
        ends[parent] = len(offsets)
        parent = parents[parent]
    tree.ends = array("q", range(1, len(offsets) + 1))
    for index, subtree_end in ends.items():
        tree.ends[index] = subtree_end
    return tree


def lost_entries(unit: UnitOfEntries, stop: int) -> str | None:
    """Return that a unit goes on behind the end of its entries, where consumers read none (DWARF 5
    2.3): such as its length contradicts its null entries. None where only zeros are behind them,
    as Zig's linker leaves room for entries, but for zeros to which an entry refers."""
    data, end = unit.data, unit.end
    if stop >= end:
        return None
    problem = f"the entries end at offset {stop:#x}, and the unit at {end:#x}"
    if data[stop:end].strip(b"\0"):
        return problem
    zeros = end - stop
    referring = _entry_with_reference_into(unit, stop) if zeros > _MOST_ALIGNING else None
    if referring is None:
        return None
    return (
        f"{problem}, with {zeros} bytes of zeros between, to which the entry at offset "
        f"{referring:#x} refers"
    )


def _entry_with_reference_into(unit: UnitOfEntries, stop: int) -> int | None:
    """Return the offset of the first entry of a unit that refers to one behind its entries, which
    end at an offset; None if none does."""
    from dwarfgpu.dwarf.unit_walk import walk  # few units need it

    begin, behind = stop - unit.offset, unit.end - unit.offset
    positions: dict[Abbreviation, list[int]] = {}
    """Of the values that are offsets of entries from the start of the unit."""
    for offset, abbreviation, values in walk(
        unit.data, unit.header.entries_at, unit.end, unit.abbreviations
    ):
        references = positions.get(abbreviation)
        if references is None:
            attributes = enumerate(abbreviation.attributes)
            references = [index for index, one in attributes if one.form in _REFERENCES]
            positions[abbreviation] = references
        for index in references:
            value = values[index]
            if isinstance(value, int) and begin <= value < behind:
                return offset
    return None


def _planned(abbreviation: Abbreviation) -> tuple[Abbreviation, bool, int | None, SkipPlan]:
    plan = abbreviation.plan
    return abbreviation, abbreviation.has_children, fixed_bytes(plan), plan
