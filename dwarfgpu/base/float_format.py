"""Binary floating point of any format, exactly: bits to rational numbers and back.

One implementation for IEEE 754 binary16/32/64/128 and the x87 extended format: operations are
done on fractions and rounded once, to nearest even.
"""

from __future__ import annotations

import math
from operator import index
from typing import TYPE_CHECKING, Final, Literal

from dwarfgpu.base.argument_types import methods_name_wrong_arguments
from dwarfgpu.base.arguments import integer, wrong_value
from dwarfgpu.base.records import frozen, plain_fields

if TYPE_CHECKING:
    from fractions import Fraction

Special = Literal["nan", "inf", "-inf"]
_MOST_PADDED_BITS: Final = 128
"""Of an object that is an x87 number."""
_MOST_EXPONENT_BITS: Final = 27
"""Those of binary1024 (IEEE 754, 3.6): a number is an integer of as many bits as its exponent."""
_MOST_FRACTION_BITS: Final = 996
"""The same."""
_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 63) - 1
"""The bounds of GDB's LONGEST, to which it converts floating-point numbers."""


def long_long(exact: Fraction | Special) -> int:
    """Return the integer of 64 bits for a number, without its fraction.

    As in GDB, the nearest one where C leaves it open: for NaN the greatest."""
    if isinstance(exact, str):
        return _LEAST if exact == "-inf" else _MOST
    return max(_LEAST, min(int(exact), _MOST))


def _require_sign(sign: int) -> None:
    if not 0 <= sign <= 1:
        raise wrong_value("sign", sign, "0 or 1")


