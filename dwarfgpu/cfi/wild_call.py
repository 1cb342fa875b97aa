"""The frame of a call that led to where no code is, as through a null or damaged pointer.

No instruction was executed there, so that every register is as the call left it.
"""

from __future__ import annotations

from dwarfgpu.arch.model import Architecture
from dwarfgpu.cfi.frame_row import FrameRow
from dwarfgpu.cfi.instructions import RA_SIGN_STATE
from dwarfgpu.cfi.rule import Architectural, OffsetRule, RegisterCfa, Rule, SameValueRule


def row_after_call(architecture: Architecture) -> FrameRow | None:
    """Return the rules that hold right after a call, by the ABI; None where it has no stack pointer
    or return address."""
    stack, counter = architecture.stack_pointer, architecture.program_counter
    column = architecture.return_address_register
    if stack is None or counter is None or column is None:
        return None
    same = SameValueRule()
    rules: dict[int, Rule] = {
        number: same for number in architecture.registers if number not in (stack, counter)
    }
    if RA_SIGN_STATE in rules and architecture.code_mask is not None:
        rules[RA_SIGN_STATE] = Architectural("RA_SIGN_STATE", 0)  # a call signs nothing
    if column != counter:  # the call leaves it in a register
        return FrameRow(RegisterCfa(stack, 0), rules, column)
    word_bytes = architecture.address_bits // 8
    rules[counter] = OffsetRule(-word_bytes)
    return FrameRow(RegisterCfa(stack, word_bytes), rules, column)
