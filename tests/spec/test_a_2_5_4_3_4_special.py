"""A.2.5.4.3.4 special value operations: retrieving values, and values on entry."""

from __future__ import annotations

import pytest

from dwarfgpu.errors import (
    EvaluationError,
    IllFormed,
    InconsistentContext,
    MissingContext,
    OutOfRange,
    Unavailable,
    UndefinedBits,
    Unsupported,
)
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.value import Value
from tests.spec.machine import (
    BIG_WORLD,
    CPU,
    GFX,
    GPU,
    X86,
    Fact,
    breaks,
    facts,
    keeps,
    shown,
)

C = "A.2.5.4.3.4/"
LANE = "constu private_lane"
HALVES = "regx s0; piece 4; regx s1; piece 4; LLVM_piece_end"
HOLE = "regx s0; piece 2; LLVM_undefined; piece 2; LLVM_piece_end"


@facts("fact", [
    keeps(C + "regval_type", "regval_type s0 @i32", f"i32 {0x11223344}"),
    keeps(C + "regval_type", "regval_type s0 @u16", f"u16 {0x3344}"),
    keeps(C + "regval_type", "regval_type s0 @u12", f"u12 {0x344}"),
    keeps(C + "regval_type", "regval_type st0 @x87", "x87 1.5", at=CPU),
    keeps(C + "regval_type", "regval_type st0 @padded_x87", "padded_x87 1.5", at=CPU,
          note="no padding in the register"),
    breaks(C + "regval_type", "regval_type eflags @padded_x87", OutOfRange, "128 bits needed",
           at=CPU),
    keeps(C + "regval_type", "regval_type xmm0 @vec4", "vec4 0x10100000000000002000", at=CPU),
    keeps(C + "regval_type", "regval_type xmm0 @u128", f"u128 {0x10100000000000002000}", at=CPU),
    keeps(C + "regval_type", "regval_type s0 @swapped32", f"swapped32 {0x44332211}"),
    keeps(C + "regval_type", "regval_type 0 @u16", f"u16 {0x1122}", at=BIG_WORLD,
          note="big-endian: from bit 0, the most significant one"),
    breaks(C + "regval_type", "regval_type s0 @u64", OutOfRange, "64 bits needed", "32 remain",
           note="larger than the register"),
    breaks(C + "regval_type", "regval_type s0 0x99", IllFormed, "0x99"),
    breaks(C + "regval_type", "regval_type 9999 @i32", IllFormed, "9999"),
    breaks(C + "regval_type", "regval_type s40 @i32", Unavailable, "s40"),
    keeps(C + "deref", "addr 0x1010; deref", "0x1716151413121110"),
    keeps(C + "deref", "addr 0x1010; deref", "0x10111213", at=BIG_WORLD),
    keeps(C + "deref", "constu 0x1010; deref", "0x1716151413121110", note="a value converts"),
    keeps(C + "deref", f"lit16; {LANE}; LLVM_form_aspace_address; deref", "0xa7a6a5a4a3a2a1a0"),
    keeps(C + "deref", "regx pc; deref", "0x1040"),
    keeps(C + "deref", "lit5; stack_value; deref", "5"),
    breaks(C + "deref", "regx s0; deref", OutOfRange, "64 bits needed", "register s0", "32 remain"),
    breaks(C + "deref", "addr 0x9999; deref", Unavailable, "0x9999"),
    breaks(C + "deref", "const(i32,5); stack_value; deref", OutOfRange, "32 remain"),
    keeps(C + "deref_size", "addr 0x1010; deref_size 1", "16"),
    keeps(C + "deref_size", "addr 0x10f0; deref_size 2", "0xf1f0"),
    keeps(C + "deref_size", "addr 0x10f0; deref_size 1", "240", note="zero-extended"),
    keeps(C + "deref_size", "addr 0x1010; deref_size 3", "0x121110"),
    keeps(C + "deref_size", "addr 0x1010; deref_size 3", "0x101112", at=BIG_WORLD),
    keeps(C + "deref_size", "regx s0; deref_size 4", "0x11223344"),
    keeps(C + "deref_size", "regx 0; deref_size 2", "0x1122", at=BIG_WORLD),
    breaks(C + "deref_size", "addr 0x1010; deref_size 0", IllFormed, "size of 0"),
    breaks(C + "deref_size", "regx s0; deref_size 5", OutOfRange, "40 bits needed"),
    keeps(C + "deref_size-larger", "addr 0x1010; deref_size 9", "0x1716151413121110"),
    keeps(C + "deref_size-larger", "addr 0x1010; deref_size 255", "0x1716151413121110"),
    keeps(C + "deref_size-larger", "addr 0x1010; deref_size 8", "0x10111213", at=BIG_WORLD),
    breaks(C + "deref_size-larger", "regx s0; deref_size 16", OutOfRange, "64 bits needed"),
    keeps(f"{C}deref_type {C}deref_type-size {C}deref_type-type", "addr 0x10f0; deref_type 1 @i8",
          "i8 -16"),
    keeps(C + "deref_type", "addr 0x1010; deref_type 2 @u12", f"u12 {0x110}"),
    keeps(C + "deref_type", "addr 0x1010; deref_type 2 @u12", f"u12 {0x101}", at=BIG_WORLD),
    keeps(C + "deref_type", "addr 0x1010; lit4; LLVM_bit_offset; deref_type 1 @u8", f"u8 {0x11}"),
    keeps(C + "deref_type", "addr 0x1010; deref_type 1 @i5", "i5 -16"),
    keeps(C + "deref_type", "addr 0x1010; deref_type 4 @swapped32", f"swapped32 {0x10111213}"),
    keeps(C + "deref_type", "addr 0x1010; deref_type 16 @u128",
          f"u128 {0x1F1E1D1C1B1A19181716151413121110}"),
    keeps(C + "deref_type", "implicit_value 4 0 0 0xc0 0x3f; deref_type 4 @f32", "f32 1.5"),
    keeps(C + "deref_type", "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset; deref_type 4 @i32",
          f"i32 {0x303}"),
    breaks(C + "deref_type", "addr 0x1010; deref_type 2 @swapped12", Unsupported, "swapped12"),
    breaks(C + "deref_type", "addr 0x9999; deref_type 1 @i8", Unavailable, "0x9999"),
    keeps(C + "deref_type-location", "constu 0x1010; deref_type 1 @i8", "i8 16"),
    breaks(C + "deref_type-location", "const(u64,0x1010); deref_type 1 @i8", IllFormed, "u64"),
    breaks(C + "deref_type-location", "regx s0; piece 4; deref_type 4 @i32", IllFormed,
           "incomplete composite"),
    keeps(C + "deref_type-parts", f"{HALVES}; deref", "0x5566778811223344"),
    keeps(C + "deref_type-parts", f"{HALVES}; lit2; LLVM_offset; deref_type 4 @u32",
          f"u32 {0x77881122}"),
    keeps(C + "deref_type-parts", "regx s0; bit_piece 4 4; implicit_value 1 0xf9; bit_piece 4 0; "
          "LLVM_piece_end; deref_type 1 @u8", f"u8 {0x94}"),
    keeps(C + "deref_type-parts", f"{HALVES}; LLVM_extend 64 3; lit8; LLVM_offset; deref",
          "0x5566778811223344"),
    breaks(C + "deref_type-parts", f"{HALVES}; lit4; LLVM_offset; deref", OutOfRange, "composite"),
    breaks(C + "deref_type-type", "addr 0x1010; deref_type 8 0x99", IllFormed, "0x99"),
    breaks(C + "deref_type-type", "addr 0x1010; deref_type 8 0", IllFormed, "no DW_TAG_base_type",
           note="0 is not the generic type here"),
    breaks(C + "deref_type-size", "addr 0x1010; deref_type 2 @i8", IllFormed, "size 2", "i8 of 1"),
    breaks(C + "deref_type-size", "addr 0x1010; deref_type 1 @u12", IllFormed, "u12 of 2 bytes"),
    breaks(C + "deref_type-size", "addr 0x1010; deref_type 0 @i8", IllFormed, "size 0"),
    keeps(C + "deref_type-undefined", f"{HOLE}; deref_type 2 @u16", f"u16 {0x3344}"),
    breaks(C + "deref_type-undefined", f"{HOLE}; deref_type 4 @u32", UndefinedBits,
           "bits 16 to 31"),
    breaks(C + "deref_type-undefined", "LLVM_undefined; deref", UndefinedBits, "undefined"),
    breaks(C + "deref_type-undefined", "LLVM_undefined; deref_size 1", UndefinedBits, "undefined"),
    keeps(C + "deref_type-outside", "regx s0; lit3; LLVM_offset; deref_type 1 @u8", f"u8 {0x11}"),
    breaks(C + "deref_type-outside", "regx s0; lit3; LLVM_offset; deref_type 2 @u16", OutOfRange,
           "16 bits needed at bit offset 24", "s0", "8 remain"),
    breaks(C + "deref_type-outside", "lit0; not; deref_type 2 @u16", OutOfRange, "global memory"),
    breaks(C + "deref_type-outside", "implicit_value 1 5; deref_type 2 @u16", OutOfRange,
           "implicit"),
    breaks(C + "deref_type-outside", "call2 0x108; deref", OutOfRange, "s0",
           note="of one of two places"),
])  # fmt: skip
def test_retrieve(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(C + "xderef", f"{LANE}; lit16; xderef", "0xa7a6a5a4a3a2a1a0"),
    keeps(C + "xderef", "constu local; constu 0x20; xderef", "0xc7c6c5c4c3c2c1c0"),
    keeps(C + "xderef", "lit0; addr 0x1010; xderef", "0x1716151413121110", note="address converts"),
    breaks(C + "xderef", "lit16; constu 0x1010; xderef", IllFormed, "no address space 16"),
    breaks(C + "xderef", "lit16; xderef", IllFormed, "2 stack entries needed"),
    keeps(C + "xderef-integral", "const(u8,5); const(u8,16); xderef", "0xa7a6a5a4a3a2a1a0"),
    *(breaks(C + "xderef-integral", f"{space}; {address}; {name}", IllFormed, "integral", "f64")
      for name in ("xderef", "xderef_size 1", "xderef_type 1 @u8")
      for space, address in (("const(f64,5)", "lit16"), (LANE, "const(f64,16)"))),
    keeps(C + "xderef_size", f"{LANE}; lit16; xderef_size 1", "160"),
    breaks(C + "xderef_size", f"{LANE}; lit16; xderef_size 0", IllFormed, "size of 0"),
    breaks(C + "xderef_size", f"{LANE}; constu 0x999; xderef_size 1", Unavailable, "private"),
    keeps(f"{C}xderef_type {C}xderef_type-size", f"{LANE}; lit16; xderef_type 1 @i8", "i8 -96"),
    breaks(C + "xderef_type", f"{LANE}; regx s0; xderef_type 1 @i8", IllFormed,
           "value is required"),
    breaks(C + "xderef_type-size", f"{LANE}; lit16; xderef_type 2 @i8", IllFormed, "size 2"),
])  # fmt: skip
def test_xderef(fact: Fact) -> None:
    fact.check()


