"""The dialect of the document of 2020: its encodings, and the address space of each lane (LLVM 11,
AMDGPU usage, "Expression Operation Encodings", "Address Space Mapping").
"""

from __future__ import annotations

import pytest

from tests.cli.command import run

MEMORY = ("--arch", "gfx942", "--mem", "private_lane[5]#0x10=01020304")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("LLVM_form_aspace_address", "e7"), ("LLVM_offset", "e9"), ("LLVM_push_lane", "ea")],
)
def test_encodings(text: str, encoding: str) -> None:
    assert run("asm", "--dialect", "amd-2020", text).out == f"{encoding}\n"
    assert text in run("dis", "--dialect", "amd-2020", encoding).out


@pytest.mark.parametrize("text", ["LLVM_undefined", "LLVM_bit_offset", "LLVM_piece_end"])
def test_operations_without_a_number(text: str) -> None:
    """ "*TBD*" """
    done = run("asm", "--dialect", "amd-2020", text)
    assert "no encoding in dialect amd-2020; amd and" in done.error


@pytest.mark.parametrize(
    "expression",
    [
        "const1u 0x10; const1u 0x25; LLVM_form_aspace_address; deref_size 4",
        "const1u 0x25; const1u 0x10; xderef_size 4",
        "const1u 0x10; lit5; LLVM_form_aspace_address; deref_size 4",  # with a lane, as ever
    ],
)
def test_private_memory_of_a_lane(expression: str) -> None:
    lane = ("--lane", 5) if "lit5" in expression else ()
    output = run("eval", *MEMORY, *lane, "--dialect", "amd-2020", "-e", expression)
    assert output.out == "67305985 (0x4030201)\n"


def test_a_location_names_its_lane() -> None:
    expression = "const1u 0x10; const1u 0x25; LLVM_form_aspace_address"
    output = run("eval", *MEMORY, "--dialect", "amd-2020", "-e", expression)
    assert output.out == "private_lane#0x10 (wave 0, lane 5)\n"


@pytest.mark.parametrize(
    ("arch", "dialect", "space"),
    [
        ("gfx942", "amd", 0x25),
        ("gfx942", "amd-direct", 0x25),
        ("gfx942", "upstream-clang", 0x5F),
        ("gfx942", "amd-2020", 0x60),
        ("gfx942", "amd-2020", 0x1F),
        ("gfx1100", "amd-2020", 0x40),  # a wave of 32 lanes
        ("x86_64", "amd-2020", 0x20),
    ],
)
def test_numbers_that_are_not_defined(arch: str, dialect: str, space: int) -> None:
    expression = f"lit0; const1u {space}; LLVM_form_aspace_address"
    done = run("eval", "--arch", arch, "--dialect", dialect, "-e", expression)
    assert (
        f"IllFormed: DW_OP_LLVM_form_aspace_address at offset 0x3: {arch} defines no" in done.error
    )
