"""Operands that make an operation ill-formed, whatever the stack is."""

from __future__ import annotations

from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.errors import counted
from dwarfgpu.expr.instruction import Instruction
from dwarfgpu.expr.operation import Operation
from dwarfgpu.expr.static_check.piece_effects import piece_bits

DEEPEST: Final = 8
"""Expressions within one another that are looked into."""
_READS_OF_SIZE: Final = ("deref_size", "xderef_size", "standard_deref_size")
_ASPACE_BASES: Final = ("LLVM_aspace_bregx", "aspace_bregx")


def wrong_operands(
    instruction: Instruction, arch: Architecture | None, generic_bytes: int
) -> tuple[str, str] | None:
    """Return the rule, and why the operands make the operation ill-formed; None if they do not."""
    operation, operands = instruction.operation, instruction.operands
    name = operation.function.__name__
    if name in _READS_OF_SIZE and operands[0] == 0:
        return "empty-read", "a size of 0 bytes: no base type has it"
    if name == "standard_deref_size":
        from dwarfgpu.expr.dialect.dwarf6 import why_too_large  # few expressions are of DWARF 6

        (size,) = operands
        assert isinstance(size, int)
        why = why_too_large(size, generic_bytes)
        if why is not None:
            return "wrong-kind", why
    if name in ("LLVM_extend", "LLVM_select_bit_piece"):
        size, count = operands
        assert isinstance(size, int) and isinstance(count, int)
        if size == 0 or count == 0:
            elements = counted(count, "element")
            return "empty-composite", f"{elements} of {counted(size, 'bit')}: neither may be 0"
        if arch is not None and size * count > arch.largest_space_bits:
            message = f"a composite of {size * count} bits is larger than the largest address space"
            return "large-composite", message
    if arch is None:
        return None
    size_bits = piece_bits(instruction)
    if size_bits > arch.largest_space_bits:
        message = f"a part of {size_bits} bits is larger than the largest address space"
        return "large-composite", message
    register = named_register(instruction)
    if register is None:
        return None
    if register not in arch.registers:
        return "unknown-register", arch.undefined_registers(register)
    info = arch.registers[register]
    if (
        reads_base_register(operation)
        and name not in _ASPACE_BASES
        and info.is_narrower(arch.address_bits)
    ):
        return (
            "narrow-base-register",
            f"register {info} of {info.size_bits} bits is narrower than "
            f"the {arch.address_bits}-bit addresses of the default address space",
        )
    return None


def reads_base_register(operation: Operation) -> bool:
    """Return whether it reads an address from a register (A.2.5.4.4.3), also where a dialect may
    not."""
    if operation.pushes == "value":
        return False  # upstream clang's, read as the focused lane's dword
    return operation.name in _ASPACE_BASES or operation.name.startswith("breg")


def named_register(instruction: Instruction) -> int | None:
    """Return the register that the operation names."""
    operation = instruction.operation
    if operation.function.__name__ in ("reg", "breg"):
        return operation.number
    for info, operand in zip(operation.operands, instruction.operands, strict=True):
        if info.codec.meaning == "register" and isinstance(operand, int):
            return operand
    return None
