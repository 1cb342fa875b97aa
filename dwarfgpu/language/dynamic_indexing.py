"""Dynamic arrays of D and slices of Rust in expressions: their elements, and slices of
them and of arrays."""

from __future__ import annotations

from collections.abc import Sequence

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.dynamic_arrays import dynamic_array
from dwarfgpu.dwarf.types.type_sizes import size_bits, size_bytes, strides_of
from dwarfgpu.dwarf.types.types import Array, Struct, strip
from dwarfgpu.errors import Malformed, UsageError
from dwarfgpu.language.arithmetic_conversions import bounded
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits, concatenate


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


def sliced_elements(
    objects: ObjectAccess, value: TypedValue, low: int, high: int | None
) -> TypedValue:
    """Return `value[low .. high]`: the elements from `low` to before `high`, or to the end, as in D
    (spec/arrays, "Slicing"). `UsageError` with GDB's wording where there are none such."""
    array = array_of(objects, value)
    bare = strip(array.type)
    if not isinstance(bare, Array) or not bare.dimensions:
        raise UsageError("cannot take slice of non-array")
    count, *rows = bare.dimensions
    strides = strides_of(bare)
    if strides is None:
        raise UsageError("The size of the array's elements is unknown.")
    high = count if high is None else high
    if high is None and not isinstance(objects, Unevaluated):
        raise UsageError("The number of the array's elements is unknown.")
    require_range(low, high, count)
    length = None if high is None else high - low
    kind = evolve(
        bare, dimensions=(length, *rows), is_value=True, own_name=None, declared_bits=None
    )
    return objects.part(array, kind, low * strides[0])


def require_range(low: int, high: int | None, count: int | None) -> None:
    """Raise `UsageError` for elements that an array has not; None is an unknown number of them."""
    most = count if high is None else high
    if low < 0 or (most is not None and low > most):
        raise UsageError("slice out of range")
    if high is not None and count is not None and high > count:
        raise UsageError("slice out of range")


def smaller_slice(
    objects: ObjectAccess, value: TypedValue, low: int, high: int | None
) -> TypedValue | None:
    """Return a part of a slice or a `str` of Rust, which is one, too; None for any other value."""
    parts, bare = dynamic_array(value.type), strip(value.type)
    if parts is None or not isinstance(bare, Struct):
        return None
    if not (bare.name or "").startswith("&"):  # a Box, whose slice is none
        array = array_of(objects, value)
        kind = strip(array.type)
        if parts.is_text and isinstance(kind, Array) and kind.dimensions[0] is not None:
            array = evolve(array, type=parts.shown_with_length(kind.dimensions[0]))
        return sliced_elements(objects, array, low, high)
    if isinstance(objects, Unevaluated):
        return TypedValue(value.type, UNDEFINED_LOCATION, unit=value.unit)
    count, address = (
        objects.known(objects.read(objects.step(value, member))).value
        for member in (parts.length, parts.pointer)
    )
    high = count if high is None else high
    require_range(low, high, count)
    address += low * (size_bytes(parts.element) or 0)
    numbers = [high - low if member is parts.length else address for member in bare.members]
    return with_members(objects, value, numbers)


def with_members(objects: ObjectAccess, value: TypedValue, numbers: Sequence[int]) -> TypedValue:
    """Return a structure like another one whose members, which have no gaps, are numbers."""
    bare = strip(value.type)
    assert isinstance(bare, Struct)
    sizes = [bounded(size_bits(member.type) or 0) for member in bare.members]
    if len(sizes) != len(numbers) or sum(sizes) != size_bits(bare):
        raise Malformed(f"the type {bare.name} has other members than a slice")
    runs = [
        Bits(number & (1 << size) - 1, size) for number, size in zip(numbers, sizes, strict=True)
    ]
    bits = concatenate(runs, objects.context.endian)
    return TypedValue(value.type, bits=bits, unit=value.unit)
