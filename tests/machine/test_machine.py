"""How a grid is divided; agents, queues, dispatches, workgroups and waves, and their names."""

from __future__ import annotations

from itertools import product

import pytest

from dwarfgpu.machine.topology import (
    STOP_REASONS,
    Agent,
    Dispatch,
    Geometry,
    Machine,
    Queue,
    Wave,
    Workgroup,
    work_item,
)

Position = tuple[int, int, int]


@pytest.mark.parametrize(
    ("grid", "workgroup", "whole", "counts", "remainders"),
    [
        ((128, 1, 1), (64, 1, 1), (2, 1, 1), (2, 1, 1), (0, 0, 0)),
        ((100, 1, 1), (48, 1, 1), (2, 1, 1), (3, 1, 1), (4, 0, 0)),
        ((7, 5, 3), (4, 2, 3), (1, 2, 1), (2, 3, 1), (3, 1, 0)),
        ((3, 1, 1), (64, 1, 1), (0, 1, 1), (1, 1, 1), (3, 0, 0)),
    ],
)
def test_geometry(
    grid: Position, workgroup: Position, whole: Position, counts: Position, remainders: Position
) -> None:
    geometry = Geometry(grid, workgroup, 3)
    assert (geometry.whole_counts, geometry.counts, geometry.remainders) == (
        whole,
        counts,
        remainders,
    )
    # Every work-item of the grid is in exactly one workgroup.
    items = [
        tuple(
            number * part + at for number, part, at in zip(position, workgroup, item, strict=True)
        )
        for position in geometry.positions()
        for item in product(*map(range, geometry.size_at(position)))
    ]
    assert sorted(items) == sorted(product(*map(range, grid)))


def test_positions_x_first() -> None:
    positions = list(Geometry((2, 2, 2), (1, 1, 1), 3).positions())
    assert positions[:3] == [(0, 0, 0), (1, 0, 0), (0, 1, 0)]


def test_work_items_x_first() -> None:
    assert [work_item(n, (2, 2, 2)) for n in (0, 1, 2, 4)] == [
        (0, 0, 0),
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
    ]


MACHINE = Machine(
    64,
    {1: Agent(1)},
    {2: Queue(2, 1)},
    {3: Dispatch(3, 2)},
    {4: Workgroup(4, 3, (5, 6, 7), (40, 2, 1))},
    {8: Wave(8, 4, 0), 9: Wave(9, 4, 1), 10: Wave(10), 11: Wave(11, 4)},
)


@pytest.mark.parametrize(
    ("wave", "lane", "expected"),
    [
        (8, None, "AMDGPU Wave 1:2:3:8 (5,6,7)/0"),
        (9, None, "AMDGPU Wave 1:2:3:9 (5,6,7)/1"),
        (10, None, "AMDGPU Wave ?:?:?:10 (?,?,?)/?"),
        (11, None, "AMDGPU Wave 1:2:3:11 (5,6,7)/?"),
        (12, None, "AMDGPU Wave ?:?:?:12 (?,?,?)/?"),
        (8, 41, "AMDGPU Lane 1:2:3:8/41 (5,6,7)[1,1,0]"),
        (9, 15, "AMDGPU Lane 1:2:3:9/15 (5,6,7)[39,1,0]"),
        (9, 16, "AMDGPU Lane 1:2:3:9/16 (5,6,7)[?,?,?]"),  # it has no work-item
        (11, 0, "AMDGPU Lane 1:2:3:11/0 (5,6,7)[?,?,?]"),
    ],
)
def test_target_ids(wave: int, lane: int | None, expected: str) -> None:
    assert MACHINE.target_id(wave, lane) == expected


def test_used_lanes() -> None:
    assert [MACHINE.used_lanes(wave) for wave in (8, 9, 10, 11, 12)] == [64, 16, None, None, None]


def test_stop_reasons_are_those_of_amd_dbgapi() -> None:
    numbers = {"breakpoint": 0, "single_step": 2, "debug_trap": 10, "memory_violation": 13,
               "fatal_halt": 17}  # fmt: skip
    assert {name: STOP_REASONS.index(name) for name in numbers} == numbers
    assert len(STOP_REASONS) == 18
