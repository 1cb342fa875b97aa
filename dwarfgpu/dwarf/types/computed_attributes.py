"""Attributes of types that may be computed for each object, unresolved: sizes, strides, bounds, the
length of a string, the descriptor of an array (DWARF 5 2.19, 5.11, 5.18).

Law: nothing is evaluated. A constant is a number, anything else stays as it is.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die, is_flag_as_number
from dwarfgpu.dwarf.forms import read_uleb
from dwarfgpu.dwarf.types.dynamic_properties import Computed, Measure, StringLength
from dwarfgpu.errors import IllFormed, Malformed

NAMES: Final = {
    dw.AT_BYTE_SIZE: "DW_AT_byte_size",
    dw.AT_BIT_SIZE: "DW_AT_bit_size",
    dw.AT_BYTE_STRIDE: "DW_AT_byte_stride",
    dw.AT_BIT_STRIDE: "DW_AT_bit_stride",
    dw.AT_LOWER_BOUND: "DW_AT_lower_bound",
    dw.AT_UPPER_BOUND: "DW_AT_upper_bound",
    dw.AT_COUNT: "DW_AT_count",
    dw.AT_ALLOCATED: "DW_AT_allocated",
    dw.AT_ASSOCIATED: "DW_AT_associated",
    dw.AT_DATA_LOCATION: "DW_AT_data_location",
    dw.AT_RANK: "DW_AT_rank",
    dw.AT_STRING_LENGTH: "DW_AT_string_length",
}
REFERENCE_CLASSES: Final = frozenset({"unit_reference", "section_reference", "signature"})
"""Classes of attributes whose value is that of another entry."""
_OP_PLUS_UCONST: Final = 0x23
_OP_CONSTU: Final = 0x10
_NARROW_FORMS: Final = (dw.FORM_DATA1, dw.FORM_DATA2, dw.FORM_DATA4)
_BOUNDS: Final = frozenset({dw.AT_LOWER_BOUND, dw.AT_UPPER_BOUND})


def computed(die: Die, number: int, factor: int = 1) -> Computed | None:
    """Return an attribute that is not a constant; None if it is absent."""
    attribute = die.attribute(number)
    if attribute is None:
        return None
    if attribute.kind in REFERENCE_CLASSES:
        target = die.reference(number)
        assert target is not None
        return Computed(NAMES[number], target, factor)
    location = die.unit.location_of(die, number)
    assert location is not None
    return Computed(NAMES[number], location, factor)


def measure(die: Die, number: int, factor: int = 1) -> Measure:
    """Return a numeric attribute; None if it is absent.

    Bounds have the sign of their form. But an upper bound other than -1, that of an empty array, is
    not negative: producers write large bounds in the smallest form, 255 as one byte 0xff, and
    2**32 - 1 as DW_FORM_data4.
    """
    attribute = die.attribute(number)
    if attribute is None:
        return None
    if attribute.kind != "constant" and not is_flag_as_number(die, number, attribute):
        return computed(die, number, factor)
    if not isinstance(attribute.raw, int):
        raise IllFormed(f"{NAMES[number]} of the entry at {die.offset:#x} is not a number")
    value = attribute.raw
    if number in _BOUNDS:
        signed = die.signed_integer(number)
        is_empty = signed == -1 and attribute.form not in _NARROW_FORMS
        if signed is not None and (number == dw.AT_LOWER_BOUND or is_empty):
            value = signed
    return value * factor


def in_bits(die: Die, bits: int, in_bytes: int) -> Measure:
    """Return a size or stride in bits from one of two attributes."""
    measured = measure(die, bits)
    return measure(die, in_bytes, 8) if measured is None else measured


def descriptor(die: Die) -> tuple[Measure, Measure, Computed | None]:
    """Return the descriptor: DW_AT_associated, DW_AT_allocated and DW_AT_data_location."""
    return (
        measure(die, dw.AT_ASSOCIATED),
        measure(die, dw.AT_ALLOCATED),
        computed(die, dw.AT_DATA_LOCATION),
    )


def has_descriptor(die: Die) -> bool:
    """Return whether what the entry describes must be found, or may be absent."""
    return any(
        die.has(attribute) for attribute in (dw.AT_ASSOCIATED, dw.AT_ALLOCATED, dw.AT_DATA_LOCATION)
    )


def string_length(die: Die) -> StringLength | None:
    """Return where the length of a string is. `IllFormed` for a value."""
    where = computed(die, dw.AT_STRING_LENGTH)
    if where is None:
        return None
    size = die.integer(dw.AT_STRING_LENGTH_BYTE_SIZE)
    bits = die.integer(dw.AT_STRING_LENGTH_BIT_SIZE)
    if size is None and bits is not None:
        size = (bits + 7) // 8
    if size is None and die.unit.format.version < 5:
        size = die.integer(dw.AT_BYTE_SIZE)  # until DWARF 4 it was the size of the length
    return StringLength(where, size or die.unit.format.address_size)


def constant_offset(expression: bytes) -> int | None:
    """Return the offset that DWARF 2 wrote as `plus_uconst`, or `constu; plus`, of the address;
    None for another expression."""
    if not expression or expression[0] not in (_OP_PLUS_UCONST, _OP_CONSTU):
        return None
    try:
        value, position = read_uleb(expression, 1, len(expression))
    except Malformed:
        return None
    suffix = b"" if expression[0] == _OP_PLUS_UCONST else b"\x22"
    return value if expression[position:] == suffix else None
