"""Whether a unit can have a name at all, told from its bytes without reading its entries.

A necessary condition, so that a look-up by name parses the units that have the name and few others:
a name stands in the unit itself, or at an offset of a string section that stands in the unit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from dwarfgpu.bits import encode_uleb
from dwarfgpu.dwarf import constants as dw

if TYPE_CHECKING:
    from dwarfgpu.dwarf.info import DebugInfo
    from dwarfgpu.dwarf.unit import CompilationUnit

_STRINGS: Final = (".debug_str", ".debug_line_str")
_ELSEWHERE: Final = (".debug_str_offsets", ".debug_addr", ".gnu_debugaltlink", ".debug_sup")
"""Sections of files whose units have names in other files, or by index."""
_GNU_SKELETON: Final = encode_uleb(dw.AT_GNU_DWO_NAME)
_NAMED_ELSEWHERE: Final = tuple(
    (name, form)
    for name in (dw.AT_ABSTRACT_ORIGIN, dw.AT_SPECIFICATION)
    for form in (dw.FORM_REF_ADDR, dw.FORM_REF_SIG8, dw.FORM_INDIRECT)
)
"""Attribute and form of an abbreviation whose entries may have the name of one in another unit."""
_MOST: Final = 32
"""Places of a name that are looked for; one that ends many strings is looked for in all units."""


def mentions(info: DebugInfo, name: str) -> Callable[[CompilationUnit], bool]:
    """A test for units of a file: False only where no entry of the unit can have the name."""
    if (
        "\\" in name
        or info.suffix
        or any(info.object.has_section(section) for section in _ELSEWHERE)
    ):
        return _always
    abbreviations = info.section(".debug_abbrev")
    if _GNU_SKELETON in abbreviations:
        return _always
    is_suspect = any(bytes(pair) in abbreviations for pair in _NAMED_ELSEWHERE)
    string = name.encode("utf-8", "surrogatepass") + b"\0"
    offsets: list[int] = []
    for section in _STRINGS:
        data, at = info.section(section), -1
        while (at := data.find(string, at + 1)) >= 0:
            offsets.append(at)
            if len(offsets) > _MOST:
                return _always

    def test(unit: CompilationUnit) -> bool:
        if unit.header.kind == dw.UT_SKELETON or is_suspect and _names_elsewhere(unit):
            return True
        size_bytes, endian = unit.format.offset_size, unit.endian
        wanted = [string, *(offset.to_bytes(size_bytes, endian) for offset in offsets)]
        return any(unit.data.find(each, unit.offset, unit.end) >= 0 for each in wanted)

    return test


def _names_elsewhere(unit: CompilationUnit) -> bool:
    return any(
        (each.name, each.form) in _NAMED_ELSEWHERE
        for abbreviation in unit.abbreviations.values()
        for each in abbreviation.attributes
    )


def _always(unit: CompilationUnit) -> bool:
    return True
