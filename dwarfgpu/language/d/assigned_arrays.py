"""Assignment to arrays of D (spec/arrays, "Array Assignment", "Array Copying", "Array Setting")."""

from __future__ import annotations

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.dynamic_arrays import DynamicArray, dynamic_array
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Struct, Type, strip
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.concatenation import is_element
from dwarfgpu.language.dynamic_indexing import array_of, with_members
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import single_location_in
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.model.storage import Memory


def assigned(arithmetic: Arithmetic, target: TypedValue, value: TypedValue) -> TypedValue:
    """Return what an array becomes: of a dynamic one the slice of an array in memory, of another
    the elements of an array of its length, or of one element for each.

    Any other value stays as it is. `UsageError` for elements of another type or another number of
    them; `Unsupported` for a slice of what is in no memory.
    """
    parts, bare = dynamic_array(target.type), strip(target.type)
    if parts is not None:
        return _slice(arithmetic, target, parts, value)
    if not isinstance(bare, Array) or len(bare.dimensions) != 1 or bare.is_vector:
        return value
    array = array_of(arithmetic.objects, value)
    from_, count = strip(array.type), bare.dimensions[0]
    if isinstance(from_, Array):
        _require_element(from_.element, bare.element)
        if None not in (count, from_.dimensions[0]) and count != from_.dimensions[0]:
            raise UsageError(f"The arrays have {count} and {from_.dimensions[0]} elements.")
        return array
    if count is None or isinstance(strip(bare.element), Array | Struct):
        return value
    size = size_bits(bare.element) or 0
    arithmetic.objects.check_size(count * size)
    one = arithmetic.cast(value, bare.element)
    if isinstance(arithmetic.objects, Unevaluated):
        return target  # only the type is wanted, and it may have any size
    element = Bits(arithmetic.objects.known(one).value, size)
    bits = concatenate([element] * (count if size else 0), arithmetic.objects.context.endian)
    return TypedValue(target.type, bits=bits, unit=target.unit)


def _slice(
    arithmetic: Arithmetic, target: TypedValue, parts: DynamicArray, value: TypedValue
) -> TypedValue:
    """Return the length and the address of an array as a dynamic array."""
    own, from_ = dynamic_array(value.type), strip(value.type)
    if own is not None:
        _require_element(own.element, parts.element)
    if not isinstance(from_, Array):
        return value
    _require_element(from_.element, parts.element)
    single = single_location_in(value.location)
    in_memory = single is not None and isinstance(single.storage, Memory)
    address = single.byte_address if single is not None and in_memory else None
    if address is None:
        raise Unsupported("an array that is written out is in no memory of the program")
    bare, count = strip(target.type), from_.dimensions[0]
    if count is None or len(from_.dimensions) != 1:
        raise UsageError("The number of the array's elements is unknown.")
    assert isinstance(bare, Struct)
    numbers = [count if member is parts.length else address for member in bare.members]
    return with_members(arithmetic.objects, target, numbers)


def _require_element(own: Type | None, to: Type | None) -> None:
    """Raise `UsageError` for elements that are none of an array."""
    first, second = strip(own), strip(to)
    alike = is_element(own, to) or type_name(first) == type_name(second)
    if first is not second and not alike:
        names = [type_name(one) if one else "void" for one in (first, second)]
        raise UsageError(f"An array of {names[0]} is none of {names[1]}.")
