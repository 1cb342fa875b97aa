"""Base type entries (DWARF 5 section 5.1; AMD text A.5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.registry import abi_of
from dwarfgpu.base.base_type import ENCODINGS, OTHER_ENCODING, BaseType, float_format
from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.errors import IllFormed, Unsupported

if TYPE_CHECKING:
    from fractions import Fraction

MAX_SCALE: Final = 1_000
"""The largest power of 2 or 10 that a fixed point number is multiplied by."""


class WrongVendorAttribute(IllFormed):
    """An attribute of the AMD text that is of another class than it has there, or whose number it
    does not allow."""

    @property
    def kind(self) -> str:
        return "IllFormed"


def base_type_of(die: Die, *, in_storage: bool = False) -> BaseType:
    """Return the base type of an entry; `IllFormed` if it is not one, or has no size.

    `in_storage`: whether values are read from objects, where they may begin inside their storage
    (`first_bit_of`); otherwise that is `Unsupported`.
    The sizes of a vector type are those of one element, because its element type is "the same as T
    without the DW_AT_LLVM_vector_size attribute" (A.5.1).
    """
    if die.tag != dw.TAG_BASE_TYPE:
        raise IllFormed(f"entry at {die.offset:#x} has tag {die.tag:#x}: not a base type")
    name = die.string(dw.AT_NAME) or f"base type {die.offset:#x}"
    where = f"base type {name} at {die.offset:#x}"
    code = die.integer(dw.AT_ENCODING)
    if code is None:
        raise IllFormed(f"{where} has no encoding")
    encoding = ENCODINGS.get(code, f"{OTHER_ENCODING}{code:x}")
    bits = _element_bits(die, where)
    first_bit = 0 if in_storage else _first_bit(die, bits)
    if first_bit:
        raise Unsupported(f"{where} has its value at bit {first_bit} of its storage, not at bit 0")
    count = _llvm_constant(die, dw.AT_LLVM_VECTOR_SIZE, "DW_AT_LLVM_vector_size")
    if count is not None and count <= 0:
        raise WrongVendorAttribute(f"{where} has a vector size of {count}")
    form = None
    if encoding in ("float", "complex_float"):
        x87 = abi_of(die.unit.sections.object.machine).has_x87
        is_complex = encoding == "complex_float"
        form = float_format(name, bits // 2 if is_complex else bits, x87=x87)
    space = address_space(die) if encoding == "address" else None
    scale = _scale(die, where) if encoding in ("signed_fixed", "unsigned_fixed") else None
    return BaseType(name, encoding, bits * (count or 1), endian_of(die), count, space, form, scale)


def address_space(die: Die) -> int:
    """Return the address space of a pointer or of a base type for addresses; 0, the default one,
    without the attribute (A.5.1, A.5.3)."""
    return _llvm_constant(die, dw.AT_LLVM_ADDRESS_SPACE, "DW_AT_LLVM_address_space") or 0


def _llvm_constant(die: Die, name: int, title: str) -> int | None:
    """Return a DW_AT_LLVM attribute with a title; `WrongVendorAttribute` if it is of another
    class."""
    constant = die.llvm_integer(name)
    if constant is None and any(True for _ in die.llvm_numbers(name)):
        where = f"{title} of the entry at {die.offset:#x}"
        raise WrongVendorAttribute(f"{where} is not an integer constant")
    return constant


def has_size_zero(die: Die) -> bool:
    """Return whether a base type has 0 bytes or bits, as Triton's `unknown_type`."""
    sizes = {die.integer(dw.AT_BYTE_SIZE), die.integer(dw.AT_BIT_SIZE)} - {None}
    return sizes == {0} and not die.has(dw.AT_LLVM_VECTOR_SIZE)


