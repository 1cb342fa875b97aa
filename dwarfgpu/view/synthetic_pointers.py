"""Find the unknown bits of an object that are synthetic pointers: these need no further reason.

`dwarfgpu.language.dereference` follows them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from dwarfgpu.access.location_access import NO_BITS
from dwarfgpu.base.bits import Endian, insert
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import element_type, offset_bits, size_bits, strides_of
from dwarfgpu.dwarf.types.types import Array, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.session.resolve_type import Resolver, may_point
from dwarfgpu.view.object_bits import ObjectBytes
from dwarfgpu.view.object_printer import Whole
from dwarfgpu.view.scalars import MAX_BITS

_MAX_PARTS: Final = 2_000
"""Maximum number of parts to examine; the rest stays unavailable."""


def implicit_pointers_as_known(
    bits: Bits, type_: Type | None, location: Location | None, resolver: Resolver, endian: Endian
) -> Bits:
    """Return the bits, with those of synthetic pointers (A.2.5.4.4.5) counted as known: they have
    none."""
    if location is None or NO_BITS not in bits.reasons:
        return bits
    whole, contents = Whole(location, resolver), ObjectBytes.of(bits, endian)
    unavailable = bits.unavailable
    pending: list[tuple[Type | None, int]] = [(type_, 0)]
    for _ in range(_MAX_PARTS):
        if not pending:
            break
        part, first_bit = pending.pop()
        try:
            size = size_bits(part) if may_point(part) else None
            if size is None:
                pending += islice(_parts(part, first_bit), _MAX_PARTS - len(pending))
            elif 0 < size <= min(
                MAX_BITS, bits.size_bits - first_bit
            ) and whole.is_implicit_pointer(part, first_bit, contents.bits(first_bit, size)):
                unavailable = insert(unavailable, bits.size_bits, first_bit, size, 0, endian)
        except DwarfGpuError:
            continue  # the display of the part reports it
    reasons = tuple(reason for reason in bits.reasons if reason != NO_BITS)
    shown_reasons = (reasons or bits.reasons) if unavailable else reasons
    return evolve(bits, unavailable=unavailable, reasons=shown_reasons)


def _parts(type_: Type | None, first_bit: int) -> Iterator[tuple[Type | None, int]]:
    """Yield the parts of a structure or array at offsets that its type determines."""
    bare = strip(type_)
    if isinstance(bare, Struct):
        for member in bare.members:
            if not member.is_static and member.location is None and member.bit_size is None:
                yield member.type, first_bit + (member.bit_offset or 0)
    elif isinstance(bare, Array) and not is_dynamic(bare):
        strides, count = strides_of(bare), bare.dimensions[0] if bare.dimensions else None
        if strides and strides[0] and count is not None:
            inner = element_type(bare)
            for index in range(count):
                yield inner, first_bit + offset_bits(strides[0], count, index)
