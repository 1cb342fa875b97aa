"""Which functions described tail calls may enter again before they return (DWARF 5 3.4.1).

Law: the calls of a function are gone through once, however many functions are asked about and lead
to it: those that lead to one another (a strongly connected component) are judged together.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, TypeAlias

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.calls.call_sites import call_sites
from dwarfgpu.dwarf.calls.callees import called_symbols, instances, may_enter
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import code_ranges, entry_of, range_reader
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, LimitExceeded

_MOST_PAIRS: Final = 100_000
"""Of a called entry without code and a function that it may be, without the first two of each
entry; each symbol that the entry may have counts once more."""


@frozen
class _Nameless:
    """A called entry without code: it leads to the functions that it may be."""

    called: Die


_Node: TypeAlias = Die | int | _Nameless
"""A function; an address, which leads to all functions that are entered there; a called entry."""


@frozen(eq=False)
class _Known:
    """What is known of a node."""

    is_cycle: bool
    """Whether calls lead from it to itself."""
    is_open: bool
    """Whether calls lead from it to one through a pointer, which may enter any function."""
    error: DwarfGpuError | None
    """Why not all calls to which it leads are known."""

    @property
    def may_return(self) -> bool:
        if not (self.is_cycle or self.is_open) and self.error is not None:
            raise self.error.anew()
        return self.is_cycle or self.is_open


@define(eq=False)
class _Visit:
    """A node that is being looked at."""

    node: _Node
    number: int
    lowest: int
    """The number of the first node to which it is known to lead back."""
    following: Iterator[_Node] = field(init=False, factory=lambda: iter(()))
    is_cycle: bool = field(init=False, default=False)
    is_open: bool = field(init=False, default=False)
    error: DwarfGpuError | None = field(init=False, default=None)

    def lead_to(self, known: _Known | _Visit) -> None:
        self.is_open |= known.is_open
        self.error = self.error or known.error


def may_tail_call_itself(function: Die) -> bool:
    """Return whether described tail calls of the unit lead from a function to itself; raises the
    error of calls that cannot be read."""
    return _tail_calls_of(function.unit).known(function).may_return


class _TailCalls:
    """The functions to which those of a unit lead."""

    def __init__(self, unit: CompilationUnit) -> None:
        self._unit = unit
        self._known: dict[_Node, _Known] = {}
        self._pair_count = 0

    def known(self, function: Die) -> _Known:
        if function not in self._known:
            self._visit(function)
        return self._known[function]

    def _visit(self, start: _Node) -> None:
        """Look at all nodes to which one leads that are not known (Tarjan's algorithm)."""
        visits: dict[_Node, _Visit] = {}
        path, stack = [self._begin(start, visits)], [visits[start]]
        while path:
            visit = path[-1]
            node = next(visit.following, None)
            if node is not None:
                known, begun = self._known.get(node), visits.get(node)
                if known is not None:
                    visit.lead_to(known)
                elif begun is not None:
                    visit.lowest = min(visit.lowest, begun.number)
                    visit.is_cycle |= begun is visit
                else:
                    path.append(self._begin(node, visits))
                    stack.append(path[-1])
                continue
            path.pop()
            if visit.lowest == visit.number:
                members = [stack.pop()]
                while members[-1] is not visit:
                    members.append(stack.pop())
                for member in members:
                    visit.lead_to(member)
                is_cycle = visit.is_cycle or len(members) > 1
                known = _Known(is_cycle, visit.is_open, visit.error)
                for member in members:
                    self._known[member.node] = known
            if path:
                path[-1].lowest = min(path[-1].lowest, visit.lowest)
                path[-1].lead_to(visit)

    def _begin(self, node: _Node, visits: dict[_Node, _Visit]) -> _Visit:
        visit = visits[node] = _Visit(node, len(visits), len(visits))
        following: list[_Node] = []
        try:
            for called in self._after(node):
                if called is None:
                    visit.is_open = True
                else:
                    following.append(called)
        except DwarfGpuError as error:
            visit.error = error.with_traceback(None)
        visit.following = iter(following)
        return visit

    def _after(self, node: _Node) -> Iterator[_Node | None]:
        """Yield the nodes to which a node leads; None for what a pointer leads to."""
        if isinstance(node, int):
            yield from self._entered_at(node)
        elif isinstance(node, _Nameless):
            yield from self._may_be(node.called)
        else:
            had: set[Die | None] = set()
            for call in call_sites(node):
                if call.is_tail_call and (callee := call.callee) not in had:
                    had.add(callee)
                    yield from (None,) if callee is None else self._entering(callee)

    def _entering(self, callee: Die) -> Iterator[_Node]:
        """Yield the nodes of a called entry."""
        if not code_ranges(callee):
            yield _Nameless(callee)
            return
        yield callee
        if callee.unit.sections.program is not self._unit.sections.program:
            yield _Nameless(callee)
            return
        entry = entry_of(callee)
        if entry is not None and (callee.unit is not self._unit or len(self._at(entry)) > 1):
            yield entry

    def _may_be(self, called: Die) -> Iterator[Die]:
        """Yield the functions of the unit whose code an entry may enter."""
        sections = self._unit.sections
        is_own = called.unit.sections.program is sections.program
        files = sections.program.loaded, sections.object
        symbols = called_symbols(called, files, is_own=is_own)
        functions = dict.fromkeys(instances(called, self._unit))
        for address in {symbol.address for symbol in symbols}:
            functions.update(dict.fromkeys(self._entered_at(address)))
        self._pair_count += max(0, len(functions) - 2) + len(functions) * max(0, len(symbols) - 2)
        if self._pair_count > _MOST_PAIRS:
            raise LimitExceeded(f"more than {_MOST_PAIRS} functions that tail calls may enter")
        for function in functions:
            if may_enter(called, function):
                yield function

    def _entered_at(self, entry: int) -> Iterator[Die]:
        return map(self._unit.die, self._at(entry))

    def _at(self, entry: int) -> array[int]:
        """Return the indexes of the functions of the unit that are entered at an address."""
        entries, indexes = self._by_entry
        return indexes[bisect_left(entries, entry) : bisect_right(entries, entry)]

    @cached_property
    def _by_entry(self) -> tuple[array[int], array[int]]:
        """The addresses where the functions of the unit are entered, in order, and their indexes.
        What cannot be read is not among them: its code is unknown."""
        pairs: list[tuple[int, int]] = []
        readers: dict[Abbreviation, Callable[[int], Range | None] | None] = {}
        offsets = self._unit.tree.offsets
        for index, abbreviation in enumerate(self._unit.tree.abbreviations):
            known = abbreviation.positions
            if abbreviation.tag != dw.TAG_SUBPROGRAM or not (
                dw.AT_LOW_PC in known or dw.AT_RANGES in known
            ):
                continue
            if abbreviation not in readers:
                readers[abbreviation] = (
                    None if dw.AT_ENTRY_PC in known else range_reader(self._unit, abbreviation)
                )
            reader = readers[abbreviation]
            span = None if reader is None else reader(offsets[index])
            with suppress(DwarfGpuError):
                entry = entry_of(self._unit.die(index)) if span is None else span.begin
                if entry is not None:
                    pairs.append((entry, index))
        pairs.sort()
        return array("Q", [entry for entry, _ in pairs]), array("Q", [index for _, index in pairs])


@kept_with(first)
def _tail_calls_of(unit: CompilationUnit) -> _TailCalls:
    return _TailCalls(unit)
