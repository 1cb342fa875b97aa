"""Operators and casts of C on known numbers (C 6.3, 6.5).

Law: arithmetic is exact in the type that C prescribes; this module reads no machine.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, and_, eq, ge, gt, le, lt, mod, mul, ne, or_, sub, truediv, xor
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import signed
from dwarfgpu.base.float_format import long_long
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.types.type_sizes import enum_base, unpacked
from dwarfgpu.dwarf.types.types import Base, Enum, MemberPointer, Pointer, Type, strip
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.language.arithmetic_conversions import ArithmeticConversions, Number, bounded
from dwarfgpu.language.syntax.words import AND_NOT, MOD
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import Value
from dwarfgpu.session.bit_field import number_bits
from dwarfgpu.view.scalars import general, swapped

if TYPE_CHECKING:
    from fractions import Fraction

NOT_A_NUMBER: Final = "Argument to arithmetic operation not a number or boolean."
_INTEGER_ONLY: Final = "Integer-only operation on floating point number."
_OPERATORS: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "+": add, "-": sub, "*": mul, "/": truediv, "%": mod, "&": and_, "|": or_, "^": xor,
    AND_NOT: lambda left, right: left & ~right,
}  # fmt: skip
_INTEGRAL_ONLY: Final = frozenset({"%", "&", "|", "^", "<<", ">>", MOD, AND_NOT})
_DIGITS_OF_INTEGER: Final = 40
_DIGITS_OF_REAL: Final = 20
"""Digits that a message shows of a number."""


def spelled(number: int | Fraction) -> str:
    """Return a number of any size as messages have it; a real number has a point or an exponent."""
    if isinstance(number, int) and abs(number) < 10**_DIGITS_OF_INTEGER:
        return str(number)
    text = general(number, _DIGITS_OF_REAL)
    is_whole = not isinstance(number, int) and "." not in text and "e" not in text
    return f"{text}.0" if is_whole else text


@frozen
class Numbers(ArithmeticConversions):
    """Numbers as an architecture has them."""

    is_evaluated: bool = True
    """Whether the numbers are those of the program, so that a division by zero is an error."""

    def of(self, type_: Type, bits: Bits) -> Number:
        """Return the number for the known bits of a type; `UsageError` if the type has none."""
        bare = strip(type_)
        number, size = bits.value, bounded(bits.size_bits)
        if isinstance(bare, Enum):
            base = enum_base(bare, self.endian)
        elif isinstance(bare, Base):
            base = bare.base
            if bare.unpacked_bits is not None and base.encoding == "float":
                return self.of(unpacked(bare), bits)  # which has the format of all its bits
        elif isinstance(bare, Pointer | MemberPointer):
            base = BaseType("address", "unsigned", size, self.endian)
        else:
            raise UsageError(NOT_A_NUMBER)
        if isinstance(bare, Base) and size == bare.storage_bits:
            value_bits = number_bits(bits, bare, self.endian)
            number, size = value_bits.value, value_bits.size_bits
        elif base.endian != self.endian and size == base.bit_size and size % 8 == 0:
            number = swapped(number, size)
        target = self.plain(base)
        if size < target.bit_size and target.is_signed:  # a bit-field
            number = signed(number, size)
        return Number(Value.of(number, target), type_)

    def bits(self, number: Number) -> Bits:
        """Return the contents of an object of the number's type."""
        bare, size = strip(number.type), number.value.type.bit_size
        if isinstance(bare, Base) and bare.base.bit_size == size:
            size = bare.size_bits
        return Bits(self.stored(number.value, number.type), size)

    def stored(self, value: Value, type_: Type) -> int:
        """Return the run of bits in the byte order of the type."""
        bare = strip(type_)
        number, size = value.bits, value.type.bit_size
        if isinstance(bare, Base) and bare.base.bit_size == size:
            # In storage order, from the most significant bit in big-endian order.
            is_big = bare.base.endian == "big"
            number <<= bare.size_bits - size - bare.first_bit if is_big else bare.first_bit
            size = bare.size_bits
        if isinstance(bare, Base) and bare.base.endian != self.endian and size % 8 == 0:
            return swapped(number, size)
        return number

    def cast(self, number: Number, type_: Type) -> Number:
        """Return the number as a value of an arithmetic or pointer type."""
        bare = strip(type_)
        value = number.value
        if isinstance(bare, Base) and bare.base.encoding == "boolean":
            return Number(Value(int(bool(value)), self.plain(bare.base)), type_)
        if isinstance(bare, Base):
            return Number(_converted(value, self.plain(bare.base)), type_)
        if isinstance(bare, Enum):
            bounded(bare.value_bits)
            return Number(_converted(value, enum_base(bare, self.endian)), type_)
        if isinstance(bare, Pointer) and not number.is_float:
            bounded(8 * bare.size_bytes)
            base = BaseType("address", "unsigned", 8 * bare.size_bytes, self.endian)
            return Number(Value.of(value.integer, base), type_)
        raise UsageError("Invalid cast.")

    def unary(self, operator: str, number: Number) -> Number:
        """Apply `-`, `+` or `~`."""
        number = self.promoted(number)
        if operator == "-":
            return Number(-number.value, number.type)
        if operator == "~":
            if number.is_float:
                raise UsageError("Argument to complement operation not an integer, boolean.")
            return Number(~number.value, number.type)
        return number

    def binary(self, operator: str, left: Number, right: Number) -> Number:
        """Apply an arithmetic, bitwise or shift operator; `EvaluationError` for division by
        zero."""
        if operator in _INTEGRAL_ONLY and (left.is_float or right.is_float):
            raise UsageError(_INTEGER_ONLY)
        if operator in ("<<", ">>"):
            return self._shifted(operator, self.promoted(left), self.promoted(right))
        left, right = self.usual(left, right)
        if operator in ("/", "%") and not left.is_float and not right.value:
            if not self.is_evaluated:
                return right
            raise EvaluationError("Division by zero")
        return Number(_OPERATORS[operator](left.value, right.value), left.type)

    def _shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift; a count that the type does not have, such as a negative one, shifts everything
        out, as GDB has it: what remains of a negative number is -1."""
        number, count = left.value.integer, right.value.integer
        size = left.value.type.bit_size
        if not 0 <= count < size:
            shifted = 0 if operator == "<<" else number >> size
        else:
            shifted = number << count if operator == "<<" else number >> count
        return Number(Value.of(shifted, left.value.type), left.type)

    def shift_doubt(self, operator: str, left: Number, right: Number) -> str | None:
        """Return GDB's warning about a shift that C does not define; None for others."""
        if operator not in ("<<", ">>"):
            return None
        verb = "left" if operator == "<<" else "right"
        count = right.value.integer
        if count < 0:
            return f"{verb} shift count is negative"
        is_wide = count >= self.promoted(left).value.type.bit_size
        return f"{verb} shift count >= width of type" if is_wide else None

    def compared(self, operator: str, left: Number, right: Number) -> bool:
        """Compare two numbers; a comparison with NaN is false, except `!=`."""
        left, right = self.usual(left, right)
        order = left.value.compare(right.value)
        return holds(operator, order)


