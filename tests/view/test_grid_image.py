"""Pictures of lane values by matplotlib."""

from __future__ import annotations

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
