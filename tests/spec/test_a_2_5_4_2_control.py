"""A.2.5.4.2 control flow operations."""

from __future__ import annotations

import pytest

from dwarfgpu.base.limits import Limits
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import (
    EvaluationError,
    IllFormed,
    LimitExceeded,
    Malformed,
    MissingContext,
    Unsupported,
)
from dwarfgpu.expr.context import ExprLoc, UnitFormat
from dwarfgpu.expr.explicit_context import ExplicitUnit
from tests.dwarf.builder import Shape, abbreviations, debug_info, elf, unit
from tests.spec.machine import GPU, TYPES, Fact, breaks, facts, keeps, raises, shown, world

C = "A.2.5.4.2/"
POINTER = "implicit_pointer 0x114 0; deref"


def _compare_rows() -> list[object]:
    """Each operation where the second entry is less than, equal to and more than the top."""
    table = {"le": "110", "ge": "011", "eq": "010", "lt": "100", "gt": "001", "ne": "101"}
    pairs = [("lit1; lit2", "lit2; lit2", "lit3; lit2"),
             ("lit0; not; lit0", "lit0; not; lit0; not", "lit0; lit0; not"),  # generic: -1 < 0
             ("const(i8,-2); const(i8,1)", "const(i8,1); const(i8,1)", "const(i8,1); const(i8,-1)"),
             ("const(u8,1); const(u8,255)", "const(u8,255); const(u8,255)",
              "const(u8,255); const(u8,1)"),
             ("const(f64,-1.5); const(f64,0)", "const(f64,0); const(f64,-0)",
              "const(f64,2); const(f64,0.5)"),
             ("const(u128,1); const(u128,0x80000000000000000000000000000000)",
              "const(i128,7); const(i128,7)", "const(f16,2); const(f16,1)")]  # fmt: skip
    return [
        keeps(C + "compare", f"{operands}; {name}", answer)
        for name, answers in table.items()
        for three in pairs
        for operands, answer in zip(three, answers, strict=True)
    ]


@facts("fact", [
    keeps(C + "nop", "lit1; nop; nop", "1"),
    *_compare_rows(),
    keeps(C + "compare", "const(f64,nan); const(f64,nan); eq", "0", note="unordered"),
    keeps(C + "compare", "const(f64,nan); const(f64,nan); ne", "1", note="unordered"),
    keeps(C + "compare", "const(f64,nan); const(f64,1); ge", "0", note="unordered"),
    breaks(C + "compare", "lit1; const(u64,1); eq", IllFormed, "generic", "u64", "same type"),
    breaks(C + "compare", "const(i32,1); const(u32,1); lt", IllFormed, "i32", "u32"),
    breaks(C + "compare", "lit1; eq", IllFormed, "2 stack entries needed"),
    breaks(C + "compare", "regx s0; regx s0; eq", IllFormed, "a value is required"),
    breaks(C + "compare", f"{POINTER}; lit1; eq", EvaluationError, "implicit pointer"),
    keeps(C + "compare", "const(ptr,1); const(ptr,0xffffffffffffffff); lt", "1",
          note="addresses compare as unsigned"),
    keeps(C + "compare", "const(utf,65); const(utf,65); eq", "1"),
    breaks(C + "compare", "const(ptr,1); const(generic_ptr,1); eq", IllFormed, "same type"),
    breaks(C + "compare", "const(vec4,1); const(vec4,1); eq", Unsupported, "vector type"),
    breaks(C + "compare", "const(complex,1); const(complex,1); eq", Unsupported, "complex"),
    breaks(C + "bra", "const(complex,1); bra 0", Unsupported, "a test for zero of complex"),
    breaks(C + "bra", "const(vec4,1); bra 0", Unsupported, "a test for zero", "vector type"),
    breaks(C + "compare", "const(__bf16,1); const(__bf16,1); eq", Unsupported, "__bf16"),
])  # fmt: skip
def test_compare(fact: Fact) -> None:
    fact.check()


