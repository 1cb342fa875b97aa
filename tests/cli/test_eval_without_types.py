"""Expressions of the language in a state without a code object: only common types are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import run


@pytest.fixture
def state(tmp_path: Path) -> Path:
    path = tmp_path / "state.json"
    document = {
        "schema": "dwarfgpu-state-1",
        "architecture": "gfx942",
        "waves": [
            {
                "registers": {"exec": "0xf", "s4": 7, "v3": [1, 2, 3]},
                "memory": [{"space": "local", "address": "0x64", "bytes": "2a000100"}],
            }
        ],
    }
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*(unsigned char*)(local#0x64)", "42 '*'"),
        ("*(unsigned short *)(local#0x66)", "1"),
        ("{int} local#0x64", "65578"),
        ("local#0x64", "(void *) local#0x64"),
        ("$s4", "7"),
        ("$s4 + 1", "8"),
        ("($s4 + 1) * 2", "16"),
        ("$v3[$_lane]", "2"),
        ("sizeof(int)", "4"),
        ("~$s4 & 1", "0"),
    ],
)
def test_an_expression(state: Path, text: str, expected: str) -> None:
    assert run("eval", "--state", state, "--lane", 1, text).out == f"{text} = {expected}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("lit4; lit5; mul", "20"), ("regx $v3", "v3 (wave 0)"), ("(lit4)", "4"), ("0x0: lit4", "4")],
)
def test_operations_stay_operations(state: Path, text: str, expected: str) -> None:
    assert run("eval", "--state", state, "--lane", 1, text).out == f"{expected}\n"


@pytest.mark.parametrize("text", ["1 + 2", "(int)3", "x + 1", "a.b", "p->x"])
def test_the_error_expects_operations(state: Path, text: str) -> None:
    done = run("eval", "--state", state, "--lane", 1, text)
    assert done.status == 2
    assert (
        "; without a code object, DWARF operations are expected; a source expression " in done.err
    )


def test_a_misspelt_operation_is_one(state: Path) -> None:
    done = run("eval", "--state", state, "lit4; lti5")
    assert done.err == "dwarfgpu: 1:7: 'lti5': unknown operation; did you mean lit5?\n"
