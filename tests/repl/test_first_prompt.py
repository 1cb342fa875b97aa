"""The prompt before the line editor is loaded (`dwarfgpu.repl.terminal.first_prompt`)."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.repl.terminal import first_prompt
from tests.repl.repl_shell import demo_shell

termios = pytest.importorskip("termios")

WAITING = """\
import os, select, sys
os.write(1, b"<loading>")
select.select([0], [], [])
os.write(1, b"<typed>")
sys.path.remove(os.path.dirname(os.path.dirname(__file__)))
del sys.modules["prompt_toolkit"]
import prompt_toolkit
"""
"""In place of prompt_toolkit: it is loaded when something was typed."""


@pytest.fixture
def start(repository: Path, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Starts the program on a terminal, with a line editor that is loaded when a key is typed."""
    pexpect = pytest.importorskip("pexpect")
    package = tmp_path / "waiting/prompt_toolkit"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(WAITING)
    environment = os.environ | {
        "TERM": "xterm", "NO_COLOR": "1", "PROMPT_TOOLKIT_NO_CPR": "1",
        "XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": str(package.parent),
    }  # fmt: skip
    children = []

    def started(*arguments: str) -> Any:
        child = pexpect.spawn(
            sys.executable, ["-m", "dwarfgpu", "debug", "--demo", "-q", *arguments],
            cwd=repository, env=environment, encoding="utf-8", dimensions=(24, 80), timeout=200,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        child.delaybeforesend = 0
        children.append(child)
        return child

    yield started
    for child in children:
        child.close(force=True)


def typed_early(child: Any, keys: str) -> None:
    """Type keys at the first prompt while the line editor is loaded: nothing shows them."""
    child.expect_exact("(dwarfgpu w0 l0) <loading>")
    child.send(keys)
    child.expect_exact("<typed>")
    assert child.before == ""


def test_lines_typed_early_are_run_once(start: Callable[..., Any]) -> None:
    child = start()
    modes = "python import termios; print('modes', termios.tcgetattr(0)[3] & 10)"
    typed_early(child, f"print 41 + 1\r{modes}\r")
    child.expect_exact("(dwarfgpu w0 l0) print 41 + 1")
    child.expect_exact("$1 = 42\r")
    child.expect_exact("modes 10\r")  # ECHO and ICANON: commands have the terminal as it was
    child.expect(r"w0 l0[)][^ ]")  # with nothing typed
    child.send("\x04")
    child.expect_exact("quit")
    assert "$2" not in child.before
    child.wait()
    assert child.exitstatus == 0


def test_an_early_ctrl_c_gives_up_the_line(start: Callable[..., Any]) -> None:
    child = start()
    typed_early(child, "nonsense\x03print 41 + 1\r")
    child.expect_exact("$1 = 42\r")
    assert "Undefined" not in child.before


def test_an_early_signal_gives_up_the_line(start: Callable[..., Any]) -> None:
    """As in GDB, where the process gets SIGINT from elsewhere."""
    child = start()
    child.expect_exact("(dwarfgpu w0 l0) <loading>")
    child.kill(signal.SIGINT)
    child.send("print 41 + 1\r")
    child.expect_exact("Quit")
    child.expect_exact("$1 = 42\r")


def test_an_early_ctrl_d_leaves(start: Callable[..., Any]) -> None:
    child = start()
    typed_early(child, "\x04")
    child.expect_exact("quit")
    child.wait()
    assert child.exitstatus == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_gives_the_terminal_back(start: Callable[..., Any], number: int) -> None:
    child = start()
    before = termios.tcgetattr(child.child_fd)
    typed_early(child, "print 4")
    child.expect_exact("\x1b[?2004h")  # the line editor has the terminal
    child.kill(number)
    child.expect_exact("\x1b[?2004l")
    child.wait()
    assert child.signalstatus == number
    assert termios.tcgetattr(child.child_fd) == before


def test_a_prompt_that_may_wrap_is_left_to_the_line_editor(start: Callable[..., Any]) -> None:
    child = start("-ex", f"set prompt {'x' * 90}")
    child.expect_exact("<loading>")
    assert "xxx" not in child.before
    child.send("print 41 + 1\r")
    child.expect_exact("$1 = 42\r")


@pytest.fixture
def terminal() -> Iterator[int]:
    """A terminal in the place of standard input."""
    controller, terminal = os.openpty()
    yield terminal
    os.close(controller)
    os.close(terminal)


def test_the_terminal_is_restored_once(terminal: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_prompt, "_STDIN", terminal)
    before = termios.tcgetattr(terminal)
    restore = first_prompt.show_first_prompt(demo_shell())
    silent = termios.tcgetattr(terminal)[3]
    assert not silent & (termios.ECHO | termios.ICANON | termios.ISIG)
    restore()
    assert termios.tcgetattr(terminal) == before
    changed = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(terminal, termios.TCSANOW, changed)  # by a command, later
    restore()
    assert termios.tcgetattr(terminal) == changed


def test_an_interrupted_prompt_restores_it(terminal: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(shell: object) -> None:
        assert not termios.tcgetattr(terminal)[3] & termios.ECHO
        raise KeyboardInterrupt

    monkeypatch.setattr(first_prompt, "_STDIN", terminal)
    monkeypatch.setattr(first_prompt, "_show_prompt", interrupted)
    before = termios.tcgetattr(terminal)
    with pytest.raises(KeyboardInterrupt):
        first_prompt.show_first_prompt(demo_shell())
    assert termios.tcgetattr(terminal) == before


def test_no_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "file").open("w+") as file:
        monkeypatch.setattr(first_prompt, "_STDIN", file.fileno())
        first_prompt.show_first_prompt(demo_shell())()
