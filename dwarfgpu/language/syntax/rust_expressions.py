"""The part of the parser that reads array expressions of Rust (The Rust Reference, "Array
expressions")."""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import LimitExceeded, Unsupported, UsageError
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.precedences import ASSIGNMENT
from dwarfgpu.language.syntax.tokens import number
from dwarfgpu.language.syntax.words import SEMICOLON

_MOST: Final = 4096
"""Elements of an array that is written out."""


def array_expression(parser: Cursor) -> ast.Elements:
    """Parse what follows the bracket of `[1, 2, 3]` or `[0u8; 4]`."""
    if parser.accept("]"):
        raise Unsupported("an array without elements has no type in an expression")
    first = parser.expression(ASSIGNMENT)
    if parser.accept(SEMICOLON) is not None:
        count = number(parser.take("number"), parser.radix)
        parser.expect("]")
        if not isinstance(count, ast.Integer) or not count.number:
            raise UsageError("Invalid number of elements of an array type.")
        if count.number > _MOST:
            raise LimitExceeded(f"an array expression of more than {_MOST} elements")
        return ast.Elements((first,), count.number)
    elements = [first]
    while parser.accept("]") is None:
        parser.expect(",")
        if parser.token.text != "]":
            elements.append(parser.expression(ASSIGNMENT))
    return ast.Elements(tuple(elements))
