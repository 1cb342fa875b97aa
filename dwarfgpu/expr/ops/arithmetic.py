"""Arithmetic and logical operations (AMD text A.2.5.4.3.2, DWARF 5 2.5.1.4).

`dwarfgpu.model.value.Value` implements them for the bits of each base type.

Declares DW_OP_abs, DW_OP_and, DW_OP_div, DW_OP_minus, DW_OP_mod, DW_OP_mul, DW_OP_neg, DW_OP_not,
DW_OP_or, DW_OP_plus, DW_OP_plus_uconst, DW_OP_shl, DW_OP_shr, DW_OP_shra, DW_OP_xor.
"""

from __future__ import annotations

from dwarfgpu.expr.operand_codec import ULEB
from dwarfgpu.expr.operation import op
from dwarfgpu.model.value import Value


@op(0x19, spec="A.2.5.4.3.2")
def abs(operand: Value) -> Value:
    """Replace the top by its absolute value."""
    return operand.__abs__()


@op(0x1A, spec="A.2.5.4.3.2", name="and")
def and_(second: Value, top: Value) -> Value:
    """Bitwise and."""
    return second & top


@op(0x1B, spec="A.2.5.4.3.2")
def div(second: Value, top: Value) -> Value:
    """Divide the second entry by the top: signed, truncating."""
    return second / top


@op(0x1C, spec="A.2.5.4.3.2")
def minus(second: Value, top: Value) -> Value:
    """Subtract the top from the second entry."""
    return second - top


@op(0x1D, spec="A.2.5.4.3.2")
def mod(second: Value, top: Value) -> Value:
    """The second entry modulo the top: unsigned on the generic type."""
    return second % top


@op(0x1E, spec="A.2.5.4.3.2")
def mul(second: Value, top: Value) -> Value:
    """Multiply."""
    return second * top


@op(0x1F, spec="A.2.5.4.3.2")
def neg(operand: Value) -> Value:
    """Negate."""
    return -operand


@op(0x20, spec="A.2.5.4.3.2", name="not")
def not_(operand: Value) -> Value:
    """Bitwise complement."""
    return ~operand


@op(0x21, spec="A.2.5.4.3.2", name="or")
def or_(second: Value, top: Value) -> Value:
    """Bitwise or."""
    return second | top


@op(0x22, spec="A.2.5.4.3.2")
def plus(second: Value, top: Value) -> Value:
    """Add."""
    return second + top


@op(0x23, spec="A.2.5.4.3.2")
def plus_uconst(augend: Value, *, addend: ULEB) -> Value:
    """Add an encoded constant, taken in the type of the entry."""
    augend.require_integral()  # plus_uconst, unlike plus, is for integral types only
    return augend + Value.of(addend, augend.type)


@op(0x24, spec="A.2.5.4.3.2")
def shl(second: Value, top: Value) -> Value:
    """Shift the second entry left by the top."""
    return second << top


@op(0x25, spec="A.2.5.4.3.2")
def shr(second: Value, top: Value) -> Value:
    """Shift the second entry right by the top, filling with zeros."""
    return second >> top


@op(0x26, spec="A.2.5.4.3.2")
def shra(second: Value, top: Value) -> Value:
    """Shift the second entry right by the top, filling with its sign."""
    return second.shift_right_arithmetic(top)


@op(0x27, spec="A.2.5.4.3.2")
def xor(second: Value, top: Value) -> Value:
    """Bitwise exclusive or."""
    return second ^ top
