"""How Go computes with numbers."""

from __future__ import annotations

from typing import ClassVar

from dwarfgpu.dwarf.types.types import Base, Type
from dwarfgpu.errors import EvaluationError
from dwarfgpu.language.arithmetic_conversions import Number
from dwarfgpu.language.constant_expressions import Constant
from dwarfgpu.language.number_rules import (
    fits,
    shifted_bits,
    unqualified,
)
from dwarfgpu.language.strict_rules import StrictRules
from dwarfgpu.language.syntax import ast, words


class GoRules(StrictRules):
    name = "Go"
    folding = "all"
    compares_constants = True
    integer_names = ("int8 uint8", "int16 uint16", "int32 uint32", "int64 uint64")
    address_names = "int uint"
    real_names: ClassVar = {32: "float32", 64: "float64"}

    def literal(self, node: ast.Integer | ast.Floating) -> Number:
        return (
            self.result(node, node.number) if node.suffix == words.RUNE else super().literal(node)
        )

    def result(self, node: ast.Node, constant: Constant) -> Number:
        """Return the constant that an expression is: of characters, an int32 ("Constants")."""
        if isinstance(constant, int) and _is_of_runes(node):
            return self.within(constant, self.integer(32), is_real=False)
        return self.alone(constant)

    def type_of_untyped(self, node: ast.Binary) -> Type | None:
        """Return the type that the operands would have without the shifts ("Operators")."""
        sides = _without_shifts(node.left), _without_shifts(node.right)
        constants = [self.constant(side) for side in sides]
        if not all(isinstance(constant, int) for constant in constants):
            return None
        return self.result(ast.Binary("+", *sides), 0).type

    def alone(self, constant: Constant) -> Number:
        if isinstance(constant, int) and fits(constant, self._int_bits, is_signed=True):
            return self.integer_number(constant, self._int_bits, is_signed=True)
        return super().alone(constant)

    def integer(self, size: int, *, is_signed: bool = True) -> Base:
        if size == self._int_bits:
            return self.base("int" if is_signed else "uint", size, is_signed=is_signed)
        return super().integer(size, is_signed=is_signed)

    @property
    def _int_bits(self) -> int:
        return self.numbers.builtins.long_bits

    def shifted(self, operator: str, left: Number, right: Number) -> Number:
        """Shift: a count that the type does not have shifts all bits out."""
        left = self.numbers.cast(left, unqualified(left.type))
        count = right.value.integer
        if count < 0:
            if self.numbers.is_evaluated:
                raise EvaluationError("negative shift amount")
            return left
        count = min(count, left.value.type.bit_size)
        return shifted_bits(operator, left.value.integer, left, count)


def _without_shifts(node: ast.Node) -> ast.Node:
    """Return an expression with the left operand of each shift in its place."""
    match node:
        case ast.Binary(operator="<<" | ">>"):
            return _without_shifts(node.left)
        case ast.Binary(operator=operator, left=left, right=right):
            return ast.Binary(operator, _without_shifts(left), _without_shifts(right))
        case ast.Unary(operator=operator, operand=operand):
            return ast.Unary(operator, _without_shifts(operand))
        case _:
            return node


def _is_of_runes(node: ast.Node) -> bool:
    """Return whether a constant of Go is a rune: its kind is the later one of two operands."""
    match node:
        case ast.Integer():
            return node.suffix == words.RUNE
        case ast.Unary():
            return _is_of_runes(node.operand)
        case ast.Binary(operator="<<" | ">>"):
            return _is_of_runes(node.left)
        case ast.Binary():
            return _is_of_runes(node.left) or _is_of_runes(node.right)
        case _:
            return False
