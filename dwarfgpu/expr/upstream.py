"""Upstream clang's way to name AMDGPU address spaces (`docs/dialects.md`).

Clang writes the address space of a variable as a final `litN, swap, xderef`, in its own numbers.
Read literally it fetches the variable's contents and takes them for its address.
"""

from __future__ import annotations

from attrs import evolve

from dwarfgpu.expr.context import Context, require
from dwarfgpu.expr.convert import memory_location
from dwarfgpu.expr.decode import Instruction
from dwarfgpu.expr.dialect import Dialect
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.model.location import Location
from dwarfgpu.model.value import Value

ADDRESS_SPACES = {1: 5, 2: 3, 5: 5, 3: 3}
"""Clang's number to DWARF's: 1 private and 2 local until LLVM 21, then 5 and 3."""


def translated(
    instructions: tuple[Instruction, ...], dialect: Dialect
) -> tuple[tuple[Instruction, ...], tuple[str, ...]]:
    """The instructions as meant, and a note of what was read differently."""
    at = len(instructions) - 3
    names = [each.operation.name for each in instructions]
    valued = bool(names) and names[-1] == "stack_value"
    if valued:
        at -= 1
    if at < 0 or names[at + 1 : at + 3] != ["swap", "xderef"] or not names[at].startswith("lit"):
        return instructions, ()
    number = instructions[at].operation.number
    space = ADDRESS_SPACES.get(number if number is not None else -1)
    if space is None:
        return instructions, ()
    if valued:
        kept = (*instructions[:at], instructions[-1])
        return kept, (
            f"upstream clang: DW_OP_lit{number}, swap, xderef before stack_value ignored",
        )
    # The encodings stay those found, so that offsets in messages are those of the file.
    formed = (
        _as("lit" + str(space), instructions[at]),
        _as("LLVM_form_aspace_address", instructions[at + 1], instructions[at + 2]),
    )
    note = f"upstream clang: DW_OP_lit{number}, swap, xderef read as address space {space}"
    return (*instructions[:at], *formed), (note,)


def _as(name: str, *found: Instruction) -> Instruction:
    encoding = b"".join(each.encoding for each in found)
    operation = OPERATIONS[name]
    if name == "LLVM_form_aspace_address":
        operation = evolve(operation, function=_unbound_address)
    return Instruction(found[0].offset, operation, (), encoding)


def _unbound_address(ctx: Context, address: Value, space: Value) -> Location:
    """As DW_OP_LLVM_form_aspace_address, but without a lane in the context it names none.

    Clang's dialect knows no lanes, so the place can be told without one; reading it cannot.
    """
    arch = require(ctx.architecture, "target architecture")
    return memory_location(ctx, arch.address_space(space.bits), address.integer, bind_lane=False)
