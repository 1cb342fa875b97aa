"""The part of the parser that reads slices of D, Go and Rust (spec/arrays, "Slicing"; The Go
Programming Language Specification, "Slice expressions"; The Rust Reference, "Range
expressions")."""

from __future__ import annotations

from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.ada_tokens import RANGE
from dwarfgpu.language.syntax.cursor import Cursor
from dwarfgpu.language.syntax.precedences import COMMA
from dwarfgpu.language.syntax.words import RANGE_TO_LAST


def index_or_slice(parser: Cursor) -> ast.Node:
    """Parse what is between brackets: `1`, or a slice, whose bounds D requires."""
    has_bounds = parser.language.is_d
    marks = (":",) if parser.language.is_go else (RANGE, RANGE_TO_LAST)
    is_from_start = parser.is_mark(*marks) and not has_bounds
    low = None if is_from_start else parser.expression(COMMA)
    mark = parser.accept(*marks)
    if mark is None and low is not None:
        return low
    is_to_end = parser.is_mark("]") and mark != RANGE_TO_LAST and not has_bounds
    high = None if is_to_end else parser.expression(COMMA)
    limit = None
    if parser.language.is_go and high is not None and parser.accept(":"):
        limit = parser.expression(COMMA)
    return ast.Slice(low, high, mark == RANGE_TO_LAST, limit)
