"""Decide whether unknown bits of an object belong to its value: padding is not part of it.

Law: in doubt they do. Objects are examined in a loop with a bound.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf.types.type_sizes import (
    element_count,
    element_type,
    has_strides,
    offset_bits,
    size_bits,
    strides_of,
)
from dwarfgpu.dwarf.types.types import Array, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context
from dwarfgpu.model.location import Location, narrowed
from dwarfgpu.model.object import Bits
from dwarfgpu.session.bit_field import with_padding

_MAX_PARTS: Final = 10_000
"""Members and parts of arrays of one object that are examined for unknown bits."""
_Part: TypeAlias = tuple[int, Bits, Type | None, int | None]
"""The first bit, the bits, their type, and the number of objects of the type that are in the bits;
None: one."""


def has_all_members(bits: Bits, type_: Type | None, endian: Endian) -> bool:
    """Return whether all members are known, whatever is between and after them.

    False where there are more than `_MAX_PARTS`, as in a structure that contains itself, or where
    one of them cannot be read.
    """
    return unknown_member(bits, type_, endian) is None


def unknown_member(bits: Bits, type_: Type | None, endian: Endian) -> tuple[int, int] | None:
    """Return the first bit and the size of the first member with unknown bits; None where
    `has_all_members`. It is the whole object where it is not known which members it
    has."""
    whole = 0, bits.size_bits
    if bits.size_bits and bits.unknown == (1 << bits.size_bits) - 1:
        return whole  # nothing of it is known, even of one without members
    parts: list[_Part] = [(0, bits, type_, None)]
    examined = 0
    try:
        while parts:
            first, part, type_, count = parts.pop()
            if with_padding(part, strip(type_) if count is None else None).is_complete:
                continue
            if count is not None and count > 1:
                stride, half = part.size_bits // count, count // 2
                middle = half * stride
                rest = part.slice(middle, part.size_bits - middle, endian)
                inside: list[_Part] = [
                    (0, part.slice(0, middle, endian), type_, half),
                    (middle, rest, type_, count - half),
                ]
            else:
                members = _parts(part, strip(type_), endian)
                if members is None:
                    return first, part.size_bits
                inside = members
            examined += len(inside)
            if examined > _MAX_PARTS:
                return whole
            parts += [(first + bit, some, kind, n) for bit, some, kind, n in reversed(inside)]
    except DwarfGpuError:  # the text of the member has the error
        return whole
    return None


def reasons_of_member(
    bits: Bits, type_: Type | None, location: Location | None, context: Context
) -> tuple[str, ...]:
    """Return why the first member with unknown bits has some; none where `has_all_members`.

    The reasons of a whole object begin with that of its first unknown bit, which may be padding.
    """
    access = context.access
    member = unknown_member(bits, type_, access.endian)
    if member is None:
        return ()
    first, size = member
    if location is None or bits.slice(0, first, access.endian).is_complete:
        return bits.reasons
    try:
        return access.read(narrowed(location, size, first), size).reasons or bits.reasons
    except DwarfGpuError:  # as of a machine that has run on
        return bits.reasons


def _parts(bits: Bits, bare: Type | None, endian: Endian) -> list[_Part] | None:
    """Return the members of a structure, or the elements of an array as one part; None for an
    object that has none, or whose type alone does not say where they are."""
    if isinstance(bare, Array):
        if has_strides(bare):
            return _rows(bits, bare, endian) if bare.is_section else None
        size, count = size_bits(bare.element), element_count(bare)
        # A vector of three elements has the size of four (OpenCL C 6.1.5).
        is_padded = bare.declared_bits is not None
        if (is_padded and not bare.is_vector) or not size:
            return None
        if is_padded and size * count <= bits.size_bits:
            return [(0, bits.slice(0, size * count, endian), bare.element, count)]
        return [(0, bits, bare.element, count)] if bits.size_bits == size * count else None
    if not isinstance(bare, Struct) or bare.is_declaration or bare.declared.variant_parts:
        return None
    out: list[_Part] = []
    for member in bare.members:
        if member.is_static:
            continue
        size = size_bits(member.type) if member.bit_size is None else member.bit_size
        first_bit = member.bit_offset
        if member.location is not None or first_bit is None or size is None:
            return None
        if not 0 <= first_bit <= bits.size_bits - size:
            return None
        out.append((first_bit, bits.slice(first_bit, size, endian), member.type, None))
    return out


def _rows(bits: Bits, array_type: Array, endian: Endian) -> list[_Part] | None:
    """Return the elements of a section, or its rows; None if one is not in the bits, or
    has bits of another."""
    inner, strides = element_type(array_type), strides_of(array_type)
    size, count = size_bits(inner), array_type.dimensions[0] or 0
    if strides is None or not size or not 0 < count <= _MAX_PARTS or abs(strides[0]) < size:
        return None
    starts = [offset_bits(strides[0], count, index) for index in range(count)]
    if max(starts) + size > bits.size_bits:
        return None
    return [(start, bits.slice(start, size, endian), inner, None) for start in starts]
