"""Find described variables by the names of their symbols."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from typing import Final

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.index.units_by_name import mentioning_units
from dwarfgpu.dwarf.loaded_code import CodeObjects, as_code_objects
from dwarfgpu.dwarf.names.demangle import MANGLED, demangled
from dwarfgpu.dwarf.names.qualified import canonical, exact, parts, split_last
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.exact_instances import exact_name, exact_scope
from dwarfgpu.dwarf.scope.functions_by_name import functions_named
from dwarfgpu.dwarf.scope.global_variables import own_globals_of
from dwarfgpu.dwarf.scope.imports import searched_units
from dwarfgpu.dwarf.scope.symbols_by_name import (
    fixed_number,
    kind_of_symbol,
    symbol_files,
)
from dwarfgpu.dwarf.scope.variable import Variable, variables_below
from dwarfgpu.dwarf.scope.variable_names import instance_name, symbol_name, variable_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import ConstValue

_MAX_KEPT: Final = 64
"""Names for which it is kept whether symbols have them."""


def linked_variable(code_objects: Iterable[CodeObject], name: str) -> Variable | None:
    """Return the global variable of the symbol with a name that its entry has as its linkage name
    alone: `int x asm("y")`. None if there is none, or if there are several.

    A unit that cannot be read is passed over: the search for the name itself reports it.
    """
    is_mangled = name.startswith(MANGLED)  # a value has no symbol
    if not is_mangled and not _is_of_data(as_code_objects(code_objects).in_load_order, name):
        return None
    with_symbol = (one for one in code_objects if is_mangled or _has_data(one, name))
    return _only(
        (item for item in _named(info, name) if item.die.linkage_name == name)
        for info in (code_object.info for code_object in with_symbol)
    )


@kept_with(first, _MAX_KEPT)
def _is_of_data(code_objects: CodeObjects, name: str) -> bool:
    """Return whether files have a symbol of a name that is no function: each of thousands of waves
    may ask."""
    return any(_has_data(code_object, name) for code_object in code_objects)


def _has_data(code_object: CodeObject, name: str) -> bool:
    return any(
        symbol.kind != "function"
        for file in symbol_files(code_object)
        for symbol in file.symbols_named(name)
    )


def instance_named(code_objects: Iterable[CodeObject], name: str) -> Variable | None:
    """Return the same by the whole name of an instance of a template, `K::v<int>`, which only its
    linkage name has: it has no symbol where its entry has a value."""
    simple, wanted = split_last(name)[1].partition("<")[0], canonical(name.removeprefix("::"))
    return _only(
        _with_types(
            name,
            [
                item
                for item in _named(info, simple, {simple})
                if canonical(variable_name(item.die)) == wanted
            ],
        )
        for info in (code_object.info for code_object in code_objects)
    )


def _with_types(name: str, variables: list[Variable]) -> Iterable[Variable]:
    """Return the instances with the types of the values in a name, or else those in the scopes with
    these; all if none differs in these types."""
    typed = tuple(exact(part.text) for part in parts(name))
    named = [(_exact_path(item.die), item) for item in variables]
    exactly = [item for own, item in named if own == typed]
    beside = [item for own, item in named if own[:-1] == typed[:-1]]
    for meant in (exactly, beside):
        if meant:
            return meant
    return variables if len({own for own, _ in named}) == 1 else ()


def _exact_path(die: Die) -> tuple[str, ...]:
    return *exact_scope(declaration_of(die)), exact_name(die)


def _named(info: DebugInfo, text: str, names: Collection[str] | None = None) -> Iterator[Variable]:
    """Yield the global variables, those of some simple names alone, of the units that mention a
    text."""
    visited: set[CompilationUnit] = set()
    for unit in mentioning_units(info, text):
        with suppress(DwarfGpuError):
            for searched in searched_units(unit, visited):
                yield from own_globals_of(searched, names)


def _only(of_files: Iterable[Iterable[Variable]]) -> Variable | None:
    """Return the only variable of one linkage name in files. Each unit has an entry of an inline
    one of C++, and so may each file: the linker binds the name in the first one."""
    taken: Variable | None = None
    for variables in of_files:
        for variable in variables:
            if taken is not None and not (taken.is_external and variable.is_external):
                return None
            taken = taken or variable
    return taken


def static_variable(code_objects: Iterable[CodeObject], name: str) -> Variable | None:
    """Return the static variable of a function of C++ that is at the symbol with a name. Several
    blocks of the function may have one of its own name: `_ZZ1fvE1x` and `_ZZ1fvE1x_0`.

    None if none is described there.
    """
    from dwarfgpu.dwarf.names.demangle import demangled  # few names are written so

    function, simple = split_last(demangled(name) or "")
    for code_object in code_objects:
        numbers = {
            (symbol.kind, symbol.address)
            for file in symbol_files(code_object)
            for symbol in file.symbols_named(name)
            if symbol.is_in_section
        }
        if not numbers:
            continue
        for named in functions_named(code_object, function):
            for variable in variables_below(named.die):
                kind = kind_of_symbol(variable) if variable.name == simple else None
                if kind is not None and (kind, fixed_number(variable, kind)) in numbers:
                    return variable
        break  # the dynamic linker binds the name to this one
    return None


def address_of_constant(code_objects: Iterable[CodeObject], variable: Variable) -> int | None:
    """Return the address, as loaded, of a global variable of C++ that its entry describes by a
    value alone, as compilers do with constants that are instances of templates: that of the only
    symbol with its name in its file. None if there is none, or if there are several."""
    if variable.kind != "global" or not isinstance(variable.location, ConstValue):
        return None
    name = symbol_name(variable.die)
    addresses = {
        symbol.address + code_object.load_address
        for code_object in code_objects
        if name is not None and code_object.info is variable.unit.info.main
        for file in symbol_files(code_object)
        for symbol in file.symbols_named(name)
        if symbol.is_in_section and symbol.kind == "object"
    }
    if name is None and variable.die.unit.is_cplusplus:
        addresses = _addresses_by_whole_name(code_objects, variable.die)
    return addresses.pop() if len(addresses) == 1 else None


def _addresses_by_whole_name(code_objects: Iterable[CodeObject], die: Die) -> set[int]:
    """Return the addresses of the global symbols of an instance of a template that clang describes:
    its entry has the arguments, but no linkage name."""
    if instance_name(die) is None or die.name is None:
        return set()
    simple, whole = die.name.partition("<")[0], canonical(variable_name(die))
    return {
        symbol.address + code_object.load_address
        for code_object in code_objects
        if code_object.info is die.unit.info.main
        for file in symbol_files(code_object)
        for symbol in file.mangled_symbols(f"{len(name_bytes(simple))}{simple}I")
        if symbol.is_in_section and symbol.kind == "object" and not symbol.is_local
        if canonical(demangled(symbol.name) or "") == whole
    }


def address_of_instance(code_objects: Iterable[CodeObject], constant: Variable) -> int | None:
    """Return the same of an instance without a linkage name; None of any other constant: as in GDB,
    these are described by their value."""
    if constant.die.linkage_name is not None:
        return None
    return address_of_constant(code_objects, constant)
