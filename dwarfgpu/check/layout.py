"""The code of entries and the layout of types: values that contradict each other."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.abi import NO_ABI
from dwarfgpu.arch.registry import abi_of
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die, constant_bytes, constant_excess
from dwarfgpu.dwarf.names.cxx import canonical
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, DATA, bounds_fault, pc_bounds
from dwarfgpu.dwarf.types.array_shape import subrange_bounds
from dwarfgpu.dwarf.types.base_types import WrongVendorAttribute
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.class_builder import offset_and_location, variant_values
from dwarfgpu.dwarf.types.type_sizes import padding_bits, size_bits
from dwarfgpu.dwarf.types.types import Base, Struct, strip
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed, counted

_INTEGERS: Final = frozenset({0x05, 0x07})
"""DW_ATE_signed and DW_ATE_unsigned: Triton gives its unknown types the one, rustc `()` the other,
whose one value needs no bits."""

_MAX_DEPTH: Final = 32
"""Structures of one member inside one another that are looked into for padding."""
_NUMBERS_OF_C: Final = frozenset(
    f"{sign}{size}"
    for sign in ("", "signed ", "unsigned ")
    for size in ("char", "short", "int", "long", "long long")
)
"""Names of integers that have bytes in every language."""
_FLOAT: Final = 0x04
"""DW_ATE_float."""
_FLOATS_OF_C: Final = frozenset({"float", "double", "long double"})


def code_fault(die: Die) -> str | None:
    """Return why the code of an entry does not end after it begins, within the addresses of the
    machine; None if it does, or has no code."""
    try:
        bounds = pc_bounds(die)
    except DwarfGpuError:
        return None  # an address that cannot be read
    return None if bounds is None else bounds_fault(die, *bounds)


def layout_fault(die: Die) -> str | None:
    """Return why a base type cannot be read or has no format, a member has two locations, a
    pointer, a bit-field or an enumeration no bits, a bit-field is outside its storage, an
    enumerator has no value, a subrange two sizes, or a value several variants (DWARF 5 5.1, 5.3,
    5.7, 5.8, 5.13); None if nothing is so."""
    if die.tag == dw.TAG_ENUMERATOR:
        return "the enumerator has no DW_AT_const_value"
    if die.tag == dw.TAG_MEMBER:
        return _member_fault(die)
    try:
        if die.tag == dw.TAG_VARIANT_PART:
            return _variants_fault(die)
        if die.tag == dw.TAG_SUBRANGE_TYPE:
            subrange_bounds(die)
            return None
        if die.tag == dw.TAG_ENUMERATION_TYPE:
            return _enumeration_fault(die)
        if _lacks_name(die):
            return None  # reported as the string
        built = types_of(die.unit).build(die)
        if die.integer(dw.AT_BYTE_SIZE) == 0:
            return _zero_bytes_fault(die)
        if isinstance(built, Base) and die.integer(dw.AT_ENCODING) == _FLOAT:
            return _float_fault(die, built)
    except WrongVendorAttribute:
        return None  # reported as the attribute
    except (IllFormed, Malformed) as error:
        if die.tag == dw.TAG_VARIANT_PART and error.context is not None:
            return None  # reported as the reference, or as a type
        return str(error.message)
    except DwarfGpuError:
        pass  # no fault of the file's
    return None


def _lacks_name(die: Die) -> bool:
    try:
        die.string(dw.AT_NAME)
    except DwarfGpuError:
        return True
    return False


def _zero_bytes_fault(die: Die) -> str | None:
    if die.integer(dw.AT_ENCODING) not in _INTEGERS:
        return "a number of its encoding has more than 0 bytes"
    if canonical(die.name or "") in _NUMBERS_OF_C:
        return f"the type {die.name} has more than 0 bytes"
    return None


def _float_fault(die: Die, built: Base) -> str | None:
    """Return that a number of C has the size of no format; None for another name, which may have a
    format of its own, and on a machine whose formats are not known."""
    base, name = built.base, die.name
    if base.float_format is not None or name not in _FLOATS_OF_C or not base.bit_size:
        return None
    if abi_of(die.unit.sections.object.machine) is NO_ABI:
        return None  # some have numbers of 24 or 40 bits
    return f"no format of a {name} has {counted(base.bit_size, 'bit')}"


def _enumeration_fault(die: Die) -> str | None:
    """Return why an enumeration cannot tell its enumerators apart; one alone needs no bits."""
    if die.integer(dw.AT_BYTE_SIZE) != 0 or die.integer(dw.AT_BIT_SIZE):
        return None
    count = sum(1 for _ in die.children(frozenset({dw.TAG_ENUMERATOR})))
    return f"an enumeration with {count} enumerators has more than 0 bytes" if count > 1 else None


def _variants_fault(part: Die) -> str | None:
    """Return why a value of the discriminant does not choose one variant (DWARF 5 5.7.10)."""
    discriminant = part.reference(dw.AT_DISCR)
    if discriminant is None or discriminant.tag != dw.TAG_MEMBER:
        return None  # reported as the reference
    ranges: list[tuple[int, int, int]] = []
    defaults = 0
    for number, (_, values) in enumerate(variant_values(types_of(part.unit), part)):
        defaults += not values
        for low, high in values:
            if high < low and part.unit.style == "ada":  # a choice may be a null range
                continue
            if high < low:
                return f"no value is in the range {low} to {high} of DW_AT_discr_list"
            ranges.append((low, high, number))
    if defaults > 1:
        return f"{defaults} variants have no value, and one can be the default"
    last, owner = None, None
    for low, high, number in sorted(ranges):
        if last is not None and low <= last and number != owner:
            return f"two variants have the value {low} of the discriminant"
        if last is None or high > last:
            last, owner = high, number
    return None


def _member_fault(die: Die) -> str | None:
    bits = die.integer(dw.AT_BIT_SIZE)
    if bits == 0 and die.has(dw.AT_NAME) and die.unit.style != "ada":  # a component may have Size 0
        return "a bit-field that has a name has more than 0 bits"
    if die.has(dw.AT_DATA_MEMBER_LOCATION) and die.has(dw.AT_DATA_BIT_OFFSET):
        return "both DW_AT_data_member_location and DW_AT_data_bit_offset say where it is"
    if die.has(dw.AT_BIT_OFFSET) and die.has(dw.AT_DATA_BIT_OFFSET):
        return "both DW_AT_bit_offset and DW_AT_data_bit_offset say where it is"
    try:
        return _storage_fault(die, bits) if bits else None
    except (IllFormed, Malformed) as error:
        return str(error.message) if error.context is None else None  # a type is reported itself
    except DwarfGpuError:
        return None  # no fault of the file's


def _storage_fault(die: Die, bits: int) -> str | None:
    """Return why a bit-field with DW_AT_bit_offset is not in its storage unit, or ends after its
    structure (DWARF 3 5.5.6).

    A field that crosses the end of its storage unit has an offset below 0 from LLVM.
    """
    from_top, types, above = die.integer(dw.AT_BIT_OFFSET), types_of(die.unit), die.parent()
    if from_top is None:
        return None
    storage = die.integer(dw.AT_BYTE_SIZE) or types.size_of_object(die)
    if storage is not None and from_top + bits > 8 * storage:
        return f"{bits} bits at DW_AT_bit_offset {from_top} are not in a storage of {8 * storage}"
    first, base = offset_and_location(types, die)
    size = above.integer(dw.AT_BYTE_SIZE) if above is not None and above.tag in CLASSES else None
    if base is None and size is not None and first + bits > 8 * size:
        name = f" {die.name}" if die.name else ""
        return f"the member{name} ends at bit {first + bits} of a type of {counted(size, 'byte')}"
    return None


def lacks_padding(die: Die, bits: int) -> bool:
    """Return whether an object has no other bits than these and padding: a `long double` of x86."""
    kind = types_of(die.unit).type_of(die)
    size = size_bits(kind)
    if size is None or bits >= size:
        return False
    bare = strip(kind)
    for _ in range(_MAX_DEPTH):
        if not isinstance(bare, Struct) or len(bare.members) != 1:
            break
        kind = bare.members[0].type  # a structure of it alone
        if size_bits(kind) != size:
            return False
        bare = strip(kind)
    return size - bits <= padding_bits(kind)


def constant_fault(die: Die) -> tuple[str, str] | None:
    """Return the rule that DW_AT_const_value breaks, with a message: it cannot be read, or has
    other bits than its object (DWARF 5 4.1); None if it breaks none."""
    try:
        value = die.attribute(dw.AT_CONST_VALUE)
        if value is None:
            return None
        if die.tag == dw.TAG_ENUMERATOR:
            above = die.parent()
            size_bytes = None if above is None else above.integer(dw.AT_BYTE_SIZE)
        else:
            size_bytes = types_of(die.unit).size_of_object(die)
        if value.kind == "constant" and die.tag in DATA:
            constant_bytes(value, size_bytes, die.unit.endian)
        excess = constant_excess(value, size_bytes)
        if excess is not None:
            return "value-exceeds-type", excess
        if value.kind == "block" and isinstance(value.raw, bytes):
            bits = 8 * len(value.raw)
            if not size_bytes or bits >= 8 * size_bytes or lacks_padding(die, bits):
                return None
            message = f"DW_AT_const_value has {bits} bits, and the object {8 * size_bytes}"
            return "value-short-of-type", message
    except (IllFormed, Malformed) as error:
        if error.context is None:  # a type is reported itself
            return "wrong-layout", str(error.message)
    except DwarfGpuError:
        pass  # no fault of the file's
    return None
