"""A.2.5.1 the evaluation context: consistent when it is made, never guessed when it is used."""

from __future__ import annotations

from typing import Any

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import IllFormed, InconsistentContext, MissingContext, StaleLocation
from dwarfgpu.expr.context import Context, UnitFormat
from dwarfgpu.expr.explicit_context import ExplicitFrame, ExplicitUnit
from tests.dwarf.builder import Shape, debug_info, file_of
from tests.spec.machine import (
    CPU,
    GFX,
    GPU,
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

C = "A.2.5.1/"


def row(clauses: str, side: str, name: str, elements: dict[str, Any], *parts: str) -> object:
    marks = [pytest.mark.clause(C + word, side) for word in clauses.split()]
    return pytest.param(elements, parts, marks=marks, id=name)


@pytest.mark.parametrize(("elements", "parts"), [
    row("consistent lane-range", "breaks", "lane 64 of 64", {"lane": 64, "lane_count": 64},
        "lane 64", "lane count 64"),
    row("lane-range", "breaks", "lane 1 of 1", {"lane": 1, "lane_count": 1}, "lane 1", "count 1"),
    row("lane-range", "breaks", "lane -1", {"lane": -1, "lane_count": 64}, "lane -1", "at least 0"),
    row("lane-range", "breaks", "lane -1, no count", {"lane": -1}, "lane -1", "at least 0"),
    row("lane-range consistent", "breaks", "lane 64 of a wave64, no count",
        {"architecture": GFX, "lane": 64}, "lane 64", "gfx942", "64 lanes"),
    row("iteration-range", "breaks", "iteration 4 of 4", {"iteration": 4, "iteration_count": 4},
        "iteration 4", "iteration count 4"),
    row("iteration-range", "breaks", "iteration -1", {"iteration": -1}, "iteration -1"),
    row("lane-active", "breaks", "lane 5 not active on entry",
        {"lane": 5, "frame": ExplicitFrame(GFX, level=2, inactive_lanes=frozenset({5}))},
        "lane 5", "call frame 2", "not active on entry"),
    row("location-frame", "breaks", "pc of another frame",
        {"pc": 0x1044, "frame": ExplicitFrame(level=1, given_program_location=0x1040)},
        "program location 0x1044", "frame 1", "0x1040"),
    row("architecture-frame consistent", "breaks", "frame of x86_64",
        {"architecture": GFX, "frame": ExplicitFrame(X86, level=1)}, "gfx942", "x86_64", "frame 1"),
    row("architecture-thread", "breaks", "thread of x86_64",
        {"architecture": GFX, "frame": ExplicitFrame(), "target": CPU.target, "wave": 0},
        "gfx942", "x86_64", "thread"),
    row("architecture-unit", "breaks", "unit with 4-byte addresses",
        {"architecture": GFX, "unit": ExplicitUnit(UnitFormat(address_size=4))},
        "gfx942", "8-byte", "address_size 4"),
])  # fmt: skip
def test_inconsistent(elements: dict[str, Any], parts: tuple[str, ...]) -> None:
    raises(lambda: Context(**elements), InconsistentContext, *parts)


@pytest.mark.parametrize(("elements", "parts"), [
    row("consistent", "keeps", "nothing at all", {}),
    row("lane-range", "keeps", "lane 0 of 1", {"lane": 0, "lane_count": 1}),
    row("lane-range", "keeps", "lane 63 of 64", {"lane": 63, "lane_count": 64}),
    row("lane-range", "keeps", "lane 63, count unknown", {"lane": 63}),
    row("lane-range", "keeps", "lane 63 of a wave64, no count", {"architecture": GFX, "lane": 63}),
    row("lane-range", "keeps", "no waves, count unknown", {"architecture": X86, "lane": 3}),
    row("iteration-range", "keeps", "iteration 3 of 4", {"iteration": 3, "iteration_count": 4}),
    row("lane-active", "keeps", "lane 4, lane 5 not active",
        {"lane": 4, "frame": ExplicitFrame(GFX, inactive_lanes=frozenset({5}))}),
    row("lane-active", "keeps", "no lane", {"frame": ExplicitFrame(inactive_lanes=frozenset({5}))}),
    row("location-frame", "keeps", "pc of the frame",
        {"pc": 0x1040, "frame": ExplicitFrame(given_program_location=0x1040)}),
    row(
        "location-frame",
        "keeps",
        "no pc",
        {"frame": ExplicitFrame(given_program_location=0x1040)},
    ),
    row("architecture-frame", "keeps", "frame of gfx942",
        {"architecture": GFX, "frame": ExplicitFrame(GFX)}),
    row("architecture-frame", "keeps", "no architecture", {"frame": ExplicitFrame(X86)}),
    row("architecture-thread", "keeps", "thread of gfx942",
        {"architecture": GFX, "frame": ExplicitFrame(), "target": GPU.target, "wave": 0}),
    row("architecture-thread", "keeps", "another frame than the top one",
        {"architecture": GFX, "frame": ExplicitFrame(level=1), "target": CPU.target, "wave": 0}),
    row("architecture-thread", "keeps", "no thread",
        {"architecture": GFX, "frame": ExplicitFrame(), "target": CPU.target}),
    row("architecture-unit", "keeps", "unit with 8-byte addresses",
        {"architecture": GFX, "unit": ExplicitUnit(UnitFormat(address_size=8))}),
])  # fmt: skip
def test_consistent(elements: dict[str, Any], parts: tuple[str, ...]) -> None:
    Context(**elements)


@pytest.mark.parametrize("count", [0, -1])
def test_counts_are_positive(count: int) -> None:
    raises(lambda: Context(lane_count=count), InconsistentContext, f"lane count {count}")
    raises(lambda: Context(iteration_count=count), InconsistentContext, f"iteration count {count}")


def without(element: str, *texts: str, named: str | None = None, **more: Any) -> list[object]:
    return [
        breaks(C + "missing", text, MissingContext, named or element,
               at=GPU.changed(**{element: None}, **more), note=f"no {element}")
        for text in texts
    ]  # fmt: skip


@facts("fact", [
    *without("lane", "LLVM_push_lane", "lit16; constu private_lane; LLVM_form_aspace_address"),
    *without("iteration", "LLVM_push_iteration"),
    *without("wave", "regx s0", "bregx pc 0", "lit8; form_tls_address",
             "lit16; lit3; LLVM_form_aspace_address", "lit16; lit6; LLVM_form_aspace_address",
             named="thread"),
    *without("frame", "regx s0", "bregx pc 0", "fbreg 0", "call_frame_cfa",
             "LLVM_call_frame_entry_reg s0", "entry_value(lit1)", "regval_type pc @i64",
             named="call frame"),
    *without("unit", "addrx 0", "constx 0", "call2 0x100", "implicit_pointer 0x100 0",
             "const(i8,1)", "lit8; form_tls_address", "lit1; convert @i8",
             "addr 0x1000; deref_type 4 @i32",
             named="compilation unit"),
    *without("architecture", "regx s0", "bregx pc 0", "addr 0x1000", "lit1; lit0; "
             "LLVM_form_aspace_address", "lit1; deref", "regx s0", named="target architecture"),
    *without("object", "push_object_address"),
    *without("target", "addr 0x1000; deref", "bregx pc 0"),
    breaks(C + "missing", "call_frame_cfa", MissingContext, "CFA"),
    breaks(C + "missing", "fbreg 0", MissingContext, "frame base"),
    breaks(C + "missing", "LLVM_call_frame_entry_reg s0", MissingContext, "on entry"),
    breaks(C + "missing", "entry_value(regx s0)", MissingContext, "calling frame"),
    breaks(C + "missing", "lit4; form_tls_address", MissingContext, "thread-local", "0x4"),
    keeps(C + "missing", "LLVM_push_lane", "3"),
    keeps(C + "missing", "LLVM_push_iteration", "1"),
    keeps(C + "missing", "push_object_address", "global#0x1010",
          at=GPU.changed(object=GPU.memory(0, 0x1010))),
    # A value needs the size of the generic type, a global place the architecture.
    breaks(C + "missing", "lit1; lit2; plus; stack_value", MissingContext, "target architecture",
           at=World(Context(), GPU.target, GPU.unit), note="no context"),
    keeps(C + "unneeded", "LLVM_undefined", "undefined",
          at=World(Context(), GPU.target, GPU.unit), note="no context"),
    keeps(C + "unneeded", "addr 0x1000", "global#0x1000",
          at=World(Context(architecture=GFX), GPU.target, GPU.unit), note="architecture only"),
    keeps(C + "unneeded", "lit16; lit0; LLVM_form_aspace_address", "global#0x10",
          at=World(Context(architecture=GFX), GPU.target, GPU.unit), note="architecture only"),
    keeps(C + "unneeded", "LLVM_undefined", "undefined",
          at=World(Context(), GPU.target, GPU.unit), note="no context"),
    breaks(C + "unneeded", "lit16; lit5; LLVM_form_aspace_address", MissingContext, "thread",
           at=World(Context(architecture=GFX), GPU.target, GPU.unit), note="architecture only"),
    keeps(C + "default-size", "lit0; not", "0xffff",
          at=World(Context(unit=ExplicitUnit(UnitFormat(address_size=2))), GPU.target, GPU.unit)),
    keeps(C + "default-size", "lit0; not", "0xffffffffffffffff",
          at=GPU.changed(unit=None), note="architecture, no unit"),
    breaks(C + "default-size", "LLVM_push_lane", MissingContext, "target architecture",
           "compilation unit", at=World(Context(lane=1), GPU.target, GPU.unit), note="neither"),
])  # fmt: skip
def test_elements(fact: Fact) -> None:
    fact.check()


@pytest.mark.clause(C + "object-valid", "keeps")
@pytest.mark.clause(C + "object-valid", "breaks")
@pytest.mark.clause(C + "stack-valid", "keeps")
@pytest.mark.clause(C + "stack-valid", "breaks")
def test_locations_in_the_context_are_fresh() -> None:
    """Even where the operation only takes the address: the object may be elsewhere by now."""
    made = world(memory=((0, None, 0x1000, b"\1\2\3\4\5\6\7\x08"),))
    place = made.memory(0, 0x1000)
    with_object = made.changed(object=place)
    with_stack = made.changed(initial_stack=(place,))
    assert shown(with_object.result("push_object_address; lit4; plus")) == "0x1004"
    assert shown(with_stack.result("lit4; plus")) == "0x1004"
    made.target.stop += 1
    for held, text in (
        (with_object, "push_object_address; lit4; plus"),
        (with_stack, "lit4; plus"),
    ):
        raises(lambda: held.result(text), StaleLocation, "moved")  # noqa: B023


def test_contexts_are_values() -> None:
    assert evolve(GPU.context, lane=4) != GPU.context
    assert evolve(GPU.context, lane=3) == GPU.context


@pytest.mark.clause(C + "address_size-sections", "keeps")
@pytest.mark.clause(C + "address_size-sections", "breaks")
@pytest.mark.parametrize("address_size", [8, 4])
def test_sections_have_the_address_size_of_their_unit(address_size: int) -> None:
    bases = ((dw.AT_ADDR_BASE, dw.FORM_SEC_OFFSET), (dw.AT_LOCLISTS_BASE, dw.FORM_SEC_OFFSET))
    shape = Shape(0x11, (*bases, (dw.AT_LOCATION, dw.FORM_LOCLISTX)))
    header = b"\5\0" + bytes((address_size, 0))
    lists = b"\x10\0\0\0" + header + b"\1\0\0\0" + b"\4\0\0\0" + b"\5\1\x30\0"
    sections = {".debug_addr": b"\x0c\0\0\0" + header + bytes(8), ".debug_loclists": lists}
    data = file_of(b"\1\x08\0\0\0\x0c\0\0\0\0", [shape], sections)
    (unit,) = debug_info(data).units
    if address_size == 8:
        assert unit.address(0) == 0
        assert unit.location_of(unit.root, dw.AT_LOCATION) is not None
        return
    raises(lambda: unit.address(0), IllFormed, "address_size 4 of .debug_addr", "address_size 8")
    raises(lambda: unit.location_of(unit.root, dw.AT_LOCATION), IllFormed, ".debug_loclists")
