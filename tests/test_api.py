"""The public names of the package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import dwarfgpu
from dwarfgpu import api


@pytest.mark.parametrize("name", api.__all__)
def test_a_public_name_is_an_attribute_of_the_package(name: str) -> None:
    assert getattr(dwarfgpu, name) is getattr(api, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        dwarfgpu.nothing  # noqa: B018


@pytest.mark.parametrize(
    "statement",
    [
        "from dwarfgpu import base",  # a module, not a public name
        "from dwarfgpu.machine.state.load import load_state",
        "from dwarfgpu import evaluate",
        "import dwarfgpu; dwarfgpu.Session",
    ],
)
def test_imports_in_any_order(statement: str) -> None:
    subprocess.run([sys.executable, "-c", statement], check=True)


def test_importing_the_package_loads_no_more_than_itself() -> None:
    script = "import sys, dwarfgpu; print([n for n in sys.modules if n.startswith('dwarfgpu.')])"
    found = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert found.stdout.strip() == "[]"


def test_the_examples_of_the_documentation_run() -> None:
    root = Path(__file__).resolve().parents[1]
    text = (root / "docs/library.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(examples) >= 4
    names: dict[str, object] = {"DEMO": root / "dwarfgpu/data", "CORES": root / "fixtures/core"}
    for example in examples:
        exec(example, names)


def test_the_examples_of_printers_run() -> None:
    root = Path(__file__).resolve().parents[1]
    text = (root / "docs/printers.md").read_text("utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(examples) == 2
    names: dict[str, object] = {"CORES": root / "fixtures/core"}
    for example in examples:
        exec(example, names)