@methods_name_wrong_arguments
@frozen
class FloatFormat:
    """How a binary floating point number is laid out, as in IEEE 754: a sign, a biased exponent and
    a fraction; numbers go in and come out as the bits of such a layout."""

    name: str
    exponent_bits: int
    fraction_bits: int
    explicit_integer_bit: bool = False
    """Whether the bit before the fraction is there, as in the x87 format."""

    def __attrs_post_init__(self) -> None:
        plain_fields(self, "exponent_bits", "fraction_bits", "explicit_integer_bit")
        integer("FloatFormat.exponent_bits", self.exponent_bits, 1, _MOST_EXPONENT_BITS)
        integer("FloatFormat.fraction_bits", self.fraction_bits, 1, _MOST_FRACTION_BITS)

    @property
    def size_bits(self) -> int:
        """The bits of a number."""
        return 1 + self.exponent_bits + self.explicit_integer_bit + self.fraction_bits

    @property
    def bias(self) -> int:
        """What is added to an exponent where it is stored."""
        return (1 << self.exponent_bits - 1) - 1

    def _require_bits(self, bits: int) -> None:
        """Raise `UsageError` for an integer that is no number of the format, perhaps with
        padding."""
        size_bits = _MOST_PADDED_BITS if self.explicit_integer_bit else self.size_bits
        if not 0 <= bits < 1 << size_bits:
            raise wrong_value("bits", bits, f"an integer of {size_bits} bits")

    def _fields(self, bits: int) -> tuple[int, int, int, int]:
        """Return sign, biased exponent, integer bit and fraction."""
        self._require_bits(bits)
        fraction = bits & (1 << self.fraction_bits) - 1
        bits >>= self.fraction_bits
        integer = 0
        if self.explicit_integer_bit:
            integer = bits & 1
            bits >>= 1
        exponent = bits & (1 << self.exponent_bits) - 1
        if not self.explicit_integer_bit:
            integer = 1 if exponent else 0
        return bits >> self.exponent_bits & 1, exponent, integer, fraction

    def _pack(self, sign: int, exponent: int, integer: int, fraction: int) -> int:
        bits = sign << self.exponent_bits | exponent
        if self.explicit_integer_bit:
            bits = bits << 1 | integer
        return bits << self.fraction_bits | fraction

    def sign(self, bits: int) -> int:
        """Return 1 for a number with its sign bit set, including a zero or NaN."""
        return self._fields(bits)[0]

    def is_valid(self, bits: int) -> bool:
        """Return whether the integer bit is that of the exponent: x87 has no other numbers."""
        _, exponent, integer, _ = self._fields(bits)
        return not self.explicit_integer_bit or bool(exponent) == bool(integer)

    def negate(self, bits: int) -> int:
        """Return the number with the other sign, also of a NaN."""
        self._require_bits(bits)
        return bits ^ 1 << self.size_bits - 1

    def zero(self, sign: int = 0) -> int:
        """Return 0, or -0 for a sign of 1."""
        _require_sign(sign)
        return self._pack(sign, 0, 0, 0)

    def infinity(self, sign: int = 0) -> int:
        """Return infinity, negative for a sign of 1."""
        _require_sign(sign)
        return self._pack(sign, (1 << self.exponent_bits) - 1, 1, 0)

    def nan(self) -> int:
        """Return the quiet NaN without a sign or a payload."""
        return self._pack(0, (1 << self.exponent_bits) - 1, 1, 1 << self.fraction_bits - 1)

    def quieted(self, bits: int, of: FloatFormat) -> int:
        """Return the quiet NaN with the sign and payload of a NaN of a format, from the top of its
        fraction, as hardware converts one; the plain NaN for an encoding that x87 refuses."""
        sign, _, _, fraction = of._fields(bits)
        if not of.is_valid(bits):
            return self.nan()
        spare = self.fraction_bits - of.fraction_bits
        fraction = fraction << spare if spare >= 0 else fraction >> -spare
        quiet = 1 << self.fraction_bits - 1
        return self._pack(sign, (1 << self.exponent_bits) - 1, 1, fraction | quiet)

    def decode(self, bits: int) -> Fraction | Special:
        """Return the number; both zeros give 0. Unnormal x87 encodings are NaN, as in hardware.

        Bits above `size_bits` are padding of objects of x87 numbers; they are not read.
        `UsageError` for an integer that is not of the format.
        """
        from fractions import Fraction  # most commands read no number of a floating-point type

        # A Fraction holds one number: `index` separates lanes with different bits.
        sign, exponent, integer, fraction = self._fields(index(bits))
        if exponent == (1 << self.exponent_bits) - 1:
            if fraction or not integer and self.explicit_integer_bit:
                return "nan"
            return "-inf" if sign else "inf"
        if self.explicit_integer_bit and exponent and not integer:
            return "nan"
        scale = max(exponent, 1) - self.bias - self.fraction_bits
        significand = integer << self.fraction_bits | fraction
        number = (
            Fraction(significand << scale) if scale >= 0 else Fraction(significand, 1 << -scale)
        )
        return -number if sign else number

    def encode(self, number: Fraction, sign: int | None = None) -> int:
        """Round to the nearest number of this format, ties to even; `sign` is used for a zero."""
        if number == 0:
            return self.zero(sign or 0)
        sign = int(number < 0)
        top, bottom = abs(number.numerator), number.denominator
        exponent = top.bit_length() - bottom.bit_length()
        if top << max(-exponent, 0) < bottom << max(exponent, 0):
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)
        scale = self.fraction_bits - exponent
        # On integers: a Fraction would look for common factors of numbers of 16,000 bits.
        top, bottom = top << max(scale, 0), bottom << max(-scale, 0)
        significand, remainder = divmod(top, bottom)
        if 2 * remainder > bottom or (2 * remainder == bottom and significand & 1):
            significand += 1
        if significand >> self.fraction_bits + 1:
            significand >>= 1
            exponent += 1
        integer = significand >> self.fraction_bits
        biased = exponent + self.bias if integer else 0
        if biased >= (1 << self.exponent_bits) - 1:
            return self.infinity(sign)
        return self._pack(sign, biased, integer, significand & (1 << self.fraction_bits) - 1)

    def to_float(self, bits: int) -> float:
        """Return the nearest Python float, for display."""
        number = self.decode(bits)
        if isinstance(number, str):
            return float(number)
        if number == 0:
            return -0.0 if self.sign(bits) else 0.0
        try:
            return float(number)
        except OverflowError:
            return math.inf if number > 0 else -math.inf


