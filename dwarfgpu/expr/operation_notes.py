"""What the result of given operations assumes, in a context."""

from __future__ import annotations

from typing import Final

from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.dialect.upstream_clang import DescribesFrameBase, notes_that_hold
from dwarfgpu.expr.dialect.vgpr_contents import assumption_notes
from dwarfgpu.expr.lane_zero import lane_zero_notes
from dwarfgpu.expr.narrow_bases import narrow_base_notes
from dwarfgpu.expr.wide_numbers import wide_number_notes

_WHOLE_BITS: Final = 1 << 64
"""The size of an object without a type: a register is one whole."""


def operation_notes(
    program: Program, context: Context, frame: DescribesFrameBase
) -> tuple[str, ...]:
    """Return the assumptions of an evaluation, which are the same in every front end."""
    instructions, dialect = program.instructions, program.expression.dialect
    architecture = context.architecture
    notes = notes_that_hold(program.notes, frame)
    notes += wide_number_notes(program, architecture, context.unit)
    if context.lane is not None and architecture is not None:
        notes += lane_zero_notes(instructions, _WHOLE_BITS, architecture)
    notes += assumption_notes(instructions, context.vgpr_holds, architecture)
    if context.widens_bases:
        notes += narrow_base_notes(instructions, architecture, dialect)
    if context.merges_signed and context.unit is not None:
        from dwarfgpu.expr.merged_types import merged_type_notes  # few commands name a unit

        notes += merged_type_notes(program, architecture, context.unit, context.pc)
    return notes
