"""The command that is advised where an optional package is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dwarfgpu.base import optional_packages
from dwarfgpu.base.optional_packages import install_command


@pytest.mark.parametrize(
    ("python", "expected"),
    [
        (".venv/bin/python", ".venv/bin/python -m pip install capstone"),
        ("a b/python", "'a b/python' -m pip install capstone"),
        ("/opt/python3", "/opt/python3 -m pip install capstone"),
    ],
)
def test_the_python_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(optional_packages, "find_spec", lambda name: object())
    monkeypatch.setattr(sys, "executable", str(tmp_path / python))
    assert install_command("capstone") == expected


def test_without_a_pip_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional_packages, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "executable", "/opt/venv/bin/python")
    assert install_command("capstone") == "pip --python /opt/venv/bin/python install capstone"
