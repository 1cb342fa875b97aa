"""What a type checker says of scripts that use the library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import dwarfgpu as dg
from dwarfgpu.repl.embed import run_interactive

def sum_of(session: dg.Session, name: str) -> str:
    return session.read(session.variable(name)).text

def main(session: dg.Session, state: dg.State) -> None:
    session = session.focused(3)
    sessions: list[dg.Session] = list(dg.sessions_of(session, state.waves))
    readings: dg.LaneAnswers[dg.Reading] = dg.read_lanes(sessions, session.variable("t"))
    print(readings.of(0, 3).text)
    for frame in dg.stack_frames(session):
        print(sum_of(frame.session, "t"), dg.evaluate_source("t + 1", frame.session).error)
    session = run_interactive(session, commands=["quit"])
    own = dg.Session(session.architecture, wave=session.wave, pc=session.pc, knows_loaded=True)
    print(sum_of(own, "t"))
"""


def test_sessions_of_scripts_have_one_type(tmp_path: Path, repository: Path) -> None:
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", script],
        cwd=repository,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
