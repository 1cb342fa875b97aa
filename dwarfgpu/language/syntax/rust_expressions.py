"""The part of the parser that reads array expressions of Rust (The Rust Reference, "Array
expressions")."""

from __future__ import annotations

from collections.abc import Callable
from operator import add, and_, floordiv, lshift, mod, mul, or_, rshift, sub, xor
from typing import Final

from dwarfgpu.errors import LimitExceeded, Unsupported, UsageError
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.precedences import ASSIGNMENT
from dwarfgpu.language.syntax.words import SEMICOLON

_MOST: Final = 4096
"""Elements of an array that is written out."""
_SIZE: Final = "usize"
_MOST_BITS: Final = 64
_OPERATORS: Final[dict[str, Callable[[int, int], int]]] = {
    "+": add, "-": sub, "*": mul, "/": floordiv, "%": mod, "<<": lshift, ">>": rshift,
    "&": and_, "|": or_, "^": xor,
}  # fmt: skip


def _count(node: ast.Node) -> int:
    """Return a number of elements: a constant expression of the type `usize` ("Array
    expressions").

    `UsageError` for another expression, and for a result that the type does not hold. rustc
    describes no constants, so that their names mean nothing here.
    """
    match node:
        case ast.Integer(suffix=""):
            return node.number
        case ast.Cast(type=ast.TypeName(words=(word,)), operand=operand) if word == _SIZE:
            return _count(operand)
        case ast.Binary(operator=operator) if operator in _OPERATORS:
            left, right = _count(node.left), _count(node.right)
            is_refused = (operator in ("/", "%") and not right) or (
                operator in ("<<", ">>") and right >= _MOST_BITS
            )
            count = -1 if is_refused else _OPERATORS[operator](left, right)
            if not 0 <= count < 1 << _MOST_BITS:
                raise UsageError(f"The type {_SIZE} does not hold the number of elements.")
            return count
        case _:
            raise UsageError("The number of elements of an array is a constant.")


def element_count(parser: Cursor) -> int:
    """Parse what follows the semicolon of an array or its type, with the bracket.

    `UsageError` for what is no constant, or no number of elements that `usize` holds.
    """
    count = _count(parser.expression(ASSIGNMENT))
    parser.expect("]")
    return count


def array_expression(parser: Cursor) -> ast.Elements:
    """Parse what follows the bracket of `[1, 2, 3]` or `[0u8; 4]`."""
    if parser.accept("]"):
        raise Unsupported("an array without elements has no type in an expression")
    first = parser.expression(ASSIGNMENT)
    if parser.accept(SEMICOLON) is not None:
        count = element_count(parser)
        if not count:
            raise UsageError("Invalid number of elements of an array type.")
        if count > _MOST:
            raise LimitExceeded(f"an array expression of more than {_MOST} elements")
        return ast.Elements((first,), count)
    elements = [first]
    while parser.accept("]") is None:
        parser.expect(",")
        if parser.token.text != "]":
            elements.append(parser.expression(ASSIGNMENT))
    return ast.Elements(tuple(elements))
