"""What a session keeps of the frame in focus, and when it is found again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import unwrap
from types import FrameType

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.context import ConstValue
from dwarfgpu.expr.evaluate import evaluate_attribute
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.session.session import Session
from tests.cli.command import FIXTURES
from tests.repl.repl_shell import nest_shell


def of_nest() -> Session:
    session = nest_shell().session
    target = StateTarget(session.architecture)
    target.add_wave(0)
    target.set_register(0, session.architecture.by_name["exec"], (0xFF0F).to_bytes(8, "little"))
    target.set_lanes(0, session.architecture.by_name["v6"], [10 * lane for lane in range(64)])
    return evolve(session, target=target)


def of_divergent() -> Session:
    state = load_state(FIXTURES / "states/divergent.gfx942.json")
    objects = tuple(
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    )
    wave = state.waves[0]
    architecture = state.target.architecture_of(wave.wave)
    return Session(architecture, objects, state.target, wave=wave.wave, pc=wave.pc)


def test_one_context_for_a_stop() -> None:
    session = of_nest()
    assert session.context() is session.context()
    assert session.context().frame is session.focus()[0]


def test_another_context_after_the_machine_has_run() -> None:
    session = of_nest()
    before = session.context()
    assert isinstance(session.target, StateTarget)
    session.target.stop += 1
    assert session.context() is not before
    assert session.context().stop == 1


@pytest.mark.parametrize("change", [{"lane": 4}, {"pc": 0x11644}])
def test_another_focus_has_its_own_frame(change: dict[str, int]) -> None:
    session = of_nest()
    session.context()
    other = evolve(session, **change)
    assert other.focused_frame is not session.focused_frame
    context = other.context()
    assert context is not session.context()
    assert (context.lane, context.pc) == (other.lane, other.pc)


def test_the_lane_count_follows_the_focus() -> None:
    session = of_nest()
    assert session.lane_count() == (64, "DW_AT_LLVM_lanes absent: wave size 64 assumed")
    assert evolve(session, strict=True).lane_count() == (1, None)
    assert evolve(session, given_lanes=32).lane_count() == (32, None)


def test_contents_are_read_anew_after_a_write() -> None:
    session = of_nest()
    variable = session.variable("t")
    assert session.read(variable).bits.value == 30
    target = session.target
    assert isinstance(target, StateTarget)
    target.set_lanes(0, session.architecture.by_name["v6"], [7] * 64)
    assert session.read(variable).bits.value == 7


def test_a_frame_whose_lanes_the_machine_places_is_not_kept() -> None:
    """DW_AT_LLVM_lane_pc reads registers: a write moves lanes, with the machine stopped."""
    session = of_divergent().focused(0)
    before = session.context()
    assert session.context() is not before
    registers = session.architecture.by_name
    places = {session.context().pc}
    for name in ("exec", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10"):
        register = registers[name]
        for value in (0, -1):
            data = value.to_bytes(register.size_bits // 8, "little", signed=True)
            session.target.write_register(session.wave, register, data)
            places.add(session.frame.lane_location(0).pc)
    assert len(places) > 1


def test_a_wrong_program_location_is_an_error_every_time() -> None:
    session = evolve(of_nest(), pc=4)
    for _ in range(2):
        with pytest.raises(UsageError, match="not in the code of any code object"):
            session.code_object  # noqa: B018


def test_a_frame_elsewhere_describes_its_own_place() -> None:
    session = of_nest()
    frame = evolve(session.frame, pc=None)
    assert frame.subprogram is None
    assert not frame.subprograms
    assert session.frame.subprogram is not None


def test_a_frame_that_noted_assumptions_is_not_handed_out_again() -> None:
    session = of_nest()
    frame, _ = session.focus()
    frame.preserved_by_callees[6] = UNDEFINED_LOCATION
    assert session.focus()[0] is not frame
    assert not session.focus()[0].preserved_by_callees


def evaluations(session: Session, change: Callable[[], None]) -> int:
    """How often a location is evaluated to read a variable whose place is known, after a change."""
    variable = session.variable("t")
    assert variable.location is not None and not isinstance(variable.location, ConstValue)
    place = session.locate_variable(variable.location)
    change()
    count = 0

    def called(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is unwrap(evaluate_attribute).__code__

    sys.setprofile(called)
    try:
        reading = session.read(variable, variable_location=place)
    finally:
        sys.setprofile(None)
    assert reading.failure is None
    return count


def test_a_place_that_was_found_is_not_evaluated_again() -> None:
    assert evaluations(of_nest(), lambda: None) == 0


def test_a_place_is_evaluated_again_after_a_write() -> None:
    session = of_nest()
    assert evaluations(session, session.forget_frames) == 1
    assert evaluations(session, session.focused(4).forget_frames) == 1


def test_a_place_is_evaluated_again_after_the_machine_has_run() -> None:
    session = of_nest()
    target = session.target
    assert isinstance(target, StateTarget)

    def run() -> None:
        target.stop += 1

    assert evaluations(session, run) == 1
