"""Names in files, of symbols and of what debugging information describes."""

from __future__ import annotations


def printable(data: bytes) -> str:
    """Return the text of a name; invalid UTF-8 and unprintable characters are escaped."""
    text = data.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
