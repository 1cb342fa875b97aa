"""The line editor of the prompt, with keys from a pipe (`dwarfgpu.repl.terminal.prompt`)."""

from __future__ import annotations

import io
import signal
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.history import FileHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from dwarfgpu.arch.registry import architecture
from dwarfgpu.repl.lazy_commands import ALL_COMMANDS
from dwarfgpu.repl.open_files import focused
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal import prompt
from dwarfgpu.session.session import Session


def opened() -> Shell:
    session = Session(architecture("gfx942"), ())
    return Shell(focused(session), ALL_COMMANDS, Streams(io.StringIO(), io.StringIO()))


def typed(shell: Shell, text: str) -> None:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(text)
        prompt.conversation(shell)()


def keys(text: str, monkeypatch: pytest.MonkeyPatch, folder: str) -> list[str]:
    """The texts that are completed while keys are typed at a prompt, which they end."""
    completed: list[str] = []

    def noted(shell: Shell, text: str) -> tuple[int, list[object]]:
        completed.append(text)
        return len(text), []

    monkeypatch.setenv("XDG_STATE_HOME", folder)
    monkeypatch.setattr(prompt, "completions", noted)
    typed(opened(), text)
    return completed


def test_ctrl_d_completes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = str(tmp_path_factory.mktemp("state"))
    assert keys("\x04", monkeypatch, folder) == []
    assert "qu" in keys("qu\t\x15\x04", monkeypatch, folder)


@pytest.mark.parametrize("searched", ["\x12(", "p (\x12x", "\x12(\x12", "p (\x12)", "\x12\\"])
def test_a_search_for_a_bracket_can_be_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, searched: str
) -> None:
    """Ctrl-R begins it, Ctrl-G leaves it; Ctrl-U then clears the line."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    shell = opened()
    typed(shell, f"{searched}\x07\x15print 1 + 2\r\x04")
    out = shell.console.streams.out
    assert isinstance(out, io.StringIO)
    assert out.getvalue().startswith("$1 = 3\n")


@pytest.mark.parametrize("moment", ["_begun", "get_app", "_was_cancelled", "adapt"])
def test_a_signal_at_any_time_ends_the_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, moment: str
) -> None:
    """Three interrupts before, in, after and between prompts: GDB says `Quit`, and goes on."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    original, left = getattr(prompt, moment), [1, 1, 1]

    def interrupted(*arguments: Any) -> Any:
        if left:
            number = len(left)
            left.clear()
            for _ in range(number if moment != "adapt" else 1):
                signal.raise_signal(signal.SIGINT)
        return original(*arguments)

    monkeypatch.setattr(prompt, moment, interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        shell = opened()
        typed(shell, "print 1\rprint 2\r\x04")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    out, err = shell.console.streams.out, shell.console.streams.err
    assert isinstance(out, io.StringIO)
    assert isinstance(err, io.StringIO)
    assert (out.getvalue()[-4:], err.getvalue()) == ("= 2\n", "Quit\n")


def test_bytes_that_are_not_text_are_not_sent_to_an_editor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("VISUAL", "false")
    shell = opened()
    ran: list[str] = []
    monkeypatch.setattr(shell, "execute", lambda line, **_: ran.append(line))
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_bytes(b'p "\xff"\x18\x05\r\x04')
        prompt.conversation(shell)()
    assert ran == ['p "\udcff"']
    out, err = capfd.readouterr()
    assert "surrogates" not in out + err


def test_the_history_takes_bytes_that_are_not_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def store_string(self: FileHistory, string: str) -> None:
        """As that of older versions of prompt_toolkit."""
        Path(str(self.filename)).write_bytes(f"+{string}\n".encode())

    monkeypatch.setattr(FileHistory, "store_string", store_string)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    prompt.open_history().store_string('p "\udcff"')
    assert prompt.history_path().read_bytes() == b'+p "?"\n'


def test_colour_codes_that_are_typed_are_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    shell = opened()
    ran: list[str] = []
    monkeypatch.setattr(shell, "execute", lambda line, **_: ran.append(line))
    typed(shell, "p 1\r\x1b[31mp 2\r\x04")
    assert ran == ["p 1", "p 2"]
