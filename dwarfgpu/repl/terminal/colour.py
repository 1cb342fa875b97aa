"""Colours of answers on a terminal: source text, types, operations.

Law: what a file says never drives the terminal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.repl.output import NestedOutput, Painted, Part, SourceLines

MAX_CHARACTERS: Final = 2_000
"""Maximum number of characters of a line that is coloured; a longer one is shown as it is."""
CONTROL: Final = {
    code: f"\\{code & 0xFF:03o}"
    for code in (*range(32), *range(127, 160), *range(0xDC80, 0xDD00))
    if code not in (9, 10)
} | {
    code: f"\\u{code:04x}"
    for code in (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
}
"""Names and sources come from the debugged program: they must not control the terminal, nor reorder
the text. Halves of surrogate pairs are undecodable bytes."""
_LISTED: Final = pattern(r"(?P<number>[0-9]+)\t(?P<text>.*)", re.DOTALL)
_WORDS: Final = pattern(
    r"(?P<operation>\bDW_(?:OP|AT|ATE|CFA)_\w+)|(?P<section>\(A\.[0-9.]+\))|(?P<offset>^0x[0-9a-f]{4}\b)"
    r"|(?P<verdict>^=>.*|^ +(?:\^|the compiler kept).*)|(?P<gone><optimized out>|undefined)"
)
_CODES: Final = {
    "operation": "38;5;30",
    "section": "38;5;243",
    "offset": "38;5;243",
    "verdict": "1",
    "gone": "38;5;130",
}
"""All have the same contrast with black as with white."""

Paint: TypeAlias = "Callable[[str], str]"


def source(text: str) -> str:
    """Colour a listed line: its number, and the text with the keywords of C."""
    match = _LISTED.fullmatch(text)
    if match is None:
        return text
    return Painted(f"\x1b[38;5;243m{match['number']}\x1b[0m\t{_highlighted(match['text'])}")


def types(text: str) -> str:
    """Colour types, with the keywords of C."""
    return Painted("\n".join(map(_highlighted, text.split("\n"))))


def operations(text: str) -> str:
    """Colour operations, their sections, and their results."""

    def code(match: re.Match[str]) -> str:
        return f"\x1b[{_CODES[match.lastgroup or '']}m{match[0]}\x1b[0m"

    return Painted(_WORDS.sub(code, text.translate(CONTROL)))


PAINTS: Final[dict[str, Paint]] = {
    "down": source,
    "explain": operations,
    "frame": source,
    "info scope": operations,
    "lane": source,
    "list": source,
    "ptype": types,
    "thread": source,
    "up": source,
    "wave": source,
    "whatis": types,
}
"""Keyed by the names of the commands."""


def painted(part: Part, paint: Paint) -> Part:
    """Colour a part of an answer, one of `single_parts`."""
    if isinstance(part, Painted | SourceLines):
        return part
    if isinstance(part, NestedOutput):
        return evolve(part, part=painted(part.part, paint))
    return paint(part) if isinstance(part, str) else evolve(part, text=paint(part.text))


def _highlighted(text: str) -> str:
    text = text.translate(CONTROL)
    if len(text) > MAX_CHARACTERS:
        return text
    from dwarfgpu.repl.terminal.source_tokens import COLOURS, source_tokens  # colours only

    return "".join(
        f"\x1b[38;5;{COLOURS[kind][1]}m{token}\x1b[39m" if kind else token
        for kind, token in source_tokens(text)
    )
