"""Which code a call of an entry enters (DWARF 5 3.4.1).

Law: one function may have several entries with code: gcc splits `f.part.0` from `f`, or specializes
it (`f.constprop.0`), and all of them share one origin and its name. A call of an entry with code
enters that code. A call of an entry without code, the abstract instance or a declaration, enters
the code at the symbol of the function.

A linker makes the symbols of hidden functions local, as those of static functions are, and a symbol
may be another name of a function (an alias). So a local symbol decides a call of an external
function only where no global symbol does, and unless it may be that of a static namesake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import code_ranges, entry_of
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.symbols import Symbol


def enters(called: Die, callee: Die) -> bool:
    """Return whether a call of an entry certainly enters the code of another one."""
    known = _known_to_enter(called, callee)
    if known is not None:
        return known
    if not _is_one_function(called, callee) or _is_namesake(called, callee):
        return False
    return not any(instance != callee for instance in instances(called, callee.unit))


def may_enter(called: Die, callee: Die) -> bool:
    """Return the same, and True also where nothing says which instance of a function is called."""
    known = _known_to_enter(called, callee)
    return _is_one_function(called, callee) if known is None else known


def instances(function: Die, unit: CompilationUnit) -> Iterator[Die]:
    """Yield the entries with code of a function in a unit, in their order."""
    for index in sorted(_functions_of(unit).like(function)):
        entry = unit.die(index)
        if _is_one_function(function, entry) and code_ranges(entry):
            yield entry
    error = _functions_of(unit).error
    if error is not None:
        raise error.anew()


class _Functions:
    """The functions of a unit with code, by what they may have in common with others: calls of
    thousands of entries ask for them."""

    def __init__(self, unit: CompilationUnit) -> None:
        self._unit = unit
        self._of_origin: dict[Die, list[int]] = {}
        self._foreign: list[int] = []
        """Those whose origin is in another unit."""
        self._own: list[int] = []
        self.error: DwarfGpuError | None = None
        """What ended the search for them."""
        try:
            self._read()
        except DwarfGpuError as error:
            self.error = error.with_traceback(None)

    def _read(self) -> None:
        tree = self._unit.tree
        for index in tree.children(self._unit.root.index):
            abbreviation = tree.abbreviations[index]
            known = abbreviation.positions
            if abbreviation.tag != dw.TAG_SUBPROGRAM or not (
                dw.AT_LOW_PC in known or dw.AT_RANGES in known
            ):
                continue
            if dw.AT_ABSTRACT_ORIGIN in known or dw.AT_SPECIFICATION in known:
                origin = list(self._unit.die(index).origins())[-1]
                self._of_origin.setdefault(origin, []).append(index)
                if origin.unit is not self._unit:
                    self._foreign.append(index)
                    continue
            self._own.append(index)

    def like(self, function: Die) -> set[int]:
        """Return the indexes of those that may be entries of a function."""
        origin = list(function.origins())[-1]
        indexes = set(self._of_origin.get(origin, ()))
        named = [self._foreign_by_name] if self._foreign else []
        if origin.unit is not self._unit:
            named.append(self._own_by_name)
        elif self._unit.tree.parents[origin.index] == self._unit.root.index:
            indexes.add(origin.index)
        for by_name in named:
            for name in _names(origin, function):
                indexes.update(by_name.get(name, ()))
        return indexes

    @cached_property
    def _foreign_by_name(self) -> dict[str | None, list[int]]:
        return self._by_name(self._foreign)

    @cached_property
    def _own_by_name(self) -> dict[str | None, list[int]]:
        return self._by_name(self._own)

    def _by_name(self, indexes: Iterable[int]) -> dict[str | None, list[int]]:
        by_name: dict[str | None, list[int]] = {}
        for index in indexes:
            entry = self._unit.die(index)
            for name in _names(list(entry.origins())[-1], entry):
                by_name.setdefault(name, []).append(index)
        return by_name


def _names(origin: Die, function: Die) -> set[str | None]:
    """Return the names by which an entry may be one of a function in another unit."""
    linkage_name = function.linkage_name
    return {origin.name} if linkage_name is None else {origin.name, linkage_name}


@kept_with(first)
def _functions_of(unit: CompilationUnit) -> _Functions:
    return _Functions(unit)


def _known_to_enter(called: Die, callee: Die) -> bool | None:
    """Return what addresses say; None if they say nothing."""
    if called == callee:
        return True
    own, entry = _entry_of(called), _entry_of(callee)
    is_own = called.unit.sections.program is callee.unit.sections.program
    if is_own and own is not None:
        return own == entry
    addresses = _symbol_addresses(called, callee, is_own=is_own)
    return entry in addresses if addresses else None


@kept_with(lambda function: function.unit)
def _entry_of(function: Die) -> int | None:
    return entry_of(function)


def called_symbols(called: Die, files: Sequence[ObjectFile], *, is_own: bool) -> list[Symbol]:
    """Return the functions that a call of an entry may enter, of a code object, whose parts are
    `files`; `is_own`: the caller is in it. They are all global, or all local.

    A library's own name of a function need not be that by which others call it.
    """
    name = called.linkage_name or called.name
    if name is None:
        return []
    symbols = [
        symbol
        for file in dict.fromkeys(files)
        for symbol in file.symbols_named(name, f"{name}@")
        if symbol.kind == "function"
    ]
    is_external = _is_external(called)
    if is_external or called.flag(dw.AT_DECLARATION):  # of another unit, if it is called
        exported = [symbol for symbol in symbols if not symbol.is_local]
        if exported or (is_external and any(file.takes_symbol(name) for file in files)):
            return exported
    return [symbol for symbol in symbols if is_own and symbol.is_local]


def _symbol_addresses(called: Die, callee: Die, *, is_own: bool) -> set[int]:
    """Return the addresses of a function's symbols in the file of a callee; none where these may be
    of another function."""
    sections = callee.unit.sections
    files = sections.program.loaded, sections.object
    symbols = called_symbols(called, files, is_own=is_own)
    addresses = {symbol.address for symbol in symbols if not symbol.is_indirect}
    if any(symbol.is_local for symbol in symbols):
        is_sole = _is_external(called) and len(addresses) == 1
        if _is_namesake(called, callee) or not (is_sole or _is_one_function(called, callee)):
            return set()
    return addresses


def _is_namesake(called: Die, callee: Die) -> bool:
    """Return whether only one of two entries is of an external function, which is not the same one
    although it may have the same name."""
    if list(called.origins())[-1] == list(callee.origins())[-1]:
        return False
    linkage_name = called.linkage_name
    if linkage_name is not None and linkage_name == callee.linkage_name:
        return False
    if not _is_external(called):
        return _is_external(callee) and not called.flag(dw.AT_DECLARATION)
    own_name = callee.linkage_name or callee.name
    return not _is_external(callee) and own_name == (linkage_name or called.name)


def _is_one_function(left: Die, right: Die) -> bool:
    """Return whether two entries are of one function: by their origin, across units by name.

    The declaration of a clone in another unit has only the clone's name (`f.constprop.0`).
    """
    one, other = list(left.origins())[-1], list(right.origins())[-1]
    if one == other:
        return True
    if one.unit is other.unit:
        return False
    if one.name == other.name:
        return True
    linkage_name = left.linkage_name
    return linkage_name is not None and linkage_name == right.linkage_name


def _is_external(function: Die) -> bool:
    return any(entry.flag(dw.AT_EXTERNAL) for entry in function.origins())
