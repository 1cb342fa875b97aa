"""Attributes without which an entry describes nothing (DWARF 5 chapters 2 to 5), as far as its
abbreviation shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.producer import debug_level, parse_producer
from dwarfgpu.dwarf.reference_targets import tag_name

if TYPE_CHECKING:
    from dwarfgpu.dwarf.unit import CompilationUnit

_ELSEWHERE: Final = frozenset(
    {dw.AT_ABSTRACT_ORIGIN, dw.AT_DECLARATION, dw.AT_SIGNATURE, dw.AT_SPECIFICATION}
)
"""An entry with one of these has its attributes from another one, or leaves them to it."""
_DECLARED: Final = frozenset({dw.AT_NAME, dw.AT_DECL_LINE})
_CALL_PARAMETER: Final = 0x80
_TYPE: Final = frozenset({dw.AT_TYPE}), "DW_AT_type"

_OBJECTS: Final[Mapping[int, str]] = {
    dw.TAG_VARIABLE: "4.1",
    dw.TAG_FORMAL_PARAMETER: "4.1",
    dw.TAG_MEMBER: "5.7.6",
}
"""Entries that have a type where the source declares them; producers have other uses for them."""
_NEEDED: Final[Mapping[int, tuple[frozenset[int], str, str]]] = {
    dw.TAG_ARRAY_TYPE: (*_TYPE, "5.5"),
    dw.TAG_INHERITANCE: (*_TYPE, "5.7.3"),
    dw.TAG_IMPORTED_DECLARATION: (frozenset({dw.AT_IMPORT}), "DW_AT_import", "3.2.3"),
    dw.TAG_CALL_SITE_PARAMETER: (
        frozenset({dw.AT_LOCATION, _CALL_PARAMETER}), "DW_AT_location", "3.4.2"
    ),
}  # fmt: skip
"""By tag: attributes (an entry has one of them or more), the name of the first, and the section."""


def is_without_types(unit: CompilationUnit) -> bool:
    """Return whether the unit is one for which GCC wrote no types, as it does at level 1: by its
    options or, where they are not recorded, because it has none."""
    producer = unit.producer
    level = debug_level(producer)
    if level is not None:
        return level == 1
    return parse_producer(producer).is_gcc and not any(
        attribute.name == dw.AT_TYPE
        for abbreviation in unit.abbreviations.values()
        for attribute in abbreviation.attributes
    )


def missing_attribute(abbreviation: Abbreviation) -> tuple[str, str] | None:
    """Return which attribute the entries lack, and the section that says so; None if none."""
    names = {attribute.name for attribute in abbreviation.attributes}
    if dw.AT_HIGH_PC in names and dw.AT_LOW_PC not in names:
        return "DW_AT_high_pc without DW_AT_low_pc", "2.17.2"
    needed = _NEEDED.get(abbreviation.tag)
    if abbreviation.tag in _OBJECTS and names >= _DECLARED:
        needed = *_TYPE, _OBJECTS[abbreviation.tag]
    if needed is None or names & (needed[0] | _ELSEWHERE):
        return None
    return f"{tag_name(abbreviation.tag)} without {needed[1]}", needed[2]
