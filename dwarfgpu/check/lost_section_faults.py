"""Sections that a damaged file loses (DWARF 5 7.3: consumers find sections by their names)."""

from __future__ import annotations

from dwarfgpu.check.finding import Finding, FindingPosition, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.lost_sections import unloaded_sections, unnamed_sections


def check_lost_sections(file: ObjectFile, info: DebugInfo, findings: Findings) -> None:
    """Report sections of a file, and of the one with its debug information, that have no name or
    are not loaded; without units, the former are among the problems of `info`."""
    faults = [unloaded_sections(file)]
    if info.units:
        faults += map(unnamed_sections, dict.fromkeys((file, info.object)))
    for fault in filter(None, faults):
        _report(fault, findings)


def _report(fault: DwarfGpuError, findings: Findings) -> None:
    rule, position = RULES["lost-section"], FindingPosition("section table", 0, "file")
    findings.add(Finding(rule.severity, rule.name, fault.message, rule.section, position))


__all__ = ["check_lost_sections"]
