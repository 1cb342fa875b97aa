"""The words of expressions that Fortran spells otherwise than C (Fortran 2018 6.2, 7.4, 10.1).

Law: the only words here are those that C does not have, so that GDB's habits of C remain.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import text_bytes
from dwarfgpu.language.syntax.ast import String
from dwarfgpu.language.syntax.tokens import Token
from dwarfgpu.language.syntax.words import FORTRAN

EQUIVALENCES: Final = (".eqv.", ".neqv.")
"""Operators between logical values, which bind weakest."""
NOT: Final = ".not."
TRUE: Final = ".true."
_OPERATORS: Final = {
    ".and.": "&&", ".or.": "||", ".eq.": "==", ".ne.": "!=", ".lt.": "<", ".le.": "<=",
    ".gt.": ">", ".ge.": ">=", ".xor.": ".neqv.", ".eqv.": ".eqv.", ".neqv.": ".neqv.",
    ".not.": NOT,
}  # fmt: skip
_LITERALS: Final = (TRUE, ".false.")
_DOTTED: Final = pattern(r"\.[a-z]+\.", re.IGNORECASE)
_BEFORE_DOTTED: Final = pattern(r"[0-9]+(?=\.[a-z]+\.)", re.IGNORECASE)
"""The number of `5.eq.i`."""
_DOUBLE: Final = pattern(r"(?P<digits>[0-9]+\.?[0-9]*|\.[0-9]+)[dD](?P<exponent>[+-]?[0-9]+)\b")
"""`1.5d3`, which is of type double precision."""
_WITH_KIND: Final = pattern(
    r"(?P<digits>[0-9]+(?P<part>\.[0-9]*)?(?P<exponent>[eE][+-]?[0-9]+)?|(?P<point>\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"_(?P<kind>[0-9]+)\b"
)
"""`1.5_8` (Fortran 2018 7.4.3)."""
_KIND: Final = pattern(r"_(?P<kind>[0-9]+)\b")
_KIND_OF_DOUBLE: Final = 8
_STRING: Final = pattern(
    r"""(?P<quote>['"])(?P<text>(?:(?!(?P=quote)).|(?P=quote){2})*)(?P=quote)(?!\s*::)""", re.DOTALL
)
"""A character constant, which has no escape sequences (7.4.4); before `::`, a source file."""


POWER: Final = "**"
CONCATENATION: Final = "//"
CONVERSIONS: Final = ("int", "real", "char")
"""Functions whose names are types, too."""


def fortran_token(text: str, index: int) -> tuple[Token, int] | None:
    """Return the word of Fortran at a position, and where it ends; None for one that C has, too."""
    if text.startswith(POWER, index):
        return Token("mark", POWER, index), index + len(POWER)
    if text.startswith(CONCATENATION, index):
        return Token("mark", CONCATENATION, index), index + len(CONCATENATION)
    if text.startswith("/=", index):  # compares
        return Token("mark", "!=", index), index + 2
    if (match := _DOTTED.match(text, index)) is not None:
        word = match[0].lower()
        if word in _LITERALS:
            kind = _KIND.match(text, match.end())
            end = match.end() if kind is None else kind.end()
            return Token("logical", word + text[match.end() : end], index), end
        operator = _OPERATORS.get(word)
        return None if operator is None else (Token("mark", operator, index), match.end())
    if (match := _BEFORE_DOTTED.match(text, index)) is not None:
        return Token("number", match[0], index), match.end()
    if (match := _DOUBLE.match(text, index)) is not None:
        digits = f"{match['digits']}e{match['exponent']}_{_KIND_OF_DOUBLE}"
        return Token("number", digits, index), match.end()
    if (match := _WITH_KIND.match(text, index)) is not None:
        return Token("number", match[0], index), match.end()
    if (match := _STRING.match(text, index)) is not None:
        quote = match["quote"]
        return Token("constant", match["text"].replace(2 * quote, quote), index), match.end()
    return None


def kind_of_number(text: str) -> tuple[str, tuple[str, ...] | None]:
    """Return the digits of a number, and the words of its type if its kind is behind it."""
    match = _WITH_KIND.fullmatch(text)
    if match is None:
        return text, None
    is_real = any(match[group] for group in ("part", "exponent", "point"))
    return match["digits"], (FORTRAN, f"{'real' if is_real else 'integer'}*{match['kind']}")


def logical(text: str) -> tuple[bool, tuple[str, ...] | None]:
    """Return whether a logical literal is true, and the words of its type if its kind is behind
    it: `.true._1`."""
    word, _, kind = text.partition("_")
    return word == TRUE, (FORTRAN, f"logical*{kind}") if kind else None


def constant(text: str) -> String:
    """Return a character constant, which has no NUL at its end."""
    return String(tuple(text_bytes(text)), is_counted=True)
