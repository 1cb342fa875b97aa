"""How Rust computes with numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_floating
from dwarfgpu.language.c_numbers import spelled
from dwarfgpu.language.constant_expressions import Constant
from dwarfgpu.language.number_rules import (
    fits,
    name_of,
    shifted_bits,
    unqualified,
)
from dwarfgpu.language.strict_rules import StrictRules
from dwarfgpu.language.syntax import ast
from dwarfgpu.model.value import Value


class RustRules(StrictRules):
    name = "Rust"
    folding = "signs"
    overflow = "where debug builds of Rust panic"
    unsigned_wraps = False
    has_real_remainder = True
    integer_names = ("i8 u8", "i16 u16", "i32 u32", "i64 u64", "i128 u128")
    address_names = "isize usize"
    real_names: ClassVar = {32: "f32", 64: "f64"}
    sizes_of_literals = (32, 64, 128)

    def beside(self, constant: Constant, type_: Type, operator: str = "") -> Number:
        """Return a constant beside another operand; an integer is none of a real type ("Integer
        literal expressions")."""
        if isinstance(constant, int) and is_floating(type_):
            raise UsageError(
                f"{spelled(constant)} is no {name_of(type_)}: write {spelled(Fraction(constant))}."
            )
        return super().beside(constant, type_, operator)

    def constant(self, node: ast.Node) -> Constant | None:
        """Return the constant that an expression is, besides -0.0, whose sign no fraction has."""
        constant = super().constant(node)
        is_zero = isinstance(constant, Fraction) and not constant
        return None if is_zero and isinstance(node, ast.Unary) else constant

    def of_one(self, operator: str, number: Number) -> Type:
        bare = strip(number.type)
        assert isinstance(bare, Base)
        if operator == "-" and not (bare.base.is_signed or number.is_float):
            raise UsageError(f"Rust has no operator - of the type {name_of(number.type)}.")
        return number.type

    def of_integers(self, operator: str, a: int, b: int, type_: Type) -> Number:
        """Apply an operator: that the quotient of the least number and -1 overflows is no question
        of the build, and the remainder panics with it."""
        bare = strip(type_)
        assert isinstance(bare, Base)
        if (
            operator not in ("/", "%")
            or b != -1
            or fits(-a, bare.base.bit_size, is_signed=bare.base.is_signed)
        ):
            return super().of_integers(operator, a, b, type_)
        self.doubt(f"the quotient overflows {name_of(type_)}, where all builds of Rust panic")
        return Number(Value.of(a if operator == "/" else 0, bare.base), type_)

    def shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift by the count modulo the size, with a warning where that is another count."""
        kind, count = unqualified(left.type), right.value.integer
        left = self.numbers.cast(left, kind)
        size = left.value.type.bit_size
        if not 0 <= count < size:
            self.doubt(f"the shift count {count} is not one of {name_of(kind)}, {self.overflow}")
        return shifted_bits(operator, left.value.integer, left, count & size - 1)
