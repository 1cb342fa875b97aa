"""Decide the types of arithmetic: of literals, by the integer promotions and by the usual
arithmetic conversions (C 6.3.1, 6.4.4; C++ [conv.prom]).

Law: arithmetic is exact in the type that C prescribes; this module reads no machine.
"""

from __future__ import annotations

from numbers import Rational
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.base_type import ENCODINGS, BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.types.types import BareType, Base, Enum, Type, strip
from dwarfgpu.errors import NotUnderstood, Unsupported
from dwarfgpu.language.builtin_types import INT_BITS, Builtins
from dwarfgpu.model.value import NUMBERS_NOT_READ, Value
from dwarfgpu.view.scalars import E4M3, MAX_BITS, format_of

if TYPE_CHECKING:
    from dwarfgpu.language.syntax.ast import Floating, Integer


_WIDEST_BITS: Final = 128
"""The integers of C that are wider have names of the program alone, as those of `_BitInt(200)`."""
_RANKS: Final = (("int",), ("long",), ("long", "long"))
"""The types of literals by the number of their letters `l`, each with those that follow."""
_INTEGERS: Final = frozenset(
    {"signed", "signed_char", "unsigned", "unsigned_char", "UTF", "UCS", "ASCII"}
)
_ENCODINGS: Final = (
    frozenset({*ENCODINGS.values(), "generic"}) - NUMBERS_NOT_READ - {"numeric_string", "edited"}
)


def bounded(size_bits: int) -> int:
    """Return the size of a scalar; `Unsupported` for a size that no machine has."""
    if size_bits > MAX_BITS:
        raise Unsupported(f"arithmetic on {size_bits} bits, at most {MAX_BITS}")
    return size_bits


_FIXED_POINT: Final = ("signed_fixed", "unsigned_fixed")


def is_number(type_: Type | None) -> bool:
    """Return whether a type is an arithmetic type of C: integers, characters, enumerations,
    floats."""
    bare = strip(type_)
    return isinstance(bare, Enum) or (isinstance(bare, Base) and bare.base.vector_size is None)


def is_integer(type_: Type | None) -> bool:
    """Return whether a type is an integer or a character type, no enumeration and not bool."""
    bare = strip(type_)
    if not isinstance(bare, Base) or bare.base.vector_size is not None:
        return False
    return bare.base.encoding in _INTEGERS


def is_floating(type_: Type | None) -> bool:
    """Return whether a type is a floating-point or complex one."""
    bare = strip(type_)
    return isinstance(bare, Base) and "float" in bare.base.encoding


def is_boolean(type_: Type | None) -> bool:
    """Return whether a type is a Boolean one."""
    bare = strip(type_)
    return isinstance(bare, Base) and bare.base.encoding == "boolean"


def is_fixed_point(type_: Type | None) -> bool:
    """Return whether a type is a fixed-point one, as Ada has them."""
    bare = strip(type_)
    return isinstance(bare, Base) and bare.base.encoding in _FIXED_POINT


def scale_of(base: BaseType) -> Rational:
    """Return the scale of a fixed-point type with which is computed; `Unsupported` where the file
    gives none, and for a type that is too large."""
    bounded(base.bit_size)
    if base.scale is None:
        raise _no_arithmetic(base)
    return base.scale


def _no_arithmetic(base: BaseType) -> Unsupported:
    name = str(base).replace("__", ".")  # of Ada
    why = ", whose scale is missing" if base.scale is None else ""
    return Unsupported(f"arithmetic on the fixed-point type {name}{why}")


def is_unicode_character(type_: Type | None) -> bool:
    """Return whether a type is char8_t, char16_t or char32_t."""
    bare = strip(type_)
    return isinstance(bare, Base) and bare.base.encoding == "UTF"


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


def width(number: Number) -> tuple[int, int]:
    """Return how large the type of a number is: of two real types of one size, as x87 extended and
    binary128 have, the more precise one is larger."""
    base = number.value.type
    return base.bit_size, 0 if base.float_format is None else base.float_format.fraction_bits


