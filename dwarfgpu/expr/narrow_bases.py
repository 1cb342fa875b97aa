"""Scalar registers narrower than an address, used as its base (AMD text A.2.5.4.4.3).

By the text DW_OP_bregx of a 32-bit SGPR is an evaluation error: the register lacks bits of the
address. Compilers write it, and mean the zero-extended register, as ROCgdb reads it.
`Context.widens_bases` selects that reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.arch.model import Architecture, RegisterInfo
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.ops.memory import is_narrow_base

_MAX_INSTRUCTIONS: Final = 4096
_WIDE_SPACES: Final = ("lit0", "lit1")
"""What pushes the number of an address space of 64 bits: global, generic."""


def narrow_base_notes(
    instructions: Sequence[Instruction], architecture: Architecture | None, dialect: Dialect
) -> tuple[str, ...]:
    """Return a note on each register that is extended by zeros, where bases are widened."""
    if architecture is None or not dialect.is_of_compilers:
        return ()
    if len(instructions) > _MAX_INSTRUCTIONS:
        return ()
    notes: dict[str, None] = {}
    for position, instruction in enumerate(instructions):
        number = instruction.operands[0] if instruction.operands else None
        before = instructions[position - 1].operation.name if position else ""
        is_wide = instruction.operation.name == "bregx" or (
            instruction.operation.name == "LLVM_aspace_bregx" and before in _WIDE_SPACES
        )
        register = architecture.registers.get(number) if isinstance(number, int) else None
        if not is_wide or register is None or instruction.operation.interpretation is not None:
            continue
        if is_narrow_base(register, architecture.address_bits):
            notes[_note(instruction.operation.title, register)] = None
    return tuple(notes)


def _note(title: str, register: RegisterInfo) -> str:
    return (
        f"{title} of {register} with {register.size_bits} bits: extended by zeros to an address, "
        "as compilers mean it; --strict reads it by the letter"
    )
