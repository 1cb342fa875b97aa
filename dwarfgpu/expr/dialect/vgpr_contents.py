"""What a vector register has that a location of upstream clang's names (`docs/dialects.md`).

A vector register means the focused lane's dword of it. Where clang describes a variable whose value
a register holds as one whose address it holds, `Context.vgpr_holds` says which: an assumption of
the user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from dwarfgpu.arch.amdgpu import PRIVATE_LANE
from dwarfgpu.arch.model import Architecture
from dwarfgpu.errors import Ambiguous, EvaluationError
from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.dialect.dialect import VGPR_HOLDS, VgprContents
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.expr.instruction import Instructions
from dwarfgpu.expr.ops.implicit import stack_value
from dwarfgpu.expr.ops.register import regx
from dwarfgpu.expr.ops.special_value import deref_type
from dwarfgpu.model.location import Entry, Location
from dwarfgpu.model.storage import ImplicitPointer
from dwarfgpu.model.value import Value

LANE_BITS: Final = 32
"""The size of a vector register for one lane."""
SUM_BITS: Final = 64
"""The size of the generic type, which a sum with such a dword has."""
TWO_READINGS: Final = "upstream clang: two readings, and it is unknown which is intended"
"""The note for observers on an operation whose register holds the value or its address."""
ONE_READING: Final[Mapping[VgprContents, str]] = {
    "value": "upstream clang: of two readings, the register holds the value itself",
    "address": "upstream clang: of two readings, the register holds the address of the value",
}
"""The note on the same where one of the readings is taken."""
End: TypeAlias = Literal["here", "space", "none"]
"""Whether a location, or a part of one, ends after an operation: at once, after the address space
that it names, or not."""


@lru_cache(maxsize=64)
def lane_of_register(needed_bits: int) -> Callable[..., Location]:
    """Make DW_OP_regx of a vector register, before a piece of `needed_bits`; 0 for none."""

    def lane_of_register(ctx: Context, *, register: int) -> Location:
        if needed_bits > LANE_BITS:
            raise Ambiguous(
                f"upstream clang: {needed_bits} bits of one lane of a vector register, which has "
                f"{LANE_BITS}"
            )
        return _lane_dword(ctx, register)

    return lane_of_register


def lane_value(ctx: Context, *, register: int, displacement: int) -> Value:
    """Evaluate DW_OP_bregx of a vector register in a computation; the dword is extended by
    zeros."""
    return Value.of(_number(ctx, register) + displacement, ctx.generic)


@lru_cache(maxsize=64)
def based_two_ways(end: End, needed_bits: int) -> Callable[..., Entry]:
    """Make DW_OP_bregx of a vector register that holds the value or its address, before a piece of
    `needed_bits`; 0 for none."""

    def based_two_ways(ctx: Context, *, register: int, displacement: int) -> Entry:
        holds = _assumed(ctx, register, "DW_OP_bregx")
        if holds == "value" and end != "none" and not displacement:
            return lane_of_register(needed_bits)(ctx, register=register)
        value = lane_value(ctx, register=register, displacement=displacement)
        if holds == "value":
            return value if end == "none" else stack_value(ctx, value)
        return value if end == "space" else _in_private_memory(ctx, value.bits)

    return based_two_ways


def typed_two_ways(ctx: Context, *, register: int, type: int) -> Entry:
    """Evaluate DW_OP_regval_type of a vector register that holds the value or its address."""
    holds = _assumed(ctx, register, "DW_OP_regval_type")
    base = require(ctx.unit, "compilation unit").base_type(type)
    if holds == "value":
        location = lane_of_register(base.bit_size)(ctx, register=register)
    else:
        location = _in_private_memory(ctx, _number(ctx, register))
    return deref_type(ctx, location, size=base.size_bytes, type=type)


def register_of_address(instructions: Instructions, size_bits: int | None) -> int | None:
    """Return the vector register that can only hold the address of an object of this size: a lane's
    dword of it, or a sum with that, has fewer bits. None for other objects.

    `instructions`: as clang means them. A piece may be a part of an object in a register.
    """
    if not instructions or instructions[0].operation.interpretation != TWO_READINGS:
        return None
    names = [instruction.operation.name for instruction in instructions]
    if names[0] != "bregx" or (names[1:] and names[2:] != ["LLVM_form_aspace_address"]):
        return None
    register, displacement = instructions[0].operands
    value_bits = SUM_BITS if displacement else LANE_BITS
    is_larger = size_bits is not None and size_bits > value_bits
    return register if is_larger and isinstance(register, int) else None


def is_in_private_memory(instructions: Instructions) -> bool:
    """Return whether an object for which `register_of_address` returns a register is in private
    memory, by its description: its suffix says so, or there is none."""
    return len(instructions) == 1 or instructions[1].operation.number == PRIVATE_LANE


def registers_in_private_memory(instructions: Instructions) -> tuple[int, ...]:
    """Return the vector registers that hold a value or its address, if that address could only lead
    to private memory: a suffix names it after every one of them. Empty for others."""
    registers: list[int] = []
    for index, instruction in enumerate(instructions):
        if instruction.operation.interpretation != TWO_READINGS:
            continue
        following = [one.operation for one in instructions[index + 1 : index + 3]]
        names_private = len(following) == 2 and following[0].number == PRIVATE_LANE
        register = instruction.operands[0]
        if (
            not names_private
            or following[1].name != "LLVM_form_aspace_address"
            or instruction.operation.name != "bregx"
            or not isinstance(register, int)
        ):
            return ()
        registers.append(register)
    return tuple(dict.fromkeys(registers))


def assumption_notes(
    instructions: Instructions, holds: VgprContents | None, architecture: Architecture | None
) -> tuple[str, ...]:
    """Return a note on each vector register of an expression whose contents are assumed."""
    if holds is None or architecture is None:
        return ()
    [quirk] = [name for name, contents in VGPR_HOLDS.items() if contents == holds]
    own, other = "the value itself", "its address"
    if holds == "address":
        own, other = "the address of the value", "the value itself"
    notes: dict[str, None] = {}
    for instruction in instructions.distinct:
        operation, register = instruction.operation, instruction.operands[:1]
        if operation.interpretation == TWO_READINGS and isinstance(register[0], int):
            name = architecture.register(register[0]).name
            assumed = f"{name} is assumed to hold {own}, by the quirk {quirk}"
            notes[f"{assumed}: upstream clang writes {operation.title} for {other}, too"] = None
    return tuple(notes)


def _lane_dword(ctx: Context, register: int) -> Location:
    return regx(ctx, register=register).displaced(LANE_BITS * require(ctx.lane, "lane"))


def _number(ctx: Context, register: int) -> int:
    """Return the dword of a vector register."""
    contents = ctx.access.retrieve(_lane_dword(ctx, register), LANE_BITS)
    if isinstance(contents, ImplicitPointer):
        raise EvaluationError("an implicit pointer cannot be computed with")
    return contents


def _in_private_memory(ctx: Context, address: int) -> Location:
    """Return the location of an address of 32 bits, which names no address space."""
    space = require(ctx.architecture, "target architecture").address_space(PRIVATE_LANE)
    return memory_location(ctx, space, address)


def _assumed(ctx: Context, register: int, operation: str) -> VgprContents:
    """Return what the register is assumed to hold; `Ambiguous` without an assumption."""
    if ctx.vgpr_holds is not None:
        return ctx.vgpr_holds
    name = require(ctx.architecture, "target architecture").register(register).name
    raise Ambiguous(
        f"{name} holds the value itself or its address: upstream clang writes {operation} for "
        f"both, and nothing says which: --quirk {' or '.join(VGPR_HOLDS)} chooses, at the prompt "
        f"set vgpr-holds; ${name}[$_lane] is the register"
    )
