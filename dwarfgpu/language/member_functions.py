"""Member functions of a class by its name, for names of code: `Derived::f` is every `f` of the
nearest classes that declare one, of that class itself or of its base classes."""

from __future__ import annotations

from typing import Protocol

from dwarfgpu.dwarf.names.function_paths import canonical, split
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.names.type_names import full_name
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.language.base_classes import bases
from dwarfgpu.language.syntax.ast import TypeName
from dwarfgpu.language.syntax.cursor import Known


class _Typed(Protocol):
    @property
    def type(self) -> Type | None: ...


class Names(Known, Protocol):
    """What a lookup of names for a focus answers."""

    def type_of(self, name: TypeName) -> _Typed:
        """Return the type that a type name denotes."""


def member_functions(names: Names, name: str) -> tuple[str, ...]:
    """Return the whole names of the member functions that a name of C++ without parameters means,
    also by a typedef of the class; empty if neither the class nor a base class declares one.

    As in GDB, which looks for code that may run, not for the one function of a call, those of all
    base classes that are equally many steps away, overloads and virtual functions too.
    `LimitExceeded` if there are too many base classes.
    """
    path, parameters = split(name)
    scope, simple = split_last(path)
    if parameters is not None or not scope or not names.language.is_cplusplus:
        return ()
    try:
        struct_type = strip(names.type_of(TypeName((scope,))).type)
    except DwarfGpuError:
        return ()
    level = [struct_type] if isinstance(struct_type, Struct) else []
    reached = {*level}
    while level:
        declaring = [item for item in level if _declares(item, simple)]
        if declaring:
            return tuple(f"{full_name(item)}::{simple}" for item in declaring)
        level = [
            base
            for base in dict.fromkeys(base for derived in level for _, base, _ in bases(derived))
            if base not in reached
        ]
        reached.update(level)
        if len(reached) > MAX_CHAIN:
            raise LimitExceeded(f"more than {MAX_CHAIN} base classes")
    return ()


def _declares(struct_type: Struct, simple: str) -> bool:
    """Return whether a class itself declares a member function of a name."""
    meant = canonical(simple)
    return any(canonical(method.name) == meant for method in struct_type.declared.methods)
