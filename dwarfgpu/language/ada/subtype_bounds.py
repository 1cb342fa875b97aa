"""Subtypes of Ada whose bounds are in variables of the program, with the bounds that they have."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.types.dynamic_properties import ComputedRange
from dwarfgpu.dwarf.types.dynamic_types import is_row
from dwarfgpu.dwarf.types.types import (
    Base,
    Dynamic,
    Enum,
    Pointer,
    Type,
    Typedef,
    denoted,
    renamed,
    strip,
)
from dwarfgpu.errors import DwarfGpuError, MissingContext
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.model.location import UNDEFINED_LOCATION

_DEEPEST: Final = 20
"""Pointers to pointers."""


def with_bounds(objects: ObjectAccess, type_: Type | None, depth: int = 0) -> Type | None:
    """Return a type with the bounds that it has in the frame in focus, also that to which it
    points; without a frame the type itself. Raise why a bound of a scalar type is optimized out."""
    known = denoted(type_)
    bare = known.bare
    if isinstance(bare, Pointer) and depth < _DEEPEST:
        target = with_bounds(objects, bare.target, depth + 1)
        return type_ if target is bare.target else renamed(type_, evolve(bare, target=target))
    if isinstance(bare, Dynamic):
        with suppress(DwarfGpuError):
            return array_with_bounds(objects, type_)
        return type_
    values = bare.range if isinstance(bare, Base) else known.range
    if not isinstance(values, ComputedRange):
        return type_
    try:
        constant = objects.resolver.range(values)
    except MissingContext:
        return type_
    if isinstance(bare, Base):
        return renamed(type_, evolve(bare, range=constant))
    return Typedef(values.name, type_, range=constant) if isinstance(bare, Enum) else type_


def array_with_bounds(objects: ObjectAccess, type_: Type | None) -> Type | None:
    """Return an array type with the bounds that it has in the frame in focus; any other type, and
    an array type whose bounds depend on the object, as it is. Raise why a bound is optimized
    out."""
    bare = strip(type_)
    if not isinstance(bare, Dynamic) or not is_row(bare):
        return type_
    sources = [measure.source for measure in bare.properties.computed()]
    if any(isinstance(source, Die) and source.tag == dw.TAG_MEMBER for source in sources):
        return type_  # a discriminant
    return objects.resolver.resolved(type_, UNDEFINED_LOCATION).type
