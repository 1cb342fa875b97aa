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
from dwarfgpu.language.syntax.words import ABS, AND, IN, MOD, NOT_IN, OR, XOR

RANGE: Final = ".."
ALL: Final = ".all"
NULL: Final = "null"
QUALIFICATION: Final = "'"
"""Between a type and the parentheses of a qualified expression (Ada 2012 4.7)."""
_ESCAPED: Final = pattern(r"'(?P<character>['\\])'")
"""The character literals of an apostrophe and of a backslash, which is like any other character
(Ada 2012 2.5)."""
_STRING: Final = pattern(r'"(?P<text>(?:[^"]|"")*)"')
"""A string literal, where two quotes are one (2.6)."""
_NUMERAL: Final = r"[0-9](?:_?[0-9])*"
_EXPONENT: Final = rf"(?:e(?P<exponent>[+-]?{_NUMERAL}))?"
_BASED: Final = pattern(
    rf"(?P<base>{_NUMERAL})\#(?P<digits>\w+)(?:\.(?P<part>\w+))?\#{_EXPONENT}(?P<rest>(?:\w|\.(?!\.))*)",
    re.IGNORECASE,
)
_DECIMAL: Final = pattern(
    rf"(?P<digits>{_NUMERAL})(?:\.(?P<part>{_NUMERAL}))?{_EXPONENT}(?![\w\#]|\.(?!\.))",
    re.IGNORECASE,
)
_ATTRIBUTE: Final = pattern(r"'\s*(?P<name>[a-z]\w*)(?!\w*')", re.IGNORECASE)
_QUALIFICATION: Final = pattern(r"'\s*(?=\()")
_ALL: Final = pattern(r"\.\s*all\b", re.IGNORECASE)
_COMMENT: Final = pattern(r"--[^\n]*")
_WORD: Final = pattern(r"[a-z]\w*", re.IGNORECASE)
_AS_IN_FILE: Final = pattern(r"<(?P<name>[a-z]\w*)>", re.IGNORECASE)
"""A name that gnat has made up, as GDB takes and shows it."""
_SHORT_CIRCUIT: Final = pattern(r"(?:(?P<then>and\s+then)|or\s+else)\b", re.IGNORECASE)
_MARKS: Final = (
    (POWER, POWER), (RANGE, RANGE), (":=", ":="), ("/=", "!="), ("==", "=="), ("=", "=="),
)  # fmt: skip
"""What the marks are among those of C: `=` compares."""
_NOT_IN: Final = pattern(r"not\s+in\b", re.IGNORECASE)
_OPERATORS: Final = {
    "rem": "%", "mod": MOD, "abs": ABS, "not": NOT, AND: AND, OR: OR, XOR: XOR, IN: IN,
}  # fmt: skip
_NOT_SUPPORTED: Final = {
    "if": "write C's CONDITION ? X : Y",
    "new": "nothing is allocated",
}
"""Reserved words, and what to do without them."""
_MAX_DIGITS: Final = 160
_MAX_EXPONENT: Final = 1000
_BITS: Final = {2: 1, 4: 2, 8: 3, 16: 4}
"""Bits of a digit by base."""


def ada_token(text: str, index: int) -> tuple[Token | None, int] | None:
    """Return the word of Ada at a position, None for a comment, and where it ends; None for a word
    that C has, too.

    `Unsupported` for a word that expressions do not know.
    """
    letter = text[index]
    if (match := _COMMENT.match(text, index)) is not None:
        return None, match.end()
    if letter == "'" and _follows_operand(text, index):
        if (match := _ATTRIBUTE.match(text, index)) is not None:
            return Token("attribute", match["name"], index), match.end()
        if (match := _QUALIFICATION.match(text, index)) is not None:
            return Token("mark", QUALIFICATION, index), index + 1
    is_escaped = letter == "'" and not _follows_operand(text, index)
    if is_escaped and (match := _ESCAPED.match(text, index)) is not None:
        return Token("character", f"'\\{match['character']}'", index), match.end()
    if letter == '"' and (match := _STRING.match(text, index)) is not None:
        written = match["text"].replace("\\", r"\\").replace('""', r"\"")
        return Token("string", f'"{written}"', index), match.end()
    if (match := _AS_IN_FILE.match(text, index)) is not None:
        return Token("name", match["name"], index), match.end()
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
    if (match := _NOT_IN.match(text, index)) is not None:
        return Token("mark", NOT_IN, index), match.end()
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
    """Return `16#ff#`, `1_000`, `1E2` or the number before `..` as a number of C; None for one of C
    alone. Without a point it is an integer (Ada 2012 2.4)."""
    based = _BASED.match(text, index)
    match = based or _DECIMAL.match(text, index)
    if match is None:
        return None
    digits, part = (match[name] and match[name].replace("_", "") for name in ("digits", "part"))
    exponent = (match["exponent"] or "").replace("_", "")
    base = "10" if based is None else based["base"].replace("_", "")
    if based is not None and (based["rest"] or len(base) > 2 or not 2 <= int(base) <= 16):
        raise UsageError(f'Invalid number "{match[0]}".')
    if len(digits + (part or "")) > _MAX_DIGITS or len(exponent) > len(str(_MAX_EXPONENT)):
        raise UsageError("Numeric constant too large.")
    digits = digits.lstrip("0") or "0"  # no zero makes an octal number
    if based is None and (part or not exponent):
        fraction, power = (part and f".{part}") or "", exponent and f"e{exponent}"
        return Token("number", digits + fraction + power, index), match.end()
    try:
        number = int(digits + (part or ""), int(base))
    except ValueError:
        raise UsageError(f'Invalid number "{match[0]}".') from None
    scale = int(exponent or 0)
    if part:
        written = _real(number, int(base), scale - len(part))
    else:
        written = _integer(match[0], number, int(base), scale)
    return Token("number", written, index), match.end()


def _integer(written: str, number: int, base: int, exponent: int) -> str:
    if exponent < 0:
        raise UsageError(f'"{written}": an integer has no negative exponent; write a point.')
    if exponent > _MAX_EXPONENT:
        raise UsageError("Numeric constant too large.")
    return f"{number * base**exponent:#x}"


def _real(number: int, base: int, exponent: int) -> str:
    """Return a real number with a base as C has it."""
    if base == 10:
        return f"{number}e{exponent}"
    if base not in _BITS:
        raise Unsupported(
            f"Real numbers with the base {base} are not supported: write 10, 2 or 16."
        )
    return f"{number:#x}p{_BITS[base] * exponent}"
