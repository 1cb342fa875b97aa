"""How Ada computes with numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.type_sizes import unpacked
from dwarfgpu.dwarf.types.types import SYSTEM_ADDRESS, Base, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_floating
from dwarfgpu.language.constant_expressions import Constant
from dwarfgpu.language.number_rules import NumberRules
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.words import COMPLEMENT, LOGICAL


class AdaRules(NumberRules):
    """Ada 2012 4.5; of two types, which Ada does not compute with, at least `long` or `double`, as
    GDB has it."""

    name = "Ada"
    folding = "all"
    compares_constants = True
    complements_in_type = True
    overflow = "where Ada raises Constraint_Error"
    _standard: Final = {8: "short_short_integer", 16: "short_integer", 32: "integer",
                        64: "long_long_integer", 128: "long_long_long_integer"}  # fmt: skip
    _reals: Final = {32: "float", 64: "long_float"}

    def integer(self, size: int, *, is_signed: bool = True) -> Base:
        if is_signed:
            return self.base(self._standard[size], size, is_signed=True)
        return super().integer(size, is_signed=is_signed)

    def real(self, size: int) -> Base:
        kind = super().real(size)
        return Base(evolve(kind.base, name=self._reals.get(size, "long_long_float")))

    def real_of(self, constant: Fraction) -> Base:
        """Return the first type, from Long_Float on, whose numbers are large enough."""
        kind = self.real(64)
        form = kind.base.float_format
        if form is not None and not isinstance(form.decode(form.encode(constant)), str):
            return kind
        return self.real(self.numbers.builtins.floating("long double").base.bit_size)

    def require_operators(self, node: ast.Node) -> None:
        match node:
            case ast.Unary(operator=operator) if operator in ("!", COMPLEMENT):
                raise UsageError("not of Ada is for Booleans and modular numbers.")
            case ast.Binary(operator=operator) if operator in LOGICAL:
                raise UsageError(f"{operator} of Ada is for Booleans and modular numbers.")
            case ast.Unary():
                self.require_operators(node.operand)
            case ast.Binary():
                self.require_operators(node.left)
                self.require_operators(node.right)

    def beside(self, constant: Constant, type_: Type, operator: str = "") -> Number:
        """Return a constant in the type of the other operand (4.9.1)."""
        if isinstance(constant, Fraction) != is_floating(type_):
            return self.alone(constant)
        return self.within(constant, type_, is_real=False)

    def wraps_constants(self, type_: Type) -> bool:
        """Return whether a type is modular: its operators wrap in static expressions, too
        (4.9)."""
        bare = strip(type_)
        whole = None if bare is None else unpacked(bare)
        return isinstance(whole, Base) and whole.base.encoding == "unsigned"

    def of_two(self, operator: str, left: Number, right: Number) -> Type:
        first, second = self._base_of_subtype(left.type), self._base_of_subtype(right.type)
        one, other = strip(first), strip(second)
        assert isinstance(one, Base) and isinstance(other, Base)
        is_address = SYSTEM_ADDRESS in (one.name, other.name)  # whose sums are numbers in GDB
        if one.base == other.base and one.modulus == other.modulus and not is_address:
            return first
        operands, builtins = self.numbers.usual(left, right), self.numbers.builtins
        base = operands[0].value.type
        target = builtins.floating("double")
        if not operands[0].is_float:
            target = builtins.integer(builtins.long_bits, is_signed=base.is_signed)
        return operands[0].type if base.bit_size > target.base.bit_size else target

    def of_one(self, operator: str, number: Number) -> Type:
        if operator == "~" and number.value.type.is_signed:
            raise UsageError("not of Ada is for Booleans and modular numbers.")
        return self._base_of_subtype(number.type)

    def of_shift(self, left: Number, result: Number) -> Type:
        return self._base_of_subtype(left.type)

    def _base_of_subtype(self, type_: Type) -> Type:
        """Return the type of results where operands are of a subtype of Standard, as Natural."""
        bare = strip(type_)
        is_subtype = isinstance(bare, Base) and bare.name in ("natural", "positive")
        return self.integer(32) if is_subtype else type_
