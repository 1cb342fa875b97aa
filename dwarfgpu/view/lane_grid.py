"""A value of every lane as a grid of cells, eight in a row, coloured by its size.

Law: only what is printed here has escape codes; without colours the text says everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.nouns import frozen

COLUMNS: Final = 8
_WIDEST: Final = 16
"""Characters of a cell."""
_NARROWEST: Final = 4
_RAMP: Final = (17, 18, 24, 30, 36, 71, 107, 143, 179, 221)
"""Background colours of a terminal with 256 of them, from the least number to the greatest."""
_GREYS: Final = (233, 234, 235, 236, 237, 238, 239, 240, 241, 242)
"""The same for inactive lanes."""
_DARK: Final = 6
"""How many of them take white text."""
MARKS: Final = {
    "optimized out": "-",
    "unavailable": "?",
    "not in this frame": "~",
    "error": "!",
}
"""What stands for a value that is not there, by the reason."""
UNUSED: Final = "·"


@frozen
class Cell:
    """What is shown of a lane."""

    text: str
    state: str
    """A active, I inactive, U unused, ? not known."""
    number: float | None = None
    """By which it is coloured; None for what is no number."""
    missing: str | None = None
    """Why there is no value: one of `MARKS`."""


def grid_lines(cells: Sequence[Cell], *, colours: bool, width: int | None = None) -> Iterator[str]:
    """Rows of cells, one for each lane, with the number of the first lane of each row; a legend.

    Inactive lanes are in brackets; with colours they are grey. Cells are cut so that rows are not
    wider than `width`, as far as that is possible.
    """
    digits = len(str(len(cells) - 1))
    widest = _WIDEST
    if width is not None:
        widest = max(_NARROWEST, min(_WIDEST, (width - digits - 1) // COLUMNS - 1))
    texts = [_text(each, widest, colours=colours) for each in cells]
    column = max((len(text) for text in texts), default=1)
    least, most = _bounds(cells)
    for row in range(0, len(cells), COLUMNS):
        shown = [
            _painted(f"{text:>{column}}", cell, least, most) if colours else f"{text:>{column}}"
            for cell, text in zip(
                cells[row : row + COLUMNS], texts[row : row + COLUMNS], strict=True
            )
        ]
        yield f"{row:>{digits}}  {' '.join(shown)}".rstrip()
    legend = list(_legend(cells, colours))
    if legend:
        yield f"{'':>{digits}}  {'  '.join(legend)}"


def _bounds(cells: Sequence[Cell]) -> tuple[float, float]:
    numbers = [each.number for each in cells if each.number is not None and each.state != "U"]
    return (min(numbers), max(numbers)) if numbers else (0.0, 0.0)


def _legend(cells: Sequence[Cell], colours: bool) -> Iterator[str]:
    """What the marks mean that are there, and the ends of the colours."""
    told = [each for each in cells if each.number is not None and each.state == "A"]
    if colours and len({each.number for each in told}) > 1:
        least, most = _bounds(cells)
        ends = [min(told, key=_number), max(told, key=_number)]
        yield " to ".join(_painted(f" {each.text} ", each, least, most) for each in ends)
    if any(each.state == "I" for each in cells):
        yield f"\x1b[48;5;{_GREYS[4]};38;5;252m inactive \x1b[0m" if colours else "( ) inactive"
    if any(each.state == "U" for each in cells):
        yield f"{UNUSED} not asked, or no work-item"
    missing = {each.missing for each in cells if each.state != "U"}
    yield from (f"{mark} {why}" for why, mark in MARKS.items() if why in missing)


def _number(cell: Cell) -> float:
    assert cell.number is not None
    return cell.number


def _text(cell: Cell, widest: int, *, colours: bool) -> str:
    if cell.state == "U":
        return UNUSED
    text = cell.text if cell.missing is None else MARKS[cell.missing]
    is_bracketed = cell.state == "I" and not colours
    room = widest - 2 if is_bracketed else widest
    text = text if len(text) <= room else f"{text[: room - 1]}…"
    return f"({text})" if is_bracketed else text


def _painted(text: str, cell: Cell, least: float, most: float) -> str:
    if cell.state == "U":
        return text
    codes = ["2"] if cell.state == "I" and cell.number is None else []
    if cell.number is not None:
        share = 0.0 if most == least else (cell.number - least) / (most - least)
        step = min(int(share * len(_RAMP)), len(_RAMP) - 1)
        if cell.state == "I":  # dim text cannot be read on a bright cell
            codes += [f"48;5;{_GREYS[step]}", "38;5;252"]
        else:
            codes += [f"48;5;{_RAMP[step]}", "97" if step < _DARK else "30"]
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes else text
