"""A file for a machine that is not supported: named, nothing of it assumed."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.cli.command import FIXTURES, run

MACH = 0x50  # gfx1310 of LLVM 24


@pytest.fixture
def unknown(tmp_path: Path) -> Path:
    data = bytearray((FIXTURES / "triton/axpy.gfx1250.co").read_bytes())
    data[48] = MACH
    path = tmp_path / "unknown.co"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "words",
    [
        "eval FILE --pc 0x1700 total",
        "lanes FILE --pc 0x1700",
        "bt FILE --pc 0x1700",
        "debug FILE",
    ],
)
def test_no_other_processor_is_taken_in_its_place(words: str, unknown: Path) -> None:
    done = run(*(unknown if word == "FILE" else word for word in words.split()))
    assert done.status == 2 and done.err.splitlines() == [
        f"dwarfgpu: {unknown} is for the AMD GPU processor with EF_AMDGPU_MACH {MACH:#x}, which "
        "is not supported; --arch names one to take in its place"
    ]


def test_one_can_be_named(unknown: Path) -> None:
    done = run("lanes", unknown, "--arch", "gfx1250", "--pc", "0x1700")
    assert done.status == 0 and done.lines[-1].split()[0] == "31"


def test_what_needs_no_processor_is_shown(unknown: Path) -> None:
    info = run("info", unknown)
    assert f"the AMD GPU processor with EF_AMDGPU_MACH {MACH:#x}" in info.out + info.err
    assert not any(line.startswith("target") for line in info.lines)
    assert "in v" not in run("where", unknown, "total").out
    assert "DW_OP_regx 0x" in run("where", unknown, "total").out
    assert "gfx" not in run("frames", unknown).out
    check = run("check", unknown)
    assert "0 errors, 0 warnings" in check.lines[-1]


@pytest.mark.parametrize(
    "words", ["eval --file FILE 1+1", "eval --file FILE sizeof(long)", "debug FILE"]
)
def test_types_of_another_abi_have_other_sizes(words: str, tmp_path: Path) -> None:
    """The x32 ABI: `long` and pointers have four bytes there."""
    path = tmp_path / "x32.o"
    header = struct.pack("<HHIIIIIHHHHHH", 1, 62, 1, 0, 0, 0, 0, 52, 0, 0, 40, 0, 0)
    path.write_bytes(b"\x7fELF\x01\x01\x01" + bytes(9) + header)
    done = run(*(path if word == "FILE" else word for word in words.split()))
    assert done.status == 2 and done.err.splitlines() == [
        f"dwarfgpu: {path} is for X86_64 with 32-bit addresses, which is not supported"
    ]
