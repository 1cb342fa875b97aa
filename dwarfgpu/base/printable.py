"""Text with foreign names, safe to print: they move no cursor and end no line."""

from __future__ import annotations

import codecs
import os
import shlex
from typing import Final

from dwarfgpu.errors import LimitExceeded, escaped, one_line

ESCAPES: Final = "dwarfgpu.escapes"
"""The error handler of `codecs` for text that an encoding does not have: it writes escapes, and the
ellipsis, which is dwarfgpu's own mark of a cut, as three dots."""
LONGEST_NAME_BYTES: Final = 1 << 14
"""Longer names are cut."""
_LONGEST: Final = 200
"""Characters of a name in a line."""
_LONGEST_LINE: Final = 1 << 15
"""Characters of a line: kernels that are made of templates have names of more than ten thousand."""


def printable(data: bytes) -> str:
    """Return the text of a name: no two names have the same (`name_bytes`).

    Bytes that are no UTF-8 and control characters are `\\xff`, and other unprintable characters
    `\\u200d`. A backslash that would look like such an escape is one itself, `\\x5c`, but not in a
    literal, as in `Box<'\\xff'>`.
    """
    text = data.decode("utf-8", "surrogateescape")
    if text.isprintable() and "\\" not in text:
        return text
    from dwarfgpu.base.escaped_names import with_escapes  # few files have such names

    return with_escapes(text)


def written_name(text: str) -> str:
    """Return the text of a name that a user wrote, perhaps with unprintable characters; a tab is
    a space."""
    text = text.replace("\t", " ")
    return text if text.isprintable() else printable(name_bytes(text))


def name_text(data: bytes) -> str:
    """Return the text of a name, a very long one cut; no two names have the same."""
    if len(data) <= LONGEST_NAME_BYTES:
        return printable(data)
    from dwarfgpu.base.escaped_names import cut_mark  # few files have such names

    return printable(data[:LONGEST_NAME_BYTES]) + cut_mark(data)


def name_bytes(name: str) -> bytes:
    """Return the bytes in a file of a name whose text a user wrote or `printable` returned;
    `LimitExceeded` for one that was cut. Every `str` has some, also one that is no text."""
    data = text_bytes(name)
    if b"\\" not in data:
        return data
    if is_cut(name):
        raise LimitExceeded(
            f"a name of more than {LONGEST_NAME_BYTES} bytes is not looked up here: it begins with "
            f"{name[:_LONGEST]}"
        )
    from dwarfgpu.base.escaped_names import without_escapes

    return without_escapes(data)


def name_beginning(name: str) -> bytes:
    """Return how strings begin that are a name: with all of it and the zero byte at its end, or
    with what is left of one that was cut."""
    end = _cut_at(name)
    return name_bytes(name) + b"\0" if end < 0 else name_bytes(name[:end])


def is_cut(name: str) -> bool:
    """Return whether a text is that of a name that was cut."""
    return _cut_at(name) >= 0


def _cut_at(name: str) -> int:
    """Return where the text of a name was cut; -1 if it is whole: then fewer bytes than are left of
    those that are cut may be before what looks like the mark."""
    fewest = LONGEST_NAME_BYTES // 4  # a character has at most four bytes
    if len(name) <= fewest:
        return -1
    from dwarfgpu.base.escaped_names import cut_marks, without_escapes

    start, size_bytes = 0, 0
    for end in cut_marks(name, fewest):
        size_bytes += len(without_escapes(text_bytes(name[start:end])))
        if size_bytes >= LONGEST_NAME_BYTES:
            return end
        start = end
    return -1


def text_bytes(text: str) -> bytes:
    """Return the bytes of a text as UTF-8; every `str` has some, also one that is no text."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def on_one_line(text: str) -> str:
    """Return a text without ends of lines; other characters are escaped when it is printed."""
    return text.replace("\r", "\\r").replace("\n", "\\n")


def shell_word(text: str) -> str:
    """Return text as a word of a shell, on one line: as `'a b'`, and as `$'a\\nb'` where it has
    characters that are escaped when it is printed (Bash, "ANSI-C Quoting"; POSIX.1-2024 2.2.4)."""
    if text.isprintable():
        return shlex.quote(text)
    return f"$'{''.join(map(_in_dollar_quotes, text))}'"


def _in_dollar_quotes(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    if character.isascii():
        return escaped(character)
    # Bytes: the characters of \u depend on the locale of the shell.
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(map(_replacement, missing)), error.end


def _replacement(character: str) -> str:
    if "\x80" <= character <= "\xff":  # \xe4 is a byte, and in C it takes in digits behind it
        return f"\\u{ord(character):04x}"
    return "..." if character == "…" else escaped(character)


codecs.register_error(ESCAPES, _replaced)


def short_name(text: str) -> str:
    """Return a name out of a file for a line of text: a long one is cut, with its length."""
    if len(text) <= _LONGEST:
        return one_line(text)
    return f"{one_line(text[:_LONGEST])}… ({len(text)} characters)"


def short_line(text: str) -> str:
    """Return a line of a report, whose names may be as long as its file: one that no terminal
    shows is cut, with its length."""
    if len(text) <= _LONGEST_LINE:
        return one_line(text)
    return f"{one_line(text[:_LONGEST_LINE])}… ({len(text)} characters: --json has all)"


__all__ = [
    "ESCAPES",
    "escaped",
    "on_one_line",
    "one_line",
    "printable",
    "shell_word",
    "short_line",
    "short_name",
]
