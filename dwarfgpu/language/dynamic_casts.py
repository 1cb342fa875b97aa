"""The parts of an object to which `dynamic_cast` leads (C++ [expr.dynamic.cast]).

Law: the object decides, by its virtual function table; where its class is unknown, nothing does.
"""

from __future__ import annotations

from dwarfgpu.dwarf.types.types import Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.base_class_casts import converted, is_same_class, way_up
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.real_types import real_object
from dwarfgpu.language.typed_value import TypedValue


def public_part(objects: ObjectAccess, value: TypedValue, target: Type | None) -> TypedValue | None:
    """Return the only part with a class of the whole object that contains a value; for `void`, the
    whole.

    None if it has no such part, or a base class on the way is not public; `UsageError` if the class
    of the object is unknown.
    """
    real = real_object(objects, value)
    if real is None:
        raise UsageError("Couldn't determine value's most derived type for dynamic_cast")
    whole = real.value
    if not _is_public(whole.type, value.type):
        return None
    if target is None or strip(target) is None or is_same_class(whole.type, target):
        return whole
    way = way_up(whole.type, target)
    if way is None or not _is_public(whole.type, target):
        return None
    return converted(objects, whole, way, target)


def _is_public(derived: Type | None, base: Type | None) -> bool:
    """Return whether all steps on the way to a base class are public."""
    way = way_up(derived, base)
    return way is None or all(step.access == "public" for step in way.steps)
