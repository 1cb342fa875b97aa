"""The languages of partial units, which dwz writes without DW_AT_language: those of the units that
import them (DWARF 5 3.2.5), as in GDB.

Law: a unit that units of several languages import, itself or with another one, has what they have
in common; one that is imported by it alone has the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import FORMS
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_walk import walk
from dwarfgpu.errors import DwarfGpuError

_FAMILIES: Final = ((dw.CPLUSPLUS - dw.OPENCL, dw.LANG_C_PLUS_PLUS), (dw.C, dw.LANG_C))
"""The codes of the editions of a language, and the one without an edition."""


def languages_of_partial_units(
    units: Iterable[CompilationUnit],
) -> dict[CompilationUnit, int | None]:
    """Return the DW_LANG codes of the partial units that the units of a file import, also those of
    its supplementary file; None where the importing ones differ.

    A unit is followed once more where another language reaches it: that happens twice at most.
    """
    own: dict[CompilationUnit, int | None] = {}  # many skeletons may have one full unit
    for unit in units:
        with suppress(DwarfGpuError):
            own[unit.full] = unit.full.root.integer(dw.AT_LANGUAGE)
    pending: deque[tuple[CompilationUnit, int | None]]
    pending = deque((unit, language) for unit, language in own.items() if language is not None)
    languages: dict[CompilationUnit, int | None] = {}
    while pending:
        unit, language = pending.popleft()
        for imported in _imports(unit):
            known = languages.get(imported, language)
            common = _in_common(known, language)
            if imported not in languages or common != known:
                languages[imported] = common
                pending.append((imported, common))
    return languages


def _imports(unit: CompilationUnit) -> Iterator[CompilationUnit]:
    """Yield the partial units without a language that a unit itself imports.

    dwz writes the imports before all other entries: only they are read, because the language is
    asked for where nothing else of thousands of units is. What cannot be read imports nothing.
    """
    with suppress(DwarfGpuError):
        rows = walk(unit.data, unit.header.entries_at, unit.end, unit.abbreviations)
        next(rows, None)
        for _, shape, values in rows:
            if shape.tag != dw.TAG_IMPORTED_UNIT:
                return
            position = shape.positions.get(dw.AT_IMPORT)
            if position is None:
                continue
            kind, raw = FORMS[shape.attributes[position].form][0], values[position]
            with suppress(DwarfGpuError):
                is_beyond = kind == "supplementary_reference"
                info = unit.info.supplementary if is_beyond else unit.info
                target = info.unit_at(raw) if isinstance(raw, int) else None
                if target is None or target.root.tag != dw.TAG_PARTIAL_UNIT:
                    continue
                if not target.root.has(dw.AT_LANGUAGE):
                    yield target


def _in_common(one: int | None, other: int | None) -> int | None:
    """Return what two languages have in common: C++ of C++ 14 and C++ 17; None for nothing."""
    if one == other:
        return one
    return next((code for codes, code in _FAMILIES if {one, other} <= codes), None)
