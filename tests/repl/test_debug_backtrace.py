"""Where the frames of the prompt end: `set backtrace past-main|past-entry|limit`."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import FIXTURES, run

PROGRAM = FIXTURES / "core/crash.x86_64.O0"
CORE = FIXTURES / "core/crash.x86_64.O0.core"
ALL = ["leaf", "down", "down", "down", "down", "begin", "_start"]


@pytest.fixture(scope="module")
def with_main(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, whose symbol `begin` is called `main`."""
    path = tmp_path_factory.mktemp("program") / PROGRAM.name
    data = PROGRAM.read_bytes()
    at = data.rindex(b"\0begin\0")
    path.write_bytes(data[:at] + b"\0main\0\0" + data[at + 7 :])
    return path


@pytest.fixture(scope="module")
def entered_at_begin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, whose entry point is `begin`."""
    (begin,) = ObjectFile("program", PROGRAM.read_bytes()).symbols_named("begin")
    path = tmp_path_factory.mktemp("program") / PROGRAM.name
    data = PROGRAM.read_bytes()
    path.write_bytes(data[:24] + begin.address.to_bytes(8, "little") + data[32:])
    return path


def shown(program: Path, *commands: str) -> list[str]:
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", program, "--core", CORE, "--batch", *words)
    return [line for line in (done.out + done.err).splitlines() if "core" not in line[:12].lower()]


def functions(program: Path, *commands: str) -> list[str]:
    """Of the frames that the last command lists, after the one at the start."""
    _, *frames = [item for item in shown(program, *commands) if item.startswith("#")]
    return [frame.partition(" in ")[2].split()[0] for frame in frames]


def test_all_of_a_program_without_main() -> None:
    assert functions(PROGRAM, "bt") == ALL


def test_frames_end_at_main(with_main: Path) -> None:
    assert functions(with_main, "bt") == ALL[:-1]
    assert functions(with_main, "set backtrace past-main on", "bt") == ALL
    assert (
        functions(with_main, "set backtrace past-main on", "set backtrace past-main", "bt") == ALL
    )
    assert functions(with_main, "bt -1") == ["begin"]
    assert "No frame at level 6." in shown(with_main, "frame 6")
    ends = "Initial frame selected; you cannot go up."
    assert ends in shown(with_main, "up 5", "up")
    assert len(shown(with_main, "frame apply all -q p 1")) - len(shown(with_main)) == 6


def test_frames_end_at_the_entry_point(entered_at_begin: Path) -> None:
    assert functions(entered_at_begin, "bt") == ALL[:-1]
    assert functions(entered_at_begin, "set backtrace past-entry on", "bt") == ALL


def test_a_limit() -> None:
    assert functions(PROGRAM, "set backtrace limit 2", "bt") == ALL[:2]
    assert "No frame at level 2." in shown(PROGRAM, "set backtrace limit 2", "frame 2")
    assert functions(PROGRAM, "set backtrace limit 2", "set backtrace limit 0", "bt") == ALL


def test_the_settings_in_gdbs_words() -> None:
    lines = shown(PROGRAM, "show backtrace", "set backtrace limit", "set backtrace past-main 7")
    assert lines[-5:] == [
        "backtrace limit:  An upper bound on the number of backtrace levels is unlimited.",
        "backtrace past-entry:  Whether backtraces should continue past the entry point of a "
        "program is off.",
        'backtrace past-main:  Whether backtraces should continue past "main" is off.',
        'Argument required (integer to set it to, or "unlimited").',
        '"on" or "off" expected.',
    ]


def test_the_command_bt_shows_all_frames(with_main: Path) -> None:
    done = run("bt", "--file", with_main, "--core", CORE)
    assert done.out.count("\n#") >= 6 and "_start" in done.out
