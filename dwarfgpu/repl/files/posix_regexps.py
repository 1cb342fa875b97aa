"""Regular expressions as GDB takes them: POSIX basic ones, with GNU's additions."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.regexp import Regexp, regexp
from dwarfgpu.errors import UsageError
from dwarfgpu.repl.setting import boolean

_LITERAL: Final = "(){}|+?"
"""Characters that mean themselves without a backslash before them."""
_OPTION: Final = pattern(r"-(?P<letter>[qnt-])(?:\s+|$)")
_TYPE: Final = pattern(r"(?P<quote>['\"])(?P<quoted>.*?)(?P=quote)\s*|(?P<word>\S+)\s*")


def listing_options(argument: str) -> tuple[str, str | None, str]:
    """Return the letters of `-q` and `-n` before a regular expression for names, the regular
    expression of `-t` for types, and the rest.

    A boolean may follow `-q` and `-n`, as in `-n off`.
    """
    text, letters, typed = argument.strip(), "", None
    while (match := _OPTION.match(text)) is not None:
        letter, text = match["letter"], text[match.end() :]
        if letter == "-":
            break
        if letter == "t":
            type_match = _TYPE.match(text)
            if type_match is None:
                raise UsageError("-t requires an argument")
            typed, text = type_match["word"] or type_match["quoted"], text[type_match.end() :]
        else:
            is_on, text = _leading_boolean(text)
            letters = letters.replace(letter, "") + letter * is_on
    return letters, typed, text


def _leading_boolean(text: str) -> tuple[bool, str]:
    """Return the boolean that a text begins with, and the rest; without one, True."""
    word, _, rest = text.partition(" ")
    try:
        return boolean(word), rest.strip()
    except UsageError:
        return True, text


def compiled(text: str) -> Regexp:
    """Compile a pattern; `UsageError` if it is invalid."""
    out: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character == "\\" and position + 1 < len(text):
            position += 1
            escaped = text[position]
            out.append(escaped if escaped in _LITERAL else f"\\{escaped}")
        elif character == "[":
            end = _end_of_set(text, position)
            out.append("[" + text[position + 1 : end].replace("\\", "\\\\").replace("[", "\\["))
            position = end
            out.append("]")
        elif character == "*" and (not out or out[-1] in ("^", "(", "|")):
            out.append("\\*")  # there is nothing to repeat
        else:
            out.append(f"\\{character}" if character in _LITERAL else character)
        position += 1
    try:
        return regexp("".join(out))
    except UsageError as error:
        raise UsageError(f"Invalid regexp: {text}: {error}") from None


def _end_of_set(text: str, start: int) -> int:
    """Return where `[...]` ends; the first character in it may be `]`."""
    first = start + 1 + text.startswith("^", start + 1)
    end = text.find("]", first + 1)
    if end < 0:
        raise UsageError(f"Invalid regexp: {text}: Unmatched [")
    return end
