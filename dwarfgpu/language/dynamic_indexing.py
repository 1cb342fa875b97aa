"""Dynamic arrays of D and slices of Rust in expressions: their elements, and slices of D, which
arrays have, too."""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.dynamic_arrays import dynamic_array
from dwarfgpu.dwarf.types.type_sizes import strides_of
from dwarfgpu.dwarf.types.types import Array, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION


def array_of(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return the elements of a dynamic array together; any other value as it is. Where nothing is
    evaluated, their number is unknown."""
    parts = dynamic_array(value.type)
    if parts is None:
        return value
    if isinstance(objects, Unevaluated):
        return TypedValue(parts.with_length(None), UNDEFINED_LOCATION, unit=value.unit)
    count, address = (
        objects.known(objects.read(objects.step(value, member))).value
        for member in (parts.length, parts.pointer)
    )
    location = objects.resolver.at(address)
    return TypedValue(parts.with_length(count), location, unit=value.unit)


def slice_of(objects: ObjectAccess, value: TypedValue, low: int, high: int) -> TypedValue:
    """Return `value[low .. high]`: the elements from `low` to before `high`, as in D (spec/arrays,
    "Slicing"). `UsageError` with GDB's wording where there are none such."""
    array = array_of(objects, value)
    bare = strip(array.type)
    if not isinstance(bare, Array) or not bare.dimensions:
        raise UsageError("cannot take slice of non-array")
    count, *rows = bare.dimensions
    strides = strides_of(bare)
    if strides is None:
        raise UsageError("The size of the array's elements is unknown.")
    if not 0 <= low <= high or (count is not None and high > count):
        raise UsageError("slice out of range")
    kind = evolve(bare, dimensions=(high - low, *rows), own_name=None, declared_bits=None)
    return objects.part(array, kind, low * strides[0])
