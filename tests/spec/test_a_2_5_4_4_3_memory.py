"""A.2.5.4.4.3 memory and A.2.5.4.4.4 register location description operations."""

from __future__ import annotations

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import (
    EvaluationError,
    IllFormed,
    MissingContext,
    OutOfRange,
    Unavailable,
    UndefinedBits,
)
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.model.location import UNDEFINED_LOCATION
from tests.spec.machine import (
    BIG_WORLD,
    CPU,
    GFX,
    GPU,
    PATTERN,
    X86,
    Fact,
    World,
    breaks,
    facts,
    keeps,
    raises,
    shown,
    world,
)

M = "A.2.5.4.4.3/"
R = "A.2.5.4.4.4/"
LANE = "constu private_lane; LLVM_form_aspace_address"
POINTER = "implicit_pointer 0x114 8; deref"
BIASED = GPU.changed(unit=evolve(GPU.unit, load_bias=0x10_0000))
FRAMED = GPU.changed(
    frame=ExplicitFrame(
        GFX, given_cfa=GPU.memory(5, 0x10, 3), given_frame_base=GPU.memory(5, 0x12, 3)
    )
)


@facts("fact", [
    keeps(M + "size", "lit0; not; LLVM_extend 8 1", "{1 x 8: global#0xffffffffffffffff}"),
    keeps(M + "size", "constu 0xffffffff; lit3; LLVM_form_aspace_address; piece 1",
          "{8: local#0xffffffff}"),
    breaks(M + "size", "constu 0xffffffff; lit3; LLVM_form_aspace_address; piece 2", IllFormed,
           "16 bits", "local memory has 8 left"),
    breaks(M + "size", "lit0; not; deref_size 2", OutOfRange, "8 remain"),
    keeps(M + "byte-address", "addr 0x10; const1u 16; LLVM_bit_offset; lit0; plus", "18"),
    breaks(M + "byte-address", "addr 0x10; const1u 15; LLVM_bit_offset; lit0; plus", IllFormed,
           "a value is required"),
    keeps(M + "none", "lit16; lit0; LLVM_form_aspace_address; lit0; plus", "16"),
    keeps(M + "none", "lit16; lit0; LLVM_form_aspace_address", "default#0x10", at=BIG_WORLD),
    breaks(M + "none", "lit16; lit1; LLVM_form_aspace_address; lit0; plus", IllFormed,
           "generic", note="AMD's generic address space is not the default one"),
    keeps(M + "to-location", "constu 0x1010; deref_size 1", "16"),
    keeps(M + "to-location", "lit0; not; lit0; LLVM_offset", "global#0xffffffffffffffff"),
    keeps(M + "to-location", "lit0; not; lit0; LLVM_offset", "default#0xffffffff", at=BIG_WORLD),
    breaks(M + "to-location", "constu 0x1010; deref_size 1", MissingContext, "architecture",
           at=GPU.changed(architecture=None), note="which is the default address space?"),
    *(breaks(M + "to-location-type", f"const({kind},4112); deref_size 1", IllFormed, kind,
             "only the generic type") for kind in ("u64", "i64", "u32", "bool", "ptr", "f64")),
    keeps(M + "to-location-type", "const(u64,0x1010); convert 0; deref_size 1", "16"),
    keeps(M + "to-location-pointer", f"{POINTER}; deref_size 1", "8"),
    keeps(M + "to-location-pointer", f"{POINTER}; LLVM_offset_uconst 4", "global#0x100c"),
    breaks(M + "to-location-pointer",
           "lit3; LLVM_aspace_implicit_pointer 0x114 0; deref_type 4 @u32; deref_size 1",
           EvaluationError, "local", "default address space"),
    keeps(M + "to-value", "addr 0x1010; lit1; plus", "0x1011"),
    keeps(M + "to-value", "addr 0x1010; LLVM_offset_uconst 3; neg; neg", "0x1013"),
    keeps(M + "to-value", "addr 0x1010; convert @u8", "u8 16"),
    breaks(M + "to-value", "addr 0x1010", "global#0x1010", note="only where a value is required"),
    *(breaks(M + "to-value-otherwise", f"{text}; neg", IllFormed, "a value is required")
      for text in ("regx s0", "lit5; stack_value", "LLVM_undefined", "call2 0x108",
                   f"lit16; {LANE}", "addr 0x10; lit4; LLVM_bit_offset", "implicit_pointer 0x114 0",
                   "addr 0x10; piece 8; LLVM_piece_end", "addr 0x10; LLVM_extend 64 1")),
    keeps(M + "to-value-otherwise", "addr 0x10; neg; neg", "16"),
    keeps(M + "addr", "addr 0x1000", "global#0x1000"),
    keeps(M + "addr", "addr 0x1000", "global#0x101000", at=BIASED, note="relocated"),
    keeps(M + "addr", ".byte 3, 0, 0, 0x10, 0", "default#0x1000", at=BIG_WORLD),
    breaks(M + "addr", "lit16", "16", note="a literal is not an address, nor relocated", at=BIASED),
    keeps(M + "addrx", "addrx 0", "global#0x1000"),
    keeps(M + "addrx", "addrx 0", "global#0x101000", at=BIASED, note="relocated"),
    breaks(M + "addrx", "addrx 5", IllFormed, ".debug_addr", "5"),
])  # fmt: skip
def test_memory(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(f"{M}form_aspace_address {M}form_aspace_address-space {M}form_aspace_address-integral",
          "const(u8,16); const(i8,3); LLVM_form_aspace_address", "local#0x10"),
    keeps(M + "form_aspace_address", "lit16; lit1; LLVM_form_aspace_address",
          "generic[3]#0x10", note="which depends on the lane"),
    keeps(M + "form_aspace_address", f"lit16; {LANE}", "private_lane[3]#0x10"),
    keeps(M + "form_aspace_address", "lit16; lit6; LLVM_form_aspace_address", "private_wave#0x10"),
    keeps(M + "form_aspace_address", "constu 0x123456789; lit3; LLVM_form_aspace_address",
          "local#0x23456789", note="the low bits"),
    keeps(M + "form_aspace_address", "const(i8,-1); lit0; LLVM_form_aspace_address", "global#0xff",
          note="zero-extended, signed or not"),
    keeps(M + "form_aspace_address", "const(i8,-1); lit3; LLVM_form_aspace_address", "local#0xff"),
    keeps(M + "form_aspace_address", "lit0; not; lit1; LLVM_form_aspace_address", "small#0xff",
          at=BIG_WORLD),
    keeps(M + "form_aspace_address", "addr 0x10; addr 3; LLVM_form_aspace_address", "local#0x10",
          note="default addresses convert to values"),
    keeps(M + "form_aspace_address", f"{POINTER}; lit0; LLVM_form_aspace_address", "global#0x1008"),
    breaks(M + "form_aspace_address", "lit3; LLVM_form_aspace_address", IllFormed,
           "2 stack entries needed"),
    *(breaks(M + "form_aspace_address-integral", text, IllFormed, "integral")
      for text in ("const(f64,16); lit3; LLVM_form_aspace_address",
                   "lit16; const(f64,3); LLVM_form_aspace_address",
                   "const(ptr,16); lit0; LLVM_form_aspace_address",
                   "lit16; const(ptr,0); LLVM_form_aspace_address")),
    breaks(M + "form_aspace_address-integral", "regx s0; lit3; LLVM_form_aspace_address", IllFormed,
           "a value is required"),
    breaks(M + "form_aspace_address-space", "lit16; lit4; LLVM_form_aspace_address", IllFormed,
           "gfx942 defines no address space 4"),
    breaks(M + "form_aspace_address-space", "lit16; lit1; LLVM_form_aspace_address", IllFormed,
           "x86_64 defines no address space 1", at=CPU),
    breaks(M + "form_aspace_address-space", "lit16; const(i8,-1); LLVM_form_aspace_address",
           IllFormed, "255", note="address-space numbers are unsigned"),
    breaks(M + "form_aspace_address-space", "lit16; const1u 32; LLVM_form_aspace_address",
           IllFormed,
           "32", note="the lane spaces of 2020 are gone"),
    keeps(M + "form_aspace_address-context", f"lit16; {LANE}", "private_lane[5]#0x10",
          at=GPU.changed(lane=5)),
    keeps(M + "form_aspace_address-context", "constu 0x20; lit3; LLVM_form_aspace_address; "
          "deref_size 1", "192"),
    breaks(M + "form_aspace_address-context", f"lit16; {LANE}", MissingContext, "lane",
           at=GPU.changed(lane=None)),
    breaks(M + "form_aspace_address-context", "lit16; lit3; LLVM_form_aspace_address",
           MissingContext, "thread", at=GPU.changed(wave=None)),
    keeps(f"{M}form_tls_address {M}form_tls_address-integral", "const(i8,8); form_tls_address",
          "global#0x1080"),
    keeps(M + "form_tls_address", "lit8; form_tls_address; deref_size 1", "128"),
    breaks(M + "form_tls_address", "lit9; form_tls_address", MissingContext, "0x9"),
    breaks(M + "form_tls_address-integral", "const(f32,8); form_tls_address", IllFormed, "f32"),
    breaks(M + "form_tls_address-integral", "regx s0; form_tls_address", IllFormed, "is required"),
    keeps(M + "call_frame_cfa", "call_frame_cfa", "private_lane[3]#0x10", at=FRAMED,
          note="the CFA need not be in the default address space"),
    breaks(M + "call_frame_cfa", "call_frame_cfa", MissingContext, "CFA"),
    keeps(M + "fbreg", "fbreg 4", "private_lane[3]#0x16", at=FRAMED),
    keeps(M + "fbreg", "fbreg -2", "private_lane[3]#0x10", at=FRAMED, note="signed"),
    breaks(M + "fbreg", "fbreg 0", MissingContext, "frame base"),
    keeps(M + "fbreg-outside", "fbreg -18", "private_lane[3]#0x0", at=FRAMED),
    breaks(M + "fbreg-outside", "fbreg -19", OutOfRange, "private_lane", at=FRAMED),
    breaks(M + "fbreg-outside", "fbreg 0xffffffff", OutOfRange, "private_lane", at=FRAMED),
])  # fmt: skip
def test_form(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(M + "breg", "breg1 8", "default#0x1008", at=world(X86, registers={"rdx": 0x1000})),
    keeps(M + "breg", "breg1 -8", "default#0xff8", at=CPU),
    keeps(M + "breg", "breg2 8", "default#0x0", at=CPU, note="modulo the address size"),
    keeps(M + "breg", "breg2 7", "default#0xffffffffffffffff", at=CPU),
    keeps(M + "breg", "breg1 0", "default#0xa1a2a3a4", at=BIG_WORLD),
    keeps(M + "breg", "breg0 1", "default#0x55667789", at=BIG_WORLD,
          note="of a wider register the low bits, also on a big-endian machine"),
    keeps(M + "breg", "bregx pc 4", "global#0x1044"),
    keeps(M + "breg", "breg17 0", "default#0x2000", at=CPU, note="the low bits of xmm0"),
    breaks(M + "breg", "breg3 0", Unavailable, "rbx", at=CPU),
    keeps(M + "breg-narrow", "breg1 0", "default#0xa1a2a3a4", at=BIG_WORLD),
    breaks(M + "breg-narrow", "breg2 0", OutOfRange, "r2 of 16 bits", "32-bit addresses",
           at=BIG_WORLD),
    breaks(M + "breg-narrow", "bregx s0 0", OutOfRange, "s0 of 32 bits", "64-bit addresses"),
    keeps(M + "bregx", "bregx rdx 8", "default#0x1008", at=CPU),
    breaks(M + "bregx", "bregx 9999 8", IllFormed, "9999", at=CPU),
    keeps(f"{M}aspace_bregx {M}aspace_bregx-space {M}aspace_bregx-integral",
          "const(u8,5); LLVM_aspace_bregx s32 4", "private_lane[3]#0x104"),
    keeps(M + "aspace_bregx", "lit6; LLVM_aspace_bregx s32 -4", "private_wave#0xfc"),
    keeps(M + "aspace_bregx", "lit3; LLVM_aspace_bregx pc 0", "local#0x1040",
          note="the low bits of a wider register"),
    keeps(M + "aspace_bregx", "lit1; LLVM_aspace_bregx 0 0", "small#0x88", at=BIG_WORLD),
    keeps(M + "aspace_bregx", "lit3; LLVM_aspace_bregx s32 -257", "local#0xffffffff"),
    breaks(M + "aspace_bregx", "lit0; LLVM_aspace_bregx s32 0", OutOfRange, "s32 of 32 bits"),
    breaks(M + "aspace_bregx", "LLVM_aspace_bregx s32 0", IllFormed, "1 stack entry needed"),
    breaks(M + "aspace_bregx-space", "lit4; LLVM_aspace_bregx s32 0", IllFormed, "address space 4"),
    breaks(M + "aspace_bregx-integral", "const(f64,5); LLVM_aspace_bregx s32 0", IllFormed, "f64"),
    breaks(M + "aspace_bregx-integral", "regx s0; LLVM_aspace_bregx s32 0", IllFormed, "value is"),
])  # fmt: skip
def test_breg(fact: Fact) -> None:
    fact.check()