def _converted(value: Value, base: BaseType) -> Value:
    """Convert as C does, which leaves open what a float is that the integer type does not hold: as
    in GDB the nearest number of 64 bits, the greatest for NaN, cut to the bits of the type."""
    form = value.type.float_format
    if form is None or base.encoding == "float":
        return value.converted(base)
    if type(value.bits) is not int:  # it differs by lane
        from dwarfgpu.model.lane_floats import truncated  # it needs NumPy

        return Value.of(truncated(value.bits, form), base)
    exact = form.decode(value.bits)
    if not isinstance(exact, str) and Value.of(int(exact), base).integer == int(exact):
        return Value.of(int(exact), base)
    return Value.of(long_long(exact), base)


_OF_ORDERS: Final[dict[str, Callable[[int, int], bool]]] = {
    "==": eq, "!=": ne, "<": lt, ">": gt, "<=": le, ">=": ge,
}  # fmt: skip


def holds(operator: str, order: int | None) -> bool:
    """Return whether a comparison is true for an order; None is unordered. Of lanes the answer
    decides when it is used."""
    if order is None:
        return operator == "!="
    return _OF_ORDERS[operator](order, 0)


def not_comparable(operator: str) -> UsageError:
    """Return the error that the operands of a comparison have no order, with GDB's wording."""
    is_equality = operator in ("==", "!=")
    what = "equality test" if is_equality else "ordering comparison"
    return UsageError(f"Invalid type combination in {what}.")
