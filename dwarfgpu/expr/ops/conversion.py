"""Type conversion operations (AMD text A.2.5.4.3.3, DWARF 5 2.5.1.6).

Declares DW_OP_convert, DW_OP_reinterpret, DW_OP_GNU_convert, DW_OP_GNU_reinterpret.
"""

from __future__ import annotations

from dwarfgpu.arch.model import NO_APERTURES
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.errors import MissingContext, Unsupported
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.operand_codec import TypeOffset
from dwarfgpu.expr.operation import op
from dwarfgpu.model.value import Value

WIDEST_BITS = 8192
"""Maximum size of a type to which values are converted: wider ones would only fill the memory."""


@op(0xA8, spec="A.2.5.4.3.3")
def convert(ctx: Context, operand: Value, *, type: TypeOffset) -> Value:
    """Convert to a base type by value, an address between address spaces; 0 is generic."""
    to = _base_type(ctx, type)
    if to.bit_size > WIDEST_BITS:
        raise Unsupported(f"conversion to {to} of {to.bit_size} bits, more than {WIDEST_BITS}")
    if operand.type.encoding == to.encoding == "address":
        from_space, to_space = operand.type.address_space or 0, to.address_space or 0
        if from_space != to_space:
            arch = require(ctx.architecture, "target architecture")
            apertures = NO_APERTURES
            if ctx.target is not None and ctx.wave is not None:
                apertures = ctx.target.apertures_of(ctx.wave)
            address, _ = arch.convert(operand.bits, from_space, to_space, ctx.lane, apertures)
            for space in map(arch.address_space, (from_space, to_space)):
                # Even if the number alone would do: the address has no meaning without the lane.
                if space.scope == "lane" and ctx.lane is None:
                    raise MissingContext(f"{space} needs the lane, and the context has no lane")
            return Value.of(address, to)
    return operand.converted(to)


@op(0xA9, spec="A.2.5.4.3.3")
def reinterpret(ctx: Context, operand: Value, *, type: TypeOffset) -> Value:
    """Take the same bits as another base type of the same size; 0 is generic."""
    return operand.reinterpreted(_base_type(ctx, type))


def _base_type(ctx: Context, offset: int) -> BaseType:
    return ctx.generic if offset == 0 else require(ctx.unit, "compilation unit").base_type(offset)
