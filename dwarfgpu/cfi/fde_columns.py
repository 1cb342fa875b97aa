"""Where the FDEs of a section are and what code they describe, in columns of numbers.

Law: a number of an FDE is that which `section` reads of it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from operator import le
from struct import Struct
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.cfi.eh_pointer import ABSOLUTE, OMITTED, fixed_bytes, struct_letter
from dwarfgpu.cfi.entry import BrokenEntry, Cie

_BASES: Final = (0x00, 0x10)
"""Absolute, and relative to its own address."""
_BLOCK: Final = 32
"""Numbers of a level of maxima that the next level has one for."""
_UNKNOWN_BYTES: Final = 1 << 64


def _column(letter: str) -> array[int]:
    return field(init=False, factory=lambda: array(letter))


@define(eq=False, slots=False)
class FdeColumns:
    """A row for each FDE whose range can be read, in the order of the section."""

    offsets: array[int] = _column("Q")
    entry_sizes: array[int] = _column("Q")
    """With the length field itself, in bytes."""
    cies: array[int] = _column("Q")
    """The offsets of their CIEs."""
    starts: array[int] = _column("Q")
    sizes: array[int] = _column("Q")
    """Of the code, in bytes."""
    programs: array[int] = _column("Q")
    """The offsets of the instructions in the section; 0 for an FDE whose rest cannot be read."""

    end: BrokenEntry | None = None
    """From where on no FDE was read, because too many took long."""

    def add(
        self, offset: int, entry_bytes: int, cie: int, start: int, size_bytes: int, program: int
    ) -> None:
        self.offsets.append(offset)
        self.entry_sizes.append(entry_bytes)
        self.cies.append(cie)
        self.starts.append(start)
        self.sizes.append(size_bytes)
        self.programs.append(program)

    def __len__(self) -> int:
        return len(self.offsets)

    def row_at(self, offset: int) -> int | None:
        """Return the row of the FDE at an offset of the section; None if there is none."""
        row = bisect_left(self.offsets, offset)
        return row if row < len(self) and self.offsets[row] == offset else None

    @cached_property
    def order(self) -> Sequence[int]:
        """The rows by the start of their code."""
        return in_order(self.starts)

    @cached_property
    def bounds(self) -> tuple[Sequence[int], Sequence[int]]:
        """The starts of code in that order, and for each the largest end of code so far."""
        starts, order = self.starts, self.order
        sorted_starts = starts if isinstance(order, range) else _column_of(starts, order)
        try:
            return sorted_starts, array("Q", self._ends())
        except OverflowError:  # beyond the last address
            return sorted_starts, [*self._ends()]

    def _ends(self) -> Iterator[int]:
        starts, sizes = self.starts, self.sizes
        return accumulate((starts[row] + sizes[row] for row in self.order), max)

    def last_covering(self, location: int, before: int) -> int | None:
        """Return which of the first `before` rows in that order, at least one, is the last that has
        a location and can be read; None if none has it. They start there or before.

        One that covers many others does not make each search go through all of those.
        """
        row = self.order[before - 1]
        if self.programs[row] and self.starts[row] + self.sizes[row] > location:
            return before - 1
        return _last_above(self._maxima, location, before)

    @cached_property
    def _maxima(self) -> Sequence[Sequence[int]]:
        """The ends of the code in that order, the largest of each block of these, of each block of
        blocks, and so on."""
        ends: Sequence[int]
        try:
            ends = array("Q", self._readable_ends())
        except OverflowError:  # beyond the last address
            ends = [*self._readable_ends()]
        levels = [ends]
        while len(ends) > 1:
            blocks = range(0, len(ends), _BLOCK)
            ends = [max(ends[begin : begin + _BLOCK]) for begin in blocks]
            levels.append(ends)
        return levels

    def _readable_ends(self) -> Iterator[int]:
        """Return the ends of the code in that order, 0 for an FDE whose rest cannot be read."""
        starts, sizes, programs = self.starts, self.sizes, self.programs
        return (starts[row] + sizes[row] if programs[row] else 0 for row in self.order)


def _last_above(levels: Sequence[Sequence[int]], bound: int, before: int) -> int | None:
    """Return the index of the last number of the first level that is above a bound, among the first
    `before`; None if there is none. Each further level has the maxima of the blocks of the one
    before, the last level has one number."""
    for height, numbers in enumerate(levels):
        begin = before - before % _BLOCK
        for index in range(before - 1, begin - 1, -1):
            if numbers[index] > bound:
                for below in levels[:height][::-1]:
                    first = index * _BLOCK
                    last = min(first + _BLOCK, len(below)) - 1
                    index = next(
                        inner for inner in range(last, first - 1, -1) if below[inner] > bound
                    )
                return index
        before = begin // _BLOCK
    return None


def in_order(numbers: array[int]) -> Sequence[int]:
    """Return the indexes of numbers by their size, of equal ones the first before the others."""
    if all(map(le, numbers, islice(numbers, 1, None))):
        return range(len(numbers))
    return array("I", sorted(range(len(numbers)), key=numbers.__getitem__))


def _column_of(numbers: array[int], indexes: Sequence[int]) -> array[int]:
    return array(numbers.typecode, map(numbers.__getitem__, indexes))


@frozen
class FdeLayout:
    """How the FDEs of a CIE begin after the CIE pointer, where the fields have fixed sizes."""

    unpack: Callable[[bytes, int], tuple[int, int]]
    size_bytes: int
    """Of the range, with the segment selector."""
    base: int | None
    """What the offset of the range in the section is added to for the base of the start; None
    where the start is absolute."""
    mask: int
    """Of an address."""
    is_sized: bool
    """Whether augmentation data follow, which begin with their size."""
    lsda_bytes: int
    """The size of the pointer in augmentation data that are not empty."""

    def program(self, data: bytes, position: int, end: int) -> int | None:
        """Return where the instructions of an FDE begin, from where its range ends; None where
        its augmentation data are not as compilers write them."""
        if not self.is_sized:
            return position
        if position >= end:
            return None
        length = data[position]
        after = position + 1 + length
        if length >= 0x80 or after > end:
            return None
        return None if length and position + 1 + self.lsda_bytes > end else after


def layout_of(cie: Cie, *, is_eh: bool) -> FdeLayout | None:
    """Return how the FDEs of a CIE begin; None where that depends on each."""
    form, augmentation = cie.format, cie.augmentation
    return _layout(
        form.endian,
        form.pointer_encoding if is_eh else ABSOLUTE,
        form.address_size,
        form.section_address,
        cie.segment_selector_size,
        augmentation.lsda_encoding if augmentation.is_sized else None,
    )


@lru_cache(maxsize=256)
def _layout(
    endian: Endian,
    encoding: int,
    address_size: int,
    section_address: int,
    selector_bytes: int,
    lsda_encoding: int | None,
) -> FdeLayout | None:
    """Return the layout for these properties of a CIE. `lsda_encoding`: None where there are no
    augmentation data."""
    letter = struct_letter(encoding, address_size)
    if letter is None or encoding & 0xF0 not in _BASES:
        return None
    form = Struct(f"{'<' if endian == 'little' else '>'}{selector_bytes}x{letter}{letter}")
    lsda_bytes = 0
    if lsda_encoding not in (None, OMITTED):
        assert lsda_encoding is not None
        size_bytes = fixed_bytes(lsda_encoding, address_size)
        has_base = lsda_encoding & 0x70 in _BASES
        lsda_bytes = size_bytes if size_bytes is not None and has_base else _UNKNOWN_BYTES
    return FdeLayout(
        form.unpack_from,
        form.size,
        section_address + selector_bytes if encoding & 0x70 else None,
        (1 << 8 * address_size) - 1,
        lsda_encoding is not None,
        lsda_bytes,
    )
