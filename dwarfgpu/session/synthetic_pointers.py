"""Find the unknown bits of an object that are synthetic pointers: these need no further reason.

`dwarfgpu.language.dereference` follows them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from dwarfgpu.access.location_access import NO_BITS
from dwarfgpu.base.bits import Endian, extract, insert, to_bytes
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import element_type, offset_bits, size_bits, strides_of
from dwarfgpu.dwarf.types.types import Array, Struct, Type, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.session.resolve_type import Resolver, may_point
from dwarfgpu.session.type_attributes import displaced

_MAX_PARTS: Final = 2_000
"""Maximum number of parts to examine; the rest stays unavailable."""
_MAX_BITS: Final = 4_096
"""Size of the largest part that is examined."""


def implicit_pointers_as_known(
    bits: Bits, type_: Type | None, location: Location | None, resolver: Resolver, endian: Endian
) -> Bits:
    """Return the bits, with those of synthetic pointers (A.2.5.4.4.5) counted as known: they have
    none."""
    if location is None or NO_BITS not in bits.reasons:
        return bits
    masks = _Masks(bits, endian)
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
            elif (
                masks.has_no_bits(first_bit, size)
                and resolver.pointer(part, displaced(location, first_bit)) is not None
            ):
                unavailable = insert(unavailable, bits.size_bits, first_bit, size, 0, endian)
        except DwarfGpuError:
            continue  # the display of the part reports it
    reasons = tuple(reason for reason in bits.reasons if reason != NO_BITS)
    shown_reasons = (reasons or bits.reasons) if unavailable else reasons
    return evolve(bits, unavailable=unavailable, reasons=shown_reasons)


def points_nowhere(
    resolver: Resolver, location: Location, type_: Type | None, first_bit: int
) -> bool:
    """Return whether a part of an object is a synthetic pointer to what was optimized out, too."""
    pointer = resolver.pointer(type_, displaced(location, first_bit))
    unit = None if pointer is None else pointer.die.unit
    if pointer is None or not isinstance(unit, CompilationUnit):
        return False
    return unit.location_attribute(unit.referred(pointer.die.section_offset)) is None


class _Masks:
    """Which bits of an object are unknown, as bytes: looking at a part does not copy the rest."""

    def __init__(self, bits: Bits, endian: Endian) -> None:
        self._size_bits, self._endian = bits.size_bits, endian
        self._undefined = to_bytes(bits.undefined, bits.size_bits, endian)
        self._unavailable = to_bytes(bits.unavailable, bits.size_bits, endian)

    def has_no_bits(self, first_bit: int, size_bits: int) -> bool:
        """Return whether all bits of a part are unavailable, and none is undefined."""
        if not 0 < size_bits <= min(_MAX_BITS, self._size_bits - first_bit):
            return False
        low, high = first_bit // 8, (first_bit + size_bits + 7) // 8

        def run(mask: bytes) -> int:
            chunk, inside = int.from_bytes(mask[low:high], self._endian), first_bit - 8 * low
            return extract(chunk, 8 * (high - low), inside, size_bits, self._endian)

        return not run(self._undefined) and run(self._unavailable) == (1 << size_bits) - 1


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
