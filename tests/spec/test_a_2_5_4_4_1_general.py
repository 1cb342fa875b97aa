"""A.2.5.4.4.1 general and A.2.5.4.4.2 undefined location description operations."""

from __future__ import annotations

from dwarfgpu.errors import EvaluationError, IllFormed, MissingContext, OutOfRange
from dwarfgpu.expr.explicit_context import ExplicitFrame
from dwarfgpu.model.location import UNDEFINED_LOCATION
from tests.spec.machine import BIG_WORLD, GFX, GPU, Fact, breaks, facts, keeps

C = "A.2.5.4.4.1/"
U = "A.2.5.4.4.2/"
POINTER = "implicit_pointer 0x114 0; deref"
LOCAL = "lit16; constu local; LLVM_form_aspace_address"
ENTERED = GPU.changed(
    frame=ExplicitFrame(
        GFX,
        entry_registers={
            32: GPU.memory(0, 0x1010),
            33: UNDEFINED_LOCATION,
            34: GPU.location("regx s2"),
        },
    )
)


@facts("fact", [
    keeps(C + "offset", "addr 0x1000; lit4; LLVM_offset", "global#0x1004"),
    keeps(C + "offset", "addr 0x1000; consts -4; LLVM_offset", "global#0xffc",
          note="a generic displacement is signed"),
    keeps(C + "offset", "addr 0x1000; const(i8,-4); LLVM_offset", "global#0xffc"),
    keeps(C + "offset", "addr 0x1000; const(u8,252); LLVM_offset", "global#0x10fc",
          note="an unsigned one is not"),
    keeps(C + "offset", "addr 0x1000; const(bool,3); LLVM_offset", "global#0x1003"),
    keeps(C + "offset", "lit16; lit4; LLVM_offset", "global#0x14", note="a value converts"),
    keeps(C + "offset", "addr 0x1000; addr 4; LLVM_offset", "global#0x1004", note="and back"),
    keeps(C + "offset", "regx s0; lit3; LLVM_offset", "s0+24b"),
    keeps(C + "offset", "regx v3; LLVM_push_lane; lit4; mul; LLVM_offset", "v3+96b"),
    keeps(C + "offset", "lit5; stack_value; lit7; LLVM_offset", "implicit 0000000000000005+56b"),
    keeps(C + "offset", "regx s0; piece 4; regx s1; piece 4; LLVM_piece_end; lit5; LLVM_offset",
          "{32: s0, 32: s1}+40b"),
    keeps(C + "offset", "implicit_pointer 0x114 0; lit4; LLVM_offset",
          "pointer to 0x114+0 in global+32b"),
    keeps(C + "offset", "call2 0x108; lit2; LLVM_offset", "global#0x1002 | s0+16b",
          note="each of several places"),
    keeps(C + "offset", f"{LOCAL}; lit1; LLVM_offset", "local#0x11"),
    keeps(C + "offset", "lit0; lit0; not; lit1; shr; lit3; shr; LLVM_offset",
          "global#0xfffffffffffffff"),
    breaks(C + "offset", "regx s0; LLVM_offset", IllFormed, "2 stack entries needed"),
    breaks(C + "offset", f"addr 0x1000; {POINTER}; LLVM_offset", EvaluationError,
           "implicit pointer value has no number"),
    *(breaks(f"{C}offset-integral {C}bit_offset-integral", f"addr 0x1000; const({kind},1); {name}",
             IllFormed, "integral", kind)
      for kind in ("f32", "ptr", "utf") for name in ("LLVM_offset", "LLVM_bit_offset")),
    *(keeps(f"{C}offset-integral {C}bit_offset-integral", f"addr 0x1000; const({kind},8); {name}",
            where)
      for kind in ("i8", "u128", "char", "bool", "i5")
      for name, where in (("LLVM_offset", "global#0x1008"), ("LLVM_bit_offset", "global#0x1001"))),
    keeps(C + "offset-location", "lit16; lit4; LLVM_offset", "global#0x14"),
    *(breaks(C + "offset-location", f"{text}; lit4; LLVM_offset", IllFormed)
      for text in ("const(u64,16)", "const(f64,1)", "const(ptr,16)", "regx s0; piece 4")),
    keeps(C + "offset-outside", "regx s0; lit3; LLVM_offset; consts -3; LLVM_offset", "s0"),
    keeps(C + "offset-outside", "lit0; not; lit0; LLVM_offset", "global#0xffffffffffffffff"),
    breaks(C + "offset-outside", "regx s0; lit4; LLVM_offset", OutOfRange, "bit offset 32",
           "32 bits", "register s0", "DW_OP_LLVM_offset"),
    breaks(C + "offset-outside", "regx s0; consts -1; LLVM_offset", OutOfRange, "bit offset -8"),
    breaks(C + "offset-outside", "addr 0; consts -1; LLVM_offset", OutOfRange, "global memory"),
    breaks(C + "offset-outside", "lit0; not; lit1; LLVM_offset", OutOfRange, "global memory",
           note="a location does not wrap"),
    breaks(C + "offset-outside", "const(u32,0xffffffff); constu local; LLVM_form_aspace_address; "
           "lit1; LLVM_offset", OutOfRange, "local memory"),
    breaks(C + "offset-outside", "implicit_value 2 1 2; lit2; LLVM_offset", OutOfRange, "16 bits"),
    breaks(C + "offset-outside", "implicit_value 0; lit0; LLVM_offset", OutOfRange, "0 bits",
           note="storage of no bits has no position"),
    breaks(C + "offset-outside", "regx s0; LLVM_extend 8 4; lit4; LLVM_offset", OutOfRange),
    breaks(C + "offset-outside", "call2 0x108; lit4; LLVM_offset", OutOfRange, "s0",
           note="of any place"),
    keeps(C + "offset_uconst", "addr 0x1000; LLVM_offset_uconst 0x123", "global#0x1123"),
    keeps(C + "offset_uconst", "addr 0x1000; constu 0xfffffffffffffff8; LLVM_offset",
          "global#0xff8"),
    keeps(C + "offset_uconst", "addr 0x1000; LLVM_offset_uconst 0xfffffffffffffff8", "global#0xff8",
          note="the same as DW_OP_constu; DW_OP_LLVM_offset"),
    keeps(C + "offset_uconst", "addr 0x10; LLVM_offset_uconst 0x100000004", "default#0x14",
          at=BIG_WORLD, note="truncated like DW_OP_constu"),
    breaks(C + "offset_uconst", "regx s0; LLVM_offset_uconst 4", OutOfRange, "bit offset 32"),
    keeps(C + "bit_offset", "addr 0x1000; lit4; LLVM_bit_offset", "global#0x1000+4b"),
    keeps(C + "bit_offset", "addr 0x1000; consts -1; LLVM_bit_offset", "global#0xfff+7b"),
    keeps(C + "bit_offset", "addr 0x1000; const(u8,255); LLVM_bit_offset", "global#0x101f+7b"),
    keeps(C + "bit_offset", "regx s0; lit31; LLVM_bit_offset", "s0+31b"),
    keeps(C + "bit_offset", "call2 0x108; lit3; LLVM_bit_offset", "global#0x1000+3b | s0+3b"),
    breaks(C + "bit_offset", "lit1; LLVM_bit_offset", IllFormed, "2 stack entries needed"),
    keeps(C + "bit_offset-outside", "regx s0; lit31; LLVM_bit_offset", "s0+31b"),
    breaks(C + "bit_offset-outside", "regx s0; constu 32; LLVM_bit_offset", OutOfRange,
           "offset 32"),
    breaks(C + "bit_offset-outside", "regx s0; consts -1; LLVM_bit_offset", OutOfRange,
           "offset -1"),
    breaks(C + "bit_offset-outside", "call2 0x108; constu 32; LLVM_bit_offset", OutOfRange, "s0"),
    keeps(C + "push_object_address", "push_object_address", "private_lane[3]#0x10",
          at=GPU.changed(object=GPU.memory(5, 0x10, 3))),
    keeps(C + "push_object_address", "push_object_address; lit2; LLVM_offset",
          "global#0x1002 | s0+16b", at=GPU.changed(object=GPU.location("call2 0x108"))),
    breaks(C + "push_object_address", "push_object_address", MissingContext, "no object"),
    keeps(C + "call_frame_entry_reg", "LLVM_call_frame_entry_reg s0", "global#0x1010", at=ENTERED),
    breaks(C + "call_frame_entry_reg", "LLVM_call_frame_entry_reg s9", MissingContext,
           "register 41 on entry", at=ENTERED),
    breaks(C + "call_frame_entry_reg", "LLVM_call_frame_entry_reg 9999", IllFormed, "9999",
           at=ENTERED),
    keeps(C + "call_frame_entry_reg-undefined", "LLVM_call_frame_entry_reg s1", "undefined",
          at=ENTERED),
    breaks(C + "call_frame_entry_reg-undefined", "LLVM_call_frame_entry_reg s0", "global#0x1010",
           at=ENTERED, note="saved"),
    keeps(C + "call_frame_entry_reg-same", "LLVM_call_frame_entry_reg s2", "s2", at=ENTERED),
    breaks(C + "call_frame_entry_reg-same", "LLVM_call_frame_entry_reg s0", "global#0x1010",
           at=ENTERED, note="saved"),
    keeps(U + "undefined", "LLVM_undefined", "undefined"),
    *(keeps(U + "no-offset", f"LLVM_undefined; {text}", "undefined")
      for text in ("lit31; LLVM_offset", "consts -5; LLVM_offset", "LLVM_offset_uconst 0xffff",
                   "lit0; not; LLVM_bit_offset")),
    breaks(U + "no-offset", "LLVM_undefined; const(f32,1); LLVM_offset", IllFormed, "integral",
           note="the displacement is checked all the same"),
    keeps(U + "no-size", "LLVM_undefined; piece 100000", "{800000: undefined}"),
    keeps(U + "no-size", "LLVM_undefined; bit_piece 3 1000", "{3: undefined}"),
    keeps(U + "no-size", "bit_piece 3 1000", "{3: undefined}", note="implicitly"),
    keeps(U + "no-size", "LLVM_undefined; LLVM_extend 7 9", "{9 x 7: undefined}"),
    breaks(U + "no-size", "regx s0; piece 5", IllFormed, "40 bits", "s0", "32 left",
           note="all else has a size"),
])  # fmt: skip
def test_general(fact: Fact) -> None:
    fact.check()
