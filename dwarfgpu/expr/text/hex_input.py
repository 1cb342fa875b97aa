r"""Bytes in the notations that people paste (`docs/expression-syntax.md`, "Bytes").

The text as a whole decides between three notations:

- escapes, if a `\x` occurs: `\x0f\x04`;
- source, if a directive, a brace or a `0x` occurs: numbers as in C, 15 is fifteen;
- dump, otherwise: hexadecimal digits, 15 is twenty-one.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NoReturn

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import UsageError

_TOKEN: Final = pattern(
    r"""
    (?P<skip> [\s,;\[\]()] | \#[^\n]* | //[^\n]* | /\*.*?\*/ | b?["'] | [0-9]+\ byte\ block: )
    | (?P<brace> [{}] )
    | (?P<directive> \.[A-Za-z0-9_]+ )
    | (?P<escape> \\x[0-9A-Fa-f]{1,2} )
    | (?P<word> [A-Za-z0-9_]+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_DECLARATION: Final = pattern(r"[^{}]*=\s*(?=\{)")
"""The text before the braces in C."""

Notation = Literal["escapes", "source", "dump"]


@frozen
class _Word:
    kind: str
    text: str
    position: int


_BLOCK: Final = pattern(r"^(.*\b[0-9]+ byte block:)([0-9a-fA-F \t]*)(\(.*\))?", re.MULTILINE)
"""A line of readelf: the text before the bytes, the bytes, and the operations in words."""


def _bytes_of_block(match: re.Match[str]) -> str:
    return " " * len(match[1]) + match[2] + " " * len(match[3] or "")


def parse_hex(text: str) -> bytes:
    """Return the bytes; `UsageError` gives line and column of an error."""
    text = _BLOCK.sub(_bytes_of_block, text)
    words = _words(text)
    notation = _notation(words)
    out = bytearray()
    for word in words:
        if word.kind == "directive":
            if word.text not in (".byte", ".cfi_escape"):
                _fail(text, word, "only .byte and .cfi_escape are read")
        elif word.kind != "brace":
            out += _bytes(text, word, notation)
    return bytes(out)


def _words(text: str) -> list[_Word]:
    declaration = _DECLARATION.match(text)
    position = declaration.end() if declaration else 0
    words = []
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            _fail(text, _Word("bad", text[position], position), "not part of a byte")
        kind = match.lastgroup or "skip"
        if kind != "skip":
            words.append(_Word(kind, match.group(), position))
        position = match.end()
    return words


def _notation(words: list[_Word]) -> Notation:
    if any(word.kind == "escape" for word in words):
        return "escapes"
    for word in words:
        if word.kind in ("directive", "brace") or word.text[:2] in ("0x", "0X"):
            return "source"
    return "dump"


def _bytes(text: str, word: _Word, notation: Notation) -> bytes:
    digits = word.text
    if word.kind == "escape":
        return bytes((int(digits[2:], 16),))
    if notation == "escapes":
        _fail(text, word, r"among \x bytes, only those are read")
    if notation == "source":
        if re.fullmatch(r"0[xX][0-9A-Fa-f]+", digits):
            digits = digits[2:]
        elif re.fullmatch(r"0|[1-9][0-9]{0,2}", digits) and int(digits) < 256:
            return bytes((int(digits),))
        else:
            _fail(text, word, "not a byte; beside 0x numbers, others are decimal, from 0 to 255")
    if not re.fullmatch(r"[0-9A-Fa-f]+", digits):
        _fail(text, word, "not a hexadecimal number")
    if len(digits) > 1 and len(digits) % 2:
        _fail(text, word, "an odd number of hexadecimal digits")
    return bytes.fromhex(digits.zfill(2))


def _fail(text: str, word: _Word, why: str) -> NoReturn:
    line = text.count("\n", 0, word.position) + 1
    column = word.position - text.rfind("\n", 0, word.position)
    piece = word.text if len(word.text) <= 40 else f"{word.text[:37]}..."
    raise UsageError(f"{line}:{column}: {piece!r}: {why}")
