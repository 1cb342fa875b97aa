"""Code object addresses that are offsets in a segment (AMD text A.2.5.4.4.3).

The text adjusts the address of DW_OP_addr and DW_OP_addrx by the distance between the link and load
address of an ELF segment. LDS, GDS and scratch memory are in no ELF segment: no loader moves them.

Law: an address counts as an offset only if the operations themselves, performed in order without a
branch, carry it to an operation that names such an address space by a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.expr import ops  # noqa: F401 - importing declares the operations
from dwarfgpu.expr.context import Context, Unit, require
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.expr.instruction import Instruction, Instructions
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.model.location import Location

LOADED_SPACES: Final = frozenset({0, 1})
"""DWARF's numbers of the address spaces into which code objects are loaded: global and generic."""
INTERPRETATION: Final = (
    "an offset in an address space that is not loaded: the load address is not added"
)

_ADDRESSES: Final = {"addr": "addr", "addrx": "addrx", "GNU_addr_index": "addrx"}
_XDEREFS: Final = frozenset({"xderef", "xderef_size", "xderef_type"})
_SPACE_NAMERS: Final = _XDEREFS | {"LLVM_form_aspace_address"}
_CONSTANTS: Final = frozenset(
    {"const1u", "const2u", "const4u", "const8u", "constu"}
    | {"const1s", "const2s", "const4s", "const8s", "consts"}
)
_MAX_INSTRUCTIONS: Final = 4096
"""Maximum length of an expression to analyse; compilers write a handful of operations."""


@frozen
class _Entry:
    """What is known of a stack entry."""

    sources: frozenset[int] = frozenset()
    """Positions of the operations whose address it is, displaced or not."""
    constant: int | None = None


_UNKNOWN: Final = _Entry()


def with_offsets(
    instructions: Instructions, is_loaded: Callable[[int], bool] = LOADED_SPACES.__contains__
) -> Instructions:
    """Return the instructions, in which addresses that are offsets in a segment are not relocated.

    `is_loaded`: whether code objects are loaded into the address space of a number.
    """
    names = {instruction.operation.name for instruction in instructions.distinct}
    if names.isdisjoint(_ADDRESSES) or names.isdisjoint(_SPACE_NAMERS):
        return instructions
    if len(instructions) > _MAX_INSTRUCTIONS:
        return instructions
    offsets = _offsets(instructions, is_loaded)
    if not offsets:
        return instructions
    return Instructions(
        _unrelocated(instruction) if position in offsets else instruction
        for position, instruction in enumerate(instructions)
    )


def has_zero_offset(instructions: Instructions, unit: Unit) -> bool:
    """Return whether an address that `with_offsets` takes for an offset is 0."""
    for instruction in instructions.distinct:
        if instruction.operation.interpretation == INTERPRETATION:
            number = _number(instruction.operands)
            is_indexed = _ADDRESSES[instruction.operation.name] == "addrx"
            if number is not None and (unit.address(number) if is_indexed else number) == 0:
                return True
    return False


def _unrelocated(instruction: Instruction) -> Instruction:
    name = instruction.operation.name
    function = addr if _ADDRESSES[name] == "addr" else addrx
    operation = evolve(OPERATIONS[name], function=function, interpretation=INTERPRETATION)
    return evolve(instruction, operation=operation)


def _offsets(instructions: Sequence[Instruction], is_loaded: Callable[[int], bool]) -> set[int]:
    """Return the positions of the addresses that end in an address space that is not loaded."""
    sources: set[int] = set()
    stack: list[_Entry] = []
    for position, instruction in enumerate(instructions):
        operation, name = instruction.operation, instruction.operation.name
        if operation.transfers or name.startswith("call"):
            break
        if name in _ADDRESSES:
            stack.append(_Entry(frozenset({position})))
        elif name in _SPACE_NAMERS:
            top, below = _popped(stack), _popped(stack)
            address, space = (top, below) if name in _XDEREFS else (below, top)
            if space.constant is not None and not is_loaded(space.constant):
                sources |= address.sources
            stack.append(_UNKNOWN)
        else:
            _perform(instruction, stack)
    return sources


def _popped(stack: list[_Entry]) -> _Entry:
    return stack.pop() if stack else _UNKNOWN


def _perform(instruction: Instruction, stack: list[_Entry]) -> None:
    """Apply an operation to the known facts about the stack."""
    operation, operands = instruction.operation, instruction.operands
    name = operation.function.__name__
    match name:
        case "lit":
            stack.append(_Entry(constant=operation.number))
        case _ if name in _CONSTANTS:
            stack.append(_Entry(constant=_number(operands)))
        case "plus_uconst" | "LLVM_offset_uconst":
            stack.append(_Entry(_popped(stack).sources))
        case "plus" | "minus" | "LLVM_offset" | "LLVM_bit_offset":
            top, below = _popped(stack), _popped(stack)
            stack.append(_Entry(below.sources | top.sources))
        case "pick" | "over":
            index = 1 if name == "over" else _number(operands) or 0
            stack.append(stack[-1 - index] if index < len(stack) else _UNKNOWN)
        case "dup" | "swap" | "rot":
            count = len(operation.pops)
            popped = [_popped(stack) for _ in range(count)][::-1]
            stack.extend(operation.function(*popped))
        case "piece" | "bit_piece" | "LLVM_piece_end":
            _popped(stack)
        case _:
            for _ in operation.pops:
                _popped(stack)
            if operation.pushes != "none":
                stack.append(_UNKNOWN)


def _number(operands: Sequence[object]) -> int | None:
    return operands[0] if operands and isinstance(operands[0], int) else None


def addr(ctx: Context, *, address: int) -> Location:
    """DW_OP_addr of an offset in a segment."""
    return _as_linked(ctx, address)


def addrx(ctx: Context, *, index: int) -> Location:
    """DW_OP_addrx of an offset in a segment."""
    return _as_linked(ctx, require(ctx.unit, "compilation unit").address(index))


def _as_linked(ctx: Context, address: int) -> Location:
    space = require(ctx.architecture, "target architecture").address_space(0)
    return memory_location(ctx, space, address)
