"""The example of "AMDGPU DW_AT_LLVM_lane_pc", assembled: at every instruction each lane is where
the structure of the program says, whatever the masks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import IllFormed
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.session import Session
from tests.simt.instructions import Wave
from tests.simt.nested_if import (
    FIXTURES,
    KINDS,
    LANES,
    STATES,
    VALUES,
    WAYS,
    Program,
    Way,
    program,
    state_text,
    waves,
    ways_of,
    where_lanes_are,
    where_lanes_are_in_y,
)

SEED = 20201


def looking(wave: Wave, code_object: CodeObject) -> Session:
    """What sees a wave where it is."""
    arch = code_object.info.architecture
    assert arch is not None and arch.lane_count == wave.lanes
    target = StateTarget(arch)
    target.add_wave(0)

    def known(name: str, value: int, size_bytes: int) -> None:
        register = arch.register_named(name)
        assert register is not None
        target.set_register(0, register, value.to_bytes(size_bytes, "little"))

    known("pc", wave.pc, 8)
    known("exec", wave.exec, wave.lanes // 8)
    for number, value in wave.sgprs.items():
        if number < 100:
            known(f"s{number}", value, 4)
    for number, values in wave.vgprs.items():
        register = arch.register_named(f"v{number}")
        assert register is not None
        data = b"".join(value.to_bytes(4, "little") for value in values)
        target.set_register(0, register, data)
    space = arch.address_space_named("private_wave")
    assert space is not None
    for address, value in wave.scratch.items():
        target.set_memory(Memory(space, 0), address, value.to_bytes(4, "little"))
    return Session(arch, (code_object,), target, wave=0, pc=wave.pc)


def opened(of: Program) -> CodeObject:
    return CodeObject.open(of.path, dialect="amd-provisional")


def place(state: LaneState) -> object:
    """Where a lane is found to be: an address, None if nowhere, or what is wrong."""
    if state.location is None:
        return type(state.error)
    assert state.location.note is None, state.location.note
    assert state.location.was_active is (state.location.pc is not None)
    return state.location.pc


def alone(session: Session, lane: int) -> LaneState:
    """What a lane is found to do that is asked alone."""
    [state] = session.lane_states([lane])
    return state


def many_ways(lanes: int, ways: Sequence[Way]) -> list[tuple[list[Way], tuple[int, ...]]]:
    """What lanes do, and those to look at: every choice of the first and of the last two, by lot.

    Those that are not chosen are absent. The last two do what the first two do, in the other order,
    so that no third way is gone.
    """
    few: list[tuple[list[Way], tuple[int, ...]]] = []
    absent: list[Way] = ["absent"] * (lanes - 4)
    for one, other in product(ways, repeat=2):
        few.append(([one, other, *absent, other, one], (0, 1, 2, *range(lanes - 3, lanes))))
    chance = random.Random(SEED)
    weights = [1, *[5] * (len(ways) - 1)], [8, *[1] * (len(ways) - 1)]
    some = [chance.choices(ways, weight, k=lanes) for weight in weights]
    return [*few, *((item, tuple(range(lanes))) for item in some)]


def of_call(of: Program, pc: int) -> bool:
    """Whether the wave is in what x calls."""
    return "y" in of.labels and pc >= of.labels["y"]


@pytest.mark.parametrize("processor", LANES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_lane_at_every_instruction(kind: str, processor: str) -> None:
    of = program(kind, processor)
    code_object = opened(of)
    count = 0
    for ways, shown in many_ways(of.lanes, WAYS[:4]):
        for wave in waves(of, ways):
            expected = where_lanes_are(of, ways, wave.pc)
            session = looking(wave, code_object)
            states = session.lane_states(shown)
            described = f"{ways} at {wave.pc:#x}, seed {SEED}"
            assert [place(state) for state in states] == [expected[n] for n in shown], described
            active = [expected[lane] == wave.pc for lane in shown]
            assert [state.is_active for state in states] == active, described
            count += len(states)
            if len(shown) < 64:  # one of them in turn: the same choices come for other lanes
                turn = count // len(shown) % len(shown)
                assert alone(session, shown[turn]) == states[turn], described
    assert count > 3000


@pytest.mark.parametrize("processor", LANES)
def test_every_lane_of_every_frame_at_every_instruction(processor: str) -> None:
    """c calls y, which has lane_pc of its own: in each frame its own attribute decides."""
    of = program("nested_if_call", processor)
    code_object, is_waiting = opened(of), of.labels["after_y"] - 1
    for ways, shown in many_ways(of.lanes, WAYS):
        for wave in waves(of, ways):
            top = looking(wave, code_object)
            outer, expected = top, where_lanes_are(of, ways, wave.pc)
            described = f"{ways} at {wave.pc:#x}, seed {SEED}"
            here = wave.pc
            if of_call(of, wave.pc):
                inner = where_lanes_are_in_y(of, ways, wave.pc)
                states = top.lane_states(shown)
                assert [place(state) for state in states] == [inner[n] for n in shown], described
                assert [e.is_active for e in states] == [inner[n] == wave.pc for n in shown]
                outer, here = top.at_level(1), is_waiting
                expected = [here if pc == of.labels["after_y"] else pc for pc in expected]
            states = outer.lane_states(shown)
            assert [place(state) for state in states] == [expected[n] for n in shown], described
            mask = outer.active_lanes()[0] or 0
            active = [bool(mask >> n & 1) for n in shown]
            assert active == [expected[n] == here for n in shown], described
            now = [top.is_active(n) for n in shown]  # what the wave does, in whichever frame
            assert [state.is_active for state in states] == now, described


@pytest.mark.parametrize("processor", LANES)
@pytest.mark.parametrize("kind", [*KINDS, "nested_if_call"])
def test_the_code_does_what_the_program_says(kind: str, processor: str) -> None:
    """Each lane has computed what its way computes."""
    of = program(kind, processor)
    for ways, _ in many_ways(of.lanes, WAYS):
        *_, wave = waves(of, ways)
        assert wave.pc == of.labels["end"] - 4
        result = {lane: wave.vgprs[1][lane] for lane, way in enumerate(ways) if way != "absent"}
        assert result == {lane: VALUES[ways[lane]] for lane in result}


def test_a_spilled_mask_is_where_it_was_put() -> None:
    """The scalars are reused meanwhile: only the lanes of v40, or memory, have the mask."""
    for kind in ("nested_if_lanes", "nested_if_memory"):
        of = program(kind, "gfx942")
        ways = ways_of(64)
        for wave in waves(of, ways):
            if wave.pc == of.labels["1_1_then"] + 4:
                break
        assert (wave.mask(4), wave.mask(6)) == (0, 0)
        there = looking(wave, opened(of))
        saved = [there.read(there.variable(f"__lex_{word}_save_exec")) for word in ("1", "1_1")]
        assert [item.bits.value for item in saved if item.bits] == [(1 << 56) - 1, (1 << 32) - 1]


def test_the_printed_example_is_refused() -> None:
    """What differs, and where: docs/spec-notes.md."""
    of = program("nested_if_literal", "gfx942")
    code_object, labels = opened(of), of.labels
    ways = ways_of(64)
    for wave in waves(of, ways):
        states = looking(wave, code_object).lane_states(range(64))
        result, expected = [place(state) for state in states], where_lanes_are(of, ways, wave.pc)
        wrong = {ways[lane] for lane in range(56) if result[lane] != expected[lane]}
        absent = {result[lane] for lane in range(56, 64)}
        if wave.pc < labels["1_then"] or wave.pc >= labels["1_end"]:
            assert (wrong, absent) == (set(), {None})
        elif labels["1_1_end"] <= wave.pc < labels["1_else"]:
            # The enclosing procedure is forgotten: the lanes that wait for f are lost.
            assert (wrong, absent) == ({"f"}, {None})
            assert {result[lane] for lane in range(56) if ways[lane] == "f"} == {None}
        else:
            # DW_OP_deref_type 64 is 64 bytes of a type of 8.
            assert {*result} == {IllFormed}
            assert "64" in str(states[0].error)


@pytest.mark.parametrize("name", STATES)
def test_the_state_files_are_what_the_code_does(name: str) -> None:
    assert (FIXTURES / f"states/{name}.json").read_text() == state_text(name)
