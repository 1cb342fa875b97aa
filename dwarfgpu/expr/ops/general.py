"""General and undefined location description operations (AMD text A.2.5.4.4.1, A.2.5.4.4.2).

Declares DW_OP_LLVM_offset, DW_OP_LLVM_offset_uconst, DW_OP_LLVM_bit_offset,
DW_OP_push_object_address, DW_OP_LLVM_call_frame_entry_reg, DW_OP_LLVM_undefined.
"""

from __future__ import annotations

from dwarfgpu.expr.context import Context, require, require_frame
from dwarfgpu.expr.operand_codec import ULEB, RegisterNumber
from dwarfgpu.expr.operation import LLVM_USER, op
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import UNDEFINED
from dwarfgpu.model.value import Value


@op((LLVM_USER, 0x04), spec="A.2.5.4.4.1")
def LLVM_offset(location: Location, displacement: Value) -> Location:
    """Move a location description by a number of bytes."""
    return location.displaced(displacement.displacement * 8)


@op((LLVM_USER, 0x05), spec="A.2.5.4.4.1", equals="DW_OP_constu {displacement}; DW_OP_LLVM_offset")
def LLVM_offset_uconst(ctx: Context, location: Location, *, displacement: ULEB) -> Location:
    """Move a location description by an encoded number of bytes."""
    return location.displaced(Value.of(displacement, ctx.generic).as_signed * 8)


@op((LLVM_USER, 0x06), spec="A.2.5.4.4.1")
def LLVM_bit_offset(location: Location, displacement: Value) -> Location:
    """Move a location description by a number of bits."""
    return location.displaced(displacement.displacement)


@op(0x97, spec="A.2.5.4.4.1")
def push_object_address(ctx: Context) -> Location:
    """Push the location description of the current object."""
    return require(ctx.object, "object")


@op((LLVM_USER, 0x07), spec="A.2.5.4.4.1")
def LLVM_call_frame_entry_reg(ctx: Context, *, register: RegisterNumber) -> Location:
    """Push where the value of a register on entry to the current subprogram is.

    By the call frame information; without any, by the default rules of the architecture.
    """
    arch = require(ctx.architecture, "target architecture")
    info = arch.register(register)
    entry = require_frame(ctx.frame).entry_register(register)
    return entry if arch.endian == "little" else entry.in_register(info.size_bits)


@op((LLVM_USER, 0x08), spec="A.2.5.4.4.2")
def LLVM_undefined() -> Location:
    """Push the undefined location description."""
    return Location((SingleLocation(UNDEFINED),))  # not that of another operation
