"""`set sysroot` and `set debug-file-directory`: where the files of a core file are, as in GDB."""

from __future__ import annotations

import shutil
import subprocess
from argparse import Namespace
from pathlib import Path
from unittest.mock import Mock

import pytest

from dwarfgpu.errors import UsageError
from dwarfgpu.repl.open_files import FileOpener
from tests.processes import finished
from tests.repl.gdb_sessions import FIXTURES

CORE = "crash.x86_64.O0.core"


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A core file far from the program that it names."""
    path = tmp_path / CORE
    shutil.copyfile(FIXTURES / "core" / CORE, path)
    return path


def debug(folder: Path, *commands: str) -> tuple[list[str], list[str]]:
    given = [word for command in commands for word in ("-ex", command)]
    done = finished("debug", "--batch", *given, folder=folder)
    return done.stdout.splitlines(), done.stderr.splitlines()


def test_the_open_core_file_is_read_again(moved: Path) -> None:
    sysroot = FIXTURES / "core"
    given = (f"core-file {moved}", "frame 1", f"set sysroot {sysroot}", "frame 1", "show sysroot")
    out, errors = debug(moved.parent, *given)
    assert "No frame at level 1." in errors
    (line,) = (line for line in out if line.startswith("#1"))
    assert line == "#1  0x00007ffff7ffa230 in down (outer=0x7fffffffed40, n=0) at core/crash.c:98"
    assert out[-1] == f'The current system root is "{sysroot}".'


def test_it_holds_for_the_core_files_that_follow(moved: Path) -> None:
    out, _ = debug(
        moved.parent, f"set sysroot {FIXTURES / 'core'}", f"core-file {moved}", "core-file",
        f"core-file {moved}", "frame 1",
    )  # fmt: skip
    assert any(line.startswith("#1  0x00007ffff7ffa230 in down (") for line in out)


def test_the_thread_stays_in_focus() -> None:
    folder = FIXTURES / "core"
    out, _ = debug(folder, f"core-file {CORE}", "thread 2", f"set sysroot {folder}", "thread")
    assert out[-1].startswith("[Current thread is 2 ")


@pytest.mark.parametrize("path", ["/nowhere", CORE, "~nobody-of-this-name/x"])
def test_a_folder_that_does_not_exist(path: str) -> None:
    out, errors = debug(FIXTURES / "core", f"set sysroot {path}", "show sysroot")
    assert errors == [f"warning: {path}: there is no such folder."]
    assert out == [f'The current system root is "{(FIXTURES / "core").resolve() / path}".']


def test_a_folder_that_does_not_exist_with_a_core_file() -> None:
    """One line says so, and the libraries stay those that were read."""
    lines = (f"core-file {CORE}", "set sysroot /nowhere", "show sysroot")
    out, errors = debug(FIXTURES / "core", *lines)
    assert [line for line in errors if "/nowhere" in line] == ["/nowhere: there is no such folder"]
    assert out[-1] == 'The current system root is "".'


def test_debug_file_directory() -> None:
    """With GDB's sentences."""
    said = "The directory where separate debug symbols are searched for is"
    show = "show debug-file-directory"
    given = ("set debug-file-directory /a:b/c", show, "set debug-file-directory", show)
    out, errors = debug(FIXTURES, show, *given)
    assert errors == []
    assert out == [f'{said} "/usr/lib/debug".', f'{said} "/a:{FIXTURES}/b/c".', f'{said} "".']


def test_debug_files_of_programs_opened_later(tmp_path: Path) -> None:
    """`.gnu_debuglink` and the folder of the program below that of the setting."""
    program, symbols = tmp_path / "program", tmp_path / "debug" / str(tmp_path)[1:]
    symbols.mkdir(parents=True)
    source = FIXTURES / "x86_64/demo.gcc.O0.v5"
    objcopy = shutil.which("objcopy")
    if objcopy is None:
        pytest.skip("objcopy is not installed")
    debug_file = symbols / "program.debug"
    subprocess.run([objcopy, "--only-keep-debug", source, debug_file], check=True)
    link = f"--add-gnu-debuglink={debug_file}"
    subprocess.run([objcopy, "--strip-debug", link, source, program], check=True)
    asked = ("file program", "p sizeof(numbers)")
    _, errors = debug(tmp_path, *asked)
    assert errors
    out, errors = debug(tmp_path, "set debug-file-directory debug", *asked)
    assert (out, errors) == (["$1 = 1200"], [])
    # As GDB runs it before the program is opened.
    given = ("-iex", "set debug-file-directory debug", "-ex", asked[1])
    done = finished("debug", "program", "--batch", *given, folder=tmp_path)
    assert done.stdout.splitlines() == ["$1 = 1200"]


@pytest.fixture
def stripped(moved: Path) -> Path:
    """The folder of a core file, of its program and, below `debug`, of the program's debug file."""
    folder = moved.parent
    program, symbols = folder / "crash.x86_64.O0", folder / "debug" / str(folder)[1:]
    symbols.mkdir(parents=True)
    objcopy = shutil.which("objcopy")
    if objcopy is None:
        pytest.skip("objcopy is not installed")
    source = FIXTURES / "core" / program.name
    debug_file = symbols / "crash.debug"
    subprocess.run([objcopy, "--only-keep-debug", source, debug_file], check=True)
    link = f"--add-gnu-debuglink={debug_file}"
    subprocess.run([objcopy, "--strip-debug", link, source, program], check=True)
    return folder


@pytest.mark.parametrize(
    "files, keeps, loses",
    [
        ([f"{CORE[:-5]}"], f"core-file {CORE}", f"file {CORE[:-5]}"),
        ([], "file", f"core-file {CORE}"),
    ],
)
def test_open_files_keep_their_debug_files(
    stripped: Path, files: list[str], keeps: str, loses: str
) -> None:
    """`file` opens the program alone, and `core-file` what the core file names, as in GDB."""
    first = ("-iex", "set debug-file-directory debug")
    asked = (
        "set debug-file-directory none",
        keeps,
        "echo kept\\n",
        "bt 2",
        loses,
        "echo lost\\n",
        "bt 2",
    )
    given = [word for command in asked for word in ("-ex", command)]
    core = ("--sysroot", str(stripped), "--core", CORE)
    done = finished("debug", *files, *core, "--batch", *first, *given, folder=stripped)
    kept, lost = done.stdout.partition("kept\n")[2].split("lost\n")
    assert "at core/crash.c:98" in kept
    assert "crash.c" not in lost and "#1 " in lost


def test_libraries_that_were_searched_nowhere_stay_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """`file` after `set debug-file-directory` without a folder, and `core-file`."""
    asked: dict[str, object] = {}

    def opened(_: FileOpener, **options: object) -> FileOpener:
        asked.update(options)
        raise UsageError("not opened")

    monkeypatch.setattr(FileOpener, "_with", opened)
    arguments = Namespace(wave=None, debug_dir=["debug"], library_debug_dir=[])
    with pytest.raises(UsageError, match="not opened"):
        FileOpener(arguments).code_object(Mock(target=None), "program")
    assert asked["library_debug_dir"] == []
