"""Read and write the bits of an object; its last pieces and its padding need not be described."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.type_sizes import lost_length, padding_bits
from dwarfgpu.dwarf.types.types import Array, Base, Type, strip
from dwarfgpu.errors import UndefinedBits
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.dialect.vgpr_contents import LANE_BITS
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import REASON_UNDESCRIBED, Bits
from dwarfgpu.model.storage import ImplicitPointer, Memory, Register, is_compound

SHOWN_BYTES: Final = 1 << 16
"""Read of an array that is larger than the limit of one read."""


def readable_bits(type_: Type | None, size_bits: int, limits: Limits) -> int:
    """Return how much of an object is read at once: of an array beyond the limit, what can be
    shown."""
    if size_bits <= 8 * limits.read_bytes or not isinstance(strip(type_), Array):
        return size_bits
    return 8 * min(SHOWN_BYTES, limits.read_bytes)


def described_bits(type_: Type | None, size: int, location: Location) -> int:
    """Return how many of an object's bits are where its location is.

    Producers leave out the last pieces of a composite, and in an x87 register there is no padding.
    """
    described = location.remaining_bits
    if described is None or described >= size:
        return size
    if all(is_compound(single.storage) for single in location.single_locations):
        return described
    return described if described == size - padding_bits(type_) else size


def location_bits(location: Location) -> int | None:
    """Return how many bits a single location describes, of a vector register those of a lane.

    None if it has no end, as one in memory.
    """
    if len(location.single_locations) != 1:
        return None
    [single] = location.single_locations
    storage = single.storage
    if isinstance(storage, Memory | ImplicitPointer):
        return None
    if isinstance(storage, Register) and storage.register.number in VECTOR_REGISTERS:
        return LANE_BITS
    return single.remaining_bits


def object_bits(type_: Type | None, size: int, location: Location, context: Context) -> Bits:
    """Return the bits of an object; bits that its pieces omit are undefined.

    Of an array too large to read, the first elements. Raises the errors of reading, and for an
    array of Fortran or Ada of lost length, or whose elements are, why that is lost.
    """
    bare = strip(type_)
    is_whole = isinstance(bare, Array) and (bare.is_section or bool(bare.indexes))
    if isinstance(bare, Array) and is_whole and (why := lost_length(bare)) is not None:
        raise UndefinedBits(why)  # it is a value, in C an address
    if isinstance(bare, Base) and bare.base.encoding == "float" and bare.base.bit_size == size:
        from dwarfgpu.expr.x87_registers import converted_from, read_converted  # few objects

        number_type = converted_from(context, location, bare.base)
        if number_type is not None:
            return read_converted(context, location, number_type, bare.base)
    access = context.access
    size = readable_bits(type_, size, context.limits)
    described = described_bits(type_, size, location)
    if described == size or size > 8 * context.limits.read_bytes:
        return access.read(location, size)
    value = access.read(location, described)
    if described >= size - padding_bits(type_):
        return evolve(value, size_bits=size)  # padding is not part of the value
    why = f"{REASON_UNDESCRIBED} {described} of {size} bits"
    return evolve(value.slice(0, size, access.endian), reasons=(*value.reasons, why))


def write_object(
    type_: Type | None, size: int, location: Location, bits: int, context: Context
) -> None:
    """Write the first `size` bits of an object, which are where its location is."""
    bare = strip(type_)
    if isinstance(bare, Base) and bare.base.encoding == "float" and bare.base.bit_size == size:
        from dwarfgpu.expr.x87_registers import converted_from, write_converted  # few objects

        number_type = converted_from(context, location, bare.base)
        if number_type is not None:
            write_converted(context, location, number_type, bare.base, bits)
            return
        if all(is_compound(single.storage) for single in location.single_locations):
            size -= bare.base.padding_bits  # which need not be anywhere
            bits &= (1 << size) - 1
    context.access.write(location, size, bits)
