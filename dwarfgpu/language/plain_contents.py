"""Comparisons of many elements at once: of numbers, and of records of them, that are known."""

from __future__ import annotations

from math import prod
from operator import eq
from struct import calcsize, iter_unpack
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.float_format import BINARY16, BINARY32, BINARY64
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Member, Struct, Type, strip
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue

_FLOATS: Final = {BINARY16: "e", BINARY32: "f", BINARY64: "d"}
_MOST_COMPONENTS: Final = 100
"""Components of an element; what has more is compared one by one."""
_AT_ONCE: Final = 64
"""Elements that are compared at once take no longer than one that is taken by itself."""


def compared_at_once(
    objects: ObjectAccess, left: TypedValue, right: TypedValue, size: int
) -> bool | None:
    """Return whether two arrays of a size in bits, without gaps, are equal: as numbers are, so that
    a NaN is equal to nothing. None for others than of one type of elements that can be compared so,
    and where a bit is unknown."""
    first, second = strip(left.type), strip(right.type)
    assert isinstance(first, Array) and isinstance(second, Array)
    element, endian = first.element, objects.context.endian
    form = _form(element, endian) if _are_one(element, second.element) else None
    if form is None or 8 * calcsize(f"={form}") != size_bits(element):
        return None
    contents = []
    for side in (left, right):
        bits = objects.read(side).bits
        if bits is None or not bits.is_complete or bits.size_bits < size:
            return None
        contents.append(bits.slice(0, size, endian).to_bytes(endian))
    objects.count_parts(prod(count or 0 for count in first.dimensions) // _AT_ONCE)
    order = "<" if endian == "little" else ">"
    return all(map(eq, *(iter_unpack(order + form, data) for data in contents)))


def _are_one(first: Type | None, second: Type | None) -> bool:
    one, other = strip(first), strip(second)
    if isinstance(one, Base) and isinstance(other, Base):
        return one.base == other.base
    return one is other


def _form(type_: Type | None, endian: Endian) -> str | None:
    """Return the format of a type for the module `struct`, in which all but numbers with a point
    are bytes; None if values are not as their bytes are."""
    bare, size = strip(type_), size_bits(type_)
    if not size or size % 8:
        return None
    if isinstance(bare, Base):
        base = bare.base
        if base.vector_size is not None:
            return None
        if base.float_format is None and "float" not in base.encoding:
            return f"{size // 8}s"
        is_plain = base.encoding == "float" and base.endian == endian and not base.padding_bits
        return _FLOATS.get(base.float_format) if is_plain and base.float_format else None
    if isinstance(bare, Enum):
        return f"{size // 8}s"
    return _form_of_record(bare, endian) if isinstance(bare, Struct) else None


def _form_of_record(record: Struct, endian: Endian) -> str | None:
    """Return the format of a record whose components, which are numbers, are where its type has
    them, one behind the other; what is between them is padding."""
    if record.kind == "union" or record.declared.variant_parts:
        return None
    if len(record.members) > _MOST_COMPONENTS or not all(map(_is_plain, record.members)):
        return None
    form, end = "", 0
    for member in record.members:
        gap, over = divmod((member.bit_offset or 0) - end, 8)
        own = None if isinstance(strip(member.type), Struct) else _form(member.type, endian)
        if gap < 0 or over or own is None:
            return None
        form += f"{gap}x{own}"
        end = (member.bit_offset or 0) + (size_bits(member.type) or 0)
    gap = ((size_bits(record) or 0) - end) // 8
    return None if gap < 0 else f"{form}{gap}x"


def _is_plain(member: Member) -> bool:
    is_described = member.location is not None or member.error is not None
    is_whole = member.bit_size is None and member.declared_bit_size is None
    return is_whole and not (is_described or member.is_static or member.is_base_class)
