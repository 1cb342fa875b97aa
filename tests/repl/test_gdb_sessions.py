"""Commands shared with GDB give its answers, letter by letter, or differ for a told reason."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

import pytest

from tests.repl.gdb_sessions import (
    NAMES,
    NEEDS_PRINTERS,
    REPOSITORY,
    answers_of_dwarfgpu,
    answers_of_gdb,
    has_printers,
    recorded,
)

REASONS = {
    line.removeprefix("## ").strip()
    for line in (REPOSITORY / "docs/gdb-differences.md").read_text("utf-8").splitlines()
    if line.startswith("## ")
}


@cache
def gdb_version(program: str = "gdb") -> str:
    if shutil.which(program) is None:
        return ""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0].rpartition(" ")[2]


@pytest.mark.parametrize("name", NAMES)
def test_ours(name: str) -> None:
    exchanges = recorded(name)
    answers = answers_of_dwarfgpu(name, [exchange.command for exchange in exchanges])
    got = [(exchange.command, answer) for exchange, answer in zip(exchanges, answers, strict=True)]
    assert got == [(exchange.command, exchange.expected) for exchange in exchanges]


@pytest.mark.parametrize("name", NAMES)
def test_gdbs(name: str) -> None:
    """The recorded answers are those of GDB."""
    if not gdb_version().startswith("13."):
        pytest.skip("needs GDB 13, whose answers are recorded")
    if name in NEEDS_PRINTERS and not has_printers():
        pytest.skip("needs libstdc++'s printers for GDB")
    exchanges = recorded(name)
    answers = answers_of_gdb(name, [exchange.command for exchange in exchanges])
    got = [(exchange.command, answer) for exchange, answer in zip(exchanges, answers, strict=True)]
    assert got == [(exchange.command, exchange.gdb) for exchange in exchanges]


@pytest.mark.parametrize("name", NAMES)
def test_every_difference_has_a_reason(name: str) -> None:
    differing = {item.reason for item in recorded(name) if item.dwarfgpu is not None}
    assert differing <= REASONS


def test_enough_is_compared() -> None:
    exchanges = [item for name in NAMES for item in recorded(name)]
    assert len(exchanges) >= 200
    assert sum(exchange.dwarfgpu is None for exchange in exchanges) > 0.8 * len(exchanges)
