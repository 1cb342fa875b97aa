"""Real constants of D: ldc2 and gdc compute an expression of written numbers in `real`, and round
the result alone to its type (spec/float, "Floating Point Constant Folding").

Law: every step is rounded to `real`, as the compilers do; an expression with any other operand is
none of these.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dwarfgpu.base.base_type import float_format
from dwarfgpu.base.float_format import FloatFormat
from dwarfgpu.base.records import frozen
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.d.type_properties import real_property
from dwarfgpu.language.syntax import ast

_SIZES: Final = {"f": 32, "": 64, "l": 80}
"""The size of a real number in bits by what is behind it."""
_CASTS: Final = {"float": 32, "double": 64, "real": 80}
_INT_END: Final = 1 << 31
_X87_BITS: Final = 63
"""Bits of the fraction of the `real` of x86, the only one that was compared with the compilers."""


@frozen
class RealConstant:
    """The value of a constant, and the size in bits of its type: None for an `int`."""

    number: Fraction
    size: int | None


def real_form(numbers: Numbers) -> FloatFormat | None:
    """Return the format of `real`; None where it is not that of x86."""
    form = numbers.builtins.floating("long double").base.float_format
    return form if form is not None and form.fraction_bits == _X87_BITS else None


def folded_real(node: ast.Node, form: FloatFormat) -> RealConstant | None:
    """Return the constant that an expression is; None for an expression with other operands, for a
    zero with a sign, and for what a `real` does not hold."""
    match node:
        case ast.Integer(suffix="") if node.number < _INT_END:
            return RealConstant(Fraction(node.number), None)
        case ast.Floating(is_imaginary=False) if node.suffix in _SIZES:
            return _rounded(node.number, _SIZES[node.suffix], form)
        case ast.Cast(
            type=ast.TypeName(words=(word,), declarators=()), how="", is_memory=False
        ) if word in _CASTS:
            inner = folded_real(node.operand, form)
            return None if inner is None else RealConstant(inner.number, _CASTS[word])
        case ast.TypeProperty(type=ast.TypeName(words=(word,)), name=name) if word in _CASTS:
            own = form if word == "real" else float_format(word, _CASTS[word], x87=False)
            number = None if own is None else real_property(own, name)
            if isinstance(number, Fraction):
                return RealConstant(number, _CASTS[word])
            return RealConstant(Fraction(number), None) if isinstance(number, int) else None
        case ast.Unary(operator="-" | "+"):
            inner = folded_real(node.operand, form)
            if inner is None or (inner.size is not None and not inner.number):
                return None
            number = -inner.number if node.operator == "-" else inner.number
            return RealConstant(number, inner.size)
        case ast.Binary():
            left = folded_real(node.left, form)
            right = None if left is None else folded_real(node.right, form)
            return None if left is None or right is None else _applied(node, left, right, form)
        case _:
            return None


def infinite_sign(node: ast.Node) -> int:
    """Return the sign of an infinity that is written out; 0 for another expression."""
    match node:
        case ast.TypeProperty(type=ast.TypeName(words=(word,)), name="infinity") if word in _CASTS:
            return 1
        case ast.Unary(operator="-"):
            return -infinite_sign(node.operand)
        case _:
            return 0


def _applied(
    node: ast.Binary, left: RealConstant, right: RealConstant, form: FloatFormat
) -> RealConstant | None:
    sizes = [side.size for side in (left, right) if side.size is not None]
    a, b = left.number, right.number
    if node.operator in ("/", "%") and not b:
        return None
    match node.operator:
        case "+":
            exact = a + b
        case "-":
            exact = a - b
        case "*":
            exact = a * b
        case "/":
            exact = a / b if sizes else Fraction(int(a / b))
        case "%":
            exact = a - b * int(a / b)
        case _:
            return None
    if not sizes:
        return RealConstant(exact, None) if -_INT_END <= exact < _INT_END else None
    if not exact and node.operator not in ("+", "-"):
        return None  # it has a sign
    return _rounded(exact, max(sizes), form)


def _rounded(exact: Fraction, size: int, form: FloatFormat) -> RealConstant | None:
    number = form.decode(form.encode(exact))
    return RealConstant(number, size) if isinstance(number, Fraction) else None
