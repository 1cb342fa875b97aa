"""The part of the parser that reads properties of types of D (spec/property)."""

from __future__ import annotations

from typing import Final

from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.name_parser import simple_type
from dwarfgpu.language.syntax.words import TYPE_WORDS

_RANGES: Final = {
    "bool": (0, 1),
    "byte": (-1 << 7, (1 << 7) - 1), "ubyte": (0, (1 << 8) - 1),
    "short": (-1 << 15, (1 << 15) - 1), "ushort": (0, (1 << 16) - 1),
    "int": (-1 << 31, (1 << 31) - 1), "uint": (0, (1 << 32) - 1),
    "long": (-1 << 63, (1 << 63) - 1), "ulong": (0, (1 << 64) - 1),
}  # fmt: skip
"""The least and the greatest number of each integer type."""
_BOUNDS: Final = ("min", "max")


def property_of_type(parser: Cursor) -> ast.Node | None:
    """Parse `int.sizeof`, `int.min` or `int.max`; None where something else comes."""
    name, end = simple_type(parser)
    point, word = (token.text for token in (*parser.tokens[end : end + 2], parser.tokens[-1])[:2])
    is_bound = word in _BOUNDS and name in _RANGES
    if point != "." or not (word == "sizeof" or is_bound):
        return None
    if name not in TYPE_WORDS and not parser.known.is_type(name):
        return None
    parser.move_to(end + 2)
    kind = ast.TypeName((name,))
    if not is_bound:
        return ast.SizeOf(kind)
    bound = _RANGES[name][_BOUNDS.index(word)]
    number = ast.Integer(abs(bound))
    return ast.Cast(kind, number if bound >= 0 else ast.Unary("-", number))
