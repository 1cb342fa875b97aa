"""Text with foreign names, safe to print: they move no cursor and end no line."""

from __future__ import annotations


def printable(data: bytes) -> str:
    """Return the text of a name; invalid UTF-8 and unprintable characters are escaped."""
    text = data.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def one_line(text: str) -> str:
    """Return a text that may have names of a file or of a user in it, on one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
