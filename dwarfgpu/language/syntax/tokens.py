"""Split an expression into tokens, as C and GDB do."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain
from typing import Final, Literal, TypeAlias

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.printable import text_bytes, written_name
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.language.syntax.ast import Character, Floating, Integer, String

MAX_CHARACTERS: Final = 10_000
"""Maximum number of characters of one expression."""
_MAX_EXPONENT: Final = 20_000
"""Maximum exponent of a floating literal: beyond the range of every format."""
_MAX_DIGITS: Final = 1_000
_MAX_DECIMAL: Final = 40

Kind = Literal[
    "number",
    "suffixed",
    "string",
    "character",
    "quoted",
    "name",
    "object",
    "dollar",
    "mark",
    "end",
    "logical",
    "constant",
    "null",
    "attribute",
]
"""`logical` and `constant`: `.true.` and `'abc'` of Fortran; `null` of Ada, `nil` of Pascal;
`attribute`: `'first` of Ada; `object`: a word that C or C++ reserve, where it names an object of
another language; `suffixed`: `5u8` of Rust, with a blank before the type."""

_PATTERN: Final = pattern(
    r"""(?P<space>\s+)
    | (?P<number>(?:0[xX][0-9a-oq-zA-OQ-Z]*(?:\.[0-9a-oq-zA-OQ-Z]*)?
            | [0-9][0-9a-df-oq-zA-DF-OQ-Z]*(?:\.[0-9a-df-oq-zA-DF-OQ-Z]*)?
            | \.[0-9][0-9a-df-oq-zA-DF-OQ-Z]*
        )(?:[eEpP][+-]?[0-9a-zA-Z]*)?)
    | (?P<string>(?:L|u8|u|U)?"(?:\\.|[^"\\])*")
    | (?P<character>(?:L|u8|u|U)?'(?:\\.|[^'\\])*')
    | (?P<dollar>\$\$?\w*)
    | (?P<name>(?:::\s*~?)?(?:\(anonymous\ namespace\)\s*::\s*)?
        [^\W\d](?:[\w$\u200c\u200d]++|\\u200[cd])*+
        (?:\s*::\s*(?:\(anonymous\ namespace\)\s*::\s*)?
            ~?[^\W\d](?:[\w$\u200c\u200d]++|\\u200[cd])*+)*)
    | (?P<mark><<=|>>=|\.\.\.|->\*|\.\*|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::
        |[-+*/%&|^~!<>=?:,.()\[\]{}@\#])
    """,
    re.VERBOSE | re.DOTALL,
)
"""A number has any letters and one point, which precedes its exponent, as in GDB. Names may have
joiners (C11 D.1), which are not printable: as they are, or as dwarfgpu shows them. `::~` follows
the arguments of a template, `T<1>::~T`."""
_OPERATOR_NAME: Final = pattern(r"(?:.*::)?operator", re.DOTALL)
_OPERATOR: Final = pattern(
    r"""\s*(?:(?:new|delete)\b(?:\s*\[\s*\])? | ""\s*[^\W\d]\w* | \(\s*\) | \[\s*\]
        | <=>|<<=|>>=|->\*|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=,])""",
    re.VERBOSE,
)
"""What follows `operator` in a name, a conversion to a type apart ([over.oper])."""
_CONVERSION: Final = pattern(
    r"""\s*(?:::\s*)?[^\W\d]\w*(?:\s*::\s*[^\W\d]\w*|\s+(?!(?:and|or|xor)\b)[^\W\d]\w*)*""",
)
"""The words of a conversion's type; template arguments and `*` or `&` may follow."""
_POINTERS: Final = pattern(r"\s*(?:\*|&(?!&)|const\b|volatile\b)")
_MAX_ARGUMENTS: Final = 1_000
"""Characters of the template arguments of a conversion's type."""
_NOT_CONVERTED: Final = "Could not convert character to `%s' character set"
_NO_CHARACTER: Final = "A character constant must contain at least one character."
_LETTERED: Final = pattern(r"(?P<number>(?!0[xX])[0-9][0-9a-zA-Z]*+)(?!\.)")
"""A number whose digits can be letters."""
_INTEGER: Final = pattern(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|0[dDtT](?P<prefixed>[0-9]+)"
    r"|(?P<decimal>[0-9]+))(?P<suffix>[uUlL]*)"
)
_OF_RADIX: Final = pattern(r"(?P<digits>[0-9a-fA-F]+)(?P<suffix>[uUlL]*)")
_DIGITS: Final = "0123456789abcdef"
_FLOATING: Final = pattern(
    r"(?P<digits>[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE](?P<exponent>[+-]?[0-9]+))?(?P<suffix>[fFlLhH]?)(?P<imaginary>i?)"
)
_HEX_FLOATING: Final = pattern(
    r"0[xX](?P<whole>[0-9a-fA-F]*)(?:\.(?P<part>[0-9a-fA-F]*?))?"
    r"(?:[pP](?P<exponent>[+-]?[0-9]+))?(?P<suffix>[fFlLhH]?)(?P<imaginary>i?)"
)
"""C requires an exponent, GDB does not: `0x1.8f` is 1.5 there."""
_DIGITS_ALONE: Final = ("0b", "0d")
"""Prefixes of numbers that are numbers themselves where letters are digits."""
_SUFFIXES: Final = {"", "u", "l", "ll", "ul", "ull"}
_ESCAPES: Final = {
    "a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11,
    "\\": 0x5C, "'": 0x27, '"': 0x22, "?": 0x3F,
}  # fmt: skip
_ESCAPE: Final = pattern(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|(u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8})|(.))|(.)", re.DOTALL
)
_WITH_DIGITS: Final = frozenset("xuU")
"""Escapes that need hexadecimal digits."""
_CODINGS: Final = {
    "": ("UTF-8", "utf-8", 1),
    "u": ("UTF-16LE", "utf-16-le", 2),
    "U": ("UTF-32LE", "utf-32-le", 4),
    "L": ("UTF-32LE", "utf-32-le", 4),
    "b": ("ASCII", "ascii", 1),
}
"""Per prefix of a literal: the character set with GDB's wording and as a codec, and bytes of a
unit."""


