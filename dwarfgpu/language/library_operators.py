"""Overloaded operators of the standard library's classes, whose results are known without a call.

They are `[]` of containers, and `*` and `->` of smart pointers.
"""

from __future__ import annotations

from dwarfgpu.dwarf.types.types import Struct, Type, strip
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_number
from dwarfgpu.language.class_operators import has_method
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION


def container_element(
    objects: ObjectAccess, arithmetic: Arithmetic, value: TypedValue, index: TypedValue
) -> TypedValue | None:
    """Return `value[index]` of a container; None for other values."""
    if not _has_operator(objects, value, "[]") or not is_number(index.type):
        return None
    unread = _unread(objects, value, "[]")
    if unread is not None:
        return unread
    from dwarfgpu.language.containers import element_of  # it loads the printers

    return element_of(objects, value, arithmetic.number(index).value.integer)


def smart_pointee(objects: ObjectAccess, value: TypedValue, operator: str) -> TypedValue | None:
    """Return the object to which a smart pointer leads, by `*` or `->`; None for other values."""
    if not _has_operator(objects, value, operator):
        return None
    unread = _unread(objects, value, operator)
    if unread is not None:
        return unread
    from dwarfgpu.language.containers import pointee_of  # it loads the printers

    return pointee_of(objects, value, operator)


def _has_operator(objects: ObjectAccess, value: TypedValue, operator: str) -> bool:
    kind = strip(value.type)
    if not isinstance(kind, Struct) or not has_method(kind, f"operator{operator}"):
        return False
    # Of any other class, the function has the type of the result.
    return not isinstance(objects, Unevaluated) or kind.scope.startswith("std::")


def _unread(objects: ObjectAccess, value: TypedValue, operator: str) -> TypedValue | None:
    """Return a value that has only the operator's result type, where nothing is evaluated."""
    if not isinstance(objects, Unevaluated):
        return None
    from dwarfgpu.language.containers import operand_type  # it loads the printers

    type_: Type | None = operand_type(value.type, operator)
    if type_ is None:
        return None
    return TypedValue(type_, UNDEFINED_LOCATION, unit=value.unit)
