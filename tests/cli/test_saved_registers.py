"""The registers that `info frame` lists as saved by a frame."""

from __future__ import annotations

from dwarfgpu.arch.registry import architecture
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.rule import OffsetRule, RegisterCfa, RegisterRule
from dwarfgpu.cfi.unwind import CfiFrame
from dwarfgpu.expr.context import Context
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.storage import Memory
from dwarfgpu.service.frame.cpu_frame_info import saved_registers

_X86 = architecture("x86_64")
_RBX, _RBP, _RSP, _R12, _RIP = 3, 6, 7, 12, 16


def _stack() -> tuple[CfiFrame, CfiFrame]:
    """The inner frame saves rbx and r12, the outer one rbp; rsp is 0x1000."""
    target = StateTarget(_X86)
    target.add_wave(0)
    target.write_register(0, _X86.register(_RSP), (0x1000).to_bytes(8, "little"))
    target.set_memory(Memory(_X86.address_space(0)), 0x1000, bytes(0x100))
    context = Context(_X86, 0, target=target)
    inner_rules = {_RBX: OffsetRule(-24), _R12: OffsetRule(-16), _RIP: OffsetRule(-8)}
    inner = FrameRow(RegisterCfa(_RSP, 0x20), inner_rules, _RIP)
    outer_rules = {_RBP: OffsetRule(-16), _RIP: OffsetRule(-8), _RBX: RegisterRule(_R12)}
    outer = FrameRow(RegisterCfa(_RSP, 0x10), outer_rules, _RIP)
    top = CfiFrame(context, 0x10, inner)
    return top, CfiFrame(context, 0x20, outer, top)


def test_only_registers_that_the_frame_itself_saves_are_listed() -> None:
    inner, outer = _stack()
    assert list(saved_registers(inner)) == [("rbx", 0x1008), ("r12", 0x1010), ("rip", 0x1018)]
    assert list(saved_registers(outer)) == [("rbp", 0x1020), ("rip", 0x1028)]