@facts("fact", [
    keeps(C + "skip-end", "lit1; skip end; lit2; end:", "1"),
    keeps(C + "skip-end", "lit1; skip 0", "1", note="already there"),
    keeps(C + "skip-inside", "skip fwd; back: lit3; skip end; fwd: lit5; drop; skip back; end:",
          "3", note="forward and backward"),
    keeps(C + "skip-inside", "skip fwd; fwd: lit4", "4"),
    breaks(C + "skip-end", "lit1; skip 1", IllFormed, "outside the expression", "0x5"),
    breaks(C + "skip-inside", "lit1; skip 1; const1u 5", IllFormed, "0x5", "not the start"),
    breaks(C + "skip-inside", "skip -4", IllFormed, "outside the expression"),
    breaks(C + "skip-inside", "skip -2; lit1", IllFormed, "0x1", "not the start",
           note="into itself"),
    keeps(C + "bra", "lit1; bra yes; lit2; skip end; yes: lit3; end:", "3"),
    keeps(C + "bra", "lit0; bra yes; lit2; skip end; yes: lit3; end:", "2"),
    keeps(C + "bra", "const(i8,-1); bra yes; lit2; skip end; yes: lit3; end:", "3"),
    keeps(C + "bra", "const(f64,-0); bra yes; lit2; skip end; yes: lit3; end:", "2",
          note="-0.0 is the constant 0"),
    keeps(C + "bra", "const(f32,0.5); bra yes; lit2; skip end; yes: lit3; end:", "3"),
    keeps(C + "bra", "const(x87,0.25); bra yes; lit2; skip end; yes: lit3; end:", "3"),
    keeps(C + "bra", "addr 0; bra yes; lit2; skip end; yes: lit3; end:", "2",
          note="a memory location converts"),
    breaks(C + "bra", "bra 0", IllFormed, "1 stack entry needed"),
    breaks(C + "bra", "regx s0; bra 0", IllFormed, "a value is required"),
    breaks(C + "bra", f"{POINTER}; bra 0", EvaluationError, "implicit pointer"),
    keeps(C + "bra-end", "lit5; lit1; bra end; lit2; end:", "5"),
    breaks(C + "bra-end", "lit5; lit1; bra 1", IllFormed, "outside the expression"),
    keeps(C + "bra-inside", "lit5; lit0; bra 99", "5", note="not taken"),
    keeps(C + "bra-inside", "lit3; loop: lit1; minus; dup; bra loop", "0"),
    breaks(C + "bra-inside", "lit5; lit1; bra 1; const1u 5", IllFormed, "not the start"),
    breaks(C + "bra-inside", "lit5; lit1; bra -99", IllFormed, "outside the expression"),
])  # fmt: skip
def test_branch(fact: Fact) -> None:
    fact.check()


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("loop: skip loop", 2),
        ("loop: nop; skip loop", 4),
        ("lit1; loop: dup; bra loop", 5),
        ("lit5; loop: regx s0; deref_size 4; drop; skip loop", 9),
        ("lit0; loop: lit1; plus; lit7; and; skip loop", 81),  # eight rounds, found in the 16th
        ("lit1; a: nop; b: dup; bra b; skip a", 6),
        ("loop: call4 0x200; skip loop", 12),  # a call counts three
        ("loop: call4 0x208; skip loop", 8),  # also of an entry without a location
        ("call4 0x204", 7),
    ],
)
def test_endless_loop_ends(text: str, steps: int) -> None:
    """As soon as the stack is the same at the same branch; else by the limit of steps."""
    dies = {0x200: "lit1; drop", 0x204: "loop: nop; skip loop", 0x208: None}
    made = world(dies=dies, registers={"s0": 1})
    changed = made.changed(limits=Limits(steps=steps))
    raises(lambda: changed.result(text), LimitExceeded, "same stack: it never ends")
    less = made.changed(limits=Limits(steps=steps - 1))
    raises(lambda: less.result(text), LimitExceeded, f"more than {steps - 1} operations")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("const1u 200; loop: lit1; minus; dup; bra loop", "0"),
        # The same stack at the same branch, in two calls that both end.
        ("lit0; lit1; call4 0x200; lit1; call4 0x200; lit1; call4 0x200", "0"),
        # The same stack at two branches.
        ("lit1; lit0; swap; a: bra b; skip end; b: lit0; skip a; end:", "0"),
    ],
)
def test_a_loop_that_ends_is_not_endless(text: str, result: str) -> None:
    dies = {0x200: "loop: bra on; skip out; on: lit0; skip loop; out:"}
    assert shown(world(dies=dies).result(text)) == result


