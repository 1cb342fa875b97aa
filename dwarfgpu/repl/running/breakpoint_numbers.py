"""Numbers of breakpoints and of their locations, read and refused as GDB 13 does.

`enable` and `disable` take locations too and refuse a word with an error; the other commands warn
of a number that cannot be, and go on to the next word.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from dwarfgpu.errors import UsageError

Kind = Literal["breakpoint", "breakpoint location"]

BAD_NUMBER: Final = "warning: bad breakpoint number at or near '0'"
"""GDB's words for each number that is 0 or followed by other text."""
_MAX_NUMBERS: Final = 100_000
"""Numbers of one range: those without a breakpoint are named one by one."""
_NUMBER: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_DIGITS: Final = re.compile(r"[0-9]+", re.ASCII)


def listed_numbers(word: str) -> range:
    """Return the numbers of `3`, `3-5`; of `0`, `1.` or `1x` the number 0, which no breakpoint has.

    `UsageError` for a negative number, an inverted range, and a word that begins with neither a
    digit nor a sign.
    """
    if word.startswith("-"):
        raise UsageError("negative value")
    if _DIGITS.match(word) is None:
        raise UsageError(f"Bad breakpoint number '{word}'")
    first, dash, last = word.partition("-")
    begin = _number_or_zero(first)
    end = _number_or_zero(last) if dash else begin
    if end < begin:
        raise UsageError("inverted range")
    return _limited(begin, end, "breakpoints", word)


def numbers_and_locations(word: str) -> tuple[range, range | None]:
    """Return the numbers of `1` or `2-4`, or the number and the locations of `1.2` or `1.2-4`.

    `UsageError` with GDB's wording for other words.
    """
    number, dot, locations = word.partition(".")
    if not dot:
        return _range("breakpoint", word), None
    if not number or not locations:
        raise UsageError(f"Bad breakpoint number at or near: '{word}'")
    single = _number("breakpoint", number)
    return range(single, single + 1), _range("breakpoint location", locations)


def _range(kind: Kind, word: str) -> range:
    first, dash, last = word.partition("-")
    if not first:  # a sign, not a range
        raise UsageError(f"Negative {kind} number '-{last.partition('-')[0]}'")
    if dash and not last:
        raise UsageError(f"Bad {kind} number at or near: '{word}'")
    begin = _number(kind, first)
    end = _number(kind, last) if dash else begin
    if end < begin:
        raise UsageError(f"Inverted {kind} range at '{word}'")
    return _limited(begin, end, f"{kind}s", word)


def _number(kind: Kind, text: str) -> int:
    if re.fullmatch(r"-[0-9]+", text, re.ASCII):
        raise UsageError(f"Negative {kind} number '{text}'")
    number = _number_or_zero(text)
    if not number:
        raise UsageError(f"Bad {kind} number '{text}'")
    return number


def _number_or_zero(text: str) -> int:
    return int(text) if _NUMBER.fullmatch(text) else 0


def _limited(begin: int, end: int, what: str, word: str) -> range:
    if end - begin >= _MAX_NUMBERS:
        raise UsageError(f"More than {_MAX_NUMBERS} {what}: {word}")
    return range(begin, end + 1)
