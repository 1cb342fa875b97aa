"""Registers at the prompt: what GDB cannot show here, or shows of other cores."""

from __future__ import annotations

import pytest

from dwarfgpu.arch.x86_groups import GROUPS
from dwarfgpu.service.frame.x87 import lines
from tests.cli.command import FIXTURES, run

ONE, INFINITY = 0x3FFF << 64 | 1 << 63, 0x7FFF << 64 | 1 << 63


@pytest.mark.parametrize(
    ("bits", "tag", "meaning"),
    [
        (0x4000C90FDAA22168C235, 0, "+3.141592653589793239"),
        (ONE | 1 << 79, 0, "-1"),
        (0, 1, "+0"),
        (1 << 79, 1, "-0"),
        (INFINITY, 2, "+Inf"),
        (INFINITY | 1 << 79, 2, "-Inf"),
        (INFINITY | 3 << 62, 2, "QNaN"),
        (INFINITY | 1, 2, "SNaN"),
        (INFINITY | 1 << 79 | 1 << 62, 2, "Real Indefinite (QNaN)"),
        (1, 2, "+3.645199531882474603e-4951 Denormal"),
        (1 << 63, 2, "+3.362103143112093506e-4932 Pseudo-denormal"),
        (0x3FFF << 64, 2, "Unsupported"),
    ],
)
def test_numbers_of_the_x87(bits: int, tag: int, meaning: str) -> None:
    registers = {"fstat": 0, "ftag": tag, "st0": bits}
    row = list(lines(registers.get))[7]
    assert row.startswith("=>R0: ")
    assert row.partition(f"{bits:#022x} ")[2].split() == meaning.split()


def test_words_of_the_x87() -> None:
    registers = {"fstat": 3 << 11 | 0x4085, "fctrl": 0x0E41, "ftag": 0, "fop": 0x1D9}
    shown = list(lines({**registers, "fiseg": 0, "fioff": 0x10}.get))
    assert shown[4] == "=>R3: Valid   <unavailable>"
    assert shown[9:] == [
        "Status Word:         0x5885   IE    ZE            ES                 C3",
        "                       TOP: 3",
        "Control Word:        0x0e41   IM               ",
        "                       PC: Double Precision (53-bits)",
        "                       RC: Round toward zero",
        "Tag Word:            0x0000",
        "Instruction Pointer: 0x00:0x00000010",
        "Operand Pointer:     <unavailable>:<unavailable>",
        "Opcode:              0xd9d9",
    ]


def test_the_x87_of_a_caller_is_not_saved() -> None:
    """As `info registers` shows its registers."""
    core = FIXTURES / "core/crash.x86_64.O0"
    shown = ("-ex", "info registers fstat", "-ex", "info float")
    lines = run("debug", core, f"{core}.core", "--batch", "-ex", "frame 1", *shown).lines
    assert "fstat          <not saved>" in lines and "Status Word:         <not saved>" in lines
    assert not any("<unavailable>" in line for line in lines)


@pytest.mark.parametrize(
    ("known", "vectors"),
    [
        ({"ymm0h", "k0"}, [f"zmm{n}" for n in range(32)]),
        ({"ymm0h"}, [f"ymm{n}" for n in range(16)]),
        (set(), [f"xmm{n}" for n in range(16)]),
    ],
)
def test_the_largest_vectors_are_shown(known: set[str], vectors: list[str]) -> None:
    has = known.__contains__
    assert list(GROUPS.members("vector", has)) == ["mxcsr", *vectors]
    masks = [f"k{n}" for n in range(8)] if "k0" in known else []
    assert list(GROUPS.members("general", has))[24:] == masks
    assert list(GROUPS.members("all", has))[-len(vectors) :] == vectors


def test_the_frame_pointer_is_the_base_of_the_frame() -> None:
    """As GDB 13 shows it: `$fp` is not `$rbp` in functions without a frame pointer."""
    crash = FIXTURES / "core/crash.x86_64.O2"
    commands = ["info registers fp", "output/x $fp", "frame 2", "info registers fp"]
    words = [word for command in commands for word in ("-ex", command)]
    done = run("debug", "-q", crash, "--core", f"{crash}.core", "--batch", *words)
    assert "fp             0x7fffffffed40      0x7fffffffed40\n0x7fffffffed40" in done.out
    assert "fp             0x7fffffffed78      0x7fffffffed78\n" in done.out