@frozen
class Token:
    """One word and where it starts."""

    kind: Kind
    text: str
    start: int
    """Characters from the start of the expression."""


OfLanguage: TypeAlias = Callable[[str, int], tuple[Token | None, int] | None]
"""Returns the word at a position, None for a comment, and where it ends; None for a word of C."""


def tokens(
    text: str,
    radix: int = 10,
    *,
    has_operators: bool = False,
    of_language: OfLanguage | None = None,
) -> Iterator[Token]:
    """Yield the words, and an empty one at the end; `UsageError` for an invalid one.

    `radix`: the base of integers without a prefix. `has_operators`: names of operators are one
    word, as in C++: `Num::operator int&`. `of_language`: finds words of another language than C.
    """
    if len(text) > MAX_CHARACTERS:
        raise LimitExceeded(f"an expression of more than {MAX_CHARACTERS} characters")
    index = 0
    while index < len(text):
        own = None if of_language is None else of_language(text, index)
        if own is not None:
            token, index = own
            if token is not None:
                yield token
            continue
        match = _LETTERED.match(text, index) if radix > 10 else None
        match = match or _PATTERN.match(text, index)
        if match is None:
            if text[index] in "'\"":
                raise UsageError("Unmatched single quote." if text[index] == "'" else
                                 "Unterminated string in expression.")  # fmt: skip
            raise UsageError(f"Invalid character '{text[index]}' in expression.")
        kind, word = match.lastgroup, match[0]
        if kind == "name":
            simple = written_name(re.sub(r"\s+(?!namespace\))", "", word))
            end = match.end()
            if has_operators and _OPERATOR_NAME.fullmatch(simple):
                end = _end_of_operator(text, end)
            yield Token("name", simple + text[match.end() : end], index)
            index = end
            continue
        elif kind == "character" and word[word.index("'") :] == "''":
            raise UsageError(_NO_CHARACTER)
        elif kind == "character" and not _is_character(word):
            yield Token("quoted", written_name(word[1:-1]), index)
        elif kind in ("number", "string", "character", "dollar", "mark"):
            yield Token(kind, word, index)  # type: ignore[arg-type]
        index = match.end()
    yield Token("end", "", len(text))


