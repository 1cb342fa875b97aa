"""The base types that the operations of an expression name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import Unit
from dwarfgpu.expr.instruction import Instruction


def named_types(instructions: Iterable[Instruction], unit: Unit) -> dict[int, BaseType]:
    """Return the base types by their offsets in the unit, without those that cannot be read, which
    an evaluation reports."""
    types: dict[int, BaseType] = {}
    for offset in _offsets(instructions):
        try:
            types[offset] = unit.base_type(offset)
        except DwarfGpuError:
            continue
    return types


def _offsets(instructions: Iterable[Instruction]) -> Iterator[int]:
    for instruction in instructions:
        for info, operand in zip(instruction.operation.operands, instruction.operands, strict=True):
            if info.codec.meaning == "type" and isinstance(operand, int) and operand:
                yield operand
