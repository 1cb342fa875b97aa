"""What becomes a structure of Go, as its strings, slices and interfaces are (The Go Programming
Language Specification, "Assignability")."""

from __future__ import annotations

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.go_kinds import SLICE, STRING, go_kind
from dwarfgpu.dwarf.types.types import Array, Struct, Type, strip
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.dynamic_indexing import with_members
from dwarfgpu.language.go.converted_structures import (
    as_nil_or_interface,
    have_one_form,
    spelled_type,
)
from dwarfgpu.language.go.slices_and_strings import (
    array_of,
    capacity_of,
    is_string,
)
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.location import single_location_in
from dwarfgpu.model.storage import Memory


def as_stored(arithmetic: Arithmetic, target: TypedValue, value: TypedValue) -> TypedValue:
    """Return what is stored in a structure to which a value is assigned, as a string, a slice and
    an interface are; for other targets the value as it is.

    `Unsupported` for what only the program can make, and `UsageError` for a value of another type.
    """
    bare, kind = strip(target.type), go_kind(target.type)
    if not isinstance(bare, Struct):
        return value
    if (nil := as_nil_or_interface(value, target)) is not None:
        return nil
    from_ = strip(value.type)
    if isinstance(from_, Struct):
        if kind == go_kind(from_) == SLICE:
            _require_one_element(arithmetic.objects, target, value)
        elif not have_one_form(from_, bare):
            raise UsageError(_no_assignment(target, value))
        return value
    if kind not in (SLICE, STRING):
        return value
    if not isinstance(from_, Array) or is_string(value) != (kind == STRING):
        raise UsageError(_no_assignment(target, value))
    if kind == SLICE:
        _require_one_element(arithmetic.objects, target, value)
    single, room = single_location_in(value.location), capacity_of(value)
    if single is None or not isinstance(single.storage, Memory) or single.byte_address is None:
        raise Unsupported("what is written out is in no memory of the program")
    if room is None or (count := from_.dimensions[0]) is None:
        raise UsageError(_no_assignment(target, value))  # an array
    return with_members(arithmetic.objects, target, [single.byte_address, count, room])


def _no_assignment(target: TypedValue, value: TypedValue) -> str:
    return f"Go does not assign {spelled_type(value)} to {spelled_type(target)}."


def _require_one_element(objects: ObjectAccess, target: TypedValue, value: TypedValue) -> None:
    """Raise `UsageError` for elements that are none of a slice."""
    own, to = (strip(array_of(objects, side).type) for side in (value, target))
    assert isinstance(own, Array) and isinstance(to, Array)
    if strip(own.element) is not strip(to.element) and (
        _spelled(own.element) != _spelled(to.element)
    ):
        raise UsageError(f"A slice of {_spelled(own.element)} is none of {_spelled(to.element)}.")


def _spelled(type_: Type | None) -> str:
    return "void" if type_ is None else type_name(type_)
