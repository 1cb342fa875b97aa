"""The static check: one row for each thing that it finds, and for what it must not find."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.cli.main import main
from dwarfgpu.expr.context import ResultKind, UnitFormat
from dwarfgpu.expr.dialect.dialect import (
    AMD,
    AMD_PROVISIONAL,
    DWARF6_PROVISIONAL,
    UPSTREAM_CLANG,
    Dialect,
)
from dwarfgpu.expr.static_check.checker import Finding, check
from dwarfgpu.expr.text.assembly import assemble
from tests.work import assert_linear, calls_of

GFX942 = architecture("gfx942")
FORM = UnitFormat()


def found(
    text: str, want: ResultKind | None = None, depth: int = 0, dialect: Dialect = AMD
) -> list[Finding]:
    data = assemble(text, dialect, FORM, GFX942)
    return check(data, dialect, FORM, GFX942, initial_stack_depth=depth, result_kind=want)


ONE_OR_TWO = "LLVM_push_lane; bra a; implicit_value 2 1 2; skip b; a: lit2; b"
"""A location that is no address in lane 0, a value in the other lanes."""


@pytest.mark.parametrize(
    ("text", "offset", "severity", "message"),
    [
        ("plus", 0, "error", "2 stack entries needed, the stack has 0"),
        ("lit1; plus", 1, "error", "2 stack entries needed, the stack has 1"),
        ("pick 0", 0, "error", "1 stack entry needed, the stack has 0"),
        ("lit1; pick 1", 1, "error", "2 stack entries needed, the stack has 1"),
        ("lit1; LLVM_push_lane; bra 1; dup; plus", 7, "warning", "the stack has 1 on some paths"),
        (
            "lit1; lit1; lit1; LLVM_push_lane; bra 2; drop; drop; plus",
            10,
            "warning",
            "on some paths",
        ),
        (
            "lit1; LLVM_push_lane; bra 2; dup; dup; plus; plus",
            9,
            "warning",
            "the stack has 1 on some paths",
        ),
        ("lit1; lit0; bra 1; drop; plus", 6, "error", "2 stack entries needed"),
        ("LLVM_undefined; lit1; plus", 3, "error", "a location description that converts to no"),
        ("regx s3; lit1; plus", 3, "warning", "a register location description, in the top"),
        ("const_type 0x20, 4, 1 0 0 0; deref", 7, "error", "not a value of a base type"),
        ("const_type 0x20, 4, 1 0 0 0; lit1; plus", 8, "error", "operands must have the same type"),
        ("piece 4; dup", 2, "error", "not an incomplete composite"),
        ("piece 4; lit1; over", 3, "error", "an incomplete composite location"),
        ("LLVM_piece_end", 0, "error", "1 stack entry needed"),
        ("lit0; LLVM_piece_end", 1, "error", "no incomplete composite"),
        ("lit0; piece 0", 1, "warning", "a piece of size 0"),
        ("lit0; LLVM_extend 0, 4", 1, "error", "4 elements of 0 bits"),
        ("lit0; LLVM_extend 64, 0x4000000000000000", 1, "error", "larger than the largest"),
        ("lit0; dup; lit1; LLVM_select_bit_piece 1, 65", 3, "error", "mask of 64 bits for 65"),
        ("lit0; deref_size 0", 1, "error", "a size of 0 bytes"),
        ("regx 9999", 0, "error", "gfx942 defines no DWARF register 9999"),
        ("reg2", 0, "error", "gfx942 defines no DWARF register 2"),
        ("regx 1538", 0, "error", "it is VGPR2 in wave32, and the wave has 64 lanes"),
        ("bregx s3, 0", 0, "error", "register s3 of 32 bits is narrower"),
        ("bregx v3, 0", 0, "warning", "base v3 is a vector register"),
        ("lit6; LLVM_aspace_bregx v3, 0", 1, "warning", "base v3 is a vector register"),
        ("lit0; LLVM_aspace_bregx s3, 0", 1, "error", "register s3 of 32 bits is narrower"),
        (".byte 0x30, 0xfe", 1, "warning", "unknown operation 0xfe"),
        ("lit0; const1u 9; LLVM_form_aspace_address", 3, "error", "defines no address space 9"),
        (
            "lit4; lit5; swap; xderef",
            3,
            "warning",
            "upstream clang encodes an address space in this way",
        ),
        (".byte 0x2f, 0xfd, 0xff", 0, "error", "branch to itself"),
        (".byte 0x31, 0x13, 0x2f, 0xfb, 0xff", 2, "error", "a loop without an exit"),
        ("lit1; bra -4", 1, "error", "a loop without an exit"),
        (".byte 0x2f, 0x01, 0x00, 0x08, 0x30", 0, "error", "is not the start of an operation"),
        (".byte 0x2f, 0x70, 0x00, 0x30", 0, "error", "outside the expression"),
        (".byte 0x2f, 0x01, 0x00, 0x30, 0x31", 3, "warning", "no path leads here"),
        (".byte 0x30, 0x08", 1, "error", "1 byte needed"),
        (".byte 0x30, 0xc0", 1, "error", "unknown operation 0xc0"),
        (".byte 0x10, 0x81, 0x00", 0, "note", "padded LEB128"),
        ("lit0; constu 0x10000000000000000", 1, "warning", "of 65 bits: its low 64 bits are used"),
        ("consts -0x8000000000000001", 0, "warning", "of 65 bits: its low 64 bits are used"),
        (".byte 0xe0", 0, "error", "1 stack entry needed"),
        (".byte 0x30, 0xe0", 1, "note", "the older form of DW_OP_form_tls_address"),
        ("entry_value (plus)", 0, "warning", "in its expression, at offset 0x0: DW_OP_plus"),
        ("entry_value (.byte 0xf8)", 0, "warning", "at offset 0x0: unknown operation 0xf8"),
        ("entry_value (reg0; .byte 0xc0)", 0, "warning", "at offset 0x1: unknown operation 0xc0"),
        # A.2.5.4.3.4: the last operation is DW_OP_reg*, or the result is a value
        ("entry_value (reg0; nop)", 0, "warning", "neither gives a value nor ends with a register"),
        ("entry_value (addr 0x10)", 0, "warning", "neither gives a value nor ends with a register"),
        ("entry_value (nop)", 0, "warning", "neither gives a value nor ends with a register"),
        # A.2.5.4.3.2, DWARF 5 2.5.1.4
        ("lit1; lit0; div", 2, "error", "division by zero"),
        ("lit6; LLVM_aspace_bregx s3, 0; deref; lit0; mod; stack_value", 7, "error", "modulo by"),
        ("regx v3; LLVM_push_lane; lit0; div; LLVM_offset", 6, "error", "division by zero"),
        ("lit1; lit2; lit2; minus; mod", 4, "error", "modulo by zero"),
        # A.2.5.4.3.4: bits of undefined storage, or beyond any storage
        ("LLVM_undefined; deref", 2, "error", "undefined"),
        ("LLVM_undefined; deref_size 1", 2, "error", "undefined"),
        ("lit1; stack_value; piece 4; piece 4; LLVM_piece_end; deref", 8, "error", "undefined"),
        ("implicit_value 2 1 2; deref", 4, "error", "16"),
        ("implicit_pointer 0x20, 0; deref_size 4", 6, "error", "implicit pointer"),
        ("regx s3; deref", 2, "warning", "in the top call frame"),
        ("lit1; lit0; xderef_size 0", 2, "error", "a size of 0 bytes"),
        # A.2.5.4.4.1: an offset below 0, or at the end of the storage
        ("lit1; stack_value; lit8; LLVM_offset", 3, "error", "outside the 64 bits"),
        ("LLVM_push_lane; stack_value; lit8; LLVM_offset", 4, "error", "outside the 64 bits"),
        ("lit1; stack_value; LLVM_offset_uconst 8", 2, "error", "outside the 64 bits"),
        ("lit1; stack_value; const1u 64; LLVM_bit_offset", 4, "error", "outside the 64 bits"),
        ("lit7; const1s -8; LLVM_offset", 3, "error", "bit offset -8 is outside"),
        ("regx s3; lit4; LLVM_offset", 3, "warning", "outside the 32 bits of register s3"),
        ("lit0; lit1; LLVM_bit_offset; lit1; plus", 5, "error", "converts to no value"),
        ("regx s3; lit8; LLVM_bit_offset; lit1; plus", 6, "warning", "register location"),
        ("regx s3; lit31; LLVM_bit_offset; lit1; plus", 6, "error", "converts to no value"),
        ("regx s3; LLVM_push_lane; LLVM_bit_offset; lit1; plus", 7, "warning", "register location"),
        # two distances that are one of a byte
        ("regx s3;" + "lit4; LLVM_bit_offset;" * 2 + "lit1; plus", 9, "warning", "register loc"),
        # A.2.5.4.4.6: all bits of a part within its storage; the size of a composite
        ("implicit_value 2 1 2; piece 4", 4, "error", "a part of 32 bits"),
        ("lit1; stack_value; piece 9", 2, "error", "a part of 72 bits"),
        ("LLVM_push_lane; stack_value; piece 9", 3, "error", "a part of 72 bits"),
        ("lit1; stack_value; bit_piece 8, 57", 2, "error", "a part of 8 bits"),
        ("lit1; stack_value; LLVM_extend 72, 2", 2, "error", "a part of 72 bits"),
        ("lit1; stack_value; dup; lit2; LLVM_select_bit_piece 64, 2", 4, "error", "outside the 64"),
        ("regx s3; piece 8", 2, "warning", "register s3 has 32 left, in the top call frame"),
        ("piece 0xffffffffffffffff; piece 2", 11, "error", "larger than the largest"),
        ("lit1; lit2", 2, "note", "1 stack entry is left below the result"),
        # A.2.5.4.3.2, A.2.5.4.4.3: what one path gives
        (f"{ONE_OR_TWO}: plus_uconst 1", 13, "warning", "converts to no value, on some paths"),
        (f"{ONE_OR_TWO}: dup; swap; plus", 15, "warning", "converts to no value, on some paths"),
        (f"{ONE_OR_TWO}: LLVM_offset_uconst 2", 13, "warning", "outside the 16 bits"),
        (
            "LLVM_push_lane; bra a; const_type 0x20, 4, 1 0 0 0; skip b; a: lit2; b: lit1; plus",
            17,
            "warning",
            "operands must have the same type, not the generic type and a base type, on some paths",
        ),
        (
            "LLVM_push_lane; bra a; lit0; skip b; a: lit2; b: lit5; swap; div",
            12,
            "warning",
            "division by zero, on some paths",
        ),
        (
            "LLVM_push_lane; lit0; LLVM_push_lane; bra 2; lit1; plus; div; stack_value",
            10,
            "warning",
            "division by zero, on some paths",
        ),
        # each of them fails, or the only one that is possible
        (
            "LLVM_push_lane; bra a; implicit_value 2 1 2; skip b; a: lit0; b: lit5; swap; div",
            15,
            "error",
            "division by zero",
        ),
        (
            "lit0; bra a; implicit_value 2 1 2; skip b; a: lit2; b: plus_uconst 1",
            12,
            "error",
            "converts to no value",
        ),
    ],
)
def test_finds(text: str, offset: int, severity: str, message: str) -> None:
    findings = found(text)
    assert any(
        (finding.offset, finding.severity) == (offset, severity) and message in finding.message
        for finding in findings
    ), findings


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("regx v1; regx v2; regx exec; LLVM_select_bit_piece 32 64", AMD),
        ("regx v1; regx v2; regx s0; lit4; LLVM_overlay", AMD_PROVISIONAL),
        ("regx v1; regx v2; lit0; regx s0; LLVM_overlay", AMD_PROVISIONAL),
        ("regx v1; regx s0; LLVM_bit_offset", AMD),
    ],
)
def test_a_register_where_a_value_is_required_is_one_finding(text: str, dialect: Dialect) -> None:
    rules = [finding.rule for finding in found(text, dialect=dialect)]
    assert rules == ["wrong-kind"]


@pytest.mark.parametrize(
    ("text", "dialect", "message"),
    [
        ("regx v3; regx s4; lit4; lit4; neg; LLVM_overlay", AMD_PROVISIONAL, "size of an overlay"),
        ("regx v3; regx s4; const1s -4; lit4; LLVM_overlay", AMD_PROVISIONAL, "offset of an"),
        ("addr 0; regx s4; LLVM_push_lane; const1s -4; LLVM_bit_overlay", AMD_PROVISIONAL, "size"),
        ("LLVM_push_lane; regx s4; const1s -4; lit4; LLVM_bit_overlay", AMD_PROVISIONAL, "offset"),
        ("regx v3; regx s4; lit4; const1s -4; overlay", DWARF6_PROVISIONAL, "width of an overlay"),
        ("addr 0; regx s4; lit4; const1s -4; bit_overlay", DWARF6_PROVISIONAL, "width of an"),
    ],
)
def test_a_negative_overlay_is_ill_formed_in_every_frame(
    text: str, dialect: Dialect, message: str
) -> None:
    (finding,) = found(text, dialect=dialect)
    assert (finding.severity, finding.rule) == ("error", "outside-storage")
    assert message in finding.message and finding.message.endswith(" is -4, below 0")


def test_an_offset_of_an_overlay_in_dwarf_6_leads_back_into_its_base() -> None:
    text = "regx v3; lit8; offset; regx s4; const1s -4; lit4; overlay"
    assert found(text, dialect=DWARF6_PROVISIONAL) == []
    before = text.replace("lit8", "lit0")  # of a register that may be in memory
    assert [one.severity for one in found(before, dialect=DWARF6_PROVISIONAL)] == ["warning"]


@pytest.mark.parametrize(
    ("text", "want", "message"),
    [
        ("lit1; stack_value", "value", "a value is required as the result"),
        ("nop", "value", "the stack is empty"),
        ("const_type 0x20, 4, 1 0 0 0", "location", "a location is required as the result"),
        ("lit0; piece 4", "value", "a value is required as the result"),
    ],
)
def test_finds_a_wrong_result(text: str, want: ResultKind, message: str) -> None:
    (finding,) = found(text, want)
    assert finding.severity == "error" and message in finding.message
    assert finding.offset == len(assemble(text, AMD, FORM, GFX942))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "lit0; lit6; LLVM_form_aspace_address",
        "lit6; LLVM_aspace_bregx s3, 0",
        "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset",
        "regx s0; piece 4; regx s1; piece 4; LLVM_piece_end",
        "regx s0; piece 4; regx s1; piece 4",
        "regx s4; regx s5; piece 4; over; piece 4; LLVM_piece_end; swap; drop",
        "piece 4; regx s1; piece 4",
        "addr 0x1000; deref; plus_uconst 8; deref",
        "regx s32; deref_size 4; lit6; shr; lit16; plus; lit5; LLVM_form_aspace_address",
        "implicit_pointer 0x20, 0; deref; lit0; LLVM_form_aspace_address",
        # A part that is not known, after one that is.
        "implicit_value 4 1 2 3 4; piece 4; bregx exec 0; piece 4; LLVM_piece_end; deref; "
        "stack_value",
        "piece 4; bregx exec 0; piece 4; LLVM_piece_end; lit4; LLVM_offset",
        "LLVM_undefined; piece 4; LLVM_push_lane; piece 4; LLVM_piece_end; lit7; LLVM_offset",
        "call_ref 0x20; LLVM_piece_end",
        "lit3; lit1; minus; dup; bra -6",
        "lit0; bra 1; lit1; lit2; div; stack_value",
        "LLVM_undefined; piece 400",
        "LLVM_undefined; lit8; LLVM_offset",
        "implicit_value 2 1 2; piece 2",
        "lit1; stack_value; lit7; LLVM_offset; piece 1",
        "implicit_value 8 1 2 3 4 5 6 7 8; deref; stack_value",
        "implicit_pointer 0x20, 0; deref; stack_value",
        "const_type 0x20, 4, 1 0 0 0; const_type 0x20, 4, 0 0 0 0; div; stack_value",
        "addr 0; const1s -8; LLVM_offset",
        "LLVM_push_lane; lit4; LLVM_bit_offset; lit4; LLVM_bit_offset; deref; stack_value",
        "LLVM_push_lane; lit2; div; lit1; minus; lit3; mod; stack_value",
        "LLVM_push_lane; lit1; LLVM_push_lane; bra 2; lit1; plus; div; stack_value",
        "lit1; lit3; a: swap; lit1; minus; swap; lit1; minus; dup; bra a; drop; stack_value",
        # both are locations
        "LLVM_push_lane; bra a; implicit_value 2 1 2; skip b; a: lit2; b: LLVM_offset_uconst 1",
        "entry_value (reg0); stack_value",
        "entry_value (lit0; bra 1; nop; reg0); stack_value",
        "entry_value (lit3; deref); stack_value",
        "regx s3; GNU_uninit",
        # where paths meet, a composite and a value
        "LLVM_push_lane; bra a; lit5; skip b; a: regx v1; piece 4; piece 4; LLVM_piece_end; b: nop",
        "lit1; LLVM_push_lane; bra a; drop; regx v1; piece 4; piece 4; LLVM_piece_end; a: nop",
        f"lit1; implicit_value 600 {'1 ' * 600}; deref; div; stack_value",
    ],
)
def test_finds_nothing(text: str) -> None:
    assert found(text, "location") == []


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("lit1; bra 1; drop; lit5; stack_value", 4),
        ("lit1; lit1; dup; bra 1; drop; plus; stack_value", 6),
        ("lit1; bra a; implicit_value 2 1 2; skip b; a: lit2; b: plus_uconst 1", 4),
    ],
)
def test_a_condition_that_is_known_leads_to_one_path(text: str, offset: int) -> None:
    """What the other path would do wrong is not reported, but that it is none."""
    [finding] = found(text, "location")
    assert (finding.rule, finding.offset) == ("unreachable", offset)


@pytest.mark.parametrize(
    ("text", "arch", "message"),
    [
        ("plus_uconst 0x100000001", "i386", None),  # of any type
        ("lit1; plus_uconst 0x100000001", "i386", "33 bits: its low 32"),
        ("lit1; plus_uconst 0x100000001", "gfx942", None),
        ("breg0 0; plus_uconst 0x100000001", "i386", "33 bits: its low 32"),
        ("lit1; convert 0x20; plus_uconst 0x10000", "i386", "17 bits: its low 16"),
        ("lit1; convert 0x30; plus_uconst 0x100000001", "i386", None),
        ("lit1; convert 0x30; plus_uconst 0x10000000000000000", "i386", "65 bits: its low 64"),
        ("lit1; convert 0x40; plus_uconst 0x100000001", "i386", None),  # unknown
        ("addr 0; LLVM_offset_uconst 0x100000000", "i386", "33 bits: its low 32"),
        ("addr 0; bit_piece 8 0x100000000", "i386", "33 bits: its low 32"),
        ("const8u 0x100000000", "i386", "33 bits: its low 32"),
        ("const8u 0x100000000", "gfx942", None),
        ("const8s -1", "i386", None),
    ],
)
def test_a_number_that_its_type_cannot_hold(text: str, arch: str, message: str | None) -> None:
    machine = architecture(arch)
    form = UnitFormat(address_size=machine.address_bits // 8)
    types = {0x20: BaseType("short", "signed", 16), 0x30: BaseType("long", "unsigned", 64)}
    data = assemble(text, AMD, form, machine)
    findings = check(data, AMD, form, machine, initial_stack_depth=None, base_types=types)
    wide = [finding.message for finding in findings if finding.rule == "wide-number"]
    assert wide == ([] if message is None else [f"a number of {message} bits are used"])


@pytest.mark.parametrize(
    ("text", "rule", "offset"),
    [
        ("lit1; skip 1; const2u 0x201", "branch-target", 1),
        ("lit1; skip 9; lit2; lit3", "branch-target", 1),
        ("lit1; LLVM_push_lane; bra 9; skip 1; lit2; nop", "branch-target", 3),
        ("lit1; skip -3; lit2", "endless-loop", 1),
        ("a: lit1; drop; skip a; lit2", "endless-loop", 2),
    ],
)
def test_what_a_wrong_branch_should_reach_is_not_unreachable(
    text: str, rule: str, offset: int
) -> None:
    [finding] = found(text, "location")
    assert (finding.rule, finding.offset) == (rule, offset)


@pytest.mark.parametrize(
    ("text", "want", "given"),
    [
        ("piece 4; piece 4", "value", "an incomplete composite location description"),
        ("LLVM_undefined", "value", "a location description that converts to no value"),
        (
            "lit1; lit1; LLVM_bit_offset",
            "value",
            "a location description that converts to no value",
        ),
        ("regx s3", "value", "a register location description"),
        ("const_type 0x20, 4, 1 0 0 0", "location", "a value of a base type"),
    ],
)
def test_a_wrong_result_is_named(text: str, want: ResultKind, given: str) -> None:
    (finding,) = found(text, want)
    assert finding.message == f"a {want} is required as the result, not {given}"


def test_clangs_suffix_on_a_given_address() -> None:
    (finding,) = found("lit5; swap; xderef", depth=1)
    assert finding.rule == "upstream-address-space"
    assert found("swap; xderef", depth=2) == []


@pytest.mark.parametrize(
    ("name", "dialect", "is_reported"),
    [("gfx942", AMD, True), ("gfx942", UPSTREAM_CLANG, False), ("x86_64", AMD, False)],
)
def test_the_place_of_a_virtual_base_class(name: str, dialect: Dialect, is_reported: bool) -> None:
    """On a CPU there is one memory."""
    arch = architecture(name)
    data = assemble("dup; deref; constu 24; minus; deref; plus", dialect, FORM, arch)
    findings = check(data, dialect, FORM, arch, initial_stack_depth=1, result_kind="location")
    expected = ["upstream-virtual-base"] if is_reported else []
    assert [finding.rule for finding in findings] == expected


@pytest.mark.parametrize("register", ["reg1", "regx s3", "regx v0"])
def test_a_value_on_entry_of_a_register(register: str) -> None:
    """Upstream clang means the focused lane's dword of a vector register."""
    arch = GFX942 if register != "reg1" else architecture("x86_64")
    data = assemble(f"entry_value ({register}); stack_value", UPSTREAM_CLANG, FORM, arch)
    assert check(data, UPSTREAM_CLANG, FORM, arch) == []