def _end_of_operator(text: str, index: int) -> int:
    """Return where the name of an operator ends whose mark or type begins at a position."""
    if (match := _OPERATOR.match(text, index)) is not None:
        return match.end()
    if (match := _CONVERSION.match(text, index)) is None:
        return index
    index = end = match.end()
    depth = 0
    if text[index : index + 1] == "<":
        for position in range(index, min(index + _MAX_ARGUMENTS, len(text))):
            depth += (text[position] == "<") - (text[position] == ">")
            if not depth:
                end = position + 1
                break
    while (match := _POINTERS.match(text, end)) is not None:
        end = match.end()
    return end


def number(
    text: str, radix: int = 10, no_imaginary: str = "", *, has_half: bool = False
) -> Integer | Floating:
    """Parse a number; raises `UsageError` with GDB's wording for an invalid one.

    `radix`: the base of an integer without a prefix. `no_imaginary`: the message for `1.5i` in a
    language whose expressions have no such numbers. `has_half`: `1.5h` is a number, as in OpenCL C.
    """
    match = _INTEGER.fullmatch(text)
    if match is not None and (radix == 10 or match["decimal"] is None or text[0] == "0"):
        return _integer(text, match)
    has_prefix = text[0] == "0" and text.lower() not in _DIGITS_ALONE
    match = _OF_RADIX.fullmatch(text) if radix != 10 and not has_prefix else None
    if match is not None and (radix > 10 or is_decimal(match["digits"])):
        return _of_radix(text, match, radix)
    if radix > 10 and "." not in text and has_prefix and text[1:2] not in ("x", "X"):
        raise _invalid(text)  # `0e1` is octal: where letters are digits, none is an exponent
    match = _FLOATING.fullmatch(text)
    if match is not None:
        integer_digits, _, part = match["digits"].partition(".")
        if len(match["digits"]) > _MAX_DIGITS:
            raise UsageError("Numeric constant too large.")
        exponent = _exponent(match["exponent"]) - len(part)
        digits = int(integer_digits + part)
        value = _scaled(digits, 10, exponent)
        return _floating(value, match, no_imaginary, has_half=has_half)
    match = _HEX_FLOATING.fullmatch(text)
    if match is not None and match["whole"] + (part := match["part"] or ""):
        exponent = _exponent(match["exponent"]) - 4 * len(part)
        digits = int(match["whole"] + part, 16)
        value = _scaled(digits, 2, exponent)
        return _floating(value, match, no_imaginary, has_half=has_half)
    raise _invalid(text)


def _suffix(text: str, match: re.Match[str]) -> str:
    suffix = match["suffix"].lower()
    if suffix.endswith("u"):
        suffix = "u" + suffix[:-1]
    if suffix not in _SUFFIXES:
        raise _invalid(text)
    return suffix


def _of_radix(text: str, match: re.Match[str], radix: int) -> Integer:
    """Return an integer whose base is that of the setting."""
    suffix, value = _suffix(text, match), 0
    if len(match["digits"]) > 4 * _MAX_DECIMAL:
        raise UsageError("Numeric constant too large.")
    for letter in match["digits"].lower():
        digit = _DIGITS.index(letter)
        if digit >= radix:
            raise _invalid(text)
        value = value * radix + digit
    return Integer(value, suffix, is_decimal=False)


def _integer(text: str, match: re.Match[str]) -> Integer:
    suffix = _suffix(text, match)
    try:
        if match["hex"]:
            return Integer(int(match["hex"], 16), suffix, is_decimal=False)
        if match["binary"]:
            return Integer(int(match["binary"], 2), suffix, is_decimal=False)
        digits: str = match["decimal"] or match["prefixed"]
        if match["decimal"] and len(digits) > 1 and digits[0] == "0":
            return Integer(int(digits, 8), suffix, is_decimal=False)
        if len(digits) > _MAX_DECIMAL:
            raise UsageError("Numeric constant too large.")
        return Integer(int(digits), suffix)
    except ValueError:
        raise _invalid(text) from None


