"""AArch64: stacks of stopped programs, equal to what GDB found; signed return addresses.

`tools/save_stacks.sh` saves both.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dwarfgpu.arch.aarch64 import USER_MASK, without_signature
from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.bits import Endian
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.rule import (
    Architectural,
    OffsetRule,
    RegisterCfa,
    Rule,
    SameValueRule,
    ValExpressionRule,
)
from dwarfgpu.cfi.tail_call_frame import TailFrame
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.dwarf.calls.tail_calls import CallChains
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.expr.context import Context
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.cfi_frames import LoadedCallFrames
from dwarfgpu.view.location_text import location_text
from tests.cli.command import run, run_json

STATES = Path(__file__).resolve().parents[2] / "fixtures/states"
ARCH = architecture("aarch64")
SP, PC, STATE, V8 = 31, 32, 34, 72
SAVED = sorted(path.stem for path in (STATES / "gdb").glob("stacks.*.json"))


def stack_of(name: str, *, with_tail_calls: bool = False) -> CallStack:
    state = load_state(STATES / f"{name}.json")
    files = [
        CodeObject.open(code_object.path, code_object.load_address)
        for code_object in state.code_objects
    ]
    wave = state.waves[0]
    assert wave.pc is not None
    context = Context(state.architecture, wave.wave, target=state.target)
    loaded = LoadedCallFrames(files, state.architecture)
    chains = CallChains(files) if with_tail_calls else None
    return CallStack(context, wave.pc, loaded, tail_calls=chains)


def differences(theirs: dict[str, str | None], ours: CfiFrame) -> list[str]:
    """Registers that calls preserve; of vectors what they preserve of them."""
    result = []
    for name, gdb_value in theirs.items():
        number = ARCH.by_name[name].number
        assert gdb_value is not None and number is not None
        contents = ours.contents(number)
        mask = (1 << ARCH.preserved_bits.get(number, 64)) - 1
        if contents.value & mask != int(gdb_value, 0) & mask or mask & contents.unknown:
            result.append(f"#{ours.level} {name}: {contents}, not {gdb_value}")
    return result


def test_all_stacks_are_there() -> None:
    assert len(SAVED) == 16


@pytest.mark.parametrize("name", SAVED)
def test_frames_are_those_of_gdb(name: str) -> None:
    stack = stack_of(name)
    frames = json.loads((STATES / f"gdb/{name}.json").read_text())["frames"]
    frames = [frame for frame in frames if frame["kind"] in ("normal", "signal")]
    for level, theirs in enumerate(frames):
        ours = stack.frame(level)
        assert ours is not None, stack.end
        assert hex(ours.pc) == theirs["pc"]
        assert ours.is_signal_frame == (theirs["kind"] == "signal")
        assert differences(theirs["registers"], ours) == []
        if theirs["cfa"] is not None and theirs["kind"] == "normal":
            assert ours.cfa().single_locations[0].byte_address == int(theirs["cfa"], 0)
    assert stack.frame(len(frames)) is None
    assert str(stack.end) == "outermost: the return address is undefined"


def test_frames_of_tail_calls_are_those_of_gdb() -> None:
    """Pc, CFA and registers, of what nothing is left in the machine."""
    stack = stack_of("stacks.gcc.O2.tail", with_tail_calls=True)
    frames = json.loads((STATES / "gdb/stacks.gcc.O2.tail.json").read_text())["frames"]
    for level, theirs in enumerate(frames):
        ours = stack.frame(level)
        assert ours is not None, stack.end
        assert (ours.level, hex(ours.pc)) == (level, theirs["pc"])
        assert isinstance(ours, TailFrame) == (theirs["kind"] == "tail call")
        assert differences(theirs["registers"], ours) == []
        if theirs["cfa"] is not None:
            assert ours.cfa().single_locations[0].byte_address == int(theirs["cfa"], 0)
    assert [frame["name"] for frame in frames if frame["kind"] == "tail call"] == ["tail2", "tail1"]
    assert stack.frame(len(frames)) is None


@pytest.mark.parametrize(
    ("build", "places"),
    [
        ("gcc", ["0x00000000004003e0 in tail2 (...)", "0x00000000004003fc in tail1 (...)"]),
        ("clang", ["0x0000000000201a7c in tail2 (...)", "0x00000000002017e8 in tail1 (...)"]),
    ],
)
def test_bt_marks_tail_calls(build: str, places: list[str]) -> None:
    """clang gives the address of the jump, not the one after it; no statement begins there."""
    state = STATES / f"stacks.{build}.O2.tail.json"
    lines = run("bt", "--no-args", "--state", state).lines[5:9]
    assert [line.partition(" at ")[0] for line in lines[1:3]] == [
        f"#{number}  {place}" for number, place in enumerate(places, 6)
    ]
    assert [line.endswith(":53  [tail call]") for line in lines] == [False, True, False, False]
    frames = run_json("bt", "--state", state).json["frames"][5:9]
    text = [
        (frame["func"], frame["called_by_tail_call"], frame["is_tail_call"]) for frame in frames
    ]
    assert text == [
        ("deep", True, False), ("tail2", True, True), ("tail1", False, True), ("main", False, False)
    ]  # fmt: skip


def test_bt_marks_signed_return_addresses() -> None:
    """As GDB; `leaf` does not sign, and an interrupted frame has returned nowhere."""
    lines = run("bt", "--no-args", "--state", STATES / "stacks.gcc.O2.pac.signal.json").lines
    marked = [int(line[1:3]) for line in lines if re.match(r"#\d+ +0x[0-9a-f]+ \[PAC\] in ", line)]
    assert marked == [2, 3, 4, 5, 6, 9, 10, 11]
    frames = run_json("bt", "--state", STATES / "stacks.gcc.O2.pac.signal.json").json["frames"]
    levels = [frame["level"] for frame in frames if frame["is_signed"]]
    assert levels == sorted([*marked, 7]), "the handler signs the address that it returns to"


def test_values_on_entry_go_through_tail_calls() -> None:
    """The outer `deep` was called by tail2, of whose registers nothing is left."""
    frame = ("--state", STATES / "stacks.gcc.O2.tail.json", "--frame")
    outs = [run("eval", *frame, 5, "-e", f"entry_value(reg{n})").out for n in (2, 3, 4, 5)]
    assert outs == ["2\n", "3\n", "4\n", "5\n"]
    other = "entry_value(lit0; dup; drop; regx x3)"
    assert run("eval", *frame, 5, "-e", other).out == "3\n", "evaluated in the frame of tail2"
    lost = run("eval", *frame, 5, "-e", "entry_value(lit0; dup; drop; regx x9)").error
    assert lost.startswith("UndefinedBits: ")
    assert run("eval", *frame, 6, "-e", "regx x30; deref_size 8").out == "4194656 (0x400160)\n"


def leaf(
    rules: dict[int, Rule], *, lr: int, mask: int | None = None, memory: bytes = b""
) -> CfiFrame:
    """A frame with its return address in x30, and v8 with bytes 0 to 15."""
    target = StateTarget(ARCH)
    target.add_wave(0)
    target.write_register(0, ARCH.register(30), lr.to_bytes(8, "little"))
    target.write_register(0, ARCH.register(SP), (0x7000).to_bytes(8, "little"))
    target.write_register(0, ARCH.register(V8), bytes(range(16)))
    target.set_memory(Memory(ARCH.address_space(0)), 0x7000, memory)
    if mask is not None:
        target.write_register(0, ARCH.by_name["pauth_cmask"], mask.to_bytes(8, "little"))
    context = Context(ARCH, 0, target=target)
    return CfiFrame(context, 0x1000, FrameRow(RegisterCfa(SP, 0), rules, 30))


SIGNED: dict[int, Rule] = {STATE: Architectural("RA_SIGN_STATE", 1)}
RETURNS = {
    "not signed": ({}, 0x12 << 48 | 0x4444, None, 0x12 << 48 | 0x4444),
    "signed, no longer": (
        {STATE: Architectural("RA_SIGN_STATE", 0)}, 0x12 << 48 | 0x4444, None, 0x12 << 48 | 0x4444
    ),
    "signed": (SIGNED, 0x12 << 48 | 0x4444, None, 0x4444),
    "signed by the program counter too": (
        {STATE: Architectural("RA_SIGN_STATE", 3)}, 0x12 << 48 | 0x4444, None, 0x4444
    ),
    "by an expression": ({STATE: ValExpressionRule(b"\x31")}, 0x12 << 48 | 0x4444, None, 0x4444),
    "by an expression, not": (
        {STATE: ValExpressionRule(b"\x30")}, 0x12 << 48 | 0x4444, None, 0x12 << 48 | 0x4444
    ),
    "of the kernel": (SIGNED, 0xFF92 << 48 | 0x4444, None, 0xFFFF << 48 | 0x4444),
    "of 39 bits, as the mask says": (
        SIGNED, 0x12FF_FF80_0000_4444 & ~(1 << 55), ((1 << 55) - 1) >> 39 << 39, 0x12 << 56 | 0x4444
    ),
    "of 52 bits, as the mask says": (SIGNED, 0x0031_0000_0000_4444, 7 << 52, 0x0001_0000_0000_4444),
}  # fmt: skip


@pytest.mark.parametrize(("rules", "lr", "mask", "expected"), RETURNS.values(), ids=RETURNS)
def test_signed_return_addresses(
    rules: dict[int, Rule], lr: int, mask: int | None, expected: int
) -> None:
    frame = leaf(rules, lr=lr, mask=mask)
    assert frame.return_address() == expected
    caller = CfiFrame(frame._context, expected, None, frame)
    assert caller.contents(PC).value == expected
    assert caller.contents(30).value == lr, "as the register has it"


def test_the_mask_of_48_bits() -> None:
    assert without_signature(0x007F_1234_5678_9ABC, USER_MASK) == 0x1234_5678_9ABC


@pytest.mark.parametrize(
    ("rules", "shown"),
    [
        ({}, "{bytes 0-7: v8; bytes 8-15: <undefined>}"),
        ({V8: OffsetRule(8)}, "{bytes 0-7: 0x7008; bytes 8-15: <undefined>}"),
        ({V8: SameValueRule()}, "v8"),
    ],
)
def test_calls_preserve_lower_halves_of_vectors(rules: dict[int, Rule], shown: str) -> None:
    frame = leaf(rules, lr=0, memory=bytes(16))
    assert location_text(frame.entry_register(V8)).replace(" default", "") == shown


@pytest.mark.parametrize("endian", ["little", "big"])
@pytest.mark.parametrize(
    ("rules", "low"), [({}, 0x8899_AABB_CCDD_EEFF), ({V8: OffsetRule(0)}, 0x0102_0304_0506_0708)]
)
def test_lower_halves_in_both_byte_orders(endian: Endian, rules: dict[int, Rule], low: int) -> None:
    arch = architecture("aarch64" if endian == "little" else "aarch64_be")
    target = StateTarget(arch)
    target.add_wave(0)
    target.write_register(0, arch.register(SP), (0x7000).to_bytes(8, endian))
    whole = 0x0011_2233_4455_6677 << 64 | 0x8899_AABB_CCDD_EEFF
    target.write_register(0, arch.register(V8), whole.to_bytes(16, endian))
    saved = 0x0102_0304_0506_0708.to_bytes(8, endian)
    target.set_memory(Memory(arch.address_space(0)), 0x7000, saved)
    callee = CfiFrame(
        Context(arch, 0, target=target), 0x1000, FrameRow(RegisterCfa(SP, 0), rules, 30)
    )
    contents = CfiFrame(Context(arch, 0, target=target), 0x2000, None, callee).contents(V8)
    assert (contents.value, contents.undefined) == (low, 2**128 - 2**64)
