"""Arrows from branches to where they go, beside lines of code."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from typing import Final

from dwarfgpu.base.records import frozen

MAX_COLUMNS: Final = 8
"""Branches that would need more columns are drawn without an arrow."""


@frozen
class ArrowGlyphs:
    """What arrows are drawn with."""

    line: str
    vertical: str
    down: str
    """Corner at the upper end."""
    up: str
    """Corner at the lower end."""
    tee: str
    """Where a further branch to the same line begins, or that line itself between them."""
    cross: str
    head: str


UNICODE: Final = ArrowGlyphs("─", "│", "╭", "╰", "├", "┼", "▶")
ASCII: Final = ArrowGlyphs("-", "|", ",", "'", "+", "+", ">")


def glyphs_for(encoding: str | None) -> ArrowGlyphs:
    """Return the characters of arrows that a terminal can show."""
    try:
        "─│╭╰├┼▶".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def arrows(count: int, branches: Mapping[int, int], glyphs: ArrowGlyphs = UNICODE) -> Sequence[str]:
    """Return the margin of each of `count` lines; `branches` are from line to line.

    All have the same width. Shorter branches are drawn further in, those to the same line together.
    """
    spans: dict[int, tuple[int, int]] = {}
    for source, target in branches.items():
        low, high = spans.get(target, (target, target))
        spans[target] = min(low, source), max(high, source)
    columns: list[list[tuple[int, int, int]]] = []
    for target, (low, high) in sorted(spans.items(), key=lambda item: item[1][1] - item[1][0]):
        for column in columns:
            index = bisect(column, (low, high, target))
            # The arrows of a column are apart, in order: only neighbours can be in the way.
            if (not index or column[index - 1][1] < low) and (
                index == len(column) or high < column[index][0]
            ):
                column.insert(index, (low, high, target))
                break
        else:
            if len(columns) < MAX_COLUMNS:
                columns.append([(low, high, target)])
    if not columns:
        return [""] * count
    width = len(columns) + 2
    drawn = {target for column in columns for _, _, target in column}
    rows = [[" "] * width for _ in range(count)]
    for number, column in enumerate(columns):
        position = len(columns) - 1 - number
        for low, high, target in column:
            for line in range(low, high + 1):
                is_end = line == target or branches.get(line) == target
                corner = glyphs.down if line == low else glyphs.up if line == high else glyphs.tee
                row = rows[line]
                if not is_end:
                    row[position] = glyphs.vertical if row[position] == " " else glyphs.cross
                    continue
                row[position] = corner
                for inner in range(position + 1, width - 1):
                    row[inner] = glyphs.line if row[inner] == " " else glyphs.cross
                if line == target:
                    row[width - 2] = glyphs.head
    for line in branches:
        if branches[line] in drawn and rows[line][width - 2] == " ":
            rows[line][width - 2] = glyphs.line
    return ["".join(row) for row in rows]
