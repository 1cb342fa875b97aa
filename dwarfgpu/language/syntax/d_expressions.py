"""The part of the parser that reads properties of types of D (spec/property)."""

from __future__ import annotations

from typing import Final

from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.name_parser import simple_type
from dwarfgpu.language.syntax.words import TYPE_WORDS

_SIGNED: Final = {"byte": 8, "short": 16, "int": 32, "long": 64}
_UNSIGNED: Final = {"bool": 1, "ubyte": 8, "ushort": 16, "uint": 32, "ulong": 64}
"""The integer types and their numbers of bits; those of a bool that count."""


def property_of_type(parser: Cursor) -> ast.Node | None:
    """Parse `int.sizeof`, `int.min` or `int.max`; None where something else comes."""
    name, end = simple_type(parser)
    if parser.tokens[end].text != ".":
        return None
    word = parser.tokens[end + 1].text  # after a point comes at least the end
    is_bound = word in ("min", "max") and name in _SIGNED | _UNSIGNED
    if word != "sizeof" and not is_bound:
        return None
    if name not in TYPE_WORDS and not parser.known.is_type(name):
        return None
    parser.move_to(end + 2)
    kind = ast.TypeName((name,))
    if not is_bound:
        return ast.SizeOf(kind)
    if word == "max":
        bits = _UNSIGNED.get(name) or _SIGNED[name] - 1
        return ast.Cast(kind, ast.Integer((1 << bits) - 1))
    if name in _UNSIGNED:
        return ast.Cast(kind, ast.Integer(0))
    return ast.Cast(kind, ast.Unary("-", ast.Integer(1 << _SIGNED[name] - 1)))
