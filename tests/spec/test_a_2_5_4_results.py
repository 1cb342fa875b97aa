"""A.2.5 and A.2.5.4: the result of an operation expression, by the kind that is required."""

from __future__ import annotations

import pytest

import dwarfgpu as dg
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import EvaluationError, IllFormed, OutOfRange, UndefinedBits
from dwarfgpu.expr.context import ExprLoc
from dwarfgpu.expr.evaluate import evaluate_attribute
from tests.spec.machine import GPU, Fact, breaks, facts, keeps, raises, shown

C = "A.2.5.4/"
POINTER = "implicit_pointer 0x114 4; deref"
OTHER_POINTER = "lit3; LLVM_aspace_implicit_pointer 0x114 4; addr 0; drop; deref_type 4 @u32"


@facts("fact", [
    keeps(C + "location-empty", "", "undefined", want="location"),
    keeps(C + "location-empty", "lit1; drop", "undefined", want="location"),
    breaks(C + "location-empty", "", IllFormed, "value is required", want="value"),
    keeps(C + "any-empty", "", "undefined"),
    keeps(C + "any-empty", "addr 1; drop", "undefined"),
    breaks(C + "any-empty", "lit0", "0", note="not empty"),
    keeps(C + "location-top", "lit1; regx s0", "s0", want="location"),
    keeps(C + "location-top", "regx s0; lit16", "global#0x10", want="location"),
    keeps(C + "location-top", "lit0; not", "global#0xffffffffffffffff", want="location"),
    keeps(C + "location-top", POINTER, "global#0x1004", want="location"),
    keeps(C + "location-top", "regx s0; piece 4", "{32: s0}", want="location",
          note="an incomplete composite is completed"),
    keeps(C + "location-top", "regx s0; piece 4; regx s1", "s1", want="location",
          note="what is below is discarded, incomplete or not"),
    breaks(C + "location-top", "lit1; regx s0; drop", "1", note="no kind required: no conversion"),
    breaks(C + "location-otherwise A.2.5/kind-mismatch", "const(u64,16)", IllFormed, "location",
           "u64", want="location", note="only the generic type converts"),
    breaks(C + "location-otherwise", "const(f64,1)", IllFormed, "f64", want="location"),
    breaks(C + "location-otherwise", "const(ptr,16)", IllFormed, "ptr", want="location"),
    breaks(C + "location-otherwise", OTHER_POINTER, EvaluationError, "implicit pointer to local",
           want="location"),
    keeps(C + "location-otherwise A.2.5/kind-mismatch", "const(u64,16); stack_value",
          "implicit 0000000000000010", want="location"),
    keeps(C + "value-top", "lit1; lit2", "2", want="value"),
    keeps(C + "value-top", "regx s0; const(i8,-1)", "i8 -1", want="value"),
    keeps(C + "value-top", "addr 0x1234", "0x1234", want="value"),
    keeps(C + "value-top", "addr 0x1234; LLVM_offset_uconst 2", "0x1236", want="value"),
    keeps(C + "value-top", POINTER, "value: pointer to 0x114+4 in global", want="value"),
    breaks(C + "value-top", "addr 0x1234", "global#0x1234", note="no kind required"),
    *(breaks(C + "value-otherwise", text, IllFormed, "a value is required", want="value")
      for text in ("regx s0", "LLVM_undefined", "lit1; stack_value", "implicit_value 1 5",
                   "addr 0x10; lit1; LLVM_bit_offset",
                   "lit16; constu local; LLVM_form_aspace_address",
                   "regx s0; piece 4", "implicit_pointer 0x114 0", "call2 0x108")),
    breaks(C + "value-otherwise", "", IllFormed, "stack is empty", want="value"),
    keeps(C + "value-otherwise", "lit0; addr 0x10; lit8; LLVM_bit_offset", "17", want="value"),
    keeps(C + "any-top", "regx s0; lit2", "2"),
    keeps(C + "any-top", "lit2; regx s0", "s0"),
    keeps(C + "any-top", "addr 0x10", "global#0x10", note="not converted"),
    keeps(C + "any-top", POINTER, "value: pointer to 0x114+4 in global"),
    keeps(C + "any-top", "regx s0; piece 4", "{32: s0}", note="completed"),
    breaks(C + "any-top", "lit1; drop", "undefined"),
    keeps(C + "operand-kind", "addr 0x10; lit1; plus", "17", note="a default address converts"),
    keeps(C + "operand-kind", "lit16; lit1; LLVM_offset", "global#0x11", note="and back"),
    *(breaks(C + "operand-kind", text, IllFormed, "is required")
      for text in ("regx s0; lit1; plus", "lit1; regx s0; plus", "LLVM_undefined; neg",
                   "const(i32,4); lit1; LLVM_offset", "const(f64,4); deref",
                   "lit1; stack_value; bra 0", "addr 0x10; lit4; LLVM_bit_offset; neg",
                   "lit4; lit5; LLVM_form_aspace_address; lit1; plus",
                   "const(i32,4); piece 4", "const(u32,4); LLVM_extend 8 4")),
    breaks(C + "error-ends", "lit1; lit0; div; drop; lit5", EvaluationError, "division by zero"),
    breaks(C + "error-ends", "LLVM_undefined; deref; drop; lit5", UndefinedBits, "undefined"),
    breaks(C + "error-ends", "regx s0; lit4; LLVM_offset; drop; lit5", OutOfRange, "32 bits of"),
    keeps(C + "error-ends", "lit1; lit0; skip end; div; end:", "0", note="not performed"),
])  # fmt: skip
def test_results(fact: Fact) -> None:
    fact.check()


