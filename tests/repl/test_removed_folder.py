"""The prompt in a working folder that was removed, as by a build that begins anew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.absolute_path import absolute_path, real_path, relative_path
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session
from tests.cli.command import run
from tests.repl.repl_shell import FIXTURES, made, output_of

PROGRAM = "x86_64/demo.gcc.O0.v5"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A program that is open by a relative name, and whose folder is then removed."""
    folder = tmp_path / "build"
    folder.mkdir()
    shutil.copyfile(FIXTURES / PROGRAM, folder / "program")
    monkeypatch.chdir(folder)
    x86_64 = architecture("x86_64")
    target = StateTarget(x86_64)
    target.add_wave(0)
    return made(Session(x86_64, (CodeObject.open("program"),), target))


def removed(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path.cwd()
    shutil.rmtree(folder)
    try:
        Path.cwd()
    except OSError:
        return
    pytest.skip("a removed folder keeps its name on this system")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("dump binary value x 1", "x: No such file or directory."),
        ("set logging enabled on", "set logging: No such file or directory."),
        ("directory x", "Warning: x: No such file or directory."),
        ("set sysroot x", "warning: x: there is no such folder."),
        ("list main", "demo.c: No such file or directory."),
        ("pwd", "Cannot determine the working folder: No such file or directory."),
    ],
)
def test_a_relative_name_fails_alone(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, line: str, expected: str
) -> None:
    removed(monkeypatch)
    assert expected in output_of(shell, line)
    assert output_of(shell, "print 41 + 1").endswith("= 42\n")


def test_what_opens_and_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    monkeypatch.chdir("build")
    removed(monkeypatch)
    commands = (
        "save x.json",
        "core-file x",
        "file x",
        "print 41 + 1",
        f"save {tmp_path / 'y.json'}",
    )
    given = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "--demo", "--batch", *given)
    errors = [line for line in done.err.splitlines() if not line.startswith("note: ")]
    assert errors == [
        "the working folder was removed: change to another one, and give absolute paths",
        "x: No such file or directory.",
        "x: No such file or directory.",
    ]
    assert done.lines[0] == "$1 = 42"
    assert (tmp_path / "y.json").exists()


def test_another_folder_ends_it(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    removed(monkeypatch)
    output_of(shell, f"cd {tmp_path}")
    assert output_of(shell, "pwd") == f"Working directory {tmp_path.resolve()}.\n"


def test_paths(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(Path.cwd())
    assert absolute_path("a") == real_path("a") == f"{folder}/a"
    assert relative_path(f"{folder}/a", folder) == "a"
    removed(monkeypatch)
    assert absolute_path("a") == real_path("a") == "a"
    assert absolute_path("/a/../b") == "/b"
    with pytest.raises(UsageError, match="the working folder was removed"):
        relative_path("a", "/")
