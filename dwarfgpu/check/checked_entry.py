"""One CIE or FDE that is being checked: how findings name it and show its instructions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import frozen
from dwarfgpu.cfi.decode import CfaProgram
from dwarfgpu.cfi.entry import Cie, Fde
from dwarfgpu.cfi.rule import Row
from dwarfgpu.cfi.text import instruction_text, program_text, register_name
from dwarfgpu.check.finding import AROUND, Excerpt, Finding, FindingPosition, Findings, excerpt
from dwarfgpu.check.functions_by_address import Functions
from dwarfgpu.check.rules import RULES
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.static_check.severity import Severity
from dwarfgpu.expr.text.assembly import expression_text

_FEW: Final = 64
"""Instructions that are shown with the locations at which rows start."""
FORM: Final = UnitFormat()


@frozen(slots=False)
class CheckedEntry:
    """An entry of a section of call frame information."""

    section: str
    entry: Cie | Fde
    dialect: Dialect
    functions: Functions
    findings: Findings

    @cached_property
    def program(self) -> CfaProgram:
        """Its instructions, which most findings do not need."""
        return self.entry.program

    def position_of(self, row: Row | None = None) -> FindingPosition:
        """Return the entry, or one of its rows."""
        entry = self.entry
        if isinstance(entry, Cie):
            return FindingPosition(self.section, entry.offset, "CIE")
        span = (entry.initial_location, entry.end) if row is None else (row.start, row.end)
        name = self.functions.name_at(entry.initial_location)
        source = partial(self.functions.source_at, span[0])
        return FindingPosition(self.section, entry.offset, "FDE", name, span=span, source=source)

    def register(self, number: int) -> str:
        return register_name(number, self.program.format.architecture)

    def shown(self, marked: int | None = None) -> Callable[[], Excerpt]:
        """Return what makes the instructions around one of them text: most findings are only
        counted."""
        return partial(self._excerpt, marked)

    def _excerpt(self, marked: int | None) -> Excerpt:
        instructions, form = self.program.instructions, self.program.format
        offset = None
        if marked is not None and marked < len(instructions):
            offset = instructions[marked].offset
        if len(instructions) <= _FEW:
            location = None if isinstance(self.entry, Cie) else self.entry.initial_location
            texts = program_text(self.program, location, self._text)
            steps = [step.removesuffix(":") for step in texts]
        else:
            middle = marked or 0
            neighbours = range(max(middle - AROUND, 0), min(middle + AROUND + 1, len(instructions)))
            steps = [""] * len(instructions)
            for index in neighbours:
                text = instruction_text(instructions[index], form, None, self._text)
                steps[index] = text.removesuffix(":")
        if marked is None or marked < len(steps):
            while steps and steps[-1] == "DW_CFA_nop" and len(steps) - 1 != marked:
                steps.pop()  # padding
        return excerpt(steps, marked, offset)

    def _text(self, data: bytes) -> str:
        architecture = self.program.format.architecture
        return f"({expression_text(data, self.dialect, FORM, architecture)})"

    def shown_rule(self, register: int, row: Row, *, cfa: bool = False) -> Callable[[], Excerpt]:
        """Return what makes the instructions text around the one that gave a register its rule in a
        row, or based the CFA on it."""
        return lambda: self._excerpt(self._defining(register, row, is_cfa=cfa))

    def _defining(self, register: int, row: Row, *, is_cfa: bool) -> int | None:
        """Return the last such instruction before the row; None if the rule is the CIE's."""
        last = None
        location = None if isinstance(self.entry, Cie) else self.entry.initial_location
        for index, instruction in enumerate(self.program.instructions):
            location = instruction.location_after(location, self.program.format)
            if location is not None and location > row.start:
                break
            defines_cfa = "def" in instruction.operation.name.split("_")
            if defines_cfa is is_cfa and register in instruction.operands[:1]:
                last = index
        return last

    def report(
        self,
        rule: str,
        message: str,
        *,
        row: Row | None = None,
        shown: Excerpt | Callable[[], Excerpt] | None = None,
        severity: Severity | None = None,
        section: str | None = None,
    ) -> None:
        """Add a finding about the entry."""
        rule_severity = RULES[rule]
        severity, section = severity or rule_severity.severity, section or rule_severity.section
        position = partial(self.position_of, row)
        self.findings.add(Finding(severity, rule, message, section, position, shown))
