"""The instructions with which functions set a frame pointer."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.arch import i386, x86_64
from tests.cli.command import run

PUSH32, PUSH64 = b"\x55\x89\xe5", b"\x55\x48\x89\xe5"
ALIGN32 = b"\x8d\x4c\x24\x04\x83\xe4\xf0\xff\x71\xfc"  # lea, and, push of -m32's main
ALIGN64 = b"\x4c\x8d\x54\x24\x08\x48\x83\xe4\xe0\x41\xff\x72\xf8"


@pytest.mark.parametrize("landing", [b"", b"\xf3\x0f\x1e\xfb"])
@pytest.mark.parametrize("alignment", [b"", ALIGN32])
def test_of_i386(landing: bytes, alignment: bytes) -> None:
    prologue = i386.ABI.prologue
    assert prologue is not None
    code = landing + alignment + PUSH32
    assert len(code) <= prologue.most_bytes
    assert prologue.size_in(code + b"\x90") == len(code)
    assert prologue.size_in(landing + alignment + b"\x90" + PUSH32) is None


@pytest.mark.parametrize(
    ("adjustment", "pushes"),
    [
        (b"", b"\x53"),  # push %ebx
        (b"\x83\xec\x08", b"\x56\x53"),  # sub $8,%esp; push %esi; push %ebx
        (b"\x81\xec\xa0\x00\x00\x00", b""),  # sub $160,%esp
        (b"\x8d\x64\x24\xf8", b"\x57"),  # lea -8(%esp),%esp; push %edi
        (b"\x81\xec\xa0\x00\x00\x00", 8 * b"\x57"),
    ],
)
def test_of_i386_with_saved_registers(adjustment: bytes, pushes: bytes) -> None:
    """GDB stops behind them in a function that has all its code on one line."""
    prologue = i386.ABI.prologue
    assert prologue is not None
    code = PUSH32 + adjustment + pushes
    assert len(b"\xf3\x0f\x1e\xfb" + ALIGN32 + code) <= prologue.most_bytes
    for behind in (b"", b"\x90", b"\x81\xec\x10\x00\x00\x00" if pushes else b"\x90"):
        assert prologue.size_in(code + behind) == len(code)
    assert prologue.size_in(PUSH32 + 9 * b"\x53") == len(PUSH32) + 8  # no more, as in GDB


@pytest.mark.parametrize(
    ("adjustment", "is_room_freed"),
    [
        (b"\x83\xec\xf8", True),  # sub $-8,%esp
        (b"\x81\xec\xf0\xff\xff\xff", True),  # sub $-16,%esp
        (b"\x8d\x64\x24\x10", True),  # lea 16(%esp),%esp
        (b"\x81\xec\xf0\x00\x00\x00", False),
        (b"\x83\xec\x00", False),
    ],
)
@pytest.mark.parametrize("landing", [b"", b"\xf3\x0f\x1e\xfb"])
def test_of_i386_that_frees_room(landing: bytes, adjustment: bytes, is_room_freed: bool) -> None:
    """GDB stops at the begin of such a function."""
    prologue = i386.ABI.prologue
    assert prologue is not None
    code = landing + PUSH32 + adjustment + b"\x53"
    assert prologue.size_in(code + b"\x90") == (0 if is_room_freed else len(code))


def test_of_x86_64() -> None:
    prologue = x86_64.ABI.prologue
    assert prologue is not None
    assert prologue.size_in(ALIGN64 + PUSH64) == len(ALIGN64 + PUSH64)
    assert prologue.size_in(PUSH64 + b"\x53") == len(PUSH64)
    assert prologue.size_in(PUSH32) is None


ALIGNED = """
.globl main
.type main, @function
main: lea 8(%rsp), %r10
 and $-16, %rsp
 push -8(%r10)
 push %rbp
 mov %rsp, %rbp
 nop
.size main, . - main
"""


def test_the_base_of_a_frame_that_aligns_the_stack(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB computes it from the stack pointer before, until the frame pointer is set."""
    (tmp_path / "aligned.s").write_text(ALIGNED)
    placed = ("-nostdlib", "-static", "-Wl,-emain", "-Wl,-Ttext=0x1000")
    command = [tool("gcc"), *placed, "aligned.s", "-o", "aligned"]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=60)
    registers = ("--reg", "rsp=0x5fd8", "--reg", "r10=0x5ff8", "--reg", "rbp=0x7000")
    expected = {0x1000: "0x5fd0", 0x1005: "0x5fd0", 0x1009: "0x5fe8", 0x100E: "0x5fe8"}
    for pc, address in (expected | {0x1011: "0x7000"}).items():
        place = ("--pc", hex(pc), *registers)
        done = run("debug", tmp_path / "aligned", *place, "--batch", "-ex", "output $fp")
        assert done.out == f"(void *) {address}"


def test_where_an_alignment_keeps_the_stack_pointer() -> None:
    for abi, code, number, first in ((i386.ABI, ALIGN32, 1, 7), (x86_64.ABI, ALIGN64, 10, 9)):
        assert abi.prologue is not None
        assert abi.prologue.alignment_in(code + PUSH64) == code
        assert abi.prologue.kept_in(code, first) == number
        assert abi.prologue.kept_in(code, first - 3) is None
        assert abi.prologue.alignment_in(PUSH64) == b"" and abi.prologue.kept_in(b"", 9) is None
