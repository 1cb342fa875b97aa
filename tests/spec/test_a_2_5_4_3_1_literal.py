"""A.2.5.4.3.1 literal operations."""

from __future__ import annotations

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import IllFormed, InconsistentContext, Malformed, MissingContext
from tests.spec.machine import (
    BIG_WORLD,
    GPU,
    OFFSETS,
    Fact,
    World,
    breaks,
    facts,
    keeps,
    raises,
    world,
)

C = "A.2.5.4.3.1/"
NARROW = BIG_WORLD
BIASED = World(
    evolve(GPU.context, unit=evolve(GPU.unit, load_bias=0x7F00_0000_0000)), GPU.target, GPU.unit
)


def by_type(name: str, *data: int) -> str:
    return f"const_type {OFFSETS[name]} {len(data)} " + " ".join(map(str, data))


@facts("fact", [
    *(keeps(C + "lit", f"lit{n}", str(n)) for n in range(32)),
    keeps(C + "const-unsigned", "const1u 255", "255"),
    keeps(C + "const-unsigned", "const2u 0xffff", "0xffff"),
    keeps(C + "const-unsigned", "const4u 0xffffffff", "0xffffffff"),
    keeps(C + "const-unsigned", "const8u 0xffffffffffffffff", "0xffffffffffffffff"),
    keeps(C + "const-unsigned", "const2u 0x1234", "0x1234", at=BIG_WORLD, note="big-endian"),
    keeps(C + "const-unsigned", "constu 0x123456789", "0x123456789"),
    keeps(C + "const-unsigned", ".byte 0x10, 0x85, 0x80, 0x80, 0x00", "5", note="padded"),
    breaks(C + "const-unsigned", ".byte 0x0a, 1", Malformed, "DW_OP_const2u", "2 bytes needed"),
    breaks(C + "const-unsigned", ".byte 0x10, 0x80", Malformed, "cut short"),
    keeps(C + "const-signed", "const1s -1", "0xffffffffffffffff"),
    keeps(C + "const-signed", "const2s -2", "0xfffffffffffffffe"),
    keeps(C + "const-signed", "const4s -2", "0xfffffffffffffffe"),
    keeps(C + "const-signed", "const8s -2", "0xfffffffffffffffe"),
    keeps(C + "const-signed", "consts -2", "0xfffffffffffffffe"),
    keeps(C + "const-signed", "const1s 127", "127"),
    keeps(C + "const-signed", ".byte 0x11, 0xff, 0xff, 0x7f", "0xffffffffffffffff", note="padded"),
    breaks(C + "const-signed", ".byte 0x0d, 1, 2, 3", Malformed, "4 bytes needed"),
    breaks(C + "const-signed", ".byte 0x11, 0xff", Malformed, "cut short"),
    keeps(C + "truncated", "const8u 0x1122334455667788", "0x55667788", at=NARROW),
    keeps(C + "truncated", "constu 0x1ffffffff", "0xffffffff", at=NARROW),
    keeps(C + "truncated", "constu 0x1234567890abcdef1234567890abcdef", "0x1234567890abcdef"),
    keeps(C + "truncated", "const8s -1", "0xffffffff", at=NARROW),
    keeps(C + "truncated", "consts -0x100000001", "0xffffffff", at=NARROW),
    breaks(C + "truncated", "constu 0xffffffff", "0xffffffff", at=NARROW, note="it fits"),
    breaks(C + "truncated", "const(u64,0x1122334455667788)", "u64 1234605616436508552", at=NARROW,
           note="const_type is not truncated"),
    keeps(C + "constx", "constx 0", "0x1000"),
    keeps(C + "constx", "constx 0", "0x1000", at=BIASED, note="not relocated, as addrx would be"),
    breaks(C + "constx", "constx 7", IllFormed, ".debug_addr", "7"),
    keeps(f"{C}const_type {C}const_type-type {C}const_type-size", by_type("u16", 0x34, 0x12),
          "u16 4660"),
    keeps(C + "const_type", by_type("u16", 0x12, 0x34), "u16 4660", at=BIG_WORLD),
    keeps(C + "const_type", by_type("i5", 0xFF), "i5 -1", note="the low 5 bits"),
    keeps(C + "const_type", by_type("i5", 0x2F), "i5 15", note="the low 5 bits"),
    keeps(C + "const_type", by_type("u12", 0xCD, 0xAB), "u12 3021", note="the low 12 bits"),
    keeps(C + "const_type", by_type("u12", 0xAB, 0xCD), "u12 3021", at=BIG_WORLD),
    keeps(C + "const_type", by_type("swapped32", 1, 2, 3, 4), "swapped32 16909060"),
    keeps(C + "const_type", by_type("f16", 0, 0x3E), "f16 1.5"),
    keeps(C + "const_type", by_type("f32", 0, 0, 0xC0, 0x3F), "f32 1.5"),
    keeps(C + "const_type", by_type("f64", 0, 0, 0, 0, 0, 0, 0xF8, 0x3F), "f64 1.5"),
    keeps(C + "const_type", by_type("f128", *[0] * 13, 0x80, 0xFF, 0x3F), "f128 1.5"),
    keeps(C + "const_type", by_type("x87", *[0] * 7, 0xC0, 0xFF, 0x3F), "x87 1.5"),
    keeps(C + "const_type", by_type("i128", *[0xFF] * 16), "i128 -1"),
    keeps(C + "const_type", by_type("vec4", *range(16)), "vec4 0xf0e0d0c0b0a09080706050403020100"),
    keeps(C + "const_type", by_type("bool", 1), "bool 1"),
    keeps(C + "const_type", by_type("__bf16", 0, 0x3F), "__bf16 0x3f00"),
    breaks(C + "const_type", "const_type 0 8 1 2 3 4 5 6 7 8", IllFormed, "no DW_TAG_base_type",
           note="0 is not the generic type here"),
    breaks(C + "const_type-type", "const_type 0x99 1 5", IllFormed, "0x99"),
    breaks(C + "const_type-size", by_type("u16", 1), IllFormed, "1 byte ", "u16", "2 bytes"),
    breaks(C + "const_type-size", by_type("u16", 1, 2, 3), IllFormed, "3 bytes", "u16"),
    breaks(C + "const_type-size", by_type("u12", 1), IllFormed, "1 byte ", "u12 of 2 bytes"),
    breaks(C + "const_type-size", by_type("u8", *[0] * 255), IllFormed, "255 bytes"),
    breaks(C + "const_type-size", by_type("u8"), IllFormed, "0 bytes"),
    keeps(C + "push_lane", "LLVM_push_lane", "3"),
    keeps(C + "push_lane " + C + "push_lane-range", "LLVM_push_lane", "63",
          at=GPU.changed(lane=63)),
    breaks(C + "push_lane", "LLVM_push_lane", MissingContext, "no lane", at=GPU.changed(lane=None)),
    keeps(C + "push_iteration", "LLVM_push_iteration", "1"),
    keeps(C + "push_iteration-range", "LLVM_push_iteration", "0",
          at=world(iteration=0, iteration_count=1)),
    breaks(C + "push_iteration", "LLVM_push_iteration", MissingContext, "no iteration",
           at=world()),
])  # fmt: skip
def test_literal(fact: Fact) -> None:
    fact.check()


@pytest.mark.clause(C + "push_lane-range", "breaks")
def test_lane_out_of_range() -> None:
    """Refused before any operation could push it: the context itself is inconsistent."""
    raises(lambda: GPU.changed(lane=64), InconsistentContext, "lane 64", "lane count 64")


@pytest.mark.clause(C + "push_iteration-range", "breaks")
def test_iteration_out_of_range() -> None:
    raises(lambda: GPU.changed(iteration=4), InconsistentContext, "iteration 4", "count 4")
