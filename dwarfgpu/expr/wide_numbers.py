"""Notes on numbers that are wider than their type, as `check` finds them."""

from __future__ import annotations

from itertools import islice
from typing import Final

from dwarfgpu.arch.model import Architecture
from dwarfgpu.expr.bind import Program
from dwarfgpu.expr.context import Unit
from dwarfgpu.expr.named_types import named_types
from dwarfgpu.expr.static_check.wide_operands import WITH_NUMBERS, dropped

_MAX_NOTES: Final = 4


def wide_number_notes(
    program: Program, architecture: Architecture | None, unit: Unit | None
) -> tuple[str, ...]:
    """Return a note for each of the first operations whose number is wider than its type."""
    expression, distinct = program.expression, program.instructions.distinct
    form = expression.format
    types = {} if unit is None else named_types(distinct, unit)
    narrowest = min((8 * form.address_size, *(type_.bit_size for type_ in types.values())))
    if not any(
        one.operation.function.__name__ in WITH_NUMBERS and dropped(one, narrowest) is not None
        for one in distinct
    ):
        return ()
    from dwarfgpu.expr.static_check.checker import check  # few expressions have such numbers

    findings = check(
        expression.data,
        expression.dialect,
        form,
        architecture,
        initial_stack_depth=None,
        base_types=types,
        merges_signed=True,
    )
    notes = (
        f"{finding.operation} at offset {finding.offset:#x}: {finding.message}"
        for finding in findings
        if finding.rule == "wide-number"
    )
    return tuple(islice(notes, _MAX_NOTES))
