"""The class before the last `::` in the name of a member of an object: `B` in `o.B::m`."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.scope.named_entries import TYPES
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Struct, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.base_classes import ambiguous_base, class_in, classes_named
from dwarfgpu.language.name_resolution import Names
from dwarfgpu.language.syntax import ast


def naming_class(names: Names, struct_type: Struct, name: str) -> Struct | None:
    """Return the class of an object, or its base class, that a qualified name of a member names:
    one that has that name in the class of the object, else what is a type there, as a typedef is,
    or in the focus (C++ [basic.lookup.classref]). None if these are no class of it.

    `UsageError` if several classes of the object have the name, and it is none of the focus.
    """
    scope = name.removesuffix(f"::{split_last(name)[1]}")
    if not scope:
        return None
    classes = classes_named(struct_type, scope)
    if struct_type in classes:  # which hides a base class of its name
        return struct_type
    if len(classes) == 1:
        return classes[0]
    inside = () if scope.startswith("::") else (partial(_in_class, names, struct_type, scope),)
    for mean in (*inside, partial(_in_focus, names, scope)):
        with suppress(UsageError):
            meant = strip(mean())
            naming = class_in(struct_type, meant) if isinstance(meant, Struct) else None
            if naming is not None:
                return naming
    if classes:
        raise ambiguous_base(struct_type, scope)
    return None


def _in_class(names: Names, struct_type: Struct, scope: str) -> Type | None:
    first = next(iter(names.in_class(struct_type, scope)), None)
    if not isinstance(first, Die) or first.tag not in TYPES:
        return None
    return types_of(first.unit).build(first)


def _in_focus(names: Names, scope: str) -> Type | None:
    return names.type_of(ast.TypeName((scope,))).type
