"""Registers of AArch64 at the prompt: the expected lines are those of gdb-multiarch 13."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run

CORE = FIXTURES / "core" / "crash.aarch64.O0"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("print $x29", "$1 = 365080612128"),
        ("print $w29", "$1 = 8391968"),
        ("print/x $w29", "$1 = 0x800d20"),
        ("print $w0", "$1 = 16"),
        ("ptype $w29", "type = uint32_t"),
        ("info registers w29", "w29            0x800d20            8391968"),
    ],
)
def test_the_lower_half_of_a_register(command: str, expected: str) -> None:
    """It was the whole register."""
    assert run("debug", CORE, f"{CORE}.core", "--batch", "-ex", command).lines[-1] == expected


@pytest.mark.parametrize("name", ["aarch64", "aarch64_be"])
def test_the_lower_half_is_of_the_number(tmp_path: Path, name: str) -> None:
    wave = {"id": 1, "registers": {"x3": "0x1122334455667788", "w4": 7}}
    state = {"schema": "dwarfgpu-state-1", "architecture": name, "waves": [wave]}
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state))
    shown = run("eval", "--state", path, "$w3 + 0", "$w4 + 0", "$x4 + 0")
    assert shown.lines[:2] == ["$w3 + 0 = 1432778632", "$w4 + 0 = 7"]
    assert "$x4 + 0 = 7" not in shown.out  # its upper half is not in the state
    assert run("dis", "--arch", name, "50", "93", "00").lines[0].endswith("DW_OP_reg0 W0")
    assert run("asm", "--arch", name, "regx w3").lines == ["9003"]
