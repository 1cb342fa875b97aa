"""DWARF expression values and their arithmetic (AMD text A.2.5.2; DWARF 5 2.5.1.4 to 2.5.1.6).

A value is its bits and its base type. What the texts leave open is decided in
`docs/spec-notes.md` and `docs/conformance-format.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Final

from dwarfgpu.base import float_format
from dwarfgpu.base.argument_types import (
    names_wrong_arguments,
    refuse_wrong_field,
    require_right_arguments,
)
from dwarfgpu.base.arguments import FOREIGN, plain_integer, wrong_type, wrong_value
from dwarfgpu.base.base_type import BaseType, merged
from dwarfgpu.base.bits import signed
from dwarfgpu.base.float_format import FloatFormat
from dwarfgpu.base.records import field, frozen, no_number, plain_fields
from dwarfgpu.errors import EvaluationError, IllFormed, Unsupported, counted

_MAX_BITS: Final = 1 << 30
"""Maximum size of a value in bits: it takes that much memory."""


@no_number("number", has_truth=True)
@frozen
class Value:
    """A literal value of a base type."""

    bits: int = field(repr=hex)
    """The value as an unsigned integer of the type's bit size."""
    type: BaseType = field(repr=str)

    def __attrs_post_init__(self) -> None:
        if type(self.bits) is not int:
            plain_fields(self, "bits")

    @classmethod
    def of(cls, number: int, base: BaseType) -> Value:
        """Return the low-order bits of a number, as a value of an integral or address type."""
        try:
            if type(number) is not int:
                number = plain_integer(number)
            if base.bit_size > _MAX_BITS:
                raise wrong_value("BaseType.bit_size", base.bit_size, f"at most {_MAX_BITS:#x}")
            return cls(number & (1 << base.bit_size) - 1, base)
        except FOREIGN:
            require_right_arguments(Value.of, number, base)
            raise

    @property
    def as_signed(self) -> int:
        """The bits read as two's complement, whatever the type says."""
        try:
            return signed(self.bits, self.type.bit_size)
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    @property
    def number(self) -> int | float:
        """The number as its type reads it; the generic type is read unsigned.

        `UsageError` if `bits` has more bits than the type, or is negative."""
        try:
            if self.bits >> self.type.bit_size:
                size = counted(self.type.bit_size, "bit")
                raise wrong_value("Value.bits", self.bits, f"an unsigned integer of {size}")
            if self.type.encoding == "float":
                return _float_format(self.type, "reading").to_float(self.bits)
            return self.as_signed if self.type.is_signed else self.bits
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    @property
    def integer(self) -> int:
        """The number of an integral value; `IllFormed` for any other type."""
        try:
            self.require_integral()
            return self.as_signed if self.type.is_signed else self.bits
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    @names_wrong_arguments
    def require_integral(self) -> None:
        """Raise `IllFormed` unless the type is integral (A.2.5.2)."""
        base = self.type
        if base.encoding == "generic":
            return
        if not base.is_integral or base.vector_size is not None:
            raise IllFormed(f"an integral type is required, not {self.type}")

    @property
    def displacement(self) -> int:
        """The number of an integral value used as a displacement: the generic type is signed."""
        base = self.type
        try:
            if base.encoding != "generic":
                return self.integer
            return self.bits - (1 << base.bit_size) if self.bits >> base.bit_size - 1 else self.bits
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    def __bool__(self) -> bool:
        """Return whether the value is not the constant 0 (A.2.5.4.2, `DW_OP_bra`)."""
        try:
            if self.type.encoding == "float":
                return _float_format(self.type, "a test for zero").decode(self.bits) != 0
            _refuse_without_arithmetic(self.type, "a test for zero")
            return bool(self.bits)
        except FOREIGN:
            refuse_wrong_field(self)
            raise

    def __add__(self, other: Value) -> Value:
        kind = self.type
        try:
            if kind.encoding == "generic" and other.type is kind:
                return Value(self.bits + other.bits & (1 << kind.bit_size) - 1, kind)
        except FOREIGN:
            require_right_arguments(Value.__add__, self, other)
            raise
        return _arithmetic(self, other, "addition", lambda a, b: a + b, float_format.add)

    def __sub__(self, other: Value) -> Value:
        return _arithmetic(self, other, "subtraction", lambda a, b: a - b, float_format.subtract)

    def __mul__(self, other: Value) -> Value:
        kind = self.type
        try:
            if kind.encoding == "generic" and other.type is kind:
                return Value(self.bits * other.bits & (1 << kind.bit_size) - 1, kind)
        except FOREIGN:
            require_right_arguments(Value.__mul__, self, other)
            raise
        return _arithmetic(self, other, "multiplication", lambda a, b: a * b, float_format.multiply)

    def __truediv__(self, other: Value) -> Value:
        """Divide as DW_OP_div: signed, or unsigned on an unsigned base type; truncates."""
        _require_same_type(self, other, "division")
        if self.type.is_integral and other.bits == 0:
            raise EvaluationError("division by zero")
        return _arithmetic(self, other, "division", _truncated_quotient, float_format.divide)

    def __mod__(self, other: Value) -> Value:
        """Return the remainder as DW_OP_mod: unsigned on the generic type; the sign is that of the
        dividend."""
        _require_integral(self, other, "modulo")
        if other.bits == 0:
            raise EvaluationError("modulo by zero")
        a, b = self.integer, other.integer
        return Value.of(a - b * _truncated_quotient(a, b), self.type)

    def __and__(self, other: Value) -> Value:
        _require_integral(self, other, "bitwise and")
        return Value(self.bits & other.bits, self.type)

    def __or__(self, other: Value) -> Value:
        _require_integral(self, other, "bitwise or")
        return Value(self.bits | other.bits, self.type)

    def __xor__(self, other: Value) -> Value:
        _require_integral(self, other, "bitwise exclusive or")
        return Value(self.bits ^ other.bits, self.type)

    @names_wrong_arguments
    def __invert__(self) -> Value:
        _require_integral(self, self, "complement")
        return Value.of(~self.bits, self.type)

    @names_wrong_arguments
    def __neg__(self) -> Value:
        if self.type.encoding == "float":
            return Value(_float_format(self.type, "negation").negate(self.bits), self.type)
        _refuse_without_arithmetic(self.type, "negation")
        _require_integral(self, self, "negation")
        return Value.of(-self.bits, self.type)

    @names_wrong_arguments
    def __abs__(self) -> Value:
        """Return the absolute value, taken as signed; the least integer has none and wraps."""
        if self.type.encoding == "float":
            form = _float_format(self.type, "absolute value")
            return -self if form.sign(self.bits) else self
        _refuse_without_arithmetic(self.type, "absolute value")
        _require_integral(self, self, "absolute value")
        return Value.of(abs(self.as_signed), self.type)

    def __lshift__(self, count: Value) -> Value:
        _require_integral(self, count, "shift")
        if count.bits >= self.type.bit_size:
            return Value(0, self.type)
        return Value.of(self.bits << count.bits, self.type)

    def __rshift__(self, count: Value) -> Value:
        """Shift right logically, for any type."""
        _require_integral(self, count, "shift")
        return Value(self.bits >> min(count.bits, self.type.bit_size), self.type)

    @names_wrong_arguments
    def shift_right_arithmetic(self, count: Value) -> Value:
        """Shift right, and copy the most significant bit, for any type."""
        _require_integral(self, count, "shift")
        return Value.of(self.as_signed >> min(count.bits, self.type.bit_size), self.type)

    def compare(self, other: Value) -> int | None:
        """Return a negative number, zero or a positive number; None for unordered floats. The
        generic type compares as signed.

        Any two of one type compare (DWARF 5 2.5.1.5): addresses and characters as unsigned.
        """
        _require_same_type(self, other, "comparison")
        if self.type.encoding == "float":
            form = _float_format(self.type, "comparison")
            if differs_by_lane(self.bits, other.bits):
                from dwarfgpu.model import lane_floats  # it needs NumPy

                return lane_floats.compared(form, self.bits, other.bits)
            return float_format.compare(form, self.bits, other.bits)
        _refuse_without_arithmetic(self.type, "comparison")
        is_integral = self.type.is_integral
        try:
            a, b = (
                (self.displacement, other.displacement) if is_integral else (self.bits, other.bits)
            )
        except FOREIGN:  # an implicit pointer has a type, too
            require_right_arguments(Value.compare, self, other)
            raise
        return (a > b) - (a < b)

    def converted(self, to: BaseType) -> Value:
        """Convert as DW_OP_convert between integral and floating types (DWARF 5 2.5.1.6)."""
        try:
            _refuse_vector(self.type, "conversion")
            _refuse_vector(to, "conversion")
        except FOREIGN:
            require_right_arguments(Value.converted, self, to)
            raise
        is_wanted_integral = to.is_integral or to.encoding == "address"
        if to.encoding == "float" and differs_by_lane(self.bits):
            return Value(_floats_of_lanes(self, _float_format(to, "conversion")), to)
        if self.type.encoding == "float":
            form = _float_format(self.type, "conversion")
            exact = form.decode(self.bits)
        elif is_wanted_integral:
            return Value.of(_integer_of(self), to)
        else:
            from fractions import Fraction  # few expressions convert to floating-point types

            exact = Fraction(index(_integer_of(self)))
        if to.encoding == "float":
            target = _float_format(to, "conversion")
            if exact == "nan":
                return Value(target.quieted(self.bits, form), to)
            if isinstance(exact, str):
                return Value(target.infinity(int(exact == "-inf")), to)
            sign = form.sign(self.bits) if self.type.encoding == "float" else None
            return Value(target.encode(exact, sign), to)
        if not is_wanted_integral:
            raise _no_number(to)
        if isinstance(exact, str):
            raise EvaluationError(f"{exact} has no value in the integral type {to}")
        number = int(exact)  # truncates toward zero
        if self.type.encoding == "float" and not _fits(number, to):
            raise EvaluationError(f"{self.number} does not fit the integral type {to}")
        return Value.of(number, to)

    def reinterpreted(self, to: BaseType) -> Value:
        """Reinterpret as DW_OP_reinterpret: the same bits, in storage, as another type of the same
        bit size."""
        try:
            is_of_same_size = self.type.bit_size == to.bit_size
        except FOREIGN:
            require_right_arguments(Value.reinterpreted, self, to)
            raise
        if not is_of_same_size:
            raise IllFormed(
                f"{self.type} of {self.type.bit_size} bits reinterpreted as {to} "
                f"of {to.bit_size} bits"
            )
        if self.type.endian == to.endian:
            return Value(self.bits, to)
        if to.bit_size % 8:
            raise Unsupported(f"{to.bit_size} bits reinterpreted in the other byte order")
        data = self.bits.to_bytes(to.size_bytes, self.type.endian)
        return Value(int.from_bytes(data, to.endian), to)


