"""The part of the parser that reads subscripts and sections of Fortran (2018 9.5.3)."""

from __future__ import annotations

from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.ast import Node
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.precedences import ASSIGNMENT
from dwarfgpu.language.syntax.tokens import Token


def subscripts(parser: Cursor) -> tuple[Node, ...]:
    """Parse subscripts and triplets up to `)`, which is consumed."""
    out: list[Node] = []
    while parser.accept(")") is None:
        out.append(_subscript(parser))
        parser.expect_item_or(")")
    return tuple(out)


def _subscript(parser: Cursor) -> Node:
    """Parse `5`, or a triplet: `2:5`, `:`, `1:9:2`, `::2`, or an argument with its keyword:
    `kind=8`."""
    following = parser.tokens[min(parser.at + 1, len(parser.tokens) - 1)]
    if parser.token.kind == "name" and following.kind == "mark" and following.text == "=":
        keyword = parser.next().text
        parser.next()
        return ast.Keyword(keyword, parser.expression(ASSIGNMENT))
    bounds: list[Node | None] = [None, None, None]
    index = 0
    while parser.token.kind != "end" and not parser.is_mark(",", ")"):
        if parser.token.kind == "name" and parser.token.text.startswith("::"):  # `::step`
            name = Token("name", parser.token.text[2:], parser.token.start + 2)
            parser.tokens[parser.at : parser.at + 1] = [
                Token("mark", "::", parser.token.start),
                name,
            ]
            parser.move_to(parser.at)
        colons = len(parser.accept(":", "::") or "")
        if colons + index > 2:
            raise parser.syntax_error()
        if not colons and (index or bounds[0] is not None):
            raise parser.syntax_error()
        index += colons
        if not parser.is_mark(",", ")", ":", "::"):
            bounds[index] = parser.expression(ASSIGNMENT)
    low, high, stride = bounds
    if not index and low is not None:
        return low
    if not index:
        raise parser.syntax_error()
    return ast.Triplet(low, high, stride)