BFLOAT16: Final = FloatFormat("bfloat16", 8, 7)
BINARY16: Final = FloatFormat("binary16", 5, 10)
BINARY32: Final = FloatFormat("binary32", 8, 23)
BINARY64: Final = FloatFormat("binary64", 11, 52)
BINARY128: Final = FloatFormat("binary128", 15, 112)
X87_EXTENDED: Final = FloatFormat("x87 extended", 15, 63, explicit_integer_bit=True)


def add(form: FloatFormat, a: int, b: int) -> int:
    """Return the sum, rounded to nearest even."""
    x, y = form.decode(a), form.decode(b)
    if x == "nan" or y == "nan":
        return _first_nan(form, a, b)
    if isinstance(x, str) or isinstance(y, str):
        if isinstance(x, str) and isinstance(y, str) and x != y:
            return form.nan()
        return a if isinstance(x, str) else b
    return form.encode(x + y, sign=form.sign(a) & form.sign(b))


def subtract(form: FloatFormat, a: int, b: int) -> int:
    """Return the difference, rounded to nearest even."""
    is_nan = form.decode(b) == "nan"  # it keeps its sign
    return add(form, a, b if is_nan else form.negate(b))


def multiply(form: FloatFormat, a: int, b: int) -> int:
    """Return the product, rounded to nearest even."""
    x, y = form.decode(a), form.decode(b)
    sign = form.sign(a) ^ form.sign(b)
    if x == "nan" or y == "nan":
        return _first_nan(form, a, b)
    if isinstance(x, str) or isinstance(y, str):
        if x == 0 or y == 0:
            return form.nan()
        return form.infinity(sign)
    return form.encode(x * y, sign=sign)


def divide(form: FloatFormat, a: int, b: int) -> int:
    """Return the quotient, rounded to nearest even; a number divided by zero is an infinity."""
    x, y = form.decode(a), form.decode(b)
    sign = form.sign(a) ^ form.sign(b)
    if x == "nan" or y == "nan":
        return _first_nan(form, a, b)
    if isinstance(x, str):
        return form.nan() if isinstance(y, str) else form.infinity(sign)
    if isinstance(y, str):
        return form.zero(sign)
    if y == 0:
        return form.nan() if x == 0 else form.infinity(sign)
    return form.encode(x / y, sign=sign)


def remainder(form: FloatFormat, a: int, b: int) -> int:
    """Return what remains of a division with an integer quotient, with the sign of `a`: `fmod` of
    C, which is exact."""
    x, y = form.decode(a), form.decode(b)
    if x == "nan" or y == "nan":
        return _first_nan(form, a, b)
    if isinstance(x, str) or y == 0:
        return form.nan()
    if isinstance(y, str):
        return a
    return form.encode(x - int(x / y) * y, sign=form.sign(a))


def _first_nan(form: FloatFormat, a: int, b: int) -> int:
    """Return the first of two operands that is a NaN, made quiet (IEEE 754 6.2.3)."""
    return form.quieted(a if form.decode(a) == "nan" else b, form)


def compare(form: FloatFormat, a: int, b: int) -> int | None:
    """Return a negative number, zero or a positive one as a is less, equal or greater; None if
    unordered."""
    x, y = form.decode(a), form.decode(b)
    if x == "nan" or y == "nan":
        return None
    order = {"-inf": -1, "inf": 1}
    rank_x = order[x] if isinstance(x, str) else 0
    rank_y = order[y] if isinstance(y, str) else 0
    if rank_x or rank_y:
        return rank_x - rank_y
    assert not isinstance(x, str) and not isinstance(y, str)
    return (x > y) - (x < y)