def storage_bits_of(die: Die) -> int | None:
    """Return the size of an object of a base type or subrange, if its value has fewer bits: both
    sizes are given (DWARF 5 5.1); None if the value fills it. `IllFormed` if it does not fit."""
    bits, storage = die.integer(dw.AT_BIT_SIZE), die.integer(dw.AT_BYTE_SIZE)
    if bits is None or storage is None or die.has(dw.AT_LLVM_VECTOR_SIZE):
        return None
    if bits > 8 * storage:
        raise die.located(
            IllFormed(f"DW_AT_bit_size {bits} is more than DW_AT_byte_size {storage} has")
        )
    return 8 * storage if bits < 8 * storage else None


def first_bit_of(die: Die) -> int:
    """Return where a value begins in its storage, in bits (DWARF 5 5.1); `IllFormed` if it does not
    end there."""
    bits = die.integer(dw.AT_BIT_SIZE)
    first = 0 if bits is None else _first_bit(die, bits)
    if first and bits is not None:
        storage = 8 * (die.integer(dw.AT_BYTE_SIZE) or 0)
        if first < 0 or first + bits > storage:
            raise die.located(
                IllFormed(f"{bits} bits at bit {first} are not in a storage of {storage} bits")
            )
    return first


def _scale(die: Die, where: str) -> Fraction | None:
    """Return the scale factor of a fixed-point number (DWARF 5 5.1.1); GNAT writes any fraction."""
    from fractions import Fraction  # few programs have such types

    for number, base in ((dw.AT_BINARY_SCALE, 2), (dw.AT_DECIMAL_SCALE, 10)):
        exponent = die.signed_integer(number)
        if exponent is not None:
            if abs(exponent) > MAX_SCALE:
                raise IllFormed(f"{where} has a scale of {base} to the power of {exponent}")
            return Fraction(base) ** exponent
    small = die.reference(dw.AT_SMALL)
    if small is None:
        return None
    numerator = small.integer(dw.AT_GNU_NUMERATOR)
    denominator = small.integer(dw.AT_GNU_DENOMINATOR)
    if numerator is None or not denominator:
        raise Unsupported(f"{where} has a scale that is not a fraction (DW_AT_small)")
    scale = Fraction(numerator, denominator)
    if scale <= 0:
        raise IllFormed(f"{where} has a scale of {scale}")
    return scale


def _element_bits(die: Die, where: str) -> int:
    """Return the size of the value in bits; with one in bytes, within its storage (DWARF 5 5.1)."""
    bits = die.integer(dw.AT_BIT_SIZE)
    if bits is None:
        bits = (die.integer(dw.AT_BYTE_SIZE) or 0) * 8
    if bits < 0:
        raise IllFormed(f"{where} has a negative size: {bits} bits")
    if bits == 0:
        raise IllFormed(f"{where} has no size")
    return bits


def _first_bit(die: Die, bits: int) -> int:
    """Return where a value begins in its storage: DW_AT_data_bit_offset, before DWARF 4
    DW_AT_bit_offset.

    The older one counts from the most significant bit (DWARF 3 5.1).
    """
    first = die.integer(dw.AT_DATA_BIT_OFFSET)
    if first is not None:
        return first
    from_top, storage = die.integer(dw.AT_BIT_OFFSET), die.integer(dw.AT_BYTE_SIZE)
    if from_top is None or storage is None or die.integer(dw.AT_BIT_SIZE) is None:
        return 0
    return from_top if endian_of(die) == "big" else 8 * storage - from_top - bits


def endian_of(die: Die) -> Endian:
    """Return the byte order of DW_AT_endianity: 0 default, 1 big, 2 little (DWARF 5 7.8).

    Raises `Unsupported` for other numbers, which are those of vendors or have no meaning.
    """
    match die.integer(dw.AT_ENDIANITY):
        case 1:
            return "big"
        case 2:
            return "little"
        case None | 0:
            return die.unit.endian
        case number:
            name = die.string(dw.AT_NAME) or "without a name"
            raise Unsupported(
                f"base type {name} at {die.offset:#x} has the unknown byte order {number} "
                "(DW_AT_endianity)"
            )
