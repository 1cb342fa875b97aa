"""Units that describe functions and lines, but no variables: of `gcc -g1`, of
`clang -gline-tables-only`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_WITH_VALUES: Final = DATA | {dw.TAG_BASE_TYPE}
"""What every unit with variables, or with functions that return something, has."""


def no_variables(units: Iterable[CompilationUnit]) -> str:
    """Return that none of the units has a variable, as one with line tables only; empty if there is
    no unit but those of assembly, which have none with any option, or one may have a variable."""
    subject = ""
    for unit in units:
        try:
            full = unit.full  # a skeleton has no variables, and its split unit may be missing
            if not full.tags.isdisjoint(_WITH_VALUES):
                return ""
            if full.language == dw.LANG_MIPS_ASSEMBLER:
                continue
            name = full.root.name or "without a name"
        except DwarfGpuError:
            return ""
        subject = "The units describe" if subject else f"The unit {name} describes"
    return subject and f" {subject} no variables, as with line tables only; compile with -g"
