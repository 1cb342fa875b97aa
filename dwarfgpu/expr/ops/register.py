"""Register location description operations (AMD text A.2.5.4.4.4)."""

from __future__ import annotations

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
    info = require(ctx.architecture, "target architecture").register(register)
    wave = require(ctx.wave, "thread")
    held = require(ctx.frame, "call frame").register(register)
    if held is not None:
        return held
    return Location((SingleLocation(Register(info, wave)),), ctx.stop)
