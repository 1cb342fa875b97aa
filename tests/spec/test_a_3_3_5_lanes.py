"""A.3.3.5 low-level information: return address, static link, lanes and iterations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.leb128 import encode_sleb, encode_uleb
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import frame_attributes, lane_attributes
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    InconsistentContext,
    LimitExceeded,
    MissingContext,
    OutOfRange,
    Unavailable,
    UndefinedBits,
    UsageError,
)
from dwarfgpu.expr.context import Context, ExprLoc, LocList
from dwarfgpu.expr.dialect.dialect import AMD, AMD_DIRECT, AMD_DIRECT_16, AMD_PROVISIONAL, Dialect
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.service.explain import explain_subject
from dwarfgpu.session.focused_frame import LaneLocation
from dwarfgpu.session.frame import SubprogramFrame
from dwarfgpu.session.session import Session
from tests.dwarf.builder import Content, Shape, abbreviations, elf, unit
from tests.spec.machine import GPU, location_list, raises, shown

C = "A.3.3.5/"
LANE = "constu private_lane; LLVM_form_aspace_address"
BY_EXEC = "regx exec; deref_size 8; LLVM_select_bit_piece 64 64"
HERE = "regx pc; LLVM_extend 64 64"
NOWHERE = "LLVM_undefined; LLVM_extend 64 64"
EXEC = 0xF0F0_F0F0_F0F0_F0F0

Rule = Callable[[ExprLoc | LocList, Context], object]


def attribute(text: str) -> ExprLoc:
    return ExprLoc(GPU.asm(text), GPU.unit)


def kept(clause: str, text: str, expected: object) -> object:
    marks = [pytest.mark.clause(C + word, "keeps") for word in clause.split()]
    return pytest.param(text, expected, marks=marks, id=text)


def broken(clause: str, text: str, error: type[DwarfGpuError], *parts: str) -> object:
    marks = [pytest.mark.clause(C + word, "breaks") for word in clause.split()]
    return pytest.param(text, error, parts, marks=marks, id=text or "(empty)")


TWO_PLACES = "call2 0x108"

# Paragraphs 1 and 3: one memory location

MEMORY = [
    ("addr 0x1000", "global#0x1000"),
    ("constu 0x1000", "global#0x1000"),
    ("bregx pc 8", "global#0x1048"),
    (f"lit16; {LANE}", "private_lane[3]#0x10"),
    ("lit5; LLVM_aspace_bregx s32 0", "private_lane[3]#0x100"),
]
NO_MEMORY = [
    "regx pc", "LLVM_undefined", "", "lit5; stack_value", "addr 0x1000; piece 4",
    "implicit_pointer 0x114 0",
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "expected"), [
    pytest.param(rule, text, expected, marks=pytest.mark.clause(C + name, "keeps"),
                 id=f"{name} {text}")
    for name, rule in (("return_addr", frame_attributes.return_address),
                       ("static_link", frame_attributes.static_link))
    for text, expected in MEMORY
])  # fmt: skip
def test_one_memory_location(rule: Rule, text: str, expected: str) -> None:
    assert shown(rule(attribute(text), GPU.context)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(("rule", "text", "part"), [
    pytest.param(rule, text, part, marks=pytest.mark.clause(C + name, "breaks"),
                 id=f"{name} {text or '(empty)'}")
    for name, rule in (("return_addr", frame_attributes.return_address),
                       ("static_link", frame_attributes.static_link))
    for text, part in [(TWO_PLACES, "exactly one single location"),
                       *((place, "does not give a memory location") for place in NO_MEMORY)]
])  # fmt: skip
def test_no_memory_location(rule: Rule, text: str, part: str) -> None:
    name = {
        frame_attributes.return_address: "return_addr",
        frame_attributes.static_link: "static_link",
    }[rule]
    raises(lambda: rule(attribute(text), GPU.context), IllFormed, f"DW_AT_{name}", part)


@pytest.mark.clause(C + "return_addr-context", "keeps")
@pytest.mark.clause(C + "return_addr-context", "breaks")
def test_neither_object_nor_stack_reaches_the_expression() -> None:
    given = evolve(
        GPU.context, object=GPU.memory(0, 0x1000), initial_stack=(GPU.memory(0, 0x2000),)
    )
    raises(
        lambda: frame_attributes.return_address(attribute("push_object_address"), given),
        MissingContext,
        "object",
    )
    assert (
        shown(frame_attributes.return_address(attribute("addr 0x1000"), given)) == "global#0x1000"
    )
    raises(lambda: frame_attributes.return_address(attribute("dup"), given), IllFormed)


# Paragraph 5: DW_AT_LLVM_lane_pc


def lane_location(text: str, lane: int) -> int | None:
    return lane_attributes.lane_location(attribute(text), evolve(GPU.context, lane=lane), lane)


@pytest.mark.parametrize(("text", "expected"), [
    kept("lane_pc-one lane_pc-vector", HERE, {0: 0x1040, 63: 0x1040}),
    kept("lane_pc-one", "addr 0x1000", {0: 0x0706050403020100, 3: 0x1F1E1D1C1B1A1918}),
    kept("lane_pc-vector", "regx v3", {0: 0x301_0000_0300, 1: 0x303_0000_0302}),
    kept("lane_pc-undefined", f"{NOWHERE}; {HERE}; {BY_EXEC}", {3: None, 4: 0x1040, 63: 0x1040}),
    kept("lane_pc-undefined", "", {0: None, 63: None}),
    kept("lane_pc-undefined", "LLVM_undefined", {3: None}),
    kept("lane_pc-vector", f"{NOWHERE}; addr 0x1000; stack_value; LLVM_extend 64 64; {BY_EXEC}",
         {3: None, 4: 0x1000}),
])  # fmt: skip
def test_where_a_lane_is(text: str, expected: dict[int, int | None]) -> None:
    assert {lane: lane_location(text, lane) for lane in expected} == expected


@pytest.mark.parametrize(("text", "error", "parts"), [
    broken("lane_pc-one", TWO_PLACES, IllFormed, "DW_AT_LLVM_lane_pc", "one single location"),
    broken("lane_pc-undefined",
           "LLVM_undefined; piece 4; regx s0; piece 4; LLVM_piece_end; LLVM_extend 64 64",
           IllFormed, "lane 63", "partly undefined"),
    broken("lane_pc-vector", "regx pc", OutOfRange),  # of one lane, not of all
    broken("lane_pc-vector", "regx pc; LLVM_extend 32 64", OutOfRange),
])  # fmt: skip
def test_where_no_lane_is(text: str, error: type[DwarfGpuError], parts: tuple[str, ...]) -> None:
    raises(lambda: lane_location(text, 63), error, *parts)


# Paragraph 6: DW_AT_LLVM_active_lane


def mask(text: str, lanes: int = 64) -> int:
    context = evolve(GPU.context, lane=0, lane_count=lanes)
    return lane_attributes.active_lanes(attribute(text), context)


@pytest.mark.parametrize(("text", "expected"), [
    kept("active_lane-one active_lane-mask", "regx exec", EXEC),
    kept("active_lane-mask", "regx s0; piece 4; regx s1; piece 4; LLVM_piece_end",
         0x5566_7788_1122_3344),
    kept("active_lane-mask", "addr 0x1000", 0x0706_0504_0302_0100),
    kept("active_lane-mask", "lit5; stack_value", 5),
])  # fmt: skip
def test_which_lanes_are_active(text: str, expected: int) -> None:
    assert mask(text) == expected
    assert mask(text, 32) == expected & 0xFFFF_FFFF
    assert mask(text, 3) == expected & 7


@pytest.mark.parametrize(("text", "error", "parts"), [
    broken("active_lane-one", TWO_PLACES, IllFormed, "DW_AT_LLVM_active_lane", "one single"),
    broken("active_lane-mask", "regx s0", OutOfRange, "32"),  # half of the lanes
    broken("active_lane-mask", "", UndefinedBits, "undefined"),
    broken("active_lane-mask", "implicit_pointer 0x114 0", IllFormed, "implicit pointer"),
])  # fmt: skip
def test_an_active_lane_expression_that_fails(
    text: str, error: type[DwarfGpuError], parts: tuple[str, ...]
) -> None:
    raises(lambda: mask(text), error, *parts)


# Paragraph 7: DW_AT_LLVM_iterations


@pytest.mark.parametrize(("text", "expected"), [
    kept("iterations-positive iterations-implicit", "lit4; stack_value", 4),
    kept("iterations-positive", "lit1; stack_value", 1),
    kept("iterations-implicit", "implicit_value 8 2 0 0 0 0 0 0 0", 2),
])  # fmt: skip
def test_iterations(text: str, expected: int) -> None:
    assert lane_attributes.iterations(attribute(text), GPU.context) == expected


@pytest.mark.parametrize(("text", "error", "parts"), [
    broken("iterations-positive", "lit0; stack_value", IllFormed, "DW_AT_LLVM_iterations is 0"),
    broken("iterations-positive", "consts -1; stack_value", IllFormed, "is -1"),
    *(broken("iterations-implicit", text, IllFormed, "does not give an implicit location")
      for text in ("lit4", "regx pc", "addr 0x1000", "", "LLVM_undefined",
                   "lit4; stack_value; piece 8", "implicit_pointer 0x114 0")),
    broken("iterations-implicit", TWO_PLACES, IllFormed, "one single location"),
])  # fmt: skip
def test_no_iterations(text: str, error: type[DwarfGpuError], parts: tuple[str, ...]) -> None:
    raises(lambda: lane_attributes.iterations(attribute(text), GPU.context), error, *parts)


def test_each_may_be_a_location_list() -> None:
    here = location_list(GPU, (0x1000, 0x1040, "regx s0"), (0x1040, 0x1080, "lit3; stack_value"))
    assert lane_attributes.iterations(here, GPU.context) == 3
    assert lane_attributes.active_lanes(here, GPU.context) == 3
    raises(lambda: frame_attributes.return_address(here, GPU.context), IllFormed, "memory")


# The session: what a subprogram of a file says

Ranges = tuple[tuple[int, int, str], ...]
"""A location list: from, to, expression."""
Attributes = tuple[tuple[int, str | int | Ranges], ...]
LISTS_HEADER = b"\5\0\x08\0\0\0\0\0"
"""Of `.debug_loclists`, behind the length."""


def session(
    tmp_path: Path,
    *attributes: tuple[int, str | int | Ranges],
    inner: Attributes = (),
    inner_at: tuple[int, int] = (0x1000, 0x100),
    tag: int = dw.TAG_INLINED_SUBROUTINE,
    dialect: str = "amd-provisional",
    **focus: object,
) -> Session:
    """A wave at 0x1040 of a subprogram at [0x1000,0x1100) that has these attributes.

    `inner`: those of an inlined call or entry point in it, at `inner_at`, where there is one.
    """
    code = (0x1000).to_bytes(8, "little") + encode_uleb(0x100)
    inside = inner_at[0].to_bytes(8, "little") + encode_uleb(inner_at[1])
    lists = bytearray(LISTS_HEADER)
    data = b"\1" + code + _entry(2, code, attributes, lists)
    data += (_entry(3, inside, inner, lists) if inner else b"") + b"\0\0"
    shapes = (
        _shape(dw.TAG_COMPILE_UNIT, (), True),
        _shape(dw.TAG_SUBPROGRAM, attributes, True),
        _shape(tag, inner, False),
    )
    sections = {
        ".debug_info": unit(data),
        ".debug_abbrev": abbreviations(*shapes),
        ".debug_loclists": len(lists).to_bytes(4, "little") + bytes(lists),
        ".text": Content(bytes(0x100), 1, 6, 0x1000),
    }
    path = tmp_path / "made.co"
    path.write_bytes(elf(sections))
    code_object = CodeObject.open(path, dialect=dialect)
    made = Session(GPU.arch, (code_object,), GPU.target, wave=0, lane=3, pc=0x1040)
    return evolve(made, **focus)  # type: ignore[arg-type]


def _shape(tag: int, given: Attributes, has_children: bool) -> Shape:
    span = ((dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_UDATA))
    forms = {str: dw.FORM_EXPRLOC, int: dw.FORM_SDATA, tuple: dw.FORM_SEC_OFFSET}
    return Shape(tag, (*span, *((name, forms[type(value)]) for name, value in given)), has_children)


def _entry(number: int, code: bytes, given: Attributes, lists: bytearray) -> bytes:
    out = bytes((number,)) + code
    for _, value in given:
        if isinstance(value, int):
            out += encode_sleb(value)
        elif isinstance(value, str):
            out += _block(value)
        else:
            out += (4 + len(lists)).to_bytes(4, "little")
            for begin, end, text in value:
                both = begin.to_bytes(8, "little") + end.to_bytes(8, "little")
                lists += b"\x07" + both + _block(text)  # DW_LLE_start_end
            lists += b"\0"
    return out


def _block(text: str) -> bytes:
    data = assemble(text, AMD_PROVISIONAL, GPU.unit.format, GPU.arch)
    return encode_uleb(len(data)) + data


def waiting(address: int) -> str:
    """Lanes that are not active wait at an address."""
    return f"constu {address}; stack_value; LLVM_extend 64 64; {HERE}; {BY_EXEC}"


LANE_PC, ACTIVE, ITERATIONS = dw.AT_LLVM_LANE_PC, dw.AT_LLVM_ACTIVE_LANE, dw.AT_LLVM_ITERATIONS
ONLY_ACTIVE = f"{NOWHERE}; {HERE}; {BY_EXEC}"


@pytest.mark.clause(C + "return_addr", "keeps")
@pytest.mark.clause(C + "static_link", "keeps")
@pytest.mark.parametrize("tag", [dw.TAG_INLINED_SUBROUTINE, dw.TAG_ENTRY_POINT])
def test_the_innermost_entry_with_the_attribute_decides(tmp_path: Path, tag: int) -> None:
    both = ((dw.AT_RETURN_ADDR, "addr 0x1000"), (dw.AT_STATIC_LINK, f"lit16; {LANE}"))
    frame = session(tmp_path, *both).frame
    assert attributes_of(frame) == ("global#0x1000", "private_lane[3]#0x10")
    inner = ((dw.AT_RETURN_ADDR, "addr 0x1008"),)
    frame = session(tmp_path, *both, inner=inner, tag=tag).frame
    assert attributes_of(frame) == ("global#0x1008", "private_lane[3]#0x10")
    assert attributes_of(session(tmp_path).frame) == (None, None)


@pytest.mark.clause(C + "frame_base-memory", "keeps")
def test_an_entry_point_has_its_own_frame_base(tmp_path: Path) -> None:
    outer = (dw.AT_FRAME_BASE, "addr 0x1000")
    inner = ((dw.AT_FRAME_BASE, "addr 0x1008"),)
    assert shown(session(tmp_path, outer).frame.frame_base()) == "global#0x1000"
    entered = session(tmp_path, outer, inner=inner, tag=dw.TAG_ENTRY_POINT).frame
    assert shown(entered.frame_base()) == "global#0x1008"
    raises(session(tmp_path).frame.frame_base, IllFormed, "has no DW_AT_frame_base")


def attributes_of(frame: SubprogramFrame) -> tuple[str | None, ...]:
    """Return address and static link of a frame."""
    result = frame.return_address(), frame.static_link()
    return tuple(None if item is None else shown(item) for item in result)


@pytest.mark.clause(C + "lane_pc-default", "keeps")
def test_without_lane_pc_a_lane_is_where_the_thread_is(tmp_path: Path) -> None:
    there = session(tmp_path)
    assert (there.program_location, there.context().pc) == (0x1040, 0x1040)
    assert there.lane_states([3])[0].location == LaneLocation(0x1040)


@pytest.mark.clause(C + "lane_pc-default", "breaks")
@pytest.mark.clause("A.2.5.1/location-frame", "keeps")
def test_lane_pc_gives_the_pc_of_a_lane(tmp_path: Path) -> None:
    there = session(tmp_path, (LANE_PC, waiting(0x1010)))
    assert (there.program_location, there.context().pc) == (0x1010, 0x1010)
    active = there.focused(4)
    assert (active.program_location, active.context().pc) == (0x1040, 0x1040)
    thread = there.focused(None)
    assert (thread.program_location, thread.context().pc) == (0x1040, 0x1040)


@pytest.mark.clause(C + "lane_pc-undefined", "keeps")
def test_a_lane_that_never_entered_is_in_no_context(tmp_path: Path) -> None:
    there = session(tmp_path, (LANE_PC, ONLY_ACTIVE))
    raises(lambda: there.program_location, InconsistentContext, "lane 3", "not active on entry")
    raises(there.context, InconsistentContext, "lane 3", "not active on entry")
    assert [lane_state.is_absent for lane_state in there.lane_states(range(3, 5))] == [True, False]
    assert there.focused(4).context().pc == 0x1040


def test_a_lane_that_never_entered_an_inlined_call_is_around_it(tmp_path: Path) -> None:
    inner = ((LANE_PC, ONLY_ACTIVE),)
    there = session(tmp_path, (LANE_PC, waiting(0x1010)), inner=inner)
    assert there.program_location == 0x1010
    assert there.focused(4).program_location == 0x1040
    there = session(tmp_path, (LANE_PC, ONLY_ACTIVE), inner=((LANE_PC, waiting(0x1020)),))
    assert there.program_location == 0x1020


def test_lane_pc_is_evaluated_at_the_pc_of_the_thread(tmp_path: Path) -> None:
    """The expression sees the lane in focus, which may have gone elsewhere."""
    text = "LLVM_push_lane; plus_uconst 0x1000; stack_value; LLVM_extend 64 64"
    there = session(tmp_path, (LANE_PC, text))
    states = there.lane_states(range(5))
    assert [state.location for state in states] == [
        LaneLocation(0x1000 + lane, was_active=True) for lane in range(5)
    ]
    raises(lambda: there.focused(64), UsageError, "there is no lane 64")


def test_a_lane_with_an_unevaluable_pc_has_no_location(tmp_path: Path) -> None:
    """It is where the wave is only without the attribute (A.3.3.5); registers need no location."""
    target = StateTarget(GPU.arch)
    target.add_wave(0)
    there = session(tmp_path, (LANE_PC, ONLY_ACTIVE), target=target)
    [state] = there.lane_states([3])
    assert (state.location, state.is_active, state.is_absent) == (None, None, False)
    assert isinstance(state.error, Unavailable)
    assert "DW_AT_LLVM_lane_pc" in state.error.message and "exec" in state.error.message
    raises(lambda: there.focused(3).program_location, Unavailable, "DW_AT_LLVM_lane_pc")
    assert there.focused(3).context().pc is None
    assert there.focused(None).program_location == 0x1040


def test_ill_formed_lane_pc_is_an_error_of_each_lane(tmp_path: Path) -> None:
    there = session(tmp_path, (LANE_PC, "lit0; LLVM_offset"))
    [state] = there.lane_states([3])
    assert isinstance(state.error, IllFormed)
    raises(there.context, IllFormed)
    assert there.focused(None).context().pc == 0x1040


OF_FUNCTION = "DW_AT_LLVM_lane_pc of subprogram 0x17 cannot be evaluated"


@pytest.mark.parametrize(
    ("text", "why", "operations"),
    [
        pytest.param(
            f"lit0; stack_value; regx pc; {BY_EXEC}",
            "DW_OP_LLVM_select_bit_piece at offset 0x8: bit offset",
            6,
            id="operation",
        ),
        pytest.param("regx pc", "it gives the locations of 1 lane alone", 1, id="no element"),
        pytest.param(
            "regx s30",
            "it gives no location: it has 32 bits, and that of one lane has 64",
            1,
            id="no lane",
        ),
    ],
)
def test_errors_name_lane_pc(tmp_path: Path, text: str, why: str, operations: int) -> None:
    """The location of the variable has none of these operations; its explanation shows them."""
    there = session(tmp_path, (LANE_PC, text))
    [state] = there.lane_states([3])
    assert isinstance(state.error, OutOfRange)
    assert f"the location of the lane is unknown: {OF_FUNCTION} ({why}" in state.error.message
    raises(there.context, OutOfRange, OF_FUNCTION)
    explanation = explain_subject(there, "x")
    assert explanation.heading[1].startswith("DW_AT_LLVM_lane_pc: DW_OP_")
    assert len(explanation.steps) == operations
    assert why in explanation.verdict[0]
    assert explanation.verdict[1] == "what is read is beyond the end of its storage"


@pytest.mark.clause(C + "active_lane-default", "keeps")
def test_without_active_lane_the_execution_mask_decides(tmp_path: Path) -> None:
    there = session(tmp_path)
    assert there.active_lanes() == (EXEC, None)
    assert (there.is_active(3), there.is_active(4)) == (False, True)
    with pytest.raises(UsageError, match="there is no lane -1"):
        there.is_active(-1)
    single = session(tmp_path, (dw.AT_LLVM_LANES, 1), lane=0)
    assert single.active_lanes() == (1, None)  # the thread itself


@pytest.mark.clause(C + "active_lane-default", "breaks")
@pytest.mark.clause(C + "active_lane-mask", "keeps")
def test_active_lane_decides_if_it_is_given(tmp_path: Path) -> None:
    there = session(tmp_path, (ACTIVE, "lit8; stack_value"))
    assert there.active_lanes() == (8, None)
    assert (there.is_active(3), there.is_active(4)) == (True, False)
    assert there.first_active_lane() == 3
    inner = session(tmp_path, (ACTIVE, "lit8; stack_value"), inner=((ACTIVE, "regx exec"),))
    assert inner.active_lanes() == (EXEC, None)


@pytest.mark.clause(C + "active_lane-one", "breaks")
def test_an_unreadable_active_lane_gives_no_mask(tmp_path: Path) -> None:
    there = session(tmp_path, (ACTIVE, "regx s0"))
    mask, why = there.active_lanes()
    assert (mask, there.is_active(3)) == (None, None)
    assert why is not None
    assert "DW_AT_LLVM_active_lane" in why


@pytest.mark.clause(C + "iterations-default", "keeps")
@pytest.mark.clause("A.2.5.1/iteration-range", "breaks")
def test_one_iteration_by_default(tmp_path: Path) -> None:
    there = session(tmp_path, iteration=0)
    assert there.context().iteration_count == 1
    raises(evolve(there, iteration=1).context, InconsistentContext, "iteration 1")


@pytest.mark.clause(C + "iterations-default", "breaks")
@pytest.mark.clause("A.2.5.1/iteration-range", "keeps")
@pytest.mark.parametrize("value", [4, "lit4; stack_value"])
def test_more_iterations(tmp_path: Path, value: str | int) -> None:
    there = session(tmp_path, (ITERATIONS, value), iteration=3)
    assert there.context().iteration_count == 4
    raises(evolve(there, iteration=4).context, InconsistentContext, "iteration 4")


@pytest.mark.clause(C + "iterations-positive", "breaks")
@pytest.mark.parametrize("value", [0, -1, "lit0; stack_value"])
def test_iterations_above_zero(tmp_path: Path, value: str | int) -> None:
    there = session(tmp_path, (ITERATIONS, value), iteration=0)
    raises(there.context, IllFormed, "DW_AT_LLVM_iterations")
    assert evolve(there, iteration=None).context().iteration_count is None


@pytest.mark.parametrize(
    ("dialect", "number", "is_read"),
    [
        (AMD_PROVISIONAL, ACTIVE, True),
        (AMD, ACTIVE, False),  # it has no number today
        (AMD_DIRECT_16, 0x3E08, True),
        (AMD_DIRECT, 0x3E08, False),  # since LLVM 17 another vendor's
        (AMD, 0x3E08, False),
    ],
    ids=str,
)
def test_the_dialect_decides_what_the_number_means(
    tmp_path: Path, dialect: Dialect, number: int, is_read: bool
) -> None:
    there = session(tmp_path, (number, "lit8; stack_value"), dialect=dialect.name)
    assert there.active_lanes() == (8 if is_read else EXEC, None)


def test_the_innermost_lane_count_is_that_of_the_code(tmp_path: Path) -> None:
    there = session(tmp_path, (dw.AT_LLVM_LANES, 32), inner=((dw.AT_LLVM_LANES, 16),))
    assert there.lane_count() == (16, None)
    there = session(tmp_path, (dw.AT_LLVM_LANES, 32), inner=((LANE_PC, HERE),))
    assert there.lane_count() == (32, None)


def test_absurd_lane_counts_are_refused_at_once(tmp_path: Path) -> None:
    many = (dw.AT_LLVM_LANES, 1 << 62)
    for mask in ("regx exec", "addr 0x1000", "LLVM_undefined"):
        there = session(tmp_path, many, (ACTIVE, mask), (LANE_PC, HERE), lane=1 << 61)
        assert there.active_lanes()[0] is None
        raises(there.context, InconsistentContext, "the wave of 64 lanes disagree")
    there = session(tmp_path, many, (LANE_PC, "LLVM_undefined"), lane=1 << 61)
    raises(there.context, InconsistentContext)


def test_an_endless_expression_ends(tmp_path: Path) -> None:
    there = session(
        tmp_path, (ACTIVE, "again: lit1; drop; skip again"), (LANE_PC, "again: nop; skip again")
    )
    there = evolve(there, limits=Limits(steps=1000))
    mask, why = there.active_lanes()
    assert mask is None
    assert why is not None
    raises(there.context, LimitExceeded)
    assert isinstance(there.lane_states([3])[0].error, LimitExceeded)
