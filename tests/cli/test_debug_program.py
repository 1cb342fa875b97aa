"""`dwarfgpu debug` as a program: scripts, pipes, and a real terminal."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

DEBUG = ["-m", "dwarfgpu", "debug"]


def debug(repository: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *DEBUG, "--demo", "--lane", "1", *arguments],
        cwd=repository, input=stdin, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_commands_and_scripts_run_in_the_order_given(repository: Path, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("p t\n")
    done = debug(repository, "--batch", "-ex", "lane", "-x", str(script), "-ex", "p $1")
    assert done.returncode == 0
    assert [line[:5] for line in done.stdout.splitlines()] == ["[Curr", "$1 = ", "$2 = "]


@pytest.mark.parametrize(
    ("arguments", "stdin", "status"),
    [
        (["--batch", "-ex", "p t"], "", 0),
        (["-batch", "-ex", "foo", "-ex", "p t"], "", 1),
        (["--batch", "-x", "/no/such/file"], "", 1),
        (["--batch", "-ex", "quit 3", "-ex", "foo"], "", 3),
        (["-ex", "foo"], "p t\n", 1),
        ([], "p t\n", 0),
        ([], "p t\nfoo\np t\n", 1),
        ([], "quit\nfoo\n", 0),
        (["--lane", "64"], "", 2),
        (["--lane", "all"], "", 2),
    ],
)
def test_exit_status(repository: Path, arguments: list[str], stdin: str, status: int) -> None:
    done = debug(repository, *arguments, stdin=stdin)
    assert done.returncode == status
    assert "Traceback" not in done.stderr


def test_a_pipe_gets_answers_and_nothing_else(repository: Path) -> None:
    done = debug(repository, stdin="# comment\nlane 2\np/x $_lane\n\nfoo\n")
    assert done.stdout.splitlines()[-2:] == ["$1 = 0x2", "$2 = 0x2"]
    assert "dwarfgpu w0" not in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr.endswith('Undefined command: "foo".  Try "help".\n')


def test_the_prompt_is_not_loaded_where_nobody_types(repository: Path) -> None:
    code = (
        "import sys; from dwarfgpu.cli.main import main; "
        "main(['debug', '--demo', '--batch', '-ex', 'p t']); "
        "print(sorted({'prompt_toolkit', 'pygments'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.fixture(params=["xterm-256color", "dumb"])
def terminal(
    request: pytest.FixtureRequest, repository: Path, tmp_path: Path
) -> Iterator[tuple[Any, str]]:
    """The program on a terminal of 80 columns, and what that terminal calls itself."""
    pexpect = pytest.importorskip("pexpect")
    environment = os.environ | {
        "TERM": request.param,
        "XDG_STATE_HOME": str(tmp_path),
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }
    environment.pop("NO_COLOR", None)
    child = pexpect.spawn(
        sys.executable, [*DEBUG, "--demo", "--lane", "1"], cwd=repository, env=environment,
        encoding="utf-8", dimensions=(24, 80), timeout=200,
        # The tests may run in the background of a script, where shells ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    yield child, request.param
    child.close(force=True)


def test_a_conversation(terminal: tuple[Any, str], tmp_path: Path) -> None:
    child, kind = terminal
    child.expect("w0 l1[)]")
    child.send("p $_lane\r")
    child.expect(r"\$1 = 1\r")
    child.expect("w0 l1[)]")
    child.send("lane 2\r")
    child.expect(r"Switching to thread 0, lane 2 ")
    child.expect("w0 l2[)]")
    child.send("nonsense")
    child.expect("nonsense")
    child.sendintr()  # gives up the line, and only that
    child.expect("w0 l2[)]")
    child.send("p $_lane\r")
    child.expect(r"\$2 = 2\r")
    child.expect("w0 l2[)]")
    child.send("\r")
    child.expect(r"\$3 = 2\r")
    child.expect("w0 l2[)]")
    child.sendeof()
    child.expect("quit")
    child.wait()
    assert child.exitstatus == 0
    history = tmp_path / "dwarfgpu/history"
    assert history.exists() == (kind != "dumb")
    assert kind == "dumb" or "+lane 2\n" in history.read_text()


@pytest.mark.parametrize("is_asked", [True, False], ids=["asked", "not asked"])
def test_an_early_key_gives_up_the_command(
    repository: Path, tmp_path: Path, is_asked: bool
) -> None:
    """Ctrl-C right after Enter, also while the terminal is asked where its cursor is."""
    pexpect = pytest.importorskip("pexpect")
    environment = os.environ | {"TERM": "xterm", "XDG_STATE_HOME": str(tmp_path)}
    environment |= {} if is_asked else {"PROMPT_TOOLKIT_NO_CPR": "1"}
    child = pexpect.spawn(
        sys.executable, [*DEBUG, "--demo"], cwd=repository, env=environment,
        encoding="utf-8", timeout=200,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    child.delaybeforesend = 0
    child.expect("w0 l0[)]")
    child.send("shell sleep 1000\r\x03print 41 + 1\r")
    child.expect("Quit")
    child.expect(r"\$1 = 42\r")
    child.close(force=True)


class Screen:
    """The program on a screen of tmux, whose contents can be looked at."""

    def __init__(self, tmux: str, socket: Path, command: str, columns: int) -> None:
        self.tmux = [tmux, "-f", "/dev/null", "-S", str(socket)]
        self.run("new-session", "-d", "-x", str(columns), "-y", "20", command)

    def run(self, *arguments: str) -> str:
        done = subprocess.run([*self.tmux, *arguments], capture_output=True, text=True, check=False)
        return done.stdout

    def type(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def shows(self, *expected: str) -> str:
        """The screen, once it shows all of these."""
        deadline = time.monotonic() + 200
        while True:
            text = self.run("capture-pane", "-p")
            if all(each in text for each in expected):
                return text
            assert time.monotonic() < deadline, text
            time.sleep(0.05)


@pytest.mark.parametrize(
    ("columns", "bar"),
    [
        (80, " nest  nest.hip:14  wave 0  lane 1  exec 0x"),
        (40, " lane 1  exec 0x"),
    ],
)
def test_completion_and_bar_on_a_screen(
    tool: Callable[[str], str], repository: Path, tmp_path: Path, columns: int, bar: str
) -> None:
    command = (
        f"cd {shlex.quote(str(repository))} && XDG_STATE_HOME={shlex.quote(str(tmp_path))} "
        f"{shlex.quote(sys.executable)} {' '.join(DEBUG)} --demo --lane 1 -q; echo left $?; cat"
    )
    screen = Screen(tool("tmux"), tmp_path / "socket", command, columns)
    try:
        screen.shows("(dwarfgpu w0 l1)", bar)
        screen.type("info l")
        screen.shows(" lanes ", " locals ")  # the menu
        screen.type("o", "Tab")
        screen.shows("info locals")
        screen.type("Enter")
        screen.shows("t = ", "sum = ")
        screen.type("lane 2", "Enter")
        screen.shows("(dwarfgpu w0 l2)", "lane 2 (inactive)")
        screen.type("C-d")
        assert "Traceback" not in screen.shows("quit", "left 0")
    finally:
        screen.run("kill-server")