CALLER = ExplicitFrame(
    GFX,
    level=1,
    registers={
        32: GPU.location("regx s1"),
        33: GPU.memory(0, 0x1010),
        16: GPU.memory(0, 0x1020),
        34: UNDEFINED_LOCATION,
    },
    given_cfa=GPU.memory(0, 0x1080),
    inactive_lanes=frozenset({9}),
)
CALLED = GPU.changed(
    frame=ExplicitFrame(
        GFX,
        given_cfa=GPU.memory(0, 0x1070),
        given_caller=(CALLER, 0x5000),
        entry_values={bytes((0x53,)): Value(77, GFX.generic)},
    ),
    object=GPU.memory(0, 0x1010),
)


@facts("fact", [
    keeps(f"{C}entry_value-register {C}entry_value-context", "entry_value(regx s0)",
          f"int32_t {0x55667788}", at=CALLED, note="in the caller s0 is in s1"),
    keeps(C + "entry_value-register", "entry_value(regx s1)", f"int32_t {0x13121110}", at=CALLED,
          note="in the caller s1 is in memory"),
    keeps(C + "entry_value-register", "entry_value(lit1; lit2; regx s0)", f"int32_t {0x55667788}",
          at=CALLED, note="what is below is discarded"),
    keeps(C + "entry_value-register", "entry_value(skip e; e: regx s0)", f"int32_t {0x55667788}",
          at=CALLED),
    keeps(C + "entry_value-register", "entry_value(call2 0x138)", f"int32_t {0x55667788}",
          at=CALLED, note="the last operation executed is in what is called"),
    breaks(C + "entry_value-register", "entry_value(regx s2)", UndefinedBits, at=CALLED),
    breaks(C + "entry_value-register", "entry_value(regx s0; nop)", IllFormed,
           "neither a value nor a register", at=CALLED,
           note="DW_OP_reg* is not the last operation"),
    breaks(C + "entry_value-register", "entry_value(regx s3)", MissingContext, at=CALLED),
    keeps(C + "entry_value-context", "entry_value(call_frame_cfa; lit0; plus)", "0x1080",
          at=CALLED),
    keeps(C + "entry_value-context", "entry_value(LLVM_push_lane)", "3", at=CALLED,
          note="all else is the current context"),
    keeps(C + "entry_value-context", "entry_value(call2 0x13c; deref)", "0x706050403020100",
          at=CALLED, note="a location list at the call site"),
    breaks(C + "entry_value-context", "call2 0x13c; deref", UndefinedBits, at=CALLED,
           note="at the program location of the called frame"),
    breaks(C + "entry_value-context", "entry_value(regx s0)", MissingContext, "calling frame"),
    breaks(C + "entry_value-object", "entry_value(push_object_address)", MissingContext,
           "no object", at=CALLED),
    keeps(C + "entry_value-object", "push_object_address; lit0; plus", "0x1010", at=CALLED),
    keeps(C + "entry_value-stack", "lit1; lit2; entry_value(lit3); plus", "5", at=CALLED),
    breaks(C + "entry_value-stack", "lit1; lit2; entry_value(plus)", IllFormed,
           "the stack has 0", at=CALLED),
    keeps(C + "entry_value-value", "entry_value(lit5)", "5", at=CALLED),
    keeps(C + "entry_value-value", "entry_value(regval_type s0 @u16)", f"u16 {0x7788}", at=CALLED),
    keeps(C + "entry_value-value", "entry_value(implicit_pointer 0x114 0; deref)",
          "value: pointer to 0x114+0 in global", at=CALLED),
    keeps(C + "entry_value-value", "entry_value(reg3)", "77", at=CALLED,
          note="a call-site parameter tells it"),
    breaks(C + "entry_value-value", "entry_value(lit1; lit0; div)", EvaluationError,
           "division by zero", at=CALLED),
    *(breaks(C + "entry_value-otherwise", f"entry_value({text})", IllFormed, "neither a value",
             at=CALLED)
      for text in ("addr 0x1010", "LLVM_undefined", "lit5; stack_value", "", "bregx pc 0",
                   "regx s0; piece 4", "call_frame_cfa", "regx s0; lit0; LLVM_offset")),
    keeps(C + "entry_value-otherwise", "entry_value(addr 0x1010; deref)", "0x1716151413121110",
          at=CALLED),
])  # fmt: skip
def test_entry_value(fact: Fact) -> None:
    fact.check()


