"""A value of every work-item of a dispatch as a picture: PNG or SVG, by matplotlib.

matplotlib is an extra, imported when a picture is made.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from dwarfgpu.base.records import frozen
from dwarfgpu.base.writing import write_file
from dwarfgpu.errors import UsageError
from dwarfgpu.view.dispatch_layout import Layout
from dwarfgpu.view.lane_grid import Cell, share_of
from dwarfgpu.view.scale_ticks import ticks

NO_NUMBER: Final = "no number"
COLOURS: Final = {
    "optimized out": (0.80, 0.80, 0.80),
    "unavailable": (0.55, 0.55, 0.55),
    "not in this frame": (0.90, 0.86, 0.80),
    "error": (0.84, 0.15, 0.16),
    NO_NUMBER: (0.89, 0.47, 0.76),
}
"""The colours of work-items without a number, keyed by the reason."""
PALE: Final = 0.35
"""How much of its colour an inactive lane has."""
MAX_LABELLED: Final = 300
"""Maximum number of cells of a picture with written values."""

_VALUE_POINTS: Final = 6
"""The size of written values."""
_DIGIT_POINTS: Final = 0.64 * _VALUE_POINTS
"""The width of a digit of DejaVu Sans, the font of matplotlib."""


@frozen
class Picture:
    """The picture to draw."""

    layout: Layout
    title: str
    is_address: bool = False
    """Whether the numbers are addresses."""


def require_matplotlib(option: str) -> None:
    """Raise `UsageError` if matplotlib is not installed."""
    try:
        import_module("matplotlib")
    except ImportError:
        from dwarfgpu.base.optional_packages import install_command

        raise UsageError(
            f"{option} needs matplotlib, which is not installed: {install_command('matplotlib')}"
        ) from None


def draw(picture: Picture, path: str, form: str) -> None:
    """Write a picture as `png` or `svg`; `UsageError` where the file cannot be written."""
    figures: Any = import_module("matplotlib.figure")
    layout = picture.layout
    wide = min(9.0, 2.5 + 0.5 * layout.width)
    tall = min(12.0, max(1.0, wide * layout.height / max(layout.width, 1)))
    size = (wide + 1.5, tall + 1.0)
    figure = figures.Figure(figsize=size, dpi=150, layout="constrained")
    axes = figure.add_subplot()
    numbers = [cell.number for _, _, cell in layout.cells if cell.number is not None]
    least, most = (min(numbers), max(numbers)) if numbers else (0.0, 0.0)
    shades = import_module("matplotlib").colormaps["viridis"]
    axes.imshow(_pixels(layout, least, most, shades), interpolation="none", aspect="equal")
    axes.set_axis_off()
    axes.set_title(picture.title, fontsize=10, loc="left", parse_math=False)
    if len(layout.cells) <= MAX_LABELLED:
        _write_values(axes, layout, least, most, characters_of_cell(wide, layout.width))
    if numbers:
        _add_scale(figure, axes, least, most, picture.is_address)
    _add_legend(axes, layout)
    drawn = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # a box is drawn
        figure.savefig(drawn, format=form)
    write_file(Path(path), drawn.getvalue())


def _pixels(layout: Layout, least: float, most: float, shades: Any) -> Any:
    """Return red, green, blue of each cell, white where there is none."""
    numpy: Any = import_module("numpy")
    out = numpy.ones((layout.height, layout.width, 3), numpy.float32)
    for states, paleness in (("I", PALE), ("A?", 1.0)):
        numbered = [
            (x, y, share_of(cell.number, least, most) if most > least else 0.5)
            for x, y, cell in layout.cells
            if cell.number is not None and cell.missing is None and cell.state in states
        ]
        if numbered:
            xs, ys, shares = zip(*numbered, strict=True)
            out[ys, xs] = shades(numpy.array(shares))[:, :3] * paleness + (1 - paleness)
    for x, y, cell in layout.cells:
        why = reason(cell)
        if why is not None and cell.state != "U":
            out[y, x] = COLOURS[why]
    return out


def reason(cell: Cell) -> str | None:
    """Return why a work-item has no number; None if it has one."""
    if cell.missing is not None:
        return cell.missing
    return NO_NUMBER if cell.number is None else None


def characters_of_cell(wide: float, cells: int) -> int:
    """Return the characters of a value that fit a cell of a picture, whose width is in inches.

    A tenth is for the scale and the space between values.
    """
    return min(7, int(0.9 * 72 * wide / max(cells, 1) / _DIGIT_POINTS))


def _write_values(
    axes: Any, layout: Layout, least: float, most: float, most_characters: int
) -> None:
    for x, y, cell in layout.cells:
        if cell.state == "U" or cell.missing is not None or len(cell.text) > most_characters:
            continue
        is_dark = (
            cell.number is not None and least < most and share_of(cell.number, least, most) < 0.5
        )
        colour = "white" if is_dark and cell.state != "I" else "black"
        axes.text(
            x, y, cell.text, ha="center", va="center", fontsize=_VALUE_POINTS, color=colour,
            parse_math=False,
        )  # fmt: skip


def _add_scale(figure: Any, axes: Any, least: float, most: float, is_address: bool) -> None:
    """Add the scale of colours: from 0 to 1, as matplotlib widens one whose ends are near each
    other, and calculates in doubles."""
    colours: Any = import_module("matplotlib.colors")
    cm: Any = import_module("matplotlib.cm")
    mapped = cm.ScalarMappable(colours.Normalize(0, 1), "viridis")
    bar = figure.colorbar(mapped, ax=axes, fraction=0.04, pad=0.01)
    labelled = list(ticks(least, most, is_address=is_address))
    labels = [tick.text for tick in labelled]
    bar.set_ticks([tick.share for tick in labelled], labels=labels)
    bar.ax.tick_params(labelsize=7)


def _add_legend(axes: Any, layout: Layout) -> None:
    patches: Any = import_module("matplotlib.patches")
    reasons = {reason(cell) for _, _, cell in layout.cells if cell.state != "U"}
    handles = [
        patches.Patch(color=colour, label=why) for why, colour in COLOURS.items() if why in reasons
    ]
    if any(cell.state == "I" and cell.number is not None for _, _, cell in layout.cells):
        pale = tuple(channel * PALE + 1 - PALE for channel in (0.13, 0.57, 0.55))
        handles.append(patches.Patch(color=pale, label="inactive: pale"))
    if handles:
        axes.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.01),
            ncols=len(handles), fontsize=7, frameon=False,
        )  # fmt: skip
