"""A call through a null or damaged pointer: the frames that made it are shown, as in GDB."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa, SameValueRule
from dwarfgpu.cfi.wild_call import row_after_call
from tests.cli.command import run
from tests.objfile.deep_stacks import deep_core


@pytest.mark.parametrize("pc", [0, 0x65, 0x7FFF_0000_0000])
def test_the_caller_is_found(tmp_path: Path, pc: int) -> None:
    lines = run("bt", *deep_core(tmp_path / "core", 2, wild_pc=pc)).out.splitlines()
    frames = [line for line in lines if line.startswith("#")]
    assert frames[0] == f"#0  {pc:#018x} in ?? ()"
    assert [frame.split(" in ")[1].split(" (")[0] for frame in frames[1:]] == (
        ["down", "down", "down", "main", "_start"][: len(frames) - 1]
    )
    assert len(frames) >= 5


def test_a_jump_leaves_no_caller(tmp_path: Path) -> None:
    """What is on top of the stack is not a return address then."""
    options = deep_core(tmp_path / "core", 2, wild_pc=0x65, lost_bytes=8)
    done = run("bt", *options)
    assert [line for line in done.out.splitlines() if line.startswith("#")] == (
        ["#0  0x0000000000000065 in ?? ()"]
    )
    assert "no frame information for pc 0x65" in done.out + done.err


def test_there_are_no_variables(tmp_path: Path) -> None:
    program = deep_core(tmp_path / "core", 2, wild_pc=0x65)
    commands = ("-ex", "info locals", "-ex", "info args", "-ex", "up", "-ex", "info args")
    done = run("debug", *program, "--batch", *commands)
    assert done.out.count("No symbol table info available.\n") == 2
    assert "n = 0\n" in done.out
    assert "MissingContext" not in done.err


def test_the_abi_decides() -> None:
    x86, arm = row_after_call(architecture("x86_64")), row_after_call(architecture("aarch64"))
    assert x86 is not None
    assert (x86.cfa, x86.rules[16], x86.rules[3]) == (
        RegisterCfa(7, 8),
        OffsetRule(-8),
        SameValueRule(),
    )
    assert arm is not None
    assert (arm.cfa, arm.rules[30], arm.return_register) == (
        RegisterCfa(31, 0),
        SameValueRule(),
        30,
    )
    assert row_after_call(architecture("gfx942")) is None
