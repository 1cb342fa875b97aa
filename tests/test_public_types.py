"""What a type checker says of scripts that use the library."""

from __future__ import annotations

import re
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


def mypy_says(script: str, repository: Path, folder: Path) -> str:
    """Return what mypy says of a script, nothing if all is right; skip where mypy is missing."""
    pytest.importorskip("mypy")
    path = folder / "script.py"
    path.write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder / "cache", path],
        cwd=repository,
        check=False,
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_sessions_of_scripts_have_one_type(repository: Path, tmp_path: Path) -> None:
    assert not mypy_says(SCRIPT, repository, tmp_path)


GUIDES = ("library", "howto-many-files", "howto-pyelftools", "howto-backend", "contributing")


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{name}.md" for name in GUIDES)])
def test_the_examples_of_the_documentation_have_types(
    page: str, repository: Path, tmp_path: Path
) -> None:
    """One program for each page, as its readers write them, with `mypy --strict`."""
    examples = re.findall(r"```python\n(.*?)```", (repository / page).read_text("utf-8"), re.S)
    assert examples
    names = "from pathlib import Path\n\nDEMO: Path\nCORES: Path\n"
    assert not mypy_says("\n".join([names, *examples]), repository, tmp_path)
