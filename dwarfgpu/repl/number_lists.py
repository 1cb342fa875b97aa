"""Lists of numbers as GDB takes them: `1-3 7`, `all`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dwarfgpu.errors import UsageError

_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?", re.ASCII)
_RANGE_WITHOUT_END = re.compile(r"[0-9]+-(?!\$)", re.ASCII)
_MAX_CHARACTERS = 20


def is_numbers(word: str) -> bool:
    """Return whether a word is a number or a range."""
    return _RANGE.fullmatch(word) is not None and len(word) <= _MAX_CHARACTERS


def listed(words: Iterable[str], existing: Iterable[int], kind: str) -> list[int]:
    """Return the existing numbers that are in a list of numbers and ranges, in order.

    `UsageError` with GDB's wording for an invalid list; `kind` is "lane" or "thread".
    """
    ranges: list[tuple[int, int]] = []
    for word in words:
        match = _RANGE.fullmatch(word)
        if match is None or len(word) > _MAX_CHARACTERS:
            raise UsageError(f"Invalid {kind} ID: {word}")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if last < first:
            raise UsageError("inverted range")
        ranges.append((first, last))
    return [number for number in existing if any(first <= number <= last for first, last in ranges)]


def leading_numbers(text: str) -> tuple[list[str], str]:
    """Return the numbers and ranges with which a text begins, and the rest."""
    words: list[str] = []
    rest = text.strip()
    while True:
        word, _, after = rest.partition(" ")
        if not is_numbers(word):
            return words, rest
        words.append(word)
        rest = after.strip()


def require_no_open_range(rest: str) -> None:
    """Raise `UsageError`, with GDB's wording, if a range without an end, `1-`, follows a list of
    numbers: GDB takes the end for 0."""
    if _RANGE_WITHOUT_END.match(rest) is not None:
        raise UsageError("inverted range")
