"""The parts of an object to which `dynamic_cast` leads (C++ [expr.dynamic.cast]).

Law: the object decides, by its virtual function table; where its class is unknown, nothing does.
"""

from __future__ import annotations

from dwarfgpu.dwarf.types.types import Member, Struct, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.base_class_casts import Kinship, converted
from dwarfgpu.language.base_classes import is_same_class, ways_to
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.real_types import real_object
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.view.object_printer import space_and_address


def public_part(objects: ObjectAccess, value: TypedValue, target: Type | None) -> TypedValue | None:
    """Return the part with a class of the whole object that contains a value; for `void`, the
    whole, whatever the access to its base classes.

    It is the only part of that class that has the value as a public base class; or else, if the
    value is one of the whole object, the only part, which must be public too. None if there is no
    such part; `UsageError` if the class of the object is unknown.
    """
    real = real_object(objects, value)
    if real is None:
        raise UsageError("Couldn't determine value's most derived type for dynamic_cast")
    whole = real.value
    if target is None or strip(target) is None:
        return whole
    parts = _parts(objects, whole, target)
    around = [part for part in parts if _contains(objects, part, value)]
    if len(around) == 1 and _contains(objects, around[0], value, is_public=True):
        return around[0]
    if len(parts) != 1 or not _contains(objects, whole, value, is_public=True):
        return None
    return next(iter(_parts(objects, whole, target, is_public=True)), None)


def _contains(
    objects: ObjectAccess, whole: TypedValue, value: TypedValue, *, is_public: bool = False
) -> bool:
    """Return whether a value is an object, or a base class of it, maybe through public ones
    only."""
    located = space_and_address(value.location)
    parts = _parts(objects, whole, value.type, is_public=is_public)
    return any(space_and_address(part.location) == located for part in parts)


def _parts(
    objects: ObjectAccess, whole: TypedValue, target: Type | None, *, is_public: bool = False
) -> list[TypedValue]:
    """Return the parts of an object with a class, maybe through public base classes only."""
    if is_same_class(whole.type, target):
        return [whole]
    derived = strip(whole.type)
    if not isinstance(derived, Struct) or target is None:
        return []

    def is_open(step: Member) -> bool:
        return not is_public or step.access == "public"

    ways = ways_to(derived, lambda candidate: is_same_class(candidate, target), is_open)
    return [converted(objects, whole, Kinship(way, is_up=True), target) for way in ways]
