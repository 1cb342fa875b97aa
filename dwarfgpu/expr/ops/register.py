"""Register location description operations (AMD text A.2.5.4.4.4); breg and bregx, which make
addresses, are in `memory`.

Declares DW_OP_reg0 to DW_OP_reg31, DW_OP_regx.
"""

from __future__ import annotations

from dwarfgpu.expr.context import Context, require, require_frame
from dwarfgpu.expr.implicit_conversions import whole_register
from dwarfgpu.expr.operand_codec import RegisterNumber
from dwarfgpu.expr.operation import Number, op
from dwarfgpu.expr.wide_registers import wider_registers
from dwarfgpu.model.location import Location


@op(range(0x50, 0x70), spec="A.2.5.4.4.4", equals="DW_OP_regx {number}")
def reg(ctx: Context, *, number: Number) -> Location:
    """Push where the register in the name is, for the current call frame."""
    return regx(ctx, register=number)


@op(0x90, spec="A.2.5.4.4.4")
def regx(ctx: Context, *, register: RegisterNumber) -> Location:
    """Push where a register is, for the current call frame."""
    arch, wave, frame = ctx.architecture, ctx.wave, ctx.frame
    if arch is None or wave is None or frame is None:  # one comparison of each is faster
        arch, wave = require(arch, "target architecture"), require(wave, "thread")
        frame = require_frame(frame)
    if frame.level:
        info = arch.register(register)
        saved = frame.register(register)
        is_all_of_it = arch.endian == "little" and register not in wider_registers(arch)
        return saved if is_all_of_it else saved.in_register(info.size_bits)
    return whole_register(arch, register, wave, ctx.stop)
