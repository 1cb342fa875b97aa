"""Wrong types of arguments (`dwarfgpu.base.argument_types`)."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from os import scandir
from pathlib import Path
from typing import Any, cast

import pytest

import dwarfgpu as dg
from dwarfgpu.arch.model import Apertures
from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import WrongType
from dwarfgpu.repl.embed import run_interactive

DEMO = Path(dg.__file__).parent / "data" / "demo.json"
CRASH_CORE = Path(__file__).parents[2] / "fixtures" / "core" / "crash.x86_64.O0.core"
GFX942 = dg.architecture("gfx942")
V6 = GFX942.by_name["v6"]
TARGET = dg.StateTarget(GFX942)
TARGET.add_wave(0)
TARGET.set_register(0, V6, bytes(256))
ACCESS: Any = dg.Context(GFX942, target=TARGET).access
BYTE = dg.BaseType("u8", "unsigned", 8)
VALUE = dg.Value.of(4, GFX942.generic)
GLOBAL = dg.Memory(GFX942.address_spaces[0])
TARGET.set_memory(GLOBAL, 0x1000, bytes(range(16)))
MEMORY: Any = dg.load_core(CRASH_CORE, CRASH_CORE.with_suffix("")).target.memory
IN_STR = dg.Location((dg.SingleLocation(dg.Register("v6")),))  # type: ignore[arg-type]
IN_V6 = dg.Location((dg.SingleLocation(dg.Register(V6)),))


@pytest.fixture(scope="module")
def session() -> dg.Session:
    state = dg.load_state(DEMO)
    objects = tuple(dg.CodeObject.open(part.path, part.load_address) for part in state.code_objects)
    wave = state.waves[0]
    return dg.Session(GFX942, objects, state.target, wave=wave.id, pc=wave.pc)


class Four:
    """Another class with `__index__`, without the arithmetic of integers."""

    def __index__(self) -> int:
        return 4


def answers(session: dg.Session) -> dg.LaneAnswers[dg.Reading]:
    return dg.read_lanes([session], session.variable("t"), range(4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda _: dg.CodeObject.open(1 << 70), "CodeObject.open: path: expected str or Path, not"),
        (lambda _: dg.load_state(b"a"), "load_state: path: expected Path or str, not b'a'"),
        (lambda _: dg.architecture(None), "architecture: name: expected str, not None"),
        (lambda _: dg.Context("gfx942"), "Context.architecture: expected Architecture or"),
        (lambda _: dg.Context(GFX942, limits=5), "Context.limits: expected Limits, not 5"),
        (lambda _: dg.evaluate([], dg.Context()), "evaluate: data: expected bytes or bytearray"),
        (lambda _: dg.assemble("lit4", "amd"), "assemble: dialect: expected Dialect, not 'amd'"),
        (lambda _: next(dg.line_entries(None)), "line_entries: code_object: expected CodeObject"),
        (lambda _: dg.Value.of(1, None), "Value.of: base: expected BaseType, not None"),
        (lambda _: dg.StateTarget("gfx942"), "StateTarget.__init__: architecture: expected Arch"),
        (lambda s: s.target.set_register(0, "v6", b""), "expected RegisterInfo, not 'v6'"),
        (lambda s: s.target.set_lanes(0, V6, [1.5]), "values[0]: expected int or None, not 1.5"),
        (lambda s: s.target.set_lanes(0, V6, b"ab"), "values: expected Sequence of int or None"),
        (lambda s: s.unit.tree.find("x"), "Tree.find: offset: expected int, not 'x'"),
        (lambda s: s.unit.tree.with_tags(5), "Tree.with_tags: tags: expected Container of int"),
        (lambda s: next(s.unit.tree.children("x")), "index: expected an integer from 0 to"),
        (lambda _: MEMORY.read("x", 4), "CoreMemory.read: address: expected int, not 'x'"),
        (lambda _: MEMORY.known(0, 1.5), "CoreMemory.known: size_bytes: expected int, not 1.5"),
        (lambda _: MEMORY.window(None, 4), "CoreMemory.window: address: expected int, not None"),
        (lambda _: MEMORY.first_bytes(0, b""), "CoreMemory.first_bytes: most_bytes: expected"),
        (lambda s: s.read("t"), "Session.read: variable: expected Variable, not 't'"),
        (lambda s: s.variable(None), "Session.variable: name: expected str, not None"),
        (lambda s: s.at_level("1"), "Session.at_level: level: expected int, not '1'"),
        (lambda s: dg.evaluate_source(s, "t"), "evaluate_source: text: expected str, not"),
        (lambda s: dg.source_type(5, s), "source_type: text: expected str, not 5"),
        (lambda s: dg.format_source(5, s), "format_source: value: expected TypedValue, not 5"),
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
        (lambda _: ACCESS.write_bytes(IN_V6, [1, 2]), "data: expected bytes, not an object"),
        (lambda s: s.target.read_register(0, "v3", 0, 4), "read_register: register: expected"),
        (lambda s: s.target.write_register(0, V6, "abc"), "data: expected bytes, not 'abc'"),
        (lambda _: TARGET.read_register(0, V6, 0, 4.0), "size_bytes: expected int or None, not"),
        (lambda s: s.target.read_memory(b"", 0, 4), "read_memory: where: expected Memory, not b''"),
        (lambda s: s.target.apertures_of({1}), "apertures_of: wave: expected int, not an"),
        (lambda s: s.target.architecture_of({}), "architecture_of: wave: expected int, not an"),
        (lambda s: s.target.used_lanes({1}), "used_lanes: wave: expected int, not an"),
        (lambda _: GFX942.dwarf_name("x"), "dwarf_name: number: expected int, not 'x'"),
        (lambda _: GFX942.dwarf_name(Four()), "number: expected int, not an object of Four"),
        (lambda _: TARGET.read_register(0, V6, Four(), 4), "offset_bytes: expected int, not an"),
        (lambda _: dg.Context(GFX942, lane=Four(), lane_count=64), "lane: expected int or None"),
        (lambda _: GFX942.register([]), "register: number: expected int or str, not an"),
        (lambda _: GFX942.address_space([]), "address_space: number: expected int, not an"),
        (lambda _: GFX942.lower(0, "0"), "lower: address: expected int, not '0'"),
        (lambda _: GFX942.convert("0", 0, 1), "convert: address: expected int, not '0'"),
        (lambda _: GFX942.space_of_lane("0"), "space_of_lane: number: expected int, not '0'"),
        (lambda _: ACCESS.load(float("nan"), 0, 4), "storage: expected Memory or Register, not"),
        (lambda _: ACCESS.retrieve(VALUE, 32), "retrieve: location: expected Location, not"),
        (lambda _: ACCESS.retrieve(IN_V6, None), "retrieve: size_bits: expected int, not None"),
        (lambda _: ACCESS.pointer(IN_V6, "32"), "pointer: size_bits: expected int, not '32'"),
        (lambda _: next(ACCESS.runs(None, 32)), "runs: location: expected Location, not None"),
        (lambda _: ACCESS.read_bytes(IN_STR, 4), "storage.register: expected RegisterInfo, not"),
        (lambda _: TARGET.write_memory(0, 0, b"a"), "write_memory: where: expected Memory, not 0"),
        (lambda _: TARGET.write_memory(GLOBAL, 0x1000, [1]), "data: expected bytes, not an object"),
        (lambda _: TARGET.known_memory(GLOBAL, None, 4), "known_memory: address: expected int"),
        (lambda _: TARGET.forget_register(0, "v6", 0, 4), "register: expected RegisterInfo, not"),
        (lambda _: TARGET.architecture_of_all(0), "waves: expected Sequence of int, not 0"),
        (lambda s: s.did_you_mean(5), "did_you_mean: name: expected str, not 5"),
        (lambda s: s.did_you_mean("t", 5), "did_you_mean: kinds: expected 'function' or"),
        (lambda _: TARGET.lane_target_ids(0, 1), "lanes: expected Iterable of int, not 1"),
        (lambda _: dg.Bits("1", 16).hex("little"), "Bits.value: expected int, not '1'"),
        (lambda _: dg.Bits(1, 16).slice(0, None, "little"), "count: expected int, not None"),
        (lambda _: dg.Value.of("4", GFX942.generic), "of: number: expected int, not '4'"),
        (lambda _: IN_V6.single_locations[0].displaced("8"), "bits: expected int, not '8'"),
        (lambda _: dg.ExplicitUnit().base_type(None), "unit_offset: expected int, not None"),
        (lambda _: dg.ExplicitFrame().register([]), "register: number: expected int, not an"),
        (lambda s: s.code_objects[0].covers(None), "covers: pc: expected int, not None"),
        (lambda s: s.find_variable(b"t"), "find_variable: name: expected str, not b't'"),
        (lambda s: s.is_active("0"), "is_active: lane: expected int, not '0'"),
        (lambda s: answers(s).of(None, 0), "of: row: expected int, not None"),
        (lambda s: s.focused(1.5), "focused: lane: expected int or None, not 1.5"),
        (lambda s: s.focused("3"), "focused: lane: expected int or None, not '3'"),
        (lambda s: s.lane_states(["3"]), "Session.lane_states: lanes[0]: expected int, not '3'"),
        (lambda s: dg.CodeObject.open(s.code_objects[0].file.path, "0"), "load_address: expected"),
        (lambda s: dg.CodeObject.of(s.code_objects[0].file, "0"), "load_address: expected int"),
        (lambda s: dg.place_at(s.code_objects[0], s.pc + 0.5), "pc: expected int or None, not"),
        (lambda _: dg.StateTarget(GFX942).add_wave("0"), "wave: expected int, not '0'"),
        (lambda s: s.target.place_scratch(0, "0"), "base: expected int, not '0'"),
        (lambda s: dg.StateTarget(GFX942).place_wave(s.wave), "record: expected Wave, not 0"),
        (lambda _: dg.Wanted(names="tmp"), "Wanted.names: expected tuple of str, not 'tmp'"),
        (lambda s: dg.CodeObject.of(s.code_objects[0].file, 0, debug_directories="/usr"), "debug_"),
        (lambda _: TARGET.set_memory(GLOBAL, 0x1000, [1]), "set_memory: data: expected bytes or"),
        (lambda _: TARGET.set_register(0, V6, [1]), "set_register: data: expected bytes, not an"),
        (lambda _: TARGET.set_lanes(0, V6, {1: 2}), "values: expected Sequence of int or None"),
        (lambda _: TARGET.add_wave(0, "0"), "workgroup: expected int or None, not '0'"),
        (lambda _: dg.FileLimits(units=None), "FileLimits.units: expected int, not None"),
        (lambda _: dg.FileLimits(dies="x"), "FileLimits.dies: expected int, not 'x'"),
        (lambda _: dg.Limits(runs=None), "Limits.runs: expected int, not None"),
        (lambda _: dg.Context(GFX942, object=dg.Location(3)), "Context.object.single_locations: "),
        (lambda _: dg.Context(initial_stack=(dg.Location(3),)), "initial_stack[0].single_loc"),
        (lambda _: dg.Context(initial_stack=(dg.Value("a", None),)), "initial_stack[0].bits: ex"),
        (lambda _: dg.Context(initial_stack=(dg.Value(1, None),)), "initial_stack[0].type: expec"),
        (lambda _: dg.UnitFormat(version="5"), "UnitFormat.version: expected int, not '5'"),
        (lambda _: dg.BaseType(3, "signed", 8), "BaseType.name: expected str, not 3"),
        (lambda _: dg.BaseType("x", [], 32), "BaseType.encoding: expected str, not an object of"),
        (lambda _: ACCESS.read(IN_V6, Fraction(32)), "read: size_bits: expected int, not an obj"),
        (lambda s: dg.sessions_of(s, iter([0])), "waves: expected WaveState, not 0"),
        (lambda s: dg.read_lanes([s], "t"), "read_lanes: variable: expected Variable, not 't'"),
        (lambda s: dg.read_lanes([s], s.variable("t"), [1.5]), "lanes[0]: expected int, not 1.5"),
        (lambda s: dg.evaluate_in_lanes("lit4", [s]), "data: expected bytes, not 'lit4'"),
        (lambda s: dg.evaluate_in_lanes(b"", [s], dialect="amd"), "dialect: expected Dialect or"),
        (lambda _: dg.Context(GFX942, initial_stack=(5,)), "Context.initial_stack"),
        (lambda _: dg.Wanted(names=(5,)), "Wanted.names[0]: expected str, not 5"),
        (lambda _: dg.Wanted(names=["t"]), "Wanted.names: expected tuple of str, not an"),
        (lambda _: dg.Wanted(function=5), "Wanted.function: expected str or None, not 5"),
        (lambda _: dg.Wanted(pc=1.5), "Wanted.pc: expected int or None, not 1.5"),
        (lambda _: dg.Wanted(is_generic="no"), "Wanted.is_generic: expected bool, not 'no'"),
        (lambda _: dg.Session(GFX942, notes=5), "Session.notes: expected tuple of str, not 5"),
        (lambda _: dg.Session(GFX942, limits=5), "Session.limits: expected Limits, not 5"),
        (lambda _: dg.Session(GFX942, quirks="x"), "Session.quirks: expected frozenset of str"),
        (lambda _: dg.Session(GFX942, level=1.5), "Session.level: expected int, not 1.5"),
        (lambda _: dg.Session(GFX942, given_lanes="x"), "given_lanes: expected int or None, not"),
        (lambda _: VALUE.compare(5), "comparison: other: expected Value, not 5"),
        (lambda _: VALUE.converted(None), "Value.converted: to: expected BaseType, not None"),
        (lambda _: VALUE.reinterpreted(5), "Value.reinterpreted: to: expected BaseType, not 5"),
        (lambda _: VALUE.shift_right_arithmetic("1"), "count: expected Value, not '1'"),
        (lambda _: dg.Value("x", GFX942.generic).compare(VALUE), "Value.bits: expected int, not"),
        (lambda _: VALUE + 5, "Value.__add__: other: expected Value, not 5"),
        (lambda _: VALUE * "5", "Value.__mul__: other: expected Value, not '5'"),
        (lambda _: VALUE - 5, "subtraction: other: expected Value, not 5"),
        (lambda _: VALUE << 5, "shift: other: expected Value, not 5"),
        (lambda _: dg.Value("x", GFX942.generic).displacement, "Value.bits: expected int, not"),
        (lambda _: dg.Value(4, "int").integer, "Value.type: expected BaseType, not 'int'"),
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
        (lambda s: list(dg.stack_frames(s, -(1 << 70))), "start: expected an integer of at least"),
        (lambda s: dg.CodeObject.open(s.code_objects[0].file.path, -1), "load_address: "),
        (lambda s: answers(s).of(9, 3), "row: expected an index below 1, not 9"),
        (lambda s: answers(s).of(-1, 3), "row: expected an index below 1, not -1"),
        (lambda s: answers(s).of(0, []), "(LaneAnswers.of: )?lane: expected (int|an integer)"),
        (lambda s: dg.read_lanes([s], s.variable("t"), among=[(1, 0)]), "among: expected rows of"),
        (lambda _: ACCESS.read(IN_V6, -1), "size_bits: expected at least 0, not -1"),
        (lambda _: ACCESS.read_bytes(IN_V6, -1), "size_bytes: expected at least 0, not -1"),
        (lambda _: ACCESS.read(IN_V6, 1 << 20000), "LocationAccess.read: size_bits: an integer of"),
        (lambda _: GFX942.undefined_registers(1, 1 << 20000), r".*numbers\[1\]: an integer of"),
        (lambda _: GFX942.undefined_registers(more=1 << 20000), ".*more: an integer of 20001 bits"),
        (lambda _: dg.BINARY64.zero(2), "sign: expected 0 or 1, not 2"),
        (lambda _: dg.BINARY64.infinity(-1), "sign: expected 0 or 1, not -1"),
        (lambda _: dg.BINARY64.encode(Fraction(0), 7), "sign: expected 0 or 1, not 7"),
        (lambda _: dg.BINARY64.negate(1 << 64), "bits: expected an integer of 64 bits, not 18"),
        (lambda _: dg.BINARY64.negate(-1), "bits: expected an integer of 64 bits, not -1"),
        (lambda _: dg.BINARY64.sign(-1), "bits: expected an integer of 64 bits, not -1"),
        (lambda _: dg.BINARY64.to_float(1 << 64), "bits: expected an integer of 64 bits, not 18"),
        (lambda _: dg.BINARY64.decode(1 << 64), "bits: expected an integer of 64 bits, not 18"),
        (lambda _: dg.BINARY64.decode(-1), "bits: expected an integer of 64 bits, not -1"),
        (lambda _: dg.BINARY64.is_valid(1 << 64), "bits: expected an integer of 64 bits, not 18"),
        (lambda _: dg.BINARY64.quieted(1 << 32, dg.BINARY32), "bits: expected an integer of 32"),
        (lambda _: dg.X87_EXTENDED.decode(1 << 128), "bits: expected an integer of 128 bits"),
        (lambda _: dg.FloatFormat("x", 0, 5), "FloatFormat.exponent_bits: expected an integer"),
        (lambda _: dg.FloatFormat("x", 5, 1 << 70), "FloatFormat.fraction_bits: expected an int"),
        (lambda _: dg.Bits(1, 16).slice(0, 8, "x"), "Bits.slice: endian: expected 'little' or"),
        (lambda _: dg.Bits(1, 16).to_bytes("middle"), "Bits.to_bytes: endian: expected 'little'"),
        (lambda _: dg.StateTarget(GFX942).add_wave(-1), "wave: expected an integer from 0 to 0x"),
        (lambda _: dg.StateTarget(GFX942).add_wave(1 << 64), "wave: expected an integer from 0"),
        (lambda _: dg.StateTarget(GFX942).add_wave(0, -1), "workgroup: expected an integer from"),
        (lambda s: s.target.set_lanes(0, V6, [0, 1 << 32]), "lane 1 of v6: 4294967296 exceeds 32"),
        (lambda _: TARGET.set_register(0, V6, bytes(4), 0, b"a"), "mask: expected 4 bytes, as of"),
        (lambda _: TARGET.read_memory(GLOBAL, 0x1008, -4), "size_bytes: expected at least 0"),
        (lambda _: TARGET.known_memory(GLOBAL, 0, -4), "size_bytes: expected at least 0"),
        (lambda _: dg.StateTarget(GFX942, fill=256), "fill: expected an integer from 0 to 0xff"),
        (lambda _: dg.Bits(-1, 16).hex("little"), "Bits.value: expected an integer of 16 bits"),
        (lambda _: dg.Bits(1 << 16, 16).to_bytes("big"), "Bits.value: expected an integer of 16"),
        (lambda _: dg.Bits(-1, 16).slice(0, 8, "big"), "Bits.value: expected an integer of 16"),
        (lambda _: dg.Bits(1, -16).hex("little"), "Bits.size_bits: expected an integer from 0 to"),
        (lambda _: dg.Bits(1, 16, -1).undefined_ranges("big"), "Bits.undefined: expected an int"),
        (lambda _: dg.Bits(1, 16).slice(0, 1 << 70, "little"), "count: expected an integer from"),
        (lambda _: dg.AddressSpace(0, "global", -1), "AddressSpace.address_bits: expected an"),
        (lambda _: dg.UnitFormat(address_size=-1), "UnitFormat.address_size: expected an integer"),
        (lambda _: dg.UnitFormat(address_size=3), r"UnitFormat.address_size: .*2, 4 or 8\), not 3"),
        (lambda _: dg.UnitFormat(offset_size=5), r"UnitFormat.offset_size: .*4 or 8\), not 5"),
        (lambda _: dg.UnitFormat(version=9), r"UnitFormat.version: .*2 to 5\), not 9"),
        (lambda _: dg.UnitFormat(endian="x"), "UnitFormat.endian: expected 'little' or 'big'"),
        (lambda _: dg.BaseType("x", "foo", 8), "BaseType.encoding: expected a name, as 'signed'"),
        (lambda _: dg.Context(initial_stack=(dg.Value(300, BYTE),)), ".*of 8 bits, not 300"),
        (lambda _: dg.Context(initial_stack=(dg.Value(-1, BYTE),)), ".*of 8 bits, not -1"),
        (lambda _: dg.BaseType("x", "signed", 8, vector_size=0), "BaseType.vector_size: expected"),
        (lambda _: dg.BaseType("x", "signed", -1), "BaseType.bit_size: expected an integer of at"),
        (lambda _: dg.Value.of(1, dg.BaseType("x", "signed", 1 << 70)), "BaseType.bit_size: expec"),
        (lambda _: dg.Session(GFX942, inline_level=-1), "Session.inline_level: expected an"),
        (lambda _: dg.Session(GFX942, level=-(1 << 70)), "Session.level: expected an integer of"),
        (lambda _: dg.Wanted(most_entries=-1), "Wanted.most_entries: expected an integer from 0"),
        (lambda _: dg.FileLimits(units=-1), "FileLimits.units: expected an integer of at least 0"),
        (lambda _: ACCESS.read(dg.Location(()), 8), "Location.single_locations: expected at least"),
        (lambda _: ACCESS.read_bytes(dg.Location(()), 1), "Location.single_locations: expected at"),
        (lambda _: ACCESS.write_bytes(dg.Location(()), b"a"), "Location.single_locations: expec"),
        (lambda _: dg.Location(()).displaced(8), "Location.single_locations: expected at least"),
        (lambda _: IN_V6.of_object(32, "middle"), "Location.of_object: endian: expected 'little'"),
        (lambda _: dg.Context(result_kind="x"), "Context.result_kind: expected 'value' or 'loc"),
        (lambda _: dg.Context(vgpr_holds="x"), "Context.vgpr_holds: expected 'value' or 'addr"),
        (lambda _: MEMORY.known(0, -1), "size_bytes: expected at least 0, not -1"),
        (lambda _: MEMORY.first_bytes(0, -1), "size_bytes: expected at least 0, not -1"),
        (lambda s: next(s.unit.tree.children(-1)), "index: expected an integer from 0 to"),
        (lambda s: next(s.unit.tree.children(1 << 70)), "index: expected an integer from 0 to"),
        (lambda s: s.call_stack.frame(-1), "level: expected an integer of at least 0, not -1"),
        (lambda s: s.lane_states([-1]), "there is no lane -1: the wave has 64, from 0"),
        (lambda s: s.lane_states([0, 64]), "there is no lane 64: the wave has 64, from 0"),
        (lambda s: s.focused(64), "there is no lane 64: the wave has 64, from 0"),
        (lambda s: s.focused(-1), "there is no lane -1: the wave has 64, from 0"),
        (lambda s: s.is_active(64), "there is no lane 64: the wave has 64, from 0"),
        (lambda s: dg.Session(s.architecture, lane=64), "there is no lane 64: the wave has 64"),
        (
            lambda s: dg.Session(dg.architecture("x86_64"), lane=1),
            "there is no lane 1: a thread has lane 0 alone",
        ),
        (lambda s: dg.CodeObject.of(s.code_objects[0].file, 0, "amdd"), "unknown dialect amdd; kn"),
        (lambda s: dg.read_lanes([s], s.variable("t"), among=[(0,)]), "among: expected pairs"),
        (lambda s: dg.read_lanes([s], s.variable("t"), count()), "lanes: expected at most 65536"),
        (lambda s: dg.CodeObject.of(s.code_objects[0].file, -1), "load_address: expected an"),
        (lambda s: dg.CodeObject.of(s.code_objects[0].file, 1 << 64), "load_address: expected an"),
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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (cast(Any, dg.stack_frames), "missing"),
        (lambda: cast(Any, dg.stack_frames)(nosuch=1), "unexpected keyword argument 'nosuch'"),
    ],
)
def test_a_wrong_call_of_a_generator_function_is_an_error_at_once(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_objects_with_a_wrong_field_are_shown() -> None:
    assert repr(dg.Bits("1", 3)).startswith("Bits(value='1', size_bits=3, ")  # type: ignore[arg-type]
    assert repr(dg.Register(V6, 1 << 20000)).endswith("0, frame=0)")  # Python refuses its digits


def test_entries_of_folders_are_paths() -> None:
    """An `os.DirEntry` names its file as a path does, for each function that opens files."""
    entries = {
        entry.name: entry for folder in (DEMO, CRASH_CORE) for entry in scandir(folder.parent)
    }
    opened: Any = dg.CodeObject.open
    assert opened(entries["demo.co"]).file.path == str(DEMO.with_name("demo.co"))
    assert opened(entries["demo.co"], target="gfx942").name == "demo.co"
    load_state, load_core = cast(Any, dg.load_state), cast(Any, dg.load_core)
    assert load_state(entries["demo.json"]).architecture is GFX942
    core = load_core(entries[CRASH_CORE.name], entries[CRASH_CORE.stem])
    assert core.files[0].file.path == str(CRASH_CORE.with_suffix(""))
    with pytest.raises(dg.UsageError, match=r"/crash\.x86_64\.O0 is not a core file$"):
        load_core(entries[CRASH_CORE.stem])


NUMPY_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
HALF = dg.FloatFormat("half", 5, 10)
WIDE = dg.BaseType("", "unsigned", 64)


def limited(limits: dg.Limits, *, size_bits: int) -> object:
    """Return what a read of bytes that are not known answers, or its error."""
    context = dg.Context(GFX942, target=TARGET, limits=limits)
    return outcome(lambda: context.access.read(IN_V6, size_bits))


def outcome(question: Callable[[], object]) -> object:
    try:
        return question()
    except dg.DwarfGpuError as error:
        return type(error), str(error)


def at(bit_offset: int) -> dg.SingleLocation:
    return dg.SingleLocation(dg.Register(V6), bit_offset)


IN_MEMORY = dg.Memory(GLOBAL.space)
BY_NUMBER: dict[str, Callable[[int], object]] = {
    "remaining_bits": lambda n: at(n).remaining_bits,
    "remaining_bits in memory": lambda n: dg.SingleLocation(IN_MEMORY, n).remaining_bits,
    "byte_address": lambda n: dg.SingleLocation(IN_MEMORY, n).byte_address,
    "displaced": lambda n: at(n).displaced(n).displaced(n).displaced(n),
    "low": lambda n: dg.SingleLocation(dg.Register(V6), 0, n).low(8),
    "read": lambda n: ACCESS.read(dg.Location((at(n),)), 8 * 200),
    "read of memory": lambda n: outcome(
        lambda: ACCESS.read(dg.Location((dg.SingleLocation(IN_MEMORY, n),)), 32)
    ),
    "size_bits": lambda n: dg.FloatFormat("wide", 15, n, True).size_bits,
    "decode": lambda n: dg.FloatFormat("wide", n // 12, n).decode(127 << PLAIN | 1),
    "encode": lambda n: dg.FloatFormat("wide", n // 6, n).encode(HALF.decode(0x3C01)),
    "infinity": lambda n: dg.FloatFormat("wide", n // 4, n).infinity(1),
    "read_bytes": lambda n: limited(dg.Limits(read_bytes=n), size_bits=8 * 32),
    "too many read_bytes": lambda n: limited(dg.Limits(read_bytes=n), size_bits=8 * 200),
    "runs": lambda n: limited(dg.Limits(places=n, parts=n), size_bits=8 * 32),
    "steps": lambda n: dg.Limits(steps=n, total_bytes=n),
    "check_inflated": lambda n: outcome(
        lambda: dg.FileLimits(inflated_ratio=n).check_inflated(
            "part", packed_bytes=1 << 20, size_bytes=1 << 40
        )
    ),
    "check_symbols": lambda n: outcome(lambda: dg.FileLimits(symbols=n).check_symbols("part", 300)),
    "lane": lambda n: GFX942.lower(5, 1000, n // 2),
    "address and lane": lambda n: GFX942.lower(5, n, n // 2),
    "space": lambda n: GFX942.lower(n // 19, n, n // 2),
    "sum of values": lambda n: dg.Value(n, WIDE) + dg.Value(n, WIDE) + dg.Value(n, WIDE),
    "signed value": lambda n: dg.Value(n, dg.BaseType("", "signed", 7)).as_signed,
    "number of a value": lambda n: dg.Value(n, WIDE).number,
    "shifted value": lambda n: dg.Value(n, WIDE) << dg.Value(n // 12, WIDE),
    "type of a value": lambda n: dg.Value(n, dg.BaseType("", "unsigned", n)).as_signed,
    "apertures": lambda n: GFX942.lower(
        1, 2 << 48, 3, Apertures(local_base=n, scratch_base=n, scratch_bytes=n)
    ),
    "local aperture": lambda n: GFX942.lower(1, 100, 3, Apertures(local_base=n, local_bytes=n)),
    "unswizzled": lambda n: GFX942.lower(
        5, n, n // 2, Apertures(scratch_base=n, scratch_bytes=1 << 20, element_bytes=n // 24)
    ),
    "lane of memory": lambda n: outcome(
        lambda: TARGET.read_memory(dg.Memory(GFX942.address_spaces[5], 0, n // 2), 1000, 4)
    ),
}
"""Questions to records and functions that have a number of a script."""
PLAIN = 96


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", NUMPY_INTEGERS)
@pytest.mark.parametrize("question", BY_NUMBER)
def test_integers_of_numpy_in_records_have_no_width(question: str, kind: str) -> None:
    np = pytest.importorskip("numpy")
    ask = BY_NUMBER[question]
    assert repr(ask(getattr(np, kind)(PLAIN))) == repr(ask(PLAIN))


def test_truth_values_of_numpy_in_records_are_those_of_python() -> None:
    np = pytest.importorskip("numpy")
    x87 = dg.FloatFormat("x87", np.uint8(15), np.uint8(63), np.bool_(True))
    assert repr(x87) == repr(dg.FloatFormat("x87", 15, 63, True))
    assert dg.FileLimits(index_cache=np.bool_(True)).index_cache is True
    with pytest.raises(WrongType, match=r"Limits\.steps: expected int, not"):
        dg.Limits(steps=np.float64(3))  # type: ignore[arg-type]
    with pytest.raises(dg.UsageError, match=r"Limits\.steps: .* of at least 0, not -1"):
        dg.Limits(steps=np.int8(-1))


def test_numbers_and_arrays_of_numpy(session: dg.Session) -> None:
    """Its numbers are integers without their width; its arrays are none."""
    np = pytest.importorskip("numpy")
    assert ACCESS.read_bytes(IN_V6, np.uint8(64)) == bytes(64)  # 8 * 64 is 0 in 8 bits
    assert ACCESS.read(IN_V6, np.uint8(32)) == ACCESS.read(IN_V6, 32)
    assert TARGET.read_memory(GLOBAL, np.int64(0x1001), np.uint8(2)) == b"\1\2"
    assert dg.Value.of(np.int64(-1), GFX942.generic).bits == (1 << 64) - 1
    assert dg.Context(GFX942, lane=np.int64(3)) == dg.Context(GFX942, lane=3)
    TARGET.add_wave(5)
    TARGET.set_lanes(5, V6, [np.uint32(7), np.int64(-1)])
    assert TARGET.read_register(5, V6, 0, 8) == b"\7\0\0\0\xff\xff\xff\xff"
    TARGET.set_lanes(5, V6, np.array([9, 8], np.uint8))
    assert TARGET.read_register(5, V6, 0, 8) == b"\x09\0\0\0\x08\0\0\0"
    wrong: tuple[tuple[Any, str], ...] = (
        (
            np.array([1, 2], np.float32),
            r"values\[0\]: expected int or None, not an object of float32",
        ),
        (np.array([1.5]), r"values\[0\]: expected int or None, not .*1\.5"),
        (np.array([[1]]), r"values\[0\]: expected int or None, not an object of ndarray"),
        (np.array(1), "values: expected Sequence of int or None, not an object of ndarray"),
    )
    for values, why in wrong:
        with pytest.raises(WrongType, match=why):
            TARGET.set_lanes(5, V6, values)
    unit, file = session.unit, session.code_object.file
    assert unit.relocate(np.uint8(200)) == unit.relocate(200)
    assert file.file_bytes(np.uint8(200), np.uint8(100), "part") == file.file_bytes(200, 100, "")
    assert unit.tables.string_offset(np.uint8(9)) == unit.tables.string_offset(9)
    with pytest.raises(dg.Malformed, match="255"):
        unit.tables.string_offset(np.uint8(255))  # 4 * 255 is 252 in 8 bits
    assert dg.SingleLocation(dg.Register(V6)).low(np.uint8(32)).bit_offset == 2048 - 32
    for _ in range(2):  # the second call is of types that were right
        with pytest.raises(dg.UsageError, match="^300 bytes for register v6 of 256 bytes$"):
            TARGET.set_register(5, V6, bytes(100), np.uint8(200))
    TARGET.set_register(5, V6, memoryview(np.array([1, 2], np.uint32)))
    assert TARGET.read_register(5, V6, 0, 8) == b"\1\0\0\0\2\0\0\0"
    assert dg.AddressSpace(0, "global", np.uint8(64)) == dg.AddressSpace(0, "global", 64)
    assert dg.AddressSpace(0, "global", np.uint8(64)).size_bits == 8 << 64
    assert (
        dg.Bits(1, np.uint8(16)).slice(0, np.uint8(200), "little").undefined == (1 << 200) - 0x10000
    )
    assert dg.ExplicitUnit(load_bias=np.uint8(250)).relocate(10) == 260
    upper = dg.SingleLocation(dg.Register(V6), np.uint8(200))
    assert upper.displaced(100).bit_offset == 300
    assert ACCESS.read_bytes(dg.Location((upper,)), 64) == bytes(64)
    assert not session.code_objects[0].covers(np.uint8(200))
    assert dg.Wanted(pc=np.uint8(3)).pc == 3 == dg.WaveState(0, np.uint8(3)).pc
    at_pc = dg.Session(GFX942, session.code_objects, session.target, pc=np.uint64(session.pc))
    assert type(at_pc.pc) is int and at_pc.variable("t").name == "t"
    lane = session.focused(np.int64(3))
    assert lane.read(lane.variable("t")).value == 323
    assert [each.lane for each in session.lane_states(np.arange(3))] == [0, 1, 2]
    assert type(dg.Session(GFX942, inline_level=np.int64(1)).inline_level) is int
    with pytest.raises(dg.UsageError, match="row: expected an index below 1, not 3"):
        answers(session).of(np.int64(3), 0)
    core = dg.load_core(CRASH_CORE, CRASH_CORE.with_suffix(""))
    xmm0 = core.architecture.by_name["xmm0"]
    assert core.target.read_register(1, xmm0, np.int8(8), np.int8(8)) == bytes(8)
    for start, size in ((np.int8(120), np.int8(8)), (np.uint8(250), np.uint8(8))):
        with pytest.raises(dg.OutOfRange, match=f"{start} to {int(start) + 8} of register xmm0"):
            core.target.read_register(1, xmm0, start, size)
        with pytest.raises(dg.OutOfRange, match=f"{start} to {int(start) + 8} of xmm0"):
            core.target.write_register(1, xmm0, bytes(8), start)
    TARGET.set_register(5, V6, bytes(256))
    TARGET.forget_register(5, V6, np.int8(120), np.int8(8))  # 128 is -128 in 8 bits
    with pytest.raises(dg.Unavailable, match="v6 of wave 5 .*, bytes 120 to 127$"):
        TARGET.read_register(5, V6, 0, 256)
    for array in (np.arange(3), np.array([None, 1], dtype=object)):
        for call in (
            lambda array=array: TARGET.read_register(0, V6, array, 4),
            lambda array=array: TARGET.architecture_of(array),
            lambda array=array: dg.Context(GFX942, lane=array, lane_count=64),
            lambda array=array: session.at_level(array),
        ):
            with pytest.raises(WrongType, match="expected .*, not an object of ndarray$"):
                call()


def test_arguments_of_the_prompt() -> None:
    run: Any = run_interactive
    with pytest.raises(WrongType, match="^run_interactive: session: expected Session, not 'x'$"):
        run("x")


ALONE = """
import sys
from pathlib import Path
from dwarfgpu.dwarf.code_object import CodeObject
import dwarfgpu.dwarf.scope.unit_search  # its Path is another type

