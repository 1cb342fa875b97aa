"""Entries against those around them: code outside of the code of the entry that contains it, and
DW_AT_sibling that leads elsewhere (DWARF 5 2.3, 2.17).

Law: only what is next to each other in the tree is compared. A function in a function has code of
its own, and code that the linker dropped is in no range.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from dwarfgpu.base.records import define, field
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.address_ranges import Range, listed_spans, without
from dwarfgpu.dwarf.forms import FORMS, Raw
from dwarfgpu.dwarf.scope.scope_entries import covered, range_reader
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_SIBLING: Final = 0x01
_UNITS: Final = frozenset({dw.TAG_COMPILE_UNIT, dw.TAG_PARTIAL_UNIT, dw.TAG_SKELETON_UNIT})
_OWNERS: Final = _UNITS | {
    dw.TAG_SUBPROGRAM, dw.TAG_ENTRY_POINT, dw.TAG_INLINED_SUBROUTINE, dw.TAG_LEXICAL_BLOCK,
    dw.TAG_TRY_BLOCK, dw.TAG_CATCH_BLOCK, dw.TAG_WITH_STMT,
}  # fmt: skip
"""Tags of entries whose addresses are those of code, with the code of what is in them."""


class NestingFault(NamedTuple):
    """An entry that contradicts its neighbours in the tree; of very many most are only counted."""

    entry: int
    """Its index in the unit."""
    rule: str
    message: str | Callable[[], str]


@define(eq=False)
class EntryNesting:
    """The entries of one unit that have code, or name their sibling."""

    unit: CompilationUnit
    is_dropped: Callable[[int], bool]
    """Whether a linker dropped the code of the function, or else of the unit, of an entry."""
    without_either: set[Abbreviation] = field(init=False, factory=set)
    """The abbreviations whose entries `add` does not need."""
    _shapes: dict[Abbreviation, tuple[bool, int | None, bool]] = field(init=False, factory=dict)
    """Of the others: whether the entries have code, the position of DW_AT_sibling, and
    whether it counts from the start of the unit."""
    _owners: array[int] = field(init=False, factory=lambda: array("Q"))
    """The indexes of the entries that have code."""
    _siblings: array[int] = field(init=False, factory=lambda: array("Q"))
    """Two numbers of each entry that names its sibling: its index, and the offset in the
    section."""
    _readers: dict[Abbreviation, Callable[[int], Range | None] | None] = field(
        init=False, factory=dict
    )

    def add(self, index: int, abbreviation: Abbreviation, values: Sequence[Raw]) -> None:
        """Read an entry."""
        shape = self._shapes.get(abbreviation)
        if shape is None:
            shape = self._shapes[abbreviation] = _shape_of(abbreviation)
        has_code, sibling, is_in_unit = shape
        if not has_code and sibling is None:
            self.without_either.add(abbreviation)
            return
        if has_code:
            self._owners.append(index)
        value = None if sibling is None else values[sibling]
        if isinstance(value, int):
            offset = value + self.unit.offset if is_in_unit else value
            self._siblings.extend((index, min(offset, (1 << 64) - 1)))

    def faults(self) -> Iterator[NestingFault]:
        """Yield the faults, after all entries were read."""
        if self._siblings:
            yield from self._wrong_siblings()
        if len(self._owners) < 2:  # nothing to compare, as in a unit that only names its code
            return
        tree = self.unit.tree
        code = dict[int, tuple[Range, ...]]()
        """Of the entries with others in them."""
        compared = dict[tuple[int, int], tuple[tuple[Range, ...], tuple[Range, ...]]]()
        """By the identities of two lists of code: the first list, and what of it is not in the
        second."""
        nearest = dict[int, int]()
        """The entry with code that contains what is in an entry without any; -1 for none."""
        beside = dict[int, list[tuple[int, int, int]]]()
        """By the entry around them: the first and last address of code, and whose it is."""
        for index in self._owners:
            own = self._code(index)
            is_function = tree.abbreviations[index].tag == dw.TAG_SUBPROGRAM
            is_around = tree.ends[index] > index + 1
            if is_around and (own or self._is_empty_in_code(index)):
                code[index] = own
            if not own:
                continue
            if is_function:
                above = 0 if index else -1  # in a function too: its code is in the unit's alone
            else:
                above, passed = tree.parents[index], list[int]()
                while above >= 0 and above not in code and above not in nearest:
                    passed.append(above)
                    above = tree.parents[above]
                above = nearest.get(above, above)
                nearest |= dict.fromkeys(passed, above)
            if index and (is_function or (above and above in code)):
                beside.setdefault(above, []).extend((span.begin, span.end, index) for span in own)
            around = code.get(above)
            if around is None or _is_within(own, around):
                continue
            pair = id(own), id(around)  # entries share lists
            if pair not in compared:
                compared[pair] = own, without(own, around)
            outside = compared[pair][1]
            if not outside:
                continue
            if not around or not self.is_dropped(0 if is_function else tree.parents[index]):
                kind = "unit" if tree.abbreviations[above].tag in _UNITS else "entry around it"
                message = f"{listed_spans(outside)} is not within the code of the {kind}, "
                message += listed_spans(around) if around else "which has no code"
                yield NestingFault(index, "range-outside-parent", message)
        # In assembly, a symbol may be in the middle of another one's code.
        if self.unit.language != dw.LANG_MIPS_ASSEMBLER:
            reported = bytearray(len(tree.offsets))
            for above, spans in beside.items():
                yield from self._overlaps(above, spans, reported)

    def _overlaps(
        self, above: int, spans: list[tuple[int, int, int]], reported: bytearray
    ) -> Iterator[NestingFault]:
        """Yield the entries in one that have a part of the code of another one beside them, once
        each. `reported`: by the index of an entry, whether it was yielded.

        Entries with the same code are equal functions, which linkers fold.
        """
        file = self.unit.info.main.sections.object
        spans.sort()
        last_begin, last_end, last = spans[0]
        is_dropped: bool | None = None
        code_end = 0
        """Where the code ends that the file has at the last of the overlapping spans."""
        for begin, end, index in spans[1:]:
            is_part = begin < last_end and index != last and (begin, end) != (last_begin, last_end)
            if is_part and not reported[index]:
                if begin >= code_end:
                    code_end = file.code_end(begin) or 0
                if begin < code_end:
                    if is_dropped is None:
                        is_dropped = self.is_dropped(above)
                    if is_dropped:
                        return
                    reported[index] = True
                    shared = Range(begin, min(end, last_end))
                    message = partial(self._overlap_message, shared, last)
                    yield NestingFault(index, "overlapping-code", message)
            if end > last_end:
                last_begin, last_end, last = begin, end, index

    def _overlap_message(self, shared: Range, other: int) -> str:
        offset = self.unit.tree.offsets[other]
        return f"{listed_spans((shared,))} is also the code of the entry at offset {offset:#x}"

    def _is_code(self, address: int) -> bool:
        return self.unit.info.main.sections.object.is_code(address)

    def _is_empty_in_code(self, index: int) -> bool:
        """Return whether an entry has no bytes where there is code; not at 0, which linkers write
        for code that they drop."""
        if dw.AT_RANGES in self.unit.tree.abbreviations[index].positions:
            return False
        try:
            low = self.unit.die(index).address(dw.AT_LOW_PC)
        except DwarfGpuError:
            return False
        return low is not None and low > 0 and self._is_code(low)

    def _code(self, index: int) -> tuple[Range, ...]:
        """Return the code of an entry; none where it cannot be read, which is reported itself."""
        unit, tree = self.unit, self.unit.tree
        abbreviation = tree.abbreviations[index]
        if abbreviation not in self._readers:
            self._readers[abbreviation] = range_reader(unit, abbreviation)
        reader = self._readers[abbreviation]
        span = None if reader is None else reader(tree.offsets[index])
        if span is not None:
            return (span,)
        try:
            return covered(unit.die(index))
        except DwarfGpuError:
            return ()

    def _wrong_siblings(self) -> Iterator[NestingFault]:
        tree, unit = self.unit.tree, self.unit
        offsets, parents, count = tree.offsets, tree.parents, len(tree.offsets)
        for index, target in zip(self._siblings[::2], self._siblings[1::2], strict=True):
            end = tree.ends[index]
            if end < count and parents[end] == parents[index]:
                if target != offsets[end]:
                    message = f"DW_AT_sibling {target:#x}: the next sibling is at {offsets[end]:#x}"
                    yield NestingFault(index, "wrong-sibling", message)
                continue
            limit = offsets[end] if end < count else unit.end
            is_end = target == unit.end == limit
            is_null = offsets[end - 1] < target < limit and unit.data[target] == 0
            if not (is_end or is_null):
                message = f"DW_AT_sibling {target:#x}: the entry is the last of its siblings"
                yield NestingFault(index, "wrong-sibling", message)


def _shape_of(abbreviation: Abbreviation) -> tuple[bool, int | None, bool]:
    positions = abbreviation.positions
    has_code = abbreviation.tag in _OWNERS and (
        dw.AT_RANGES in positions or {dw.AT_LOW_PC, dw.AT_HIGH_PC} <= positions.keys()
    )
    sibling = positions.get(_SIBLING)
    kind = None
    if sibling is not None:
        form = abbreviation.attributes[sibling].form
        kind = FORMS[form][0] if form in FORMS else None
        if kind not in ("unit_reference", "section_reference"):
            sibling = None
    return has_code, sibling, kind == "unit_reference"


def _is_within(own: tuple[Range, ...], around: tuple[Range, ...]) -> bool:
    """Return whether one range has all, as of most entries."""
    return len(around) == 1 and around[0].begin <= own[0].begin and own[-1].end <= around[0].end
