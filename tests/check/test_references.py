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
    STRING,
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
ST0, X86_64 = 33, 62


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
        # DWARF 5 2.6.1.1.4: the entry is that of an object
        (f"implicit_pointer {INT}, 0", f"implicit_pointer {SECOND}, 0", "warning",
         "A.2.5.4.4.5"),
        (f"GNU_parameter_ref {INT}; stack_value", "lit0; stack_value", "warning", "A.2.5.4.0"),
        (f"GNU_variable_value {INT}; stack_value", "lit0; stack_value", "error", "A.2.5.4.0"),
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


@pytest.mark.parametrize(
    ("encoding", "is_reference", "is_number"),
    [(5, False, True), (7, False, True), (4, False, False), (2, False, False), (5, True, False)],
)
def test_a_variable_that_is_read_is_a_number(
    encoding: int, is_reference: bool, is_number: bool
) -> None:
    """DW_OP_GNU_variable_value: as its evaluation has it."""
    typed = (dw.AT_TYPE, dw.FORM_REF1)
    shapes = [
        *SHAPES[:2],
        Shape(dw.TAG_REFERENCE_TYPE, (typed,)),
        Shape(VARIABLE, ((dw.AT_NAME, STRING), typed, (dw.AT_LOCATION, EXPRLOC))),
    ]
    kind = INT + 3 if is_reference else INT
    variable = b"\4x\0" + bytes((kind,)) + block(operations("addr 0x100"))
    reader = f"GNU_variable_value {INT + 5}; stack_value"
    entries = bytes((1, 2, 4, encoding, 3, INT)) + variable
    entries += b"\4y\0" + bytes((INT,)) + block(operations(reader)) + b"\0"
    found = findings(verdict_on(info_file(shapes, entries)))
    reason = "the variable x is not an integer, an enumeration or a pointer"
    messages = [] if is_number else [f"DW_OP_GNU_variable_value: {reason}"]
    assert [one.message for one in found if one.rule == "bad-reference"] == messages


@pytest.mark.parametrize(
    ("text", "operations_of"),
    [
        (f"regval_type s0, {SECOND}", "DW_OP_regval_type"),
        (f"entry_value (regval_type s0, {SECOND})", "DW_OP_regval_type in DW_OP_entry_value"),
        (f"entry_value (entry_value (regval_type s0, {SECOND}))",
         "DW_OP_regval_type in DW_OP_entry_value in DW_OP_entry_value"),
    ],
)  # fmt: skip
def test_the_operation_that_has_the_type_is_named(text: str, operations_of: str) -> None:
    found = findings(verdict_on(of_variable(f"{text}; stack_value")))
    reason = f"the entry at offset {SECOND:#x} is a DW_TAG_variable, no base type"
    assert f"{operations_of}: {reason}" in [one.message for one in found]


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


@pytest.mark.parametrize(("name", "needed_bits"), [("long double", None), ("__float128", 128)])
def test_an_x87_register_has_no_padding(name: str, needed_bits: int | None) -> None:
    """GCC gives `long double` 16 bytes, and the register has the 10 of its format."""
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(BASE_TYPE, ((dw.AT_BYTE_SIZE, DATA1), (dw.AT_ENCODING, DATA1), (dw.AT_NAME, STRING))),
        Shape(VARIABLE, ((dw.AT_LOCATION, EXPRLOC),)),
    ]
    located = block(operations(f"regval_type {ST0}, {INT}; stack_value"))
    entries = b"\x01\x02" + bytes((16, 4)) + name.encode() + b"\0\x03" + located + b"\0"
    result = findings(verdict_on(info_file(shapes, entries, machine=X86_64)))
    assert [finding.message for finding in result] == (
        []
        if needed_bits is None
        else [
            f"DW_OP_regval_type: {needed_bits} bits needed at bit offset 0 of register st0, "
            "80 remain, in the top call frame"
        ]
    )


TYPES = {"int": (4, 5), "float": (4, 4), "long": (8, 5), "utf": (4, 16), "unsigned": (4, 7)}
"""Size and encoding; the entries are 3 bytes long, from `INT` on."""


