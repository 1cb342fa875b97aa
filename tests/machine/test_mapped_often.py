"""A core file of a process that mapped one file many times: it is opened once."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.machine.core import modules
from tests.cli.command import run
from tools.bombs.companions import mapped_often
from tools.bombs.model import write_files


def test_it_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However its name is written, and by a link."""
    monkeypatch.chdir(tmp_path)
    write_files(mapped_often(30), tmp_path)
    opened: list[str] = []
    real = modules.open_object
    monkeypatch.setattr(
        modules, "open_object", lambda path, limits: (opened.append(path), real(path, limits))[1]
    )
    result = run("debug", "--core", "bomb", "--sysroot", ".", "--batch", "-ex", "info files")
    assert len(opened) == 1, result.out
