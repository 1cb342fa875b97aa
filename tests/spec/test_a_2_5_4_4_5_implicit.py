"""A.2.5.4.4.5 implicit location description operations, with every restriction of pointers."""

from __future__ import annotations

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import (
    EvaluationError,
    IllFormed,
    Malformed,
    MissingContext,
    OutOfRange,
    UndefinedBits,
)
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.model.location import ImplicitPointerValue
from tests.spec.machine import (
    BIG_WORLD,
    GPU,
    Fact,
    breaks,
    facts,
    keeps,
    raises,
    shown,
    world,
)

C = "A.2.5.4.4.5/"
POINTER = "implicit_pointer 0x114 4"
VALUE = f"{POINTER}; deref"
IN_GLOBAL = "value: pointer to 0x114+4 in global"
LOCAL = "lit3; LLVM_aspace_implicit_pointer 0x114 4"
IN_LOCAL = "value: pointer to 0x114+4 in local"
LOW = "LLVM_offset_uconst 0; piece 4"
HIGH = "LLVM_offset_uconst 4; piece 4"
OTHER = "implicit_pointer 0x114 5"


@facts("fact", [
    keeps(C + "implicit_value", "implicit_value 3 1 2 3", "implicit 030201"),
    keeps(C + "implicit_value", "implicit_value 3 1 2 3", "implicit 010203", at=BIG_WORLD),
    keeps(C + "implicit_value", "implicit_value 0", "implicit empty"),
    keeps(C + "implicit_value", "implicit_value 3 1 2 3; deref_type 2 @u16", f"u16 {0x201}"),
    breaks(C + "implicit_value", ".byte 0x9e, 4, 1, 2", Malformed, "4 bytes needed"),
    keeps(f"{C}stack_value {C}stack_value-kind", "lit5; stack_value", "implicit 0000000000000005"),
    keeps(C + "stack_value", "const(i8,-1); stack_value", "implicit ff"),
    keeps(C + "stack_value", "const(u12,0xabc); stack_value", "implicit 0xabc:12"),
    keeps(C + "stack_value", "const(f32,1.5); stack_value", "implicit 3fc00000"),
    keeps(C + "stack_value", "const(swapped32,0x11223344); stack_value", "implicit 44332211"),
    keeps(C + "stack_value", "const(vec4,5); stack_value", f"implicit {5:032x}"),
    keeps(C + "stack_value", "addr 0x1000; stack_value", "implicit 0000000000001000",
          note="a default address converts"),
    breaks(C + "stack_value", "stack_value", IllFormed, "1 stack entry needed"),
    *(breaks(C + "stack_value-kind", f"{text}; stack_value", IllFormed)
      for text in ("regx s0", "LLVM_undefined", "lit5; stack_value", "regx s0; piece 4",
                   "lit16; lit3; LLVM_form_aspace_address", POINTER)),
    keeps(C + "stack_value-continues", "lit5; stack_value; piece 1; regx s0; piece 4",
          "{8: implicit 0000000000000005, 32: s0}"),
    keeps(C + "stack_value-continues", "lit5; stack_value; lit1; LLVM_offset; deref_size 1", "0"),
    breaks(C + "stack_value-continues", "lit5; stack_value; lit1; plus", IllFormed,
           "a value is required", note="but its result is a location"),
    keeps(C + "read-only", "const(u32,0x11223344); stack_value; lit1; LLVM_offset; deref_size 2",
          "0x2233"),
    breaks(C + "read-only", "const(u16,5); stack_value; lit1; LLVM_offset; deref_size 2",
           OutOfRange, "8 remain"),
    keeps(C + "pointer", POINTER, "pointer to 0x114+4 in global"),
    keeps(C + "pointer", "implicit_pointer 0x114 -4; piece 8",
          "{64: pointer to 0x114-4 in global}"),
    breaks(C + "pointer", f"{POINTER}; piece 9", IllFormed, "72 bits",
           "implicit pointer has 64 left"),
    keeps(C + "pointer", "implicit_pointer 0x999 0", "pointer to 0x999+0 in global",
          note="D is looked at only when the pointer is followed"),
    keeps(C + "pointer-reference", ".byte 0xa0, 0x14, 1, 0, 0, 4", "pointer to 0x114+4 in global"),
    keeps(C + "pointer-reference", ".byte 0xa0, 0x14, 1, 0, 0, 0, 0, 0, 0, 4",
          "pointer to 0x114+4 in global", at=world(form=UnitFormat(offset_size=8)), note="64-bit"),
    breaks(C + "pointer-reference", ".byte 0xa0, 0x14, 1, 0", Malformed, "4 bytes needed"),
])  # fmt: skip
def test_implicit(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(f"{C}deref-whole {C}deref-type {C}deref-all-bits {C}deref-ascending", VALUE, IN_GLOBAL),
    keeps(C + "deref-whole", f"{POINTER}; deref_size 8", IN_GLOBAL),
    keeps(C + "deref-whole", f"{POINTER}; deref_size 99", IN_GLOBAL),
    keeps(C + "deref-whole", f"{POINTER}; deref_type 8 @u64", IN_GLOBAL),
    keeps(C + "deref-whole", f"{POINTER}; {LOW}; {POINTER}; {HIGH}; LLVM_piece_end; deref",
          IN_GLOBAL, note="in two parts of two descriptions of the same storage"),
    keeps(C + "deref-whole", f"{POINTER}; {LOW}; piece 0; {POINTER}; {HIGH}; LLVM_piece_end; deref",
          IN_GLOBAL, note="around a part of no bits"),
    keeps(C + "deref-whole", f"{POINTER}; LLVM_extend 64 3; lit8; LLVM_offset; deref", IN_GLOBAL),
    keeps(C + "deref-whole", f"regx s0; piece 4; {POINTER}; piece 8; LLVM_piece_end; lit4; "
          "LLVM_offset; deref", IN_GLOBAL, note="as a member of a larger object"),
    *(breaks(C + "deref-all-bits", f"{text}; LLVM_piece_end; deref", EvaluationError,
             "only some of the bits")
      for text in (f"{POINTER}; {LOW}; regx s0; piece 4",
                   f"{POINTER}; {LOW}; {OTHER}; {HIGH}",
                   f"{POINTER}; {LOW}; LLVM_undefined; piece 4",
                   f"{LOCAL}; piece 4; {POINTER}; {LOW}",
                   f"regx s0; piece 4; {POINTER}; {HIGH}")),
    *(breaks(C + "deref-ascending", f"{text}; LLVM_piece_end; deref", EvaluationError,
             "not those of one implicit pointer, in order")
      for text in (f"{POINTER}; {HIGH}; {POINTER}; {LOW}",
                   f"{POINTER}; {LOW}; {POINTER}; {LOW}",
                   f"{POINTER}; {LOW}; {POINTER}; bit_piece 32 31")),
    *(breaks(C + "deref-whole", f"{POINTER}; {text}", EvaluationError, "bits")
      for text in ("deref_size 4", "deref_type 1 @u8", "lit4; LLVM_offset; deref_size 4")),
    breaks(C + "deref-whole", f"{POINTER}; lit4; LLVM_offset; deref", OutOfRange, "32 remain"),
    breaks(C + "deref-whole", f"{POINTER}; deref_type 16 @u128", OutOfRange, "128 bits"),
    keeps(C + "deref-type", f"{LOCAL}; deref_type 4 @u32", IN_LOCAL),
    keeps(C + "deref-type", f"{LOCAL}; deref_size 4", IN_LOCAL),
    breaks(C + "deref-type", f"{LOCAL}; deref", OutOfRange, "64 bits", note="32-bit addresses"),
])  # fmt: skip
def test_deref(fact: Fact) -> None:
    fact.check()