OUTER = GPU.changed(
    frame=ExplicitFrame(
        GFX,
        level=2,
        registers={
            32: GPU.memory(0, 0x1010),
            33: UNDEFINED_LOCATION,
            34: GPU.location("regx s0"),
            16: GPU.memory(0, 0x1020),
        },
    )
)


@facts("fact", [
    keeps(R + "size", "regx s0; piece 4", "{32: s0}"),
    keeps(R + "size", "regx v3; constu 255; LLVM_offset", "v3+2040b"),
    keeps(R + "size", "regx st0; piece 10", "{80: st0}", at=CPU),
    breaks(R + "size", "regx s0; piece 5", IllFormed, "register s0 has 32 left"),
    breaks(R + "size", "regx v3; constu 256; LLVM_offset", OutOfRange, "2048 bits"),
    breaks(R + "size", "regx st0; deref_type 16 @u128", OutOfRange, "st0", at=CPU),
    *(keeps(R + "reg", f"reg{n}", name, at=CPU)
      for n, name in ((0, "rax"), (1, "rdx"), (7, "rsp"), (16, "rip"), (31, "xmm14"))),
    breaks(R + "reg", "reg5", IllFormed, "gfx942 defines no DWARF register 5"),
    keeps(f"{R}regx-top {R}regx-number", "regx s0", "s0"),
    keeps(R + "regx-top", "regx s40", "s40", note="its contents need not be known"),
    breaks(R + "regx-top", "regx s0", MissingContext, "thread", at=GPU.changed(wave=None)),
    breaks(R + "regx-top", "regx s0", MissingContext, "frame", at=GPU.changed(frame=None)),
    keeps(R + "regx-frame", "regx s0", "global#0x1010", at=OUTER),
    keeps(R + "regx-frame", "regx s1", "undefined", at=OUTER),
    keeps(R + "regx-frame", "regx s2", "s0", at=OUTER),
    keeps(R + "regx-frame", "bregx pc 0", "global#0x2726252423222120", at=OUTER,
          note="the base of an address too"),
    keeps(R + "regx-frame", "regval_type s2 @u32", f"u32 {0x11223344}", at=OUTER),
    breaks(R + "regx-frame", "regval_type s1 @u32", UndefinedBits, at=OUTER),
    breaks(R + "regx-frame", "regx s3", MissingContext, "call frame 2", "35", at=OUTER),
    breaks(R + "regx-number", "regx 9999", IllFormed, "gfx942 defines no DWARF register 9999"),
    breaks(R + "regx-number", "regx 9999", IllFormed, "9999", at=OUTER),
])  # fmt: skip
def test_register(fact: Fact) -> None:
    fact.check()


