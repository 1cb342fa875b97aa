"""C arithmetic: promotions, usual conversions, operators and casts (C 6.3, 6.5).

Law: arithmetic is exact in the type that C prescribes; this module reads no machine.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add, and_, mod, mul, or_, sub, truediv, xor
from typing import TYPE_CHECKING, Final

from attrs import evolve

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.dwarf.types.types import BareType, Base, Enum, MemberPointer, Pointer, Type, strip
from dwarfgpu.errors import EvaluationError, Unsupported, UsageError
from dwarfgpu.language.builtin_types import INT_BITS, Builtins, enum_base
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import NUMBERS_NOT_READ, Value
from dwarfgpu.view.scalars import E4M3, MAX_BITS, format_of, swapped

if TYPE_CHECKING:
    from dwarfgpu.language.syntax.ast import Floating, Integer

NOT_A_NUMBER: Final = "Argument to arithmetic operation not a number or boolean."
_WRAPPED_BITS: Final = 63
"""Width of GDB's LONGEST without its sign: a float beyond the integer type is converted to it."""
_INTEGER_ONLY: Final = "Integer-only operation on floating point number."
_OPERATORS: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "+": add, "-": sub, "*": mul, "/": truediv, "%": mod, "&": and_, "|": or_, "^": xor,
}  # fmt: skip
_INTEGRAL_ONLY: Final = frozenset({"%", "&", "|", "^", "<<", ">>"})


def bounded(size_bits: int) -> int:
    """Return the size of a scalar; `Unsupported` for a size that no machine has."""
    if size_bits > MAX_BITS:
        raise Unsupported(f"arithmetic on {size_bits} bits, at most {MAX_BITS}")
    return size_bits


def is_number(kind: Type | None) -> bool:
    """Return whether a type is an arithmetic type of C: integers, characters, enumerations,
    floats."""
    bare = strip(kind)
    return isinstance(bare, Enum) or (isinstance(bare, Base) and bare.base.vector_size is None)


@frozen
class Number:
    """A number of a type of C, known."""

    value: Value
    """In a signed, unsigned or float base type of the target's byte order."""
    type: Type
    """As declared."""
    promotes_to: Base | None = None
    """Its promoted type, if its type alone does not determine that."""

    @property
    def is_float(self) -> bool:
        return self.value.type.encoding == "float"


