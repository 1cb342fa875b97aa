"""The line that says what takes so long."""

from __future__ import annotations

import io
import threading

import pytest

from dwarfgpu.terminal.progress import Progress
from tests.repl.repl_shell import nest_shell


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(autouse=True)
def a_terminal_that_clears_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


def test_progress_begins_after_half_a_second() -> None:
    stream, clock = _Terminal(), _Clock()
    progress = Progress(stream, clock)
    for step in range(100):
        clock.seconds = step / 100
        progress("/lib/libc.so.6", step, 100)
    split = stream.getvalue().split("\r\x1b[K")
    assert split == [
        "", *(f"Reading the names in libc.so.6: {percent}%" for percent in (50, 60, 70, 80, 90)),
    ]  # fmt: skip
    progress.clear()
    assert stream.getvalue().endswith("%\r\x1b[K")
    progress.clear()
    progress.begin()
    progress("/lib/libc.so.6", 0, 100)
    assert stream.getvalue().endswith("90%\r\x1b[K")


def test_the_files_of_a_batch() -> None:
    """With the end of a long name, which has the file."""
    stream, clock = _Terminal(), _Clock()
    progress = Progress(stream, clock)
    progress.examined(1, "a")
    clock.seconds = 1
    progress.examined(1234, f"{'x' * 100}(last.o)")
    assert stream.getvalue() == f"\r\x1b[K1,234 files examined, …{'x' * 40}(last.o)"


def test_the_cases_of_a_suite() -> None:
    stream, clock = _Terminal(), _Clock()
    progress = Progress(stream, clock)
    progress.tried(1)
    clock.seconds = 1
    progress.tried(1234)
    assert stream.getvalue() == "\r\x1b[K1,234 cases run"


def test_there_is_no_progress_without_a_terminal() -> None:
    stream, clock = io.StringIO(), _Clock()
    progress = Progress(stream, clock)
    clock.seconds = 10
    progress("a", 1, 2)
    progress.clear()
    assert stream.getvalue() == ""


def test_at_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is taken away before anything else is printed."""
    shell = nest_shell()
    stream, clock = _Terminal(), _Clock()
    shell.console.progress = Progress(stream, clock)
    monkeypatch.setattr(shell.console.progress, "begin", lambda: None)
    clock.seconds = 1
    assert shell.execute("info types nothing_like_this")
    assert stream.getvalue().startswith("\r\x1b[KReading the names in nest.gfx942")
    assert stream.getvalue().endswith(": 0%\r\x1b[K")


def test_a_terminal_without_powers_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream, clock = _Terminal(), _Clock()
    progress = Progress(stream, clock)
    clock.seconds = 10
    progress("/lib/libc.so.6", 1, 2)
    assert stream.getvalue() == ""


def test_what_is_read_behind_the_prompt_is_not_shown() -> None:
    stream, clock = _Terminal(), _Clock()
    progress = Progress(stream, clock)
    clock.seconds = 10
    reader = threading.Thread(target=progress, args=("a", 1, 2))
    reader.start()
    reader.join()
    assert stream.getvalue() == ""
    progress("a", 1, 2)
    assert stream.getvalue().endswith("a: 50%")
