"""Find functions that made tail calls, by call site information (DWARF 5 3.3.1.3, 3.4.1).

Law: only functions on every possible chain are named, and only if all tail calls of the functions
on the way are described, none of them through a pointer. What has neither code nor a symbol may be
the function that runs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.tail_call_frame import NO_JUMPS, Jump, Jumps
from dwarfgpu.dwarf.calls.call_sites import (
    CallSite,
    call_before,
    call_sites,
)
from dwarfgpu.dwarf.calls.callees import called_symbols, enters, instances
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.loaded_code import code_object_at
from dwarfgpu.dwarf.scope.scope_entries import code_ranges, entry_of
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.objfile.symbols import Symbol

MAX_FUNCTIONS: Final = 1_000
"""Maximum number of functions to search per call."""
_ALL_CALLS: Final = (0x7A, 0x7B, 0x7C, 0x2116, 0x2117, 0x2118)
"""DW_AT_call_all_calls, _source_calls and _tail_calls, and GCC's attributes before DWARF 5."""
MAX_JUMPS: Final = 10_000
"""Maximum number of tail calls that these functions have."""
AMBIGUOUS: Final = "ambiguous"


@frozen(eq=False)
class _Function:
    """A function with code, and the tail calls that it makes."""

    die: Die
    number: int
    jumps: tuple[CallSite, ...]
    targets: tuple[int, ...]
    """The numbers of the functions to which `jumps` go."""
    is_described: bool
    """Whether all such calls are described, with their targets."""


class CallChains:
    """The calls of all code objects (`dwarfgpu.cfi.tail_call_frame.TailCalls`)."""

    def __init__(self, code_objects: Sequence[CodeObject]) -> None:
        self._code_objects = code_objects
        self._between: dict[tuple[Die, int], Jumps] = {}
        self._numbers: dict[Die, int] = {}
        """Of entries with code: numbers are compared faster than entries."""
        self._entries: list[Die] = []
        self._functions: dict[int, _Function] = {}
        self._with_code: dict[Die, Die | None] = {}

    def between(self, location: int, return_pc: int) -> Jumps:
        """Return the jumps; none if the call does not name its callee, or its description cannot be
        read: then nothing says that there is a tail call."""
        inner, outer = self._at(location), self._at(return_pc - 1)
        if inner is None or outer is None:
            return NO_JUMPS
        try:
            callee = inner.scopes.subprogram_at(location)
            if callee is None:
                return NO_JUMPS
            key = callee.die, return_pc
            if key not in self._between:
                call = call_before(outer.scopes, return_pc)
                self._between[key] = self._jumps(call, callee.die)
            return self._between[key]
        except DwarfGpuError:
            return NO_JUMPS

    def _at(self, location: int) -> CodeObject | None:
        return code_object_at(self._code_objects, location)

    def _jumps(self, call: CallSite | None, callee: Die) -> Jumps:
        target = None if call is None else call.callee
        if target is None or enters(target, callee) or self._may_be(target, callee):
            return NO_JUMPS
        try:
            return self._jumps_from(target, callee)
        except DwarfGpuError as error:
            return Jumps(why_unknown=str(error))

    def _jumps_from(self, target: Die, callee: Die) -> Jumps:
        """Return the jumps from the function that was called to the one that runs."""
        first = self._code_of(target)
        if first is None:
            if next(instances(target, callee.unit), None) is not None:
                return Jumps(why_unknown=f"{target.name} is not known by a symbol")
            if not any(_symbols(code_object, target) for code_object in self._code_objects):
                return NO_JUMPS  # gcc may have merged it with the function that runs (-fipa-icf)
            return Jumps(why_unknown=f"{target.name} has no described code")
        from dwarfgpu.dwarf.calls.reentry import may_tail_call_itself  # few calls lead further

        functions, ends = self._on_the_way(first, callee)
        if not ends:
            return Jumps(why_unknown=f"no described calls lead from {target.name} here")
        if len(ends) > 1:
            return Jumps(why_unknown=AMBIGUOUS)
        for function in functions:
            if not function.is_described:
                return Jumps(why_unknown=f"not all calls of {function.die.name} are described")
        return _common(functions[0], ends[0], functions, may_return=may_tail_call_itself(callee))

    def _on_the_way(self, first: Die, callee: Die) -> tuple[list[_Function], list[_Function]]:
        """Return the functions that jumps lead through from the first one to another, in their
        order, and those of them whose code is that one's.

        Of each, only those jumps from which that one is reached. Raises `LimitExceeded` where they
        are too many.
        """
        functions: dict[int, _Function] = {}
        jumping_to: dict[int, list[int]] = {}
        ends: list[int] = []
        pending, jump_count = [self._number(first)], 0
        while pending:
            number = pending.pop()
            if number in functions:
                continue
            if len(functions) >= MAX_FUNCTIONS:
                raise LimitExceeded(f"more than {MAX_FUNCTIONS} functions")
            die = self._entries[number]
            if enters(die, callee):
                functions[number] = _Function(die, number, (), (), True)
                ends.append(number)
                continue
            function = functions[number] = self._function(number)
            jump_count += len(function.targets)
            if jump_count > MAX_JUMPS:
                raise LimitExceeded(f"more than {MAX_JUMPS} tail calls")
            for target in function.targets:
                jumping_to.setdefault(target, []).append(number)
            pending += reversed(function.targets)
        sources = [*ends, *(n for n, function in functions.items() if not function.is_described)]
        reaching = set(chain.from_iterable(_steps(sources, lambda n: jumping_to.get(n, ()))))
        within = {n: _within(f, reaching) for n, f in functions.items() if n in reaching}
        return list(within.values()), [within[number] for number in ends]

    def _number(self, die: Die) -> int:
        number = self._numbers.setdefault(die, len(self._entries))
        if number == len(self._entries):
            self._entries.append(die)
        return number

    def _function(self, number: int) -> _Function:
        function = self._functions.get(number)
        if function is None:
            die = self._entries[number]
            jumps = tuple(site for site in call_sites(die) if site.is_tail_call)
            callees = [jump.callee for jump in jumps]
            targets = [None if callee is None else self._code_of(callee) for callee in callees]
            is_whole = None not in targets and any(die.flag(call) for call in _ALL_CALLS)
            resolved = [(j, t) for j, t in zip(jumps, targets, strict=True) if t is not None]
            numbers = tuple(self._number(target) for _, target in resolved)
            jumps = tuple(jump for jump, _ in resolved)
            function = self._functions[number] = _Function(die, number, jumps, numbers, is_whole)
        return function

    def _code_of(self, function: Die) -> Die | None:
        """Return the entry with the code of a function, from another of its entries; None if there
        is none."""
        if function not in self._with_code:
            self._with_code[function] = next(self._candidates(function), None)
        return self._with_code[function]

    def _candidates(self, function: Die) -> Iterator[Die]:
        if code_ranges(function):
            yield function
            return
        for instance in instances(function, function.unit):
            if enters(function, instance):
                yield instance
        for code_object in self._code_objects:
            addresses = {symbol.address for symbol in _symbols(code_object, function)}
            if len(addresses) == 1:
                address = addresses.pop() + code_object.load_address
                subprogram = code_object.scopes.subprogram_at(address)
                if subprogram is not None:
                    yield subprogram.die

    def _may_be(self, function: Die, callee: Die) -> bool:
        """Return whether a symbol says that a function is another one, or that code chooses
        which."""
        entry = entry_of(callee)
        for code_object in self._code_objects:
            is_of = code_object.info is callee.unit.info.main
            for symbol in _symbols(code_object, function):
                if symbol.is_indirect or (is_of and symbol.address == entry):
                    return True
        return False


