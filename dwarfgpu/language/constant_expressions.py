"""Constants: expressions that are made of numbers alone, computed exactly (Ada 2012 4.9; The Go
Programming Language Specification, "Constant expressions").

Law: a constant has no type; the integers of an expression stay integers, and the rest is exact.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal, TypeAlias

from dwarfgpu.errors import UsageError
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.fortran_tokens import POWER
from dwarfgpu.language.syntax.words import ABS, AND, AND_NOT, COMPLEMENT, DIV, MOD, OR, XOR

Constant: TypeAlias = int | Fraction
"""An integer, or a real number."""
Folding: TypeAlias = Literal["none", "signs", "all"]
"""Which expressions of numbers are constants: in Rust a number with its sign."""
_MAX_BITS: Final = 1 << 16
"""The most bits of a numerator or a denominator: no type of a program comes near."""


def literal_of(node: ast.Integer | ast.Floating) -> Constant:
    """Return the constant that a number is."""
    return node.number


def folded(node: ast.Node, folding: Folding) -> Constant | None:
    """Return the constant that an expression is; None where it is none, and where it has no
    result."""
    match node:
        case ast.Integer(suffix="" | "rune") | ast.Floating(suffix="", is_imaginary=False):
            return literal_of(node)
        case ast.Unary(operator="-" | "+", operand=ast.Integer() | ast.Floating()):
            number = folded(node.operand, folding)
            return -number if number is not None and node.operator == "-" else number
        case ast.Unary() if folding != "signs":
            operand = folded(node.operand, folding)
            return None if operand is None else _unary(node.operator, operand)
        case ast.Binary() if folding != "signs":
            left = folded(node.left, folding)
            right = None if left is None else folded(node.right, folding)
            if left is None or right is None:
                return None
            return _bounded(_binary(node.operator, left, right))
        case _:
            return None


def _bounded(constant: Constant | None) -> Constant | None:
    """Return a constant; `UsageError` for one that no computation needs."""
    _require_room(0 if constant is None else _bits(constant))
    return constant


def _bits(constant: Constant) -> int:
    """Return how many bits the numerator or the denominator has."""
    return max(constant.numerator.bit_length(), constant.denominator.bit_length())


def _require_room(bits: int) -> None:
    if bits > _MAX_BITS:
        raise UsageError("Numeric constant too large.")


def _raised(base: Constant, exponent: int) -> Constant:
    """Return a power, whose size is checked before it is computed."""
    if base in (0, 1, -1):  # which have no size; the exponent may be huge
        exponent = min(exponent, 2 + exponent % 2) if exponent > 0 else exponent % 2
    _require_room(_bits(base) * abs(exponent))
    return base**exponent


def _unary(operator: str, operand: Constant) -> Constant | None:
    match operator:
        case "-":
            return -operand
        case "+":
            return operand
        case _ if operator == ABS:
            return -operand if operand < 0 else operand
        case _ if operator in ("~", COMPLEMENT) and isinstance(operand, int):
            return ~operand
        case _:
            return None


def _binary(operator: str, left: Constant, right: Constant) -> Constant | None:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" if right and (isinstance(left, Fraction) or isinstance(right, Fraction)):
            return Fraction(left) / right
        case _ if operator == POWER and isinstance(left, Fraction) and isinstance(right, int):
            return Fraction(_raised(left, right)) if left or right >= 0 else None
        case "<<" | ">>" if Fraction(left).denominator == Fraction(right).denominator == 1:
            return _of_integers(operator, int(left), int(right))
        case _ if isinstance(left, int) and isinstance(right, int):
            return _of_integers(operator, left, right)
        case _:
            return None


def _of_integers(operator: str, left: int, right: int) -> int | None:
    if operator in ("/", DIV, "%", MOD):
        if not right:
            return None
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        if operator == MOD:
            return left % right
        return left - right * quotient if operator == "%" else quotient
    if operator in ("<<", ">>", POWER):
        if right < 0:
            return None
        if operator == POWER:
            return int(_raised(left, right))
        if operator == ">>":
            return left >> min(right, _MAX_BITS)
        _require_room(left.bit_length() + right if left else 0)
        return left << right if left else 0
    match operator:
        case _ if operator in ("&", AND):
            return left & right
        case _ if operator in ("|", OR):
            return left | right
        case _ if operator in ("^", XOR):
            return left ^ right
        case _ if operator == AND_NOT:
            return left & ~right
        case _:
            return None
