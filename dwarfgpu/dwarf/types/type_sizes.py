"""Sizes of types, and where the elements of an array are (DWARF 5 chapter 5).

Law: every walk is a loop with a bound, so that no type makes it endless.
"""

from __future__ import annotations

from typing import Final, assert_never

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.chains import End, ends_of
from dwarfgpu.base.records import evolve, force_setattr
from dwarfgpu.dwarf.types.types import (
    MAX_CHAIN,
    MAX_TYPE_BITS,
    Absent,
    Array,
    BareType,
    Base,
    Contents,
    Dynamic,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
    Unspecified,
    strip,
)
from dwarfgpu.errors import DwarfGpuError, IllFormed, LimitExceeded, counted, shown

MAX_DIMENSIONS: Final = 100
"""Dimensions of an array that has a size."""


def size_bytes(type_: Type | None) -> int | None:
    """Return the size of an object of the type in bytes, rounded up; None if unknown."""
    size = size_bits(type_)
    return None if size is None else (size + 7) // 8


def size_bits(type_: Type | None) -> int | None:
    """Return the size of an object of the type in bits; None if unknown (void, incomplete).

    `IllFormed` if it exceeds every address space.
    """
    bare = strip(type_) if isinstance(type_, Typedef | Qualified) else type_
    if not isinstance(bare, Array):
        size = _bits_of_one(bare)
    elif bare.declared_bits is None and None in bare.dimensions:
        return 0 if 0 in bare.dimensions else None
    else:
        size = _known(_contents(bare).size_bits)
    if size is not None and not 0 <= size <= MAX_TYPE_BITS:
        raise _too_large(size)
    return size


def _bits_of_one(bare: BareType | None) -> int | None:
    """Return the size of a type that is no array in bits."""
    match bare:
        case None | Function() | Dynamic() | Array():
            return None
        case Absent():
            return 0
        case Base():
            return bare.size_bits
        case Enum(packed_bits=int() as packed):
            return packed
        case Pointer() | MemberPointer() | Enum() | Struct() | Unspecified():
            return None if bare.size_bytes is None else bare.size_bytes * 8
        case other:
            assert_never(other)


def _known(size: int | DwarfGpuError | None) -> int | None:
    if isinstance(size, DwarfGpuError):
        raise size.anew()
    return size


def _contents(array_type: Array) -> Contents:
    return _end_of(array_type).get()


def _end_of(array_type: Array) -> End[Contents]:
    """Return what is in an array, which is determined once, however many arrays it is in."""
    if array_type.contents is None:
        ends = ends_of(array_type, _element_contents, MAX_CHAIN, _too_many, _contents_with)
        for passed, end in ends.items():
            force_setattr(passed, "contents", end)
    assert array_type.contents is not None
    return array_type.contents


def _element_contents(array_type: Array) -> Array | End[Contents]:
    element = strip(array_type.element)
    if isinstance(element, Array):
        return element.contents or element
    return End(Contents(element, _bits_of_one(element)))


_TOO_MANY: Final = LimitExceeded(f"more than {MAX_CHAIN} arrays are in one another")


def _too_many(_: Array) -> LimitExceeded:
    return _TOO_MANY


def _contents_with(array_type: Array, inner: Contents) -> Contents:
    """Return what is in an array, from what is in one of its elements."""
    size: int | DwarfGpuError | None
    try:
        size = _array_bits(array_type, inner)
    except DwarfGpuError as error:
        size = error.anew()
    why = inner.lost_length if array_type.lost_length is None else array_type.lost_length
    empty = array_type if 0 in array_type.dimensions else inner.empty
    return Contents(inner.element, size, why, empty)


def _array_bits(array_type: Array, inner: Contents) -> int | None:
    size, declared = _bits_of_elements(array_type, inner), array_type.declared_bits
    if declared is None:
        return size
    if size is not None and size > max(declared, 0):
        raise IllFormed(
            f"DW_AT_byte_size of an array is {declared // 8}, and its elements have "
            f"{counted((size + 7) // 8, 'byte')}"
        )
    return declared


