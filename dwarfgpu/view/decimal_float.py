"""Decimal floating-point numbers, as C's `_Decimal64` (IEEE 754-2019 section 3.5)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import Special

_SIZES: Final = (32, 64, 128)


def decimal_of(base: BaseType, bits: int, architecture: Architecture | None) -> Decimal | None:
    """Return a decimal number with the digits that it is stored with.

    None for a type of another encoding or size, and for a machine whose ABI does not say that it
    uses the binary encoding of decimal numbers; a file does not say which of the two it uses.
    """
    if base.encoding != "decimal_float" or base.bit_size not in _SIZES or architecture is None:
        return None
    return _binary_encoded(bits, base.bit_size) if architecture.abi.has_binary_decimals else None


def _binary_encoded(bits: int, size: int) -> Decimal:
    """Return the number of an encoding in binary (3.5.2); a coefficient that is too large is 0."""
    precision = 9 * size // 32 - 2
    bias = (3 << size // 16 + 3) + precision - 2
    exponent_bits = size // 16 + 6
    sign = "-" if bits >> size - 1 else ""
    combination = bits >> size - 6 & 0x1F
    if combination == 0x1E:
        return Decimal(f"{sign}Infinity")
    if combination == 0x1F:
        payload = bits & (1 << size - exponent_bits - 4) - 1
        digits = payload if 0 < payload < 10 ** (precision - 1) else ""
        name = ("NaN", "sNaN")[bits >> size - 7 & 1]
        return Decimal(f"{sign}{name}{digits}")
    rest = size - 1 - exponent_bits
    coefficient = bits & (1 << rest) - 1
    if combination >= 0x18:
        rest -= 2
        coefficient = 4 << rest | bits & (1 << rest) - 1
    if coefficient >= 10**precision:
        coefficient = 0
    exponent = (bits >> rest & (1 << exponent_bits) - 1) - bias
    return Decimal(f"{sign}{coefficient}E{exponent}")


def exact(number: Decimal) -> Fraction | Special:
    """Return a number exactly; `inf`, `-inf` or `nan` for others."""
    if number.is_finite():
        return Fraction(number)
    return "nan" if number.is_nan() else "-inf" if number.is_signed() else "inf"
