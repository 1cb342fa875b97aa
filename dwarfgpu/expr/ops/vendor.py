"""Vendor operations (AMD text A.2.5.4.0): LLVM's no-op and the GNU forerunners of DWARF 5.

Declares DW_OP_LLVM_nop, DW_OP_GNU_uninit, DW_OP_GNU_encoded_addr, DW_OP_GNU_parameter_ref,
DW_OP_GNU_variable_value.
"""

from __future__ import annotations

from dwarfgpu.errors import UndefinedBits
from dwarfgpu.expr.context import ConstValue, Context, require, require_frame
from dwarfgpu.expr.control_flow import Nested
from dwarfgpu.expr.implicit_conversions import and_then
from dwarfgpu.expr.operand_codec import DieOffset, EncodedAddress, UnitRef4
from dwarfgpu.expr.operation import LLVM_USER, alias, op
from dwarfgpu.expr.ops import control, conversion, implicit, literal, memory, special_value  # noqa: F401
from dwarfgpu.model.location import Entry, Location
from dwarfgpu.model.value import Value


@op((LLVM_USER, 0x01), spec="A.2.5.4.0")
def LLVM_nop() -> None:
    """A place holder without effect."""


@op(0xF0, spec="A.2.5.4.0")
def GNU_uninit() -> None:
    """Mark the variable as not yet initialized; no effect on the stack."""


@op(
    0xF1,
    spec="A.2.5.4.0",
    unsupported="an encoded pointer needs the bases of .eh_frame, which an expression lacks",
)
def GNU_encoded_addr(*, address: EncodedAddress) -> Value:
    """Push an address in an encoding of `.eh_frame`."""
    raise AssertionError("never evaluated")


@op(0xFA, spec="A.2.5.4.0")
def GNU_parameter_ref(ctx: Context, *, die: UnitRef4) -> Value:
    """Push the value that a formal parameter had on entry, by the call site (DWARF 5 3.4.2).

    It is undefined where no call-site parameter describes it.
    """
    frame, unit = require_frame(ctx.frame), require(ctx.unit, "compilation unit")
    value = frame.parameter_value(unit.section_offset(die))
    if value is None:
        raise UndefinedBits("no call site describes what the parameter was on entry")
    return value


@op(0xFD, spec="A.2.5.4.0")
def GNU_variable_value(ctx: Context, *, die: DieOffset) -> Entry | Nested:
    """Push the value of the variable that a DIE describes, converted to the generic type.

    The variable is an integer, an enumeration or a pointer, and is read in the current call frame.
    """
    variable = require(ctx.unit, "compilation unit").variable_value(die)
    if isinstance(variable, int):
        return Value.of(variable, ctx.generic)
    attribute, base = variable

    def number(location: Location) -> Entry:
        value = special_value.retrieved(ctx, location, base)
        return value.converted(ctx.generic) if isinstance(value, Value) else value

    located = ctx if isinstance(attribute, ConstValue) else ctx.nested(unit=attribute.unit)
    return and_then(Nested(attribute, located, lambda outcome: outcome.entry), number)


alias(0xE0, "GNU_push_tls_address", "form_tls_address")
alias(0xF2, "GNU_implicit_pointer", "implicit_pointer")
alias(0xF3, "GNU_entry_value", "entry_value")
alias(0xF4, "GNU_const_type", "const_type")
alias(0xF5, "GNU_regval_type", "regval_type")
alias(0xF6, "GNU_deref_type", "deref_type")
alias(0xF7, "GNU_convert", "convert")
alias(0xF9, "GNU_reinterpret", "reinterpret")
alias(0xFB, "GNU_addr_index", "addrx")
alias(0xFC, "GNU_const_index", "constx")
