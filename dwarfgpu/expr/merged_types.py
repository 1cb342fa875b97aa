"""Operands of a signed base type and the generic type that count as one type.

DWARF 5 2.5.1.4 and 2.5.1.5 require both operands of an operation to have one type. Clang computes
with a base type and literals, which are of the generic type; GDB's generic type is the signed
integer with the size of an address, and one with a signed base type of that size.
`Context.merges_signed` selects that reading; the result has the base type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.instruction import Instruction


def merged_type_notes(
    program: Program,
    architecture: Architecture | None,
    base_type: Callable[[int], BaseType],
) -> tuple[str, ...]:
    """Return a note on each base type that is merged with the generic type, if a context does it.

    `base_type` returns that of the unit at an offset.
    """
    expression = program.expression
    distinct = program.instructions.distinct
    if not expression.dialect.is_of_compilers or not any(
        instruction.operation.is_of_one_type for instruction in distinct
    ):
        return ()
    try:
        types = {offset: base_type(offset) for offset in _type_offsets(distinct)}
    except DwarfGpuError:  # the evaluation reports it
        return ()
    if not types:
        return ()
    from dwarfgpu.expr.static_check.checker import check  # few expressions have types

    findings = check(
        expression.data,
        expression.dialect,
        expression.format,
        architecture,
        initial_stack_depth=None,
        base_types=types,
        merges_signed=True,
    )
    notes = {
        f"{finding.message}, as clang means them and GDB reads them; --strict refuses them": None
        for finding in findings
        if (finding.rule, finding.severity) == ("mixed-types", "note")
    }
    return tuple(notes)


def _type_offsets(instructions: Iterable[Instruction]) -> Iterator[int]:
    """Yield the offsets in the unit of the base types that instructions name."""
    for instruction in instructions:
        for info, operand in zip(instruction.operation.operands, instruction.operands, strict=True):
            if info.codec.meaning == "type" and isinstance(operand, int) and operand:
                yield operand
