"""Pictures of lane values: cells of a grid in the terminal, and of a picture of a dispatch."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence

from dwarfgpu.machine.topology import model_of
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.lanes.lane_answer import ABSENT, LaneAnswer
from dwarfgpu.session.session import Session
from dwarfgpu.view.dispatch_layout import layout
from dwarfgpu.view.grid_image import Picture, draw
from dwarfgpu.view.json_object import Plain
from dwarfgpu.view.lane_grid import (
    MARKS,
    Cell,
    LaneRow,
    every_cell,
    grid_lines,
    place_lines,
)

UNUSED = Cell("", "U")


def cell_of(answer: LaneAnswer, letter: str) -> Cell:
    """Return the cell of a lane, whose state is a letter of `lanes`."""
    missing = _missing(answer)
    if missing is not None:
        return Cell(MARKS[missing], letter, missing=missing)
    data = answer.answer.record.get("data")
    number = _number(data)
    text = one_line(answer.text)
    if isinstance(data, Mapping) and "address" in data and number is not None:
        address = data["address"]
        text = f"{address:#x}" if isinstance(address, int) else str(address)
    return Cell(text, letter, number)


def _missing(answer: LaneAnswer) -> str | None:
    """Why there is no value, by `MARKS`."""
    text = answer.text
    if text == ABSENT:
        return "not in this frame"
    for why in ("optimized out", "unavailable"):
        if text.startswith(f"<{why}>"):
            return why
    if answer.answer.error is not None:
        return "unavailable" if answer.answer.error.kind == "Unavailable" else "error"
    return None


def _number(data: Plain) -> float | None:
    """By which a value is coloured; of a pointer the address, of an enumerator its value."""
    if isinstance(data, Mapping):
        data = data.get("address", data.get("value"))
    if isinstance(data, int | float) and math.isfinite(data):
        return float(data)
    return None


def row_of(answer: LaneAnswer, letter: str, place: str | None) -> LaneRow:
    """Return a lane, its position, and why it has no value."""
    cell, error = cell_of(answer, letter), answer.answer.error
    reason = None if cell.missing is None or error is None else error.message
    word = "" if cell.missing is None else f"<{cell.missing}>"
    return LaneRow(answer.lane, cell, place, word, reason)


def grid(
    name: str, rows: Sequence[LaneRow], lane_count: int, used: int, *, colours: bool
) -> Iterator[str]:
    """A name, its value in each lane, which lanes are where, and why some have none."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    yield one_line(name)
    yield from grid_lines(every_cell(rows, lane_count, used), colours=colours, width=width)
    yield from map(one_line, place_lines(rows))


def write_picture(
    name: str, waves: Sequence[tuple[Session, Sequence[Cell]]], path: str, form: str
) -> str:
    """Draw a name in every lane of waves into a file; return a line that describes it."""
    session = waves[0][0]
    grid = layout([(wave.wave, cells) for wave, cells in waves], model_of(session.target))
    model = model_of(session.target)
    dispatch = None if model is None else model.dispatch_of(session.wave)
    kernel = "" if dispatch is None or dispatch.kernel is None else f" in {dispatch.kernel}"
    where = {wave.pc for wave, _ in waves}
    pc = next(iter(where))
    at = f", pc {pc:#x}" if len(where) == 1 and pc is not None else ""
    blocks = f"{grid.blocks} {grid.what}{'' if grid.blocks == 1 else 's'}"
    title = one_line(f"{name}{kernel}: {len(grid.cells)} lanes of {blocks}{at}")
    texts = [cell.text for _, _, cell in grid.cells if cell.number is not None]
    is_address = bool(texts) and texts[0].startswith("0x")
    draw(Picture(grid, title, is_address), path, form)
    numbers = [cell.number for _, _, cell in grid.cells if cell.number is not None]
    span = f", {min(numbers):.15g} to {max(numbers):.15g}" if numbers and not is_address else ""
    return one_line(f"{path}: {title}{span}")
