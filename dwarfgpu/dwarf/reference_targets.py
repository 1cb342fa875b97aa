"""The entries to which an attribute may refer, by their tags (DWARF 5 2.7, 2.13, 3.2 to 3.4, 5.13).

Law: a target is refused where the text gives the attribute no meaning for it. What a vendor adds,
and what producers write beyond the text, is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import INHERITING_DATA

Refused: TypeAlias = frozenset[int]
"""Tags of entries to which an attribute must not refer."""

_STANDARD: Final = frozenset({*range(0x4C), 0x4109, 0x410A})
"""0, the tags of DWARF 5, and those of GNU call sites, which it has under other numbers."""
_BOUNDS: Final = INHERITING_DATA | {dw.TAG_TEMPLATE_VALUE_PARAMETER, dw.TAG_ENUMERATOR}
_PARAMETERS: Final = frozenset({dw.TAG_FORMAL_PARAMETER})
_CLASSES: Final = frozenset({dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE, dw.TAG_INTERFACE_TYPE})
_UNITS: Final = frozenset({dw.TAG_COMPILE_UNIT, dw.TAG_PARTIAL_UNIT, dw.TAG_SKELETON_UNIT})
_BLOCKS: Final = frozenset({dw.TAG_LEXICAL_BLOCK, dw.TAG_TRY_BLOCK, dw.TAG_CATCH_BLOCK})
_CALL_SITES: Final = frozenset({dw.TAG_CALL_SITE, 0x4109})
_RECORDS: Final = frozenset(
    {dw.TAG_STRUCTURE_TYPE, dw.TAG_CLASS_TYPE, dw.TAG_UNION_TYPE, dw.TAG_ENUMERATION_TYPE}
)
_SCOPES: Final = frozenset({dw.TAG_NAMESPACE, dw.TAG_MODULE, dw.TAG_IMPORTED_DECLARATION})
_DWARF_PROCEDURE: Final = 0x36
_OBJECTS: Final = INHERITING_DATA | {
    dw.TAG_COMMON_BLOCK, _DWARF_PROCEDURE, dw.TAG_ENUMERATOR, dw.TAG_TEMPLATE_VALUE_PARAMETER,
    dw.TAG_CALL_SITE_PARAMETER, 0x410A, dw.TAG_WITH_STMT,
}  # fmt: skip
"""What may have DW_AT_location or DW_AT_const_value (DWARF 5 appendix A)."""


TAGS: Final[Mapping[int, str]] = {
    getattr(dw, name): name.removeprefix("TAG_").lower()
    for name in dir(dw)
    if name.startswith("TAG_")
} | {
    0x08: "imported_declaration", 0x0A: "label", 0x19: "variant", 0x1A: "common_block",
    0x1B: "common_inclusion", 0x20: "set_type", 0x23: "access_declaration", 0x29: "file_type",
    0x2A: "friend", 0x2B: "namelist", 0x2C: "namelist_item", 0x2D: "packed_type",
    0x2F: "template_type_parameter", 0x30: "template_value_parameter", 0x31: "thrown_type",
    0x33: "variant_part", _DWARF_PROCEDURE: "dwarf_procedure",
    0x3A: "imported_module", 0x3F: "condition", 0x40: "shared_type",
    0x44: "coarray_type", 0x46: "dynamic_type", 0x4B: "immutable_type", 0x4109: "call_site",
    0x410A: "call_site_parameter",
}  # fmt: skip
"""Names of tags without DW_TAG_."""


def _only(*permitted: frozenset[int]) -> Refused:
    return _STANDARD.difference(*permitted)


ANY: Final[Refused] = frozenset()
_TYPES: Final[Refused] = dw.NO_TYPES
_FUNCTIONS: Final = _only(dw.FUNCTIONS)
_PARTS: Final = frozenset(
    {
        *_BLOCKS, *_CALL_SITES, dw.TAG_CALL_SITE_PARAMETER, 0x410A, dw.TAG_INLINED_SUBROUTINE,
        dw.TAG_INHERITANCE, dw.TAG_IMPORTED_MODULE, dw.TAG_IMPORTED_UNIT, dw.TAG_SUBRANGE_TYPE,
        dw.TAG_UNSPECIFIED_PARAMETERS, dw.TAG_TEMPLATE_TYPE_PARAMETER,
        dw.TAG_TEMPLATE_VALUE_PARAMETER, dw.TAG_FORMAL_PARAMETER, *_UNITS, dw.TAG_TYPE_UNIT,
    }
)  # fmt: skip
"""Tags of what no other scope can name."""

_BY_TAG: Final[Mapping[tuple[int, int], Refused]] = {
    (dw.AT_IMPORT, dw.TAG_IMPORTED_UNIT): _only(_UNITS),
    (dw.AT_IMPORT, dw.TAG_IMPORTED_MODULE): _only(_SCOPES, _UNITS, _RECORDS),
    (dw.AT_IMPORT, dw.TAG_IMPORTED_DECLARATION): _PARTS,
}
_BY_ATTRIBUTE: Final[Mapping[int, Refused]] = {
    dw.AT_TYPE: _TYPES,
    dw.AT_CONTAINING_TYPE: _TYPES,
    dw.AT_DISCR: _only(INHERITING_DATA),
    dw.AT_OBJECT_POINTER: _only(INHERITING_DATA),
    0x44: _only(INHERITING_DATA),  # DW_AT_namelist_item
    0x54: _only(_SCOPES),  # DW_AT_extension
    0x7F: _FUNCTIONS,  # DW_AT_call_origin
    0x80: _only(INHERITING_DATA),  # DW_AT_call_parameter
    **dict.fromkeys(
        (dw.AT_LOWER_BOUND, dw.AT_UPPER_BOUND, dw.AT_COUNT, dw.AT_STRING_LENGTH),
        _only(_BOUNDS, dw.FUNCTIONS, frozenset({_DWARF_PROCEDURE})),
    ),
}
_ORIGINS: Final[Mapping[int, Refused]] = {
    **dict.fromkeys((*dw.FUNCTIONS, *_CALL_SITES), _FUNCTIONS),
    **dict.fromkeys(INHERITING_DATA - _PARAMETERS, _only(INHERITING_DATA - _PARAMETERS)),
    **dict.fromkeys(_CLASSES, _only(_CLASSES)),
    **dict.fromkeys(_BLOCKS, _only(_BLOCKS, dw.FUNCTIONS)),
    **dict.fromkeys((dw.TAG_CALL_SITE_PARAMETER, 0x410A), _only(_PARAMETERS)),
}  # fmt: skip
"""By the tag of what inherits, where more than its own is permitted: an entry of another kind has
no attributes that it could have (DWARF 5 2.13.2, 3.3.8)."""


_BY_OPERATION: Final[Mapping[str, Refused]] = {
    **dict.fromkeys(("implicit_pointer", "LLVM_aspace_implicit_pointer"), _only(_OBJECTS)),
    "GNU_parameter_ref": _only(_PARAMETERS),
    "GNU_variable_value": _only(_OBJECTS),
}
"""By the name of the function (DWARF 5 2.6.1.1.4). DW_OP_call* of an entry without an expression
does nothing (2.5.1.5)."""


def refused_by_operation(name: str) -> Refused:
    """Return the tags of entries to which an operation, by its function, must not refer."""
    return _BY_OPERATION.get(name, ANY)


@lru_cache(maxsize=256)
def refused_targets(number: int, tag: int) -> Refused:
    """Return the tags of entries to which an attribute of an entry of a tag must not refer."""
    if number in (dw.AT_ABSTRACT_ORIGIN, dw.AT_SPECIFICATION):
        own = _only(frozenset({tag})) if tag in _STANDARD else ANY
        return _ORIGINS.get(tag, own)
    return _BY_TAG.get((number, tag)) or _BY_ATTRIBUTE.get(number, ANY)


def tag_name(tag: int) -> str:
    """Return the name of a tag; one that is not known has its number."""
    return f"DW_TAG_{TAGS.get(tag, f'{tag:#x}')}"
