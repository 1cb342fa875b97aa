"""Arrays of Fortran as GDB prints them: `((1, 2) (3, ...) ...)`, `(5, <repeats 12 times>)`.

`set print elements` counts the elements of all dimensions together, and of arrays in elements
apart. Elements are no level of `set print max-depth`, nor lines of `set print array`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import offset_bits
from dwarfgpu.dwarf.types.types import Struct, Type, strip
from dwarfgpu.view.object_bits import parts_of
from dwarfgpu.view.object_printer import Shown


@frozen
class FortranArray:
    """An array to be printed."""

    shown: Shown
    element: Type | None
    counts: Sequence[int]
    """Elements of each dimension, the outermost first; and of each the distance in bits."""
    strides: Sequence[int]
    first_indexes: Sequence[int | None]
    depth: int
    letter: str | None

    def pieces(self, first_bit: int) -> Iterator[str]:
        """Yield the text."""
        if self.depth >= self.shown.options.max_depth:
            yield "(...)"
            return
        yield from _Walk(self).rows(0, first_bit)


class _Walk:
    """What is left to print."""

    def __init__(self, array: FortranArray) -> None:
        self._array = array
        self._left = array.shown.options.elements
        # As in GDB, a structure is on the level of its array; others show no type, as in members.
        is_struct = isinstance(strip(array.element), Struct)
        self._depth = array.depth if is_struct else array.depth + 1
        self._is_dynamic = is_dynamic(array.element)
        size = array.shown.size(array.element)
        self._parts = [
            parts_of(array.counts[index:], array.strides[index:], size)
            for index in range(1, len(array.counts) + 1)
        ]
        """Of an element of each dimension: what is between elements is not compared."""

    def rows(self, dimension: int, first_bit: int) -> Iterator[str]:
        """Yield one dimension."""
        array, options = self._array, self._array.shown.options
        count, stride = array.counts[dimension], array.strides[dimension]
        is_last = dimension == len(array.counts) - 1
        separator = ", " if is_last else " "
        size = 1 if is_last else prod(array.counts[dimension + 1 :])
        yield "("
        index = 0
        while index < count:
            if index:
                yield separator
            start = first_bit + offset_bits(stride, count, index)
            if self._left <= 0 or self._is_missing(start, stride, dimension):
                yield "..."
                break
            equal = 1
            if stride > 0 and size and count - index > options.repeats:
                fitting = max(self._left // size, 1)
                equal = array.shown.object.equal_neighbours(
                    start, stride, count - index, self._parts[dimension]
                )
                equal = min(equal, fitting)
            is_repeated = equal > options.repeats
            yield self._index(dimension, index)
            yield from self._item(dimension, start, is_last=is_last)
            if is_repeated:
                yield f"{separator}<repeats {equal} times>"
                self._left -= (equal - 1) * size
            index += equal if is_repeated else 1
        yield ")"

    def _item(self, dimension: int, start: int, *, is_last: bool) -> Iterator[str]:
        array = self._array
        if not is_last:
            yield from self.rows(dimension + 1, start)
            return
        self._left -= 1
        shown, element = array.shown, array.element
        if self._is_dynamic:
            whole = shown.required(element)
            placed = whole.resolver.resolved(element, whole.part(start), whole.around)
            yield from shown.guarded(shown.placed(placed, whole.around, self._depth, array.letter))
        else:
            yield from shown.value(element, start, self._depth, array.letter)

    def _is_missing(self, start: int, stride: int, dimension: int) -> bool:
        """Return whether an element is behind what was read of the object."""
        shown, parts = self._array.shown, self._parts[dimension]
        size = max((offset + size for offset, size in parts), default=abs(stride))
        return shown.is_cut and start + size > shown.object.size_bits

    def _index(self, dimension: int, index: int) -> str:
        """Return `(2) = ` before an element, if so requested."""
        if not self._array.shown.options.array_indexes:
            return ""
        first = self._array.first_indexes[dimension] or 0
        return f"({first + index}) = "