def alias_world() -> World:
    """16 bytes of each memory of a wave, by any of its views."""
    return world(
        GFX,
        memory=(
            (6, None, 0, bytes(0x800)),
            (3, None, 0x20, bytes(16)),
            (0, None, 0x1000, PATTERN),
        ),
        lane=3,
    )


ALIASES = [
    (f"lit8; {LANE}", "constu 524; lit6; LLVM_form_aspace_address", 4),
    (f"lit8; {LANE}", "constu 0x2000000000008; lit1; LLVM_form_aspace_address", 8),
    ("constu 0x20; lit3; LLVM_form_aspace_address",
     "constu 0x1000000000020; lit1; LLVM_form_aspace_address", 8),
    ("addr 0x1010", "constu 0x1010; lit1; LLVM_form_aspace_address", 8),
]  # fmt: skip


@pytest.mark.clause(M + "alias", "keeps")
@pytest.mark.parametrize(("one", "other", "count"), ALIASES)
def test_a_write_through_one_view_is_seen_through_the_other(
    one: str, other: str, count: int
) -> None:
    data = bytes(range(0x51, 0x51 + count))
    for through, seen in ((one, other), (other, one)):
        made = alias_world()
        access = made.context.access
        assert access.read_bytes(made.location(one), count) == access.read_bytes(
            made.location(other), count
        )
        access.write_bytes(made.location(through), data)
        assert access.read_bytes(made.location(seen), count) == data


@pytest.mark.clause(M + "alias", "breaks")
def test_what_is_not_the_same_place_is_not_changed() -> None:
    made = alias_world()
    access = made.context.access
    access.write_bytes(made.location(f"lit8; {LANE}"), b"\1\2\3\4\5\6\7\x08")
    for lane in (2, 4):
        other = made.changed(lane=lane)
        assert access.read_bytes(other.location(f"lit8; {LANE}"), 8) == bytes(8)
    wave = made.location("constu 524; lit6; LLVM_form_aspace_address")
    assert access.read_bytes(wave, 8) == b"\1\2\3\4\0\0\0\0", "the next dword is another lane's"
    assert shown(made.result(f"lit8; {LANE}")) != shown(made.result("lit8; lit6; "
                                                     "LLVM_form_aspace_address"))  # fmt: skip
    raises(lambda: access.read_bytes(made.location("lit8; lit2; LLVM_form_aspace_address"), 1),
           Unavailable, "region")  # fmt: skip
