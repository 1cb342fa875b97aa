"""Sessions to evaluate in: the demo program as its file is, and stopped waves of the fixtures."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dwarfgpu import language
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.explicit_context import ExplicitAddress
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.session.read_lanes import sessions_of
from dwarfgpu.session.session import Session
from dwarfgpu.view.values import FormatOptions

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
DEMO = FIXTURES / "x86_64/demo.gcc.O0.v5"


@cache
def demo(name: str = "demo.gcc.O0.v5") -> Session:
    """The demo program, which was not started."""
    return program(FIXTURES / "x86_64" / name)


def program(path: Path) -> Session:
    """A program that was not started: its global variables are those of its file."""
    code_object = CodeObject.open(path)
    architecture = code_object.info.architecture
    assert architecture is not None
    machine = StateTarget(architecture)
    machine.add_wave(0)
    target = TargetWithCodeObjects(machine, tuple(code_object.loaded_segments()), has_started=False)
    return Session(architecture, (code_object,), target)


def waves_of(path: Path) -> list[Session]:
    """A session for each wave of a state."""
    state = load_state(path)
    objects = tuple(
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    )
    segments = tuple(
        segment for code_object in objects for segment in code_object.loaded_segments()
    )
    target = TargetWithCodeObjects(state.target, segments, has_started=True)
    first = Session(state.architecture, objects, target, wave=state.waves[0].wave)
    return list(sessions_of(first, state.waves))


def stopped(
    name: str,
    lane: int | None = None,
    *,
    pc: int | None = None,
    strict: bool = False,
    opened: tuple[CodeObject, ...] | None = None,
) -> Session:
    """The first wave of a state, fresh, so that a test may write. `opened`: the code objects of an
    earlier one, which nothing writes."""
    state = load_state(FIXTURES / "states" / f"{name}.json")
    objects = opened or tuple(
        CodeObject.open(code_object.path, code_object.load_address, strict=strict)
        for code_object in state.code_objects
    )
    wave = state.waves[0]
    counter = state.architecture.register_named("pc")
    if pc is not None and counter is not None:
        state.target.set_register(wave.wave, counter, pc.to_bytes(8, "little"))
    segments = tuple(
        segment for code_object in objects for segment in code_object.loaded_segments()
    )
    session = Session(
        state.architecture,
        objects,
        TargetWithCodeObjects(state.target, segments, has_started=True),
        wave=wave.wave,
        lane=lane,
        pc=wave.pc if pc is None else pc,
        strict=strict,
    )
    return session if wave.cfa is None else evolve(session, given_cfa=ExplicitAddress(0, wave.cfa))


def text(session: Session, expression: str, letter: str | None = None) -> str:
    """What `print` shows: the value, or the line of the error."""
    try:
        value = language.evaluate(expression, session)
        return language.format(value, session, FormatOptions(letter))
    except DwarfGpuError as error:
        return error.message


def kind(session: Session, expression: str) -> str:
    """The kind of error of an expression, be it raised or kept in the value."""
    try:
        error = language.evaluate(expression, session).error
    except DwarfGpuError as raised:
        return raised.kind
    return "none" if error is None else error.kind
