"""Member functions of a class by its name, for names of code: `Derived::f` is every `f` of the
nearest classes that declare one, of that class itself or of its base classes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.function_paths import canonical, split
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.names.type_names import full_name
from dwarfgpu.dwarf.scope.declarations import (
    is_in_unnamed_namespace,
    path_of,
    qualified_name,
)
from dwarfgpu.dwarf.scope.meaning import Meaning
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import TYPES
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Struct, strip
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.language.base_classes import bases
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.names_of_files import meaning_in_file


def member_functions(names: Names, name: str, file: str | None) -> tuple[str, ...]:
    """Return the whole names of the member functions that a name of C++ without parameters means,
    also by a typedef of the class; empty if neither the class nor a base class declares one.

    As in GDB, which looks for code that may run, not for the one function of a call, those of all
    base classes that are equally many steps away, overloads and virtual functions too; of all files
    that have another class of the name, or of a file that is given. `LimitExceeded` if there are
    too many base classes.
    """
    path, parameters = split(name)
    scope, simple = split_last(path)
    if parameters is not None or not scope or not names.language.is_cplusplus:
        return ()
    try:
        level = [*dict.fromkeys(_classes(names, scope, file))]
    except DwarfGpuError:
        return ()
    reached = {*level}
    while level:
        declaring = [item for item in level if _declares(item, simple)]
        if declaring:
            return tuple(dict.fromkeys(f"{full_name(item)}::{simple}" for item in declaring))
        level = [
            base
            for base in dict.fromkeys(base for derived in level for _, base, _ in bases(derived))
            if base not in reached
        ]
        reached.update(level)
        if len(reached) > MAX_CHAIN:
            raise LimitExceeded(f"more than {MAX_CHAIN} base classes")
    return ()


def _classes(names: Names, name: str, file: str | None) -> Iterator[Struct]:
    """Yield the classes of a name: several files may have one each."""
    first = names.meaning(name) if file is None else meaning_in_file(names, name, file)
    yield from _structs(first)
    die = first[0] if first else None
    if file is None and isinstance(die, Die) and is_in_unnamed_namespace(die):
        lookup = names.session.meanings(name)
        lookup.begin(name)
        path = tuple(scope.name for scope in path_of(die))
        for unit in lookup.other_units(path, die.name or "", {die.tag}):
            with suppress(DwarfGpuError):
                yield from _structs(NameLookup((), unit).of(f"::{qualified_name(die)}"))


def _structs(meanings: tuple[Meaning, ...]) -> Iterator[Struct]:
    for die in meanings:
        if isinstance(die, Die) and die.tag in TYPES:
            kind = strip(types_of(die.unit).build(die))
            if isinstance(kind, Struct):
                yield kind


def _declares(struct_type: Struct, simple: str) -> bool:
    """Return whether a class itself declares a member function of a name."""
    meant = canonical(simple)
    return any(canonical(method.name) == meant for method in struct_type.declared.methods)
