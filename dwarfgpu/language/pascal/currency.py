"""Numbers of the type Currency of Free Pascal, which have four decimal places.

Law: a result is that of exact arithmetic, rounded once, to the nearest number of the type.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from dwarfgpu.base.base_type import is_currency
from dwarfgpu.base.bits import signed
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_number
from dwarfgpu.language.c_numbers import NOT_A_NUMBER, holds
from dwarfgpu.language.kinds_of_operands import Operators
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import Value


def has_currency(*operands: TypedValue) -> bool:
    """Return whether one of the operands is of the type."""
    return any(_currency(operand.type) is not None for operand in operands)


def combined(
    arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue
) -> TypedValue:
    """Apply `+ - * /`, whose result is of the type if one operand is, as in Free Pascal."""
    kind = left.type if _currency(left.type) is not None else right.type
    a, b = _finite(arithmetic, left), _finite(arithmetic, right)
    if operator == "/" and not b:
        if not isinstance(arithmetic.objects, Unevaluated):
            raise EvaluationError("Division by zero")
        b = Fraction(1)
    match operator:
        case "+":
            return _value(kind, a + b)
        case "-":
            return _value(kind, a - b)
        case "*":
            return _value(kind, a * b)
        case "/":
            return _value(kind, a / b)
        case _:
            raise UsageError(NOT_A_NUMBER)


def negated(arithmetic: Operators, value: TypedValue) -> TypedValue:
    """Return `-value`."""
    return _value(value.type, -_finite(arithmetic, value))


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
        return _value(type_, exact)
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


def _value(type_: Type | None, number: Fraction) -> TypedValue:
    kind = _currency(type_)
    assert kind is not None
    size, multiple = kind.base.bit_size, _rounded(number / Fraction(kind.base.scale or 1))
    if not -(1 << size - 1) <= multiple < 1 << size - 1:
        raise UsageError("Currency does not have the number: it is too large.")
    return TypedValue(type_, bits=Bits(multiple & (1 << size) - 1, size))


def _rounded(number: Fraction) -> int:
    """Return the nearest integer, of two the one that is not towards 0."""
    magnitude = floor(abs(number) + Fraction(1, 2))
    return -magnitude if number < 0 else magnitude
