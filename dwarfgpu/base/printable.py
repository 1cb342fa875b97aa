"""Text with foreign names, safe to print: they move no cursor and end no line."""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 200
"""Characters of a name in a line."""


def printable(data: bytes) -> str:
    """Return the text of a name; invalid UTF-8 and unprintable characters are escaped."""
    text = data.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def one_line(text: str) -> str:
    """Return a text that may have names of a file or of a user in it, on one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def short_name(text: str) -> str:
    """Return a name out of a file for a line of text: a long one is cut, with its length."""
    if len(text) <= _LONGEST:
        return one_line(text)
    return f"{one_line(text[:_LONGEST])}… ({len(text)} characters)"