@pytest.mark.parametrize("depth", [31, 33, 300, 10**9])
def test_a_deep_initial_stack(depth: int) -> None:
    (left,) = check(assemble("lit0", AMD, FORM), AMD, FORM, initial_stack_depth=depth)
    assert left.message.startswith(f"{depth} stack entries are left")
    count = min(depth, 1000)
    drops = assemble("drop; " * count, AMD, FORM)
    assert all(
        finding.severity == "note" for finding in check(drops, AMD, FORM, initial_stack_depth=depth)
    )
    (under,) = check(drops, AMD, FORM, initial_stack_depth=count - 1)
    assert (under.severity, under.offset) == ("error", count - 1)


def test_initial_stack() -> None:
    assert found("plus_uconst 8", "location", depth=1) == []


def test_the_dialect_reads_clangs_suffix_as_meant() -> None:
    data = assemble("lit4; lit5; swap; xderef", AMD, FORM)
    assert check(data, UPSTREAM_CLANG, FORM, GFX942, result_kind="location") == []


def test_a_base_type_of_a_terabyte() -> None:
    """No value of such a type is made, which would fill the memory."""
    wide = BaseType("wide", "signed", 8 << 40)
    data = assemble("lit1; convert 0x10; dup; plus; stack_value", AMD, FORM, GFX942)
    assert check(data, AMD, FORM, GFX942, base_types={0x10: wide}) == []


