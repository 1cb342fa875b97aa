"""CFA and return address as numbers give what locations give (`dwarfgpu.cfi.frame_addresses`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.limits import Limits
from dwarfgpu.cfi.call_stack import CallStack
from dwarfgpu.cfi.frame_addresses import FrameAddresses
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.instructions import RA_SIGN_STATE
from dwarfgpu.cfi.rule import (
    Architectural,
    CfaRule,
    ExpressionCfa,
    ExpressionRule,
    OffsetRule,
    RegisterCfa,
    RegisterRule,
    Rule,
    SameValueRule,
    UndefinedRule,
    ValOffsetRule,
)
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.errors import DwarfGpuError, StaleLocation
from dwarfgpu.expr.context import Context
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory

STACK = 0x7000_0000
STACK_BYTES = 4096
CODE = range(0x1000, 0x1010)
ADDRESSES = {"x86_64": (7, 6, 3), "aarch64": (31, 29, 19), "i386": (4, 5, 3)}
"""The stack pointer and two registers that callees save."""


class Rows:
    """A row for each of sixteen program locations; there is none for the others."""

    def __init__(self, rows: dict[int, FrameRow]) -> None:
        self.rows = rows

    def row_at(self, location: int) -> FrameRow | None:
        return self.rows.get(location)

    def file_text(self, location: int) -> str:
        return ""

    def why_incomplete(self, location: int) -> DwarfGpuError | None:
        return None

    def kernel_at(self, location: int) -> str | None:
        return None


def some_rule(rng: Random, registers: tuple[int, ...], bytes_: int, offset: int) -> Rule:
    kinds: tuple[Callable[[], Rule], ...] = (
        lambda: OffsetRule(bytes_ * offset),
        lambda: OffsetRule(rng.choice((-1, 3, -(1 << 40), 1 << 70))),
        lambda: ValOffsetRule(bytes_ * rng.randrange(-6, 2)),
        SameValueRule,
        UndefinedRule,
        lambda: RegisterRule(rng.choice(registers)),
        lambda: ExpressionRule(b"\x13\x30"),  # DW_OP_drop DW_OP_lit0
    )
    return rng.choice(kinds[:1] * 60 + kinds)()


def some_row(rng: Random, name: str) -> FrameRow:
    arch = architecture(name)
    registers = ADDRESSES[name]
    size_bytes = arch.address_bits // 8
    column = arch.return_address_register
    assert column is not None
    cfas: tuple[CfaRule | None, ...] = (
        None,
        ExpressionCfa(b"\x77\x10"),  # DW_OP_breg7 16
        RegisterCfa(registers[1], 16, 1),
        RegisterCfa(9999, 0),
        RegisterCfa(column, 0),
    )
    base = RegisterCfa(rng.choice(registers), 2 * size_bytes * rng.randrange(1, 4))
    rules = {number: some_rule(rng, registers, size_bytes, -2) for number in registers[1:]}
    rules = {number: rule for number, rule in rules.items() if rng.random() < 0.7}
    if rng.random() < 0.1:
        rules[registers[0]] = some_rule(rng, registers, size_bytes, -2)
    rules[column] = some_rule(rng, registers, size_bytes, -1)
    if name == "aarch64" and rng.random() < 0.1:
        rules[RA_SIGN_STATE] = Architectural("signed", rng.randrange(2))
    return FrameRow(rng.choice((base,) * 60 + cfas), rules, column, rng.random() < 0.1)


def some_stack(rng: Random, name: str) -> tuple[Context, Rows]:
    """A thread whose stack has addresses of it and of code in turn, and a byte is lacking."""
    arch, target = architecture(name), StateTarget(architecture(name))
    target.add_wave(0)
    size_bytes = arch.address_bits // 8
    pairs = STACK_BYTES // (2 * size_bytes)
    words: list[int] = []
    for _ in range(pairs):
        words += (STACK + 2 * size_bytes * rng.randrange(pairs), rng.choice(CODE) + 1)
        if rng.random() < 0.02:
            words[rng.choice((-2, -1))] = rng.choice((0, STACK, (1 << arch.address_bits) - 4))
    data = b"".join(word.to_bytes(size_bytes, arch.endian) for word in words)
    memory = Memory(arch.address_space(0))
    hole = rng.randrange(STACK_BYTES)
    target.set_memory(memory, STACK, data[:hole])
    target.set_memory(memory, STACK + hole + 1, data[hole + 1 :])
    for number in ADDRESSES[name]:
        if rng.random() < 0.97:
            start = STACK + 2 * size_bytes * rng.randrange(pairs)
            register = arch.register(number)
            target.set_register(0, register, start.to_bytes(size_bytes, arch.endian))
    rows = Rows({location: some_row(rng, name) for location in CODE})
    return Context(arch, 0, target=target, limits=Limits(frames=40)), rows


def answer(ask: Callable[[], object]) -> object:
    try:
        return ask()
    except DwarfGpuError as error:
        return type(error), str(error)


def outcome(context: Context, rows: Rows) -> list[object]:
    """Everything that a stack says, the frames from the outermost one inwards."""
    stack = CallStack(context, CODE[3], rows)
    arch = context.architecture
    assert arch is not None
    out: list[object] = [str(stack.end), stack.end.is_outermost]
    frames: list[CfiFrame] = []
    while (frame := stack.frame(len(frames))) is not None:
        frames.append(frame)
    for frame in reversed(frames):
        out.append((frame.pc, answer(frame.cfa), answer(frame.return_address)))
        for number in (*ADDRESSES[arch.name], arch.return_address_register):
            assert number is not None
            out.append(answer(lambda f=frame, n=number: f.register(n)))  # type: ignore[misc]
            out.append(answer(lambda f=frame, n=number: f.contents(n)))  # type: ignore[misc]
    return out


@pytest.mark.parametrize("name", ADDRESSES)
def test_numbers_are_those_of_locations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(19)
    plain = FrameAddresses.return_address
    met: Counter[str] = Counter()

    def noted(self: FrameAddresses, frame: CfiFrame) -> int | None:
        caller = plain(self, frame)
        met["locations" if caller is None else "numbers"] += 1
        return caller

    for _ in range(150):
        context, rows = some_stack(rng, name)
        monkeypatch.setattr(FrameAddresses, "return_address", noted)
        by_numbers = outcome(context, rows)
        monkeypatch.setattr(FrameAddresses, "return_address", lambda *_: None)
        assert by_numbers == outcome(context, rows)
    assert min(met["numbers"], met["locations"]) > 100, met


def deep() -> tuple[Context, CallStack]:
    """Thirty calls, each with the return address and the frame pointer saved below the CFA."""
    arch, target = architecture("x86_64"), StateTarget(architecture("x86_64"))
    target.add_wave(0)
    row = FrameRow(RegisterCfa(6, 16), {16: OffsetRule(-8), 6: OffsetRule(-16)}, 16)
    words = []
    for level in range(30):
        words += [STACK + 16 * (level + 1), CODE[0] + 1 if level < 29 else 0]
    memory = Memory(arch.address_space(0))
    target.set_memory(memory, STACK, b"".join(word.to_bytes(8, "little") for word in words))
    for register, value in (("rbp", STACK), ("rsp", STACK - 64), ("rbx", 0)):
        target.set_register(0, arch.by_name[register], value.to_bytes(8, "little"))
    context = Context(arch, 0, target=target)
    return context, CallStack(context, CODE[0], Rows({CODE[0]: row}))


def test_a_stack_is_walked_without_locations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CfiFrame, "cfa", None)
    monkeypatch.setattr(CfiFrame, "entry_register", None)
    _, stack = deep()
    assert stack.end.reason == "outermost: the return address is 0"
    outermost = stack.frame(29)
    assert outermost is not None
    assert outermost.cfa_address == (STACK + 16 * 30, 0)
    assert stack.frame(30) is None


def test_numbers_of_another_stop_are_not_used() -> None:
    context, stack = deep()
    first = stack.frame(1)
    assert first is not None
    assert isinstance(context.target, StateTarget)
    context.target.stop += 1
    with pytest.raises(StaleLocation):
        context.access.retrieve(first.register(6), 64)
    assert str(stack.end).startswith("stopped: the caller of frame 1: the target has moved")