@frozen
class Numbers:
    """Numbers as an architecture has them."""

    builtins: Builtins
    is_evaluated: bool = True
    """Whether the numbers are those of the program, so that a division by zero is an error."""

    @property
    def endian(self) -> Endian:
        return self.builtins.endian

    def of(self, kind: Type, bits: Bits) -> Number:
        """Return the number for the known bits of a type; `UsageError` if the type has none."""
        bare = strip(kind)
        number, size = bits.value, bounded(bits.size_bits)
        if isinstance(bare, Enum):
            base = enum_base(bare, self.endian)
        elif isinstance(bare, Base):
            base = bare.base
        elif isinstance(bare, Pointer | MemberPointer):
            base = BaseType("address", "unsigned", size, self.endian)
        else:
            raise UsageError(NOT_A_NUMBER)
        if base.endian != self.endian and size == base.bit_size and size % 8 == 0:
            number = swapped(number, size)
        target = self.plain(base)
        if size < target.bit_size and target.is_signed:  # a bit-field
            number = signed(number, size)
        return Number(Value.of(number, target), kind)

    def plain(self, base: BaseType) -> BaseType:
        """Return the type in which to do arithmetic: signed, unsigned or float, in the target's
        order."""
        bounded(base.bit_size)
        if base.vector_size is not None or base.encoding in NUMBERS_NOT_READ:
            raise Unsupported(f"arithmetic on the type {base}")
        if base.encoding == "float":
            form = format_of(base, base.bit_size)
            if form is None or form is E4M3:
                raise Unsupported(f"arithmetic on the type {base}")
            return evolve(base, endian=self.endian, float_format=form)
        encoding = "signed" if base.is_signed else "unsigned"
        return evolve(base, encoding=encoding, endian=self.endian)

    def bits(self, number: Number) -> Bits:
        """Return the contents of an object of the number's type."""
        return Bits(self.stored(number.value, number.type), number.value.type.bit_size)

    def stored(self, value: Value, kind: Type) -> int:
        """Return the run of bits in the byte order of the type."""
        bare = strip(kind)
        size = value.type.bit_size
        if isinstance(bare, Base) and bare.base.endian != self.endian and size % 8 == 0:
            return swapped(value.bits, size)
        return value.bits

    def literal(self, node: Integer | Floating) -> Number:
        """Return a literal in the first type of C 6.4.4 that holds it."""
        from dwarfgpu.language.syntax.ast import Floating  # a start reads no expression

        if isinstance(node, Floating):
            name = {"f": "float", "l": "long double"}.get(node.suffix, "double")
            base = self.builtins.floating(name)
            form = base.base.float_format
            assert form is not None
            return Number(Value(form.encode(node.number), base.base), base)
        longs = node.suffix.count("l")
        sizes = [INT_BITS, self.builtins.long_bits, 64][longs:]
        signs = [False] if "u" in node.suffix else [True, False]
        if node.is_decimal and len(signs) == 2 and node.number < 1 << 63:
            signs = [True]
        for size in sizes:
            for is_signed in signs:
                if node.number < 1 << size - is_signed:
                    if longs > 1:
                        return self._long_long(node.number, is_signed=is_signed)
                    return self.integer(node.number, size, is_signed=is_signed)
        raise UsageError("Numeric constant too large.")

    def _long_long(self, number: int, *, is_signed: bool) -> Number:
        base = self.builtins.named(("long", "long") if is_signed else ("unsigned", "long", "long"))
        assert base is not None
        return Number(Value.of(number, base.base), base)

    def integer(self, number: int, size: int = INT_BITS, *, is_signed: bool = True) -> Number:
        """Return a number of an integer type of C."""
        base = self.builtins.integer(size, is_signed=is_signed)
        return Number(Value.of(number, base.base), base)

    def promoted(self, number: Number) -> Number:
        """Promote types smaller than int to int, with the same value (C 6.3.1.1)."""
        if number.promotes_to is not None:
            return self.to(number, number.promotes_to, number.promotes_to.base)
        base = number.value.type
        if number.is_float or base.bit_size > INT_BITS:
            bare = strip(number.type)
            return Number(number.value, bare) if isinstance(bare, Base) else self._plain(number)
        if base.bit_size == INT_BITS and not base.is_signed:
            return self.integer(number.value.bits, is_signed=False)
        return self.integer(number.value.integer)

    def promotion(self, kind: Type, bit_size: int | None, *, cplusplus: bool) -> Base | None:
        """Return the promoted type of a bit-field or a C++ enumeration; None if the type alone
        determines it.

        A bit-field is promoted to the first of int and unsigned that can represent all its values
        (C 6.3.1.1, even for `long` ones, as in gcc and clang); a C++ enumeration without a fixed
        underlying type ([conv.prom]) to the first type of its size, at least int, that can
        represent all of its values.
        """
        bare = strip(kind)
        if isinstance(bare, Enum) and cplusplus:
            return None if bare.is_scoped else self._enumeration(bare)
        if bit_size is None or bit_size > INT_BITS:
            return None
        is_signed = bare.is_signed if isinstance(bare, Enum) else _is_signed(bare)
        return self.builtins.integer(INT_BITS, is_signed=is_signed or bit_size < INT_BITS)

    def _enumeration(self, kind: Enum) -> Base | None:
        values = [number for _, number in kind.enumerators]
        size = max(8 * kind.size_bytes, INT_BITS)
        if not values or (size > INT_BITS and _fits(values, INT_BITS)):
            return None  # declared only, or larger than it needs to be: the type is fixed
        is_signed = min(values) < 0 or max(values) < 1 << size - 1
        return self.builtins.integer(size, is_signed=is_signed)

    def _plain(self, number: Number) -> Number:
        base = number.value.type
        return self.integer(number.value.integer, base.bit_size, is_signed=base.is_signed)

    def usual(self, left: Number, right: Number) -> tuple[Number, Number]:
        """Convert both operands to the type of the result (C 6.3.1.8)."""
        left, right = self.promoted(left), self.promoted(right)
        a, b = left.value.type, right.value.type
        if left.is_float or right.is_float:
            wins = left.is_float and (not right.is_float or a.bit_size >= b.bit_size)
            target = left.type if wins else right.type
            base = a if wins else b
            return self.to(left, target, base), self.to(right, target, base)
        size = max(a.bit_size, b.bit_size)
        is_unsigned = any(operand.bit_size == size and not operand.is_signed for operand in (a, b))
        base = self.builtins.integer(size, is_signed=not is_unsigned).base
        return self.to(left, Base(base), base), self.to(right, Base(base), base)

    def to(self, number: Number, kind: Type, base: BaseType) -> Number:
        """Return the number converted to a type with the arithmetic of `base`."""
        return Number(number.value.converted(base), kind)

    def cast(self, number: Number, kind: Type) -> Number:
        """Return the number as a value of an arithmetic or pointer type."""
        bare = strip(kind)
        value = number.value
        if isinstance(bare, Base) and bare.base.encoding == "boolean":
            return Number(Value(int(bool(value)), self.plain(bare.base)), kind)
        if isinstance(bare, Base):
            return Number(_converted(value, self.plain(bare.base)), kind)
        if isinstance(bare, Enum):
            bounded(8 * bare.size_bytes)
            return Number(_converted(value, enum_base(bare, self.endian)), kind)
        if isinstance(bare, Pointer) and not number.is_float:
            bounded(8 * bare.size_bytes)
            base = BaseType("address", "unsigned", 8 * bare.size_bytes, self.endian)
            return Number(Value.of(value.integer, base), kind)
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
        """A count that the type does not have shifts everything out, as GDB has it."""
        number, count = left.value.integer, right.value.integer
        size = left.value.type.bit_size
        if count < 0 or (operator == "<<" and count >= size):
            shifted = 0
        else:
            shifted = number << count if operator == "<<" else number >> min(count, size)
        return Number(Value.of(shifted, left.value.type), left.type)

    def compared(self, operator: str, left: Number, right: Number) -> bool:
        """Compare two numbers; a comparison with NaN is false, except `!=`."""
        left, right = self.usual(left, right)
        order = left.value.compare(right.value)
        return holds(operator, order)


