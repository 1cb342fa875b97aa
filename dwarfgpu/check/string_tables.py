"""Tables of the strings of a unit, and strings, that were overwritten with zeros (DWARF 5 7.26):
producers write each string once, so that at most one index is of offset 0, and one string is empty.

Law: what units share is checked once.
"""

from __future__ import annotations

from contextlib import suppress

from dwarfgpu.base.records import define, field
from dwarfgpu.check.entry_positions import unit_position
from dwarfgpu.check.finding import Finding, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.sections import Sections
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError


@define(eq=False)
class StringTables:
    """The tables of a file."""

    findings: Findings
    _checked: set[tuple[int, str]] = field(init=False, factory=set)
    """The sections and the fault of each table that was reported."""
    _files: set[tuple[int, str]] = field(init=False, factory=set)
    """The files and the suffixes of the strings that were checked."""

    def check(self, unit: CompilationUnit) -> None:
        """Report several indexes of the table of a unit that lead to one string at offset 0."""
        try:
            if not (unit.is_split or unit.root.has(dw.AT_STR_OFFSETS_BASE)):
                return
            fault = unit.tables.zeros_of_strings
        except DwarfGpuError:
            return  # reported with the headers, or with the attributes that need it
        if fault and (key := (id(unit.sections), fault)) not in self._checked:
            self._checked.add(key)
            self._add(unit, fault)

    def check_sections(self, unit: CompilationUnit) -> None:
        """Report empty strings beside one another in the sections of a unit."""
        own = unit.sections
        if self._is_new(own):
            for section in (".debug_str", ".debug_line_str"):
                self._check_section(unit, own, section)
            with suppress(DwarfGpuError):  # reported with the attributes that need it
                shared = unit.info.supplementary.sections
                if self._is_new(shared):
                    self._check_section(unit, shared, ".debug_str")

    def _is_new(self, sections: Sections) -> bool:
        """Return whether the strings of these sections were not checked before."""
        key = (id(sections.object), sections.suffix)
        is_new = key not in self._files
        self._files.add(key)
        return is_new

    def _check_section(self, unit: CompilationUnit, sections: Sections, section: str) -> None:
        try:
            fault = sections.overwritten(section)
        except DwarfGpuError:
            return  # reported with the attributes that need it
        if fault is not None:
            other = "" if sections is unit.sections else f"{sections.path}: "
            self._add(unit, f"{other}{fault.message}")

    def _add(self, unit: CompilationUnit, fault: str) -> None:
        rule, message = RULES["repeated-string"], f"{fault}: names may be damaged"
        position = unit_position(unit)
        self.findings.add(Finding(rule.severity, rule.name, message, rule.section, position))


__all__ = ["StringTables"]
