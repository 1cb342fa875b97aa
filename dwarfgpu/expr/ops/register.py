"""Register location description operations (AMD text A.2.5.4.4.4)."""

from __future__ import annotations

from functools import lru_cache

from dwarfgpu.arch.model import Architecture
from dwarfgpu.errors import MissingContext
from dwarfgpu.expr.codec import RegisterNumber
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.operation import Number, op
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import Register


@op(range(0x50, 0x70), spec="A.2.5.4.4.4", equals="DW_OP_regx {number}")
def reg(ctx: Context, *, number: Number) -> Location:
    """Push where the register in the name is, for the current call frame."""
    return regx(ctx, register=number)


@op(0x90, spec="A.2.5.4.4.4")
def regx(ctx: Context, *, register: RegisterNumber) -> Location:
    """Push where a register is, for the current call frame."""
    arch, wave, frame = ctx.architecture, ctx.wave, ctx.frame
    if arch is None or wave is None or frame is None:
        require(arch, "target architecture")
        require(wave, "thread")
        raise MissingContext("the context has no call frame")
    if frame.level:
        arch.register(register)
        return frame.register(register)
    return _whole_register(arch, register, wave, ctx.stop)


@lru_cache(maxsize=1024)
def _whole_register(arch: Architecture, number: int, wave: int, stop: int | None) -> Location:
    return Location((SingleLocation(Register(arch.register(number), wave)),), stop)
