"""Stacks of many frames: their numbers, and the values on entry through all of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dwarfgpu.cfi.unwind import MOST_STEPS
from dwarfgpu.session import entry_values
from tests.cli.command import run, run_json
from tests.objfile.deep_stacks import DEEP, FIRST, deep_core


def shown(depth: int) -> list[str]:
    """What GDB shows of the frames of `down` and `main`, without their addresses."""
    frames = [f"down (n={n}, first={FIRST + depth - n})" for n in range(depth + 1)]
    return [*frames, f"main (count={depth})"]


def functions(lines: list[str]) -> list[str]:
    return [re.sub(r" at .*", "", each.split(" in ")[-1].removeprefix("#0  ")) for each in lines]


@pytest.mark.parametrize("depth", [40, 400])
def test_arguments_through_every_caller(tmp_path: Path, depth: int) -> None:
    done = run("bt", *deep_core(tmp_path / "core", depth))
    assert functions(done.lines[1:-1]) == shown(depth)


def test_the_outermost_question_first(tmp_path: Path) -> None:
    """What is remembered of a frame is the same in whichever order values are asked for."""
    of = deep_core(tmp_path / "core", 60)
    for frame in (60, 30, 0, 29):
        assert run("eval", *of, "--frame", frame, "n", "first").lines == [
            f"n = {frame}", f"first = {FIRST + 60 - frame}",
        ]  # fmt: skip


def evaluations(monkeypatch: pytest.MonkeyPatch, folder: Path, depth: int) -> int:
    """How many call-site parameters are evaluated for all arguments of a stack."""
    count = 0
    evaluate = entry_values.passed_value

    def counted(*arguments: object) -> object:
        nonlocal count
        count += 1
        return evaluate(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(entry_values, "passed_value", counted)
        run_json("bt", *deep_core(folder / "core", depth))
    return count


def test_each_value_is_computed_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    counts = {depth: evaluations(monkeypatch, tmp_path, depth) for depth in (50, 100, 200)}
    assert counts[50] >= 2 * 49, "each call passes two arguments"
    assert counts[200] - counts[100] == 2 * (counts[100] - counts[50]) == 2 * 2 * 50


def test_values_on_entry_are_bounded_by_the_frames(tmp_path: Path) -> None:
    of = deep_core(tmp_path / "core", 40)
    done = run("eval", *of, "--frame", 1, "--max-frames", 30, "n")
    assert done.status == 1 and "stopped: more than 30 frames (--max-frames)" in done.err
    assert MOST_STEPS < 10_000, "there can be one for each frame"


def test_numbers_have_a_blank_after_them(tmp_path: Path) -> None:
    lines = run("bt", *deep_core(tmp_path / "core", 101)).lines[1:]
    numbers = [re.match(r"#\d+ +", each) for each in lines]
    assert [None if each is None else each[0] for each in numbers] == [
        *(f"#{n}  " for n in range(10)), *(f"#{n} " for n in range(10, len(lines))),
    ]  # fmt: skip


def test_gdb_shows_the_same(tmp_path: Path) -> None:
    gdb = shutil.which("gdb")
    if gdb is None:
        pytest.skip("gdb is not installed")
    deep_core(tmp_path / "core", 150)
    settings = ("set debuginfod enabled off", "set width 0", "set print entry-values no",
                "set backtrace past-main on", "set backtrace past-entry on")  # fmt: skip
    options = [word for each in settings for word in ("-iex", each)]
    command = [gdb, "-nx", "-q", "-batch", *options, "-ex", "bt", DEEP, tmp_path / "core"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout[done.stdout.rindex("#0  ") :].splitlines()
    ours = run("bt", "--core", tmp_path / "core", "--file", DEEP).lines[1:]
    assert ours[:-1] == lines[:-1]
