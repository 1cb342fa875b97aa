"""Pictures of a variable across a dispatch: `dwarfgpu lanes --png`, `--svg`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dwarfgpu.base.optional_packages import install_command
from dwarfgpu.view.grid_image import characters_of_cell
from tests.cli.command import STATES, run

LOCATIONS = ("--state", STATES / "locations.gfx942.json")
DISPATCH = ("--state", STATES / "dispatch.gfx1100.json")


@pytest.mark.parametrize("option", ["--png", "--svg"])
def test_without_matplotlib(option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    path = tmp_path / "picture"
    done = run("lanes", "--demo", option, path, "t")
    assert done.status == 2
    assert done.error == (
        f"{option} needs matplotlib, which is not installed: {install_command('matplotlib')}"
    )
    assert not path.exists()


@pytest.mark.parametrize("names", [(), ("t", "a")])
def test_a_picture_shows_one_name(names: tuple[str, ...], tmp_path: Path) -> None:
    done = run("lanes", "--demo", "--png", tmp_path / "x.png", *names)
    assert (done.status, done.error) == (2, "--png: give the one NAME of what it shows")


@pytest.mark.parametrize(
    ("arguments", "described"),
    [
        (("--demo", "t"), "t: 64 lanes of 1 wave, pc 0x7f0000001690, 320 to 383"),
        (
            ("--demo", "$_lane + (7L << 60)"),  # doubles do not distinguish them
            "$_lane + (7L << 60): 64 lanes of 1 wave, pc 0x7f0000001690, "
            "8070450532247928832 to 8070450532247928895",
        ),
        (
            ("--demo", "r"),
            "r: 64 lanes of 1 wave, pc 0x7f0000001690; without a value: 64 optimized out",
        ),
        (
            (*DISPATCH, "--wave", "all", "$v0[$_lane]"),
            "$v0[$_lane] in diverge: 100 lanes of 3 workgroups, pc 0x7f0000002100, 0 to 47",
        ),
        (
            (*LOCATIONS, "real"),
            "real: 64 lanes of 1 wave, pc 0x1600, 0.5 to 47.5; "
            "without a value: 44 not in this frame",
        ),
        (
            (*LOCATIONS, "out"),
            "out: 64 lanes of 1 wave, pc 0x1600; without a value: 44 not in this frame",
        ),
        (
            (*LOCATIONS, "local_frame.at[1].y"),
            "local_frame.at[1].y: 64 lanes of 1 wave, pc 0x1600, 0 to 47; "
            "without a value: 44 not in this frame",
        ),
        (
            (*LOCATIONS, "local_color"),
            "local_color: 64 lanes of 1 wave, pc 0x1600, 0 to 6; "
            "without a value: 44 not in this frame",
        ),
        (
            (*LOCATIONS, "local_frame"),
            "local_frame: 64 lanes of 1 wave, pc 0x1600; "
            "without a value: 44 not in this frame; not a number: 20",
        ),
        (
            ("--state", STATES / "data.gfx942.O0.json", "shared_pointer"),
            "shared_pointer: 64 lanes of 1 wave, pc 0x2660; without a value: 62 unavailable",
        ),
        (
            ("--state", STATES / "wholewave.gfx942.json", "--dialect", "amd-provisional", "r"),
            "r: 64 lanes of 1 wave, pc 0x151c, 1004 to 2003; without a value: 56 not in this frame",
        ),
    ],
)
def test_pictures(arguments: tuple[object, ...], described: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra pictures is not installed")
    png, svg = tmp_path / "x.png", tmp_path / "x.svg"
    done = run("lanes", *arguments, "--png", png, "--svg", svg)
    assert done.lines == [f"{png}: {described}", f"{svg}: {described}"]
    assert png.read_bytes().startswith(b"\x89PNG")
    assert "<svg" in svg.read_text()


def test_a_value_is_written_if_its_cell_is_wide_enough() -> None:
    """The row of a wave of 64 lanes has cells for two digits: longer values overlapped."""
    assert [characters_of_cell(9, lanes) for lanes in (8, 16, 32, 64, 300)] == [7, 7, 4, 2, 0]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra pictures is not installed")
    done = run("lanes", "--demo", "--png", tmp_path / "no" / "x.png", "t")
    assert done.status == 2
    assert done.error.endswith("x.png cannot be written: No such file or directory")
