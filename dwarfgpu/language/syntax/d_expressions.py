"""The part of the parser that reads properties of types of D (spec/property)."""

from __future__ import annotations

from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.name_parser import simple_type
from dwarfgpu.language.syntax.words import TYPE_WORDS


def size_of_type(parser: Cursor) -> ast.Node | None:
    """Parse `int.sizeof`; None where something else comes."""
    name, end = simple_type(parser)
    if [token.text for token in parser.tokens[end : end + 2]] != [".", "sizeof"]:
        return None
    if name not in TYPE_WORDS and not parser.known.is_type(name):
        return None
    parser.move_to(end + 2)
    return ast.SizeOf(ast.TypeName((name,)))
