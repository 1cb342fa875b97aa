"""Numbers in expressions that are wider than their type, so that only their low bits count.

The generic type has the size of an address (DWARF 5 2.5.1): on machines of 32 bits, producers write
numbers of 64 bits that it cannot hold. DW_OP_plus_uconst has the type of its entry.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.expr.instruction import Instruction

_GENERIC: Final = frozenset(
    {"constu", "consts", "LLVM_offset_uconst", "bit_piece"}
    | {f"const{size}{sign}" for size in (1, 2, 4, 8) for sign in "us"}
)
"""Functions of the operations whose last operand has the generic type."""
_OF_ENTRY: Final = "plus_uconst"
WITH_NUMBERS: Final = _GENERIC | {_OF_ENTRY}
"""Functions of all of these operations."""


def dropped_from_generic(instruction: Instruction, address_bytes: int) -> str | None:
    """Return which bits an operation drops from a number of the generic type; None if it drops
    none, or has no such number."""
    if instruction.operation.function.__name__ not in _GENERIC:
        return None
    return dropped(instruction, 8 * address_bytes)


def dropped_from_entry(instruction: Instruction, type_: BaseType) -> str | None:
    """Return which bits an operation drops from a number that has the type of the entry; None if it
    drops none, or has no such number."""
    if instruction.operation.function.__name__ != _OF_ENTRY or not type_.is_integral:
        return None
    return dropped(instruction, type_.bit_size)


def dropped(instruction: Instruction, bits: int) -> str | None:
    """Return which bits of its last operand a type with a number of bits cannot hold."""
    number = instruction.operands[-1]
    if not isinstance(number, int) or -1 << bits - 1 <= number < 1 << bits:
        return None
    needed = number.bit_length() if number >= 0 else (~number).bit_length() + 1
    return f"a number of {needed} bits: its low {bits} bits are used"
