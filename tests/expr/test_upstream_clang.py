"""Vector registers in the output of upstream LLVM: each lane has its own dword of them."""

from __future__ import annotations

import struct

import pytest

from dwarfgpu import UnitFormat, assemble, decode, dialect
from dwarfgpu.arch.registry import architecture
from dwarfgpu.errors import EvaluationError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.dialect.upstream_clang import translated
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import DieReference, ImplicitPointer
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
        ("bregx 64 8; plus_uconst 4", [("bregx", (64, 12))]),
        ("bregx 5 8; plus_uconst 4", [("bregx", (5, 8)), ("plus_uconst", (4,))]),
        ("bregx 64 8; plus_uconst 4; dup", [("bregx", (64, 8)), ("plus_uconst", (4,))]),
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


FRAME = ("--dialect", "upstream-clang", "--lane", 3, "--frame-base", "private_lane#0x10")


def test_the_generic_pointer_of_a_stack_slot() -> None:
    """All its 64 bits must be known: no half of it is a guess."""
    slot, code = "private_lane[3]#0x18", "fbreg 8; deref; plus_uconst 4"
    known = run("eval", *FRAME, "--arch", "gfx942", "--mem", f"{slot}=2000000000000000", code)
    assert known.lines == ["0x24 (global)"]
    half = run("eval", *FRAME, "--arch", "gfx942", "--mem", f"{slot}=20000000", code)
    assert half.out == "" and "Unavailable: DW_OP_deref at offset 0x2" in half.error


def test_a_stack_slot_needs_a_generic_address_space() -> None:
    words = (*FRAME[:2], "--frame-base", "0x10", "--arch", "x86_64", "fbreg 8; deref")
    assert "the context has no generic address space" in run("eval", *words).error


def test_an_implicit_pointer_is_in_no_stack_slot() -> None:
    arch = architecture("gfx942")
    pointer = ImplicitPointer(DieReference(0x40), 0, arch.address_space(0))
    [deref] = [
        item.operation
        for item in translated(
            decode(assemble("fbreg 8; deref"), dialect("upstream-clang"), UnitFormat()).instructions
        ).instructions
        if item.operation.name == "deref"
    ]
    with pytest.raises(EvaluationError, match="an implicit pointer is in no stack slot"):
        deref.function(Context(architecture=arch), Location((SingleLocation(pointer),)))


@pytest.mark.parametrize(
    ("operations", "where"),
    [
        ("bregx s33 48; plus_uconst 7", "private_lane#0x37 (wave 0, lane 1)"),
        (
            "piece 7; bregx s33 48; plus_uconst 7; piece 17",
            "{bytes 0-6: <undefined>; bytes 7-23: private_lane#0x37 (wave 0, lane 1)}",
        ),
        (
            "bregx s33 48; piece 8; bregx s33 48; plus_uconst 22; piece 2",
            "{bytes 0-7: private_lane#0x30 (wave 0, lane 1); "
            "bytes 8-9: private_lane#0x46 (wave 0, lane 1)}",
        ),
    ],
)
def test_an_offset_in_the_frame(operations: str, where: str) -> None:
    """clang writes DW_OP_plus_uconst before a piece of an object in the frame."""
    machine = "--dialect", "upstream-clang", "--arch", "gfx1150", "--lane", 1, "--reg", "s33=0"
    done = run("eval", *machine, operations)
    assert done.lines == [where]
    assert "DW_OP_bregx of the stack or frame pointer is in the focused lane's private" in done.err


@pytest.mark.parametrize(
    ("operations", "value", "options"),
    [
        ("bregx s33 48; plus_uconst 7", "55", ()),
        ("bregx s33 48; plus_uconst 7; lit1; plus", "56", ("--dialect", "upstream-clang")),
    ],
)
def test_an_offset_of_a_computation(operations: str, value: str, options: tuple[str, ...]) -> None:
    """It is a value, as in other dialects."""
    machine = "--arch", "gfx1150", "--lane", 1, "--reg", "s33=0"
    assert run("eval", *options, *machine, operations).lines == [value]
