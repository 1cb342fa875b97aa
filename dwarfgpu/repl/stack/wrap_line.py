"""The line of a frame on a narrow terminal: broken where GDB breaks it.

That is before the arguments, before each of them and before the place, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.pattern import pattern

_POINTS: Final = pattern(
    r"(?P<call>(?<=\S)(?= \((?:[\w$]+=|\))))|(?P<argument>(?<=, )(?=[\w$]+=)|(?<= \()(?=[\w$]+=))"
    r"|(?P<place>(?= (?:at|from) \S+$))"
)
_INDENTS: Final = {"call": 3, "argument": 4, "place": 3}
_LEAST: Final = 8


def wrapped(line: str, columns: int | None) -> str:
    """Return a line wrapped to fewer than that many columns, if it can be broken; None:
    unchanged."""
    if columns is None or len(line) < columns or columns < _LEAST:
        return line
    out, used = "", 0
    for part, indent in _parts(line):
        if out and used + len(part) >= columns:
            out += "\n" + " " * indent
            used = indent
        out += part
        used = (used + len(part)) % columns  # what cannot be broken the terminal breaks
    return out


def _parts(line: str) -> Iterator[tuple[str, int]]:
    """Yield the parts between break positions, with the indentation of a continued line."""
    begin = indent = 0
    for point in _POINTS.finditer(line):
        yield line[begin : point.start()], indent
        begin, indent = point.start(), _INDENTS[point.lastgroup or "place"]
    yield line[begin:], indent