def merged_operands(second: Value, top: Value) -> tuple[Value, Value]:
    """Return two operands with the signed base type of one, where the other is generic and of its
    size; any others as they are."""
    base = merged(second.type, top.type)
    return (second, top) if base is None else (Value(second.bits, base), Value(top.bits, base))


NUMBERS_NOT_READ = frozenset(
    {"complex_float", "imaginary_float", "decimal_float", "packed_decimal"}
    | {"signed_fixed", "unsigned_fixed"}
)
"""Encodings of numbers on which dwarfgpu does no arithmetic."""


def _no_number(base: BaseType) -> IllFormed | Unsupported:
    if base.encoding in NUMBERS_NOT_READ:
        return Unsupported(f"conversion of {base} ({base.encoding})")
    return IllFormed(f"{base} ({base.encoding}) is neither an integral nor a floating type")


def _integer_of(value: Value) -> int:
    base = value.type
    if base.encoding == "address":
        return value.bits
    if not base.is_integral:
        raise _no_number(base)
    return value.integer


def _fits(number: int, to: BaseType) -> bool:
    """Return whether an integral type holds the number; the generic type reads it either way."""
    least = -(1 << to.bit_size - 1) if to.is_signed or to.is_generic else 0
    most = 1 << to.bit_size - (1 if to.is_signed else 0)
    return least <= number < most


