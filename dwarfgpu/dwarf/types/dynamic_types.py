"""Which types depend on the running program, and what descriptors their objects have."""

from __future__ import annotations

from dwarfgpu.dwarf.names.fortran_ada import PARENT, TAG
from dwarfgpu.dwarf.types.type_sizes import innermost_element
from dwarfgpu.dwarf.types.types import Array, Dynamic, Struct, Type, strip


def is_dynamic(type_: Type | None) -> bool:
    """Return whether the type must be resolved before its objects can be read."""
    bare = strip(type_)
    if isinstance(bare, Array):
        bare = innermost_element(bare)
    if isinstance(bare, Struct):
        return bare.size_bytes is None and not bare.is_declaration and bool(bare.members)
    return isinstance(bare, Dynamic)


def may_be_tagged(type_: Type | None) -> bool:
    """Return whether a type begins as the tagged types of Ada do."""
    bare = strip(type_)
    form = bare.form if isinstance(bare, Dynamic) else bare
    return isinstance(form, Struct) and any(m.name in (TAG, PARENT) for m in form.members[:1])


def has_descriptor(kind: Dynamic) -> bool:
    """Return whether an object of the type is a description of the data, which is in another
    object, as those of Fortran."""
    properties = kind.properties
    return any(
        property_ is not None
        for property_ in (properties.data_location, properties.allocated, properties.associated)
    )


def is_descriptor(type_: Type | None) -> bool:
    """Return whether objects of a type describe data that is in another object."""
    bare = strip(type_)
    return isinstance(bare, Dynamic) and has_descriptor(bare)


def is_row(type_: Type | None) -> bool:
    """Return whether a type is an array whose bounds depend on the frame alone."""
    bare = strip(type_)
    form = bare.form if isinstance(bare, Dynamic) else bare
    if not isinstance(form, Array) or not is_dynamic(bare):
        return False
    return not (isinstance(bare, Dynamic) and has_descriptor(bare))
