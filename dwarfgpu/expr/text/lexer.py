"""Tokens of expression text, each with its position."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Final, Literal

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
    | (?P<undecoded> <decoding\ error> )    # llvm-dwarfdump: the rest of the bytes follow
    | (?P<lost> (?:User\ defined|Unknown)\ location\ op\ 0x[0-9a-f]+ )
    | (?P<word> [$%]?\.?[A-Za-z0-9_][A-Za-z0-9_.]* ) [ \t]*
    | (?P<punctuation> -> | [()\[\]<>:;,+-] )
    | (?P<bad> . )
    """,
    re.VERBOSE,
)
_RANGES: Final = pattern(
    r"""^[ \t]*\[0x[0-9a-f]+,[ \t]*0x[0-9a-f]+\)(?:[ \t]*"[^"\n]*")?:?"""  # llvm-dwarfdump
    r"""|^[ \t]*(?:[0-9a-f]{8,16}[ \t]+){1,3}(?=\()"""  # readelf
    r"""|^[ \t]*0x[0-9a-f]+[ \t]+(?:[0-9a-f]{2})+[ \t]+(?=[a-z.])"""  # dwarfgpu dis
    r"""|<empty>""",
    re.IGNORECASE,
)
"""What tools print before the expressions of a location list, and for one of no operations; and
before each operation its offset and its bytes, which say the same as the text."""
_PLAIN: Final = pattern(r"([ \t]*)([A-Za-z_][A-Za-z0-9_]*)(?:([ \t]+)([0-9][0-9A-Fa-fx]*))?[ \t]*")
"""A line of one operation with a number or no operand, as most are."""
_NUMBER: Final = pattern(r"0[xX][0-9a-fA-F]+|[0-9]+")
_HEX: Final = pattern(r"(?:0[xX])?[0-9a-fA-F]+")
_SEPARATORS: Final = frozenset(("\n", ",", ";"))
_ENDS: Final = frozenset(("\n", ",", ";", ")", ""))
"""The words that end an operation whose operands are numbers; "" is the end of the text."""
_KINDS: Final[dict[str, Kind]] = {
    "": "end",
    "\n": "newline",
    "<decoding error>": "undecoded",
    **dict.fromkeys(("->", *"()[]<>:;,+-"), "punctuation"),
}
LONGEST_STATEMENT: Final = 3
"""Words of an operation that is remembered: `const1s - 5`."""
_REPEATED: Final = 4096
_REPEATED_CHARACTERS: Final = 256
"""Of how many lines, and how long ones, the words are remembered."""
Statement = tuple[str, ...]
"""The words of an operation."""
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


class _Words:
    """The words of a text: their texts in one list, with the positions beside it."""

    def __init__(self, text: str) -> None:
        self.texts: list[str] = []
        self._columns: list[int] = []
        self._line_starts: list[int] = []
        """The number of the first word of each line."""
        known: dict[str, tuple[list[str], list[int]]] = {}  # lines that come often
        for number, line in enumerate(text.split("\n"), 1):
            words = known.get(line)
            if words is None:
                words = _words_of_line(line, number)
                if len(line) <= _REPEATED_CHARACTERS:
                    if len(known) >= _REPEATED:
                        known.clear()
                    known[line] = words
            self._line_starts.append(len(self.texts))
            self.texts += words[0]
            self._columns += words[1]
        self.texts[-1] = ""  # the newline that the last line does not have
        self.last = len(self.texts) - 1
        self.texts += [""] * LONGEST_STATEMENT

    def token(self, index: int) -> Token:
        """Return the word of that number."""
        text = self.texts[index]
        return Token(_KINDS.get(text, "word"), text, self.line(index), self._columns[index])

    def line(self, index: int) -> int:
        """Return the line of that word, from 1."""
        return bisect_right(self._line_starts, index)


def _words_of_line(line: str, number: int) -> tuple[list[str], list[int]]:
    """Return the words of a line and their columns, with a newline; `Malformed` at a character
    that begins none."""
    plain = _PLAIN.fullmatch(line)
    if plain is not None:
        end = len(line) + 1
        if plain[4] is None:
            return [plain[2], "\n"], [plain.start(2) + 1, end]
        return [plain[2], plain[4], "\n"], [plain.start(2) + 1, plain.start(4) + 1, end]
    line = _RANGES.sub(lambda match: " " * len(match[0]), line)  # so that columns stay
    texts: list[str] = []
    columns: list[int] = []
    for match in _TOKEN.finditer(line):
        kind = match.lastgroup
        if kind == "skip":
            continue
        text, column = match[kind or 0], match.start() + 1
        if kind == "lost":
            why = "readelf stops here; take the bytes, or the text of another tool"
            raise Token("word", text, number, column).error(why)
        if kind == "bad":
            raise Token("word", text, number, column).error("this character has no meaning here")
        texts.append(text)
        columns.append(column)
    texts.append("\n")
    columns.append(len(line) + 1)
    return texts, columns


def _encoded(encode: Callable[[int], bytes], word: str) -> bytes | None:
    """Return an operation with a number; None where the word is none or does not fit."""
    if len(word) > _MAX_DIGITS or not _NUMBER.fullmatch(word):
        return None
    try:
        return encode(int(word, 16 if word[1:2] in ("x", "X") else 10))
    except Malformed:
        return None


class Cursor:
    """A position among the words of a text."""

    def __init__(self, text: str) -> None:
        self._words = _Words(text)
        self._at = 0
        self._token = self._words.token(0)

    @property
    def at(self) -> int:
        """The number of the next word."""
        return self._at

    @property
    def token(self) -> Token:
        """The next word; at the end for ever the end token."""
        return self._token

    def peek(self, distance: int = 1) -> Token:
        """Return the word that far behind the next."""
        return self._words.token(min(self._at + distance, self._words.last))

    def statement(self, start: int) -> Statement | None:
        """Return the words from `start` to here, where here they end; None if they are many."""
        texts = self._words.texts
        if texts[self._at] in _ENDS and 0 < self._at - start <= LONGEST_STATEMENT:
            return tuple(texts[start : self._at])
        return None

    def take_known(
        self,
        known: Mapping[Statement, bytes],
        encoders: Mapping[str, Callable[[int], bytes]],
        out: bytearray,
    ) -> bool:
        """Take statements that are known, and what separates them, adding their bytes to `out`;
        return whether anything was taken. `encoders`: operations whose operand is any number."""
        texts, index = self._words.texts, self._at
        while True:
            text = texts[index]
            if text in _SEPARATORS:
                index += 1
                continue
            statement: Statement
            if texts[index + 1] in _ENDS:
                statement = (text,)
            elif texts[index + 2] in _ENDS:
                statement = (text, texts[index + 1])
            else:
                statement = (text, texts[index + 1], texts[index + 2])
                if texts[index + 3] not in _ENDS:
                    break
            data = known.get(statement)
            if data is None and len(statement) == 2 and text in encoders:
                data = _encoded(encoders[text], statement[1])
            if data is None:
                break
            out += data
            index += len(statement)
        if index == self._at:
            return False
        self._move(index)
        return True

    def _move(self, index: int) -> None:
        self._at = min(index, self._words.last)
        self._token = self._words.token(self._at)

    @property
    def line(self) -> int:
        """The line of the last word taken."""
        return self._words.line(max(self._at - 1, 0))

    def next(self) -> Token:
        """Take the next word."""
        token = self._token
        self._move(self._at + 1)
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
