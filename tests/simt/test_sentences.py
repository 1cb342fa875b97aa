"""The sentences of A.3.3.5 (4 to 7) and A.2.5.1 about lanes and iterations, one by one.

`tests/spec/test_a_3_3_5_lanes.py` has what expressions result in; here is what a function says.
The wave is at 0x1040 of a function at [0x1000,0x1100), lane 3 is inactive and lane 4 active.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf import lane_attributes
from dwarfgpu.errors import (
    DwarfGpuError,
    IllFormed,
    InconsistentContext,
    MissingContext,
    Unavailable,
    UsageError,
)
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.session.session import Session
from tests.spec.machine import GPU, raises, shown
from tests.spec.test_a_3_3_5_lanes import (
    ACTIVE,
    BY_EXEC,
    EXEC,
    HERE,
    ITERATIONS,
    LANE_PC,
    NOWHERE,
    ONLY_ACTIVE,
    Attributes,
    attribute,
    session,
    waiting,
)

LANES, FRAME_BASE = dw.AT_LLVM_LANES, dw.AT_FRAME_BASE
ALL = (0x1000, 0x1100)
WAVES, OTHER = (0x1030, 0x1050), (0x1000, 0x1030)
"""Where the wave is, and where lane 3 waits."""
ONE, TWO, THREE = (f"lit{n}; stack_value" for n in (1, 2, 3))


def facts_at(there: Session) -> dict[str, object]:
    """The facts about the focus, or the kind and text of the error."""

    def of(ask: Callable[[], object]) -> object:
        try:
            return ask()
        except DwarfGpuError as error:
            return f"{type(error).__name__}: {error.message}"

    return {
        "lanes": of(lambda: there.lane_count()[0]),
        "pc": of(lambda: there.program_location),
        "active": of(lambda: there.active_lanes()[0]),
        "iterations": of(there.frame.iteration_count),
    }


BOTH_TAGS = [dw.TAG_INLINED_SUBROUTINE, dw.TAG_ENTRY_POINT]
DEFAULTS = {"lanes": 64, "pc": 0x1040, "active": EXEC, "iterations": 1}


@pytest.mark.parametrize("tag", BOTH_TAGS)
@pytest.mark.parametrize(("given", "expected"), [
    ((), {}),
    (((LANES, 32),), {"lanes": 32}),
    (((LANE_PC, waiting(0x1010)),), {"pc": 0x1010}),
    (((ACTIVE, "lit8; stack_value"),), {"active": 8}),
    (((ITERATIONS, 4),), {"iterations": 4}),
    (((ITERATIONS, THREE),), {"iterations": 3}),
])  # fmt: skip
def test_each_may_be_on_each_kind_of_entry(
    tmp_path: Path, tag: int, given: Attributes, expected: dict[str, object]
) -> None:
    """A DW_TAG_subprogram, DW_TAG_inlined_subroutine or DW_TAG_entry_point may have it; if not
    present, its default: the wave size for lack of producers (docs/spec-notes.md), the thread's
    program location, the execution mask, 1."""
    expected = DEFAULTS | expected
    inside: Attributes = given or ((dw.AT_CALL_LINE, 1),)
    assert facts_at(session(tmp_path, *given)) == expected
    assert facts_at(session(tmp_path, inner=inside, tag=tag)) == expected


@pytest.mark.parametrize(("given", "what", "expected"), [
    # An integer constant; ill-formed if it is less than or equal to 0.
    ((LANES, 0), "lanes", "IllFormed: DW_AT_LLVM_lanes of .* is 0"),
    ((LANES, -1), "lanes", "IllFormed: DW_AT_LLVM_lanes of .* is -1"),
    ((LANES, "lit8"), "lanes", "IllFormed: DW_AT_LLVM_lanes .* is not an integer constant"),
    ((LANES, ((*ALL, ONE),)), "lanes", "IllFormed: .* is not an integer constant"),
    # A DWARF expression.
    ((LANE_PC, 7), "pc", "IllFormed: attribute .* of class constant is not a location"),
    ((ITERATIONS, 0), "iterations", "IllFormed: DW_AT_LLVM_iterations of .* is 0"),
    # Exactly one single location: two list entries at once make two.
    ((LANE_PC, ((*ALL, "addr 0x1000"), (*WAVES, HERE))), "pc", "IllFormed: .* exactly one"),
    ((ITERATIONS, ((*ALL, ONE), (*WAVES, TWO))), "iterations", "IllFormed: .* one single location"),
    # Not described at all is undefined: the lane was not active; no implicit location.
    ((LANE_PC, ((*OTHER, HERE),)), "pc", "InconsistentContext: lane 3 was not active on entry"),
    ((ITERATIONS, ((*OTHER, TWO),)), "iterations", "IllFormed: .* an implicit location"),
    # The pc of the wave decides, also for a lane that waits elsewhere.
    ((ITERATIONS, ((*OTHER, ONE), (*WAVES, TWO))), "iterations", 2),
    ((ACTIVE, ((*OTHER, ONE), (*WAVES, TWO))), "active", 2),
    ((LANE_PC, ((*OTHER, ONLY_ACTIVE), (*WAVES, waiting(0x1010)))), "pc", 0x1010),
    # A value that a location is required of is an address: the vector is read from memory.
    ((LANE_PC, "constu 0x1000"), "pc", 0x1F1E1D1C1B1A1918),
    ((LANE_PC, "addr 0x1000; deref; stack_value; LLVM_extend 64 64"), "pc", 0x0706050403020100),
    ((LANE_PC, "constu 0x1018; stack_value"), "pc", "OutOfRange: .*"),
])  # fmt: skip
def test_attributes_of_a_function(
    tmp_path: Path, given: tuple[int, object], what: str, expected: object
) -> None:
    attributes: Attributes = (given,)  # type: ignore[assignment]
    if given[0] != LANE_PC:
        attributes = (*attributes, (LANE_PC, waiting(0x1010)))
    result = facts_at(session(tmp_path, *attributes))[what]
    if isinstance(expected, str):
        assert isinstance(result, str) and re.match(expected, result), result
    else:
        assert result == expected


@pytest.mark.parametrize(("mask", "lanes", "expected"), [
    # Read with as many bits as there are lanes; the Nth least significant bit is lane N.
    ("regx exec", 64, EXEC),
    ("regx exec", 16, 0xF0F0),
    ("lit31; stack_value", 3, 7),
    ("regx s0", 32, 0x11223344),
    ("regx s0", 33, None),  # it has no bit 32
    (((*WAVES, "LLVM_undefined"),), 64, None),
    (((*WAVES, ONE), (*ALL, TWO)), 64, None),  # two locations
    (((*OTHER, ONE),), 64, None),
    (5, 64, None),
])  # fmt: skip
def test_the_mask_has_a_bit_for_each_lane(
    tmp_path: Path, mask: str, lanes: int, expected: int | None
) -> None:
    there = session(tmp_path, (LANES, lanes), (ACTIVE, mask), lane=0)
    result, why = there.active_lanes()
    assert result == expected
    assert (why is None) == (expected is not None)
    if expected is not None:
        active = [
            lane_state.lane
            for lane_state in there.lane_states(range(lanes))
            if lane_state.is_active
        ]
        assert active == [n for n in range(lanes) if expected >> n & 1]


def test_the_execution_mask_is_not_read_if_there_is_one_lane(tmp_path: Path) -> None:
    """Only if lanes is greater than 1 is it used by default; absent, lanes is 1 by the letter."""
    assert session(tmp_path, (LANES, 2), lane=0).active_lanes() == (EXEC, None)
    assert session(tmp_path, (LANES, 1), lane=0).active_lanes() == (1, None)
    strict = session(tmp_path, lane=0, strict=True)
    assert (strict.lane_count(), strict.active_lanes()) == ((1, None), (1, None))
    raises(evolve(strict, lane=1).context, InconsistentContext, "lane 1", "lane count 1")


@pytest.mark.parametrize("rule", ["lane_pc", "active_lane", "iterations"])
def test_an_unspecified_object_and_an_empty_stack(rule: str) -> None:
    given = evolve(
        GPU.context,
        object=GPU.memory(0, 0x1000),
        initial_stack=(GPU.memory(0, 0x2000),),
        lane_count=64,
        result_kind="value",
    )

    def evaluated(text: str) -> object:
        match rule:
            case "lane_pc":
                return lane_attributes.lane_location(attribute(text), given, 3)
            case "active_lane":
                return lane_attributes.active_lanes(attribute(text), given)
            case _:
                return lane_attributes.iterations(attribute(text), given)

    raises(lambda: evaluated("push_object_address"), MissingContext, "object")
    raises(lambda: evaluated("dup"), IllFormed)


def test_the_other_elements_are_those_of_the_focus(tmp_path: Path) -> None:
    """Lane and iteration can be asked; each lane sees its own."""
    text = "LLVM_push_lane; LLVM_push_iteration; plus; plus_uconst 0x1000; stack_value"
    there = session(tmp_path, (LANE_PC, f"{text}; LLVM_extend 64 64"), (ITERATIONS, 9), iteration=8)
    assert [there.focused(lane).program_location for lane in (3, 4)] == [0x100B, 0x100C]
    without = evolve(there, iteration=None)
    [state] = without.lane_states([3])
    assert state.location is None and isinstance(state.error, MissingContext)
    assert "iteration" in state.error.message


def test_a_lane_with_an_error_does_not_hide_the_others(tmp_path: Path) -> None:
    """Lanes are evaluated together where that is possible, else one by one."""
    target = StateTarget(GPU.arch)
    target.add_wave(0)
    register = GPU.arch.register_named("v3")
    assert register is not None
    target.set_lanes(0, register, [0x1010, 0, 0x1020, 0])
    there = session(tmp_path, (LANES, 4), (LANE_PC, "regx v3"), target=target)
    states = there.lane_states(range(4))
    places = [state.location.pc for state in states if state.location is not None]
    assert places == [0x1010, 0x1020]
    assert [state.lane for state in states if isinstance(state.error, Unavailable)] == [2, 3]
    assert all("v3" in state.error.message for state in states[2:] if state.error is not None)
    partly = "LLVM_undefined; piece 4; regx s0; piece 4; LLVM_piece_end"
    text = f"{HERE}; {partly}; LLVM_extend 64 64; lit2; LLVM_select_bit_piece 64 64"
    states = session(tmp_path, (LANE_PC, text)).lane_states(range(3))
    assert [state.error is None for state in states] == [True, False, True]


# A.2.5.1: the call frame and the program location


def test_without_a_lane_the_location_is_that_of_the_thread(tmp_path: Path) -> None:
    there = session(tmp_path, (LANE_PC, waiting(0x1010)), lane=None)
    context = there.context()
    assert context.pc == 0x1040
    raises(lambda: evolve(context, pc=0x1010), InconsistentContext, "0x1010", "frame is at 0x1040")


def test_with_a_lane_it_is_what_lane_pc_computes(tmp_path: Path) -> None:
    there = session(tmp_path, (LANE_PC, waiting(0x1010)))
    context = there.context()
    raises(lambda: evolve(context, pc=0x1040), InconsistentContext, "0x1040", "lane 3 is at 0x1010")
    raises(lambda: evolve(there.focused(4).context(), pc=0x1010), InconsistentContext, "lane 4")
    # Nothing else of the context decides it: another lane would have to be elsewhere.
    raises(lambda: evolve(context, lane=4), InconsistentContext, "lane 4 is at 0x1040")


def test_a_lane_that_was_not_active_on_entry_is_in_no_context(tmp_path: Path) -> None:
    there = session(tmp_path, (LANE_PC, ONLY_ACTIVE))
    context = there.focused(4).context()
    raises(lambda: evolve(context, lane=3), InconsistentContext, "lane 3", "not active on entry")
    raises(lambda: evolve(context, lane=3, pc=None), InconsistentContext, "not active on entry")


def test_lane_and_iteration_are_below_the_counts_of_the_function(tmp_path: Path) -> None:
    """The subprogram of the frame and location; of an inlined call its own, where the wave is."""
    there = session(tmp_path, (LANES, 16), (ITERATIONS, 2), lane=15, iteration=1)
    assert (there.context().lane_count, there.context().iteration_count) == (16, 2)
    raises(there.focused(16).context, InconsistentContext, "lane 16", "lane count 16")
    raises(evolve(there, iteration=2).context, InconsistentContext, "iteration 2", "count 2")
    raises(evolve(there, iteration=-1).context, InconsistentContext, "iteration -1")
    raises(lambda: there.focused(-1), UsageError, "lane -1")
    inner: Attributes = ((LANES, 8), (ITERATIONS, 4))
    inlined = session(tmp_path, (LANES, 16), inner=inner, lane=7, iteration=3)
    assert (inlined.context().lane_count, inlined.context().iteration_count) == (8, 4)
    raises(inlined.focused(8).context, InconsistentContext, "lane count 8")


# Everything else is asked where the lane is


def test_the_frame_base_is_that_where_the_lane_is(tmp_path: Path) -> None:
    lists = ((*OTHER, "addr 0x1000"), (*WAVES, "addr 0x1008"))
    there = session(tmp_path, (LANE_PC, waiting(0x1010)), (FRAME_BASE, lists))
    places = [shown(there.focused(lane).frame.frame_base()) for lane in (None, 3, 4)]
    assert places == ["global#0x1008", "global#0x1000", "global#0x1008"]


@pytest.mark.parametrize(("name", "ask"), [
    (dw.AT_FRAME_BASE, "frame_base"),
    (dw.AT_RETURN_ADDR, "return_address"),
    (dw.AT_STATIC_LINK, "static_link"),
])  # fmt: skip
def test_the_function_is_that_where_the_lane_is(tmp_path: Path, name: int, ask: str) -> None:
    """An entry point from 0x1008 to 0x1020, where lane 3 waits; the wave is not in it."""
    there = session(
        tmp_path, (LANE_PC, waiting(0x1010)), (name, "addr 0x1000"),
        inner=((name, "addr 0x1008"),), inner_at=(0x1008, 0x18), tag=dw.TAG_ENTRY_POINT,
    )  # fmt: skip
    places = [shown(getattr(there.focused(lane).frame, ask)()) for lane in (None, 3, 4)]
    assert places == ["global#0x1000", "global#0x1008", "global#0x1000"]


def test_lanes_iterations_and_masks_are_those_where_the_wave_is(tmp_path: Path) -> None:
    """Lane 3 waits in an inlined call that says otherwise; the wave is around it."""
    inner: Attributes = ((LANES, 8), (ITERATIONS, 4), (ACTIVE, ONE))
    there = session(
        tmp_path, (LANE_PC, waiting(0x1010)), inner=inner, inner_at=(0x1008, 0x18), iteration=0
    )
    assert facts_at(there) == DEFAULTS | {"pc": 0x1010}
    assert (there.context().lane_count, there.context().iteration_count) == (64, 1)
    raises(evolve(there, iteration=1).context, InconsistentContext, "iteration count 1")


def test_a_lane_that_is_undefined_inside_may_be_outside(tmp_path: Path) -> None:
    """Conceptually it has only the frames for which it is defined; calls are inlined too."""
    outer, inner = (LANE_PC, waiting(0x1010)), ((LANE_PC, f"{NOWHERE}; {HERE}; {BY_EXEC}"),)
    there = session(tmp_path, outer, inner=inner, inner_at=(0x1030, 0x20))
    assert [there.focused(lane).program_location for lane in (3, 4)] == [0x1010, 0x1040]
    nowhere = session(tmp_path, (LANE_PC, ONLY_ACTIVE), inner=inner, inner_at=(0x1030, 0x20))
    assert nowhere.is_absent
