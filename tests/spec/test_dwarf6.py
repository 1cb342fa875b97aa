"""DWARF 6, sentence by sentence, as its public texts have it (docs/dwarf6.md)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import IllFormed, MissingContext, OutOfRange, UndefinedBits
from dwarfgpu.expr.dialect.dialect import DWARF6_PROVISIONAL
from tests.spec import machine
from tests.spec.machine import PATTERN, Fact, facts, world

GPU = evolve(machine.GPU, dialect=DWARF6_PROVISIONAL)
CPU = evolve(machine.CPU, dialect=DWARF6_PROVISIONAL)
BIG = evolve(machine.BIG_WORLD, dialect=DWARF6_PROVISIONAL)
NO_LANE = GPU.changed(lane=None)
OBJECT = GPU.changed(object=GPU.location("regx s0"))
_DIES = {
    0x100: "regx s0",
    0x104: "DW_OP_composite",
    0x108: b"\1\2\3\4",
    0x10C: None,
    0x110: "addr 0x1010",
    0x114: "lit9",
}
CALLS = world(
    registers={"s0": 0x11223344},
    memory=((0, None, 0x1000, PATTERN),),
    dies=_DIES,
    dialect=DWARF6_PROVISIONAL,
)
keeps: Callable[..., Any] = partial(machine.keeps, at=GPU)
breaks: Callable[..., Any] = partial(machine.breaks, at=GPU)

V, A, Q, M = "DWARF6-3/", "DWARF6-3.5/", "DWARF6-3.6/", "DWARF6-3.7/"
U, C, L = "DWARF6-3.9/", "DWARF6-3.12/", "DWARF6-3.12.2/"
D, F, K = "DWARF6-3.13/", "DWARF6-3.14/", "DWARF6-3.15/"
TWO = "DW_OP_composite; regx s0; piece 4; regx s1; piece 2"
MOST = (1 << 64) - 1


@facts("fact", [
    keeps(V + "value-to-location", "const2u 0x1010; deref_size 1", "16"),
    keeps(V + "value-to-location", "lit16", "global#0x10", want="location"),
    breaks(V + "value-to-location", "const(u64,16); deref_size 1", IllFormed, "generic",
           note="another type"),
    keeps(V + "location-to-value", "addr 0x1000; lit1; plus", "0x1001"),
    keeps(V + "location-to-value", "addr 0x1000; lit1; DW_OP_offset; lit1; plus", "0x1002"),
    breaks(V + "location-to-value", "regx s0; lit1; plus", IllFormed, "register"),
    breaks(V + "location-to-value", "addr 0x1000; lit1; DW_OP_bit_offset; lit1; plus", IllFormed),
    breaks(V + "location-to-value", "lit3; lit16; DW_OP_mem; lit1; plus", IllFormed, "local"),
    keeps(V + "empty", "", "undefined"),
    keeps(V + "empty", "lit1; drop", "undefined", want="location"),
    breaks(V + "empty", "lit1; drop", IllFormed, "empty", want="value"),
    keeps(V + "on-stack", "regx s0; lit4; swap", "s0"),
    keeps(V + "on-stack", f"{TWO}; dup; drop", "{32: s0, 16: s1}"),
    keeps(V + "on-stack", "DW_OP_undefined; regx s0; lit1; rot; drop", "undefined"),
])  # fmt: skip
def test_values_and_locations(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(A + "mod_trunc", "const(i32,-7); const(i32,3); DW_OP_mod_trunc", "i32 -1"),
    keeps(A + "mod_trunc", "const(i32,7); const(i32,-3); DW_OP_mod", "i32 1"),
    breaks(A + "mod_trunc", "const(i32,-7); const(i32,3); DW_OP_mod_floor", "i32 2"),
    keeps(A + "mod_floor", "const(i32,7); const(i32,-3); DW_OP_mod_floor", "i32 -2"),
    keeps(A + "mod_floor", "const(i32,-7); const(i32,-3); DW_OP_mod_floor", "i32 -1"),
    keeps(A + "mod_floor", "const(i32,-6); const(i32,3); DW_OP_mod_floor", "i32 0"),
    keeps(A + "mod_floor", "const(u32,7); const(u32,3); DW_OP_mod_floor", "u32 1"),
    keeps(A + "mod_floor", "lit7; lit3; neg; DW_OP_mod_floor", "7", note="generic: unsigned"),
    breaks(A + "mod_floor", "const(i32,7); const(i32,-3); DW_OP_mod_trunc", "i32 1"),
    keeps(A + "mod-integral", "const(i8,7); const(i8,4); DW_OP_mod_floor", "i8 3"),
    *(breaks(A + "mod-integral", f"const(f32,7); const(f32,4); {name}", IllFormed, "f32")
      for name in ("DW_OP_mod_floor", "DW_OP_mod_trunc")),
])  # fmt: skip
def test_arithmetic(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(Q + "push_object_location", "DW_OP_push_object_location; lit1; DW_OP_offset", "s0+8b",
          at=OBJECT),
    keeps(Q + "push_object_location", "DW_OP_push_object_address", "s0", at=OBJECT),
    breaks(Q + "push_object_location", "DW_OP_push_object_location", MissingContext, "object"),
    keeps(Q + "form_tls_location", "lit8; DW_OP_form_tls_location", "global#0x1080"),
    keeps(Q + "form_tls_location", "lit8; DW_OP_form_tls_address", "global#0x1080"),
    breaks(Q + "form_tls_location", "const(f32,8); DW_OP_form_tls_location", IllFormed, "integral"),
    keeps(Q + "push_lane", "DW_OP_push_lane", "3"),
    breaks(Q + "push_lane", "DW_OP_push_lane", MissingContext, "lane", at=NO_LANE),
    keeps(Q + "push_lane-none", "DW_OP_push_lane", "0", at=CPU),
    keeps(Q + "push_lane-none", "DW_OP_push_lane", "5", at=CPU.changed(lane=5),
          note="vectorized code of a CPU"),
    breaks(Q + "push_lane-none", "DW_OP_push_lane", MissingContext, "lane",
           at=CPU.changed(wave=None, frame=None), note="no process"),
])  # fmt: skip
def test_context(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(M + "mem", "lit3; const1u 0x20; DW_OP_mem", "local#0x20"),
    keeps(M + "mem", "lit5; lit16; DW_OP_mem; deref_size 1", "160", note="of the current lane"),
    breaks(M + "mem", "const1u 0x20; lit3; DW_OP_mem", IllFormed, "no address space 32",
           note="the address is at the top"),
    keeps(M + "mem-addr", "lit0; const2u 0x1000; DW_OP_mem", "global#0x1000"),
    breaks(M + "mem-addr", "lit2; const2u 0x1000; DW_OP_mem", "region#0x1000"),
    keeps(M + "mem-space", "lit2; lit0; DW_OP_mem", "region#0x0"),
    breaks(M + "mem-space", "lit31; lit0; DW_OP_mem", IllFormed, "no address space 31"),
    keeps(M + "aspace_bregx", "lit5; DW_OP_aspace_bregx s32 16", "private_lane[3]#0x110"),
    breaks(M + "aspace_bregx", "DW_OP_aspace_bregx s32 16", IllFormed, "1 stack entry needed"),
    keeps(M + "aspace_deref", "lit3; const1u 0x20; DW_OP_aspace_deref_size 1", "192"),
    keeps(M + "aspace_deref", "lit0; const2u 0x1000; DW_OP_aspace_deref", "0x706050403020100"),
    keeps(M + "aspace_deref", "lit0; const2u 0x1000; DW_OP_aspace_deref_type 2 @u16", "u16 256"),
    breaks(M + "aspace_deref", "const1u 0x20; lit3; DW_OP_aspace_deref_size 1", IllFormed),
])  # fmt: skip
def test_memory(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(U + "undefined", "DW_OP_undefined", "undefined"),
    keeps(U + "undefined", f"DW_OP_undefined; const8u {MOST >> 1}; DW_OP_offset",
          f"undefined+{8 * (MOST >> 1)}b"),
    breaks(U + "undefined", "DW_OP_undefined; lit1; neg; DW_OP_offset", OutOfRange),
    keeps(U + "undefined-read", "lit4; DW_OP_undefined; swap", "4"),
    breaks(U + "undefined-read", "DW_OP_undefined; deref_size 1", UndefinedBits, "undefined"),
])  # fmt: skip
def test_undefined(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(C + "composite", "DW_OP_composite", "{}"),
    keeps(C + "composite", "regx s0; DW_OP_composite; regx s1; piece 4", "{32: s1}"),
    breaks(C + "composite", "DW_OP_composite; deref_size 1", OutOfRange, note="it has no bits"),
    keeps(C + "piece", TWO, "{32: s0, 16: s1}"),
    keeps(C + "piece", f"{TWO}; lit16; piece 1", "{32: s0, 16: s1, 8: global#0x10}"),
    keeps(C + "piece", f"{TWO}; {TWO}; piece 6", "{32: s0, 16: s1, 48: {32: s0, 16: s1}}",
          note="a composite is a part of a composite"),
    breaks(C + "piece", "regx s0; piece 5", IllFormed, "40 bits", "32 left"),
    keeps(C + "piece-position", f"{TWO}; lit1; DW_OP_offset; regx s0; piece 1",
          "{32: s0, 16: s1, 8: s0}+8b"),
    breaks(C + "piece-position", f"{TWO}; lit6; DW_OP_offset", OutOfRange),
    keeps(C + "piece-first", "regx s0; piece 4", "{32: s0}"),
    keeps(C + "piece-first", "lit16; piece 4; regx s0; piece 2", "{32: global#0x10, 16: s0}"),
    breaks(C + "piece-first", "lit1; regx s0; piece 4", IllFormed, "DW_OP_composite needed"),
    keeps(C + "piece-empty", "piece 4", "{32: undefined}"),
    breaks(C + "piece-empty", "regx s0; piece 4", "{32: s0}"),
    keeps(C + "piece-undefined", "regx s0; piece 4; piece 2", "{32: s0, 16: undefined}"),
    keeps(C + "piece-undefined", "DW_OP_composite; piece 2", "{16: undefined}"),
    breaks(C + "piece-undefined", f"DW_OP_composite; {TWO}; piece 2", "{16: s0}",
           note="of two composites the upper one is the part"),
    keeps(C + "piece-otherwise", "lit1; drop; regx s0; piece 4", "{32: s0}"),
    breaks(C + "piece-otherwise", "regx s1; regx s0; piece 4", IllFormed, "not a composite"),
    breaks(C + "piece-otherwise", "lit1; DW_OP_composite; piece 4", IllFormed, "not a composite",
           note="the composite is the part here"),
    breaks(C + "piece-otherwise", "lit1; const(f32,1); bit_piece 4 0", IllFormed,
           "not a composite"),
    keeps(C + "bit_piece", "regx s0; bit_piece 5 27", "{5: s0+27b}"),
    keeps(C + "bit_piece", "addr 0x1000; bit_piece 3 9", "{3: global#0x1001+1b}"),
    keeps(C + "bit_piece", f"{TWO}; bit_piece 3 0", "{32: s0, 16: s1, 3: undefined}"),
    breaks(C + "bit_piece", "regx s0; bit_piece 6 27", IllFormed, "6 bits", "5 left"),
    keeps(C + "bit_piece-undefined", "DW_OP_undefined; bit_piece 4 99", "{4: undefined}"),
    breaks(C + "bit_piece-undefined", "regx s0; bit_piece 4 99", OutOfRange),
    keeps(C + "bit_piece-register", "regx 1; bit_piece 8 0; deref_size 1", "164", at=BIG,
          note="0xa4 is the least significant byte"),
    keeps(C + "bit_piece-register", "implicit_value 2 0x12 0x34; bit_piece 8 4; deref_size 1", "35",
          at=BIG, note="0x23"),
    keeps(C + "bit_piece-register", "regx s0; bit_piece 8 0; deref_size 1", "68"),
    breaks(C + "bit_piece-register", "addr 0x1010; bit_piece 8 0; deref_size 1", "16", at=BIG,
           note="in memory it is from the location on"),
    breaks(C + "bit_piece-register", "regx 1; bit_piece 8 28", IllFormed, "bit 28", at=BIG),
    keeps(C + "offset-in-parts", f"{TWO}; lit3; DW_OP_offset; deref_size 2", "0x8811"),
    keeps(C + "offset-in-parts", f"{TWO}; lit4; DW_OP_offset; deref_size 2", "0x7788"),
    breaks(C + "offset-in-parts", f"{TWO}; lit5; DW_OP_offset; deref_size 2", OutOfRange),
])  # fmt: skip
def test_composites(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(L + "overlay", "addr 0x1000; regx s0; lit4; lit4; DW_OP_overlay; deref",
          "0x1122334403020100"),
    keeps(L + "overlay", f"{TWO}; regx s1; lit1; lit2; DW_OP_overlay",
          "{8: s0, 16: s1, 24: {32: s0, 16: s1}+24b}"),
    breaks(L + "overlay", "regx s0; lit1; lit1; DW_OP_overlay", IllFormed, "4 stack entries"),
    keeps(L + "overlay-position", "regx s0; lit1; DW_OP_offset; regx s1; lit1; lit1; DW_OP_overlay",
          "{16: s0, 8: s1, 8: s0+24b}+8b"),
    keeps(L + "overlay-position", "regx s0; lit1; DW_OP_offset; regx s1; lit1; lit1; DW_OP_overlay;"
          " lit1; neg; DW_OP_offset; deref_size 1", "68"),
    breaks(L + "overlay-position", "regx s0; regx s1; lit1; lit1; DW_OP_overlay; lit1; neg; "
           "DW_OP_offset", OutOfRange),
    keeps(L + "overlay-width", "regx s0; regx s1; lit0; lit4; DW_OP_overlay", "{32: s1}"),
    breaks(L + "overlay-width", "addr 0x1000; regx s1; lit0; lit5; DW_OP_overlay", IllFormed,
           "40 bits", "32 left"),
    breaks(L + "overlay-width", "regx s0; regx s1; lit0; const(i8,-1); DW_OP_overlay", IllFormed),
    keeps(L + "overlay-extended", "regx s0; regx s1; lit4; lit4; DW_OP_overlay", "{32: s0, 32: s1}",
          note="a pair of registers"),
    keeps(L + "overlay-extended", "regx s0; regx s1; lit8; lit4; DW_OP_overlay",
          "{32: s0, 32: undefined, 32: s1}"),
    keeps(L + "overlay-extended", "regx s0; regx s1; lit2; lit4; DW_OP_overlay",
          "{16: s0, 32: s1}"),
    keeps(L + "overlay-extended", "DW_OP_composite; regx s1; lit0; lit4; DW_OP_overlay; regx s0; "
          "lit4; lit4; DW_OP_overlay", "{32: s1, 32: s0}"),
    breaks(L + "overlay-extended", f"addr {MOST}; regx s1; lit1; lit4; DW_OP_overlay", IllFormed,
           "larger than the largest address space"),
    keeps(L + "overlay-negative", "regx s0; lit2; DW_OP_offset; regx s1; lit1; neg; lit1; "
          "DW_OP_overlay", "{8: s0, 8: s1, 16: s0+16b}+16b"),
    breaks(L + "overlay-negative", "regx s0; regx s1; lit1; neg; lit1; DW_OP_overlay", IllFormed,
           "8 bits before"),
    keeps(L + "overlay-zero", "regx s0; regx s1; lit2; lit0; DW_OP_overlay", "s0"),
    breaks(L + "overlay-zero", "regx s0; regx s1; lit8; lit0; DW_OP_overlay",
           "{32: s0, 32: undefined}", note="beyond it"),
    keeps(L + "bit_overlay", "regx s0; regx s1; lit4; lit3; DW_OP_bit_overlay",
          "{4: s0, 3: s1, 25: s0+7b}"),
    breaks(L + "bit_overlay", "regx s0; regx s1; lit4; lit3; DW_OP_overlay", "{32: s0, 24: s1}"),
])  # fmt: skip
def test_overlays(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(D + "deref", "addr 0x1000; deref", "0x706050403020100"),
    keeps(D + "deref", "regx rax; deref", "0x1122334455667788", at=CPU),
    keeps(D + "deref", f"{TWO}; regx s0; piece 2; deref", "0x3344778811223344"),
    breaks(D + "deref", "regx s0; deref", OutOfRange, note="a register of 32 bits"),
    keeps(D + "deref-pointer", "implicit_pointer 0x100 1; deref", "s0+8b", at=CALLS),
    keeps(D + "deref-pointer", "implicit_pointer 0x110 4; deref; stack_value",
          "implicit 0000000000001014", at=CALLS, note="memory converts to its address"),
    keeps(D + "deref-pointer", "implicit_pointer 0x108 1; deref; deref_size 2", "0x302", at=CALLS,
          note="a constant"),
    breaks(D + "deref-pointer", "implicit_pointer 0x100 0; deref; stack_value", IllFormed,
           "register", at=CALLS, note="a register is not a value"),
    keeps(D + "deref_size", "regx s0; deref_size 3", "0x223344"),
    breaks(D + "deref_size", "regx s0; deref_size 0", IllFormed),
    keeps(D + "deref_size-large", "addr 0x1000; deref_size 8", "0x706050403020100"),
    breaks(D + "deref_size-large", "addr 0x1000; deref_size 9", IllFormed, "9 bytes"),
    keeps(D + "deref_type", "regx s0; deref_type 2 @u16", "u16 13124"),
    breaks(D + "deref_type", "regx s0; deref_type 4 @u16", IllFormed, "size 4"),
])  # fmt: skip
def test_dereferencing(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(F + "offset", "regx s0; lit1; DW_OP_offset", "s0+8b"),
    keeps(F + "offset", "addr 0x1000; lit1; neg; DW_OP_offset", "global#0xfff"),
    keeps(F + "offset", "lit16; lit1; DW_OP_offset", "global#0x11", note="a value converts"),
    keeps(F + "offset", "implicit_value 2 1 2; lit1; DW_OP_offset; deref_size 1", "2"),
    keeps(F + "offset", f"{TWO}; const(i8,5); DW_OP_offset", "{32: s0, 16: s1}+40b"),
    breaks(F + "offset", "regx s0; const(f32,1); DW_OP_offset", IllFormed, "integral"),
    keeps(F + "bit_offset", "regx s0; lit9; DW_OP_bit_offset", "s0+9b"),
    keeps(F + "bit_offset", "regx s0; lit1; DW_OP_offset; lit8; neg; DW_OP_bit_offset", "s0"),
    breaks(F + "bit_offset", "regx s0; lit8; DW_OP_offset", OutOfRange, note="8 bytes"),
    keeps(F + "offset-valid", "regx s0; lit31; DW_OP_bit_offset", "s0+31b"),
    breaks(F + "offset-valid", "regx s0; lit4; DW_OP_offset", OutOfRange, "32 bits"),
    breaks(F + "offset-valid", "addr 0; lit1; neg; DW_OP_offset", OutOfRange),
    breaks(F + "offset-valid", "DW_OP_composite; lit0; DW_OP_offset", OutOfRange),
])  # fmt: skip
def test_offsets(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(K + "call-location", "call2 0x100; lit1; DW_OP_offset", "s0+8b", at=CALLS),
    keeps(K + "call-location", "lit1; call2 0x104; call4 0x100; piece 4", "{32: s0}", at=CALLS),
    breaks(K + "call-location", "call_ref 0x114", "9", at=CALLS, note="a value"),
    keeps(K + "call-nothing", "lit7; call2 0x10c", "7", at=CALLS),
    keeps(K + "call-nothing", "lit7; call2 0x108", "7", at=CALLS, note="DW_AT_const_value only"),
    keeps(K + "call-nothing", "lit7; call4 0x108; call_ref 0x108", "7", at=CALLS),
    breaks(K + "call-nothing", "lit7; call2 0x100", "s0", at=CALLS),
])  # fmt: skip
def test_calls(fact: Fact) -> None:
    fact.check()
