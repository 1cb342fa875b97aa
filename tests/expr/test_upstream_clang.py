"""Vector registers in the output of upstream LLVM: each lane has its own dword of them."""

from __future__ import annotations

import struct

import pytest

from dwarfgpu import UnitFormat, assemble, decode, dialect
from dwarfgpu.expr.dialect.upstream_clang import translated
from tests.cli.command import run, run_json

DWORDS = [0, 1, 7, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0]
V2 = struct.pack(f"<{len(DWORDS)}I", *DWORDS).ljust(256, b"\0").hex()
V3 = struct.pack("<64I", *(100 + lane for lane in range(64))).hex()
MACHINE = ("--dialect", "upstream-clang", "--arch", "gfx942", "--reg", f"v2=bytes:{V2}")
NOTE = "upstream clang: DW_OP_bregx of a vector register computes with the focused lane's dword"


def implicit(lane: int, operations: str) -> list[int]:
    """The contents of the parts of an implicit location, in their order."""
    machine = (*MACHINE, "--reg", f"v3=bytes:{V3}", "--lane", lane)
    [place] = run_json("eval", *machine, operations).json["result"]["places"]
    parts = [part["places"][0] for part in place["parts"]] if "parts" in place else [place]
    return [int.from_bytes(bytes.fromhex(part["hex"]), "little") for part in parts]


@pytest.mark.parametrize("lane", range(len(DWORDS)))
def test_a_computation_has_the_lanes_dword_extended_by_zeros(lane: int) -> None:
    dword = DWORDS[lane]
    assert implicit(lane, "bregx v2 0; stack_value") == [dword]
    assert implicit(lane, "bregx v2 1024; stack_value") == [dword + 1024]
    assert implicit(lane, "bregx v2 -1; stack_value") == [(dword - 1) % (1 << 64)]
    assert implicit(lane, "bregx v2 0; constu 0x7f; and; stack_value") == [dword & 0x7F]
    # Triton's own: two registers at once.
    both = "bregx v2 0; bregx v3 0; or; stack_value"
    assert implicit(lane, both) == [dword | (100 + lane)]


def test_a_computation_in_a_piece() -> None:
    pieces = "bregx v2 1; stack_value; piece 4; bregx v3 0; lit2; mul; stack_value; piece 4"
    assert implicit(2, pieces) == [8, 204]


def test_an_address_space_before_the_value_of_a_piece_means_nothing() -> None:
    pieces = "bregx v2 1; lit1; swap; xderef; stack_value; piece 4"
    assert implicit(2, pieces) == [8]


def test_the_answer_has_a_note_on_the_reading() -> None:
    done = run("eval", *MACHINE, "--lane", 2, "bregx v2 1; stack_value")
    assert done.err == f"note: {NOTE}\n"


def test_it_needs_a_lane() -> None:
    done = run("eval", *MACHINE, "bregx v2 1; stack_value")
    assert done.error is not None and "lane" in done.error


def test_strict_is_the_letter() -> None:
    """An address of 64 bits, from the dwords of two lanes (A.2.5.4.4.3)."""
    machine = ("--arch", "gfx942", "--reg", f"v2=bytes:{V2}", "--lane", 1, "--strict")
    done = run("eval", *machine, "bregx v2 0; stack_value")
    assert done.out == "implicit 0x0100000000 (8 bytes)\n"


@pytest.mark.parametrize(
    ("operations", "findings"),
    [
        ("bregx v2 4; stack_value", 0),
        ("bregx v2 4", 1),
        ("bregx v2 4; deref; stack_value", 1),
    ],
)
def test_check_finds_only_what_may_be_an_address(operations: str, findings: int) -> None:
    done = run("check", "--arch", "gfx942", "--dialect", "upstream-clang", operations)
    assert done.out.count("base v2 is a vector register") == findings


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ("fbreg 400; plus_uconst 4", [("fbreg", (404,))]),
        ("fbreg -8; plus_uconst 4; piece 4", [("fbreg", (-4,)), ("piece", (4,))]),
        ("fbreg 8; plus_uconst 4; stack_value", [("fbreg", (8,)), ("plus_uconst", (4,))]),
        ("fbreg 8; deref; plus_uconst 4", [("fbreg", (8,)), ("deref", ())]),
        ("fbreg 8; plus_uconst 4; lit5; swap; xderef", [("fbreg", (12,)), ("lit5", ())]),
    ],
)
def test_an_offset_in_the_frame_is_one_with_that_of_the_variable(
    operations: str, expected: list[tuple[str, tuple[int, ...]]]
) -> None:
    """Of a member that a structured binding names: the frame is in private memory, where
    DW_OP_plus_uconst has no address to add to."""
    code = assemble(operations)
    instructions = decode(code, dialect("upstream-clang"), UnitFormat()).instructions
    meant = [(item.operation.name, item.operands) for item in translated(instructions).instructions]
    assert meant[: len(expected)] == expected
