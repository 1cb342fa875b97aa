"""Array expressions: `{1, 2}` and `x@8`."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.constants import WITH_TYPES_OF_C
from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import (
    element_type,
    size_bits,
    size_bytes,
    spacing_bits,
)
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    Array,
    Function,
    Pointer,
    Type,
    strip,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import Number
from dwarfgpu.language.builtin_types import INT_BITS
from dwarfgpu.language.declarators import array_of
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.other_units import require_one_instance
from dwarfgpu.language.typed_value import TypedValue, is_in_register
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.vectors import contents
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.model.storage import Memory


def elements(objects: ObjectAccess, values: list[TypedValue]) -> TypedValue:
    """Return `{1, 2}`: an array with the type of the first element, as in GDB.

    `LimitExceeded` for a larger array than may be read, or for too many elements.
    """
    objects.count_parts(len(values))
    first = values[0]
    if any(value.size_bits != first.size_bits for value in values):
        raise UsageError("array elements must all be the same size")
    whole_bits = len(values) * (first.size_bits or 0)
    objects.check_size(whole_bits)
    bits = Bits(0, whole_bits)
    if not isinstance(objects, Unevaluated):
        bits = concatenate([contents(objects, value) for value in values], objects.context.endian)
    return TypedValue(Array(first.type, (len(values),)), bits=bits, unit=first.unit)


def require_same_array(value: TypedValue, to: Type | None) -> None:
    """Raise `UsageError` if a value is an array of C, and `to` an array of another type: as in GDB,
    it decays into a pointer then."""
    from_ = strip(value.type)
    if not isinstance(from_, Array) or not isinstance(to, Array) or from_.is_vector or to.is_vector:
        return
    is_of_c = value.unit is None or value.unit.style in WITH_TYPES_OF_C
    if is_of_c and not (
        from_.dimensions == to.dimensions
        and type_name(strip(from_.element)) == type_name(strip(to.element))
    ):
        raise UsageError("Invalid cast.")


_OF_RUST: Final = ("&", "alloc::boxed::Box<")
"""How the names of pointers begin whose index Rust takes for that of what they point to."""


def indexed_array(
    objects: ObjectAccess, value: TypedValue, unit: CompilationUnit | None
) -> TypedValue:
    """Return the array that is indexed in place of a pointer to one in Go, or the array or slice in
    place of a reference to one or a `Box` of one in Rust, in a unit (The Go Programming Language
    Specification, "Index expressions"; The Rust Reference, "Array and slice indexing expressions");
    any other value as it is.

    A raw pointer of Rust has no elements there: its index is that of C.
    """
    language = None if unit is None else unit.language
    if language not in (dw.LANG_GO, dw.LANG_RUST):
        return value
    from dwarfgpu.dwarf.types.dynamic_arrays import dynamic_array  # few programs

    array = value
    for _ in range(MAX_CHAIN):
        bare = strip(array.type)
        if not isinstance(bare, Pointer):
            has_elements = isinstance(bare, Array) or dynamic_array(bare) is not None
            return array if has_elements else value
        if language == dw.LANG_GO and not isinstance(strip(bare.target), Array):
            break
        if language == dw.LANG_RUST and not _is_reference(bare):
            break
        array = objects.dereferenced(array)
    return value


def _is_reference(pointer: Pointer) -> bool:
    """Return whether a pointer of Rust is a reference or a `Box`: one that `&x` makes has no
    name."""
    if pointer.own_name is None:
        return isinstance(strip(pointer.target), Array)
    return pointer.own_name.startswith(_OF_RUST)


def require_element(array: TypedValue, index: int) -> None:
    """Raise `UsageError` for an index outside of the known bounds of an array."""
    bare = strip(array.type)
    if not isinstance(bare, Array) or bare.lower_bound is None:
        return
    count, distance = bare.dimensions[0], index - bare.lower_bound
    if distance < 0 or (count is not None and distance >= count):
        raise UsageError("no such vector element")


def array_without_length(type_: Type | None) -> Array | None:
    """Return the type `type[]`, whose elements have a size; None for any other type."""
    bare = strip(type_)
    if not isinstance(bare, Array) or bare.is_vector or bare.lost_length or bare.attribute:
        return None
    is_open = bare.dimensions[:1] == (None,) and bool(size_bits(element_type(bare)))
    return bare if is_open else None


def as_elements(objects: ObjectAccess, value: TypedValue, array: Array) -> TypedValue:
    """Return the contents of a value as an array that had no length: of as many elements as fit.

    As in GDB it is a computed value, which is nowhere in memory. `UsageError` if the value has no
    size.
    """
    whole, element = value.size_bits, size_bits(element_type(array))
    if whole is None or not element or isinstance(strip(value.type), Function):
        raise UsageError("Invalid cast.")
    counted = evolve(array, dimensions=(whole // element, *array.dimensions[1:]))
    read = objects.read(value)
    computed = TypedValue(
        read.type, bits=read.bits, pointer=read.pointer, error=read.error, notes=read.notes
    )
    return objects.part(computed, counted, 0)


def repeated(
    value: TypedValue,
    number: Number,
    container: TypedValue | None = None,
    *,
    is_unevaluated: bool = False,
    first_index: int = 0,
) -> TypedValue:
    """Return `x@8`: the array of 8 objects that starts at x.

    `container`: the array that has `x` as an element. Outside of memory nothing follows an object,
    except the later elements of such an array. `is_unevaluated`: only the type is wanted.
    `first_index`: that of the array in the language of the expression.
    """
    if number.is_float:
        raise UsageError('Non-integral right operand for "@" operator.')
    count = number.value.integer
    if not -(1 << INT_BITS - 1) <= count < 1 << INT_BITS - 1:
        raise UsageError("Value out of range.")
    if count <= 0:
        raise UsageError(f"Invalid number {count} of repetitions.")
    singles = () if value.location is None else value.location.single_locations
    is_in_memory = bool(singles) and all(isinstance(part.storage, Memory) for part in singles)
    is_in_memory = is_in_memory and not is_in_register(value)
    is_inside = is_in_memory or (container is not None and _has_elements(container, value, count))
    is_inside = is_inside or is_unevaluated
    if value.bit_size is not None:
        raise UsageError("A bit-field cannot be extended with '@'.")
    if not is_inside:
        raise UsageError("Only values in memory can be extended with '@'.")
    if size_bytes(value.type) is None:
        require_one_instance(value.type)
        raise UsageError("The size of the object is unknown, so it cannot be repeated.")
    array = array_of(value.type, count)
    if first_index:
        array = _with_bound(value, count, first_index)
    return TypedValue(
        array,
        value.location,
        unit=value.unit,
        source_space=value.source_space,
        notes=value.notes,
    )


def _with_bound(value: TypedValue, count: int, first_index: int) -> Array:
    """Return an array of objects with a first index; in Fortran, of arrays, one with a dimension
    more."""
    inner = strip(value.type)
    is_fortran = value.unit is not None and value.unit.style == "fortran"
    if not isinstance(inner, Array) or not is_fortran or is_string(inner):
        return Array(value.type, (count,), lower_bounds=(first_index,))
    known = len(inner.dimensions)
    strides = inner.strides_bits or (None,) * known
    return evolve(
        inner,
        dimensions=(count, *inner.dimensions),
        strides_bits=(spacing_bits(inner), *strides),
        lower_bounds=(first_index, *(inner.lower_bounds or (0,) * known)),
        attribute="",
        declared_bits=None,
    )


def _has_elements(container: TypedValue, first: TypedValue, count: int) -> bool:
    """Return whether an array that is not in memory has `count` elements from `first` on."""
    if container.location is None or first.location is None:
        return False
    whole, part = container.location.single_locations[0], first.location.single_locations[0]
    end_bits = part.bit_offset - whole.bit_offset + count * (first.size_bits or 0)
    return whole.storage == part.storage and end_bits <= (container.size_bits or 0)
