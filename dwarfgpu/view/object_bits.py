"""The bits of an object, kept so that taking a part or finding equal parts is cheap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from dwarfgpu.base.bits import Endian, extract, to_bytes
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.model.object import Bits
from dwarfgpu.view.scalars import MAX_BITS
from dwarfgpu.view.strings import run_length

ReadMemory: TypeAlias = Callable[[int, int, int], bytes]
"""Address, DWARF address space and size in bytes to bytes; raises a `DwarfGpuError`."""
ClassOfMethod: TypeAlias = Callable[[int], Type | None]
"""The address of code to the class whose member function it is of; None for none."""
_UNALIGNED_RUN: Final = 4_096
"""Elements that do not start at bytes are compared one by one, no more than this many."""


@frozen(eq=False)
class ObjectBytes:
    """The bits of the whole object, kept as bytes so that taking some of them is cheap."""

    value: bytes
    undefined: bytes | None
    unavailable: bytes | None
    size_bits: int
    endian: Endian
    removed: bytes | None = None
    """Unavailable bits of implicit pointers: they are equal to no others."""

    @classmethod
    def of(cls, bits: Bits, endian: Endian, removed: int = 0) -> ObjectBytes:
        size = bits.size_bits
        undefined = to_bytes(bits.undefined, size, endian) if bits.undefined else None
        unavailable = to_bytes(bits.unavailable, size, endian) if bits.unavailable else None
        data = to_bytes(bits.value & ~bits.unknown, size, endian)
        pointers = to_bytes(removed, size, endian) if removed else None
        return cls(data, undefined, unavailable, size, endian, pointers)

    @property
    def runs(self) -> list[bytes]:
        masks = (self.undefined, self.unavailable, self.removed)
        return [self.value, *(mask for mask in masks if mask is not None)]

    def bits(self, first_bit: int, count: int) -> Bits:
        """Return `count` bits, at most `MAX_BITS`; outside the object they are undefined."""
        inside = min(count, self.size_bits - first_bit)
        if first_bit < 0 or inside <= 0:
            return Bits(0, count, (1 << count) - 1)
        low, high = first_bit // 8, (first_bit + inside + 7) // 8

        def run(data: bytes | None) -> int:
            if data is None:
                return 0
            chunk = int.from_bytes(data[low:high], self.endian)
            return extract(chunk, 8 * (high - low), first_bit - 8 * low, inside, self.endian)

        part = Bits(run(self.value), inside, run(self.undefined), run(self.unavailable))
        return part if inside == count else part.slice(0, count, self.endian)

    def known_bytes(self, first_bit: int, count: int) -> bytes | None:
        """Return the bytes of a range; None if it has an unknown bit or does not start at a
        byte."""
        if first_bit % 8 or count % 8 or first_bit < 0 or first_bit + count > self.size_bits:
            return None
        low, high = first_bit // 8, (first_bit + count) // 8
        for mask in self.runs[1:]:
            if mask.count(0, low, high) != high - low:
                return None
        return self.value[low:high]

    def equal_neighbours(self, first_bit: int, stride_bits: int, limit: int) -> int:
        """Return how many elements from `first_bit` are equal, in known and unknown bits."""
        if first_bit >= self.size_bits:
            return limit
        inside = min(limit, (self.size_bits - first_bit) // stride_bits)
        if inside <= 1 or first_bit < 0:
            return 1
        if first_bit % 8 == 0 and stride_bits % 8 == 0:
            start, stride = first_bit // 8, stride_bits // 8
            return min(run_length(run, start, stride, inside) for run in self.runs)
        if stride_bits > MAX_BITS:
            return 1
        first = self.bits(first_bit, stride_bits)
        count = 1
        while count < min(inside, _UNALIGNED_RUN):
            if self.bits(first_bit + count * stride_bits, stride_bits) != first:
                break
            count += 1
        return count
