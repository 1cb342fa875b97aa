"""Notes on vector registers that an expression reads without naming a lane (A.2.5.4.4.4).

Read literally, DW_OP_regx of a vector register is the register from its first bit on: a variable
smaller than the register has the bits of lane 0, whichever lane is in focus. A producer that means
each lane's own bits adds LLVM_push_lane. The note warns about the literal reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dwarfgpu.arch.amdgpu import VECTOR_REGISTERS
from dwarfgpu.arch.model import Architecture
from dwarfgpu.expr.instruction import Instruction

_OF_LANES: Final = frozenset(
    {"LLVM_push_lane", "push_lane", "LLVM_extend", "LLVM_select_bit_piece"}
)
"""Operations with which an expression says itself what each lane has."""
_MAX_INSTRUCTIONS: Final = 4096


def lane_zero_notes(
    instructions: Sequence[Instruction], size_bits: int | None, architecture: Architecture
) -> tuple[str, ...]:
    """Return a note for each vector register whose first bits every lane gets.

    `size_bits`: size of the object; None if unknown.
    """
    if not architecture.is_simt or len(instructions) > _MAX_INSTRUCTIONS:
        return ()
    if any(
        instruction.operation.transfers or instruction.operation.name in _OF_LANES
        for instruction in instructions
    ):
        return ()
    names = dict.fromkeys(_registers(instructions, size_bits, architecture))
    return tuple(
        f"{operation} of the vector register {name} names no lane: read by the letter, it "
        "begins with lane 0's dword for every lane"
        for operation, name in names
    )


def _registers(
    instructions: Sequence[Instruction], size_bits: int | None, architecture: Architecture
) -> Iterator[tuple[str, str]]:
    """Yield the operation and the name of each register."""
    for position, instruction in enumerate(instructions):
        operation, number = (
            instruction.operation,
            instruction.operands[0] if instruction.operands else None,
        )
        if number not in VECTOR_REGISTERS or operation.interpretation is not None:
            continue
        register = architecture.registers.get(number) if isinstance(number, int) else None
        if register is None:
            continue
        match operation.name:
            case "regx":
                following = instructions[position + 1 : position + 2]
                bits = _bits_used(following, size_bits)
                if bits is not None and bits < register.size_bits:
                    yield operation.title, register.name
            case "bregx" | "regval_type":
                yield operation.title, register.name


def _bits_used(following: Sequence[Instruction], size_bits: int | None) -> int | None:
    """Return how many bits of a register, from its first, are used; None if it may be others."""
    if not following:
        return 0 if size_bits is None else size_bits
    name, operands = following[0].operation.name, following[0].operands
    size = operands[0] if operands and isinstance(operands[0], int) else 0
    match name:
        case "piece" | "deref_size":
            return 8 * size
        case "bit_piece":
            return size if not operands[1] else None
        case "deref" | "deref_type":
            return 0
        case _:
            return None
