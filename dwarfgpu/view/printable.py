"""Text with foreign names, safe to print."""

from __future__ import annotations


def one_line(text: str) -> str:
    """Text with names of a file or of a user in it, which move no cursor and end no line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