@pytest.mark.parametrize(
    ("made", "size"),
    [
        (lambda count: b"\x31" * count, 750),
        (lambda count: b"\x31\x28\xfc\xff" * count, 750),
        (lambda count: b"\x31\x28\x00\x00" * count, 750),
        (
            lambda count: b"".join(
                b"\x31\x28" + (-4 * n % 32_000).to_bytes(2, "little") for n in range(count)
            ),
            750,
        ),
        (lambda count: b"\x12\x15\x00" * count, 750),
        # Each of their parts has four operations that are reached on two paths.
        (lambda count: b"\x31" + b"\x12\x06\x28\x02\x00\x23\x01" * count, 150),
        (lambda count: b"\x31" + b"\x23\x01\x12\x06\x28\xf9\xff" * count, 150),
    ],
    ids=["straight", "loops", "branches", "far branches", "underflow", "paths", "looping paths"],
)
def test_takes_linear_work(made: Callable[[int], bytes], size: int) -> None:
    assert_linear(lambda count: partial(check, made(count), AMD, FORM, GFX942), size)


def test_branches_back_to_deep_stacks_take_little_work() -> None:
    """Each of the entries of a stack is compared again where paths meet."""
    deep = b"\x30" * 600
    data = deep + b"".join(
        b"\x30\x28" + (-(4 * n + 603) % 65_536).to_bytes(2, "little") for n in range(150)
    )
    check(data, AMD, FORM)  # it makes the tables of the dialect
    assert calls_of(partial(check, data, AMD, FORM)) < 1_000 * len(data)