@pytest.mark.clause(C + "deref-type", "keeps")
def test_the_type_of_the_value() -> None:
    (default,) = GPU.stack(VALUE)
    (local,) = GPU.stack(f"{LOCAL}; deref_size 4")
    assert isinstance(default, ImplicitPointerValue) and isinstance(local, ImplicitPointerValue)
    assert default.type.is_generic
    assert (local.type.is_integral, local.type.bit_size) == (True, 32)


WITH_OBJECT = GPU.changed(object=GPU.memory(0, 0x1010))


@facts("fact", [
    keeps(f"{C}pointee-convert {C}pointee-location {C}pointee-offset", f"{VALUE}; deref_size 1",
          "4"),
    keeps(C + "pointee-convert", VALUE, "global#0x1004", want="location"),
    keeps(C + "pointee-convert", f"{VALUE}; piece 4", "{32: global#0x1004}"),
    keeps(C + "pointee-convert", f"{VALUE}; LLVM_extend 8 4", "{4 x 8: global#0x1004}"),
    breaks(C + "pointee-convert", f"{LOCAL}; deref_size 4; deref_size 1", EvaluationError,
           "implicit pointer to local"),
    breaks(C + "pointee-convert", f"{LOCAL}; deref_size 4; piece 4", EvaluationError, "local"),
    keeps(C + "pointee-aspace", f"{VALUE}; lit0; LLVM_form_aspace_address", "global#0x1004"),
    keeps(f"{C}pointee-aspace {C}pointee-aspace-other",
          f"{LOCAL}; deref_size 4; lit3; LLVM_form_aspace_address", "global#0x1004",
          note="wherever E says the object is"),
    breaks(C + "pointee-aspace", f"{LOCAL}; lit3; LLVM_form_aspace_address", IllFormed,
           "a value is required", note="the storage itself is not an address"),
    breaks(C + "pointee-aspace-other", f"{VALUE}; lit3; LLVM_form_aspace_address", EvaluationError,
           "implicit pointer to global used in local"),
    breaks(C + "pointee-aspace-other", f"{VALUE}; lit1; LLVM_form_aspace_address", EvaluationError,
           "generic"),
    breaks(C + "pointee-aspace-other", f"{LOCAL}; deref_size 4; lit0; LLVM_form_aspace_address",
           EvaluationError, "local", "global"),
    keeps(C + "pointee-location", "implicit_pointer 0x138 0; deref", "s0", want="location"),
    keeps(C + "pointee-location", "implicit_pointer 0x118 0; deref", "{32: global#0x1008}",
          want="location", note="completed at its end"),
    keeps(C + "pointee-location", "implicit_pointer 0x108 1; deref", "global#0x1001 | s0+8b",
          want="location", note="a location list"),
    keeps(C + "pointee-location", "implicit_pointer 0x110 0; deref; drop; lit1", "1",
          note="not followed"),
    breaks(C + "pointee-location", "implicit_pointer 0x130 0; deref", IllFormed,
           "location description is required", want="location"),
    breaks(C + "pointee-location", "implicit_pointer 0x13c 0; deref; deref", UndefinedBits,
           note="no entry of its location list matches"),
    breaks(C + "pointee-location", "implicit_pointer 0x999 0; deref", IllFormed, "no DIE", "0x999",
           want="location"),
    breaks(C + "pointee-location", "implicit_pointer 0x144 0; deref", EvaluationError,
           "division by zero", want="location"),
    breaks(C + "pointee-object", "implicit_pointer 0x11c 0; deref; deref", MissingContext,
           "no object", at=WITH_OBJECT),
    keeps(C + "pointee-object", "call2 0x11c; deref_size 1", "16", at=WITH_OBJECT,
          note="unlike in a call"),
    breaks(C + "pointee-stack", "lit1; implicit_pointer 0x134 0; deref; deref", IllFormed,
           "the stack has 0"),
    keeps(C + "pointee-stack", "lit1; implicit_pointer 0x114 1; deref; deref_size 1; plus", "2"),
    keeps(C + "pointee-const", "implicit_pointer 0x10c 1; deref", "implicit 04030201+8b",
          want="location"),
    keeps(C + "pointee-const", "implicit_pointer 0x10c 1; deref; deref_size 2", "0x302"),
    breaks(C + "pointee-const", "implicit_pointer 0x10c 0; deref; deref", OutOfRange, "32 remain",
           note="of the size of the constant"),
    breaks(C + "pointee-neither", "implicit_pointer 0x110 0; deref; deref", EvaluationError,
           "0x110",
           "neither DW_AT_location nor DW_AT_const_value"),
    keeps(C + "pointee-neither", "implicit_pointer 0x10c 0; deref; deref_size 1", "1"),
    keeps(C + "pointee-offset", "implicit_pointer 0x114 -4; deref", "global#0xffc",
          want="location"),
    breaks(C + "pointee-offset", f"{POINTER}; LLVM_offset_uconst 1; deref_size 4", EvaluationError,
           note="an offset into the storage is not an offset of the pointee"),
    keeps(C + "pointee-outside", "implicit_pointer 0x138 3; deref", "s0+24b", want="location"),
    breaks(C + "pointee-outside", "implicit_pointer 0x138 4; deref", OutOfRange, "s0",
           want="location"),
    breaks(C + "pointee-outside", "implicit_pointer 0x10c -1; deref", OutOfRange, want="location"),
])  # fmt: skip
def test_pointee(fact: Fact) -> None:
    fact.check()