def _truncated_quotient(a: int, b: int) -> int:
    is_negative = (a < 0) != (b < 0)  # in some lanes, it may be
    return abs(a) // abs(b) * (1 - 2 * is_negative)


def is_nonzero(value: Value) -> bool:
    """Return whether a value is not 0, of lanes an answer that decides when it is used."""
    if not differs_by_lane(value.bits):
        return bool(value)
    _refuse_without_arithmetic(value.type, "a test for zero")
    if value.type.encoding != "float":
        return value.bits != 0
    form = _float_format(value.type, "a test for zero")
    return value.bits & (1 << form.size_bits - 1) - 1 != 0  # without the sign


def differs_by_lane(*numbers: int) -> bool:
    """Return whether numbers differ by lane (`dwarfgpu.model.lane_integers`)."""
    return any(type(number) is not int and type(number) is not bool for number in numbers)


def _floats_of_lanes(value: Value, to: FloatFormat) -> int:
    from dwarfgpu.model import lane_floats  # it needs NumPy

    if value.type.encoding != "float":
        return lane_floats.of_integers(_integer_of(value), to)
    return lane_floats.converted(value.bits, _float_format(value.type, "conversion"), to)


def _arithmetic(
    a: Value,
    b: Value,
    operation: str,
    integral: Callable[[int, int], int],
    floating: Callable[[FloatFormat, int, int], int],
) -> Value:
    _require_same_type(a, b, operation)
    if a.type.encoding == "float" and differs_by_lane(a.bits, b.bits):
        from dwarfgpu.model import lane_floats  # it needs NumPy

        form = _float_format(a.type, operation)
        return Value(lane_floats.combined(operation, form, a.bits, b.bits), a.type)
    if a.type.encoding == "float":
        return Value(floating(_float_format(a.type, operation), a.bits, b.bits), a.type)
    _refuse_without_arithmetic(a.type, operation)
    _require_integral(a, b, operation)
    return Value.of(integral(a.displacement, b.displacement), a.type)


