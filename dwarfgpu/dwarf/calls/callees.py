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

from collections.abc import Iterator, Sequence

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.scope_entries import code_ranges, entry_of
from dwarfgpu.dwarf.unit import CompilationUnit
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
    """Yield the entries with code of a function in a unit."""
    for entry in unit.root.children({dw.TAG_SUBPROGRAM}):
        if _is_one_function(function, entry) and code_ranges(entry):
            yield entry


def _known_to_enter(called: Die, callee: Die) -> bool | None:
    """Return what addresses say; None if they say nothing."""
    if called == callee:
        return True
    own, entry = entry_of(called), entry_of(callee)
    is_own = called.unit.sections.program is callee.unit.sections.program
    if is_own and own is not None:
        return own == entry
    addresses = _symbol_addresses(called, callee, is_own=is_own)
    return entry in addresses if addresses else None


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
    first, second = list(left.origins())[-1], list(right.origins())[-1]
    if first == second:
        return True
    if first.unit is second.unit:
        return False
    if first.name == second.name:
        return True
    linkage_name = left.linkage_name
    return linkage_name is not None and linkage_name == right.linkage_name


def _is_external(function: Die) -> bool:
    return any(entry.flag(dw.AT_EXTERNAL) for entry in function.origins())
