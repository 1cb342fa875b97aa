"""Options of `print`: `-elements 3 -pretty -- EXPRESSION`, in GDB's words.

Law: as in GDB, a word that begins with `-` is an option only where `--` ends the options; without
it everything is the expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from attrs import evolve

from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.nouns import frozen
from dwarfgpu.view.command_options import without_options
from dwarfgpu.view.options import FormatOptions

_END: Final = re.compile(r"(?:^|\s)--(?:\s|$)")
_IS_END: Final = re.compile(r"--(?:\s|$)")
_WORD: Final = re.compile(r"-(?P<name>[A-Za-z][\w-]*)(?=\s|$)\s*")
_ON: Final = ("on", "yes", "enable")
_OFF: Final = ("off", "no", "disable")
_UNLIMITED: Final = 1 << 31
_MOST_DIGITS: Final = 9


@frozen
class _Option:
    name: str
    apply: Callable[[FormatOptions, int], FormatOptions]
    is_limit: bool = False
    """Takes a number, not `on` or `off`."""
    zero_is_unlimited: bool = False


_OPTIONS: Final = (
    _Option("array", lambda options, on: evolve(options, array=bool(on))),
    _Option("array-indexes", lambda options, on: evolve(options, array_indexes=bool(on))),
    _Option("elements", lambda options, most: evolve(options, elements=most), True, True),
    _Option("max-depth", lambda options, most: evolve(options, max_depth=most), True),
    _Option("null-stop", lambda options, on: evolve(options, null_stop=bool(on))),
    _Option("pretty", lambda options, on: evolve(options, pretty=bool(on))),
    _Option("repeats", lambda options, most: evolve(options, repeats=most), True, True),
    _Option("symbol", lambda options, on: evolve(options, symbol=bool(on))),
    _Option("union", lambda options, on: evolve(options, union=bool(on))),
)
_OTHERS: Final = (
    "address", "memory-tag-violations", "object", "raw-values", "static-members", "vtbl",
)  # fmt: skip
"""GDB's that are not built: an abbreviation may mean them."""
OPTION_NAMES: Final = tuple(f"-{each.name}" for each in _OPTIONS)


def with_options(text: str, command: str, options: FormatOptions) -> tuple[FormatOptions, str]:
    """What the options before `--` make of how values are shown, and the rest of the text."""
    text = text.strip()
    if not text.startswith("-") or text.startswith("--") or _END.search(text) is None:
        return options, without_options(text, command)
    while not _IS_END.match(text):
        match = _WORD.match(text)
        if match is None:
            raise UsageError(f"Unrecognized option at: {text}")
        option = _named(match["name"], text)
        text = text[match.end() :]
        value, text = _limit(option, text) if option.is_limit else _boolean(option, text)
        options = option.apply(options, value)
    return options, text.removeprefix("--").strip()


def _named(name: str, text: str) -> _Option:
    names = [each.name for each in _OPTIONS] + [*_OTHERS]
    found = [name] if name in names else [each for each in names if each.startswith(name)]
    if len(found) > 1:
        raise UsageError(f"Ambiguous option at: {text}")
    if not found:
        raise UsageError(f"Unrecognized option at: {text}")
    option = next((each for each in _OPTIONS if each.name == found[0]), None)
    if option is None:
        raise Unsupported(f"the option -{found[0]} of GDB's print")
    return option


def _value(text: str) -> tuple[str, str]:
    word, _, rest = text.partition(" ")
    return word, rest.strip()


def _boolean(option: _Option, text: str) -> tuple[bool, str]:
    """Nothing is "on"."""
    word, rest = _value(text)
    if word.startswith("-"):
        return True, text
    if word == "1" or (len(word) > 1 and any(each.startswith(word.lower()) for each in _ON)):
        return True, rest
    if word == "0" or (len(word) > 1 and any(each.startswith(word.lower()) for each in _OFF)):
        return False, rest
    raise UsageError(f"Value given for `-{option.name}' is not a boolean: {word}")


def _limit(option: _Option, text: str) -> tuple[int, str]:
    """A number; `unlimited`, and but for the depth 0, is no limit."""
    word, rest = _value(text)
    if word and "unlimited".startswith(word):
        return _UNLIMITED, rest
    if word.startswith("-") and not word[1:].isdigit():
        raise UsageError(f"-{option.name} requires an argument")
    if not (word.isascii() and word.isdigit()) or len(word) > _MOST_DIGITS:
        if not option.zero_is_unlimited and word == "-1":
            return _UNLIMITED, rest
        raise UsageError(f"Expected integer at: {text}")
    number = int(word)
    return (number if number or not option.zero_is_unlimited else _UNLIMITED), rest
