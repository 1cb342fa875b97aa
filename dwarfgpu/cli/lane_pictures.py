"""Pictures of lane values: cells of a grid in the terminal, and of a picture of a dispatch."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from dwarfgpu.errors import counted
from dwarfgpu.machine.topology import model_of
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.machine.topology_tables import kernel_text
from dwarfgpu.session.session import Session
from dwarfgpu.view.dispatch_layout import layout
from dwarfgpu.view.grid_image import NO_NUMBER, Picture, draw, reason
from dwarfgpu.view.lane_grid import (
    Cell,
    LaneRow,
    every_cell,
    grid_lines,
    position_lines,
)
from dwarfgpu.view.scale_ticks import number_text

UNUSED = Cell("", "U")


def grid(
    name: str, rows: Sequence[LaneRow], lane_count: int, used: int, *, colours: bool
) -> Iterator[str]:
    """Return a grid: a name, its value in each lane, the location of each lane, and the reasons for
    missing values."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    yield one_line(name)
    yield from grid_lines(every_cell(rows, lane_count, used), colours=colours, width=width)
    yield from map(one_line, position_lines(rows))


def write_picture(
    name: str, waves: Sequence[tuple[Session, Sequence[Cell]]], path: str, form: str
) -> str:
    """Draw a name in every lane of waves into a file; return a line that describes it."""
    session = waves[0][0]
    grid = layout([(wave.wave, cells) for wave, cells in waves], model_of(session.target))
    model = model_of(session.target)
    dispatch = None if model is None else model.dispatch_of(session.wave)
    kernel = None if dispatch is None else kernel_text(session, dispatch)
    in_kernel = "" if kernel is None else f" in {kernel}"
    where = {wave.pc for wave, _ in waves}
    pc = next(iter(where))
    pc_text = f", pc {pc:#x}" if len(where) == 1 and pc is not None else ""
    lanes = f"{counted(len(grid.cells), 'lane')} of {counted(grid.blocks, grid.what)}"
    title = one_line(f"{name}{in_kernel}: {lanes}{pc_text}")
    texts = [cell.text for _, _, cell in grid.cells if cell.number is not None]
    is_address = bool(texts) and texts[0].startswith("0x")
    draw(Picture(grid, title, is_address), path, form)
    numbers = [cell.number for _, _, cell in grid.cells if cell.number is not None]
    span = ""
    if numbers and not is_address:
        span = f", {number_text(min(numbers))} to {number_text(max(numbers))}"
    missing = Counter(cell.missing for _, _, cell in grid.cells if cell.missing is not None)
    why = ", ".join(f"{count} {name}" for name, count in sorted(missing.items()))
    without = f"; without a value: {why}" if why else ""
    not_numbers = sum(reason(cell) == NO_NUMBER for _, _, cell in grid.cells if cell.state != "U")
    without += f"; not a number: {not_numbers}" if not_numbers else ""
    return one_line(f"{path}: {title}{span}{without}")