@pytest.mark.clause(C + "pointee-context", "keeps")
@pytest.mark.clause(C + "pointee-context", "breaks")
def test_the_context_is_that_of_the_access() -> None:
    """The pointer is made for lane 3 and followed for lane 4: it leads to lane 4's memory."""
    text = "lit16; constu private_lane; LLVM_form_aspace_address"
    made = world(dies={0x200: text}, lane=3)
    pointer = made.stack("implicit_pointer 0x200 0; deref")
    other = made.changed(lane=4, initial_stack=tuple(pointer))
    assert shown(other.result("", "location")) == "private_lane[4]#0x10"
    assert shown(made.result("implicit_pointer 0x200 0; deref", "location")) == (
        "private_lane[3]#0x10"
    )


@facts("fact", [
    keeps(C + "stack_value-pointer", f"{VALUE}; stack_value", "pointer to 0x114+4 in global"),
    keeps(C + "stack_value-pointer", f"{VALUE}; stack_value; deref", IN_GLOBAL),
    keeps(C + "stack_value-pointer", f"{LOCAL}; deref_size 4; stack_value",
          "pointer to 0x114+4 in local"),
    breaks(C + "stack_value-pointer", f"{POINTER}; stack_value", IllFormed, "a value is required",
           note="of the location itself"),
    keeps(C + "other-use", f"{VALUE}; lit1; swap", IN_GLOBAL, note="stack operations move it"),
    keeps(C + "other-use", f"{POINTER}; LLVM_offset_uconst 4; consts -4; LLVM_offset; deref",
          IN_GLOBAL, note="moving the position is not an access"),
    *(breaks(C + "other-use", f"{VALUE}; {text}", EvaluationError,
             "implicit pointer value has no number")
      for text in ("neg", "abs", "not", "plus_uconst 1", "lit1; plus", "lit1; swap; minus",
      "lit1; eq",
                   "dup; eq", "bra 0", "convert @u64", "convert 0", "reinterpret @i64",
                   "form_tls_address", "lit16; swap; LLVM_form_aspace_address",
                   "addr 0x10; swap; LLVM_offset", "addr 0x10; swap; LLVM_bit_offset",
                   "LLVM_aspace_bregx s32 0", "LLVM_aspace_implicit_pointer 0x114 0",
                   "regx s0; regx s1; rot; rot; LLVM_select_bit_piece 1 1",
                   "regx s0; regx s1; rot; rot; lit1; LLVM_overlay")),
])  # fmt: skip
def test_uses_of_the_value(fact: Fact) -> None:
    fact.check()


