"""The part of the parser that reads conversions, attributes and memberships of Ada (2012 4.6, 4.7,
4.1.4, 4.4)."""

from __future__ import annotations

from typing import Final

from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.ada_tokens import QUALIFICATION, RANGE
from dwarfgpu.language.syntax.ast import Node
from dwarfgpu.language.syntax.attribute_names import argument_counts, attribute_name
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.name_parser import is_converting
from dwarfgpu.language.syntax.words import IN_TYPES

NO_AGGREGATES: Final = "aggregates of Ada are not supported in expressions"


def conversion(parser: Cursor) -> Node | None:
    """Parse `type(operand)`, `type'(operand)` or an attribute of a type, of Ada; None where
    something else comes."""
    name = parser.token.text
    if not is_converting(parser, parser.at):
        return None
    if name not in IN_TYPES and not parser.known.is_type(name):
        return None
    parser.next()
    if parser.token.kind == "attribute":
        return attribute(parser, ast.TypeName((name,)))
    is_qualified = parser.accept(QUALIFICATION) is not None
    parser.expect("(")
    operands = parser.listed(")")
    if len(operands) != 1:
        if is_qualified:
            raise Unsupported(NO_AGGREGATES)
        raise UsageError("Invalid conversion")
    return ast.Cast(ast.TypeName((name,)), operands[0], how="conversion")


def attribute(parser: Cursor, prefix: Node | ast.TypeName) -> Node:
    """Parse an attribute of Ada behind its prefix."""
    name = attribute_name(parser.take("attribute"))
    counts = argument_counts(name)
    has_arguments = counts[-1] > 0 and parser.accept("(") is not None
    arguments = parser.listed(")") if has_arguments else ()
    if len(arguments) not in counts:
        if counts[-1] and counts[0] and not isinstance(prefix, ast.TypeName):
            raise UsageError("Prefix must be type")
        raise parser.syntax_error()
    return ast.Attribute(prefix, name, arguments)


def membership(parser: Cursor, operand: Node, least: int, *, is_negated: bool) -> Node:
    """Parse what follows `in`: values, ranges and types, with `|` between them, whose operators
    bind at least so strongly."""
    choices = [_choice(parser, least)]
    while parser.accept("|"):
        choices.append(_choice(parser, least))
    return ast.Membership(operand, tuple(choices), is_negated)


def _choice(parser: Cursor, least: int) -> Node | ast.TypeName:
    name = parser.token.text
    is_name = parser.token.kind == "name" and not is_converting(parser, parser.at)
    if is_name and parser.known.is_type(name):
        parser.next()
        return ast.TypeName((name,))
    low = parser.expression(least)
    return ast.Slice(low, parser.expression(least)) if parser.accept(RANGE) else low