def _require_same_type(a: Value, b: Value, operation: str) -> None:
    try:
        if a.type is b.type or a.type == b.type:
            return
    except (AttributeError, ValueError):  # an array of NumPy has no one answer
        raise wrong_type(f"{operation}: other", b, "Value") from None
    raise IllFormed(f"{operation} of {a.type} and {b.type}: both operands must have the same type")


def _require_integral(a: Value, b: Value, operation: str) -> None:
    _require_same_type(a, b, operation)
    if not a.type.is_integral:
        raise IllFormed(f"{operation} requires an integral type, not {a.type}")
    _refuse_vector(a.type, operation)


def _refuse_vector(base: BaseType, operation: str) -> None:
    if base.vector_size is not None:
        raise Unsupported(f"{operation} on the vector type {base}: the AMD text defines no meaning")


def _refuse_without_arithmetic(base: BaseType, operation: str) -> None:
    """Raise `Unsupported` for numbers with which dwarfgpu does not compute; others pass."""
    _refuse_vector(base, operation)
    if base.encoding in NUMBERS_NOT_READ:
        raise Unsupported(f"{operation} of {base} ({base.encoding})")


def _float_format(base: BaseType, operation: str) -> FloatFormat:
    _refuse_vector(base, operation)
    if base.float_format is None:
        raise Unsupported(
            f"{operation} on the floating type {base} of {base.bit_size} bits, whose format is "
            "unknown"
        )
    return base.float_format
