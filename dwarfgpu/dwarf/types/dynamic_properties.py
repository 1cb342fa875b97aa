"""Properties of a type that only the running program determines (DWARF 5 2.19, 5.5, 5.11, 5.13,
5.18; AMD text A.5.18).

`computed_attributes` reads the attributes.

Law: data only. An attribute is kept unresolved, with the unit of its expressions;
`dwarfgpu.session.type_attributes` evaluates it for an object, and `dwarfgpu.session.resolve_type`
applies what it gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.expr.context import ExprLoc, LocList

if TYPE_CHECKING:
    from dwarfgpu.dwarf.die import Die


@frozen(eq=False)
class Computed:
    """An attribute that is not a constant: an expression, a location list or a reference."""

    name: str
    """As the specification spells it: `DW_AT_upper_bound`."""
    source: ExprLoc | LocList | Die
    """A `Die` is the variable or member that holds the value."""
    factor: int = 1
    """The value is multiplied by it: 8 for a size in bytes."""
    sign_bits: int | None = None
    """The size of the signed type that the value has, for a bound: an expression that reads fewer
    bits than the generic type has read no sign."""


Measure: TypeAlias = int | Computed | None
"""A known number, one that the program determines, or none."""


@frozen(eq=False)
class Bounds:
    """A dimension (DWARF 5 5.13). Sizes and strides are in bits."""

    lower: Measure
    """None if unknown."""
    upper: Measure = None
    count: Measure = None
    stride_bits: Measure = None
    values: tuple[int, ...] = ()
    """Those of the enumerators that index an array of Ada, if the values have gaps: the bounds are
    such values, the indexes are their positions."""

    def first_index(self, lower: int | None) -> int | None:
        """Return the index that a lower bound is; None if unknown."""
        if not self.values:
            return lower
        return self.values.index(lower) if lower in self.values else None

    def length(self, lower: int | None, upper: int | None) -> int | None:
        """Return the number of elements between two bounds, these included; None if unknown."""
        first, last = self.first_index(lower), self.first_index(upper)
        return None if first is None or last is None else max(0, last - first + 1)

    def last_of_none(self, lower: int | None, upper: int | None) -> int | None:
        """Return the index that the upper bound of a dimension without elements is; None for one
        with elements, and where the bounds are unknown."""
        return self.first_index(upper) if self.length(lower, upper) == 0 else None

    @property
    def is_constant(self) -> bool:
        measures = (self.lower, self.upper, self.count, self.stride_bits)
        return not any(isinstance(measure, Computed) for measure in measures)


@frozen(eq=False)
class ComputedRange:
    """The values of a subtype of Ada whose bounds are not all constant (5.13)."""

    name: str
    """That of the subtype, for messages."""
    lower: Measure
    upper: Measure
    is_modular: bool
    """Whether the type on which it is based has no sign."""


@frozen(eq=False)
class StringLength:
    """DW_AT_string_length: where the length of a string is, in characters (DWARF 5 5.11)."""

    where: Computed
    size_bytes: int
    """The size in bytes of the number that is there."""


@frozen(eq=False)
class Properties:
    """What must be evaluated, for an object, before the object can be read."""

    associated: Measure = None
    allocated: Measure = None
    data_location: Computed | None = None
    size_bits: Computed | None = None
    rank: Measure = None
    """DW_AT_rank: the number of dimensions, all with the bounds of the generic subrange."""
    bounds: tuple[Bounds, ...] = ()
    """In the order of the dimensions of the array: outermost first."""
    string_length: StringLength | None = None
    is_column_major: bool = False
    """Whether the dimensions of a rank are counted from the innermost."""

    @property
    def is_constant(self) -> bool:
        """Whether it is the same for all objects."""
        measures = (
            self.associated,
            self.allocated,
            self.data_location,
            self.size_bits,
            self.rank,
            self.string_length,
        )
        return all(measure is None for measure in measures) and all(
            bounds.is_constant for bounds in self.bounds
        )

    def computed(self) -> tuple[Computed, ...]:
        """Return the attributes to evaluate, in order."""
        length = self.string_length
        measures: list[Measure] = [self.associated, self.allocated, self.data_location, self.rank]
        measures += [self.size_bits, None if length is None else length.where]
        for bounds in self.bounds:
            measures += [bounds.lower, bounds.upper, bounds.count, bounds.stride_bits]
        return tuple(measure for measure in measures if isinstance(measure, Computed))
