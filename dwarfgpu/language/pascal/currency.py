"""Numbers of the type Currency of Free Pascal, which have four decimal places.

Law: Free Pascal computes with the number of ten-thousandths as an Extended, and rounds it only
where an object gets it, to the nearest, of two to the even one. A real number beside it becomes
that number in its own format.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dwarfgpu.base.base_type import is_currency
from dwarfgpu.base.bits import signed
from dwarfgpu.base.float_format import BINARY64, X87_EXTENDED, FloatFormat
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_number, scale_of
from dwarfgpu.language.c_numbers import NOT_A_NUMBER, holds
from dwarfgpu.language.kinds_of_operands import Operators
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import Value

_TOO_LARGE: Final = "Currency does not have the number: it is too large."


def has_currency(*operands: TypedValue) -> bool:
    """Return whether one of the operands is of the type."""
    return any(_currency(operand.type) is not None for operand in operands)


def is_operand(type_: Type | None) -> bool:
    """Return whether a number of the type may be beside one of Currency."""
    return _currency(type_) is not None or is_number(type_)


def combined(
    arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue
) -> TypedValue:
    """Apply `+ - * /`, whose result is of the type if one operand is, as in Free Pascal."""
    kind = left.type if _currency(left.type) is not None else right.type
    a, b = (units(arithmetic, side, kind) for side in (left, right))
    return rounded(kind, units_combined(arithmetic, operator, a, b, kind))


def units_combined(
    arithmetic: Operators, operator: str, left: Fraction, right: Fraction, kind: Type | None
) -> Fraction:
    """Apply `+ - * /` to two numbers in units of the last place."""
    scale = _scale(kind)
    match operator:
        case "+":
            return _extended(left + right)
        case "-":
            return _extended(left - right)
        case "*":
            return _extended(_extended(left * right) * scale)
        case "/":
            if not right and not isinstance(arithmetic.objects, Unevaluated):
                raise EvaluationError("Division by zero")
            return _extended(_extended(left / (right or Fraction(1))) / scale)
        case _:
            raise UsageError(NOT_A_NUMBER)


def units_multiplied(number: Fraction, constant: int) -> Fraction:
    """Multiply a number in units of the last place by an integer constant, which has no such
    units."""
    return _extended(number * constant)


def units(arithmetic: Operators, value: TypedValue, kind: Type | None) -> Fraction:
    """Return a number in units of the last place, as it is computed with."""
    scaled = _finite(arithmetic, value) / _scale(kind)
    if not _is_float(value):
        return _extended(scaled)
    form = arithmetic.number(value).value.type.float_format
    assert form is not None
    return _in_format(form, scaled)


def real_of_units(
    arithmetic: Operators, number: Fraction, kind: Type | None, type_: Type
) -> TypedValue:
    """Return a number in units of the last place as a real number of a type."""
    return _real(arithmetic, _extended(number * _scale(kind)), type_)


def negated(arithmetic: Operators, value: TypedValue) -> TypedValue:
    """Return `-value`."""
    return rounded(value.type, -_multiple(arithmetic, value, value.type))


def compared(arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue) -> bool:
    """Compare two numbers, one of them of the type."""
    kind = left.type if _currency(left.type) is not None else right.type
    a, b = (units(arithmetic, side, kind) for side in (left, right))
    return holds(operator, (a > b) - (a < b))


def converted(arithmetic: Operators, value: TypedValue, type_: Type) -> TypedValue:
    """Return a number as the nearest one of the type, or one of the type as another number: as an
    integer without its decimal places, as `/d` shows it."""
    exact = _finite(arithmetic, value)
    bare = strip(type_)
    if _currency(type_) is not None:
        return rounded(type_, _multiple(arithmetic, value, type_))
    if isinstance(bare, Base) and bare.base.encoding == "float":
        return _real(arithmetic, exact, type_)
    whole = arithmetic.numbers.integer(int(exact), 64)
    return arithmetic.value(arithmetic.numbers.cast(whole, type_))


def _currency(type_: Type | None) -> Base | None:
    bare = strip(type_)
    return bare if isinstance(bare, Base) and is_currency(bare.base) else None


def _is_float(value: TypedValue) -> bool:
    bare = strip(value.type)
    return isinstance(bare, Base) and bare.base.encoding == "float"


def _real(arithmetic: Operators, exact: Fraction, type_: Type) -> TypedValue:
    """Return a number as a real number of a type."""
    bare = strip(type_)
    assert isinstance(bare, Base)
    base = arithmetic.numbers.plain(bare.base)
    assert base.float_format is not None
    return arithmetic.value(Number(Value(base.float_format.encode(exact), base), type_))


def _finite(arithmetic: Operators, value: TypedValue) -> Fraction:
    """Return the number that a value is, exactly; `UsageError` for one that is none."""
    kind = _currency(value.type)
    if kind is not None:
        bits = arithmetic.objects.known(value)
        return signed(bits.value, bits.size_bits) * Fraction(scale_of(kind.base))
    if not is_number(value.type):
        raise UsageError(NOT_A_NUMBER)
    number = arithmetic.number(value).value
    form = number.type.float_format
    if form is None:
        return Fraction(number.integer)
    exact = form.decode(number.bits)
    if isinstance(exact, str):
        raise UsageError(f"Currency does not have the number {exact}.")
    return exact


def _scale(type_: Type | None) -> Fraction:
    kind = _currency(type_)
    return Fraction(1 if kind is None else scale_of(kind.base))


def _format(arithmetic: Operators, value: TypedValue) -> FloatFormat:
    """Return the format in which a real number is computed with, Double or Extended."""
    form = arithmetic.number(value).value.type.float_format
    is_long = form is not None and form.fraction_bits > BINARY64.fraction_bits
    return X87_EXTENDED if is_long else BINARY64


def _extended(number: Fraction) -> Fraction:
    return _in_format(X87_EXTENDED, number)


def _in_format(form: FloatFormat, number: Fraction) -> Fraction:
    """Return the nearest number of a format."""
    exact = form.decode(form.encode(number))
    if isinstance(exact, str):
        raise UsageError(_TOO_LARGE)
    return exact


def _multiple(arithmetic: Operators, value: TypedValue, kind: Type | None) -> Fraction:
    """Return the number of the type that a value becomes, in units of its last place: a real number
    is scaled in its own format, or as Double."""
    scaled = _finite(arithmetic, value) / _scale(kind)
    if _is_float(value):
        scaled = _in_format(_format(arithmetic, value), scaled)
    return Fraction(round(scaled))


def rounded(type_: Type | None, number: Fraction) -> TypedValue:
    """Return the nearest number of the type to one in units of its last place."""
    kind = _currency(type_)
    assert kind is not None
    size, multiple = kind.base.bit_size, round(number)
    if not -(1 << size - 1) <= multiple < 1 << size - 1:
        raise UsageError(_TOO_LARGE)
    return TypedValue(type_, bits=Bits(multiple & (1 << size) - 1, size))