@pytest.mark.clause(C + "other-use", "breaks")
def test_the_storage_has_no_bits() -> None:
    access = GPU.context.access
    for text in (POINTER, f"regx s0; piece 4; {POINTER}; piece 8"):
        location = GPU.location(text)
        data = access.read(location, 64)
        assert data.unavailable and "implicit pointer has no bits" in data.reasons[0]
        raises(lambda: access.write(location, 64, 0), EvaluationError, "can only be read")  # noqa: B023
    raises(lambda: access.read_bytes(GPU.location(POINTER), 8), EvaluationError, "no bits")
    register = world(registers={}, frame={"level": 1, "registers": {16: GPU.location(POINTER)}})
    raises(lambda: register.result("bregx pc 0"), EvaluationError, "implicit pointer")


@facts("fact", [
    keeps(f"{C}aspace_pointer {C}aspace_pointer-integral {C}aspace_pointer-space",
          "const(u8,3); LLVM_aspace_implicit_pointer 0x114 4", "pointer to 0x114+4 in local"),
    keeps(C + "aspace_pointer", f"{LOCAL}; piece 4", "{32: pointer to 0x114+4 in local}"),
    keeps(C + "aspace_pointer", "lit0; LLVM_aspace_implicit_pointer 0x114 4; deref", IN_GLOBAL,
          note="address space 0 is the same as DW_OP_implicit_pointer"),
    breaks(C + "aspace_pointer", f"{LOCAL}; piece 8", IllFormed, "has 32 left"),
    breaks(C + "aspace_pointer", "LLVM_aspace_implicit_pointer 0x114 4", IllFormed,
           "1 stack entry"),
    breaks(C + "aspace_pointer-integral", "const(f64,3); LLVM_aspace_implicit_pointer 0x114 4",
           IllFormed, "f64"),
    breaks(C + "aspace_pointer-space", "lit4; LLVM_aspace_implicit_pointer 0x114 4", IllFormed,
           "no address space 4"),
])  # fmt: skip
def test_aspace_pointer(fact: Fact) -> None:
    fact.check()


def test_pointers_of_one_file_are_the_same_storage() -> None:
    one, other = (made.location(POINTER) for made in (GPU, evolve(GPU)))
    assert one == other