def _common(
    first: _Function, last: _Function, functions: Sequence[_Function], *, may_return: bool
) -> Jumps:
    """Return the jumps that all chains from one function to another have in common.

    All of them lead there. `may_return`: the last one may be entered again by its own jumps.
    """
    if may_return:
        forced = _forced(first, last, functions)
        return Jumps((), tuple(_jump(call) for call in reversed(forced)), AMBIGUOUS)
    inner = _only_ways(first, last, functions)
    outer = _forced(first, last, functions)[: _shortest(first, last, functions) - len(inner)]
    is_only = all(len(function.jumps) == (function is not last) for function in functions)
    return Jumps(
        tuple(_jump(call) for call in inner),
        tuple(_jump(call) for call in reversed(outer)),
        None if is_only else AMBIGUOUS,
    )


def _forced(first: _Function, last: _Function, functions: Sequence[_Function]) -> list[CallSite]:
    """Return the jumps with which every chain begins, the outermost first."""
    by_number = {function.number: function for function in functions}
    calls: list[CallSite] = []
    here = first
    while here is not last and len(here.jumps) == 1:
        calls += here.jumps
        here = by_number[here.targets[0]]
    return calls


def _only_ways(first: _Function, last: _Function, functions: Sequence[_Function]) -> list[CallSite]:
    """Return the jumps with which every chain ends, the innermost first."""
    ways: dict[int, list[tuple[_Function, CallSite]]] = {}
    for function in functions:
        for jump, target in zip(function.jumps, function.targets, strict=True):
            ways.setdefault(target, []).append((function, jump))
    calls: list[CallSite] = []
    here = last
    while here is not first and len(ways[here.number]) == 1:
        here, jump = ways[here.number][0]
        calls.append(jump)
    return calls


def _shortest(first: _Function, last: _Function, functions: Sequence[_Function]) -> int:
    """Return the number of jumps of the shortest chain."""
    by_number = {function.number: function for function in functions}
    chains = _steps([first.number], lambda number: by_number[number].targets)
    return next(count for count, numbers in enumerate(chains) if last.number in numbers)


def _steps(
    first: Iterable[int], following: Callable[[int], Iterable[int]]
) -> Iterator[Collection[int]]:
    """Yield the first functions, then at each step those that follow one of the step before and
    that no step had."""
    step = set(first)
    had = set(step)
    while step:
        yield step
        step = set().union(*map(following, step)) - had
        had |= step


def _symbols(code_object: CodeObject, function: Die) -> list[Symbol]:
    """Return the symbols that a function may have in a file, but for versions that are not the
    default; those of a stripped file are in its separate debug file."""
    files = code_object.file, code_object.info.object
    symbols = called_symbols(function, files, is_own=function.unit.info.main is code_object.info)
    for file in dict.fromkeys(files):
        file.require_versions(symbols)
    return [symbol for symbol in symbols if not symbol.is_old_version]


def _within(function: _Function, reaching: set[int]) -> _Function:
    """Return the function with only those jumps that lead into a set of functions."""
    pairs = zip(function.jumps, function.targets, strict=True)
    leading = [(jump, target) for jump, target in pairs if target in reaching]
    jumps, targets = tuple(j for j, _ in leading), tuple(t for _, t in leading)
    return _Function(function.die, function.number, jumps, targets, function.is_described)


def _jump(call: CallSite) -> Jump:
    bias = call.die.unit.sections.program.load_address
    after, address = call.return_address, call.address
    if after is not None:
        return Jump(after + bias, after + bias - 1)
    assert address is not None
    return Jump(address + bias, address + bias)