def _floating(
    number: Fraction, match: re.Match[str], no_imaginary: str, *, has_half: bool
) -> Floating:
    if match["imaginary"] and no_imaginary:
        raise UsageError(no_imaginary)
    is_whole = "." not in match[0] and match["exponent"] is None
    if is_whole and match["suffix"]:  # a float has a point or an exponent (C 6.4.4.2)
        raise _invalid(match[0])
    if match["suffix"] in ("h", "H") and (match["imaginary"] or not has_half):
        raise _invalid(match[0])  # OpenCL C has no complex numbers
    if is_whole and match["imaginary"]:
        raise UsageError("Complex integers are not supported; write a point, as in 2.0i.")
    return Floating(number, match["suffix"].lower(), bool(match["imaginary"]))


def _exponent(text: str | None) -> int:
    if text is None:
        return 0
    if len(text) > 6:
        raise UsageError("Numeric constant too large.")
    return int(text)


def _scaled(digits: int, base: int, exponent: int) -> Fraction:
    if abs(exponent) > _MAX_EXPONENT:
        raise UsageError("Numeric constant too large.")
    power: int = base ** abs(exponent)
    return Fraction(digits * power) if exponent >= 0 else Fraction(digits, power)


def _invalid(text: str) -> UsageError:
    return UsageError(f'Invalid number "{text}".')


def _is_character(text: str) -> bool:
    if not text.startswith("'"):
        return True
    return len(_characters(text)[1]) <= 2  # as in GDB: longer ones are names


def _characters(text: str) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """Return the prefix of a literal with its quotes, and the code units of every escape sequence
    and of every other byte or code unit."""
    prefix = text[: len(text) - len(text.lstrip("LuU8b"))]
    body, prefix = text[len(prefix) + 1 : -1], "" if prefix == "u8" else prefix
    out: list[tuple[int, ...]] = []
    for octal, digits, universal, escape, plain in _ESCAPE.findall(body):
        if octal:
            out.append((int(octal, 8),))
        elif digits:
            out.append((int(digits[-9:], 16),))
        elif universal:
            out.append(_of_code_point(prefix, int(universal[1:], 16)))
        elif escape in _WITH_DIGITS:
            raise UsageError(f"\\{escape} escape without a following hex digit")
        elif escape:
            out.append((_ESCAPES.get(escape, ord(escape)),))
        else:
            out += ((code,) for code in _encoded(prefix, plain))
    return prefix, tuple(out)


def _of_code_point(prefix: str, number: int) -> tuple[int, ...]:
    """Return the code units of a universal character name; `UsageError` where Unicode has no such
    character."""
    if number > sys.maxunicode or 0xD800 <= number < 0xE000:
        raise UsageError(_NOT_CONVERTED % _CODINGS[prefix][0])
    return _encoded(prefix, chr(number))


def _encoded(prefix: str, text: str) -> tuple[int, ...]:
    name, coding, width = _CODINGS[prefix]
    if width == 1:
        return tuple(text_bytes(text))  # also of a byte that is no text in the user's locale
    if any(0xDC80 <= ord(letter) <= 0xDCFF for letter in text):
        raise UsageError(_NOT_CONVERTED % name)
    data = text.encode(coding, "surrogatepass")
    return tuple(
        int.from_bytes(data[index : index + width], "little")
        for index in range(0, len(data), width)
    )


def character(text: str) -> Character:
    """Return a character constant."""
    prefix, characters = _characters(text)
    if len(characters) != 1:
        raise UsageError(_NO_CHARACTER if not characters else "Invalid character constant.")
    if len(characters[0]) != 1:
        raise UsageError("Could not convert character constant to target character set")
    return Character(characters[0][0], prefix)


def string(text: str) -> String:
    """Return a string literal."""
    prefix, characters = _characters(text)
    return String(tuple(chain.from_iterable(characters)), prefix)
