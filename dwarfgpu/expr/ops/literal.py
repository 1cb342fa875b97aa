"""Literal operations (AMD text A.2.5.4.3.1): all but const_type push the generic type.

The AMD text counts the operations that push a lane or an iteration among them.

Declares DW_OP_lit0 to DW_OP_lit31, DW_OP_const1u, DW_OP_const1s, DW_OP_const2u, DW_OP_const2s,
DW_OP_const4u, DW_OP_const4s, DW_OP_const8u, DW_OP_const8s, DW_OP_constu, DW_OP_consts,
DW_OP_constx, DW_OP_const_type, DW_OP_LLVM_push_lane, DW_OP_LLVM_push_iteration,
DW_OP_GNU_const_type, DW_OP_GNU_const_index.
"""

from __future__ import annotations

from functools import lru_cache

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.errors import IllFormed, counted
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.operand_codec import (
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    ULEB,
    AddressIndex,
    Block1,
    SignedNumber,
    TypeOffset,
)
from dwarfgpu.expr.operation import LLVM_USER, Number, op
from dwarfgpu.model.value import Value


@op(range(0x30, 0x50), spec="A.2.5.4.3.1")
def lit(generic: BaseType, *, number: Number) -> Value:
    """Push the number in the operation's name."""
    return Value(number, generic)


@op(0x08, spec="A.2.5.4.3.1")
def const1u(generic: BaseType, *, number: U8) -> Value:
    """Push a 1-byte unsigned constant."""
    return Value.of(number, generic)


@op(0x09, spec="A.2.5.4.3.1")
def const1s(generic: BaseType, *, number: S8) -> Value:
    """Push a 1-byte signed constant."""
    return Value.of(number, generic)


@op(0x0A, spec="A.2.5.4.3.1")
def const2u(generic: BaseType, *, number: U16) -> Value:
    """Push a 2-byte unsigned constant."""
    return Value.of(number, generic)


@op(0x0B, spec="A.2.5.4.3.1")
def const2s(generic: BaseType, *, number: S16) -> Value:
    """Push a 2-byte signed constant."""
    return Value.of(number, generic)


@op(0x0C, spec="A.2.5.4.3.1")
def const4u(generic: BaseType, *, number: U32) -> Value:
    """Push a 4-byte unsigned constant."""
    return Value.of(number, generic)


@op(0x0D, spec="A.2.5.4.3.1")
def const4s(generic: BaseType, *, number: S32) -> Value:
    """Push a 4-byte signed constant."""
    return Value.of(number, generic)


@op(0x0E, spec="A.2.5.4.3.1")
def const8u(generic: BaseType, *, number: U64) -> Value:
    """Push an 8-byte unsigned constant."""
    return Value.of(number, generic)


@op(0x0F, spec="A.2.5.4.3.1")
def const8s(generic: BaseType, *, number: S64) -> Value:
    """Push an 8-byte signed constant."""
    return Value.of(number, generic)


@op(0x10, spec="A.2.5.4.3.1")
def constu(generic: BaseType, *, number: ULEB) -> Value:
    """Push an unsigned LEB128 constant."""
    return Value.of(number, generic)


@op(0x11, spec="A.2.5.4.3.1")
def consts(generic: BaseType, *, number: SignedNumber) -> Value:
    """Push a signed LEB128 constant."""
    return Value.of(number, generic)


@op(0xA2, spec="A.2.5.4.3.1")
def constx(ctx: Context, *, index: AddressIndex) -> Value:
    """Push an entry of `.debug_addr` as a constant that is not relocated."""
    return Value.of(require(ctx.unit, "compilation unit").address(index), ctx.generic)


@op(0xA4, spec="A.2.5.4.3.1")
def const_type(ctx: Context, *, type: TypeOffset, data: Block1) -> Value:
    """Push a constant of a base type."""
    base = require(ctx.unit, "compilation unit").base_type(type)
    if len(data) != base.size_bytes:
        expected = counted(base.size_bytes, "byte")
        raise IllFormed(f"{counted(len(data), 'byte')} for the type {base} of {expected}")
    return Value.of(int.from_bytes(data, base.endian), base)


@op((LLVM_USER, 0x03), spec="A.2.5.4.3.1")
def LLVM_push_lane(ctx: Context) -> Value:
    """Push the lane that the user is focused on."""
    lane, arch = ctx.lane, ctx.architecture
    if type(lane) is int and arch is not None:  # a number for each of many lanes is not a key
        return _lane_value(lane, arch)
    return Value.of(require(lane, "lane"), ctx.generic)


@lru_cache(maxsize=1024)
def _lane_value(lane: int, arch: Architecture) -> Value:
    """Return a lane as a value: it depends on nothing else."""
    return Value.of(lane, arch.generic)


@op(None, spec="A.2.5.4.3.1")
def LLVM_push_iteration(ctx: Context) -> Value:
    """Push the concurrent loop iteration that the user is focused on."""
    return Value.of(require(ctx.iteration, "iteration"), ctx.generic)