@pytest.mark.clause(C + "entry_value-register", "keeps")
def test_entry_value_of_an_integral_register_of_an_address_is_generic() -> None:
    """So that it goes on with literals, as producers write it (docs/spec-notes.md)."""
    caller = ExplicitFrame(X86, level=1, registers={1: CPU.location("regx rdx")})
    made = CPU.changed(frame=ExplicitFrame(X86, given_caller=(caller, 0x5000)))
    assert shown(made.result("entry_value(reg1); lit1; plus")) == "0x1001"
    stack = ExplicitFrame(X86, level=1, registers={7: CPU.location("regx rdx")})
    made = CPU.changed(frame=ExplicitFrame(X86, given_caller=(stack, 0x5000)))
    assert shown(made.result("entry_value(reg7); lit8; plus")) == "0x1008", "an address, too"
    wide = ExplicitFrame(X86, level=1, registers={17: CPU.location("regx xmm0")})
    made = CPU.changed(frame=ExplicitFrame(X86, given_caller=(wide, 0x5000)))
    assert shown(made.result("entry_value(reg17)")) == "vec128 0x10100000000000002000"


@pytest.mark.clause(C + "entry_value-context", "breaks")
def test_the_lane_must_have_been_active_in_the_caller() -> None:
    made = CALLED.changed(lane=9)
    assert shown(made.result("LLVM_push_lane")) == "9"
    Fact(made, "entry_value(LLVM_push_lane)", None, InconsistentContext, ("frame 1",)).check()
