"""Symbols of variables of C++ that only the rules of mangling find: neither the debugging
information nor the program's text has their linkage names (Itanium C++ ABI 5.1)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.comparable import comparable, has_values
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.names.demangle import demangled
from dwarfgpu.dwarf.names.function_paths import (
    TypedPath,
    components,
    without_arguments,
    without_tags,
)
from dwarfgpu.dwarf.names.qualified import exact
from dwarfgpu.dwarf.scope.declarations import qualified
from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.symbols import Symbol

_IDENTIFIER: Final = pattern(r"[^\W\d]\w*")
_TAGS: Final = pattern(r"\[abi:\w+\]")
"""What demanglers show of `__attribute__((abi_tag("cxx11")))`."""


def symbols_of_entry(file: ObjectFile, die: Die) -> tuple[Symbol, ...]:
    """Return the symbols of a variable in a namespace or class, by the names of its scopes and its
    own: of gcc's DWARF 4 and of clang, declared members have no DW_AT_linkage_name."""
    names = qualified(die)
    if all(name.isidentifier() for name in names):
        nested = f"_ZN{''.join(map(_sized, names))}E"
        if plain := file.symbols_named(nested, f"{nested}@"):
            return plain
    own = _sized(names[-1])
    wanted = _compared("::".join(names))
    ending = (file.mangled_symbols(f"{own}{end}") for end in ("E\0", "E@", "B"))
    called = (symbol for symbols in ending for symbol in _called(wanted, symbols))
    return tuple(symbol for symbol in called if _is_of_instance(symbol, die))


def _is_of_instance(symbol: Symbol, die: Die) -> bool:
    """Return whether a symbol is that of a variable in the instance of a template that an entry is
    in, by the types of its values, as far as the entries have them."""
    if not any(map(has_values, qualified(die)[:-1])):
        return True
    # Few names have values.
    from dwarfgpu.dwarf.scope.exact_instances import exact_scope, has_all_types

    whole = demangled(symbol.name.partition("@")[0]) or ""
    return not has_all_types(die) or (*map(exact, components(whole)[:-1]),) == exact_scope(die)


def symbols_outside_namespaces(file: ObjectFile, name: str) -> tuple[Symbol, ...]:
    """Return the symbols of a variable that the compiler mangles: one that is static, or whose type
    has an ABI tag, as `std::string` has."""
    if not name.isidentifier():
        return ()
    own = _sized(name)
    symbols = file.symbols_named(f"_ZL{own}", f"_Z{own}B", f"_ZL{own}B")
    return tuple(_called(name, (symbol for symbol in symbols if symbol.kind != "function")))


def symbols_on_path(file: ObjectFile, path: TypedPath, *, is_full: bool) -> tuple[Symbol, ...]:
    """Return the symbols of variables whose demangled names end in a path, or are it: `ns::y`,
    `f(int)::y`, `vtable for X`. Those with the types of the values in the path are meant, if there
    are any; `UsageError` where all have other ones, and not the same."""
    last = path.components[-1]
    words = _IDENTIFIER.findall(without_tags(without_arguments(last) or last))
    by_types: dict[tuple[str, ...], list[Symbol]] = {}
    for symbol in file.mangled_symbols(_sized(words[-1])) if words else ():
        name = None if symbol.kind == "function" else demangled(symbol.name.partition("@")[0])
        own = [] if name is None else components(name)
        if path.ends(own) and (len(own) == len(path.components) or not is_full):
            by_types.setdefault(path.exact_end(own), []).append(symbol)
    if path.exact not in by_types and len(by_types) > 1:
        from dwarfgpu.dwarf.names.comparable import ambiguous_instance  # few names are so

        shown = (demangled(symbols[0].name) or "" for symbols in by_types.values())
        raise UsageError(ambiguous_instance("::".join(path.components), sorted(shown)))
    return tuple(by_types.get(path.exact) or chain.from_iterable(by_types.values()))


def _sized(name: str) -> str:
    return f"{len(name_bytes(name))}{name}"


def _called(wanted: str, symbols: Iterable[Symbol]) -> Iterable[Symbol]:
    """Yield the variables among symbols that have a whole name."""
    for symbol in symbols:
        name = None if symbol.kind == "function" else demangled(symbol.name.partition("@")[0])
        if name is not None and _compared(_TAGS.sub("", name)) == wanted:
            yield symbol


def _compared(name: str) -> str:
    return comparable(canonical(name))
