"""Numbers of the type Currency of Free Pascal, which have four decimal places.

Law: a result is the nearest number of the type, of two the even one. Free Pascal computes it as
Extended, beside a Double as one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dwarfgpu.base.base_type import is_currency
from dwarfgpu.base.bits import signed
from dwarfgpu.base.float_format import BINARY64, X87_EXTENDED, FloatFormat
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_number
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


def combined(
    arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue
) -> TypedValue:
    """Apply `+ - * /`, whose result is of the type if one operand is, as in Free Pascal."""
    kind = left.type if _currency(left.type) is not None else right.type
    scale, sides = _scale(kind), (left, right)
    a, b = (_finite(arithmetic, side) / scale for side in sides)
    if operator == "/" and not b:
        if not isinstance(arithmetic.objects, Unevaluated):
            raise EvaluationError("Division by zero")
        b = Fraction(1)
    form = next((_format(arithmetic, side) for side in sides if _is_float(side)), X87_EXTENDED)
    match operator:
        case "+":
            return _value(kind, _in_format(form, a + b))
        case "-":
            return _value(kind, _in_format(form, a - b))
        case "*":
            return _value(kind, _in_format(form, _in_format(form, a * b) * scale))
        case "/":
            return _value(kind, _in_format(form, _in_format(form, a / b) / scale))
        case _:
            raise UsageError(NOT_A_NUMBER)


def negated(arithmetic: Operators, value: TypedValue) -> TypedValue:
    """Return `-value`."""
    return _value(value.type, -_multiple(arithmetic, value, value.type))


def compared(arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue) -> bool:
    """Compare two numbers, one of them of the type: with one in a binary format as the nearest
    number of that format, so that 0.1 is equal to `0.1`."""
    if any(_is_float(side) for side in (left, right)):
        sides = [
            _as_float(arithmetic, side, other) for side, other in ((left, right), (right, left))
        ]
        return holds(operator, sides[0].compare(sides[1]))
    a, b = _finite(arithmetic, left), _finite(arithmetic, right)
    return holds(operator, (a > b) - (a < b))


def converted(arithmetic: Operators, value: TypedValue, type_: Type) -> TypedValue:
    """Return a number as the nearest one of the type, or one of the type as another number: as an
    integer without its decimal places, as `/d` shows it."""
    exact = _finite(arithmetic, value)
    bare = strip(type_)
    if _currency(type_) is not None:
        return _value(type_, _multiple(arithmetic, value, type_))
    if isinstance(bare, Base) and bare.base.encoding == "float":
        base = arithmetic.numbers.plain(bare.base)
        assert base.float_format is not None
        number = Number(Value(base.float_format.encode(exact), base), type_)
        return arithmetic.value(number)
    whole = arithmetic.numbers.integer(int(exact), 64)
    return arithmetic.value(arithmetic.numbers.cast(whole, type_))


def _currency(type_: Type | None) -> Base | None:
    bare = strip(type_)
    return bare if isinstance(bare, Base) and is_currency(bare.base) else None


def _is_float(value: TypedValue) -> bool:
    bare = strip(value.type)
    return isinstance(bare, Base) and bare.base.encoding == "float"


def _as_float(arithmetic: Operators, value: TypedValue, other: TypedValue) -> Value:
    """Return a number in the format of the operand that has a binary one."""
    if _is_float(value):
        return arithmetic.number(value).value
    assert other.type is not None
    return arithmetic.number(converted(arithmetic, value, other.type)).value


def _finite(arithmetic: Operators, value: TypedValue) -> Fraction:
    """Return the number that a value is, exactly; `UsageError` for one that is none."""
    kind = _currency(value.type)
    if kind is not None:
        bits = arithmetic.objects.known(value)
        return signed(bits.value, bits.size_bits) * Fraction(kind.base.scale or 1)
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
    return Fraction(1 if kind is None else kind.base.scale or 1)


def _format(arithmetic: Operators, value: TypedValue) -> FloatFormat:
    """Return the format in which a real number is computed with, Double or Extended."""
    form = arithmetic.number(value).value.type.float_format
    is_long = form is not None and form.fraction_bits > BINARY64.fraction_bits
    return X87_EXTENDED if is_long else BINARY64


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


def _value(type_: Type | None, number: Fraction) -> TypedValue:
    """Return the nearest number of the type to one in units of its last place."""
    kind = _currency(type_)
    assert kind is not None
    size, multiple = kind.base.bit_size, round(number)
    if not -(1 << size - 1) <= multiple < 1 << size - 1:
        raise UsageError(_TOO_LARGE)
    return TypedValue(type_, bits=Bits(multiple & (1 << size) - 1, size))
