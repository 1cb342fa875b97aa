"""The shape of an array: its dimensions and their bounds, unresolved (DWARF 5 5.5, 5.13).

`base_types` reads DW_AT_LLVM_vector_size, `builder` DW_AT_GNU_vector.

Law: nothing is evaluated, as in `computed_attributes`.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.bits import signed
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.types.computed_attributes import descriptor, in_bits, measure
from dwarfgpu.dwarf.types.dynamic_properties import Bounds, Computed, Measure, Properties
from dwarfgpu.dwarf.types.lower_bounds import default_lower
from dwarfgpu.dwarf.types.type_entries import underlying_base
from dwarfgpu.dwarf.types.types import MAX_CHAIN
from dwarfgpu.errors import IllFormed

_BOUNDS: Final = (dw.AT_LOWER_BOUND, dw.AT_UPPER_BOUND, dw.AT_COUNT)
_WITH_INDEX_TYPES: Final = dw.ADA | {dw.LANG_PASCAL83}
"""Languages in which an index may be an enumerator or a character."""
_WITHOUT_SIGN: Final = (dw.FORM_DATA1, dw.FORM_DATA2, dw.FORM_DATA4, dw.FORM_DATA8)


@frozen(eq=False)
class Shape:
    """The dimensions of an array, outermost first, and what of the array is not constant."""

    dimensions: tuple[int | None, ...]
    lower_bounds: tuple[int | None, ...]
    lasts_of_none: tuple[int | None, ...]
    strides_bits: tuple[int | None, ...]
    size_bits: int | None
    properties: Properties
    indexes: tuple[Die, ...]
    """The entries of the indexes, for an array of Ada or Pascal."""


def array_shape(
    die: Die, packed_bits: int | None = None, implementation: Die | None = None
) -> Shape:
    """Return the shape that an array entry and its subranges describe; `packed_bits`: between the
    elements, where the entry does not say it, but the `implementation` of the array in Ada."""
    bounds: list[Bounds] = []
    generic: list[Bounds] = []
    indexes: list[Die] = []
    if die.unit.language in dw.ADA:
        from dwarfgpu.dwarf.types.gnat_encodings import abstract_array  # few are in Ada

        die = abstract_array(die) or die
    for child in die.children():
        if child.tag == dw.TAG_GENERIC_SUBRANGE:
            generic.append(subrange_bounds(child))
            continue
        if child.tag == dw.TAG_SUBRANGE_TYPE:
            bounds.append(subrange_bounds(child))
        elif child.tag == dw.TAG_ENUMERATION_TYPE:
            bounds.append(_enumerated(child))
        else:
            continue
        indexes.append(child)
    rank = measure(die, dw.AT_RANK)
    if rank is not None:
        if len(generic) != 1 or bounds:
            raise IllFormed(f"array at {die.offset:#x} has a rank and not one generic subrange")
        bounds = generic
    elif generic:
        raise IllFormed(f"array at {die.offset:#x} has a generic subrange and no rank")
    padded_stride: int | None = None
    if die.unit.language in dw.ADA:
        from dwarfgpu.dwarf.types.gnat_encodings import (
            bits_behind,
            bounds_behind,
            discriminated_bounds,
            padded_bits,
        )

        component = die if implementation is None else implementation
        named = bounds_behind(die, len(bounds)) or discriminated_bounds(die, component)
        if named:
            pairs = zip(named, bounds, strict=True)
            bounds = [evolve(bound, values=own.values) for bound, own in pairs]
        padded_stride = packed_bits or bits_behind(die) or padded_bits(die)
    bounds = bounds or [Bounds(default_lower(die))]
    column_major = _is_column_major(die)
    if column_major:
        bounds.reverse()
        indexes.reverse()
    own_stride = in_bits(die, dw.AT_BIT_STRIDE, dw.AT_BYTE_STRIDE)
    own_stride = padded_stride if own_stride is None else own_stride
    if own_stride is not None and bounds[-1].stride_bits is None and rank is None:
        bounds[-1] = evolve(bounds[-1], stride_bits=own_stride)
    size = in_bits(die, dw.AT_BIT_SIZE, dw.AT_BYTE_SIZE)
    lower_bounds = tuple(bound.first_index(_constant(bound.lower)) for bound in bounds)
    lasts = tuple(
        bound.last_of_none(_constant(bound.lower), _constant(bound.upper)) for bound in bounds
    )
    strides = tuple(_constant(bound.stride_bits) for bound in bounds)
    return Shape(
        tuple(None if rank is not None else constant_count(bound) for bound in bounds),
        lower_bounds if any(bound != 0 for bound in lower_bounds) else (),
        lasts if any(last is not None for last in lasts) else (),
        strides if any(stride is not None for stride in strides) else (),
        _constant(size),
        Properties(
            *descriptor(die),
            size_bits=size if isinstance(size, Computed) else None,
            rank=rank,
            bounds=tuple(bounds),
            is_column_major=column_major,
        ),
        tuple(indexes) if die.unit.language in _WITH_INDEX_TYPES else (),
    )


def subrange_bounds(die: Die) -> Bounds:
    """Return the bounds of a subrange; the lower one defaults to that of the language (DWARF 5
    5.13), but for one of Ada without any, which GCC leaves out where it has no variables for them.

    Raises `IllFormed` for a number of elements that is not that between the bounds.
    """
    lower = _bound(die, dw.AT_LOWER_BOUND)
    is_lost = die.unit.language in dw.ADA and not any(map(die.has, _BOUNDS))
    default = None if is_lost else default_lower(die)
    bounds = Bounds(
        default if lower is None else _of_index_type(die, lower),
        _of_index_type(die, _bound(die, dw.AT_UPPER_BOUND)),
        measure(die, dw.AT_COUNT),
        in_bits(die, dw.AT_BIT_STRIDE, dw.AT_BYTE_STRIDE),
        _values_with_gaps(die) if die.unit.language in dw.ADA else (),
    )
    count = bounds.count
    if isinstance(count, int) and bounds.upper is not None:
        between = constant_count(evolve(bounds, count=None))
        if between is not None and between != count:
            message = f"DW_AT_count {count} contradicts the bounds, which have {between} elements"
            raise die.located(IllFormed(message))
    return bounds


def _bound(die: Die, name: int) -> Measure:
    """Return a bound. One of a form without a sign has that of the index type, as in GDB, whose
    size says which bit is the sign."""
    bound, attribute = measure(die, name), die.attribute(name)
    if attribute is None or attribute.form not in _WITHOUT_SIGN or not isinstance(bound, int):
        return bound
    raw, address_bits = attribute.raw, 8 * die.unit.format.address_size
    assert isinstance(raw, int)
    if bound == -1 and name == dw.AT_UPPER_BOUND:
        return bound
    index = underlying_base(die)
    if index is not None and not index.base.is_signed:
        # No array has as many elements as there are addresses: it is an empty one.
        return -1 if name == dw.AT_UPPER_BOUND and raw + 1 == 1 << address_bits else raw
    size_bits = address_bits if index is None else index.base.bit_size
    return signed(raw, size_bits) if raw < 1 << size_bits else raw


def _of_index_type(die: Die, bound: Measure) -> Measure:
    """Return a bound with the size of the subrange's base type, if that has a sign."""
    if not isinstance(bound, Computed) or isinstance(bound.source, Die):
        return bound
    index = underlying_base(die)
    return (
        bound
        if index is None or not index.base.is_signed
        else evolve(bound, sign_bits=index.base.bit_size)
    )


