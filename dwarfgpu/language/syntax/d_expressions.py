"""The part of the parser that reads properties of types of D (spec/property), and array literals
(spec/expression)."""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import Unsupported
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.name_parser import simple_type
from dwarfgpu.language.syntax.precedences import ASSIGNMENT
from dwarfgpu.language.syntax.words import TYPE_WORDS

BASIC_TYPES: Final = frozenset(
    {"bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "cent", "ucent"}
    | {"float", "double", "real", "char", "wchar", "dchar"}
)
_WITH_PROPERTIES: Final = BASIC_TYPES | {"size_t", "ptrdiff_t"}


def property_of_type(parser: Cursor) -> ast.Node | None:
    """Parse `T.sizeof`, or a property of a basic type such as `int.max`; None where something else
    comes."""
    name, end = simple_type(parser)
    if parser.tokens[end].text != ".":
        return None
    word = parser.tokens[end + 1].text  # after a point comes at least the end
    is_basic = name in _WITH_PROPERTIES and word.isidentifier()
    if word != "sizeof" and not is_basic:
        return None
    if name not in TYPE_WORDS and not parser.known.is_type(name):
        return None
    parser.move_to(end + 2)
    kind = ast.TypeName((name,))
    return ast.SizeOf(kind) if word == "sizeof" else ast.TypeProperty(kind, word)


def array_literal(parser: Cursor) -> ast.Elements:
    """Parse what follows the bracket of `[1, 2, 3]`."""
    if parser.accept("]"):
        raise Unsupported("an array without elements has no type in an expression")
    elements = [parser.expression(ASSIGNMENT)]
    while parser.accept("]") is None:
        parser.expect(",")
        elements.append(parser.expression(ASSIGNMENT))
    return ast.Elements(tuple(elements))
