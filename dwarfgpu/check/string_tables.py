"""Tables of the strings of a unit, and strings, that were overwritten with zeros (DWARF 5 7.26):
producers write each string once, so that at most one index is of offset 0, and one string is empty.

Law: what units share is checked once.
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
_ZEROS: Final = bytes(8)
"""More empty strings beside one another than a linker that keeps all strings leaves."""


@define(eq=False)
class StringTables:
    """The tables of a file."""

    findings: Findings
    _checked: set[tuple[int, int]] = field(init=False, factory=set)
    """The sections and the offset of each table that was checked."""
    _files: set[tuple[int, str]] = field(init=False, factory=set)
    """The files and the suffixes of the strings that were checked."""

    def check(self, unit: CompilationUnit) -> None:
        """Report several indexes of the table of a unit that lead to one string at offset 0, and
        empty strings beside one another."""
        self._check_strings(unit)
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
        shown = f".debug_str_offsets{unit.sections.suffix}"
        name = short_name(printable(first))
        self._add(
            unit, f'{zeros} entries of {shown}+{base:#x} are 0, which is the offset of "{name}"'
        )

    def _check_strings(self, unit: CompilationUnit) -> None:
        key = (id(unit.sections.object), unit.sections.suffix)
        if key in self._files:
            return
        self._files.add(key)
        for section in (".debug_str", ".debug_line_str"):
            try:
                data = unit.sections.section(section)
            except DwarfGpuError:
                continue  # reported with the attributes that need it
            begin = data.find(_ZEROS)
            rest = data[begin:].lstrip(b"\0") if begin >= 0 else b""
            if rest:  # zeros at the end may be padding
                shown, size_bytes = (
                    f"{section}{unit.sections.suffix}",
                    len(data) - begin - len(rest),
                )
                self._add(unit, f"{size_bytes} bytes of strings at {shown}+{begin:#x} are 0")

    def _add(self, unit: CompilationUnit, fault: str) -> None:
        rule, message = RULES["repeated-string"], f"{fault}: names may be damaged"
        position = unit_position(unit)
        self.findings.add(Finding(rule.severity, rule.name, message, rule.section, position))


__all__ = ["StringTables"]
