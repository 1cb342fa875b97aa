"""A process that opens one file after the other keeps none of them: answers end with their file."""

from __future__ import annotations

import gc
import shutil
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import pytest

from dwarfgpu.base.kept_with import kept_with
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.scope_entries import dropped_code
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import FIXTURES, run
from tools.bombs.companions import skeletons
from tools.bombs.entries import damaged_units, units_with_unreadable_ranges

CORE = "crash.x86_64.O2"
KERNEL = "call.gfx90a.O0.v5.co"
SIZES = ("--grid", 64, "--workgroup", 64, "--arg", "out=zeros:4096")
PROMPT = (
    "bt full", "info locals", "list main", "break down", "info functions down", "x/3i $pc",
    "info types .", "complete break dow", "ptype down", "info scope down", "p $_siginfo",
)  # fmt: skip


@pytest.mark.parametrize(
    ("file", "commands"),
    [
        (
            f"core/{CORE}",
            [
                ("bt", "--core", "PATH.core", "PATH"),
                ("debug", "PATH", "PATH.core", "-batch", *(
                    part for line in PROMPT for part in ("-ex", line))),
                ("where", "PATH", "--all"),
                ("check", "PATH"),
            ],
        ),
        (
            f"hip/{KERNEL}",
            [
                ("run", "PATH", "call", *SIZES, "--break", "call", "--print", "out"),
                ("disas", "PATH", "call"),
                ("dispatch", "PATH", "call", *SIZES),
            ],
        ),
    ],
    ids=("core", "kernel"),
)  # fmt: skip
def test_no_file_outlives_its_command(
    tmp_path: Path, file: str, commands: list[tuple[object, ...]]
) -> None:
    path = tmp_path / "file"
    shutil.copyfile(FIXTURES / file, path)
    if (FIXTURES / f"{file}.core").exists():
        shutil.copyfile(FIXTURES / f"{file}.core", tmp_path / "file.core")
    for command in commands:
        run(*(str(part).replace("PATH", str(path)) for part in command))
    left = [path]
    for _ in range(4):  # generators that end in a collection are freed by the next one
        if left:
            gc.collect()
            left = files_in(tmp_path)
    assert left == []


def files_in(folder: Path) -> list[Path]:
    """The files of a folder that are in memory."""
    objects = gc.get_objects()
    files = [item for item in objects if type(item) is ObjectFile]
    files += [item.file for item in objects if type(item) is CodeObject]
    paths = [Path(str(item.path)) for item in files]
    return [path for path in paths if path.is_relative_to(folder)]


class Owner:
    pass


def test_answers_are_kept_with_their_owner() -> None:
    asked: list[tuple[Owner, int]] = []

    @kept_with(lambda owner, _: owner, 2)
    def doubled(owner: Owner, number: int) -> int:
        """Return twice a number."""
        asked.append((owner, number))
        return 2 * number

    one, other = Owner(), Owner()
    for _ in range(2):
        assert [doubled(one, 3), doubled(other, 3), doubled(one, 4)] == [6, 6, 8]
    assert asked == [(one, 3), (other, 3), (one, 4)]
    assert doubled(one, 5) == 10  # one more than is kept: all are forgotten
    assert doubled(one, 3) == 6
    assert asked[-2:] == [(one, 5), (one, 3)]
    assert doubled.__doc__ == "Return twice a number."


def test_the_only_answer_about_an_owner_needs_no_table() -> None:
    """A file may have hundreds of thousands of units, with several answers each."""
    asked: list[Owner] = []

    @kept_with(lambda owner: owner)
    def name(owner: Owner) -> str:
        asked.append(owner)
        return "owner"

    one, other = Owner(), Owner()
    for _ in range(2):
        assert [name(one), name(other)] == ["owner", "owner"]
    assert asked == [one, other]
    assert list(vars(one).values()) == ["owner"]


def test_an_error_that_a_unit_keeps_does_not_keep_the_frames(tmp_path: Path) -> None:
    """Of units with unreadable ranges, one after the other is asked for dropped code."""
    path = tmp_path / "bomb"
    path.write_bytes(units_with_unreadable_ranges(1)["bomb"])
    unit = CodeObject.open(path).info.units[0]
    assert dropped_code(unit) == ()
    gc.collect()
    errors = [item for item in gc.get_objects() if isinstance(item, DwarfGpuError)]
    own = [error for error in errors if error.context and str(path) in error.context]
    assert own and all(error.__traceback__ is None for error in own)


def test_the_errors_of_many_units_do_not_keep_the_frames(tmp_path: Path) -> None:
    """Each unit keeps why its split file is not found, or why its entries cannot be read."""
    for bomb in (skeletons(3), damaged_units(3)):
        path = tmp_path / "bomb"
        path.write_bytes(bomb["bomb"])
        units = CodeObject.open(path).info.units
        assert len(units) == 3
        for unit in units:
            with suppress(DwarfGpuError):
                assert unit.full.tree
        gc.collect()
        errors = [item for item in gc.get_objects() if isinstance(item, DwarfGpuError)]
        own = [error for error in errors if error.context and str(path) in error.context]
        assert len(own) >= 3 and all(error.__traceback__ is None for error in own)


DEMO = FIXTURES / "x86_64/demo.gcc.O0.v5"


@pytest.mark.parametrize(
    "command",
    [
        ("eval", "--file", DEMO, "nosuch"),
        ("eval", "--json", "--file", DEMO, "nosuch"),
        ("eval", "--op", "DW_OP_drop"),
        ("explain", "--op", "DW_OP_skip 0 DW_OP_drop"),
        ("explain", "--bytes", "03"),
        ("location", "--file", DEMO, "nosuch", "nosuch.x"),
        ("debug", DEMO, "-batch", "-ex", "p nosuch", "-ex", "bt", "-ex", "list nosuch:1"),
    ],
    ids=str,
)
def test_what_failed_is_freed_at_once(command: tuple[object, ...]) -> None:
    """An error that a frame keeps to which it came is freed by the collector of cycles alone, with
    all frames that it passed through, and all that they have read."""
    run(*command)  # what is done once
    before = _tracebacks()
    gc.disable()
    try:
        assert run(*command).status
        assert _tracebacks() == before
    finally:
        gc.enable()


def _tracebacks() -> int:
    return sum(isinstance(item, TracebackType) for item in gc.get_objects())