def constant_count(bounds: Bounds) -> int | None:
    """Return the number of elements, if constants determine it."""
    count = bounds.count
    if count is not None:
        return count if isinstance(count, int) else None
    lower, upper = bounds.lower, bounds.upper
    if not isinstance(upper, int) or not isinstance(lower, int):
        return None
    return bounds.length(lower, upper)


def _constant(value: Measure) -> int | None:
    return value if isinstance(value, int) else None


def _enumerated(die: Die) -> Bounds:
    """Return the bounds of a dimension whose indexes are enumerators."""
    values = [
        value
        for child in die.children()
        if child.tag == dw.TAG_ENUMERATOR
        and (value := child.integer(dw.AT_CONST_VALUE)) is not None
    ]
    return Bounds(min(values, default=0), count=len(values))


def _values_with_gaps(die: Die) -> tuple[int, ...]:
    """Return the values of the enumerators that index a dimension in Ada, if not all numbers
    between are values of enumerators."""
    index = die.reference(dw.AT_TYPE)
    for _ in range(MAX_CHAIN):
        if index is None or index.tag not in (dw.TAG_SUBRANGE_TYPE, *dw.TYPEDEFS):
            break
        index = index.reference(dw.AT_TYPE)
    if index is None or index.tag != dw.TAG_ENUMERATION_TYPE:
        return ()
    values = [
        value
        for child in index.children()
        if child.tag == dw.TAG_ENUMERATOR
        and (value := child.integer(dw.AT_CONST_VALUE)) is not None
    ]
    has_gaps = values != list(range(values[0], values[0] + len(values))) if values else False
    return tuple(values) if has_gaps else ()


def _is_column_major(die: Die) -> bool:
    ordering = die.integer(dw.AT_ORDERING)
    if ordering is not None:
        return ordering == dw.ORD_COL_MAJOR
    return die.unit.language in dw.FORTRAN
