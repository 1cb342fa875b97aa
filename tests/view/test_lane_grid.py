"""A value of every lane as a grid of cells."""

from __future__ import annotations

import re

import pytest

from dwarfgpu.view.lane_grid import MARKS, Cell, grid_lines


def lines(cells: list[Cell], *, colours: bool = False) -> list[str]:
    return list(grid_lines(cells, colours=colours))


def test_eight_in_a_row() -> None:
    cells = [Cell(str(n), "A", n) for n in range(20)]
    assert lines(cells) == [
        " 0   0  1  2  3  4  5  6  7",
        " 8   8  9 10 11 12 13 14 15",
        "16  16 17 18 19",
    ]


def test_states_are_told_without_colours() -> None:
    cells = [Cell("5", "A", 5), Cell("6", "I", 6), Cell("x", "U"), Cell("7", "?")]
    assert lines(cells) == [
        "0    5 (6)   ·   7",
        "   ( ) inactive  · not asked, or no work-item",
    ]


def test_what_is_missing_has_a_mark_and_a_legend() -> None:
    cells = [Cell("", "A", missing=why) for why in MARKS] + [Cell("", "I", missing="unavailable")]
    assert lines(cells) == [
        "0    -   ?   ~   ! (?)",
        "   ( ) inactive  - optimized out  ? unavailable  ~ not in this frame  ! error",
    ]


@pytest.mark.parametrize(("width", "longest"), [(None, 16), (200, 16), (80, 8), (40, 4), (5, 4)])
def test_cells_are_as_narrow_as_the_terminal(width: int | None, longest: int) -> None:
    [line] = grid_lines([Cell("x" * 40, "A")] * 8, colours=False, width=width)
    assert line == "0  " + " ".join(["x" * (longest - 1) + "…"] * 8)
    assert width is None or longest == 4 or len(line) <= width


def test_wide_cells_are_cut() -> None:
    [line] = lines([Cell("x" * 40, "A")])
    assert line == f"0  {'x' * 15}…"


def test_colours_follow_the_numbers() -> None:
    cells = [Cell(str(n), "A", n) for n in (10, 20, 15)] + [Cell("9", "I", 12), Cell("-", "A")]
    line, legend = lines(cells, colours=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", legend) == "    10  to  20    inactive "
    codes = re.findall(r"\x1b\[([0-9;]*)m *(\S+)\x1b\[0m", line)
    least, most, middle, inactive = codes
    assert least == ("48;5;17;97", "10")
    assert most == ("48;5;221;30", "20")
    assert middle == ("48;5;71;97", "15") or middle[0].startswith("48;5;71")
    assert inactive[0] == "48;5;235;38;5;252"  # grey
    assert line.endswith("  -")
    assert re.sub(r"\x1b\[[0-9;]*m", "", line) == "0  10 20 15  9  -"


@pytest.mark.parametrize("number", [0.0, -3.5, 1e300])
def test_equal_numbers_have_one_colour(number: float) -> None:
    [line] = lines([Cell("a", "A", number)] * 3, colours=True)
    assert len(set(re.findall(r"48;5;\d+", line))) == 1


def test_nothing() -> None:
    assert lines([]) == []
