"""A value of every lane as a grid of cells."""

from __future__ import annotations

import re

import pytest

from dwarfgpu.view.lane_grid import (
    MARKS,
    Cell,
    LaneRow,
    every_cell,
    grid_lines,
    position_lines,
    share_of,
    table_lines,
)


def lines(cells: list[Cell], *, colours: bool = False) -> list[str]:
    return list(grid_lines(cells, colours=colours))


def test_eight_in_a_row() -> None:
    cells = [Cell(str(n), "A", n) for n in range(20)]
    assert lines(cells) == [
        " 0   0  1  2  3  4  5  6  7",
        " 8   8  9 10 11 12 13 14 15",
        "16  16 17 18 19",
    ]


def test_without_colours_marks_show_the_states() -> None:
    cells = [Cell("5", "A", 5), Cell("6", "I", 6), Cell("x", "U"), Cell("7", "?")]
    assert lines(cells) == [
        "0    5 (6)   ·   7",
        "   ( ) inactive  · no work-item",
    ]


def test_what_is_missing_has_a_mark_and_a_legend() -> None:
    cells = [Cell("", "A", missing=why) for why in MARKS] + [Cell("", "I", missing="unavailable")]
    assert lines(cells) == [
        "0    -   ?   ~   ! (?)",
        "   ( ) inactive  - optimized out  ? unavailable  ~ not in this frame  ! error",
    ]


@pytest.mark.parametrize(("width", "longest"), [(None, 16), (200, 16), (80, 16), (40, 16)])
def test_rows_are_shorter_where_the_terminal_is_narrow(width: int | None, longest: int) -> None:
    lines = list(grid_lines([Cell("x" * 40, "A")] * 8, colours=False, width=width))
    columns = {200: 8, 80: 4, 40: 2}.get(width or 200, 8)
    assert len(lines) == 8 // columns
    assert lines[0] == "0  " + " ".join(["x" * (longest - 1) + "…"] * columns)
    assert width is None or all(len(line) <= width for line in lines)


@pytest.mark.parametrize(("width", "columns", "longest"), [(30, 4, 6), (5, 4, 4)])
def test_cells_are_cut_where_that_does_not_help(width: int, columns: int, longest: int) -> None:
    line, _ = grid_lines([Cell("x" * 40, "A")] * 8, colours=False, width=width)
    assert line == "0  " + " ".join(["x" * (longest - 1) + "…"] * columns)
    assert longest == 4 or len(line) <= width


def test_the_legend_is_folded() -> None:
    cells = [Cell("", "A", missing=why) for why in MARKS]
    lines = list(grid_lines(cells, colours=False, width=30))
    assert lines == [
        "0  - ? ~ !",
        "   - optimized out",
        "   ? unavailable",
        "   ~ not in this frame",
        "   ! error",
    ]


def test_rows_without_shown_lanes_are_left_out() -> None:
    rows = [LaneRow(lane, Cell(str(lane), "A", lane), "a.c:1") for lane in (1, 17)]
    cells = every_cell(rows, 32, 30)
    assert lines(cells) == [
        " 0      1",
        "16     17",
        "24                     ·  ·",
        "    · no work-item",
    ]


def test_what_is_below() -> None:
    rows = [
        LaneRow(0, Cell("1", "A", 1), "a.c:1"),
        LaneRow(1, Cell("", "I", missing="optimized out"), "a.c:2", "<optimized out>", "x is gone"),
        LaneRow(2, Cell("", "I", missing="optimized out"), "a.c:2", "<optimized out>", "x is gone"),
        LaneRow(3, Cell("", "U"), None),
    ]
    assert list(position_lines(rows, 1)) == [
        "  lane 0     active    a.c:1",
        "* lanes 1-2  inactive  a.c:2",
        "  lane 3     unused",
        "<optimized out> in lanes 1-2: x is gone",
    ]


def test_reasons_that_name_each_lane_are_one_line() -> None:
    cell = Cell("?", "A", missing="unavailable")
    rows = [
        LaneRow(lane, cell, "a.c:1", "<unavailable>", f"of lane {lane} it is {64 + lane:#x}: no")
        for lane in range(8)
    ]
    assert list(position_lines(rows)) == [
        "  lanes 0-7  active  a.c:1",
        "<unavailable> in lanes 0-7, at 8 addresses; lane 0: of lane 0 it is 0x40: no",
    ]


def test_a_table() -> None:
    rows = [["Lane", "State", "x"], ["3", "A", "5"], ["17", "I", "<error>"]]
    assert list(table_lines(rows)) == ["Lane State x", "   3 A     5", "  17 I     <error>"]
    assert list(table_lines(rows, 17)) == [
        "  Lane State x",
        "     3 A     5",
        "*   17 I     <error>",
    ]


def test_wide_cells_are_cut() -> None:
    [line] = lines([Cell("x" * 40, "A")])
    assert line == f"0  {'x' * 15}…"


def test_colours_follow_the_numbers() -> None:
    cells = [Cell(str(n), "A", n) for n in (10, 20, 15)] + [Cell("9", "I", 12), Cell("-", "A")]
    line, legend = lines(cells, colours=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", legend) == "   values  10  to  20    inactive "
    codes = re.findall(r"\x1b\[([0-9;]*)m *(\S+)\x1b\[0m", line)
    least, most, middle, inactive = codes
    assert least == ("48;5;17;97", "10")
    assert most == ("48;5;221;30", "20")
    assert middle == ("48;5;71;30", "15")
    assert inactive[0] == "48;5;237;38;5;255"  # grey
    assert line.endswith("  -")
    assert re.sub(r"\x1b\[[0-9;]*m", "", line) == "0  10 20 15  9  -"


def test_the_greatest_doubles_have_colours() -> None:
    cells = [Cell("", "A", number) for number in (-1.7e308, 0.0, 1.7e308)]
    line = lines(cells, colours=True)[0]
    assert re.findall(r"48;5;(\d+)", line) == ["17", "71", "221"]


@pytest.mark.parametrize(
    "numbers",
    [
        (0, 1, 2),
        (7 << 60, (7 << 60) + 1, (7 << 60) + 2),
        (-1.5, 0, 1.5),
        (-(10**400), 0.0, 10**400),
    ],
)
def test_a_share_of_integers_is_exact(numbers: tuple[float, float, float]) -> None:
    least, _, most = numbers
    assert [share_of(number, least, most) for number in numbers] == [0, 0.5, 1]


@pytest.mark.parametrize("number", [0.0, -3.5, 1e300])
def test_equal_numbers_have_one_colour(number: float) -> None:
    [line] = lines([Cell("a", "A", number)] * 3, colours=True)
    assert len(set(re.findall(r"48;5;\d+", line))) == 1


def test_nothing() -> None:
    assert lines([]) == []


def test_the_focus_is_underlined() -> None:
    cells = [Cell("1", "A", 1), Cell("2", "I"), Cell("3", "A", 3)]
    line, legend = grid_lines(cells, colours=True, focus=1)
    assert re.findall(r"\x1b\[([0-9;]*)m *2", line) == ["1;4;48;5;238;38;5;255"]
    assert "\x1b[1;4mlane\x1b[0m in focus" in legend
    assert "\x1b" not in "".join(grid_lines(cells, colours=False, focus=1))
