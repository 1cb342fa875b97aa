"""Special value operations (AMD text A.2.5.4.3.4).

LLVM_push_lane and LLVM_push_iteration are among the literal operations (`literal`).

Declares DW_OP_regval_type, DW_OP_deref, DW_OP_deref_size, DW_OP_deref_type, DW_OP_xderef,
DW_OP_xderef_size, DW_OP_xderef_type, DW_OP_entry_value, DW_OP_GNU_entry_value,
DW_OP_GNU_regval_type, DW_OP_GNU_deref_type.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.base_type import BaseType, bits_in_register
from dwarfgpu.base.bits import from_bytes, to_bytes
from dwarfgpu.errors import IllFormed, Unsupported, counted
from dwarfgpu.expr.context import Context, ExprLoc, require, require_frame
from dwarfgpu.expr.control_flow import Nested, Outcome
from dwarfgpu.expr.implicit_conversions import and_then
from dwarfgpu.expr.operand_codec import Expression, RegisterNumber, Size8, TypeOffset
from dwarfgpu.expr.operation import op
from dwarfgpu.expr.ops.memory import LLVM_form_aspace_address
from dwarfgpu.expr.ops.register import regx
from dwarfgpu.model.location import Entry, ImplicitPointerValue, Location
from dwarfgpu.model.storage import ImplicitPointer, Register
from dwarfgpu.model.value import Value

TYPED_REGISTERS: Final = ("regval_type", "GNU_regval_type")
"""Operations that read a register as a base type."""
ENTRY_VALUES: Final = ("entry_value", "GNU_entry_value")
"""The operations for a value on entry to the frame, by name."""


@op(0xA5, spec="A.2.5.4.3.4", equals="DW_OP_regx {register}; DW_OP_deref_type {size}, {type}")
def regval_type(
    ctx: Context, *, register: RegisterNumber, type: TypeOffset
) -> Value | ImplicitPointerValue:
    """Push the contents of a register as a value of a base type."""
    location = regx(ctx, register=register)
    base = require(ctx.unit, "compilation unit").base_type(type)
    if base.encoding == "float" and ctx.x87_as_compilers:
        from dwarfgpu.expr.x87_registers import converted_from, retrieve_converted  # few operations

        number_type = converted_from(ctx, location, base)
        if number_type is not None:
            return retrieve_converted(ctx, location, number_type, base)
    return retrieved(ctx, location, base)


@op(0x06, spec="A.2.5.4.3.4")
def deref(ctx: Context, location: Location) -> Value | ImplicitPointerValue:
    """Retrieve a value of the generic type."""
    generic = ctx.generic
    contents = ctx.access.retrieve(location, generic.bit_size)
    if isinstance(contents, ImplicitPointer):
        return ImplicitPointerValue.of(contents, generic)
    return Value(contents, generic)


@op(0x94, spec="A.2.5.4.3.4")
def deref_size(ctx: Context, location: Location, *, size: Size8) -> Value | ImplicitPointerValue:
    """Retrieve a number of bytes, zero-extended to the generic type.

    More bytes than the generic type has retrieve the generic type.
    """
    generic = ctx.generic
    if size == 0:
        raise IllFormed("a size of 0 bytes: no base type has it")
    contents = ctx.access.retrieve(location, min(8 * size, generic.bit_size))
    if isinstance(contents, ImplicitPointer):
        return ImplicitPointerValue.of(contents, generic)
    return Value(contents, generic)


@op(0xA6, spec="A.2.5.4.3.4")
def deref_type(
    ctx: Context, location: Location, *, size: Size8, type: TypeOffset
) -> Value | ImplicitPointerValue:
    """Retrieve a value of a base type."""
    base = require(ctx.unit, "compilation unit").base_type(type)
    if size != base.size_bytes:
        raise IllFormed(f"size {size} for the type {base} of {counted(base.size_bytes, 'byte')}")
    return retrieved(ctx, location, base)


@op(0x18, spec="A.2.5.4.3.4", equals="DW_OP_swap; DW_OP_LLVM_form_aspace_address; DW_OP_deref")
def xderef(ctx: Context, space: Value, address: Value | ImplicitPointerValue) -> Entry | Nested:
    """Retrieve a value of the generic type from an address in an address space."""
    return and_then(
        LLVM_form_aspace_address(ctx, address, space), lambda location: deref(ctx, location)
    )


@op(
    0x95,
    spec="A.2.5.4.3.4",
    equals="DW_OP_swap; DW_OP_LLVM_form_aspace_address; DW_OP_deref_size {size}",
)
def xderef_size(
    ctx: Context, space: Value, address: Value | ImplicitPointerValue, *, size: Size8
) -> Entry | Nested:
    """Retrieve a number of bytes, zero-extended, from an address in an address space."""
    return and_then(
        LLVM_form_aspace_address(ctx, address, space),
        lambda location: deref_size(ctx, location, size=size),
    )


@op(
    0xA7,
    spec="A.2.5.4.3.4",
    equals="DW_OP_swap; DW_OP_LLVM_form_aspace_address; DW_OP_deref_type {size}, {type}",
)
def xderef_type(
    ctx: Context,
    space: Value,
    address: Value | ImplicitPointerValue,
    *,
    size: Size8,
    type: TypeOffset,
) -> Entry | Nested:
    """Retrieve a value of a base type from an address in an address space."""
    return and_then(
        LLVM_form_aspace_address(ctx, address, space),
        lambda location: deref_type(ctx, location, size=size, type=type),
    )


@op(0xA3, spec="A.2.5.4.3.4")
def entry_value(ctx: Context, *, expression: Expression) -> Value | Nested:
    """Push the value that an expression had on entry to the current subprogram.

    It is evaluated in the calling frame, or given by a call-site parameter. If it ends in
    DW_OP_reg*, the contents of the register are pushed.
    """
    frame = require_frame(ctx.frame)
    value = frame.entry_value(expression)
    if value is not None:
        return value
    caller, call_site = frame.caller()
    unit = require(ctx.unit, "compilation unit")
    calling = ctx.nested(unit=unit, frame=caller, pc=call_site, result_kind=None)
    return Nested(
        ExprLoc(expression, unit), calling, lambda outcome: _entry_value(calling, outcome)
    )


def _entry_value(calling: Context, outcome: Outcome) -> Entry:
    entry = outcome.entry
    if isinstance(entry, Value | ImplicitPointerValue):
        return entry
    if isinstance(entry, Location) and outcome.last_register is not None:
        arch = require(calling.architecture, "target architecture")
        base = arch.register(outcome.last_register).type
        counts = base.vector_size is None and (base.is_integral or base.encoding == "address")
        if counts and base.bit_size == arch.address_bits:
            base = arch.generic  # producers continue with literals: docs/spec-notes.md
        return retrieved(calling, entry, base)
    raise IllFormed("the expression gives neither a value nor a register location description")


def retrieved(ctx: Context, location: Location, base: BaseType) -> Value | ImplicitPointerValue:
    """Return the value of a base type that is at a location."""
    contents = ctx.access.retrieve(location, _held_bits(location, base))
    if isinstance(contents, ImplicitPointer):
        return ImplicitPointerValue.of(contents, ctx.generic)
    endian = ctx.access.endian
    if base.endian != endian:
        if base.bit_size % 8:
            raise Unsupported(f"{base}: {base.bit_size} bits in the other byte order")
        contents = from_bytes(to_bytes(contents, base.bit_size, endian), base.bit_size, base.endian)
    return Value(contents, base)


def _held_bits(location: Location, base: BaseType) -> int:
    """Return the bits of a value that are at its location: an x87 register has no padding."""
    if base.padding_bits and all(
        isinstance(single.storage, Register) for single in location.single_locations
    ):
        return bits_in_register(base, location.remaining_bits)
    return base.bit_size
