"""Implicit location description operations (AMD text A.2.5.4.4.5).

Declares DW_OP_implicit_value, DW_OP_stack_value, DW_OP_implicit_pointer,
DW_OP_LLVM_aspace_implicit_pointer, DW_OP_GNU_implicit_pointer.
"""

from __future__ import annotations

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import from_bytes, to_bytes
from dwarfgpu.errors import Unsupported
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.implicit_conversions import constant_location
from dwarfgpu.expr.operand_codec import SLEB, Block, DieOffset
from dwarfgpu.expr.operation import op
from dwarfgpu.model.location import ImplicitPointerValue, Location, SingleLocation
from dwarfgpu.model.storage import DieReference, Implicit, ImplicitPointer
from dwarfgpu.model.value import Value


@op(0x9E, spec="A.2.5.4.4.5")
def implicit_value(generic: BaseType, *, data: Block) -> Location:
    """Push the location of an object whose bytes are encoded here."""
    return constant_location(data, generic.endian)


@op(0x9F, spec="A.2.5.4.4.5")
def stack_value(ctx: Context, value: Value | ImplicitPointerValue) -> Location:
    """Push the location of an object that is not in memory but has the popped value."""
    if isinstance(value, ImplicitPointerValue):
        return Location((SingleLocation(value.storage),))
    bits, base, endian = value.bits, value.type, ctx.endian
    if base.endian != endian:
        if base.bit_size % 8:
            raise Unsupported(f"{base}: {base.bit_size} bits in the other byte order")
        bits = from_bytes(to_bytes(bits, base.bit_size, base.endian), base.bit_size, endian)
    return Location((SingleLocation(Implicit(bits, base.bit_size), 0, base.bit_size),))


@op(0xA0, spec="A.2.5.4.4.5")
def implicit_pointer(ctx: Context, *, die: DieOffset, displacement: SLEB) -> Location:
    """Push the location of an implicit pointer to what a DIE describes.

    Only its whole contents can be retrieved; what comes then can be moved on the stack, made a
    location by DW_OP_stack_value, or dereferenced.
    """
    return _pointer(ctx, 0, die, displacement)


@op(None, spec="A.2.5.4.4.5")
def LLVM_aspace_implicit_pointer(
    ctx: Context, space: Value, *, die: DieOffset, displacement: SLEB
) -> Location:
    """Push the location of an implicit pointer in an address space to what a DIE describes."""
    space.require_integral()  # the number itself is unsigned
    return _pointer(ctx, space.bits, die, displacement)


def _pointer(ctx: Context, space: int, die: int, displacement: int) -> Location:
    arch = require(ctx.architecture, "target architecture")
    unit = require(ctx.unit, "compilation unit")
    storage = ImplicitPointer(DieReference(die, unit), displacement, arch.address_space(space))
    return Location((SingleLocation(storage),))