def command(*arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["check", *arguments])
    return status, out.getvalue(), err.getvalue()


@pytest.mark.parametrize(
    ("arguments", "status", "output"),
    [
        (["lit1; stack_value"], 0, ""),
        (
            ["lit1; plus"],
            1,
            "0x0001  error: DW_OP_plus: 2 stack entries needed, the stack has 1 (A.2.5.4.3.2)\n",
        ),
        (["--initial-stack", "1", "lit1; plus"], 0, ""),
        (["--hex", "3022", "--dialect", "amd-direct"], 1, None),
        (["--want", "value", "lit1; stack_value"], 1, None),
        (["--arch", "x86_64", "reg40"], 2, ""),
        (["no_such_operation"], 2, ""),
    ],
)
def test_command(arguments: list[str], status: int, output: str | None) -> None:
    found_status, out, err = command(*arguments)
    assert found_status == status
    assert output is None or out == output
    assert bool(err) == (status == 2)


@pytest.mark.parametrize("arguments", [["lit1; plus"], [""], ["--arch", "none", "lit1"]])
def test_command_json(arguments: list[str], repository: Path) -> None:
    _, out, err = command("--json", *arguments)
    schema = json.loads((repository / "docs/schema/check.json").read_text())
    Draft202012Validator(schema).validate(json.loads(out))
    assert err == ""