def _bits_of_elements(array_type: Array, inner: Contents) -> int | None:
    if None in array_type.dimensions:
        return 0 if 0 in array_type.dimensions else None
    count = element_count(array_type)
    if count and has_strides(array_type):
        return _span_bits(array_type)
    size = _known(inner.size_bits)
    if size is not None and count * size > MAX_TYPE_BITS:  # those around it are larger still
        raise _too_large(count * size)
    return None if size is None else count * size


def _too_large(size: int) -> IllFormed:
    return IllFormed(f"the size of a type in bits is {shown(size)}")


def nested_arrays(type_: Type | None) -> int:
    """Return how many types of arrays are in one another, the outermost one included."""
    bare = strip(type_)
    if not isinstance(bare, Array):
        return 0
    end = _end_of(bare)
    end.get()  # it raises the error of a cycle
    return end.links


def empty_array(array_type: Array) -> Array | None:
    """Return the outermost array without elements, of an array and those in it; None if there is
    none."""
    return array_type if 0 in array_type.dimensions else _contents(array_type).empty


def innermost_element(array_type: Array) -> BareType | None:
    """Return the type of the elements; where these are arrays, that of theirs."""
    return _contents(array_type).element


def spacing_bits(type_: Type | None) -> int | None:
    """Return the distance in bits of two objects of a type that follow each other; None if unknown.

    That of sections is, as in GDB, not their size: the gap behind the last element is a part of it.
    """
    size, bare = size_bits(type_), strip(type_)
    if size and isinstance(bare, Array) and bare.is_section and has_strides(bare):
        strides = strides_of(bare)
        if strides is not None and bare.declared_bits is None:
            size = max(size, abs(strides[0]) * (bare.dimensions[0] or 0))
    return size


def member_error(struct_type: Struct, member: Member, size: int | None) -> DwarfGpuError | None:
    """Return why a member has no place in its structure: that of the member itself, or `IllFormed`
    where its bits are not all among those of the structure, so that nothing is known of them. None
    for any other member, and where it is unknown.

    `size`: in bits, of the member. Base classes are not judged: the type of one with virtual base
    classes is larger than the part of it.
    """
    if member.error is not None:
        return member.error
    first, bytes_ = member.bit_offset, struct_type.size_bytes
    if first is None or bytes_ is None or not size or member.is_static or member.is_base_class:
        return None
    if member.location is not None or (first >= 0 and first + size <= 8 * bytes_):
        return None
    where = f"bytes {first // 8} to {(first + size - 1) // 8}"
    named = "an unnamed member" if member.name is None else f"the member {member.name}"
    return IllFormed(f"{named} is at {where} of a {struct_type.kind} of {counted(bytes_, 'byte')}")


def extent_bits(member: Member) -> int | None:
    """Return how many bits of its structure a member has; None if unknown. A packed record of Ada
    has fewer bits than its type."""
    return member.declared_bit_size or size_bits(member.type)


def in_fewer_bits(type_: Type | None, bit_size: int) -> Type | None:
    """Return the type of a bit-field or packed element with a declared type: that type, but for a
    subrange without negative values, whose values in fewer bits are unsigned."""
    bare = strip(type_)
    if not isinstance(bare, Base) or not bare.is_never_negative or bit_size >= bare.base.bit_size:
        return type_
    return evolve(bare, base=without_sign(bare.base), is_never_negative=False)


def without_sign(base: BaseType) -> BaseType:
    """Return the type of the numbers of a signed type that are not negative, integers or
    fixed-point ones."""
    return evolve(base, encoding=base.encoding.replace("signed", "unsigned"))


def enum_base(kind: Enum, endian: Endian) -> BaseType:
    """Return the integer type of an enumeration."""
    encoding = "signed" if kind.is_signed else "unsigned"
    return BaseType(kind.name or "enum", encoding, kind.value_bits, endian)


def unpacked(bare: Type) -> Type:
    """Return the declared type of an element of a packed array, with all its bits; any other type
    as it is."""
    if isinstance(bare, Enum) and bare.packed_bits is not None:
        return bare.declared or evolve(bare, packed_bits=None)
    if isinstance(bare, Base) and bare.unpacked_bits is not None:
        base = evolve(bare.base, bit_size=bare.unpacked_bits)
        return evolve(bare, base=base, unpacked_bits=None)
    return bare


