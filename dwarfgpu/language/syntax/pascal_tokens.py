"""The words of expressions that Pascal spells otherwise than C (ISO 7185 6.1.2, 6.7.2), and those
that Free Pascal and GDB's Pascal (p-exp.y) have besides: `shl`, `shr`, `xor`.

Law: what Pascal does not have keeps its meaning in C, but no `=` alone assigns.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import Unsupported
from dwarfgpu.language.syntax.ada_tokens import ALL, NULL
from dwarfgpu.language.syntax.tokens import Token
from dwarfgpu.language.syntax.words import AND, COMPLEMENT, DIV, OR, XOR

_MARKS: Final = ((":=", ":="), ("<>", "!="), ("==", "=="), ("=", "=="), ("^", ALL))
"""What the marks are among those of C and Ada: `p^` is `p.all`."""
_OPERATORS: Final = {
    AND: AND, OR: OR, XOR: XOR, COMPLEMENT: COMPLEMENT, DIV: DIV,
    "mod": "%", "shl": "<<", "shr": ">>",
}  # fmt: skip
_NIL: Final = "nil"
_SIZE_OF: Final = "sizeof"
_CODE: Final = r"\#\s*(?:\$[0-9a-f]{1,8}|[0-9]{1,8})"
_CONTROL: Final = pattern(
    rf"(?<!\w)(?P<codes>{_CODE}(?:{_CODE})*)(?P<more>\w*\s*[\#'])?", re.IGNORECASE
)
"""Characters by their codes, `#65` or `#65#$42`: one is a character, more are a string."""
_WORD: Final = pattern(r"[a-z]\w*", re.IGNORECASE)


def pascal_token(text: str, index: int) -> tuple[Token, int] | None:
    """Return the word of Pascal at a position, and where it ends; None for one that C has, too."""
    for mark, written in _MARKS:
        if text.startswith(mark, index):
            return Token("mark", written, index), index + len(mark)
    if (match := _CONTROL.match(text, index)) is not None:
        digits = [word.strip() for word in match["codes"].split("#")[1:]]
        codes = [int(word[1:], 16) if word.startswith("$") else int(word) for word in digits]
        if max(codes) >= 1 << 8 or match["more"]:
            raise Unsupported(f"{match[0]} of Pascal is not supported: write #0 to #255 alone")
        text = "".join(f"\\{code:03o}" for code in codes)
        if len(codes) > 1:
            return Token("string", f'"{text}"', index), match.end()
        return Token("character", f"'{text}'", index), match.end()
    if (match := _WORD.match(text, index)) is None:
        return None
    word = match[0].lower()
    if word == _NIL:
        return Token(NULL, word, index), match.end()
    if word == _SIZE_OF:
        return Token("name", word, index), match.end()
    operator = _OPERATORS.get(word)
    return None if operator is None else (Token("mark", operator, index), match.end())