@frozen
class ArithmeticConversions:
    """The types of arithmetic on an architecture."""

    builtins: Builtins

    @property
    def endian(self) -> Endian:
        return self.builtins.endian

    def plain(self, base: BaseType) -> BaseType:
        """Return the type in which to do arithmetic: signed, unsigned or float, in the target's
        order."""
        bounded(base.bit_size)
        if base.encoding in _FIXED_POINT:
            raise _no_arithmetic(base)
        if base.vector_size is not None or base.encoding not in _ENCODINGS:
            raise Unsupported(f"arithmetic on the type {base}")
        if base.encoding == "float":
            form = format_of(base, base.bit_size)
            if form is None or form is E4M3:
                raise Unsupported(f"arithmetic on the type {base}")
            return evolve(base, endian=self.endian, float_format=form)
        encoding = "signed" if base.is_signed else "unsigned"
        return evolve(base, encoding=encoding, endian=self.endian)

    def literal(self, node: Integer | Floating) -> Number:
        """Return a literal in the first type of C 6.4.4 that holds it."""
        from dwarfgpu.language.syntax.ast import Floating  # a start reads no expression

        if isinstance(node, Floating):
            name = {"f": "float", "l": "long double", "h": "half"}.get(node.suffix, "double")
            base = self.builtins.floating(name)
            form = base.base.float_format
            assert form is not None
            return Number(Value(form.encode(node.number), base.base), base)
        signs = [False] if "u" in node.suffix else [True, False]
        if node.is_decimal and len(signs) == 2 and node.number < 1 << 63:
            signs = [True]
        for words in _RANKS[node.suffix.count("l") :]:
            for is_signed in signs:
                integer = self.builtins.named(words if is_signed else ("unsigned", *words))
                assert integer is not None
                if node.number < 1 << integer.base.bit_size - is_signed:
                    return Number(Value.of(node.number, integer.base), integer)
        raise NotUnderstood("Numeric constant too large.")

    def integer(self, number: int, size: int = INT_BITS, *, is_signed: bool = True) -> Number:
        """Return a number of an integer type of C."""
        base = self.builtins.integer(size, is_signed=is_signed)
        return Number(Value.of(number, base.base), base)

    def promoted(self, number: Number) -> Number:
        """Promote types smaller than int to int, with the same value (C 6.3.1.1)."""
        if number.promotes_to is not None:
            return self.to(number, number.promotes_to, number.promotes_to.base)
        base, bare = number.value.type, strip(number.type)
        if number.is_float or base.bit_size > INT_BITS or _is_long(bare):
            return Number(number.value, bare) if isinstance(bare, Base) else self._plain(number)
        if base.bit_size == INT_BITS and not base.is_signed:
            return self.integer(number.value.bits, is_signed=False)
        return self.integer(number.value.integer)

    def promotion(self, type_: Type, bit_size: int | None, *, cplusplus: bool) -> Base | None:
        """Return the promoted type of a bit-field or a C++ enumeration; None if the type alone
        determines it.

        A bit-field is promoted to the first of int and unsigned that can represent all its values
        (C 6.3.1.1, even for `long` ones, as in gcc and clang); a C++ enumeration without a fixed
        underlying type ([conv.prom]) to the first type of its size, at least int, that can
        represent all of its values.
        """
        bare = strip(type_)
        if isinstance(bare, Enum) and cplusplus:
            return None if bare.is_scoped else self._enumeration(bare)
        if bit_size is None or bit_size > INT_BITS or is_floating(bare):
            return None
        is_signed = bare.is_signed if isinstance(bare, Enum) else _is_signed(bare)
        return self.builtins.integer(INT_BITS, is_signed=is_signed or bit_size < INT_BITS)

    def _enumeration(self, kind: Enum) -> Base | None:
        least, greatest = kind.table.least, kind.table.greatest
        size = max(kind.value_bits, INT_BITS)
        if not kind.enumerators or (size > INT_BITS and _fits(least, greatest, INT_BITS)):
            return None  # declared only, or larger than it needs to be: the type is fixed
        is_signed = least < 0 or greatest < 1 << size - 1
        return self.builtins.integer(size, is_signed=is_signed)

    def _plain(self, number: Number) -> Number:
        base = number.value.type
        return self.integer(number.value.integer, base.bit_size, is_signed=base.is_signed)

    def usual(self, left: Number, right: Number) -> tuple[Number, Number]:
        """Convert both operands to the type of the result (C 6.3.1.8): of types of one size, that
        of the higher rank, as of `long long` beside `long`."""
        left, right = self.promoted(left), self.promoted(right)
        a, b = left.value.type, right.value.type
        if left.is_float or right.is_float:
            wins = left.is_float and (not right.is_float or a.bit_size >= b.bit_size)
            target = left.type if wins else right.type
            base = a if wins else b
            return self.to(left, target, base), self.to(right, target, base)
        size = max(a.bit_size, b.bit_size)
        if size > _WIDEST_BITS:
            widest = [operand for operand in (left, right) if _bits(operand) == size]
            result = min(widest, key=lambda operand: operand.value.type.is_signed)
            base = result.value.type
            return self.to(left, result.type, base), self.to(right, result.type, base)
        is_unsigned = any(operand.bit_size == size and not operand.is_signed for operand in (a, b))
        longs = max(_longs(operand) for operand in (left, right) if _bits(operand) == size)
        base = self.builtins.integer(size, is_signed=not is_unsigned, longs=longs).base
        return self.to(left, Base(base), base), self.to(right, Base(base), base)

    def to(self, number: Number, type_: Type, base: BaseType) -> Number:
        """Return the number converted to a type with the arithmetic of `base`."""
        return Number(number.value.converted(base), type_)


def _is_signed(bare: BareType | None) -> bool:
    return isinstance(bare, Base) and bare.base.is_signed


def _is_long(bare: BareType | None) -> bool:
    """Return whether a type is `long` or `unsigned long`, which may have the size of int."""
    return isinstance(bare, Base) and "long" in bare.base.name.split()


def _longs(number: Number) -> int:
    """Return how often the name of a type has the word `long`: its rank among those of a size."""
    bare = strip(number.type)
    return bare.base.name.split().count("long") if isinstance(bare, Base) else 0


def _bits(number: Number) -> int:
    return number.value.type.bit_size


def _fits(least: int, greatest: int, size_bits: int) -> bool:
    """Return whether one signed or unsigned type of a size can represent all values between."""
    low = -(1 << size_bits - 1) if least < 0 else 0
    return low <= least and greatest < 1 << (size_bits - (low < 0))
