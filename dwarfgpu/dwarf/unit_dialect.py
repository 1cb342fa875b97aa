"""The dialect that a unit shows, by its producer and its expressions (`docs/dialects.md`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.producer import detect_dialect
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.context import UnitFormat

_LISTS: Final = frozenset(
    # location, string_length, return_addr, data_member_location, frame_base, segment, static_link,
    # use_location, vtable_elem_location, and the two numbers of LLVM_lane_pc
    {0x02, 0x19, 0x2A, 0x38, 0x40, 0x46, 0x48, 0x4A, 0x4D, 0x3E0B, 0x3E12}
)
"""Attributes that may be location lists."""
_WITHOUT_PRODUCER: Final = (dw.TAG_TYPE_UNIT, dw.TAG_PARTIAL_UNIT)


def dialect_name(unit: CompilationUnit) -> str:
    """Return the dialect detected for a unit; a type or partial unit may have only that of the
    file."""
    machine = unit.sections.object.machine
    producer = unit.producer
    if not producer and machine == "AMDGPU" and unit.root.tag in _WITHOUT_PRODUCER:
        producer = unit.info.common_producer
    return detect_dialect(producer, _expressions(unit), machine, unit.format)


def _expressions(unit: CompilationUnit) -> Iterator[bytes]:
    """Yield every expression of the entries of a unit; unreadable lists are skipped.

    An expression that several entries share is visited once.
    """
    operand_counts: dict[int, tuple[int, ...]] = {}
    lists: set[tuple[str, int]] = set()
    for index, abbreviation in enumerate(unit.tree.abbreviations):
        names = operand_counts.get(abbreviation.code)
        if names is None:
            names = operand_counts[abbreviation.code] = _expression_attributes(
                abbreviation, unit.format
            )
        for name in names:
            yield from _expressions_of(unit, index, name, lists)


def _expression_attributes(abbreviation: Abbreviation, format: UnitFormat) -> tuple[int, ...]:
    blocks = (dw.FORM_EXPRLOC, dw.FORM_BLOCK1, dw.FORM_BLOCK2, dw.FORM_BLOCK4, dw.FORM_BLOCK)
    lists = {dw.FORM_LOCLISTX, dw.FORM_SEC_OFFSET}
    if format.version < 4:
        lists |= {dw.FORM_DATA4, dw.FORM_DATA8}
    return tuple(
        attribute.name
        for attribute in abbreviation.attributes
        if (attribute.form in blocks and attribute.name != dw.AT_CONST_VALUE)
        or (attribute.form in lists and attribute.name in _LISTS)
    )


def _expressions_of(
    unit: CompilationUnit, index: int, name: int, lists: set[tuple[str, int]]
) -> Iterator[bytes]:
    try:
        attribute = unit.die(index).attribute(name)
        if attribute is None:
            return
        if isinstance(attribute.raw, bytes):
            yield attribute.raw
        elif (attribute.kind, attribute.raw) not in lists:
            lists.add((attribute.kind, attribute.raw))
            yield from (entry.expression for entry in unit.locations_of(attribute).entries)
    except DwarfGpuError:
        return
