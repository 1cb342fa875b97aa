"""The class before the last `::` in the name of a member of an object: `B` in `o.B::m`."""

from __future__ import annotations

from contextlib import suppress

from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.names.type_names import full_name
from dwarfgpu.dwarf.types.types import Struct, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.base_classes import ambiguous_base, class_named, classes_named
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
    has_scope = struct_type.name is not None and not scope.startswith("::")
    inside = (f"::{full_name(struct_type)}::{scope}",) if has_scope else ()
    for spelled in (*inside, scope):
        with suppress(UsageError):
            meant = strip(names.type_of(ast.TypeName((spelled,))).type)
            if isinstance(meant, Struct):
                naming = class_named(struct_type, f"::{full_name(meant)}")
                if naming is not None:
                    return naming
    if classes:
        raise ambiguous_base(struct_type, scope)
    return None
