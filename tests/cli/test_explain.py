"""`dwarfgpu explain`: what it takes, and what it says of types and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.cli.command import FIXTURES, run
from tests.dwarf.builder import Shape, file_of

KERNELS = FIXTURES / "opencl/kernels.gfx942.O2.v5.co"
TYPED = (dw.AT_TYPE, dw.FORM_REF4)
NAMED = (dw.AT_NAME, dw.FORM_STRING)
SHAPES = [
    Shape(dw.TAG_COMPILE_UNIT, (), True),
    Shape(dw.TAG_BASE_TYPE,
          (NAMED, (dw.AT_BYTE_SIZE, dw.FORM_DATA1), (dw.AT_ENCODING, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, (TYPED, (dw.AT_CONST_VALUE, dw.FORM_DATA1))),
    Shape(dw.TAG_VARIABLE, (TYPED,)),
    Shape(dw.TAG_ARRAY_TYPE, (TYPED,), True),
    Shape(dw.TAG_SUBRANGE_TYPE, (TYPED, (dw.AT_UPPER_BOUND, dw.FORM_REF4))),
    Shape(dw.TAG_VARIABLE, (NAMED, TYPED, (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
]  # fmt: skip
INT_AT = 13
INT = b"\2int\0\4\5"
BOUND_AT = INT_AT + len(INT)


def word(value: int) -> bytes:
    return value.to_bytes(4, "little")


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (b"\3" + word(INT_AT) + b"\6", "that is the variable at 0x14, which is 6"),
        (b"\4" + word(INT_AT), "that is the variable at 0x14"),
    ],
)
def test_a_bound_that_is_a_variable_without_a_name(tmp_path: Path, bound: bytes, said: str) -> None:
    array_at = BOUND_AT + len(bound)
    body = b"\1" + INT + bound + b"\5" + word(INT_AT)
    body += b"\6" + word(INT_AT) + word(BOUND_AT) + b"\0"
    body += b"\7a\0" + word(array_at) + b"\x09\x03" + bytes(8) + b"\0"
    path = tmp_path / "made.co"
    path.write_bytes(file_of(body, SHAPES))
    assert f"its type has DW_AT_upper_bound: {said}" in run("explain", "--file", path, "a").lines


def test_a_register_with_two_readings_has_advice() -> None:
    arguments = ("--file", KERNELS, "--pc", 0x2340, "--lane", 3)
    advice = (
        "v2 holds the value itself or its address: upstream clang writes DW_OP_bregx for both, and "
        "nothing says which: --quirk vgpr-holds-value or vgpr-holds-address chooses, at the prompt "
        "set vgpr-holds; $v2[$_lane] is the register"
    )
    assert advice in run("eval", *arguments, "n").err
    assert advice in run("explain", *arguments, "n").out
    assert "for both" not in run("eval", *arguments, "--strict", "t").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["t", "a"], "explain takes one name or expression: not 2"),
        ([], "explain takes one name or expression: none is given"),
        (["t", "--lane", "all"], "explain works on one lane, not all: give --lane N"),
    ],
)
def test_one_thing_is_explained(arguments: list[str], message: str) -> None:
    done = run("explain", "--demo", *arguments)
    assert (done.status, done.err) == (2, f"dwarfgpu: {message}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", "--state", FIXTURES / "states/data.gfx942.O2.json", "--pc", "0x179c"),
        ("where", "--file", FIXTURES / "hip/data.gfx942.O2.v5.co"),
    ],
    ids=["explain", "where"],
)
def test_operations_with_padded_operands_have_names(arguments: tuple[object, ...]) -> None:
    """Clang pads the operand of every DW_OP_convert to five bytes."""
    done = run(*arguments, "byte")
    named = "DW_OP_bregx VGPR2+0, DW_OP_convert 0x27, DW_OP_convert 0x2b, DW_OP_lit3, DW_OP_mul"
    assert named in done.out
    assert ".byte" not in done.out


UNDEFINED_AT = "{} because of DW_OP_LLVM_undefined at offset {:#x} (A.2.5.4.4.2): "
WHOLE = "=> the object is optimized out"
PARTS = "   parts of it are undefined"


@pytest.mark.parametrize(
    ("operations", "verdict"),
    [
        ("LLVM_undefined; drop; regx v0", "=> the object is at v0 (wave 0)"),
        ("LLVM_undefined; regx v0; swap; drop", "=> the object is at v0 (wave 0)"),
        ("LLVM_undefined; LLVM_undefined; swap; drop", UNDEFINED_AT.format(WHOLE, 2)),
        ("LLVM_undefined; LLVM_undefined; drop", UNDEFINED_AT.format(WHOLE, 0)),
        ("LLVM_undefined; drop", "=> the stack is empty at the end: the object is optimized out"),
        ("LLVM_undefined; dup; drop", UNDEFINED_AT.format(WHOLE, 0)),
        ("LLVM_undefined; piece 4; regx v0; piece 4", UNDEFINED_AT.format(PARTS, 0)),
    ],
)
def test_what_is_undefined_is_in_the_result(operations: str, verdict: str) -> None:
    """What was dropped leaves nothing undefined, and each of several has its own note."""
    text = "; ".join(f"DW_OP_{operation}" for operation in operations.split("; "))
    said = run("explain", "--arch", "gfx942", text).out.splitlines()
    assert said[-1].startswith(verdict)
    notes = [line for line in said if line.endswith("^ the compiler describes no value here")]
    assert len(notes) == operations.count("undefined")


@pytest.mark.parametrize(
    "operations",
    [
        "LLVM_undefined; dup; piece 4",
        "LLVM_undefined; regx v0; pick 1; piece 4",
        f"{'lit1; ' * 100}LLVM_undefined; dup; piece 4",
    ],
)
def test_an_entry_may_be_on_the_stack_twice(operations: str) -> None:
    text = "; ".join(f"DW_OP_{operation}" for operation in operations.split("; "))
    said = run("explain", "--arch", "gfx942", text).out.splitlines()
    at = operations.count("lit1")
    assert said[-1] == f"{UNDEFINED_AT.format(PARTS, at)}the compiler describes no value here"


PIECE_AT = "{} because of DW_OP_piece at offset {:#x} (A.2.5.4.4.6): no location comes before "
OVERLAY = "regx v0; LLVM_undefined; lit0; lit4; LLVM_overlay"


@pytest.mark.parametrize(
    ("operations", "verdict"),
    [
        ("LLVM_undefined; drop; piece 4", PIECE_AT.format(PARTS, 3)),
        ("LLVM_undefined; drop; regx v0; piece 4; piece 4", PIECE_AT.format(PARTS, 8)),
        (f"LLVM_undefined; drop; {OVERLAY}", UNDEFINED_AT.format(PARTS, 6)),
        ("LLVM_undefined; piece 0; piece 4", PIECE_AT.format(PARTS, 4)),
        (
            "LLVM_undefined; piece 0; regx v0; piece 4",
            "=> the object is at {no bits: <undefined>; ",
        ),
        ("piece 0; regx v0; piece 4", "=> the object is at {no bits: <undefined>; bytes 0-3: v0}"),
    ],
)
def test_parts_are_undefined_because_of_what_made_them(operations: str, verdict: str) -> None:
    """Not because of what was dropped, and no part without bits is undefined."""
    text = "; ".join(f"DW_OP_{operation}" for operation in operations.split("; "))
    said = run("explain", "--arch", "gfx942", text).out.splitlines()
    assert said[-1].startswith(verdict) and "; and of" not in said[-1]
