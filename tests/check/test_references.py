"""What operands refer to: what leads nowhere, and beside it what leads where it should."""

from __future__ import annotations

import pytest

from dwarfgpu.check.finding import Finding
from dwarfgpu.dwarf import constants as dw
from tests.check.made import (
    BASE_TYPE,
    COMPILE_UNIT,
    DATA1,
    EXPRLOC,
    VARIABLE,
    block,
    findings,
    info_file,
    operations,
    verdict_on,
)
from tests.dwarf.builder import Shape

SHAPES = [
    Shape(COMPILE_UNIT, (), True),
    Shape(BASE_TYPE, ((dw.AT_BYTE_SIZE, DATA1), (dw.AT_ENCODING, DATA1))),
    Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),)),
]
INT, SECOND = 13, 16
"""Where the base type, a signed one of 4 bytes, and the variable stand in their unit."""


def of_variable(text: str) -> bytes:
    return info_file(SHAPES, b"\x01" + bytes((2, 4, 5)) + b"\x03" + block(operations(text)) + b"\0")


@pytest.mark.parametrize(
    ("broken", "kept", "severity", "section"),
    [
        # A.2.5.4.3.4: a base type of the unit, of the size that the operation says
        ("lit0; deref_type 4, 12; stack_value", f"lit0; deref_type 4, {INT}; stack_value", "error",
         "A.2.5.4.3.4"),
        (f"lit0; deref_type 8, {INT}; stack_value", f"lit0; deref_type 4, {INT}; stack_value",
         "error", "A.2.5.4.3.4"),
        (f"regval_type s0, {SECOND}; stack_value", f"regval_type s0, {INT}; stack_value", "error",
         "A.2.5.4.3.4"),
        # A.2.5.4.3.1
        (f"const_type {INT}, 2, 1 0; stack_value", f"const_type {INT}, 4, 1 0 0 0; stack_value",
         "error", "A.2.5.4.3.1"),
        # A.2.5.4.3.3: 0 is the generic type there
        ("lit1; convert 0x1000; stack_value", f"lit1; convert {INT}; stack_value", "error",
         "A.2.5.4.3.3"),
        ("lit1; reinterpret 1; stack_value", "lit1; reinterpret 0; stack_value", "error",
         "A.2.5.4.3.3"),
        # A.2.5.4.2
        ("call2 14", f"call2 {INT}", "error", "A.2.5.4.2"),
        ("call4 0x1000", f"call4 {INT}", "error", "A.2.5.4.2"),
        ("call_ref 0x1000", f"call_ref {INT}", "error", "A.2.5.4.2"),
        # A.2.5.4.4.5: nothing fails until the pointer is followed
        ("implicit_pointer 0x1000, 0", f"implicit_pointer {SECOND}, 0", "warning", "A.2.5.4.4.5"),
        # a call-site parameter may give the value without an evaluation of the operand
        ("entry_value (regval_type s0, 12); stack_value",
         f"entry_value (regval_type s0, {INT}); stack_value", "warning", "A.2.5.4.3.4"),
        # the unit has no .debug_addr
        ("addrx 0", "addr 0", "error", "A.2.5.4.4.3"),
        ("constx 0; stack_value", "const1u 0; stack_value", "error", "A.2.5.4.3.1"),
    ],
)  # fmt: skip
def test_a_reference_both_ways(broken: str, kept: str, severity: str, section: str) -> None:
    (result,) = findings(verdict_on(of_variable(broken)))
    assert (result.rule, result.severity, result.section) == ("bad-reference", severity, section)
    assert findings(verdict_on(of_variable(kept))) == []


def test_the_operation_is_marked() -> None:
    (result,) = findings(verdict_on(of_variable("lit0; deref_type 8, 13; stack_value")))
    assert result.message.startswith("DW_OP_deref_type: size 8 for the type ")
    assert result.excerpt is not None
    assert (result.excerpt.marked, result.excerpt.offset) == (1, 1)


@pytest.mark.parametrize(
    ("size_bytes", "register", "needed"),
    [(8, "s4", "64 bits needed at bit offset 0 of register s4, 32 remain"),
     (4, "s4", None), (8, "pc", None), (8, "v3", None),
     (16, "exec", "128 bits needed at bit offset 0 of register exec, 64 remain")],
)  # fmt: skip
def test_a_register_that_is_narrower_than_its_type(
    size_bytes: int, register: str, needed: str | None
) -> None:
    """A.2.5.4.3.4: DW_OP_regval_type is DW_OP_regx and DW_OP_deref_type."""

    def findings_of(text: str) -> list[Finding]:
        located = block(operations(f"{text}; stack_value"))
        entries = bytes((2, size_bytes, 5)) + b"\x03" + located
        return findings(verdict_on(info_file(SHAPES, b"\x01" + entries + b"\0")))

    result = findings_of(f"lit0; drop; regval_type {register}, {INT}")
    assert [(finding.rule, finding.severity, finding.section) for finding in result] == (
        [] if needed is None else [("outside-storage", "warning", "A.2.5.4.3.4")]
    )
    for finding in result:
        assert finding.message == f"DW_OP_regval_type: {needed}, in the top call frame"
        assert finding.excerpt is not None and finding.excerpt.marked == 2
    assert findings_of(f"entry_value (regval_type {register}, {INT})") == []  # of another frame