@pytest.mark.clause(C + "initial-stack", "keeps")
def test_initial_stack_is_pushed_in_order() -> None:
    entries = tuple(GPU.stack("lit1; addr 0x10; const(i8,-1)"))
    made = GPU.changed(initial_stack=entries)
    assert [shown(item) for item in made.stack("")] == ["1", "global#0x10", "i8 -1"]
    assert [shown(item) for item in made.stack("rot; lit5")] == ["i8 -1", "1", "global#0x10", "5"]
    assert shown(made.result("")) == "i8 -1"


@pytest.mark.clause(C + "initial-stack", "breaks")
def test_nothing_else_is_on_the_stack() -> None:
    assert GPU.stack("") == []
    made = GPU.changed(initial_stack=tuple(GPU.stack("lit1")))
    raises(lambda: made.result("call2 0x128"), IllFormed, "the stack has 0")


@pytest.mark.clause(C + "initial-stack", "keeps")
def test_an_attribute_of_another_unit_keeps_stack_and_object() -> None:
    """Member locations and data locations may be in another unit than the focus."""
    context = evolve(GPU.context, initial_stack=tuple(GPU.stack("lit4")), object=GPU.memory(0, 8))
    other = evolve(GPU.unit)
    for unit in (GPU.unit, other):
        plus = ExprLoc(GPU.asm("lit1; plus"), unit)
        assert shown(evaluate_attribute(plus, context)) == "5"
        pushed = ExprLoc(GPU.asm("push_object_address"), unit)
        assert shown(evaluate_attribute(pushed, context)) == "global#0x8"


def test_an_argument_asks_for_the_kind_in_place_of_the_context() -> None:
    code = dg.assemble("addr 0x1234")
    context = dg.Context(dg.architecture("gfx942"), result_kind="value")
    assert isinstance(dg.evaluate(code, context), dg.Value)
    assert isinstance(dg.evaluate(code, context, result_kind="location"), dg.Location)
    located = evolve(context, result_kind="location")
    assert isinstance(dg.evaluate(code, located), dg.Location)
    assert isinstance(dg.evaluate(code, located, result_kind="value"), dg.Value)
    with pytest.raises(dg.UsageError, match="result_kind: expected 'value' or 'location'"):
        dg.evaluate(code, context, result_kind="place")  # type: ignore[call-overload]