def _is_signed(bare: BareType | None) -> bool:
    return isinstance(bare, Base) and bare.base.is_signed


def _fits(values: list[int], size_bits: int) -> bool:
    """Return whether one signed or unsigned type of a size can represent all of them."""
    low = -(1 << size_bits - 1) if min(values) < 0 else 0
    return low <= min(values) and max(values) < 1 << (size_bits - (low < 0))


def _converted(value: Value, base: BaseType) -> Value:
    """The conversion of C. It leaves open what a float is that the integer type does not hold: as
    in GDB the nearest number of 64 bits, the greatest for NaN, cut to the bits of the type.
    """
    form = value.type.float_format
    if form is None or base.encoding == "float":
        return value.converted(base)
    exact = form.decode(value.bits)
    least, most = -(1 << _WRAPPED_BITS), (1 << _WRAPPED_BITS) - 1
    if isinstance(exact, str):
        return Value.of(least if exact == "-inf" else most, base)
    number = int(exact)
    is_held = Value.of(number, base).integer == number
    return Value.of(number if is_held else max(least, min(number, most)), base)


def holds(operator: str, order: int | None) -> bool:
    """Return whether a comparison is true for an order; None is unordered."""
    if order is None:
        return operator == "!="
    return {
        "==": order == 0,
        "!=": order != 0,
        "<": order < 0,
        ">": order > 0,
        "<=": order <= 0,
        ">=": order >= 0,
    }[operator]
