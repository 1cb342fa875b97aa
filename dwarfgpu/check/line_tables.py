"""Line tables that cannot be read, or not to their end (DWARF 5 6.2)."""

from __future__ import annotations

from dwarfgpu.base.records import define, field
from dwarfgpu.check.entries import unit_position
from dwarfgpu.check.finding import Finding, FindingPosition, Findings
from dwarfgpu.check.headers import line_address_size
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed


@define
class LineChecker:
    """The line tables of a file; units may share them."""

    findings: Findings
    _checked: set[tuple[int, int]] = field(init=False, factory=set)
    """The sections and the offset of each table that was checked."""

    def check(self, unit: CompilationUnit) -> None:
        """Report why the table of a unit, or its program, cannot be read."""
        try:
            attribute = unit.root.attribute(dw.AT_STMT_LIST)
        except DwarfGpuError:
            return  # reported when the unit itself is read
        offset = None if attribute is None else attribute.raw
        if not isinstance(offset, int) or (id(unit.sections), offset) in self._checked:
            return
        self._checked.add((id(unit.sections), offset))
        if line_address_size(unit, offset) not in (None, unit.format.address_size):
            return  # reported with the headers
        try:
            table = unit.line_table
            problem = None if table is None else table.first_problem()
        except DwarfGpuError as error:
            problem = error
        if problem is None:
            return
        if not isinstance(problem, Malformed | IllFormed):
            self.findings.skip(problem)
            return
        rule = RULES["unreadable-line-table"]
        own = unit_position(unit)
        position = FindingPosition(
            ".debug_line", offset, "line table", unit=own.name, file=own.file, source=own.source
        )
        message = problem.message if problem.context is None else str(problem)
        self.findings.add(Finding(rule.severity, rule.name, message, rule.section, position))
