"""Tokens of expression text, each with its position."""

from __future__ import annotations

import re
from typing import Final, Literal, cast

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Malformed

Kind = Literal["word", "punctuation", "newline", "undecoded", "end"]

_TOKEN: Final = pattern(
    r"""
    (?P<skip> [ \t\r\f\v\u00a0]+ | \#[^\n]* | //[^\n]* | "[^"\n]*"
            | \(start\ ==\ end\)            # readelf, of an empty range
            | \[without\ DW_AT_frame_base\]
            | or\ DW_OP_HP_\w+              # readelf, of an operation with two meanings
            | \?\?\?                        # eu-readelf, of an index that it cannot look up
    )
    | (?P<newline> \n )
    | (?P<undecoded> <decoding\ error> )    # llvm-dwarfdump: the rest of the bytes follow
    | (?P<lost> (?:User\ defined|Unknown)\ location\ op\ 0x[0-9a-f]+ )
    | (?P<word> [$%]?\.?[A-Za-z0-9_][A-Za-z0-9_.]* )
    | (?P<punctuation> -> | [()\[\]<>:;,+-] )
    """,
    re.VERBOSE,
)
_NUMBER: Final = pattern(r"0[xX][0-9a-fA-F]+|[0-9]+")
_HEX: Final = pattern(r"(?:0[xX])?[0-9a-fA-F]+")
_CLOSING: Final = {"(": ")", "[": "]", "<": ">"}
_MAX_DIGITS: Final = 4000
"""Maximum number of digits of a number: Python converts it at once, and no operand needs it."""


@frozen
class Token:
    """A word or sign of the text."""

    kind: Kind
    text: str
    line: int
    """From 1."""
    column: int
    """From 1, in characters."""

    def is_sign(self, signs: str) -> bool:
        """Return whether it is one of these one-character punctuation signs."""
        return self.kind == "punctuation" and self.text in signs

    @property
    def number(self) -> int | None:
        """The decimal or 0x number of the word; None for any other word."""
        if self.kind != "word" or not _NUMBER.fullmatch(self.text):
            return None
        return self._convert(self.text, 16 if self.text[1:2] in ("x", "X") else 10)

    @property
    def hexadecimal(self) -> int | None:
        """The number that the word is in hexadecimal, with or without 0x."""
        if self.kind != "word" or not _HEX.fullmatch(self.text):
            return None
        return self._convert(self.text, 16)

    def _convert(self, text: str, base: int) -> int:
        if len(text) > _MAX_DIGITS:
            raise self.error(f"a number of {len(text)} digits")
        return int(text, base)

    def error(self, message: str) -> Malformed:
        """Return an error with `message`, the position and the text of the token."""
        piece = self.text if len(self.text) <= 40 else f"{self.text[:37]}..."
        named = {"end": "end of text", "newline": "end of line"}.get(self.kind, repr(piece))
        return Malformed(f"{self.line}:{self.column}: {named}: {message}")


def tokens(text: str) -> list[Token]:
    """Return the tokens of `text`, with an end token; `Malformed` at a character that begins
    none."""
    tokens: list[Token] = []
    line, start, position = 1, 0, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            character = Token("word", text[position], line, position - start + 1)
            raise character.error("this character has no meaning here")
        kind = match.lastgroup
        if kind == "lost":
            unknown = Token("word", match.group(), line, position - start + 1)
            raise unknown.error("readelf stops here; take the bytes, or the text of another tool")
        if kind != "skip":
            column = position - start + 1
            tokens.append(Token(cast(Kind, kind), match.group(), line, column))
        position = match.end()
        if kind == "newline":
            line, start = line + 1, position
    tokens.append(Token("end", "", line, position - start + 1))
    return tokens


class Cursor:
    """A position among the words of a text."""

    def __init__(self, text: str) -> None:
        self._tokens = tokens(text)
        self._at = 0

    @property
    def token(self) -> Token:
        """The next word; at the end for ever the end token."""
        return self._tokens[self._at]

    def peek(self, distance: int = 1) -> Token:
        """Return the word that far behind the next."""
        return self._tokens[min(self._at + distance, len(self._tokens) - 1)]

    @property
    def line(self) -> int:
        """The line of the last word taken."""
        return self._tokens[max(self._at - 1, 0)].line

    def next(self) -> Token:
        """Take the next word."""
        token = self.token
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def accept(self, signs: str) -> Token | None:
        """Take the next word where it is one of these one-character signs."""
        return self.next() if self.token.is_sign(signs) else None

    def expect(self, sign: str, why: str) -> None:
        """Take that sign; `Malformed` where something else is next."""
        if self.accept(sign) is None:
            raise self.token.error(f"{sign} expected {why}")

    def close(self, opening: Token, why: str) -> None:
        """Take the bracket that belongs to the opening one."""
        self.expect(_CLOSING[opening.text], why)

    def pass_bracketed(self) -> None:
        """Skip brackets and their contents, up to the end of the line."""
        opening = self.next()
        closing = [_CLOSING[opening.text]]
        while closing:
            token = self.next()
            if token.kind in ("end", "newline"):
                raise opening.error(f"a {closing[-1]} is missing")
            if token.is_sign("([<"):
                closing.append(_CLOSING[token.text])
            elif token.is_sign(closing[-1]):
                closing.pop()
