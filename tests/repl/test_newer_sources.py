"""The times of files do not change what is shown of a source (docs/gdb-differences.md)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.processes import finished
from tests.repl.gdb_sessions import FIXTURES
from tests.repl.test_gdb_sessions import REASONS, gdb_version

PROGRAM, SOURCE = "demo.gcc.O0.v5", "demo.c"
LINES = "3\t// No headers: their paths would end up in the line table.\n"
COMPILED, CHECKED_OUT = 1_600_000_000, 1_700_000_000
"""Seconds since 1970."""


def copies(folder: Path, *, program: int, source: int) -> list[str]:
    """Copy a program and its source with these times of modification; return the commands."""
    for name, seconds in ((PROGRAM, program), (SOURCE, source)):
        shutil.copyfile(FIXTURES / "x86_64" / name, folder / name)
        os.utime(folder / name, (seconds, seconds))
    return ["-ex", f"directory {folder}", "-ex", "list 3,3"]


@pytest.mark.parametrize(
    ("program", "source"),
    [(COMPILED, CHECKED_OUT), (CHECKED_OUT, COMPILED), (COMPILED, COMPILED)],
)
def test_the_order_of_the_times_is_not_seen(tmp_path: Path, program: int, source: int) -> None:
    commands = copies(tmp_path, program=program, source=source)
    done = finished("debug", PROGRAM, "--batch", *commands, folder=tmp_path)
    assert done.stdout.endswith(LINES)
    assert "more recent" not in done.stdout + done.stderr
    assert "newer sources" in REASONS


def test_gdb_warns(tmp_path: Path) -> None:
    """The difference that the page describes."""
    if not gdb_version().startswith("13."):
        pytest.skip("needs GDB 13, whose words the page quotes")
    commands = copies(tmp_path, program=COMPILED, source=CHECKED_OUT)
    done = subprocess.run(
        ["gdb", "-q", "-nx", "-batch", *commands, PROGRAM],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith(LINES)
    warning = "Source file is more recent than executable."
    assert f"warning: {warning}" in done.stderr
    page = FIXTURES.parent / "docs/gdb-differences.md"
    assert f"`{warning}`" in page.read_text("utf-8")
