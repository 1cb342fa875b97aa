"""The frame of a function that has jumped to another one (`dwarfgpu.cfi.tail_call_frame`)."""

from __future__ import annotations

from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa
from dwarfgpu.cfi.tail_call_frame import Jump, TailFrame
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.view.location_text import location_text
from tests.cfi.test_unwind import x86

X86_64 = architecture("x86_64")


def number(name: str) -> int:
    register = X86_64.register_named(name)
    assert register is not None and register.number is not None
    return register.number


def test_registers_are_those_of_the_jump() -> None:
    context = x86({}, rsp=0x7FF0)
    saved = {number("rip"): OffsetRule(-8), number("rbx"): OffsetRule(-16)}
    inner = CfiFrame(context, 0x1000, FrameRow(RegisterCfa(7, 16), saved, 16))
    jumped = TailFrame(context, Jump(0x2005, 0x2000), inner)
    shown = {name: location_text(jumped.register(number(name))) for name in ("rbx", "r12", "rdx")}
    assert shown == {"rbx": "0x7ff0", "r12": "r12", "rdx": "<optimized out>"}
    values = {
        name: context.access.read(jumped.register(number(name)), 64).value
        for name in ("rip", "rsp")
    }
    # The return address lies where the call pushed it, right below the CFA.
    assert values == {"rip": 0x2005, "rsp": 0x8000 - 8}
    assert jumped.location == 0x2000
    assert jumped.cfa() == inner.cfa()
