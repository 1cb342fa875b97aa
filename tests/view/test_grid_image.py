"""Pictures of lane values by matplotlib."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from dwarfgpu.view.dispatch_layout import Layout
from dwarfgpu.view.grid_image import Picture, draw
from dwarfgpu.view.lane_grid import Cell

pytest.importorskip("matplotlib", reason="the extra pictures is not installed")


def drawn(path: Path, *cells: Cell, title: str = "x") -> str:
    """Draw a row of cells; return the SVG."""
    row = tuple((x, 0, cell) for x, cell in enumerate(cells))
    draw(Picture(Layout(len(row), 1, row, "wave", 1), title), str(path), "svg")
    return path.read_text()


def test_dollars_are_no_mathematics(tmp_path: Path) -> None:
    """Names of enumerators may have them."""
    assert "<!-- a$_$b -->" in drawn(tmp_path / "x.svg", Cell("a$_$b", "A", 1.0), title="$_lane$_$")


@pytest.mark.filterwarnings("error")
def test_characters_that_the_font_lacks_are_boxes(tmp_path: Path) -> None:
    assert "<!-- 变量 -->" in drawn(tmp_path / "x.svg", Cell("语", "A", 1.0), title="变量")


GREATEST = sys.float_info.max


@pytest.mark.parametrize(
    ("numbers", "ticks"),
    [
        ((-GREATEST, GREATEST), ("-1.5e+308", "0", "1.5e+308")),
        ((0.0, 1.7e308), ("0", "1.6e+308")),
        ((1e308, 1.63e308), ("1.0e+308", "1.6e+308")),
        ((GREATEST, GREATEST), ("1.7976931348623157e+308",)),
        ((0.0, 6.3e-289), ("1e-289", "6e-289")),
        ((1.0, 3.0), ("1.00", "3.00")),
        ((7 << 60, (7 << 60) + 63), ("8070450532247928840", "8070450532247928890")),
    ],
)
def test_all_numbers_have_a_scale(
    numbers: tuple[float, float], ticks: tuple[str, ...], tmp_path: Path
) -> None:
    svg = drawn(tmp_path / "x.svg", *(Cell("", "A", number) for number in numbers))
    labels = re.findall("<!-- (.*) -->", svg)
    assert set(ticks) <= set(labels)
    assert not {"inf", "1e18"} & set(labels)
