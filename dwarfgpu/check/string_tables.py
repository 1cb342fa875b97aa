"""Tables of the strings of a unit that were overwritten with zeros (DWARF 5 7.26): producers write
each string once, so that at most one index is of offset 0.

Law: a table that units share is checked once.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.printable import printable, short_name
from dwarfgpu.base.records import define, field
from dwarfgpu.check.entry_positions import unit_position
from dwarfgpu.check.finding import Finding, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_VERSION: Final = 5
"""The first version of DWARF with such tables; GNU's before it have no header."""


@define(eq=False)
class StringTables:
    """The tables of a file."""

    findings: Findings
    _checked: set[tuple[int, int]] = field(init=False, factory=set)
    """The sections and the offset of each table that was checked."""

    def check(self, unit: CompilationUnit) -> None:
        """Report several indexes of the table of a unit that lead to one string at offset 0."""
        if unit.format.version < _VERSION:
            return
        try:
            if not (unit.is_split or unit.root.has(dw.AT_STR_OFFSETS_BASE)):
                return
            base, table = unit.tables.string_table
            key = (id(unit.sections), base)
            first = b"" if key in self._checked else unit.sections.string(".debug_str", 0)
        except DwarfGpuError:
            return  # reported with the headers, or with the attributes that need it
        self._checked.add(key)
        offsets = memoryview(table).cast("Q" if unit.format.offset_size == 8 else "I")
        zeros = offsets.tolist().count(0)
        if not first or zeros < 2:
            return
        rule, shown = RULES["repeated-string"], f".debug_str_offsets{unit.sections.suffix}"
        message = (
            f"{zeros} entries of {shown}+{base:#x} are 0, which is the offset of "
            f'"{short_name(printable(first))}": names may be damaged'
        )
        position = unit_position(unit)
        self.findings.add(Finding(rule.severity, rule.name, message, rule.section, position))


__all__ = ["StringTables"]
