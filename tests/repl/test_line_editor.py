"""The line editor of the prompt, with keys from a pipe (`dwarfgpu.repl.terminal.prompt`)."""

from __future__ import annotations

import io

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from dwarfgpu.arch.registry import architecture
from dwarfgpu.repl.lazy_commands import ALL_COMMANDS
from dwarfgpu.repl.open_files import focused
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal import prompt
from dwarfgpu.session.session import Session


def keys(text: str, monkeypatch: pytest.MonkeyPatch, folder: str) -> list[str]:
    """The texts that are completed while keys are typed at a prompt, which they end."""
    completed: list[str] = []

    def noted(shell: Shell, text: str) -> tuple[int, list[object]]:
        completed.append(text)
        return len(text), []

    monkeypatch.setenv("XDG_STATE_HOME", folder)
    monkeypatch.setattr(prompt, "completions", noted)
    session = Session(architecture("gfx942"), ())
    shell = Shell(focused(session), ALL_COMMANDS, Streams(io.StringIO(), io.StringIO()))
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(text)
        prompt.converse(shell)
    return completed


def test_ctrl_d_completes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = str(tmp_path_factory.mktemp("state"))
    assert keys("\x04", monkeypatch, folder) == []
    assert "qu" in keys("qu\t\x15\x04", monkeypatch, folder)
