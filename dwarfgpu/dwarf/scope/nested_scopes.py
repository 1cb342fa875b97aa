"""The scopes in a subprogram: which one is the innermost at an address, and those around it.

Law: thousands may be in one another, and each frame of a stack and each thread asks at another
address. What covers it is found without going through all of them, and what they say is kept with
each: those inside share it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Final

from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.nested import Nested
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.cover_index import CoverIndex
from dwarfgpu.dwarf.scope.covered_code import inner_ranges, inner_scope, is_indexed
from dwarfgpu.dwarf.scope.scope_entries import FUNCTIONS
from dwarfgpu.dwarf.scope.subprogram import FunctionsAround, Subprogram
from dwarfgpu.errors import DwarfGpuError

_FEW_STEPS: Final = 10_000
_MOST_PASSES: Final = 4
"""How many entries are gone through one by one before an index of all is made: `_FEW_STEPS`, and
`_MOST_PASSES` times all of them."""
_MOST_RANGES: Final = 2
"""For each entry of a subprogram, and `_FEW_STEPS`: an index has no more ranges. Where there are
more, its last scopes are gone through one by one."""
_EVERYWHERE: Final = Range(0, 1 << 64)


class NestedScope(Nested[Die]):
    """A subprogram, or a block or an inlined call in one, with the scopes around it."""

    __slots__ = ("depth", "functions")

    def __init__(self, die: Die, outer: NestedScope | None) -> None:
        super().__init__(die, outer)
        self.depth: int = 1 if outer is None else outer.depth + 1
        """How many scopes there are, with those around it."""
        self.functions: FunctionsAround = FunctionsAround() if outer is None else outer.functions
        if outer is None or die.tag in FUNCTIONS:
            self.functions = self.functions.around(Subprogram(die))


class ScopesInside:
    """The scopes in one subprogram."""

    def __init__(self, subprogram: Die, kept: KeptAnswers[Die, NestedScope]) -> None:
        self._outermost = NestedScope(subprogram, None)
        self._kept = kept
        """Scopes by their entries, those of other subprograms too."""
        self._steps = 0
        self._index: _Index | None = None

    def innermost(self, address: int) -> NestedScope:
        """Return the innermost scope at an address of the file that the subprogram covers: in each
        the first one that covers it. One that cannot be read is an error unless one before it
        covers the address."""
        scope, index = self._outermost, self._index
        entries = _entry_count(scope.content)
        if index is None and self._steps > _FEW_STEPS + _MOST_PASSES * entries:
            index = self._index = _Index(scope.content, _FEW_STEPS + _MOST_RANGES * entries)
        if index is not None:
            number = index.code.last_at(address)
            scope = scope if number is None else self._scope(index, number)
            if number is not None and number not in index.unfinished:
                return scope
        while True:
            self._steps += 1 if is_indexed(scope.content) else _entry_count(scope.content)
            inner = inner_scope(scope.content, address)
            if inner is None:
                return scope
            scope = self._nested(inner, scope)

    def _nested(self, die: Die, outer: NestedScope) -> NestedScope:
        return self._kept.answer(die, lambda die: NestedScope(die, outer))

    def _scope(self, index: _Index, number: int) -> NestedScope:
        """Return the scope of an entry by its index, with those around it."""
        unit, first = self._outermost.content.unit, self._outermost.content.index
        scope: NestedScope | None = None
        missing: list[Die] = []
        while number != first:
            die = unit.die(number)
            scope = self._kept.get(die)
            if scope is not None:
                break
            missing.append(die)
            number = index.around.get(number, unit.tree.parents[number])
        scope = scope or self._outermost
        for die in reversed(missing):
            scope = self._nested(die, scope)
        return scope


class _Index:
    """The innermost scopes of a subprogram by their code."""

    def __init__(self, subprogram: Die, most: int) -> None:
        """`most`: how many ranges are gone through."""
        self._subprogram, self._most = subprogram, most
        self.unfinished: set[int] = set()
        """The indexes of scopes that may have inner ones which are not in `code`."""
        self.around: dict[int, int] = {}
        """The scopes around those that are not directly in them, but in blocks without code."""
        self.code = CoverIndex(self._ranges())

    def _ranges(self) -> Iterator[tuple[int, int, int]]:
        """Yield ranges with the index of a scope that covers them: an inner scope after the one
        around it, and of several in one the first one last."""
        unit, ranges = self._subprogram.unit, 0
        pending: list[tuple[int, list[Range]]] = [(self._subprogram.index, [_EVERYWHERE])]
        while pending:
            index, region = pending.pop()
            for begin, end in region:
                yield begin, end, index
            inside: dict[int, list[Range]] = {}
            try:
                for span, inner in inner_ranges(unit.die(index)):
                    shared = [*_common(span, region)]
                    ranges += 1 + len(shared)
                    if ranges > self._most:
                        self.unfinished.add(index)
                        break
                    if shared:
                        inside.setdefault(inner, []).extend(shared)
            except DwarfGpuError:
                self.unfinished.add(index)
            pending += inside.items()
            self.around.update((one, index) for one in inside if unit.tree.parents[one] != index)


def _entry_count(scope: Die) -> int:
    index = scope.index
    return scope.unit.tree.ends[index] - index


def _common(span: Range, region: list[Range]) -> Iterable[Range]:
    """Yield the parts of a range that are in a region: ranges in order, none in another."""
    begin, end = span
    position = max(bisect_right(region, begin, key=itemgetter(0)) - 1, 0)
    while position < len(region) and region[position].begin < end:
        low, high = max(begin, region[position].begin), min(end, region[position].end)
        if low < high:
            yield Range(low, high)
        position += 1
