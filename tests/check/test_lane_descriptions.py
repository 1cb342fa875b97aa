"""What DW_AT_LLVM_lane_pc, DW_AT_LLVM_active_lane and DW_AT_LLVM_iterations describe (A.3.3.5)."""

from __future__ import annotations

import struct

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.expr.text.assembly import assemble
from tests.check.made import (
    ADDR,
    COMPILE_UNIT,
    DATA1,
    EXPRLOC,
    FORM,
    GFX942,
    SEC_OFFSET,
    SUBPROGRAM,
    block,
    findings,
    info_file,
    verdict_on,
    words,
)
from tests.dwarf.builder import Shape

ERROR, WARNING = "error", "warning"
LANE_PC, ACTIVE = dw.AT_LLVM_LANE_PC, dw.AT_LLVM_ACTIVE_LANE
ITERATIONS = dw.AT_LLVM_ITERATIONS
FEW, COUNT = "few-lanes", "bad-iteration-count"
NO_NUMBER = "an implicit location description is required: end with DW_OP_stack_value"


def operations(text: str) -> bytes:
    return block(assemble(text, AMD_PROVISIONAL, FORM, GFX942))


def described(number: int, text: str, lanes: int = 64, is_list: bool = False) -> bytes:
    """A function of 64 lanes with an attribute, perhaps by a location list."""
    form = SEC_OFFSET if is_list else EXPRLOC
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(
            SUBPROGRAM,
            (
                (dw.AT_LOW_PC, ADDR),
                (dw.AT_HIGH_PC, DATA1),
                (dw.AT_LLVM_LANES, DATA1),
                (number, form),
            ),
        ),
    ]
    head = b"\x01\x02" + words(0x1000) + b"\x40" + bytes((lanes,))
    if not is_list:
        return info_file(shapes, head + operations(text) + b"\0")
    section = b"\x07" + words(0x1000, 0x1040) + operations(text) + b"\0"
    header = struct.pack("<HBBI", 5, 8, 0, 0)
    section = words(len(header) + len(section), size_bytes=4) + header + section
    return info_file(shapes, head + words(12, size_bytes=4) + b"\0", {".debug_loclists": section})


TABLE = [
    (LANE_PC, "lit5; stack_value", ERROR, FEW,
     "64 bits, and not 4096, an address for each of 64 lanes"),
    (LANE_PC, "regx v5; LLVM_extend 64 32", ERROR, FEW,
     "2048 bits, and not 4096, an address for each of 64 lanes"),
    (LANE_PC, "regx v5; piece 8; piece 8", ERROR, FEW,
     "128 bits, and not 4096, an address for each of 64 lanes"),
    (LANE_PC, "regx v5", WARNING, FEW, "2048 bits, and not 4096, an address for each of 64 lanes"),
    (ACTIVE, "regx s4", WARNING, FEW, "32 bits, and not 64, a bit for each of 64 lanes"),
    (ACTIVE, "regx s4; piece 4", ERROR, FEW, "32 bits, and not 64, a bit for each of 64 lanes"),
    (ACTIVE, "regx exec; lit1; LLVM_bit_offset", WARNING, FEW,
     "63 bits, and not 64, a bit for each of 64 lanes"),
    (ITERATIONS, "regx s4", WARNING, COUNT, NO_NUMBER),
    (ITERATIONS, "lit4", ERROR, COUNT, NO_NUMBER),
    (ITERATIONS, "addr 0x1000", ERROR, COUNT, NO_NUMBER),
    (ITERATIONS, "LLVM_undefined", ERROR, COUNT, NO_NUMBER),
    (ITERATIONS, "nop", ERROR, COUNT, NO_NUMBER),
    (ITERATIONS, "lit4; stack_value; drop", ERROR, COUNT, NO_NUMBER),
    (ITERATIONS, "lit4; stack_value; piece 8", ERROR, COUNT, NO_NUMBER),
    (ITERATIONS, "lit0; stack_value", ERROR, COUNT, "the number of iterations is 0"),
    (ITERATIONS, "const1s -3; stack_value", ERROR, COUNT, "the number of iterations is -3"),
    (ITERATIONS, "implicit_value 4, 1, 2, 3, 4", ERROR, COUNT,
     "a number of 32 bits, and one of the generic type is read"),
]  # fmt: skip
GOOD = [
    (LANE_PC, "addr 0x1000; LLVM_extend 64 64"),
    (LANE_PC, "LLVM_undefined"),
    (LANE_PC, "lit8; lit5; LLVM_form_aspace_address"),
    (LANE_PC, "regx v5; LLVM_extend 64 65"),
    (LANE_PC, "regx v5; regx v6; regx exec; deref_size 8; LLVM_select_bit_piece 64 64"),
    (ACTIVE, "regx exec"),
    (ACTIVE, "regx s4; piece 4; regx s5; piece 4"),
    (ACTIVE, "regx v4"),
    (ITERATIONS, "lit1; stack_value"),
    (ITERATIONS, "implicit_value 8, 4, 0, 0, 0, 0, 0, 0, 0"),
    (ITERATIONS, "regx s4; deref_size 4; stack_value"),
    (ITERATIONS, "LLVM_push_lane; stack_value"),
]


@pytest.mark.parametrize("is_list", [False, True])
@pytest.mark.parametrize(("number", "text", "severity", "rule", "message"), TABLE)
def test_what_is_described_is_reported(
    number: int, text: str, severity: str, rule: str, message: str, is_list: bool
) -> None:
    (found,) = findings(verdict_on(described(number, text, is_list=is_list), "amd-provisional"))
    assert (found.severity, found.rule, found.message) == (severity, rule, message)
    assert found.section == "A.3.3.5" and found.excerpt is not None


@pytest.mark.parametrize(("number", "text"), GOOD)
def test_a_right_description_is_not(number: int, text: str) -> None:
    assert findings(verdict_on(described(number, text), "amd-provisional")) == []


def test_the_function_says_how_many_lanes_are_described() -> None:
    half = "regx s4; piece 4"
    assert findings(verdict_on(described(ACTIVE, half, lanes=32), "amd-provisional")) == []
    (found,) = findings(verdict_on(described(ACTIVE, half, lanes=33), "amd-provisional"))
    assert found.message == "32 bits, and not 33, a bit for each of 33 lanes"
