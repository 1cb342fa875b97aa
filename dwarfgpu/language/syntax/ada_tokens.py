"""The words of expressions that Ada spells otherwise than C (Ada 2012 2.4, 4.1, 4.5).

Law: a word of Ada that expressions do not know is an error that names it, never a word of C.
"""

from __future__ import annotations

import re
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.syntax.fortran_tokens import NOT, POWER
from dwarfgpu.language.syntax.tokens import Token
from dwarfgpu.language.syntax.words import ABS, MOD

RANGE: Final = ".."
ALL: Final = ".all"
NULL: Final = "null"
QUALIFICATION: Final = "'"
"""Between a type and the parentheses of a qualified expression (Ada 2012 4.7)."""
_BASED: Final = pattern(
    r"(?P<base>[0-9](?:_?[0-9])*)\#(?P<digits>\w+)\#(?P<rest>[\w.]*)", re.IGNORECASE
)
_WITH_UNDERSCORES: Final = pattern(r"[0-9]+(?:_[0-9]+)+(?![\w#])")
_BEFORE_RANGE: Final = pattern(r"[0-9]+(?:_[0-9]+)*(?=\.\.)")
_ATTRIBUTE: Final = pattern(r"'\s*(?P<name>[a-z]\w*)(?!\w*')", re.IGNORECASE)
_QUALIFICATION: Final = pattern(r"'\s*(?=\()")
_ALL: Final = pattern(r"\.\s*all\b", re.IGNORECASE)
_WORD: Final = pattern(r"[a-z]\w*", re.IGNORECASE)
_SHORT_CIRCUIT: Final = pattern(r"(?:(?P<then>and\s+then)|or\s+else)\b", re.IGNORECASE)
_MARKS: Final = (
    (POWER, POWER), (RANGE, RANGE), (":=", ":="), ("/=", "!="), ("==", "=="), ("=", "=="),
)  # fmt: skip
"""What the marks are among those of C: `=` compares."""
_OPERATORS: Final = {"rem": "%", "mod": MOD, "abs": ABS, "not": NOT}
_NOT_SUPPORTED: Final = {
    "and": 'write "and then" between conditions, & between numbers',
    "or": 'write "or else" between conditions, | between numbers',
    "xor": "write ^ between numbers",
    "in": "write comparisons",
    "if": "write C's CONDITION ? X : Y",
    "new": "nothing is allocated",
}
"""Reserved words, and what to do without them."""
_MAX_DIGITS: Final = 40


def ada_token(text: str, index: int) -> tuple[Token, int] | None:
    """Return the word of Ada at a position, and where it ends; None for one that C has, too.

    `Unsupported` for a word that expressions do not know.
    """
    letter = text[index]
    if letter == "'" and _follows_operand(text, index):
        if (match := _ATTRIBUTE.match(text, index)) is not None:
            return Token("attribute", match["name"], index), match.end()
        if (match := _QUALIFICATION.match(text, index)) is not None:
            return Token("mark", QUALIFICATION, index), index + 1
    for mark, written in _MARKS:
        if text.startswith(mark, index):
            return Token("mark", written, index), index + len(mark)
    if (match := _ALL.match(text, index)) is not None:
        return Token("mark", ALL, index), match.end()
    if is_decimal(letter):
        return _number(text, index)
    if not (letter.isalpha() and letter.isascii()):
        return None
    if (match := _SHORT_CIRCUIT.match(text, index)) is not None:
        return Token("mark", "&&" if match["then"] else "||", index), match.end()
    match = _WORD.match(text, index)
    if match is None:
        return None
    word = match[0].lower()
    if word in _NOT_SUPPORTED and text[match.end() : match.end() + 1] != '"':
        raise Unsupported(f'"{match[0]}" of Ada is not supported: {_NOT_SUPPORTED[word]}')
    if word in _OPERATORS:
        return Token("mark", _OPERATORS[word], index), match.end()
    return (Token(NULL, word, index), match.end()) if word == NULL else None


def _follows_operand(text: str, index: int) -> bool:
    """Return whether an operand ends before a position, so that a quote begins an attribute."""
    before = text[:index].rstrip()[-1:]
    return before.isalnum() or before in ("_", ")")


def _number(text: str, index: int) -> tuple[Token, int] | None:
    """Return `16#ff#`, `1_000` or the number before `..` as a number of C."""
    if (match := _BASED.match(text, index)) is not None:
        base = match["base"].replace("_", "")
        digits = match["digits"].replace("_", "")
        if match["rest"] or len(base) > 2 or not 2 <= int(base) <= 16:
            raise UsageError(f'Invalid number "{match[0]}".')
        if len(digits) > _MAX_DIGITS:
            raise UsageError("Numeric constant too large.")
        try:
            return Token("number", f"{int(digits, int(base)):#x}", index), match.end()
        except ValueError:
            raise UsageError(f'Invalid number "{match[0]}".') from None
    match = _BEFORE_RANGE.match(text, index) or _WITH_UNDERSCORES.match(text, index)
    if match is None:
        return None
    return Token("number", match[0].replace("_", ""), index), match.end()
