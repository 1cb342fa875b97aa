"""Source lines of findings: of entries, and of call frame information.

Law: positions are looked up for findings only, and unreadable ones are omitted: a position adds to
a finding, and errors in its section are findings of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.check.finding import SourcePosition
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.line.file_table import joined
from dwarfgpu.dwarf.line.line_lookup import LineLookup
from dwarfgpu.dwarf.scope.scope_entries import decl_file, decl_line
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_DEEPEST: Final = 32
"""Maximum number of enclosing entries to search for a line: no file can make each finding slow."""


def declaration_of(die: Die) -> SourcePosition | None:
    """Return the declaration of an entry, or of the nearest enclosing one with a line; else the
    file of the unit. None if nothing is known."""
    try:
        for outer_die in _outwards(die):
            line = decl_line(outer_die)
            file = decl_file(outer_die) if line else None
            if line and file is not None:
                return SourcePosition(file.path, line)
    except DwarfGpuError:
        pass
    return file_of(die.unit)


def file_of(unit: CompilationUnit) -> SourcePosition | None:
    """Return the source file of a unit, without a line."""
    try:
        name = unit.name
        folder = unit.root.string(dw.AT_COMP_DIR) or ""
    except DwarfGpuError:
        return None
    return SourcePosition(joined(folder, name)) if name else None


def line_of(lines: LineLookup, pc: int) -> SourcePosition | None:
    """Return the line of a program location, as loaded; None if unknown."""
    try:
        line_info = lines.line_of(pc)
        return None if line_info is None else SourcePosition(line_info.file.path, line_info.line)
    except DwarfGpuError:
        return None


def _outwards(die: Die) -> Iterator[Die]:
    """Yield the entry, and the nearest ones around it."""
    entry: Die | None = die
    for _ in range(_DEEPEST):
        if entry is None:
            return
        yield entry
        entry = entry.parent()
