"""Read bit-fields in the byte order of their type (DWARF 5 5.7.6).

Bits count in storage order: in big-endian order from the most significant bit of each byte. A
bit-field whose type has another byte order than its object is not one run of the object's bits, so
its bytes are read or written whole, reversed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from dwarfgpu.access.access_protocol import Access
from dwarfgpu.base.bits import Endian, insert
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.type_sizes import innermost_element
from dwarfgpu.dwarf.types.type_sizes import size_bits as size_bits_of
from dwarfgpu.dwarf.types.types import Array, Base, Struct, Type, strip
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits

ReadBits: TypeAlias = Callable[[int, int], Bits]
"""Reads a number of bits from a bit offset of an object."""


def bit_order(type_: Type | None, endian: Endian) -> Endian:
    """Return the byte order of a bit-field of the type (DW_AT_endianity), in an object of
    `endian`."""
    bare = strip(type_)
    return bare.base.endian if isinstance(bare, Base) else endian


def has_turned_parts(type_: Type | None, endian: Endian) -> bool:
    """Return whether a part of an object of `endian` has another byte order."""
    bare = strip(type_)
    if isinstance(bare, Array):
        bare = innermost_element(bare)
    if isinstance(bare, Struct):
        return any(has_turned_parts(member.type, endian) for member in bare.members)
    return bit_order(bare, endian) != endian


def number_bits(bits: Bits, bare: Type | None, endian: Endian) -> Bits:
    """Return the bits that are the value of an object of a base type, in the byte order of the
    type: without the rest of its storage (DWARF 5 5.1). Any others are returned as they are."""
    if not isinstance(bare, Base) or bits.size_bits != bare.storage_bits:
        return bits
    ordered = bits if bare.base.endian == endian else bits.reversed()
    return ordered.slice(bare.first_bit, bare.base.bit_size, bare.base.endian)


def with_padding(bits: Bits, bare: Type | None) -> Bits:
    """Return the bits of an object with those of its padding known, if it is a `long double` of x86
    or a complex number of two: they are not part of the value."""
    if bits.is_complete or not isinstance(bare, Base) or bare.base.vector_size is not None:
        return bits
    base = bare.base
    if base.float_format is None or bits.size_bits != base.bit_size:
        return bits
    number = (1 << base.float_format.size_bits) - 1
    is_complex = base.encoding == "complex_float"
    numbers = number | number << base.bit_size // 2 if is_complex else number
    undefined, unavailable = bits.undefined & numbers, bits.unavailable & numbers
    return evolve(bits, undefined=undefined, unavailable=unavailable)


def field_bits(
    read: ReadBits, first_bit: int, size_bits: int, type_: Type | None, endian: Endian
) -> Bits:
    """Return the number in the bit-field at a bit offset, in any byte order of its type."""
    order = bit_order(type_, endian)
    if order == endian:
        return read(first_bit, size_bits)
    start, window = _window(first_bit, size_bits)
    return read(first_bit - start, window).reversed().slice(start, size_bits, order)


def as_stored(bits: Bits, type_: Type | None, endian: Endian) -> Bits:
    """Return a bit-field's number as an object of its type, if it is as wide as its type."""
    is_turned = bit_order(type_, endian) != endian and bits.size_bits % 8 == 0
    return bits.reversed() if is_turned and bits.size_bits == size_bits_of(type_) else bits


def stored_field(
    whole: Bits, first_bit: int, size_bits: int, type_: Type | None, endian: Endian
) -> Bits:
    """Return the bit-field of an object's contents, in the form of `as_stored`."""

    def read(start: int, count: int) -> Bits:
        return whole.slice(start, count, endian)

    return as_stored(field_bits(read, first_bit, size_bits, type_, endian), type_, endian)


def read_field(access: Access, location: Location, size_bits: int, type_: Type | None) -> Bits:
    """Read the bit-field at a location; errors are those of `Access.read`."""
    start = location.single_locations[0].bit_offset % 8

    def read(first_bit: int, count: int) -> Bits:
        return access.read(location.displaced(first_bit - start), count)

    return field_bits(read, start, size_bits, type_, access.endian)


def write_field(
    access: Access, location: Location, size_bits: int, type_: Type | None, number: int
) -> None:
    """Write the low bits of a number to the bit-field at a location; errors as `Access.write`.

    `UndefinedBits` or `Unavailable` where what shares a byte with it cannot be read.
    """
    order = bit_order(type_, access.endian)
    if order == access.endian:
        access.write(location, size_bits, number)
        return
    start, window = _window(location.single_locations[0].bit_offset, size_bits)
    whole = location.displaced(-start)
    data = access.read(whole, window).to_bytes(access.endian)
    value = int.from_bytes(data, order)
    new = insert(value, window, start, size_bits, number, order)
    access.write(whole, window, int.from_bytes(new.to_bytes(window // 8, order), access.endian))


def _window(first_bit: int, size_bits: int) -> tuple[int, int]:
    """Return where a bit-field begins in the bytes that it touches, and how many bits they have."""
    start = first_bit % 8
    return start, (start + size_bits + 7) // 8 * 8
