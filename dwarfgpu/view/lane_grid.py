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
_RAMP: Final = (17, 18, 24, 30, 36, 71, 107, 143, 179, 221)
"""Background colours of a terminal with 256 of them, from the least number to the greatest."""
_GREYS: Final = (233, 234, 235, 236, 237, 238, 239, 240, 241, 242)
"""The same for inactive lanes."""
_DARK: Final = 6
"""How many of them take white text."""


@frozen
class Cell:
    """What is shown of a lane."""

    text: str
    state: str
    """A active, I inactive, U unused, ? not known."""
    number: float | None = None
    """By which it is coloured; None for what is no number."""


def grid_lines(cells: Sequence[Cell], *, colours: bool) -> Iterator[str]:
    """Rows of cells, one for each lane, with the number of the first lane of each row.

    Inactive lanes are in brackets, unused ones a dot; with colours inactive ones are grey.
    """
    texts = [_text(each, colours=colours) for each in cells]
    width = max((len(text) for text in texts), default=1)
    numbers = [each.number for each in cells if each.number is not None and each.state != "U"]
    least, most = (min(numbers), max(numbers)) if numbers else (0.0, 0.0)
    digits = len(str(len(cells) - 1))
    for row in range(0, len(cells), COLUMNS):
        shown = [
            _painted(f"{text:>{width}}", cell, least, most) if colours else f"{text:>{width}}"
            for cell, text in zip(
                cells[row : row + COLUMNS], texts[row : row + COLUMNS], strict=True
            )
        ]
        yield f"{row:>{digits}}  {' '.join(shown)}".rstrip()


def _text(cell: Cell, *, colours: bool) -> str:
    if cell.state == "U":
        return "·"
    text = cell.text if len(cell.text) <= _WIDEST else f"{cell.text[: _WIDEST - 1]}…"
    return f"({text})" if cell.state == "I" and not colours else text


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
