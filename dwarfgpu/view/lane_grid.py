"""Values of lanes for display: a grid of cells, coloured by size, or a table; the command line and
the prompt show the same.

Law: only the lines of `grid_lines` have escape codes; the text is complete without colours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final

from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import plural
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.view.number_runs import runs_text

COLUMNS: Final = 8
LEAST_COLUMNS: Final = 2
"""Cells in a row of a narrow terminal."""
_CODES: Final = pattern(r"\x1b\[[0-9;]*m")
WIDEST: Final = 16
"""Characters of a cell."""
_NARROWEST: Final = 4
_RAMP: Final = (17, 18, 24, 30, 36, 71, 107, 143, 179, 221)
"""Background colours of a terminal with 256 of them, from the least number to the greatest."""
_GREYS: Final = (236, 236, 237, 237, 238, 238, 239, 239, 240, 240)
"""The same for inactive lanes: each is distinguishable from black, and readable under white
text."""
_ON_GREY: Final = "38;5;255"
_DARK: Final = 4
"""How many of them take white text."""
MARKS: Final = {
    "optimized out": "-",
    "unavailable": "?",
    "not in this frame": "~",
    "error": "!",
}
"""Placeholders for missing values, by reason."""
UNUSED: Final = "·"
_NOT_SHOWN: Final = "-"
"""The state of a lane that is not shown: its cell is empty."""
_LETTERS: Final = {True: "A", False: "I", None: "?"}
_WORDS: Final = {"A": "active", "I": "inactive", "U": "unused", "?": "unknown if active"}


def state_letter(state: LaneState, used: int) -> str:
    """Return the state: A active, I inactive, U unused, ? unknown, as in ROCgdb; `used` lanes have
    a work-item."""
    return "U" if state.lane >= used else _LETTERS[state.is_active]


@frozen
class Cell:
    """The display of a lane."""

    text: str
    state: str
    """A active, I inactive, U unused, ? unknown; or that of `NOT_SHOWN`."""
    number: float | None = None
    """Determines the colour: an integer or a double; None if the value is not a number."""
    missing: str | None = None
    """Why there is no value: one of `MARKS`."""


NOT_SHOWN: Final = Cell("", _NOT_SHOWN)


@frozen
class LaneRow:
    """A lane in a grid or a table."""

    lane: int
    cell: Cell
    source_line: str | None
    """File and line where it is."""
    text: str = ""
    """The value, or a word in its place."""
    reason: str | None = None
    """Why it is missing."""


def every_cell(rows: Sequence[LaneRow], lane_count: int, used: int) -> list[Cell]:
    """Return cells for all lanes of a wave, `used` of them with a work-item; lanes without a row
    are empty."""
    by_lane = {row.lane: row.cell for row in rows}
    return [
        by_lane.get(lane, NOT_SHOWN if lane < used else Cell("", "U")) for lane in range(lane_count)
    ]


_OF_ITS_OWN: Final = pattern(r"0x[0-9a-f]+|\bof lane [0-9]+")
"""In a reason, what each lane has for itself: addresses, and its own number."""
_MAX_SIMILAR_REASONS: Final = 4
"""Lines below a grid for reasons that differ in these only."""


def position_lines(rows: Sequence[LaneRow], focus: int | None = None) -> Iterator[str]:
    """Yield the legend of a grid: the location of each group of lanes, `*` for that in focus, and
    the reasons for missing values."""
    groups: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        groups.setdefault((row.cell.state, row.source_line or "-"), []).append(row.lane)
    whos = [_named(numbers) for numbers in groups.values()]
    states = [_WORDS[state] for state, _ in groups]
    first, second = (max(map(len, column), default=0) for column in (whos, states))
    for who, state, key in zip(whos, states, groups, strict=True):
        mark = "*" if focus in groups[key] else " "
        source_line = "" if key == ("U", "-") else f"  {key[1]}"
        yield f"{mark} {who:<{first}}  {state:<{second}}{source_line}".rstrip()
    yield from reason_lines(rows)


def reason_lines(rows: Sequence[LaneRow]) -> Iterator[str]:
    """Yield the reasons why some lanes have no value, one line for each reason."""
    missing: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        if row.reason is not None and row.cell.state != "U":
            missing.setdefault((row.text, row.reason), []).append(row.lane)
    alike: dict[tuple[str, str], list[tuple[str, list[int]]]] = {}
    for (word, reason), numbers in missing.items():
        alike.setdefault((word, _OF_ITS_OWN.sub("", reason)), []).append((reason, numbers))
    for (word, _), affected in alike.items():
        if len(affected) > _MAX_SIMILAR_REASONS:
            lanes = sorted(lane for _, numbers in affected for lane in numbers)
            reason, [lane, *_] = affected[0]
            yield f"{word} in {_named(lanes)}, at {len(affected)} addresses; lane {lane}: {reason}"
            continue
        for reason, numbers in affected:
            yield f"{word} in {_named(numbers)}: {reason}"


def _named(numbers: list[int]) -> str:
    return f"{plural(len(numbers), 'lane')} {runs_text(numbers)}"


def joined(rows: Sequence[list[str]]) -> Iterator[list[str]]:
    """Yield one row for neighbours that differ only in the lane: `0-15`."""
    numbered = enumerate(rows)
    for _, run in groupby(numbered, lambda row: (int(row[1][0]) - row[0], row[1][1:])):
        first, *further = [row for _, row in run]
        yield [f"{first[0]}-{further[-1][0]}" if further else first[0], *first[1:]]


def table_lines(rows: Sequence[Sequence[str]], focus: int | None = None) -> Iterator[str]:
    """Yield a heading and rows, beginning with the numbers of their lanes; `*` marks the focus."""
    first, *widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    form = " ".join([f"{{:>{first}}}", *(f"{{:<{width}}}" for width in widths)])
    for row in rows:
        mark = "" if focus is None else "* " if _has(row[0], focus) else "  "
        yield f"{mark}{form.format(*row)}".rstrip()


def _has(lanes: str, focus: int) -> bool:
    """Return whether a lane is in `0-15`."""
    first, _, last = lanes.partition("-")
    return is_decimal(first) and int(first) <= focus <= int(last or first)


def columns_for(cells: Sequence[Cell], width: int | None) -> int:
    """Return the number of cells in a row: eight, or fewer if a terminal is too narrow for their
    text and fewer help."""
    if width is None:
        return COLUMNS
    digits = len(str(len(cells) - 1))
    texts = [_text(cell, WIDEST, colours=False) for cell in cells]
    longest = max(map(len, texts), default=1)
    for columns in (COLUMNS, COLUMNS // 2, LEAST_COLUMNS):
        if digits + 1 + columns * (longest + 1) <= width:
            return columns
    is_wide = digits + 1 + COLUMNS * (_NARROWEST + 1) <= width
    return COLUMNS if is_wide else COLUMNS // 2


def grid_lines(
    cells: Sequence[Cell], *, colours: bool, width: int | None = None, focus: int | None = None
) -> Iterator[str]:
    """Yield rows of cells, one for each lane, with the number of the first lane of each row, unless
    the row is hidden completely; then a legend.

    Inactive lanes are in brackets; with colours they are grey instead, and the focus is underlined.
    To fit rows into `width` as far as possible, there are fewer cells in a row, then cells are cut.
    """
    columns = columns_for(cells, width)
    digits = len(str(len(cells) - 1))
    widest = WIDEST
    if width is not None:
        widest = max(_NARROWEST, min(WIDEST, (width - digits - 1) // columns - 1))
    texts = [_text(cell, widest, colours=colours) for cell in cells]
    column = max((len(text) for text in texts), default=1)
    least, most = _bounds(cells)
    for row in range(0, len(cells), columns):
        if all(cell.state == _NOT_SHOWN for cell in cells[row : row + columns]):
            continue
        shown = [
            _painted(f"{text:>{column}}", cell, least, most, is_focus=row + index == focus)
            if colours
            else f"{text:>{column}}"
            for index, (cell, text) in enumerate(
                zip(cells[row : row + columns], texts[row : row + columns], strict=True)
            )
        ]
        yield f"{row:>{digits}}  {' '.join(shown)}".rstrip()
    yield from _folded(list(_legend(cells, focus, colours=colours)), digits + 2, width)


def _folded(texts: Sequence[str], indent: int, width: int | None) -> Iterator[str]:
    """Yield texts beside each other, in as many lines as a width makes of them."""
    line: list[str] = []
    for text in texts:
        room = sum(len(_CODES.sub("", part)) + 2 for part in [*line, text]) - 2
        if line and width is not None and indent + room > width:
            yield " " * indent + "  ".join(line)
            line = []
        line.append(text)
    if line:
        yield " " * indent + "  ".join(line)


def _bounds(cells: Sequence[Cell]) -> tuple[float, float]:
    numbers = [cell.number for cell in cells if cell.number is not None and cell.state != "U"]
    return (min(numbers), max(numbers)) if numbers else (0.0, 0.0)


def share_of(number: float, least: float, most: float) -> float:
    """Return where a number is between two that differ: 0 at the least, 1 at the greatest."""
    try:
        if math.isinf(most - least):  # of doubles beyond half the greatest one: halves are exact
            number, least, most = number / 2, least / 2, most / 2
        return (number - least) / (most - least)
    except OverflowError:  # of integers beyond the greatest double
        start = Fraction(least)
        return float((Fraction(number) - start) / (Fraction(most) - start))


def _legend(cells: Sequence[Cell], focus: int | None, *, colours: bool) -> Iterator[str]:
    """Return the legend: the meaning of the marks that occur, and the ends of the colour scale."""
    valued = [cell for cell in cells if cell.number is not None and cell.state == "A"]
    if colours and len({cell.number for cell in valued}) > 1:
        least, most = _bounds(cells)
        ends = [min(valued, key=_number), max(valued, key=_number)]
        yield "values " + " to ".join(_painted(f" {end.text} ", end, least, most) for end in ends)
    if any(cell.state == "I" for cell in cells):
        grey = f"\x1b[48;5;{_GREYS[4]};{_ON_GREY}m"
        yield f"{grey} inactive \x1b[0m" if colours else "( ) inactive"
    if colours and focus is not None and cells[focus].state not in ("U", _NOT_SHOWN):
        yield "\x1b[1;4mlane\x1b[0m in focus"
    if any(cell.state == "U" for cell in cells):
        yield f"{UNUSED} no work-item"
    missing = {cell.missing for cell in cells if cell.state not in ("U", _NOT_SHOWN)}
    yield from (f"{mark} {why}" for why, mark in MARKS.items() if why in missing)


def _number(cell: Cell) -> float:
    assert cell.number is not None
    return cell.number


def _text(cell: Cell, widest: int, *, colours: bool) -> str:
    if cell.state in ("U", _NOT_SHOWN):
        return UNUSED if cell.state == "U" else ""
    text = cell.text if cell.missing is None else MARKS[cell.missing]
    is_bracketed = cell.state == "I" and not colours
    room = widest - 2 if is_bracketed else widest
    text = text if len(text) <= room else f"{text[: room - 1]}…"
    return f"({text})" if is_bracketed else text


def _painted(text: str, cell: Cell, least: float, most: float, *, is_focus: bool = False) -> str:
    if cell.state in ("U", _NOT_SHOWN):
        return text
    codes = ["1", "4"] if is_focus else []
    if cell.state == "I" and cell.number is None:
        codes += [f"48;5;{_GREYS[4]}", _ON_GREY]
    elif cell.number is not None:
        share = 0.0 if most == least else share_of(cell.number, least, most)
        step = min(int(share * len(_RAMP)), len(_RAMP) - 1)
        if cell.state == "I":
            codes += [f"48;5;{_GREYS[step]}", _ON_GREY]
        else:
            codes += [f"48;5;{_RAMP[step]}", "97" if step < _DARK else "30"]
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes else text
