"""The dimensions of an array in one object: bounds, counts and strides, in the terms of its
language."""

from __future__ import annotations

from dwarfgpu.base.bits import signed
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.constants import WITH_TYPES_OF_C
from dwarfgpu.dwarf.types.dynamic_properties import (
    Bounds,
    Computed,
    Measure,
    Properties,
    StringLength,
)
from dwarfgpu.dwarf.types.type_sizes import MAX_DIMENSIONS
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import IllFormed, UndefinedBits
from dwarfgpu.model.location import Entry
from dwarfgpu.model.value import Value
from dwarfgpu.session.type_attributes import LocatedObject, TypeAttributes


@frozen
class Dimension:
    """What is known of a dimension of an array; None where it is not."""

    lower: int | None
    count: int | None
    stride_bits: int | None = None
    last_of_none: int | None = None
    """The declared upper bound of a dimension without elements."""


class ArrayDimensions:
    """Measures the dimensions of arrays in one context."""

    def __init__(self, attributes: TypeAttributes) -> None:
        self._attributes = attributes

    def measured(
        self, properties: Properties, about: LocatedObject
    ) -> tuple[list[Dimension], str | None]:
        """Return what is known of each dimension, outermost first, and why the count of one is
        optimized out that an array of C or Fortran is known without: of the one that its rows
        lack."""
        lost_lengths: list[str] = []
        dimensions = self._dimensions(properties, about, lost_lengths)
        return dimensions, lost_lengths[-1] if lost_lengths else None

    def _dimensions(
        self, properties: Properties, about: LocatedObject, lost_lengths: list[str]
    ) -> list[Dimension]:
        """Return the dimensions; `lost_lengths` takes why counts are optimized out."""
        if properties.string_length is not None:
            count = self._string_length(properties, properties.string_length, about, lost_lengths)
            lower = properties.bounds[0].lower
            return [Dimension(lower if isinstance(lower, int) else None, count)]
        if properties.rank is None:
            return [
                self._of_c_or_fortran(bound, properties, about, lost_lengths)
                for bound in properties.bounds
            ]
        rank = self._attributes.number(properties.rank, about)
        if not 0 <= rank <= MAX_DIMENSIONS:
            raise IllFormed(f"DW_AT_rank is {rank}: not of 0 to {MAX_DIMENSIONS}")
        (generic,) = properties.bounds
        index_type = self._attributes.context.generic
        measured = [
            self._dimension(generic, about, (Value(index, index_type),)) for index in range(rank)
        ]
        return measured[::-1] if properties.is_column_major else measured

    def _string_length(
        self,
        properties: Properties,
        length: StringLength,
        about: LocatedObject,
        lost_lengths: list[str],
    ) -> int | None:
        """Return the number of characters; None if it is optimized out."""
        try:
            return self._attributes.string_length(length, about)
        except UndefinedBits as error:
            if properties.data_location is not None or not _may_be_lost(length.where):
                raise
            lost_lengths.append(str(error))
            return None

    def _of_c_or_fortran(
        self, bounds: Bounds, properties: Properties, about: LocatedObject, lost_lengths: list[str]
    ) -> Dimension:
        """Return what is known of a dimension, without a lost count."""
        try:
            return self._dimension(bounds, about)
        except UndefinedBits as error:
            is_lost = any(map(_may_be_lost, (bounds.upper, bounds.count)))
            if properties.data_location is not None or not is_lost:
                raise
            lost_lengths.append(str(error))
            return self._dimension(evolve(bounds, upper=None, count=None), about)

    def _dimension(
        self, bounds: Bounds, about: LocatedObject, stack: tuple[Entry, ...] = ()
    ) -> Dimension:
        lower, stride = (
            None if measure is None else self._attributes.number(measure, about, stack)
            for measure in (bounds.lower, bounds.stride_bits)
        )
        if stride == 0 and _may_be_unset(bounds.stride_bits):
            stride = None
        count: int | None = None
        last: int | None = None
        if bounds.count is not None:
            count = max(0, self._attributes.number(bounds.count, about, stack))
        elif bounds.upper is not None and lower is not None:
            upper = self._attributes.number(bounds.upper, about, stack)
            count = bounds.length(lower, upper)
            if count is not None and isinstance(bounds.upper, Computed):
                distance = signed(count, self._address_bits)  # -1 in a variable without sign
                if distance < 0:
                    upper = signed(upper, self._address_bits)
                count = max(0, distance)
            last = bounds.last_of_none(lower, upper)
        return Dimension(bounds.first_index(lower), count, stride, last)

    @property
    def _address_bits(self) -> int:
        """The size of the numbers with which programs compute bounds: that of an address, and the
        widest of them without an architecture, so that no bound is taken for a negative one."""
        architecture = self._attributes.architecture
        return 64 if architecture is None else architecture.address_bits


def _may_be_lost(length: Measure) -> bool:
    """Return whether a variable or an expression of C or Fortran has a length: as in GDB, an array
    whose length is optimized out has its address and its elements."""
    return _style(length) in WITH_TYPES_OF_C | {"fortran"}


def _may_be_unset(stride: Measure) -> bool:
    """Return whether a stride of 0 is none: that of a descriptor of Fortran, where no two elements
    of an array are at one address. gfortran leaves out the size of the elements, by which it
    multiplies, in arrays of parameterized derived types; as in GDB, such elements are adjacent."""
    return _style(stride) == "fortran"


def _style(measure: Measure) -> str | None:
    """Return the style of the unit whose variable or expression is a measure; None for a number."""
    unit = measure.source.unit if isinstance(measure, Computed) else None
    return unit.style if isinstance(unit, CompilationUnit) else None
