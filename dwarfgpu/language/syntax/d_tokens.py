"""The words of expressions with slices of D: `values[1..3]` (spec/lex, "Integer Literals")."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.language.syntax.ada_tokens import RANGE
from dwarfgpu.language.syntax.tokens import Token

_BEFORE_RANGE: Final = pattern(r"[0-9]+(?=\.\.)")
"""A number that has no point: the next two are the mark."""


def d_token(text: str, index: int) -> tuple[Token, int] | None:
    """Return the mark of a slice, or the number before it, and where the word ends; None for one
    that C has, too."""
    if text.startswith(RANGE, index):
        return Token("mark", RANGE, index), index + len(RANGE)
    match = _BEFORE_RANGE.match(text, index)
    return None if match is None else (Token("number", match[0], index), match.end())
