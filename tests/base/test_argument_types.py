"""Wrong types of arguments (`dwarfgpu.base.argument_types`)."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import dwarfgpu as dg
from dwarfgpu.base.argument_types import WrongType, names_wrong_arguments

DEMO = Path(dg.__file__).parent / "data" / "demo.json"
GFX942 = dg.architecture("gfx942")
V6 = GFX942.by_name["v6"]
TARGET = dg.StateTarget(GFX942)
TARGET.add_wave(0)
TARGET.set_register(0, V6, bytes(256))
ACCESS: Any = dg.Context(GFX942, target=TARGET).access
VALUE = dg.Value.of(4, GFX942.generic)
IN_V6 = dg.Location((dg.SingleLocation(dg.Register(V6)),))


@pytest.fixture(scope="module")
def session() -> dg.Session:
    state = dg.load_state(DEMO)
    objects = tuple(dg.CodeObject.open(part.path, part.load_address) for part in state.code_objects)
    wave = state.waves[0]
    return dg.Session(GFX942, objects, state.target, wave=wave.id, pc=wave.pc)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda _: dg.CodeObject.open(1 << 70), "CodeObject.open: path: expected str or Path, not"),
        (lambda _: dg.load_state(b"a"), "load_state: path: expected Path or str, not b'a'"),
        (lambda _: dg.architecture(None), "architecture: name: expected str, not None"),
        (lambda _: dg.Context("gfx942"), "Context.architecture: expected Architecture or"),
        (lambda _: dg.Context(GFX942, limits=5), "Context.limits: expected Limits, not 5"),
        (lambda _: dg.evaluate([], dg.Context()), "evaluate: data: expected bytes, not an"),
        (lambda _: dg.assemble("lit4", "amd"), "assemble: dialect: expected Dialect, not 'amd'"),
        (lambda _: next(dg.line_entries(None)), "line_entries: code_object: expected CodeObject"),
        (lambda _: dg.Value.of(1, None), "Value.of: base: expected BaseType, not None"),
        (lambda _: dg.StateTarget("gfx942"), "StateTarget.__init__: architecture: expected Arch"),
        (lambda s: s.target.set_register(0, "v6", b""), "expected RegisterInfo, not 'v6'"),
        (lambda s: s.target.set_lanes(0, V6, [1.5]), "values: expected Sequence of int or None"),
        (lambda s: s.read("t"), "Session.read: variable: expected Variable, not 't'"),
        (lambda s: s.variable(None), "Session.variable: name: expected str, not None"),
        (lambda s: s.at_level("1"), "Session.at_level: level: expected int, not '1'"),
        (lambda s: dg.evaluate_source(s, "t"), "evaluate: text: expected str, not an object"),
        (lambda s: dg.read_lanes(s, s.variable("t")), "expected Sequence of Session, not"),
        (lambda s: dg.sessions_of(s, "0"), "sessions_of: waves: expected Iterable of WaveState"),
        (lambda s: dg.sessions_of(s, {"0": 1}), "expected Iterable of WaveState, not"),
        (lambda _: dg.Session("gfx942", ()).variable("t"), "Session.architecture: expected"),
        (lambda _: ACCESS.read_bytes(VALUE, 4), "read_bytes: location: expected Location, not"),
        (lambda _: ACCESS.read_bytes(IN_V6, 4.0), "read_bytes: size_bytes: expected int, not 4.0"),
        (lambda _: ACCESS.read_bytes(IN_V6, "4"), "read_bytes: size_bytes: expected int, not '4'"),
        (lambda _: ACCESS.read(VALUE, 32), "read: location: expected Location, not"),
        (lambda _: ACCESS.write_bytes(VALUE, b"a"), "location: expected Location, not"),
        (lambda _: ACCESS.write_bytes(IN_V6, "abcd"), "data: expected bytes, not 'abcd'"),
        (lambda _: ACCESS.write_bytes(IN_V6, 5), "data: expected bytes, not 5"),
        (lambda s: s.target.read_register(0, "v3", 0, 4), "read_register: register: expected"),
        (lambda s: s.target.write_register(0, V6, "abc"), "data: expected bytes, not 'abc'"),
        (lambda _: TARGET.read_register(0, V6, 0, 4.0), "size_bytes: expected int or None, not"),
        (lambda s: s.target.read_memory(b"", 0, 4), "read_memory: where: expected Memory, not b''"),
        (lambda s: s.target.apertures_of({1}), "apertures_of: wave: expected int, not an"),
        (lambda s: s.target.architecture_of({}), "architecture_of: wave: expected int, not an"),
        (lambda s: s.target.used_lanes({1}), "used_lanes: wave: expected int, not an"),
        (lambda _: GFX942.dwarf_name("x"), "dwarf_name: number: expected int, not 'x'"),
        (lambda _: GFX942.register([]), "register: number: expected int, not an"),
        (lambda _: GFX942.address_space([]), "address_space: number: expected int, not an"),
        (lambda _: GFX942.lower(0, "0"), "lower: address: expected int, not '0'"),
        (lambda _: GFX942.convert("0", 0, 1), "convert: address: expected int, not '0'"),
    ],
)  # fmt: skip
def test_an_argument_of_another_type(
    session: dg.Session, call: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(TypeError) as caught:
        call(session)
    assert isinstance(caught.value, dg.UsageError)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.at_level(-1), "frames are numbered from 0: there is no frame -1"),
        (lambda s: list(dg.stack_frames(s, -(1 << 70))), "hidden: expected an integer of at least"),
        (lambda s: dg.CodeObject.open(s.code_objects[0].file.path, -1), "load_address: "),
        (lambda s: dg.CodeObject.open(s.code_objects[0].file.path, "0"), "load_address: "),
        (lambda s: dg.place_at(s.code_objects[0], s.pc + 0.5), "pc: expected an integer, not"),
        (lambda s: s.target.set_lanes(0, V6, [0, 1 << 32]), "lane 1 of v6: 4294967296 exceeds 32"),
    ],
)  # fmt: skip
def test_an_argument_out_of_range(
    session: dg.Session, call: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(dg.UsageError, match="^" + message):
        call(session)


def test_other_failures_stay_as_they_are() -> None:
    @names_wrong_arguments
    def failing(number: int, unknown: NotLoaded = 0) -> None:  # type: ignore[name-defined] # noqa: F821
        raise KeyError(number)

    @names_wrong_arguments
    def counted(limit: int) -> Iterator[int]:
        yield from range(limit)

    with pytest.raises(KeyError, match="5"):
        failing(5)
    with pytest.raises(WrongType, match="number: expected int, not 'five'"):
        failing("five")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        failing()  # type: ignore[call-arg]
    assert list(counted(2)) == [0, 1]
    with pytest.raises(WrongType, match="limit: expected int, not None"):
        next(counted(None))  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(dg.evaluate)) is dg.evaluate