print(CodeObject.open(Path(sys.argv[1])).name)
"""


def test_a_path_is_right_whatever_is_loaded() -> None:
    """The module imports the class for type checkers only."""
    command = [sys.executable, "-c", ALONE, str(DEMO.with_name("demo.co"))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "demo.co\n"


def test_a_target_may_forward_what_it_is_asked(session: dg.Session) -> None:
    class Forwarding:
        def __getattr__(self, name: str) -> object:
            return getattr(session.target, name)

    target: Any = Forwarding()
    forwarded = dg.Session(
        session.architecture, session.code_objects, target, wave=0, lane=3, pc=session.pc
    )
    assert forwarded.read(forwarded.variable("t")).value == 323


def test_numbers_of_a_context_are_integers() -> None:
    for name in ("lane", "lane_count", "pc", "wave", "iteration", "iteration_count"):
        for number in (True, 3.0, 3.5, "3"):
            with pytest.raises(
                WrongType, match=f"^Context.{name}: expected (an integer|int or None), "
            ):
                dg.Context(GFX942, **{name: number})
    with pytest.raises(WrongType, match="^Context.object: expected Location or None, not 3"):
        dg.Context(GFX942, object=3)  # type: ignore[arg-type]


def test_operations_that_were_built_piece_by_piece() -> None:
    assert dg.evaluate(bytearray(b"\x34"), dg.Context(GFX942)) == dg.Value.of(4, GFX942.generic)


def test_the_first_bytes_of_a_core_may_be_none() -> None:
    [(start, _), *_] = MEMORY.extents()
    assert MEMORY.first_bytes(start, 0) == b""
    assert MEMORY.first_bytes(start, 4) == b"\x7fELF"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_operations_may_be_in_a_buffer(kind: Callable[[object], Any]) -> None:
    code, context = kind(bytearray(b"\x34")), dg.Context(GFX942)  # a buffer that has no hash
    assert dg.evaluate(code, context).bits == 4
    form = dg.UnitFormat()
    assert dg.decode(code, dg.dialect("amd"), form) == dg.decode(b"\x34", dg.dialect("amd"), form)
    assert dg.disassemble(code) == dg.disassemble(b"\x34")
    assert dg.ExplicitFrame(GFX942).entry_value(code) is None


def test_waves_of_a_long_range_are_not_counted(session: dg.Session) -> None:
    """The first one that does not exist answers."""
    assert dg.StateTarget(GFX942).architecture_of_all(range(10**12)) is None
    assert session.target.architecture_of_all(range(10**12)) is None
    assert session.target.architecture_of_all([session.wave]) is session.architecture
