"""The entries of one unit as arrays: offset, abbreviation, parent and end of the subtree.

Law: one linear pass without recursion; the arrays are as long as the unit has entries.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping
from typing import Final

from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, integer
from dwarfgpu.base.byte_reader import Data
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.forms import SkipPlan, fixed_bytes, read_uleb, skip
from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.objfile.elf import ObjectFile

_MOST_PADDING: Final = 16
"""Zeros that an assembler or a linker may leave behind the entries of a unit, in bytes."""


class Tree:
    """The entries of a unit in the order of the file; an entry is named by its index."""

    __slots__ = ("__weakref__", "abbreviations", "ends", "offsets", "parents", "stop")

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


def lost_entries(data: Data, stop: int, end: int, file: ObjectFile) -> str | None:
    """Return that a unit goes on behind the end of its entries, where consumers read none (DWARF 5
    2.3): such as its length contradicts its null entries. None where only a few zeros are: padding.
    More of them replaced entries, but where the linker of the file leaves room."""
    if stop >= end:
        return None
    problem = f"the entries end at offset {stop:#x}, and the unit at {end:#x}"
    if data[stop:end].strip(b"\0"):
        return problem
    zeros = end - stop
    if zeros <= _MOST_PADDING:
        return None
    from dwarfgpu.objfile.linker_room import leaves_room  # few files have as many zeros

    if leaves_room(file):
        return None
    return f"{problem}, with {zeros} bytes of zeros between"


def _planned(abbreviation: Abbreviation) -> tuple[Abbreviation, bool, int | None, SkipPlan]:
    plan = abbreviation.plan
    return abbreviation, abbreviation.has_children, fixed_bytes(plan), plan