def test_a_loop_with_a_growing_or_deep_stack_ends_by_the_limits() -> None:
    made = GPU.changed(limits=Limits(steps=2000, stack=500))
    raises(lambda: made.result("loop: lit1; skip loop"), LimitExceeded, "500 stack entries")
    deep = "lit1; " * 100 + "loop: nop; skip loop"
    raises(lambda: made.result(deep), LimitExceeded, "more than 2000 operations")


def test_a_branch_leads_over_bytes_that_cannot_be_decoded() -> None:
    over = GPU.result("lit5; skip end; .byte 0x0d, 0x01; end:")
    assert shown(over) == "5"
    into = "lit5; skip 1; .byte 0x0d, 0x01"
    raises(lambda: GPU.result(into), IllFormed, "not the start of an operation")


@facts("fact", [
    *(keeps(C + "call-target " + C + "call-exprloc", f"{call} 0x100", "7")
      for call in ("call2", "call4", "call_ref")),
    breaks(C + "call-target", "call2 0x101", IllFormed, "no DIE at offset 0x101"),
    breaks(C + "call-target", "call_ref 0x999", IllFormed, "no DIE at offset 0x999"),
    breaks(C + "call-target", "call2 0x100", MissingContext, "compilation unit",
           at=world(unit={}).changed(unit=None), note="no unit"),
    keeps(C + "call-exprloc", "lit1; lit2; call2 0x104; plus", "10", note="it pops and pushes"),
    keeps(C + "call-exprloc", "lit5; call4 0x134; mul", "25"),
    keeps(C + "call-exprloc", "call2 0x12c; lit4; plus", "5",
          note="its end, by a branch, goes on after the call"),
    keeps(C + "call-exprloc", "call2 0x118; LLVM_piece_end", "{32: global#0x1008}",
          note="an incomplete composite stays incomplete"),
    keeps(C + "call-exprloc", "call2 0x118; regx s0; piece 4", "{32: global#0x1008, 32: s0}"),
    breaks(C + "call-exprloc", "call2 0x104", IllFormed, "1 stack entry needed"),
    breaks(C + "call-exprloc", "call2 0x118; lit1; swap", IllFormed, "incomplete composite"),
    breaks(C + "call-exprloc", "call2 0x144", EvaluationError, "division by zero"),
    keeps(C + "call-exprloc-context", "call2 0x11c", "global#0x1010",
          at=GPU.changed(object=GPU.memory(0, 0x1010)), note="the object stays"),
    breaks(C + "call-exprloc-context", "call2 0x11c", MissingContext, "no object"),
    keeps(C + "call-loclist", "call2 0x108", "global#0x1000 | s0"),
    keeps(C + "call-loclist", "lit1; call4 0x108; drop", "1"),
    keeps(C + "call-loclist", "call2 0x13c", "undefined", note="nothing matches"),
    keeps(C + "call-loclist", "call_ref 0x140; lit1; plus", "8", note="a value converts"),
    breaks(C + "call-loclist", "call2 0x108", EvaluationError, "program location",
           at=GPU.changed(pc=None)),
    breaks(C + "call-loclist", "call2 0x120", MissingContext, "no object",
           at=GPU.changed(object=GPU.memory(0, 0x1010)), note="A.2.5.5: no object in an entry"),
    keeps(C + "call-loclist-stack", "lit1; call2 0x108", "global#0x1000 | s0"),
    breaks(C + "call-loclist-stack", "lit1; lit2; call2 0x128", IllFormed, "2 stack entries"),
    keeps(C + "call-loclist-kind", "call2 0x140", "global#0x7"),
    breaks(C + "call-loclist-kind", "call2 0x124", IllFormed, "location description is required"),
    keeps(C + "call-const", "call2 0x10c", "implicit 04030201"),
    breaks(C + "call-const", "call2 0x10c; lit1; plus", IllFormed, "a value is required",
           note="an implicit location, not a value"),
    keeps(C + "call-nothing", "lit1; call2 0x110", "1"),
    breaks(C + "call-nothing", "call2 0x110; drop", IllFormed, "1 stack entry needed"),
    breaks("A.2.5/nested-error", "lit1; call2 0x144", EvaluationError, "division by zero"),
    keeps("A.2.5/nested-error", "lit1; call2 0x100", "7"),
])  # fmt: skip
def test_call(fact: Fact) -> None:
    fact.check()


