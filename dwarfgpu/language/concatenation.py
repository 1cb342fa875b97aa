"""Concatenation: `//` of strings in Fortran (2018 10.1.5.3), `&` of arrays in Ada (2012 4.5.3), `~`
of arrays in D (spec/expression, "Add Expressions")."""

from __future__ import annotations

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import first_of_indexes, is_string
from dwarfgpu.dwarf.types.type_sizes import lost_length, size_bits, strides_of, unpacked
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Struct, Type, strip
from dwarfgpu.errors import UndefinedBits, Unsupported, UsageError
from dwarfgpu.language.arithmetic_conversions import bounded
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits, concatenate

_NO_STRINGS = "Concatenation is of two strings."
_NO_ARRAYS = "Concatenation is of arrays of one type, or of one and an element."


def strings_joined(objects: ObjectAccess, left: TypedValue, right: TypedValue) -> TypedValue:
    """Return two strings of Fortran as one."""
    if not (is_string(left.type) and is_string(right.type)):
        raise UsageError(_NO_STRINGS)
    return joined(objects, left, right, 1)


def is_of_arrays(left: Type | None, right: Type | None) -> bool:
    """Return whether `&` is between arrays or their elements: two integers have the operator of
    GDB, which Ada lacks."""
    return any(_is_part(type_) for type_ in (left, right))


def _is_part(type_: Type | None) -> bool:
    bare = strip(type_)
    is_character = isinstance(bare, Base) and bare.base.encoding in CHARACTERS
    return is_character or isinstance(bare, Array | Struct)


def first_index_of(left: TypedValue, right: TypedValue) -> int | None:
    """Return the first index that arrays of the type of one of two operands of Ada can have; None
    where their types do not say it."""
    firsts = (first_of_indexes(side.type) for side in (left, right))
    return next((first for first in firsts if first is not None), None)


def arrays_joined(
    objects: ObjectAccess, left: TypedValue, right: TypedValue, first_index: int | None
) -> TypedValue:
    """Return two arrays of Ada, or an array and an element, as one array."""
    array = joined(objects, left, right, _lower_bound(left, right, first_index))
    kind, second = strip(array.type), strip(right.type)
    if isinstance(kind, Array) and isinstance(second, Array) and kind.dimensions == (0,):
        return evolve(array, type=evolve(kind, lasts_of_none=second.lasts_of_none))
    return array


def _lower_bound(left: TypedValue, right: TypedValue, first_index: int | None) -> int | None:
    """Return the first index of `left & right` of Ada (2012 4.5.3); None where nothing says it.

    An element has that of an array of itself, `first_index`: the first one of the index subtype.
    """
    first, second = strip(left.type), strip(right.type)
    if isinstance(first, Array) and first.dimensions[:1] == (0,):
        return second.lower_bound if isinstance(second, Array) else first_index
    if not isinstance(first, Array):
        is_literal = is_string(second) and right.unit is None
        return 1 if is_literal else first_index
    return None if first.is_part_of_named else first.lower_bound


def joined(
    objects: ObjectAccess, left: TypedValue, right: TypedValue, lower: int | None
) -> TypedValue:
    """Return two arrays, or an array and an element, as one array with a first index."""
    array = left if isinstance(strip(left.type), Array) else right
    bare = strip(array.type)
    if not isinstance(bare, Array):
        raise UsageError(_NO_ARRAYS)
    left, right = (_as_element(objects, side, bare.element) for side in (left, right))
    counts = [_count(side.type, bare.element) for side in (left, right)]
    size = (size_bits(bare.element) or 0) * sum(counts)
    objects.check_size(size)
    runs = [objects.known(side) for side in (left, right)]
    kind = Array(bare.element, (sum(counts),), lower_bounds=(lower,), indexes=bare.indexes)
    unit = left.unit or right.unit
    return TypedValue(kind, bits=concatenate(runs, objects.context.endian), unit=unit)


def _as_element(objects: ObjectAccess, value: TypedValue, element: Type | None) -> TypedValue:
    """Return an object of the declared type of the elements of a packed array as such an element;
    any other value as it is."""
    own, to = strip(value.type), strip(element)
    if to is None or unpacked(to) is to or not _is_alike(own, to):
        return value
    if size_bits(own) != size_bits(unpacked(to)):
        return value
    size, bits = bounded(size_bits(element) or 0), objects.known(value).value
    is_negative = isinstance(to, Base) and to.base.is_signed and bits >> (size - 1) & 1
    above = (1 << (size_bits(own) or 0)) - (1 << size) if is_negative else 0
    if bits & ~((1 << size) - 1) != above:
        raise UsageError(f"An element of {size} bits does not hold the number.")
    return TypedValue(element, bits=Bits(bits & (1 << size) - 1, size), unit=value.unit)


def is_element(type_: Type | None, of: Type | None) -> bool:
    """Return whether a value is one of the elements of an array, as it is."""
    own, to = strip(type_), strip(of)
    return _is_alike(own, to) and size_bits(own) == size_bits(to)


def _count(type_: Type | None, element: Type | None) -> int:
    """Return how many elements an operand has; `UsageError` where they are of another type, and
    `UndefinedBits` where the number is unknown."""
    bare = strip(type_)
    own = strip(bare.element) if isinstance(bare, Array) else bare
    if not is_element(own, element):
        raise UsageError(_NO_ARRAYS)
    if not isinstance(bare, Array):
        return 1
    count, why = bare.dimensions[0], lost_length(bare)
    if why is not None:
        raise UndefinedBits(why)
    if count is None or len(bare.dimensions) > 1:
        raise UsageError(_NO_ARRAYS)
    if strides_of(bare) != (size_bits(own),):
        raise Unsupported("concatenation of an array whose elements are not side by side")
    return count


def _is_alike(own: Type | None, to: Type | None) -> bool:
    """Return whether elements are of one kind: GDB's type of the characters of a literal is another
    than that of the program."""
    if isinstance(own, Base) and isinstance(to, Base):
        encodings = {own.base.encoding, to.base.encoding}
        return len(encodings) == 1 or encodings <= CHARACTERS
    return isinstance(own, Enum) and isinstance(to, Enum)
