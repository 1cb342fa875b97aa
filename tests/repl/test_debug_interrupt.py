"""Commands that run for long, on a terminal: their progress, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import FIXTURES, REPOSITORY

CODE = FIXTURES / "run/integers.gfx942.O0.v5.co"


@pytest.fixture
def child(tmp_path: Path) -> Any:
    """The prompt; `again` runs up to a call that takes billions of instructions."""
    pexpect = pytest.importorskip("pexpect")
    kernel = ["--dispatch", "recursion", "--heuristic", "--grid", "64", "--workgroup", "64"]
    words = [*kernel, "--scratch", "65536", "--arg", "0=range:64", "--arg", "1=range:64",
             "--arg", "2=zeros:256", "-ex", "define again", "-ex", "tbreak fibonacci",
             "-ex", "run", "-ex", "set var n = 40", "-ex", "end"]  # fmt: skip
    child = pexpect.spawn(
        sys.executable, ["-m", "dwarfgpu", "debug", str(CODE), "-q", *words], cwd=REPOSITORY,
        encoding="utf-8", dimensions=(24, 100), timeout=100,
        env={**os.environ, "TERM": "xterm", "XDG_STATE_HOME": str(tmp_path),
             "PROMPT_TOOLKIT_NO_CPR": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    child.expect_exact("w1 l0)")
    yield child
    child.close(force=True)


def test_long_runs_show_their_progress_and_are_interrupted(child: Any) -> None:
    for number, line in enumerate(("finish", "next", "until", "stepi 900000", "continue")):
        if line in ("finish", "next", "until"):
            child.send("again\r")
            child.expect_exact("with lanes [0-63]")
        child.send(f"{line}\r")
        child.expect_exact(" instructions executed")
        child.send("\x03")
        child.expect_exact("Thread 1 received signal SIGINT, INTERRUPTED, between two ")
        child.send(f"p 7000 + {number}\r")  # the machine is whole
        child.expect_exact(f" = 700{number}")
