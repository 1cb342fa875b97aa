"""A.2.5.4.4.6 composite location description operations."""

from __future__ import annotations

import pytest

from dwarfgpu.errors import EvaluationError, IllFormed, Malformed, OutOfRange, UndefinedBits
from tests.spec.machine import BIG_WORLD, CPU, GPU, Fact, breaks, facts, keeps, raises, shown, world

C = "A.2.5.4.4.6/"
PARTIAL = "regx s0; piece 4"
TWO = "regx s0; piece 4; regx s1; piece 4; LLVM_piece_end"
OTHER_POINTER = "lit3; LLVM_aspace_implicit_pointer 0x114 4; deref_size 4"
PLACES = "call2 0x108"
LARGEST = 8 << 64
"""Bits of the largest address space of gfx942."""


@facts("fact", [
    keeps(f"{C}piece-empty {C}completed-at-end", "piece 4", "{32: undefined}"),
    keeps(C + "piece-empty", "piece 4; piece 2", "{32: undefined, 16: undefined}"),
    breaks(C + "piece-empty", "lit16; piece 4", "{32: global#0x10}", note="not empty"),
    keeps(C + "piece-incomplete", f"{PARTIAL}; piece 2", "{32: s0, 16: undefined}"),
    breaks(C + "piece-incomplete", f"{PARTIAL}; LLVM_piece_end; piece 2", "{16: s0}",
           note="a complete one is a part"),
    keeps(C + "piece-append", f"{PARTIAL}; regx s1; piece 2", "{32: s0, 16: s1}"),
    keeps(C + "piece-append", f"{PARTIAL}; lit16; piece 2", "{32: s0, 16: global#0x10}"),
    keeps(C + "piece-append", f"{PARTIAL}; {PLACES}; piece 2", "{32: s0, 16: global#0x1000 | s0}"),
    breaks(C + "piece-append", f"{PARTIAL}; lit1; regx s1; piece 2", "{16: s1}",
           note="what is next on the stack is not an incomplete composite"),
    keeps(C + "piece-new", PARTIAL, "{32: s0}"),
    keeps(C + "piece-new", "lit1; regx s0; piece 4", "{32: s0}"),
    keeps(C + "piece-append", f"{PARTIAL}; implicit_pointer 0x114 4; deref; piece 4; piece 1",
          "{32: s0, 32: global#0x1004, 8: undefined}"),
    keeps(C + "piece-new", "implicit_pointer 0x114 4; deref; piece 4", "{32: global#0x1004}"),
    breaks(C + "piece-new", "piece 4", "{32: undefined}"),
    breaks(C + "part-bits", "implicit_value 0; piece 4", IllFormed, "32 bits", "0 left"),
    *(breaks(C + "piece-otherwise", f"{text}; {piece}", IllFormed, "location description")
      for text in ("const(u64,16)", "const(f64,1)", "const(ptr,16)")
      for piece in ("piece 4", "bit_piece 4 0")),
    breaks(C + "piece-otherwise", f"{OTHER_POINTER}; piece 4", EvaluationError, "local"),
    keeps(C + "piece-otherwise", "const(u64,16); convert 0; piece 4", "{32: global#0x10}"),
    keeps(C + "part-bits", "regx s0; LLVM_offset_uconst 3; piece 1", "{8: s0+24b}"),
    breaks(C + "part-bits", "regx s0; LLVM_offset_uconst 3; piece 2", IllFormed, "16 bits",
           "register s0 has 8 left"),
    breaks(C + "part-bits", "implicit_value 2 1 2; piece 3", IllFormed, "24 bits", "16 left"),
    breaks(C + "part-bits", f"{PLACES}; piece 5", IllFormed, "s0", note="at one of two places"),
    keeps(C + "part-bits", f"{PLACES}; piece 4", "{32: global#0x1000 | s0}"),
    breaks(C + "part-bits", "const(i8,5); stack_value; piece 2", IllFormed, "8 left",
           note="no extension of a value"),
    breaks(C + "part-bits", "regx s0; LLVM_extend 33 2", IllFormed, "33 bits", "32 left"),
    breaks(C + "part-bits", f"{TWO}; piece 9", IllFormed, "composite has 64 left"),
    keeps(C + "contiguous", f"{TWO}; LLVM_offset_uconst 3; deref_size 2", "0x8811"),
    keeps(C + "contiguous", "regx s0; bit_piece 3 0; regx s0; bit_piece 5 3; LLVM_piece_end; "
          "deref_size 1", "68"),
    keeps(C + "contiguous", "regx 1; bit_piece 4 0; regx 3; bit_piece 4 4; LLVM_piece_end; "
          "deref_size 1", "170", at=BIG_WORLD),
    keeps(C + "contiguous", "regx v3; piece 6; regx v3; LLVM_offset_uconst 1; piece 2; "
          "LLVM_piece_end; deref_size 8", "0x3030100000300",
          note="a later part lies inside an earlier one"),
    keeps(C + "contiguous", "regx s0; piece 4; regx s0; LLVM_offset_uconst 1; piece 1; "
          "LLVM_piece_end; deref_size 5", "0x3311223344",
          note="a later part lies inside an earlier one"),
    breaks(C + "contiguous", f"{TWO}; LLVM_offset_uconst 8", OutOfRange, "64 bits of a composite"),
    keeps(C + "zero-parts", "regx s0; piece 0", "{0: s0}"),
    keeps(C + "zero-parts", "piece 0; regx s0; piece 4", "{0: undefined, 32: s0}"),
    keeps(C + "zero-parts", "piece 0; regx s0; piece 4; LLVM_piece_end; deref_size 4",
          "0x11223344"),
    breaks(C + "zero-parts", "piece 0; LLVM_piece_end; deref_size 1", OutOfRange, "0 remain"),
    keeps(C + "size-limit", "LLVM_undefined; bit_piece 0xffffffffffffffff 0",
          "{18446744073709551615: undefined}"),
    keeps(C + "size-limit", "addr 0; LLVM_extend 8 0x1000000000000000",
          "{1152921504606846976 x 8: global#0x0}"),
    breaks(C + "size-limit", "addr 0; LLVM_extend 64 0x4000000000000000", IllFormed,
           "largest address space"),
    breaks(C + "size-limit", "piece 0xffffffffffffffff; piece 1; piece 1", IllFormed,
           "largest address space", str(LARGEST)),
    keeps(C + "size-limit", "piece 0xffffffffffffffff; piece 1",
          "{147573952589676412920: undefined, 8: undefined}"),
    breaks(C + "size-limit", "regx s0; regx s0; lit1; LLVM_select_bit_piece 0xffffffffffffffff 40",
           IllFormed, "largest address space"),
    breaks(C + "size-limit", "piece 0x1ffffffffffffffff", Malformed, "64 bits"),
])  # fmt: skip
def test_piece(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(C + "completed-at-end", PARTIAL, "{32: s0}", want="location"),
    keeps(C + "completed-at-end", f"{PARTIAL}; lit1; drop", "{32: s0}"),
    breaks(C + "completed-at-end", f"{PARTIAL}; lit1", "1", note="not at the top"),
    keeps(C + "not-completed-by-call", "call2 0x118; piece 1", "{32: global#0x1008, 8: undefined}"),
    breaks(C + "not-completed-by-call", "call2 0x118; deref", IllFormed, "incomplete"),
    *(breaks(C + "incomplete-use", f"{PARTIAL}; {text}", IllFormed, "incomplete")
      for text in ("deref", "LLVM_offset_uconst 0", "LLVM_extend 8 1", "lit1; plus", "stack_value",
                   "regx s0; lit1; LLVM_select_bit_piece 8 1", "dup", "drop",
                   "lit3; LLVM_form_aspace_address", "regx s1; lit0; lit1; LLVM_overlay")),
    keeps(C + "incomplete-use", f"{PARTIAL}; LLVM_piece_end; LLVM_offset_uconst 1", "{32: s0}+8b"),
    keeps(C + "incomplete-use", f"{PARTIAL}; lit5; lit2; mul", "10", note="below, it does no harm"),
    keeps(C + "piece_end", f"{PARTIAL}; LLVM_piece_end; dup; drop", "{32: s0}"),
    keeps(C + "piece_end", f"{PARTIAL}; LLVM_piece_end; regx s1; piece 4", "{32: s1}",
          note="it is not appended to"),
    breaks(C + "piece_end", f"{PARTIAL}; regx s1; piece 4", "{32: s0, 32: s1}", note="without it"),
    keeps(C + "piece_end-none", f"{PARTIAL}; LLVM_piece_end", "{32: s0}"),
    *(breaks(C + "piece_end-none", text, IllFormed, "no incomplete composite")
      for text in ("LLVM_piece_end", "regx s0; LLVM_piece_end", "lit1; LLVM_piece_end",
                   f"{PARTIAL}; lit1; LLVM_piece_end",
                   f"{PARTIAL}; LLVM_piece_end; LLVM_piece_end")),
    keeps(f"{C}bit_piece {C}bit_piece-offset", "regx s0; bit_piece 5 27", "{5: s0+27b}"),
    keeps(C + "bit_piece", "regx s0; bit_piece 8 4; regx s1; bit_piece 3 0", "{8: s0+4b, 3: s1}"),
    keeps(C + "bit_piece", f"{PARTIAL}; bit_piece 3 99", "{32: s0, 3: undefined}"),
    keeps(C + "bit_piece", f"{PLACES}; bit_piece 3 9", "{3: global#0x1001+1b | s0+9b}"),
    keeps(C + "bit_piece", "addr 0x1000; bit_piece 8 0xffffffffffffffff", "{8: global#0xfff+7b}",
          note="B is a generic value, which is signed"),
    breaks(C + "bit_piece", "regx s0; bit_piece 6 27", IllFormed, "6 bits", "5 left"),
    breaks(C + "bit_piece-offset", "implicit_value 0; bit_piece 0 0", OutOfRange, "0 bits",
           note="like DW_OP_LLVM_bit_offset by 0"),
    keeps(C + "zero-parts", "implicit_value 0; piece 0", "{0: implicit empty}"),
    breaks(C + "bit_piece-offset", "regx s0; bit_piece 1 32", OutOfRange, "bit offset 32", "s0"),
    breaks(C + "bit_piece-offset", "regx s0; bit_piece 0 32", OutOfRange, "bit offset 32"),
    breaks(C + "bit_piece-offset", f"{PLACES}; bit_piece 1 32", OutOfRange, "s0"),
])  # fmt: skip
def test_incremental(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(f"{C}extend {C}extend-zero", "regx s0; LLVM_extend 8 4", "{4 x 8: s0}"),
    keeps(C + "extend", "regx s0; LLVM_extend 8 4; deref_size 4", "0x44444444"),
    keeps(C + "extend", "regx s0; lit4; LLVM_bit_offset; LLVM_extend 12 2; deref_size 3",
          "0x334334"),
    keeps(C + "extend", "lit16; LLVM_extend 8 2", "{2 x 8: global#0x10}", note="a value converts"),
    keeps(C + "extend", f"{PLACES}; LLVM_extend 8 2", "{2 x 8: global#0x1000 | s0}"),
    breaks(C + "extend", "LLVM_extend 8 2", IllFormed, "1 stack entry needed"),
    breaks(C + "extend", "const(u64,16); LLVM_extend 8 2", IllFormed, "u64"),
    *(breaks(C + "extend-zero", f"regx s0; LLVM_extend {text}", IllFormed, "neither may be 0")
      for text in ("0 4", "8 0", "0 0")),
    keeps(f"{C}select {C}select-zero {C}select-mask {C}select-integral",
          "regx s0; regx s1; lit10; LLVM_select_bit_piece 8 4", "{4 x 8: s1 if 0b1010 else s0}"),
    keeps(C + "select", "regx s0; regx s1; lit10; LLVM_select_bit_piece 8 4; deref_size 4",
          "0x55227744", note="the zero-location is deeper"),
    keeps(C + "select", "regx s0; regx s1; lit12; LLVM_select_bit_piece 8 4; LLVM_offset_uconst 1; "
          "deref_size 2", "0x6633", note="from inside a run of elements over its end"),
    keeps(C + "select", "regx s0; regx s1; lit12; LLVM_select_bit_piece 8 4; lit4; "
          "LLVM_bit_offset; deref_size 2", "0x6334", note="from inside an element"),
    keeps(C + "select", "regx v3; regx v4; lit5; LLVM_select_bit_piece 32 64; "
          "LLVM_offset_uconst 1; deref_size 8", "0x200000301000004",
          note="from inside a vector register's dword"),
    keeps(C + "select", "regx v3; regx v4; regval_type exec @u64; LLVM_select_bit_piece 32 64; "
          "LLVM_push_lane; lit4; mul; LLVM_offset; deref_size 4", "0x303", note="lane 3 is off"),
    keeps(C + "select", "regx v3; regx v4; regval_type exec @u64; LLVM_select_bit_piece 32 64; "
          "LLVM_push_lane; lit4; mul; LLVM_offset; deref_size 4", "0x405", at=GPU.changed(lane=5),
          note="lane 5 is on"),
    keeps(C + "select", "LLVM_undefined; regx s1; lit1; LLVM_select_bit_piece 8 2; deref_size 1",
          "136"),
    keeps(C + "select", "regx s0; regx s1; lit0; not; LLVM_select_bit_piece 8 4",
          "{4 x 8: s1 if 0b1111 else s0}", note="higher bits of the mask mean nothing"),
    keeps(C + "select", "regx s0; regx s1; lit2; LLVM_select_bit_piece 8 4; regx s2; lit6; "
          "LLVM_select_bit_piece 8 4", "{4 x 8: s2 if 0b110 else s0}", note="none of s1 is left"),
    keeps(C + "select", "regx s0; regx s1; lit2; LLVM_select_bit_piece 8 4; "
          "implicit_value 4 1 2 3 4; lit4; LLVM_select_bit_piece 8 4; deref_size 4", "0x11037744",
          note="a part of each"),
    keeps(C + "select", "regx 1; regx 1; lit1; LLVM_select_bit_piece 8 2; deref_size 2", "0xa1a2",
          at=BIG_WORLD),
    breaks(C + "select", "LLVM_undefined; regx s1; lit1; LLVM_select_bit_piece 8 2; deref_size 2",
           UndefinedBits, "bits 8 to 15"),
    breaks(C + "select", "regx s0; lit1; LLVM_select_bit_piece 8 4", IllFormed,
           "3 stack entries needed"),
    breaks(C + "select", "regx s0; const(i8,1); lit1; LLVM_select_bit_piece 8 4", IllFormed, "i8"),
    keeps(C + "select-offset", "regx s0; implicit_value 3 1 2 3; lit7; LLVM_select_bit_piece 8 4; "
          "deref_size 4", "0x11030201", note="the fourth part comes from s0"),
    breaks(C + "select-offset", "regx s0; regx s1; lit0; LLVM_select_bit_piece 8 5", OutOfRange,
           "bit offset 32", "s0"),
    breaks(C + "select-offset", "regx s0; regx s1; lit31; LLVM_select_bit_piece 8 5", OutOfRange,
           "bit offset 32", "s1"),
    breaks(C + "select-offset", "implicit_value 0; regx s1; lit0; LLVM_select_bit_piece 8 1",
           OutOfRange, "bit offset 0", "0 bits"),
    breaks(f"{C}part-bits {C}select-offset", "regx s0; regx s1; lit0; LLVM_select_bit_piece 12 3",
           IllFormed, "12 bits", "8 left"),
    breaks(C + "select-integral", "regx s0; regx s1; const(f64,1); LLVM_select_bit_piece 8 4",
           IllFormed, "f64"),
    breaks(C + "select-integral", "regx s0; regx s1; const(ptr,1); LLVM_select_bit_piece 8 4",
           IllFormed, "ptr"),
    keeps(C + "select-integral", "regx s0; regx s1; const(i8,-1); LLVM_select_bit_piece 4 8",
          "{8 x 4: s1 if 0b11111111 else s0}"),
    *(breaks(C + "select-zero", f"regx s0; regx s1; lit1; LLVM_select_bit_piece {text}", IllFormed,
             "neither may be 0") for text in ("0 4", "8 0", "0 0")),
    breaks(C + "select-mask", "regx s0; regx s1; const(u8,1); LLVM_select_bit_piece 1 9", IllFormed,
           "mask of 8 bits for 9 parts"),
    keeps(C + "select-mask", "regx s0; regx s1; const(u8,255); LLVM_select_bit_piece 1 8; "
          "deref_size 1", "136"),
])  # fmt: skip
def test_elements(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(f"{C}overlay {C}overlay-steps", "regx s0; regx s1; lit1; lit2; LLVM_overlay",
          "{8: s0, 16: s1, 8: s0+24b}", note="in the middle"),
    keeps(f"{C}overlay {C}overlay-steps", "regx s0; regx s1; lit0; lit2; LLVM_overlay",
          "{16: s1, 16: s0+16b}", note="at the start"),
    keeps(f"{C}overlay {C}overlay-steps", "regx s0; regx s1; lit2; lit2; LLVM_overlay",
          "{16: s0, 16: s1}", note="at the end"),
    keeps(C + "overlay-steps", "regx s0; regx s1; lit4; lit12; LLVM_bit_overlay",
          "{4: s0, 12: s1, 16: s0+16b}"),
    keeps(C + "overlay-steps", "regx s0; regx s1; lit1; lit2; LLVM_overlay; deref_size 4",
          "0x11778844"),
    keeps(C + "overlay-steps", "addr 0x1000; regx s1; lit4; lit4; LLVM_overlay; deref",
          "0x5566778803020100"),
    keeps(C + "overlay-steps", "regx s0; LLVM_offset_uconst 1; regx s1; lit1; lit1; LLVM_overlay",
          "{8: s0+8b, 8: s1, 8: s0+24b}", note="from the position of the base on"),
    keeps(C + "overlay-steps", "regx s0; LLVM_undefined; lit1; lit1; LLVM_overlay",
          "{8: s0, 8: undefined, 16: s0+16b}"),
    keeps(C + "overlay-steps", f"{PLACES}; regx s1; lit0; lit2; LLVM_overlay",
          "{16: s1, 16: global#0x1002 | s0+16b}", note="several places: the least that is left"),
    keeps(C + "overlay-steps", "regx s0; regx s1; lit0; lit1; LLVM_overlay; LLVM_undefined; lit3; "
          "lit1; LLVM_overlay", "{24: {8: s1, 24: s0+8b}, 8: undefined}",
          note="overlay on overlay"),
    breaks(f"{C}part-bits {C}overlay-steps", "addr 0x1000; regx s1; lit0; lit5; LLVM_overlay",
           IllFormed, "40 bits", "s1 has 32 left", note="the overlay is too small"),
    breaks(C + "overlay-steps", "regx s0; implicit_value 0; lit0; lit1; LLVM_overlay", OutOfRange,
           "0 bits", note="as DW_OP_bit_piece of storage of no bits"),
    breaks(C + "overlay", "regx s0; lit0; lit1; LLVM_overlay", IllFormed, "4 stack entries needed"),
    breaks(C + "overlay", "regx s0; const(i8,1); lit0; lit1; LLVM_overlay", IllFormed, "i8"),
    *(breaks(C + "overlay-integral", f"regx s0; regx s1; {text}; {name}", IllFormed, "integral")
      for text in ("const(f64,0); lit1", "lit0; const(f64,1)", "const(ptr,0); lit1")
      for name in ("LLVM_overlay", "LLVM_bit_overlay")),
    keeps(C + "overlay-integral", "regx s0; regx s1; const(u8,1); const(bool,1); LLVM_overlay",
          "{8: s0, 8: s1, 16: s0+16b}"),
    *(breaks(C + "overlay-negative", f"regx s0; regx s1; {text}; {name}", IllFormed, "negative")
      for text in ("consts -1; lit1", "lit0; consts -1", "const(i8,-1); lit1", "lit0; const(i8,-1)",
                   "consts -1; lit0")
      for name in ("LLVM_overlay", "LLVM_bit_overlay")),
    breaks(C + "overlay-rbss", "regx s0; regx s1; const(u8,255); lit1; LLVM_overlay", IllFormed,
           "32 left", note="an unsigned offset is not negative, but too large"),
    keeps(C + "overlay-negative", "regx s0; regx s1; lit0; lit0; LLVM_overlay", "s0"),
    breaks(C + "overlay-rbss", "regx s0; regx s1; lit3; lit2; LLVM_overlay", IllFormed, "16 bits",
           "bit 24", "32 left"),
    breaks(C + "overlay-rbss", "regx s0; regx s1; lit5; lit0; LLVM_overlay", IllFormed, "32 left",
           note="of size 0 too"),
    breaks(C + "overlay-rbss", "regx s0; lit3; LLVM_offset; regx s1; lit0; lit2; LLVM_overlay",
           IllFormed, "8 left"),
    breaks(C + "overlay-rbss", f"{PLACES}; regx s1; lit4; lit1; LLVM_overlay", IllFormed, "32 left",
           note="at one of two places"),
    keeps(C + "overlay-rbss", "regx s0; regx s1; lit4; lit0; LLVM_overlay", "s0"),
    keeps(C + "overlay-nothing", "regx s0; regx s1; lit2; lit0; LLVM_overlay", "s0"),
    keeps(C + "overlay-nothing", "LLVM_undefined; regx s1; lit2; lit0; LLVM_overlay", "undefined"),
    breaks(C + "overlay-nothing", "regx s0; regx s1; lit0; lit1; LLVM_bit_overlay",
           "{1: s1, 31: s0+1b}"),
    keeps(C + "overlay-everything", "regx s0; regx s1; lit0; lit4; LLVM_overlay", "s1"),
    keeps(C + "overlay-everything", "regx s0; lit3; LLVM_offset; addr 0x1000; lit0; lit1; "
          "LLVM_overlay", "global#0x1000"),
    keeps(C + "overlay-everything", "regx s0; implicit_value 1 5; lit0; lit4; LLVM_overlay",
          "implicit 05", note="whatever its size"),
    breaks(C + "overlay-everything", "addr 0x1000; regx s1; lit0; lit4; LLVM_overlay",
           f"{{32: s1, {8 * ((1 << 64) - 0x1004)}: global#0x1004}}", note="memory goes on"),
    breaks(C + "size-limit", "LLVM_undefined; regx s1; lit0; lit4; LLVM_overlay", IllFormed,
           "undefined storage", "its size is unknown", note="undefined storage has no size"),
])  # fmt: skip
def test_overlay(fact: Fact) -> None:
    fact.check()


