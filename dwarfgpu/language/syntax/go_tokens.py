"""The words of expressions that Go spells otherwise than C: `^x`, `&^`, `1_000`, `0o17`, `'é'`, a
raw string (The Go Programming Language Specification, "Lexical elements", "Operators")."""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import UsageError
from dwarfgpu.language.syntax.tokens import Token, character
from dwarfgpu.language.syntax.words import AND_NOT, INVERSION, RUNE

_NUMBER: Final = pattern(
    r"""(?:0[oO]_?(?P<octal>[0-7](?:_?[0-7])*) | 0[xX](?:_?[0-9a-fA-F])+ | 0[bB](?:_?[01])+
        | [0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?)(?![\w.])""",
    re.VERBOSE,
)
_MISPLACED: Final = pattern(r"[0-9][0-9a-zA-Z]*_\w*")
_RUNE: Final = pattern(
    r"""'(?:[^'\\\n]|\\(?:[abfnrtv\\']|[0-3][0-7]{2}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))'"""
)
_RAW_STRING: Final = pattern(r"`(?P<body>[^`]*)`")


def go_token(text: str, index: int) -> tuple[Token, int] | None:
    """Return the word of Go at a position, and where it ends; None for one that C has, too."""
    if text[index] == "^" and not _follows_operand(text, index):
        return Token("mark", INVERSION, index), index + 1
    for mark in (f"{AND_NOT}=", AND_NOT):
        if text.startswith(mark, index):
            return Token("mark", mark, index), index + len(mark)
    match = _NUMBER.match(text, index)
    if match is not None and (match["octal"] or "_" in match[0]):
        digits = match[0].replace("_", "")
        written = f"{int(digits[2:], 8):#x}" if match["octal"] else digits
        return Token("number", written, index), match.end()
    if match is None and (misplaced := _MISPLACED.match(text, index)) is not None:
        raise UsageError(f'Invalid number "{misplaced[0]}".')
    if (match := _RUNE.match(text, index)) is not None:
        code = character(f"U{match[0]}").code
        return Token("suffixed", f"{code} {RUNE}", index), match.end()
    if (match := _RAW_STRING.match(text, index)) is not None:
        body = match["body"].replace("\\", "\\\\").replace('"', '\\"')
        return Token("string", f'"{body}"', index), match.end()
    return None


def _follows_operand(text: str, index: int) -> bool:
    """Return whether an operand ends before a position, so that an operator is between two."""
    before = text[:index].rstrip()[-1:]
    return before.isalnum() or before in ("_", ")", "]", "'", '"', "`")
