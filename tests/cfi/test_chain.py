"""Twelve frames that save registers in every way that AMD's compilers have, register by register.

What each frame must have in its registers comes of running the functions (`chain.py`), not of
their call frame information.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.model.storage import Register
from dwarfgpu.session.session import Session
from dwarfgpu.session.stack_frames import selected, stack_frames
from dwarfgpu.view.location_text import location_text
from tests.cfi.chain import FIXTURES, VARIANTS, Registers, state_text, stopped
from tests.cli.command import run


@pytest.fixture(params=VARIANTS)
def variant(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def session_of(variant: str, lane: int | None = None) -> Session:
    state = load_state(FIXTURES / f"states/{variant}.json")
    [wave] = state.waves
    objects = tuple(
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    )
    target = TargetWithCodeObjects(state.target, (), True)
    return Session(state.architecture, objects, target, wave.wave, lane, pc=wave.pc)


def test_the_state_is_what_the_functions_leave(variant: str) -> None:
    assert (FIXTURES / f"states/{variant}.json").read_text() == state_text(variant)


def expected(found: Registers, mask_bytes: int) -> dict[str, bytes]:
    """Every register by name, as bytes of the target."""
    out = {"exec": found.exec.to_bytes(mask_bytes, "little")}
    out["pc"] = found.pc.to_bytes(8, "little")
    out |= {f"s{n}": value.to_bytes(4, "little") for n, value in found.sgprs.items()}
    for letter, vectors in (("v", found.vgprs), ("a", found.agprs)):
        for n, lanes in vectors.items():
            out[f"{letter}{n}"] = b"".join(lane.to_bytes(4, "little") for lane in lanes)
    return out


def test_every_register_of_every_frame(variant: str) -> None:
    session = session_of(variant)
    wave = stopped(variant)
    stack, arch = session.call_stack, session.architecture
    assert stack is not None and str(stack.end) == "outermost: the return address is undefined"
    compared = lost = 0
    for level, values in enumerate(reversed(wave.frames)):
        frame = stack.frame(level)
        assert frame is not None and frame.pc == values.pc
        for name, data in expected(values, wave.lanes // 8).items():
            info = arch.by_name.get(name)
            if info is None or info.number is None:  # wave32 has no accumulators
                continue
            location = frame.register(info.number)
            if name in values.lost:
                assert location.is_undefined, (level, name)
                lost += 1
                continue
            assert session.context().access.read_bytes(location, len(data)) == data, (level, name)
            compared += 1
    assert stack.frame(12) is None
    assert compared > 700 and lost > 50


def test_the_arguments_of_any_lane(variant: str) -> None:
    wave = stopped(variant)
    for lane in (0, 1, wave.lanes // 2, wave.lanes - 2):
        done = run("bt", "--state", FIXTURES / f"states/{variant}.json", "--lane", lane)
        names = [f"f{n}" for n in range(11, 0, -1)] + ["k"]
        for line, name, values in zip(done.lines, names, reversed(wave.frames), strict=True):
            shown = f"in {name} (a={values.vgprs[41][lane]}, s={values.sgprs[40]})"
            assert shown in line
        assert done.status == 0


def test_a_variable_of_frame_7_is_written_in_the_lane_where_it_lives(variant: str) -> None:
    session = selected(session_of(variant), 7)
    assert session.functions() == ["f4"]
    reading = session.read(session.variable("s"))
    assert reading.location is not None and reading.bits is not None
    assert location_text(reading.location) == "v44 + byte 12 (wave 0)"
    before = session_of(variant)
    v44 = before.architecture.by_name["v44"]
    access = session.context().access
    access.write(reading.location, 32, 0x1234567)
    assert session.target is not None
    data = session.target.read_register(0, v44)
    assert data[12:16] == (0x1234567).to_bytes(4, "little")
    assert before.target is not None
    old = before.target.read_register(0, v44)
    assert (data[:12], data[16:]) == (old[:12], old[16:])
    again = session.read(session.variable("s"))
    assert again.bits is not None and again.bits.value == 0x1234567


def test_a_masked_vector_is_in_two_places(variant: str) -> None:
    """v41 of frame 1: in memory where f11 saved it, in the register where lanes were off."""
    session = selected(session_of(variant), 1)
    location = session.frame.register(session.architecture.by_name["v41"].number or 0)
    text = location_text(location)
    assert "private_wave#" in text and "v41" in text


def test_frames_are_found_once(variant: str) -> None:
    session = session_of(variant, lane=0)
    frames = list(stack_frames(session))
    physical = frames[9].session.physical_frame
    assert physical is list(stack_frames(session))[9].session.physical_frame
    assert physical is not None
    number = session.architecture.by_name["v40"].number or 0
    assert physical.register(number) is physical.register(number)


def test_another_lane_has_its_own_stack() -> None:
    session = selected(session_of("chain_flat.gfx942", 1), 7)
    other = session.focused(2)
    values = [item.read(item.variable("a")).bits for item in (session, other)]
    assert [value.value for value in values if value is not None] == [5041001, 5041002]
    assert evolve(session).level == 7


def test_it_is_the_wave_s_own_register_in_the_top_frame(tmp_path: Path) -> None:
    session = session_of("chain_flat.gfx942")
    location = session.frame.register(32 + 40)
    assert isinstance(location.single_locations[0].storage, Register)
    document = json.loads((FIXTURES / "states/chain_flat.gfx942.json").read_text())
    del document["waves"][0]["registers"]["v44"]
    document["code_objects"][0]["path"] = str(FIXTURES / "asm/chain_flat.gfx942.v5.co")
    without = tmp_path / "state.json"
    without.write_text(json.dumps(document))
    done = run("bt", "--state", without, "--lane", 1)
    assert "in f4 (a=5041001, s=<unavailable>)" in done.lines[7]
    assert len(done.lines) == 12
