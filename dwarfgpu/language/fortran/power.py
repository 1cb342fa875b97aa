"""The operator `**` of Fortran and Ada (Fortran 2018 10.1.5.2, Ada 2012 4.5.6).

Law: the result does not depend on the C library of this machine.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.float_format import FloatFormat, Special
from dwarfgpu.dwarf.types.types import Type
from dwarfgpu.errors import EvaluationError, Unsupported, UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_boolean
from dwarfgpu.language.c_numbers import NOT_A_NUMBER
from dwarfgpu.language.complexes import is_complex
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.value import Value

if TYPE_CHECKING:
    from dwarfgpu.language.number_rules import NumberRules

_DIGITS: Final = 80
"""Decimal digits, more than twice those of any format."""
_MAX_BITS: Final = 4096
_EXACT: Final = 64
"""Powers up to which the product is calculated, and rounded once."""
NO_LOGICAL_ARITHMETIC: Final = "Invalid operation on booleans."
_WIDE: Final = Context(prec=_DIGITS, Emax=100_000, Emin=-100_000, traps=[])


def no_power(base: TypedValue, exponent: TypedValue) -> UsageError | Unsupported:
    """Return the error for operands that are no integers and no real numbers."""
    if is_complex(base.type) or is_complex(exponent.type):
        return Unsupported("** of a complex number is not supported: write a product")
    if any(is_boolean(operand.type) for operand in (base, exponent)):
        return UsageError(NO_LOGICAL_ARITHMETIC)
    return UsageError(NOT_A_NUMBER)


def raised(rules: NumberRules, base: Number, exponent: Number) -> Number:
    """Return a number raised to the power of another, of integers in the type of their product; in
    Ada an integer exponent leaves the type of the base (Ada 2012 4.5.6)."""
    has_own = rules.name == "Ada" and not exponent.is_float
    kind = rules.common("**", base, base if has_own else exponent)
    if not base.is_float and not exponent.is_float:
        number, times = rules.numbers.cast(base, kind).value.integer, exponent.value.integer
        if times < 0 and rules.name == "Ada":
            raise EvaluationError("The exponent is negative: Ada raises Constraint_Error.")
        return rules.kept(_integers(number, times, rules.modulus(kind)), kind)
    kind = base.type if not exponent.is_float else kind
    left = rules.numbers.cast(base, kind)
    form = left.value.type.float_format
    if form is None:
        raise UsageError(NOT_A_NUMBER)
    times_real = _power_of(rules, exponent, kind)
    if exponent.is_float and not rules.has_power(form.decode(left.value.bits), times_real):
        bits = form.nan()
    else:
        bits = _floats(form, left.value.bits, times_real)
    return Number(Value(bits, left.value.type), kind)


def _power_of(rules: NumberRules, exponent: Number, kind: Type) -> Fraction | Special:
    """Return the number that an exponent is: an integer exactly, also where the type of the base
    has it not."""
    if not exponent.is_float:
        return Fraction(exponent.value.integer)
    value = rules.numbers.cast(exponent, kind).value
    form = value.type.float_format
    assert form is not None
    return form.decode(value.bits)


def _integers(base: int, exponent: int, modulus: int) -> int:
    """Return a power, or where it is long another number that is the same in the type, and like it
    none of its values."""
    if exponent >= 0:
        if base.bit_length() * exponent <= _MAX_BITS:
            return int(base**exponent)
        return pow(base, exponent, modulus) + modulus * modulus
    if base == 0:
        raise EvaluationError("Attempt to raise 0 to negative power.")
    if base in (1, -1):
        return base if exponent % 2 else 1
    return 0  # 1 divided by an integer, truncated


def _floats(form: FloatFormat, base: int, times: Fraction | Special) -> int:
    """Return a power as IEEE 754 has it (9.2.1), also of zeros, infinities and NaN."""
    number, one = form.decode(base), form.encode(Fraction(1))
    if times == 0 or number == 1:
        return one
    if "nan" in (number, times):
        return form.nan()
    magnitude = inf if isinstance(number, str) else abs(number)
    if isinstance(times, str):
        if magnitude == 1:
            return one
        return form.infinity(0) if (magnitude > 1) == (times == "inf") else form.zero(0)
    is_odd = times.denominator == 1 and times.numerator % 2 == 1
    sign = form.sign(base) if is_odd else 0
    if isinstance(number, str) or not number:
        return form.infinity(sign) if bool(number) == (times > 0) else form.zero(sign)
    if number < 0 and times.denominator != 1:
        return form.nan()
    if times.denominator == 1 and abs(times) <= _EXACT:
        return form.encode(Fraction(number ** int(times)), sign)
    raised = _WIDE.power(_decimal(number), _decimal(times))
    if raised.is_infinite():
        return form.infinity(sign)
    return form.encode(Fraction(raised), sign) if raised else form.zero(sign)


def _decimal(number: Fraction) -> Decimal:
    return _WIDE.divide(Decimal(number.numerator), Decimal(number.denominator))