WRITES = [
    (TWO, {"s0": 0x04030201, "s1": 0x08070605}),
    ("regx s0; bit_piece 8 8; regx s1; bit_piece 24 4; LLVM_piece_end",
     {"s0": 0x11220144, "s1": 0x50403028}),
    ("regx s0; regx s1; lit10; LLVM_select_bit_piece 8 4", {"s0": 0x11033301, "s1": 0x04660288}),
    ("regx s0; regx s1; lit1; lit2; LLVM_overlay", {"s0": 0x04223301, "s1": 0x55660302}),
    ("regx s0; LLVM_extend 8 1; LLVM_extend 8 1; piece 1; regx s1; piece 3",
     {"s0": 0x11223301, "s1": 0x55040302}),
]  # fmt: skip


@pytest.mark.clause(C + "contiguous", "keeps")
@pytest.mark.parametrize(("text", "expected"), WRITES)
def test_write_through(text: str, expected: dict[str, int]) -> None:
    made = world(registers={"s0": 0x11223344, "s1": 0x55667788})
    location = made.location(text)
    access = made.context.access
    size_bytes = 8 if text == TWO else 4
    access.write_bytes(location, bytes(range(1, 1 + size_bytes)))
    assert access.read_bytes(location, size_bytes) == bytes(range(1, 1 + size_bytes))
    for name, value in expected.items():
        contents = access.retrieve(made.location(f"regx {name}"), 32)
        assert contents == value, f"{name} is {contents:#x}"


def test_deep_nesting() -> None:
    """A part of a part of a part: what is read is at the bottom, in time that is linear."""
    text = "regx s0" + "; lit0; LLVM_bit_offset; LLVM_extend 32 1" * 2000
    assert GPU.context.access.retrieve(GPU.location(text), 32) == 0x11223344
    raises(lambda: CPU.result("addr 0; LLVM_extend 64 0x4000000000000000"), IllFormed, "largest")
    assert shown(CPU.result("addr 0; LLVM_extend 8 2")) == "{2 x 8: default#0x0}"
