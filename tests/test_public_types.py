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


GUIDES = ("library", "howto-many-files", "howto-pyelftools", "howto-backend", "contributing")
PAGES = ("README.md", *(f"docs/{name}.md" for name in GUIDES))
NAMES = "from pathlib import Path\n\nDEMO: Path\nCORES: Path\n"


def test_scripts_have_types(repository: Path, tmp_path: Path) -> None:
    """Sessions have one type; and one program for each page, as its readers write them, with
    `mypy --strict`. One run checks all, since each reads the whole library first."""
    pytest.importorskip("mypy")
    scripts = {"sessions": SCRIPT}
    for page in PAGES:
        text = (repository / page).read_text("utf-8")
        examples = re.findall(r"```python\n(.*?)```", text, re.S)
        assert examples, page
        scripts[Path(page).stem] = "\n".join([NAMES, *examples])
    paths = [tmp_path / f"{name.replace('-', '_')}.py" for name in scripts]
    for path, script in zip(paths, scripts.values(), strict=True):
        path.write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", *paths],
        cwd=repository,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"no issues found in {len(paths)} source files" in done.stdout
