"""Control flow operations: skip, bra, DW_OP_call2, call4 and call_ref (AMD text A.2.5.4.2).

A call returns `Enter` or `Nested`, which `expr/evaluate.py` performs.

Declares DW_OP_nop, DW_OP_eq, DW_OP_ge, DW_OP_gt, DW_OP_le, DW_OP_lt, DW_OP_ne, DW_OP_skip,
DW_OP_bra, DW_OP_call2, DW_OP_call4, DW_OP_call_ref.
"""

from __future__ import annotations

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.expr.context import ConstValue, Context, ExprLoc, LocationAttribute, require
from dwarfgpu.expr.control_flow import Enter, Jump, Nested
from dwarfgpu.expr.operand_codec import Branch, DieOffset, UnitRef2, UnitRef4
from dwarfgpu.expr.operation import op
from dwarfgpu.model.value import Value


@op(0x96, spec="A.2.5.4.2")
def nop() -> None:
    """A place holder without effect."""


@op(0x29, spec="A.2.5.4.2")
def eq(generic: BaseType, second: Value, top: Value) -> Value:
    """Push 1 if the second entry equals the top, else 0."""
    return _truth(second.compare(top) == 0, generic)


@op(0x2A, spec="A.2.5.4.2")
def ge(generic: BaseType, second: Value, top: Value) -> Value:
    """Push 1 if the second entry is at least the top, else 0; generic compares as signed."""
    order = second.compare(top)
    return _truth(order is not None and order >= 0, generic)


@op(0x2B, spec="A.2.5.4.2")
def gt(generic: BaseType, second: Value, top: Value) -> Value:
    """Push 1 if the second entry is greater than the top, else 0; generic compares as signed."""
    order = second.compare(top)
    return _truth(order is not None and order > 0, generic)


@op(0x2C, spec="A.2.5.4.2")
def le(generic: BaseType, second: Value, top: Value) -> Value:
    """Push 1 if the second entry is at most the top, else 0; generic compares as signed."""
    order = second.compare(top)
    return _truth(order is not None and order <= 0, generic)


@op(0x2D, spec="A.2.5.4.2")
def lt(generic: BaseType, second: Value, top: Value) -> Value:
    """Push 1 if the second entry is less than the top, else 0; generic compares as signed."""
    order = second.compare(top)
    return _truth(order is not None and order < 0, generic)


@op(0x2E, spec="A.2.5.4.2")
def ne(generic: BaseType, second: Value, top: Value) -> Value:
    """Push 1 if the second entry differs from the top, else 0."""
    return _truth(second.compare(top) != 0, generic)


@op(0x2F, spec="A.2.5.4.2")
def skip(*, by: Branch) -> Jump:
    """Branch."""
    return Jump(by)


@op(0x28, spec="A.2.5.4.2")
def bra(condition: Value, *, by: Branch) -> Jump | None:
    """Branch when the popped value is not zero."""
    return Jump(by) if condition else None


@op(0x98, spec="A.2.5.4.2")
def call2(ctx: Context, *, die: UnitRef2) -> Enter | Nested:
    """Call the location of a DIE of the unit, on the same stack if it is an expression."""
    return _call_in_unit(ctx, die)


@op(0x99, spec="A.2.5.4.2")
def call4(ctx: Context, *, die: UnitRef4) -> Enter | Nested:
    """Call the location of a DIE of the unit, on the same stack if it is an expression."""
    return _call_in_unit(ctx, die)


@op(0x9A, spec="A.2.5.4.2")
def call_ref(ctx: Context, *, die: DieOffset) -> Enter | Nested:
    """Call the location of a DIE in `.debug_info`, on the same stack if it is an expression."""
    return call(ctx, require(ctx.unit, "compilation unit").location_at(die))


def _call_in_unit(ctx: Context, unit_offset: int) -> Enter | Nested:
    unit = require(ctx.unit, "compilation unit")
    return call(ctx, unit.location_at(unit.section_offset(unit_offset)))


def call(ctx: Context, attribute: LocationAttribute | None) -> Enter | Nested:
    """What DW_OP_call* does with what an entry has; None, for nothing, has no effect."""
    match attribute:
        case None | ExprLoc():
            return Enter(attribute)
        case ConstValue():
            return Nested(attribute, ctx, lambda outcome: outcome.entry)
        case loclist:
            return Nested(
                loclist,
                ctx.nested(unit=loclist.unit, object=ctx.object),
                lambda outcome: outcome.entry,
            )


def _truth(condition: bool, generic: BaseType) -> Value:
    """Return 1 or 0; of many lanes the condition is one for each, as numbers are."""
    return Value(+condition, generic)