def test_operations_that_repeat_are_judged_once() -> None:
    """What an operation alone says is at each of its places; what it pushes depends on what it
    pops."""
    encoded = assemble("piece 0\nGNU_entry_value (lit1)\ndrop\npiece 0\nGNU_entry_value (lit1)")
    findings = [(each.offset, each.rule) for each in check(encoded) if each.rule != "wrong-kind"]
    for rule, offsets in (("empty-piece", {0, 6}), ("older-form", {2, 8})):
        assert {offset for offset, found in findings if found == rule} == offsets
    space = "lit0; lit5; LLVM_form_aspace_address; drop; lit0; lit31; LLVM_form_aspace_address"
    findings = [(each.offset, each.rule) for each in check(assemble(space), arch=GFX942)]
    assert findings == [(7, "unknown-address-space")]
    long = assemble("lit1\ndrop\n" * 2000 + "lit1")
    assert calls_of(lambda: check(long)) < 30 * 4000


def test_a_stack_that_grows_between_branches_is_gone_through_once() -> None:
    """Each branch leads to a stack with one entry more, so that all that follows changes again."""
    branches = bytes([0x31]) + bytes([0x12, 0x28, 1, 0, 0x12]) * 1000
    assert calls_of(lambda: check(branches)) < 300 * 3000


def test_a_long_expression_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.bin"
    path.write_bytes(b"\x96" * 65537)
    status, out, err = command("--binary", str(path))
    assert (status, out) == (2, "")
    assert err == ("dwarfgpu: an expression of 65537 bytes: more than 65536; no option raises it\n")