@pytest.mark.clause(C + "call-exprloc-context", "keeps")
def test_called_in_the_unit_of_the_entry() -> None:
    """The unit of the entry decides types and offsets; after the call it is the caller's again."""
    i32, u8 = (next(o for o, t in TYPES["little"].items() if t.name == n) for n in ("i32", "u8"))
    other = ExplicitUnit(base_types={i32: TYPES["little"][u8]}, dialect=GPU.unit.dialect)
    called = ExprLoc(bytes((0xA8, i32)), other)
    unit = ExplicitUnit(
        base_types=TYPES["little"], locations={0x200: called}, dialect=GPU.unit.dialect
    )
    made = GPU.changed(unit=unit)
    assert shown(made.result("lit5; call2 0x200")) == "u8 5"
    assert shown(made.result("lit5; call2 0x200; drop; lit6; convert @i32")) == "i32 6"


@pytest.mark.clause(C + "call-target", "keeps")
def test_offsets_of_call2_and_call4_count_from_the_unit() -> None:
    unit = ExplicitUnit(offset=0x1000, dialect=GPU.unit.dialect, locations={})
    unit.locations[0x1100] = ExprLoc(b"\x35", unit)  # type: ignore[index]
    unit.locations[0x100] = ExprLoc(b"\x36", unit)  # type: ignore[index]
    made = GPU.changed(unit=unit)
    assert shown(made.result("call2 0x100")) == "5"
    assert shown(made.result("call4 0x100")) == "5"
    assert shown(made.result("call_ref 0x100")) == "6"


@pytest.mark.clause(C + "call-target", "breaks")
def test_call_ref_has_the_size_of_an_offset() -> None:
    """4 bytes in the 32-bit DWARF format, 8 in the 64-bit one."""
    wide = world(form=UnitFormat(offset_size=8), dies={0x100: "lit7"})
    assert wide.asm("call_ref 0x100") == bytes.fromhex("9a0001000000000000")
    assert shown(wide.result("call_ref 0x100")) == "7"
    raises(lambda: GPU.result(".byte 0x9a, 0, 1, 0"), Malformed, "4 bytes needed")


@pytest.mark.clause(C + "call-target", "breaks")
def test_call2_does_not_leave_its_unit() -> None:
    """Its operand is read like DW_FORM_ref2, which names an entry of the same unit."""
    shapes = [Shape(0x11, (), True), Shape(dw.TAG_VARIABLE, ((dw.AT_LOCATION, dw.FORM_EXPRLOC),))]
    one = unit(b"\1\2\1\x35\0")
    sections = {".debug_info": one + one, ".debug_abbrev": abbreviations(*shapes)}
    first, second = debug_info(elf(sections)).units
    made = GPU.changed(unit=first)
    assert shown(made.result("call2 0xd")) == "5"
    assert shown(made.changed(unit=second).result("call2 0xd")) == "5"
    raises(lambda: made.result(f"call2 {len(one) + 0xD}"), IllFormed, "outside it")
    raises(lambda: made.result("call2 0xe"), IllFormed, "0xe")
    assert shown(made.result(f"call_ref {len(one) + 0xD}")) == "5"
