"""AArch64: stacks of stopped programs, equal to what GDB found; signed return addresses.

`tools/save_stacks.sh` saves both.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dwarfgpu.arch import architecture
from dwarfgpu.arch.aarch64 import USER_MASK, without_signature
from dwarfgpu.backends.state import StateTarget
from dwarfgpu.backends.state_file import load_state
from dwarfgpu.callers import LoadedCode
from dwarfgpu.cfi.rule import Architectural, Offset, RegisterCfa, Rule, SameValue, ValExpressionRule
from dwarfgpu.cfi.stack import CallStack
from dwarfgpu.cfi.unwind import FrameRow, PhysicalFrame
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.expr.context import Context
from dwarfgpu.model.storage import Memory
from dwarfgpu.view.locations import location_text

STATES = Path(__file__).resolve().parents[2] / "fixtures/states"
ARCH = architecture("aarch64")
SP, PC, STATE, V8 = 31, 32, 34, 72
SAVED = sorted(each.stem for each in (STATES / "gdb").glob("stacks.*.json"))


def stack_of(name: str) -> CallStack:
    state = load_state(STATES / f"{name}.json")
    files = [CodeObject.open(each.path, each.load_address) for each in state.code_objects]
    wave = state.waves[0]
    assert wave.pc is not None
    context = Context(state.architecture, wave.wave, target=state.target)
    return CallStack(context, wave.pc, LoadedCode(files, state.architecture))


def differences(theirs: dict[str, str | None], ours: PhysicalFrame) -> list[str]:
    """Registers that calls preserve; of vectors what they preserve of them."""
    found = []
    for name, told in theirs.items():
        number = ARCH.by_name[name].number
        assert told is not None and number is not None
        held = ours.contents(number)
        mask = (1 << ARCH.preserved_bits.get(number, 64)) - 1
        if held.value & mask != int(told, 0) & mask or mask & held.unknown:
            found.append(f"#{ours.level} {name}: {held}, not {told}")
    return found


def test_all_stacks_are_there() -> None:
    assert len(SAVED) == 16


@pytest.mark.parametrize("name", SAVED)
def test_frames_are_those_of_gdb(name: str) -> None:
    stack = stack_of(name)
    frames = json.loads((STATES / f"gdb/{name}.json").read_text())["frames"]
    frames = [each for each in frames if each["kind"] in ("normal", "signal")]
    for level, theirs in enumerate(frames):
        ours = stack.frame(level)
        assert ours is not None, stack.end
        assert hex(ours.pc) == theirs["pc"]
        assert ours.is_signal_frame == (theirs["kind"] == "signal")
        assert differences(theirs["registers"], ours) == []
        if theirs["cfa"] is not None and theirs["kind"] == "normal":
            assert ours.cfa().places[0].byte_address == int(theirs["cfa"], 0)
    assert stack.frame(len(frames)) is None
    assert str(stack.end) == "outermost: the return address is undefined"


def leaf(
    rules: dict[int, Rule], *, lr: int, mask: int | None = None, memory: bytes = b""
) -> PhysicalFrame:
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
    return PhysicalFrame(context, 0x1000, FrameRow(RegisterCfa(SP, 0), rules, 30))


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
    caller = PhysicalFrame(frame._context, expected, None, frame)
    assert caller.contents(PC).value == expected
    assert caller.contents(30).value == lr, "as the register has it"


def test_the_mask_of_48_bits() -> None:
    assert without_signature(0x007F_1234_5678_9ABC, USER_MASK) == 0x1234_5678_9ABC


@pytest.mark.parametrize(
    ("rules", "shown"),
    [
        ({}, "{bytes 0-7: v8; bytes 8-15: <undefined>}"),
        ({V8: Offset(8)}, "{bytes 0-7: 0x7008; bytes 8-15: <undefined>}"),
        ({V8: SameValue()}, "v8"),
    ],
)
def test_calls_preserve_lower_halves_of_vectors(rules: dict[int, Rule], shown: str) -> None:
    frame = leaf(rules, lr=0, memory=bytes(16))
    assert location_text(frame.entry_register(V8)).replace(" default", "") == shown
