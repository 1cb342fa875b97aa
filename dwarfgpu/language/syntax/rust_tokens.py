"""The words of expressions that Rust has and C has not: components of tuples, `t.0.1`, which rustc
names `__0`, and `x as u8` (The Rust Reference, "Tuple indexing expressions", "Type cast
expressions")."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.language.syntax.tokens import Token
from dwarfgpu.language.syntax.words import AS

_POINT: Final = pattern(r"(?<=[\w)\]])\.(?=[0-9])")
"""After an operand; the point of a number is a part of it."""
_FIELD: Final = pattern(r"(?<=[\w)\]]\.)[0-9]+(?!\w)")
_AS: Final = pattern(r"\bas\b")


def rust_token(text: str, index: int) -> tuple[Token, int] | None:
    """Return the word of Rust at a position, and where it ends; None for one that C has, too."""
    if _POINT.match(text, index) is not None:
        return Token("mark", ".", index), index + 1
    if (field := _FIELD.match(text, index)) is not None:
        return Token("name", f"__{field[0]}", index), field.end()
    if (word := _AS.match(text, index)) is not None:
        return Token("mark", AS, index), word.end()
    return None
