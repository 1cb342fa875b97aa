"""The guides of docs/: their Python blocks run, one program for each page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "page",
    ["contributing.md", "howto-backend.md", "howto-many-files.md", "howto-pyelftools.md"],
)
def test_the_python_of_a_guide_runs(page: str, repository: Path, tmp_path: Path) -> None:
    """In a process of its own: what a guide declares, such as an operation, ends with it."""
    if page == "howto-pyelftools.md":
        pytest.importorskip("elftools")
    text = (repository / "docs" / page).read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.S)
    assert sum(example.count("assert ") for example in examples) >= 1
    program = tmp_path / "guide.py"
    program.write_text("\n".join(examples), encoding="utf-8")
    command = [sys.executable, "-P", str(program)]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if "print(" in program.read_text("utf-8") and page.startswith("howto-pyelftools"):
        assert done.stdout == "".join(re.findall(r"```text\n(.*?)```", text, re.S))


def test_the_recipe_for_dask_runs(repository: Path, tmp_path: Path) -> None:
    """It prints what the command prints line by line."""
    pytest.importorskip("dask.distributed")
    text = (repository / "docs/howto-many-files.md").read_text(encoding="utf-8")
    [recipe] = [block for block in re.findall(r"```py\n(.*?)```", text, re.S) if "dask" in block]
    program = tmp_path / "farm.py"
    program.write_text(recipe.replace("build/", "fixtures/llvm24"), encoding="utf-8")
    check = ["-m", "dwarfgpu", "check", "fixtures/llvm24", "--json-lines"]
    farm, lines = (
        subprocess.run(
            [sys.executable, *words], cwd=repository, capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(repository)},
        ).stdout.splitlines()
        for words in ([str(program)], check)
    )  # fmt: skip
    assert farm == lines[:-1]


def test_every_page_is_in_the_navigation(repository: Path) -> None:
    """Sphinx reports a page that is nowhere, but only where the extra `docs` is installed."""
    text = (repository / "docs/index.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\{toctree\}\n(.*?)```", text, re.S)
    entries = [line for block in blocks for line in block.splitlines() if line[:1].isalnum()]
    pages = {path.stem for path in repository.glob("docs/*.md")} - {"index"}
    assert sorted(entries) == sorted({*pages, "decisions/*"})
