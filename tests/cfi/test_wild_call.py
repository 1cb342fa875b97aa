"""A call through a null or damaged pointer: the frames that made it are shown, as in GDB."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.records import evolve
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa, SameValueRule
from dwarfgpu.cfi.wild_call import row_after_call
from tests.cfi.test_unwind import PUSHED, Code, walked, x86
from tests.cli.command import FIXTURES, run
from tests.machine.cores import Load
from tests.objfile.deep_stacks import deep_core

CODE, DATA, HEAP = 0x400000, 0x401000, 0x10000000
"""The segments of the program, and memory beside it."""
READ, WRITE, EXECUTE = 4, 2, 1


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


@pytest.mark.parametrize(("pc", "name"), [(DATA, "sink"), (HEAP + 0x10, "??")])
def test_data_is_not_executed(tmp_path: Path, pc: int, name: str) -> None:
    """The flags of the core's segments say so (System V ABI, "Program Header", p_flags)."""
    code = Load(CODE, b"", 0x1000, flags=READ | EXECUTE)
    data = Load(pc, bytes(16), flags=READ | WRITE)
    done = run("bt", *deep_core(tmp_path / "core", 2, wild_pc=pc, loads=(code, data)))
    frames = [line for line in done.out.splitlines() if line.startswith("#")]
    assert frames[0] == f"#0  {pc:#018x} in {name} ()"
    assert [frame.split(" in ")[1].split(" (")[0] for frame in frames[1:]] == (
        ["down", "down", "down", "main", "_start"]
    )


@pytest.mark.parametrize(
    ("pc", "data", "flags", "name", "where"),
    [
        (HEAP, bytes(16), READ | EXECUTE, "??", ", which is not in any code object"),
        (HEAP, bytes(16), READ | WRITE | EXECUTE, "??", ", which is not in any code object"),
        (HEAP, b"", READ | EXECUTE, "??", ", which is not in any code object"),
        (
            DATA,
            bytes(16),
            READ | WRITE | EXECUTE,
            "sink",
            " in deep.x86_64.O2, which has no code there",
        ),
    ],
)
def test_what_can_be_executed_may_have_been(
    tmp_path: Path, pc: int, data: bytes, flags: int, name: str, where: str
) -> None:
    """Also what the core leaves out, whose file may be missing."""
    load = Load(pc, data, 16, flags=flags)
    done = run("bt", *deep_core(tmp_path / "core", 2, wild_pc=pc, loads=(load,)))
    assert done.out.splitlines()[-2:] == [
        f"#0  {pc:#018x} in {name} ()",
        f"stopped: no frame information for pc {pc:#x}{where}",
    ]


def test_a_core_without_permissions_decides_nothing(tmp_path: Path) -> None:
    data = Load(HEAP, bytes(16), flags=0)
    done = run("bt", *deep_core(tmp_path / "core", 2, wild_pc=HEAP, loads=(data,)))
    assert done.out.splitlines()[-1].startswith(f"stopped: no frame information for pc {HEAP:#x}")


@pytest.mark.parametrize("pc", [0, 0x65])
def test_a_signal_may_interrupt_the_call(pc: int) -> None:
    """A handler of SIGSEGV: the frame outside of its signal frame is at the null pointer."""
    context = x86({0x7000: pc, 0x7008: 0x2001, 0x7010: 0x3001}, rsp=0x7000)
    handler = evolve(PUSHED, is_signal_frame=True)
    frames, end = walked(CallStack(context, 0x1000, Code({0x1000: handler, 0x2000: PUSHED})))
    assert frames == [0x1000, pc, 0x2001, 0x3001]
    assert end == "stopped: no frame information for pc 0x3001 in k.co"


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


def test_a_call_on_aarch64_signs_no_address() -> None:
    """A core file has no RA_SIGN_STATE, which would say so."""
    crash = FIXTURES / "core/crash.aarch64.O0"
    done = run("debug", crash, f"{crash}.core", "-q", "--batch", "-ex", "set $pc = 0", "-ex", "bt")
    null = done.lines.index("#0  0x0000000000000000 in ?? ()")
    assert done.lines[null + 1].startswith("#1  0x00000000004003c4 in down (")
