"""Decide whether unknown bits of an object belong to its value: padding is not part of it.

Law: in doubt they do. Objects are examined in a loop with a bound. A virtual base class is read
where the object says that it is, which may be outside of the bits of a base class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.type_sizes import (
    element_count,
    element_type,
    has_strides,
    innermost_element,
    offset_bits,
    size_bits,
    strides_of,
)
from dwarfgpu.dwarf.types.types import Array, Member, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Context
from dwarfgpu.model.location import Location, narrowed
from dwarfgpu.model.object import Bits
from dwarfgpu.session.bit_field import with_padding
from dwarfgpu.session.resolve_type import Resolver
from dwarfgpu.session.type_attributes import displaced

_MAX_PARTS: Final = 10_000
"""Members and parts of arrays of one object that are examined for unknown bits."""
_Part: TypeAlias = tuple[int, Bits, Type | None, int | None]
"""The first bit, the bits, their type, and the number of objects of the type that are in the bits;
None: one."""


@frozen(eq=False)
class _Object:
    """An object, or a virtual base class of one, which is in the bits of no other part."""

    bits: Bits
    type: Type | None
    location: Location | None
    """None for a copy, and where nothing asks for virtual base classes."""


@frozen(eq=False)
class _Unknown:
    """A member with unknown bits: its first bit in an object, and its size."""

    object: _Object
    first_bit: int
    size_bits: int


def has_all_members(
    bits: Bits,
    type_: Type | None,
    endian: Endian,
    location: Location | None = None,
    resolver: Callable[[], Resolver] | None = None,
) -> bool:
    """Return whether all members are known, whatever is between and after them.

    False where there are more than `_MAX_PARTS`, as in a structure that contains itself, or where
    one of them cannot be read: a virtual base class needs the location of the object and what
    resolves its parts.
    """
    return _unknown_member(_Object(bits, type_, location), endian, resolver) is None


def _unknown_member(
    whole: _Object, endian: Endian, resolver: Callable[[], Resolver] | None
) -> _Unknown | None:
    """Return the first member with unknown bits; None where `has_all_members`. It is the whole
    object where it is not known which members it has."""
    all_of_it = _Unknown(whole, 0, whole.bits.size_bits)
    if whole.bits.size_bits and whole.bits.unknown == (1 << whole.bits.size_bits) - 1:
        return all_of_it  # nothing of it is known, even of one without members
    try:
        search = _Search(endian, resolver, has_virtual_base(whole.type))
        objects = [whole]
        for object in objects:  # which continues with the virtual base classes of each
            unknown = search.unknown_member(object, objects)
            if unknown is not None:
                return unknown
    except DwarfGpuError:  # the text of the member has the error
        return all_of_it
    return None


class _Search:
    """Examines the parts of objects, with one limit for all of them."""

    def __init__(
        self, endian: Endian, resolver: Callable[[], Resolver] | None, has_virtual_base: bool
    ) -> None:
        self._endian, self._make_resolver = endian, resolver
        self._has_virtual_base = has_virtual_base
        self._resolver: Resolver | None = None
        self._examined = 0

    def unknown_member(self, object: _Object, objects: list[_Object]) -> _Unknown | None:
        """Return the first member with unknown bits that is in the bits of an object; its virtual
        base classes are added to `objects`."""
        parts: list[_Part] = [(0, object.bits, object.type, None)]
        while parts:
            first, part, type_, count = parts.pop()
            bare = strip(type_)
            is_known = with_padding(part, bare if count is None else None).is_complete
            if is_known and not (self._has_virtual_base and has_virtual_base(type_)):
                continue
            virtual: list[Member] = []
            if count is not None and count > 1:
                stride, half = part.size_bits // count, count // 2
                middle = half * stride
                rest = part.slice(middle, part.size_bits - middle, self._endian)
                inside: list[_Part] = [
                    (0, part.slice(0, middle, self._endian), type_, half),
                    (middle, rest, type_, count - half),
                ]
            else:
                members = _parts(part, bare, self._endian)
                if members is None:
                    return _Unknown(object, first, part.size_bits)
                inside, virtual = members, _virtual_bases(bare)
            if virtual and (object.location is None or self._make_resolver is None):
                return _Unknown(object, first, part.size_bits)
            self._examined += len(inside) + len(virtual)
            if self._examined > _MAX_PARTS:
                return _Unknown(object, 0, object.bits.size_bits)
            objects += (self._read(object, first, bare, member) for member in virtual)
            parts += [(first + bit, some, kind, n) for bit, some, kind, n in reversed(inside)]
        return None

    def _read(self, object: _Object, first_bit: int, bare: Type | None, member: Member) -> _Object:
        """Return a virtual base class of the part of an object that begins at a bit."""
        assert isinstance(bare, Struct)
        assert object.location is not None and self._make_resolver is not None
        if self._resolver is None:
            self._resolver = self._make_resolver()
        base = self._resolver.member(bare, displaced(object.location, first_bit), member)
        return _Object(self._resolver.contents(base), base.type, base.location)


def reasons_of_member(
    bits: Bits,
    type_: Type | None,
    location: Location | None,
    context: Context,
    resolver: Callable[[], Resolver],
) -> tuple[str, ...]:
    """Return why the first member with unknown bits has some; none where `has_all_members`.

    The reasons of a whole object begin with that of its first unknown bit, which may be padding.
    """
    access = context.access
    unknown = _unknown_member(_Object(bits, type_, location), access.endian, resolver)
    if unknown is None:
        return ()
    bits, location, first = unknown.object.bits, unknown.object.location, unknown.first_bit
    if location is None or bits.slice(0, first, access.endian).is_complete:
        return bits.reasons
    try:
        located = narrowed(location, unknown.size_bits, first)
        return access.read(located, unknown.size_bits).reasons or bits.reasons
    except DwarfGpuError:  # as of a machine that has run on
        return bits.reasons


def _virtual_bases(bare: Type | None) -> list[Member]:
    return [m for m in bare.members if m.is_virtual] if isinstance(bare, Struct) else []


def has_virtual_base(type_: Type | None) -> bool:
    """Return whether a virtual base class is among the parts of the objects of a type; also where
    there are too many parts to examine."""
    pending, visited, examined = [type_], set[Struct](), 0
    while pending:
        bare = strip(pending.pop())
        bare = innermost_element(bare) if isinstance(bare, Array) else bare
        if not isinstance(bare, Struct) or bare in visited:
            continue
        visited.add(bare)
        examined += len(bare.members)
        if examined > _MAX_PARTS or any(member.is_virtual for member in bare.members):
            return True
        pending += [member.type for member in bare.members if not member.is_static]
    return False


def _parts(bits: Bits, bare: Type | None, endian: Endian) -> list[_Part] | None:
    """Return the members of a structure but its virtual base classes, or the elements of an array
    as one part; None for an object that has none, or whose type alone does not say where they
    are."""
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
        if member.is_static or member.is_virtual:
            continue
        size = size_bits(member.type) if member.bit_size is None else member.bit_size
        first_bit = member.bit_offset
        if member.location is not None or first_bit is None or size is None:
            return None
        if member.is_base_class:  # the size of its class counts virtual bases, which may be outside
            size = min(size, bits.size_bits - first_bit)
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
