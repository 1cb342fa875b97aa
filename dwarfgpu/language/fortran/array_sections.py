"""Sections of arrays and substrings of Fortran: `a(2:5)`, `a(:,3)`, `text(1:4)` (Fortran 2018
9.4.1, 9.5.3.3).

Law: a section is the same storage as its array, and has no element outside of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.types.type_sizes import offset_bits, strides_of
from dwarfgpu.dwarf.types.types import Absent, Array, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.object_parts import unknown_stride
from dwarfgpu.language.typed_value import TypedValue

_OUTSIDE: Final = "array subscript out of bounds"


@frozen
class Triplet:
    """The indices of one dimension: `low:high:stride`."""

    low: int | None
    """None if not written: the first index."""
    high: int | None
    stride: int = 1


@frozen
class _Steps:
    """What a triplet takes of a dimension: the first index, the last one, and how many."""

    first: int
    last: int
    count: int


def section(
    objects: ObjectAccess, array: TypedValue, subscripts: Sequence[int | Triplet]
) -> TypedValue:
    """Return the part of an array that subscripts select, the fastest first.

    `UsageError` with GDB's wording for indices outside of the array. The first index of every
    dimension of the result is 1.
    """
    bare = strip(array.type)
    if isinstance(bare, Absent):
        raise UsageError(f"array {bare.state}")
    if not isinstance(bare, Array):  # its size is unknown, and an error says why
        raise objects.read(array).error or UsageError("The bounds of the array are unknown.")
    if len(subscripts) != len(bare.dimensions):
        raise UsageError("Wrong number of subscripts")
    strides = strides_of(bare)
    if strides is None:
        slowest = subscripts[-1]
        if isinstance(slowest, Triplet) or len(subscripts) == 1:
            raise unknown_stride(bare)
        return section(objects, objects.element(array, slowest), subscripts[:-1])
    lowers = bare.lower_bounds or (0,) * len(bare.dimensions)
    first_bit = 0
    kept: list[tuple[int, int]] = []
    for subscript, count, lower, stride in zip(
        reversed(subscripts), bare.dimensions, lowers, strides, strict=True
    ):
        if lower is None:
            raise UsageError("The first index of the array is unknown.")
        if isinstance(subscript, Triplet):
            steps = _steps(subscript, lower, count)
            kept.append((steps.count, stride * subscript.stride))
            indices = steps.first, steps.last
        else:
            if subscript < lower or (count is not None and subscript >= lower + count):
                raise UsageError("no such vector element")
            indices = subscript, subscript
        first_bit += min(offset_bits(stride, count or 0, index - lower) for index in indices)
    kind = evolve(
        bare,
        dimensions=tuple(count for count, _ in kept),
        strides_bits=tuple(stride for _, stride in kept),
        lower_bounds=(1,) * len(kept),
        lasts_of_none=(),
        indexes=(),
        own_name=None,
        declared_bits=None,
        lost_length=None,
        attribute="",
        is_section=True,
    )
    return objects.part(array, kind, first_bit)


def _steps(triplet: Triplet, lower: int, count: int | None) -> _Steps:
    """Return the indices of a triplet in a dimension."""
    if triplet.stride == 0:
        raise UsageError("stride must not be 0")
    low = lower if triplet.low is None else triplet.low
    if triplet.high is not None:
        high = triplet.high
    elif count is not None:
        high = lower + count - 1
    else:
        raise UsageError("The last index of the array is unknown: write that of the section.")
    if (high - low) * triplet.stride < 0:
        return _Steps(lower, lower, 0)  # no element, so that its bounds are none of the array
    if min(low, high) < lower or (count is not None and max(low, high) >= lower + count):
        raise UsageError(_OUTSIDE)
    steps = (high - low) // triplet.stride
    return _Steps(low, low + steps * triplet.stride, steps + 1)
