"""The effect of operations that occur again, from that of their first occurrence.

Law: what an operation pushes depends on the entries that it pops alone, unless its declaration
takes the whole stack; an effect with a report is not kept.
"""

from __future__ import annotations

from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.expr.instruction import Instructions
from dwarfgpu.expr.static_check.abstract_stack import CALLS, Transfer
from dwarfgpu.expr.static_check.abstract_value import Known
from dwarfgpu.expr.static_check.severity import Report, Severity
from dwarfgpu.expr.static_check.stack_shape import Shape
from dwarfgpu.expr.steps import Perform

_KEPT = 4096
"""Effects that are kept at the same time."""


class RepeatedEffects:
    """The effects of the instructions of one expression."""

    def __init__(self, transfer: Transfer, instructions: Instructions) -> None:
        self._transfer = transfer
        self._instructions = instructions
        self._pops = [
            None
            if "stack" in instruction.operation.leading
            or instruction.operation.function.__name__ in CALLS
            else len(instruction.operation.pops)
            for instruction in instructions.distinct
        ]
        self._effects = KeptAnswers[tuple[int, ...], tuple[tuple[Known, ...], tuple[Known, ...]]](
            _KEPT
        )
        """What is popped, which keeps the entries in the key alive, and what is pushed."""

    def after(self, index: int, perform: Perform, shape: Shape, report: Report) -> Shape | None:
        """Return the stack after an instruction, as `Transfer` gives it."""
        number = self._instructions.order[index]
        pops = self._pops[number]
        if pops is None or pops > len(shape.top):
            return self._transfer(self._instructions[index], perform, shape, report)
        split = len(shape.top) - pops
        popped = shape.top[split:]
        key = (number, *map(id, popped))
        kept = self._effects.get(key)
        rest = Shape(shape.top[:split], shape.least, shape.most) if pops else shape
        if kept is not None:
            return rest.pushed(*kept[1])
        is_quiet = True

        def noted(severity: Severity, rule: str, message: str) -> None:
            nonlocal is_quiet
            is_quiet = False
            report(severity, rule, message)

        after = self._transfer(self._instructions[index], perform, shape, noted)
        if after is not None and is_quiet:
            pushed = after.least_depth - rest.least_depth
            if 0 <= pushed <= len(after.top):
                self._effects[key] = popped, after.top[len(after.top) - pushed :]
        return after
