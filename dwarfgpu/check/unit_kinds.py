"""Headers of units against their entries: the unit's own entry, and the type of a type unit (DWARF
5 3.1, 7.5.1)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from dwarfgpu.check.entry_positions import unit_position
from dwarfgpu.check.finding import Finding, Findings
from dwarfgpu.check.rules import RULES
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import read_uleb
from dwarfgpu.dwarf.reference_targets import tag_name
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError

_KINDS: Final[Mapping[int, tuple[str, int]]] = {
    dw.UT_COMPILE: ("DW_UT_compile", dw.TAG_COMPILE_UNIT),
    dw.UT_TYPE: ("DW_UT_type", dw.TAG_TYPE_UNIT),
    dw.UT_PARTIAL: ("DW_UT_partial", dw.TAG_PARTIAL_UNIT),
    dw.UT_SKELETON: ("DW_UT_skeleton", dw.TAG_SKELETON_UNIT),
    dw.UT_SPLIT_COMPILE: ("DW_UT_split_compile", dw.TAG_COMPILE_UNIT),
    dw.UT_SPLIT_TYPE: ("DW_UT_split_type", dw.TAG_TYPE_UNIT),
}
_VENDOR_TAGS: Final = 0x4080
"""The first of them, DW_TAG_lo_user."""
_FILLER_BEGINS: Final = 11
"""Bytes of the header of a unit of DWARF 4, without those of a type unit."""


def check_kind(
    unit: CompilationUnit, offsets: Sequence[int], is_whole: bool, findings: Findings
) -> bool:
    """Report an entry of the unit that its header does not allow; return whether it is a type unit
    whose type is an entry.

    `offsets` are those of the entries that were read: all if `is_whole`.
    """
    if not offsets:
        if is_whole and not is_filler(unit):
            _add(unit, "the unit has no entry of its own", findings)
        return False
    kind, tag = unit.header.kind, _tag_at(unit, offsets[0])
    title, expected = _KINDS.get(kind, ("", tag))
    permitted = {expected}
    if unit.format.version < 5 and kind == dw.UT_COMPILE:
        title, permitted = "an older version", {expected, dw.TAG_PARTIAL_UNIT}
    if tag not in permitted and 0 < tag < _VENDOR_TAGS:
        message = f"the first entry is a {tag_name(tag)}; of {title} it is a {tag_name(expected)}"
        _add(unit, message, findings)
    if unit.header.type_offset is None:
        return False
    offset = unit.offset + unit.header.type_offset
    if not is_whole and offsets[-1] < offset < unit.end:
        return False  # behind an entry that cannot be read
    index = bisect_left(offsets, offset)
    if index == len(offsets) or offsets[index] != offset:
        _add(unit, f"the type is at offset {offset:#x}, where no entry starts", findings)
        return False
    if _tag_at(unit, offset) in dw.NO_TYPES:
        _add(
            unit, f"the type at offset {offset:#x} is a {tag_name(_tag_at(unit, offset))}", findings
        )
        return False
    return True


def is_filler(unit: CompilationUnit) -> bool:
    """Return whether a unit is what gold fills a hole of `.debug_info` or `.debug_types` with when
    it links incrementally: zeros behind a header for addresses of 4 bytes, whatever the machine."""
    header, data = unit.header, unit.data
    layout = header.format.version, header.format.offset_size, header.format.address_size
    if layout != (4, 4, 4) or any(data[header.entries_at : min(header.entries_at + 1, unit.end)]):
        return False
    return header.abbreviations_at == 0 and not any(data[unit.offset + _FILLER_BEGINS : unit.end])


def _tag_at(unit: CompilationUnit, offset: int) -> int:
    """Return the tag of an entry that was read."""
    try:
        code, _ = read_uleb(unit.data, offset, unit.end)
        return unit.abbreviations[code].tag
    except DwarfGpuError:
        return 0


def _add(unit: CompilationUnit, message: str, findings: Findings) -> None:
    rule = RULES["wrong-unit"]
    findings.add(Finding(rule.severity, rule.name, message, rule.section, unit_position(unit)))
