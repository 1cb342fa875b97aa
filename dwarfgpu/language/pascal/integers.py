"""Integers of Free Pascal: in which type the compiler computes two of them, and what constants are.

Law: the rules are those of Free Pascal 3.2 for machines of 64 bits, and programs of it confirmed
each; a constant has the smallest type that holds it, unless a conversion or `not` gave it another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Self

from dwarfgpu.errors import UsageError
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.words import AND, COMPLEMENT, DIV, OR, XOR

_NATIVE_BITS: Final = 64
_OF_C: Final = {AND: "&", OR: "|", XOR: "^", DIV: "/"}
"""Operators that constants have by two names."""


class Kind(NamedTuple):
    """An integer type."""

    size: int
    """In bits."""
    is_signed: bool

    def has(self, number: int) -> bool:
        """Return whether the type has a number."""
        return self.of(number) == number

    def of(self, number: int) -> int:
        """Return the number that a conversion to the type makes of one."""
        number &= (1 << self.size) - 1
        return number - (1 << self.size) * (self.is_signed and number >> self.size - 1)


INT64: Final = Kind(_NATIVE_BITS, is_signed=True)
QWORD: Final = Kind(_NATIVE_BITS, is_signed=False)
_ALL: Final = [Kind(size, is_signed) for size in (8, 16, 32, 64) for is_signed in (True, False)]


def kind_of_two(operator: str, left: Kind, right: Kind) -> Kind:
    """Return the type in which two integers are computed or compared."""
    sides = left, right
    is_narrow = all(side.size < _NATIVE_BITS for side in sides)
    if operator == "&" or (
        operator in ("|", "^") and is_narrow and left.is_signed == right.is_signed
    ):
        return _of_bits(left, right)
    if operator in ("/", "%"):
        is_unsigned = not is_narrow and not (left.is_signed or right.is_signed)
    elif is_narrow:
        is_unsigned = operator != "-" and not (left.is_signed or right.is_signed)
    else:
        is_unsigned = INT64 not in sides
    return QWORD if is_unsigned else INT64


def kind_of_shift(kind: Kind) -> Kind:
    """Return the type in which `shl` and `shr` shift: no number is shifted in fewer than 32
    bits."""
    return Kind(max(kind.size, 32), kind.is_signed)


def kind_beside(operator: str, constant: PascalConstant, other: Kind) -> Kind:
    """Return the type of a constant as an operand beside an integer: it divides a QWord as one, and
    is divided by one."""
    is_divided = operator in (DIV, "%")
    return QWORD if is_divided and other == QWORD and constant >= 0 else constant.kind


def compared_beside(constant: PascalConstant, other: Kind) -> int:
    """Return the number with which an integer is compared as it is, for a constant: what the
    conversion to the type of both makes of it."""
    if other.is_signed != constant.kind.is_signed and other.has(constant):
        return constant
    return kind_of_two("==", constant.kind, other).of(constant)


def _of_bits(left: Kind, right: Kind) -> Kind:
    """Return the type of `and` of two integers, and of others between their bits: the one without a
    sign if it has 32 bits or more, and as many as the other."""
    if left.is_signed == right.is_signed:
        return max(left, right)
    signed, unsigned = (left, right) if left.is_signed else (right, left)
    if unsigned.size >= max(32, signed.size):
        return unsigned
    return Kind(max(signed.size, 2 * unsigned.size), is_signed=True)


class PascalConstant(int):
    """An integer that is made of constants alone."""

    own: Kind | None
    """The type that a conversion or `not` gave it."""

    @classmethod
    def of(cls, number: int, own: Kind | None = None) -> Self:
        """Return a constant; `UsageError` for a number that no type holds."""
        if own is None and not any(kind.has(number) for kind in _ALL):
            raise UsageError("Numeric constant too large.")
        constant = cls(number)
        constant.own = own
        return constant

    @property
    def kind(self) -> Kind:
        """Its type: without one of its own the smallest that holds it."""
        return self.own or next(kind for kind in _ALL if kind.has(self))


def folded(node: ast.Node, named: Callable[[str], Kind | None]) -> PascalConstant | None:
    """Return the constant that an expression is; None where it is none, and where it has no
    result."""
    match node:
        case ast.Integer(suffix=""):
            return PascalConstant.of(node.number)
        case ast.Unary(operator=operator):
            operand = folded(node.operand, named)
            return None if operand is None else _of_one(operator, operand)
        case ast.Cast(type=ast.TypeName((name,), None, (), ()), is_memory=False, how=""):
            kind, operand = named(name), folded(node.operand, named)
            if kind is None or operand is None:
                return None
            return PascalConstant.of(kind.of(operand), kind)
        case ast.Binary():
            left = folded(node.left, named)
            right = None if left is None else folded(node.right, named)
            if left is None or right is None or node.operator == "/":
                return None
            return _of_two(_OF_C.get(node.operator, node.operator), left, right)
        case _:
            return None


def _of_one(operator: str, operand: PascalConstant) -> PascalConstant | None:
    match operator:
        case "-":
            return PascalConstant.of(INT64.of(-operand) if operand < 0 else -operand)
        case "+":
            return operand
        case _ if operator in ("~", COMPLEMENT):
            kind = QWORD if operand.kind == QWORD else INT64
            return PascalConstant.of(kind.of(~operand), kind)
        case _:
            return None


def _of_two(operator: str, left: PascalConstant, right: PascalConstant) -> PascalConstant | None:
    if operator in ("<<", ">>"):
        return _shifted(operator, left, right)
    if operator in ("/", "%"):
        if not right:
            return None
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        return PascalConstant.of(quotient if operator == "/" else left - right * quotient)
    kind = kind_of_two(operator, left.kind, right.kind)
    a, b = kind.of(left), kind.of(right)
    match operator:
        case "+":
            return PascalConstant.of(a + b)
        case "-":
            return PascalConstant.of(a - b)
        case "*":
            return PascalConstant.of(a * b)
        case "&":
            return PascalConstant.of(a & b)
        case "|":
            return PascalConstant.of(a | b)
        case "^":
            return PascalConstant.of(a ^ b)
        case _:
            return None


def _shifted(operator: str, left: PascalConstant, right: PascalConstant) -> PascalConstant:
    """Shift a constant in 64 bits, whatever its type; `shr` without a sign."""
    count = right & _NATIVE_BITS - 1
    # A LongWord that no conversion made keeps the sign that the compiler reads numbers with.
    is_signed = left.kind.is_signed or (left.own is None and left.kind.size == 32)
    number = left << count if operator == "<<" else QWORD.of(left) >> count
    return PascalConstant.of((INT64 if is_signed else QWORD).of(number))
