"""Positions of a dispatch's work-items in a picture of it, laid out as the grid."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import Machine, Position
from dwarfgpu.view.lane_grid import COLUMNS, Cell

MAX_CELLS: Final = 1 << 21
"""Maximum number of cells of a picture, with those between workgroups: the file has three million
dots at most."""


@frozen
class Layout:
    """Cells at positions; x goes to the right, y down."""

    width: int
    height: int
    cells: tuple[tuple[int, int, Cell], ...]
    what: str
    """What each block is: a workgroup or a wave."""
    blocks: int


def layout(waves: Sequence[tuple[WaveId, Sequence[Cell]]], model: Machine | None) -> Layout:
    """Return the layout of the lanes of waves, each with its cells.

    A workgroup is a block. In a two- or three-dimensional one a work-item is at its x and y, with
    the slices of z below each other; in a one-dimensional one a wave is a row. Workgroups are at
    their positions in the grid; a single row of them is broken into several, so that the picture is
    not a line. If the workgroup of any wave is unknown, each wave is a block, eight in a row.
    `UsageError` for more than `MAX_CELLS`.
    """
    placed = None if model is None else _in_workgroups(waves, model)
    if placed is None:
        blocks = {
            (index, 0, 0): [(n % COLUMNS, n // COLUMNS, cell) for n, cell in enumerate(cells)]
            for index, (_, cells) in enumerate(waves)
        }
        return _laid(blocks, "wave")
    return _laid(placed, "workgroup")


def _in_workgroups(
    waves: Sequence[tuple[WaveId, Sequence[Cell]]], model: Machine
) -> dict[Position, list[tuple[int, int, Cell]]] | None:
    """Return the cells of each workgroup, by its position; None if any position is unknown."""
    blocks: dict[Position, list[tuple[int, int, Cell]]] = {}
    dispatches = set()
    for wave, cells in waves:
        record, group = model.waves.get(wave), model.workgroup_of(wave)
        if group is None or group.position is None or group.size is None:
            return None
        if record is None or record.wave_in_group is None:
            return None
        dispatches.add(group.dispatch)
        block = blocks.setdefault(group.position, [])
        is_flat = group.size[1] == group.size[2] == 1
        for lane, cell in enumerate(cells):
            item = model.work_item(wave, lane)
            if item is not None:
                x, y, z = item
                block.append(
                    (lane, record.wave_in_group, cell)
                    if is_flat
                    else (x, y + z * group.size[1], cell)
                )
    return blocks if len(dispatches) == 1 else None


def _laid(blocks: dict[Position, list[tuple[int, int, Cell]]], subject: str) -> Layout:
    """Return blocks beside each other with a cell between them."""
    width = 2 + max((x for cells in blocks.values() for x, _, _ in cells), default=0)
    height = 2 + max((y for cells in blocks.values() for _, y, _ in cells), default=0)
    rows = 1 + max((y for _, y, _ in blocks), default=0)
    is_line = rows == 1 and all(z == 0 for _, _, z in blocks)
    a_row = max(1, ceil(sqrt(len(blocks) * height / width))) if is_line else len(blocks)
    out = []
    for (x, y, z), cells in blocks.items():
        column, top = (x % a_row, x // a_row) if is_line else (x, y + z * rows)
        out += [(column * width + at_x, top * height + at_y, cell) for at_x, at_y, cell in cells]
    across = 1 + max((x for x, _, _ in out), default=0)
    down = 1 + max((y for _, y, _ in out), default=0)
    check_cells(across, down, len(blocks))
    return Layout(across, down, tuple(out), subject, len(blocks))


def check_cells(across: int, down: int, blocks: int) -> None:
    """Raise `UsageError` for more cells than a picture has, before they are made."""
    if across * down > MAX_CELLS:
        advice = "; --wave N draws one wave" if blocks > 1 else ""
        raise UsageError(
            f"the picture would have {across} x {down} cells: more than {MAX_CELLS}{advice}"
        )
