"""Functions of one name: whether they are overloads, and what distinguishes them in a message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import squeezed
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import is_definition, qualified_name
from dwarfgpu.dwarf.scope.exact_instances import spelled_with_types
from dwarfgpu.dwarf.scope.parameters import parameter_types, qualifiers_of, reference_of
from dwarfgpu.dwarf.scope.scope_entries import entry_of
from dwarfgpu.dwarf.types.types import Type


def are_overloads(functions: Sequence[Die]) -> bool:
    """Return whether functions of one name differ in their parameters, or in what follows them."""
    if len(functions) < 2:
        return False
    types = {(*parameter_types(item, _spelled), *_behind(item)) for item in functions}
    return len(types) > 1


def overloaded(functions: Iterable[Die]) -> str:
    """Return the message that a name means several functions, and which.

    Functions of one name and type, as gcc's two parts of a coroutine are, are listed by symbol.
    """
    by_name: dict[str, list[Die]] = {}
    spellings: dict[Type | None, str] = {}

    def spelled(type_: Type | None) -> str:
        if type_ not in spellings:
            spellings[type_] = _spelled(type_)
        return spellings[type_]

    for function in functions:
        path, types = qualified_name(function), ",".join(parameter_types(function, spelled))
        types = types or "void"  # `f()` would be a call
        behind = " ".join(("", *filter(None, _behind(function))))
        name = f"{path}({types}){behind}"
        by_name.setdefault(f"'{name}'" if "&" in behind else name, []).append(function)
    shown = qualified_name(next(iter(by_name.values()))[0])
    names = [text for name in sorted(by_name) for text in _distinct(name, by_name[name])]
    return f'"{shown}" is overloaded; say which: {"; ".join(names)}'


def overloaded_member(functions: Sequence[Die]) -> str:
    """Return the same of a member function; of another language than C++, where such a name means
    at least a type, without those that have no code where others have."""
    if functions[0].unit.is_cplusplus:
        return overloaded(functions)
    return overloaded([die for die in functions if is_definition(die)] or functions)


def _spelled(type_: Type | None) -> str:
    """Return the text of a type with the types of the values among arguments of templates."""
    shown = spelled_with_types
    return squeezed(type_name(type_, cplusplus=True, shown_as=shown, shown_inside=shown))


def _distinct(name: str, functions: list[Die]) -> list[str]:
    """Return the names of functions of one name and type: that, or quoted symbols of their file, or
    where the code begins that has none."""
    symbols = {text for function in functions if (text := _symbol(function)) is not None}
    return sorted(symbols) if 1 < len(symbols) == len(functions) else [name]


def _symbol(function: Die) -> str | None:
    entry = entry_of(function)
    if entry is None:
        return None
    symbol = entry_symbol(function)
    return f"{function.unit.relocate(entry):#x}" if symbol is None else f"'{symbol}'"


def entry_symbol(function: Die) -> str | None:
    """Return the name of the symbol at the entry of a function; None without code or symbol."""
    entry, sections = entry_of(function), function.unit.sections
    if entry is None:
        return None
    for file in dict.fromkeys((sections.program.loaded, sections.object)):
        symbol = file.symbol_before(entry)
        if symbol is not None and symbol.address == entry:
            return symbol.name
    return None


def _behind(function: Die) -> tuple[str, str]:
    """Return what follows the parameters of a member function, as `const` and `&`. Expressions read
    names with the latter in quotes."""
    return qualifiers_of(function), reference_of(function)
