"""Source languages, by GDB's names for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.session.session import Session

if TYPE_CHECKING:
    from dwarfgpu.dwarf.line.line_unit import LineUnit

_NAMES_OF_GDB: Final = {
    "assembly": "asm", "mips assembler": "asm", "modula2": "modula-2", "objc": "objective-c",
    "pascal83": "pascal",
}  # fmt: skip
"""Where they are not those of DWARF in small letters."""


def language_of(unit: LineUnit) -> str:
    """Return GDB's name of the language; DWARF's if it has none."""
    if unit.language in dw.C:
        return "c"
    if unit.is_cplusplus:
        return "c++"
    if unit.style != "c":
        return unit.style
    from dwarfgpu.service.file.file_report import LANGUAGES  # few units are in another language

    if unit.language is None:
        return "unknown"
    name = LANGUAGES.get(unit.language, "unknown").lower()
    return _NAMES_OF_GDB.get(name, name)


def frame_language(session: Session) -> str | None:
    """Return the language of the frame in focus, without one that of `main`; None if unknown."""
    try:
        unit = session.unit
        return None if unit is None else language_of(unit)
    except DwarfGpuError:
        return None
