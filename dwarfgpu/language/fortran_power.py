"""The operator `**` of Fortran (Fortran 2018 10.1.5.2).

Law: the result does not depend on the C library of this machine.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from dwarfgpu.base.float_format import FloatFormat
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import EvaluationError, Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import Number
from dwarfgpu.language.builtin_types import INT_BITS
from dwarfgpu.language.c_numbers import NOT_A_NUMBER, Numbers
from dwarfgpu.language.complexes import is_complex
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.value import Value

_DIGITS: Final = 80
"""Decimal digits, more than twice those of any format."""
_EXACT: Final = 64
"""Powers up to which the product is calculated, and rounded once."""
NO_LOGICAL_ARITHMETIC: Final = "Invalid operation on booleans."
_FAILED: Final = "Cannot perform exponentiation"
_WIDE: Final = Context(prec=_DIGITS, Emax=100_000, Emin=-100_000, traps=[])


def power(arithmetic: Arithmetic, base: TypedValue, exponent: TypedValue) -> TypedValue:
    """Return a number raised to the power of another; `UsageError` for what is no real number."""
    if is_complex(base.type) or is_complex(exponent.type):
        raise Unsupported("** of a complex number is not supported: write a product")
    if any(is_logical(operand.type) for operand in (base, exponent)):
        raise UsageError(NO_LOGICAL_ARITHMETIC)
    numbers = arithmetic.numbers
    left, right = arithmetic.number(base), arithmetic.number(exponent)
    if not left.is_float and not right.is_float:
        left = _promoted(numbers, left)
        raised = _integers(left.value.integer, right.value.integer, left.value.type.bit_size)
        return arithmetic.value(Number(Value.of(raised, left.value.type), left.type))
    if right.is_float:  # as GDB: in double, unless one of them is longer
        left, right = (_at_least_double(numbers, side) for side in numbers.usual(left, right))
    else:
        right = numbers.to(right, left.type, left.value.type)
    kind = left.value.type
    if kind.float_format is None:
        raise UsageError(NOT_A_NUMBER)
    bits = _floats(kind.float_format, left.value.bits, right.value.bits)
    return arithmetic.value(Number(Value(bits, kind), left.type))


def _promoted(numbers: Numbers, number: Number) -> Number:
    """Return an integer of at least the size of `int`; others keep their type, as in GDB."""
    return numbers.promoted(number) if number.value.type.bit_size < INT_BITS else number


def _at_least_double(numbers: Numbers, number: Number) -> Number:
    double = numbers.builtins.floating("double")
    is_longer = number.value.type.bit_size > double.base.bit_size
    return number if is_longer else numbers.cast(number, double)


def is_logical(type_: Type | None) -> bool:
    bare = strip(type_)
    return isinstance(bare, Base) and bare.base.encoding == "boolean"


def _integers(base: int, exponent: int, bit_size: int) -> int:
    if exponent >= 0:
        return pow(base, exponent, 1 << bit_size)
    if base == 0:
        raise EvaluationError("Attempt to raise 0 to negative power.")
    if base in (1, -1):
        return base if exponent % 2 else 1
    return 0  # 1 divided by an integer, truncated


def _floats(form: FloatFormat, base: int, exponent: int) -> int:
    number, times = form.decode(base), form.decode(exponent)
    if not isinstance(number, str) and not isinstance(times, str):
        if number == 0 and times < 0:
            raise EvaluationError(f"{_FAILED}: Numerical result out of range")
        if number < 0 and times.denominator != 1:
            raise EvaluationError(f"{_FAILED}: Numerical argument out of domain")
        if number and times.denominator == 1 and abs(times) <= _EXACT:
            return form.encode(Fraction(number ** int(times)))
    raised = _WIDE.power(_decimal(form, base), _decimal(form, exponent))
    if raised.is_nan():
        return form.nan()
    sign = int(raised.is_signed())
    if raised.is_infinite():
        return form.infinity(sign)
    return form.encode(Fraction(raised), sign) if raised else form.zero(sign)


def _decimal(form: FloatFormat, bits: int) -> Decimal:
    number = form.decode(bits)
    if isinstance(number, str):
        return Decimal("NaN" if "nan" in number else number)
    if not number:
        return Decimal("-0" if form.sign(bits) else "0")
    return _WIDE.divide(Decimal(number.numerator), Decimal(number.denominator))
