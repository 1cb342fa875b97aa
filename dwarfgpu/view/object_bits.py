"""The bits of an object, kept so that taking a part or finding equal parts is cheap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from dwarfgpu.base.bits import Endian, extract, signed, to_bytes
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.type_sizes import offset_bits
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.model.object import Bits
from dwarfgpu.view.scalars import MAX_BITS
from dwarfgpu.view.strings import run_length

ReadMemory: TypeAlias = Callable[[int, int, int], bytes]
"""Address, DWARF address space and size in bytes to bytes; raises a `DwarfGpuError`."""
ClassOfMethod: TypeAlias = Callable[[int], Type | None]
"""The address of code to the class whose member function it is of; None for none."""
PointsNowhere: TypeAlias = Callable[[Type | None, int], bool]
"""Of the part with a type that begins at a bit."""
Parts: TypeAlias = tuple[tuple[int, int], ...]
"""First bit and number of bits of each."""
NO_FIELD: Final = "bit-field of no bits or of too many"
_PARTS: Final = 10_000
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
    points_nowhere: PointsNowhere | None = None
    """Whether an implicit pointer points to what was optimized out, too; None without any."""

    @classmethod
    def of(
        cls,
        bits: Bits,
        endian: Endian,
        removed: int = 0,
        points_nowhere: PointsNowhere | None = None,
    ) -> ObjectBytes:
        size = bits.size_bits
        undefined = to_bytes(bits.undefined, size, endian) if bits.undefined else None
        unavailable = to_bytes(bits.unavailable, size, endian) if bits.unavailable else None
        data = to_bytes(bits.value & ~bits.unknown, size, endian)
        pointers = to_bytes(removed, size, endian) if removed else None
        return cls(data, undefined, unavailable, size, endian, pointers, points_nowhere)

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

    def is_undefined(self, first_bit: int, count: int) -> bool:
        """Return whether bytes of a range have undefined bits."""
        low, high = first_bit // 8, (first_bit + count + 7) // 8
        return self.undefined is not None and any(self.undefined[low:high])

    def equal_neighbours(
        self, first_bit: int, stride_bits: int, limit: int, parts: Parts = ()
    ) -> int:
        """Return how many elements from `first_bit` are equal, in known and unknown bits.

        `parts`: those of an element that are compared; without any, all up to the next element.
        """
        if first_bit >= self.size_bits:
            return limit
        if parts and parts != ((0, stride_bits),):
            return self._equal_in_parts(first_bit, stride_bits, limit, parts)
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

    def _equal_in_parts(self, first_bit: int, stride_bits: int, limit: int, parts: Parts) -> int:
        end = max(offset + size for offset, size in parts)
        inside = min(limit, (self.size_bits - first_bit - end) // stride_bits + 1)
        count = 1
        while first_bit >= 0 and count < inside:
            start = first_bit + count * stride_bits
            if not all(self._is_equal(first_bit + one, start + one, size) for one, size in parts):
                break
            count += 1
        return count

    def _is_equal(self, first: int, second: int, size: int) -> bool:
        if not (first % 8 or second % 8 or size % 8):
            low, high, count = first // 8, second // 8, size // 8
            return all(run[low : low + count] == run[high : high + count] for run in self.runs)
        return size <= MAX_BITS and self.bits(first, size) == self.bits(second, size)


def parts_of(counts: Sequence[int], strides: Sequence[int], element_bits: int) -> Parts:
    """Return where the elements of an array are, and how large they are; elements without gaps are
    one part. None where there are too many, or elements have no size of their own."""
    if not element_bits:
        return ()
    parts: list[tuple[int, int]] = [(0, element_bits)]
    for count, stride in zip(reversed(counts), reversed(strides), strict=True):
        if parts == [(0, abs(stride))]:
            parts = [(0, abs(stride) * count)]
        elif len(parts) * count > _PARTS:
            return ()
        else:
            starts = [offset_bits(stride, count, index) for index in range(count)]
            parts = [(start + offset, size) for start in starts for offset, size in parts]
    return tuple(parts)


def widened(bits: Bits, type_bits: int | None, *, has_sign: bool) -> Bits | None:
    """Return the number in a bit-field as wide as its type, with copies of its sign; None for a
    bit-field of no bits, and for one that is too wide to be shown."""
    count, size = bits.size_bits, max(type_bits or 0, bits.size_bits)
    if not 0 < count <= size <= MAX_BITS:
        return None
    number = signed(bits.value, count) & (1 << size) - 1 if has_sign else bits.value
    return Bits(number, size, bits.undefined, bits.unavailable)