def element_count(array_type: Array) -> int:
    """Return the number of elements of all dimensions; 0 if one is unknown or negative."""
    if len(array_type.dimensions) > MAX_DIMENSIONS:
        raise IllFormed(f"an array has {len(array_type.dimensions)} dimensions")
    count = 1
    for dimension in array_type.dimensions:
        count *= max(dimension or 0, 0)
        if count > MAX_TYPE_BITS:
            raise IllFormed("an array has more elements than an address space has bits")
    return count


def has_strides(array_type: Array) -> bool:
    """Return whether an array has a stride of its own in a dimension."""
    return any(stride is not None for stride in array_type.strides_bits)


def strides_of(array_type: Array, element_bits: int | None = None) -> tuple[int, ...] | None:
    """Return the stride of each dimension in bits; None if unknown.

    `element_bits`: the size of an element, if the caller knows it.
    """
    if not array_type.strides_bits and len(array_type.dimensions) == 1:  # as most arrays
        size = size_bits(array_type.element) if element_bits is None else element_bits
        return None if size is None else (size,)
    strides = (
        *array_type.strides_bits,
        *(None,) * (len(array_type.dimensions) - len(array_type.strides_bits)),
    )
    out: list[int] = []
    inner: int | None = None
    for dimension, stride in zip(reversed(array_type.dimensions), reversed(strides), strict=True):
        if stride is None:
            if not out:
                stride = size_bits(array_type.element) if element_bits is None else element_bits
            elif inner is not None:
                stride = abs(out[-1]) * max(inner, 0)
        if stride is None:
            return None
        out.append(stride)
        inner = dimension
    return tuple(reversed(out))


def offset_bits(stride: int, count: int, index: int) -> int:
    """Return where an element is in a dimension, from its lowest address."""
    return index * stride if stride >= 0 else (index - count + 1) * stride


def lost_length(array_type: Array) -> str | None:
    """Return why the length of an array or of its elements is optimized out; None if none is."""
    return array_type.lost_length or _contents(array_type).lost_length


def vector_type(element: Type | None, count: int) -> Array:
    """Return the type of a vector as clang describes it: one of three elements is as large as one
    of four (OpenCL C 6.1.5)."""
    size = size_bits(element)
    declared = 4 * size if count == 3 and size is not None else None
    return Array(element, (count,), is_vector=True, declared_bits=declared)


def element_type(array_type: Array) -> Type | None:
    """Return the type of an element; for an array of several dimensions, an array of the others."""
    if len(array_type.dimensions) == 1:
        return array_type.element
    return evolve(
        array_type,
        dimensions=array_type.dimensions[1:],
        strides_bits=array_type.strides_bits[1:],
        lower_bounds=array_type.lower_bounds[1:],
        lasts_of_none=array_type.lasts_of_none[1:],
        indexes=array_type.indexes[1:],
        own_name=None,
        declared_bits=None,
        lost_length=array_type.lost_length if None in array_type.dimensions[1:] else None,
    )


def _span_bits(array_type: Array) -> int | None:
    """Return the bits from the lowest element to the end of the highest one: its stride, which may
    be longer than the element, and in a section the element alone."""
    strides = strides_of(array_type)
    if strides is None:
        return None
    counts = [dimension or 0 for dimension in array_type.dimensions]
    steps = zip(counts, strides, strict=True)
    last = size_bits(array_type.element) if array_type.is_section else None
    if last is None:
        # With a stride of 0 all elements are at one address, and take the size of one element.
        last = abs(strides[-1]) or size_bits(array_type.element)
    if last is None:
        return None
    return sum((count - 1) * abs(stride) for count, stride in steps) + last


def padding_bits(type_: Type | None) -> int:
    """Return the bits at the end of an object that are not part of its value."""
    bare = strip(type_)
    if not isinstance(bare, Base):
        return 0
    after = bare.size_bits - bare.base.bit_size if bare.base.endian == "little" else 0
    return bare.base.padding_bits + after