def of_types(text: str) -> list[Finding]:
    offsets = {name: INT + 3 * index for index, name in enumerate(TYPES)}
    for name, offset in offsets.items():
        text = text.replace(f"@{name}", str(offset))
    entries = b"".join(bytes((2, *each)) for each in TYPES.values())
    located = b"\x03" + block(operations(f"{text}; stack_value"))
    return findings(verdict_on(info_file(SHAPES, b"\x01" + entries + located + b"\0")))


@pytest.mark.parametrize(
    ("broken", "kept", "rule", "section", "message"),
    [
        # 2.5.1.4, 2.5.1.5: both operands have the same type
        ("regval_type s0, @int; regval_type s1, @float; plus",
         "regval_type s0, @int; regval_type s1, @int; plus",
         "mixed-types", "A.2.5.4.3.2", "addition of base type 0xd and base type 0x10"),
        ("regval_type s0, @int; regval_type s1, @unsigned; shl",
         "regval_type s0, @int; regval_type s1, @unsigned; convert @int; shl",
         "mixed-types", "A.2.5.4.3.2", "shift of"),
        ("regval_type s0, @int; regval_type s1, @unsigned; eq",
         "regval_type s0, @int; regval_type s1, @int; eq",
         "mixed-types", "A.2.5.4.2", "comparison of"),
        # whatever the path, and after the operations that only move entries
        ("lit0; convert @float; fbreg 0; bra 4; regval_type s0, @float; drop; "
         "regval_type s0, @int; swap; minus",
         "lit0; convert @int; fbreg 0; bra 4; regval_type s0, @float; drop; "
         "regval_type s0, @int; swap; minus",
         "mixed-types", "A.2.5.4.3.2", "subtraction of"),
        # 2.5.1.6
        ("regval_type s0, @int; reinterpret @long", "regval_type s0, @int; reinterpret @float",
         "wrong-kind", "A.2.5.4.3.3", "of 32 bits reinterpreted as"),
        ("regval_type s0, @int; convert @utf", "regval_type s0, @int; convert @long",
         "wrong-kind", "A.2.5.4.3.3", "neither an integral nor a floating type"),
        # 2.5.1.4: no bits of a floating type
        ("regval_type s0, @float; not", "regval_type s0, @float; neg",
         "wrong-kind", "A.2.5.4.3.2", "complement requires an integral type"),
        # A.2.5.4.4.1: a displacement is integral
        ("regx s0; regval_type s1, @float; LLVM_offset; deref_size 1",
         "regx s0; regval_type s1, @int; LLVM_offset; deref_size 1",
         "wrong-kind", "A.2.5.4.4.1", "an integral type is required as the displacement, not"),
    ],
)  # fmt: skip
def test_the_types_of_operands(
    broken: str, kept: str, rule: str, section: str, message: str
) -> None:
    """What `eval` refuses whatever the values are."""
    (result,) = of_types(broken)
    assert (result.rule, result.severity, result.section) == (rule, "error", section)
    assert message in result.message
    assert of_types(kept) == []


def test_types_in_an_entry_value() -> None:
    """A call-site parameter may give the value without an evaluation of the operand."""
    (result,) = of_types("entry_value (regval_type s0, @int; regval_type s1, @float; plus)")
    assert (result.rule, result.severity) == ("mixed-types", "warning")
    assert of_types("entry_value (regval_type s0, @int; regval_type s1, @int; plus)") == []


@pytest.mark.parametrize(
    ("index", "expected"), [(0, []), (1, ["bad-reference"]), (99, ["bad-reference"])]
)
@pytest.mark.parametrize("text", ["addrx {}", "constx {}; stack_value"])
def test_an_index_beyond_the_addresses(text: str, index: int, expected: list[str]) -> None:
    """DWARF 5 7.27: the table of one address has no other."""
    table = b"\x0c\0\0\0\x05\0\x08\0" + bytes(8)
    shapes = [Shape(COMPILE_UNIT, ((dw.AT_ADDR_BASE, dw.FORM_SEC_OFFSET),), True), *SHAPES[1:]]
    entries = b"\x01" + bytes((8, 0, 0, 0)) + bytes((2, 4, 5)) + b"\x03"
    data = info_file(
        shapes, entries + block(operations(text.format(index))) + b"\0", {".debug_addr": table}
    )
    assert [each.rule for each in findings(verdict_on(data))] == expected
