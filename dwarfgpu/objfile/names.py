"""Names in files, of symbols and of what debugging information describes."""

from __future__ import annotations


def printable(data: bytes) -> str:
    """The text of a name; what is not UTF-8 or cannot be printed is shown as escapes."""
    text = data.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
