"""Work-items of a dispatch where the grid has them."""

from __future__ import annotations

from itertools import product

import pytest

from dwarfgpu.errors import UsageError
from dwarfgpu.machine.topology import Dispatch, Machine, Position, Wave, Workgroup
from dwarfgpu.view.dispatch_layout import Layout, layout
from dwarfgpu.view.lane_grid import Cell


def laid(size: Position, counts: Position, lane_count: int = 4) -> Layout:
    """Workgroups of a size; the text of a cell is its wave and lane."""
    groups, waves = {}, {}
    items = size[0] * size[1] * size[2]
    for z, y, x in product(*(range(count) for count in reversed(counts))):
        group = len(groups) + 1
        groups[group] = Workgroup(group, 1, (x, y, z), size)
        for index in range(-(-items // lane_count)):
            wave = len(waves) + 1
            waves[wave] = Wave(wave, group, index)
    model = Machine(lane_count, dispatches={1: Dispatch(1, 1)}, workgroups=groups, waves=waves)
    cells = [(wave, [Cell(f"{wave}.{n}", "A", n) for n in range(lane_count)]) for wave in waves]
    return layout(cells, model)


def rows(found: Layout) -> list[str]:
    texts = [["  . "] * found.width for _ in range(found.height)]
    for x, y, cell in found.cells:
        texts[y][x] = f"{cell.text:>4}"
    return ["".join(row).rstrip() for row in texts]


def test_a_workgroup_of_one_dimension_has_a_row_for_each_wave() -> None:
    assert rows(laid((6, 1, 1), (1, 1, 1))) == [" 1.0 1.1 1.2 1.3", " 2.0 2.1  .   ."]


def test_a_line_of_workgroups_is_broken() -> None:
    result = laid((4, 1, 1), (10, 1, 1))
    assert (result.width, result.height, result.blocks) == (9, 9, 10)
    assert rows(result)[:3] == [
        " 1.0 1.1 1.2 1.3  .  2.0 2.1 2.2 2.3",
        "  .   .   .   .   .   .   .   .   .",
        " 3.0 3.1 3.2 3.3  .  4.0 4.1 4.2 4.3",
    ]


def test_two_dimensions_are_x_and_y() -> None:
    assert rows(laid((2, 2, 1), (2, 2, 1))) == [
        " 1.0 1.1  .  2.0 2.1",
        " 1.2 1.3  .  2.2 2.3",
        "  .   .   .   .   .",
        " 3.0 3.1  .  4.0 4.1",
        " 3.2 3.3  .  4.2 4.3",
    ]


def test_slices_of_z_are_below_each_other() -> None:
    assert rows(laid((2, 1, 2), (1, 1, 2))) == [
        " 1.0 1.1",
        " 1.2 1.3",
        "  .   .",
        " 2.0 2.1",
        " 2.2 2.3",
    ]


def test_waves_without_positions_are_blocks() -> None:
    cells = [Cell(str(n), "A", n) for n in range(10)]
    result = layout([(7, cells), (9, cells)], None)
    assert (result.what, result.blocks, result.width) == ("wave", 2, 8)
    assert rows(result)[0].split() == [str(n) for n in range(8)]
    assert len(result.cells) == 20


def test_two_workgroups_far_from_each_other_are_no_picture() -> None:
    """A picture has a cell for each position between them."""
    size, far = (8, 8, 1), (700, 700, 0)
    groups = {1: Workgroup(1, 1, (0, 0, 0), size), 2: Workgroup(2, 1, far, size)}
    waves = {1: Wave(1, 1, 0), 2: Wave(2, 2, 0)}
    model = Machine(64, dispatches={1: Dispatch(1, 1)}, workgroups=groups, waves=waves)
    with pytest.raises(UsageError) as caught:
        layout([(wave, [Cell("", "A", 0.0)] * 64) for wave in waves], model)
    assert caught.value.message == (
        "the picture would have 6308 x 6308 cells: more than 2097152; --wave N draws one wave"
    )
