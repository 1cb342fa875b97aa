"""How D computes with numbers."""

from __future__ import annotations

from fractions import Fraction

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.base.float_format import Special
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.language.arithmetic_conversions import Number
from dwarfgpu.language.c_numbers import holds
from dwarfgpu.language.d.real_constants import folded_real, infinite_sign, real_form
from dwarfgpu.language.number_rules import NumberRules
from dwarfgpu.language.syntax import ast, words
from dwarfgpu.language.syntax.precedences import COMPARISONS
from dwarfgpu.model.value import Value


class DRules(NumberRules):
    """D computes as C does, with names of its own (D Language Specification, "Usual Arithmetic
    Conversions")."""

    name = "D"
    compares_exactly = False
    has_real_remainder = True
    integer_names = ("byte ubyte", "short ushort", "int uint", "long ulong", "cent ucent")

    def applies(self, *types: Type | None) -> bool:
        """Return whether values of all these types are numbers, characters or Booleans."""
        return super().applies(*(type_ for type_ in types if not _is_promoted(type_)))

    def real(self, size: int) -> Base:
        kind = super().real(size)
        return kind if size in (32, 64) else Base(evolve(kind.base, name="real"))

    def literal(self, node: ast.Integer | ast.Floating) -> Number:
        number = self.numbers.literal(node)
        self.require_finite(number, node.number)
        return self.numbers.cast(number, self.in_d(number))

    def of_constants(self, node: ast.Node) -> Number | None:
        """Return a real number that operators make of numbers that are written out: the compilers
        compute it in `real`."""
        form = real_form(self.numbers)
        if form is None or not isinstance(node, ast.Binary):
            return None
        constant = folded_real(node, form)
        if constant is None or constant.size is None:
            return None
        kind = self.real(constant.size)
        assert kind.base.float_format is not None
        bits = kind.base.float_format.encode(constant.number)
        if isinstance(kind.base.float_format.decode(bits), str):
            return None
        return Number(Value(bits, kind.base), kind)

    def constants_compared(self, operator: str, left: ast.Node, right: ast.Node) -> bool | None:
        """Compare two constants, at least one of them real: in `real`, whatever their types."""
        form = real_form(self.numbers)
        if form is None or operator not in COMPARISONS:
            return None
        a, b = folded_real(left, form), folded_real(right, form)
        if a is not None and b is not None and (a.size is not None or b.size is not None):
            return holds(operator, (a.number > b.number) - (a.number < b.number))
        for one, other, order in ((a, right, -1), (b, left, 1)):
            sign = infinite_sign(other)
            if one is not None and sign:
                return holds(operator, order * sign)
        return None

    def of_two(self, operator: str, left: Number, right: Number) -> Type:
        return self.in_d(self.numbers.usual(left, right)[0])

    def of_one(self, operator: str, number: Number) -> Type:
        return self.in_d(self.numbers.promoted(number))

    def of_shift(self, left: Number, result: Number) -> Type:
        return self.in_d(result)

    def shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift; `>>>` shifts zeros in, also to negative numbers ("Shift Expressions")."""
        if operator != words.SHIFT_OF_BITS:
            return super().shifted(operator, left, right)
        kind = self.in_d(self.numbers.promoted(left))
        size = self.numbers.cast(left, kind).value.type.bit_size
        bits = self.numbers.cast(left, self.integer(size, is_signed=False))
        return self.numbers.cast(super().shifted(">>", bits, right), kind)

    def has_power(self, base: Fraction | Special, exponent: Fraction | Special) -> bool:
        """Return False for what `std.math.pow` makes NaN of: a power of 1 or -1 whose exponent is
        no finite number, and one of -∞ whose exponent is no integer of 64 bits."""
        if exponent == "nan" or base == "inf":
            return exponent not in ("nan", "-inf")
        if base == "-inf":
            is_finite = isinstance(exponent, Fraction) and exponent.denominator == 1
            return is_finite and abs(Fraction(exponent)) < 1 << 63
        return base not in (1, -1) or isinstance(exponent, Fraction)

    def in_d(self, number: Number) -> Base:
        """Return the type of a number of C as D names it."""
        base = number.value.type
        if base.encoding == "float":
            return self.real(base.bit_size)
        return self.integer(base.bit_size, is_signed=base.is_signed)


def _is_promoted(type_: Type | None) -> bool:
    """Return whether a type is one of characters or Booleans."""
    bare = strip(type_)
    if not isinstance(bare, Base) or bare.base.vector_size is not None:
        return False
    return bare.base.encoding in CHARACTERS or bare.base.encoding == "boolean"
