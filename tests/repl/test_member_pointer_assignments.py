"""Pointers to members are assigned as in GDB 13, which writes to no core file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.repl.side_by_side import build, with_core

SOURCE = """\
struct Pt { int x, y; int sum() const { return x + y; } };
struct Out { int Pt::*member; } out = {&Pt::y};
int Pt::*mp = &Pt::y;
int (Pt::*mf)() const = &Pt::sum;
int main() { __builtin_trap(); }
"""
INVALID = "Invalid cast."
ANSWERS = {
    "p mp = &Pt::x": "&Pt::x",
    "p mp = out.member": "&Pt::y",
    "p out.member = 0": "NULL",
    "p mp = 5": INVALID,
    "p mf = &Pt::sum": "(int (Pt::*)(const Pt * const)) 0x401",
    "p mf = 0": "NULL",
    "p mf = mp": INVALID,
}


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory, tool: Callable[[str], str]) -> list[str]:
    folder: Path = tmp_path_factory.mktemp("members")
    build(folder, {"a.cc": SOURCE}, [[tool("g++"), "-g", "-no-pie", "-o", "a", "a.cc"]])
    return with_core(tool, folder)


@pytest.mark.parametrize(("command", "expected"), ANSWERS.items())
def test_assignments(core: list[str], command: str, expected: str) -> None:
    name = command.split()[1]
    done = run("debug", *core, "-q", "--batch", "-ex", command, "-ex", f"p {name}")
    if expected == INVALID:
        assert expected in done.err.splitlines()
        return
    first, second = (line.partition(" = ")[2] for line in done.lines[-2:])
    assert first.startswith(expected) and second == first
