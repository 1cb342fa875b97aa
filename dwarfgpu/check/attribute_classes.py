"""The classes that the value of an attribute may have, by its form (DWARF 5 7.5.4).

Law: the attributes of DWARF 5 are here but for those that producers write in several ways
(const_value, default_value, discr_value, discr_list, start_scope, segment, static_link,
trampoline); of what vendors add, only the attributes of the AMD text are judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.forms import FORMS
from dwarfgpu.expr.context import UnitFormat

STRINGS: Final = frozenset({"string", "strp", "line_strp", "strx", "supplementary_string"})
"""The classes of forms of strings."""
_REFERENCES: Final = frozenset(
    {"unit_reference", "section_reference", "signature", "supplementary_reference"}
)
_ADDRESSES: Final = frozenset({"address", "addrx", "addrx_offset"})
_CONSTANTS: Final = frozenset({"constant"})
_SIZES: Final = (_REFERENCES | _CONSTANTS | {"exprloc", "block", "loclistx", "sec_offset"}) - {
    "signature"
}

_CLASSES: Final[Mapping[int, tuple[str, str, frozenset[str]]]] = {
    number: (name, words, classes)
    for words, classes, names in (
        ("a string", STRINGS, {
            dw.AT_NAME: "name", dw.AT_PRODUCER: "producer", dw.AT_COMP_DIR: "comp_dir",
            dw.AT_LINKAGE_NAME: "linkage_name", dw.AT_MIPS_LINKAGE_NAME: "MIPS_linkage_name",
            dw.AT_DWO_NAME: "dwo_name", dw.AT_GNU_DWO_NAME: "GNU_dwo_name",
            0x60: "picture_string",
        }),
        ("a reference", _REFERENCES, {
            dw.AT_TYPE: "type", dw.AT_ABSTRACT_ORIGIN: "abstract_origin",
            dw.AT_SPECIFICATION: "specification", dw.AT_IMPORT: "import",
            dw.AT_CONTAINING_TYPE: "containing_type", dw.AT_SIGNATURE: "signature",
            dw.AT_DISCR: "discr", 0x7F: "call_origin", 0x80: "call_parameter",
            0x01: "sibling", 0x1A: "common_reference", 0x35: "base_types", 0x41: "friend",
            0x44: "namelist_item", 0x45: "priority", 0x54: "extension", 0x5D: "small",
        }),
        ("a reference or the index of a parameter", _REFERENCES | _CONSTANTS, {  # LLVM 21
            dw.AT_OBJECT_POINTER: "object_pointer",
        }),
        ("an address", _ADDRESSES, {
            dw.AT_LOW_PC: "low_pc", 0x7D: "call_return_pc", 0x81: "call_pc",
        }),
        ("an address or a constant", _ADDRESSES | _CONSTANTS, {
            dw.AT_HIGH_PC: "high_pc", 0x52: "entry_pc",
        }),
        ("a range list", frozenset({"rnglistx", "sec_offset"}), {dw.AT_RANGES: "ranges"}),
        ("a line table", frozenset({"sec_offset"}), {dw.AT_STMT_LIST: "stmt_list"}),
        ("the offset of a table", frozenset({"sec_offset"}), {
            0x43: "macro_info", 0x72: "str_offsets_base", 0x73: "addr_base",
            0x74: "rnglists_base", 0x79: "macros", 0x8C: "loclists_base",
        }),
        ("an expression or a location list",
         frozenset({"exprloc", "block", "loclistx", "sec_offset"}), {
            dw.AT_LOCATION: "location", dw.AT_FRAME_BASE: "frame_base",
            0x2A: "return_addr", 0x4A: "use_location", 0x4D: "vtable_elem_location",
        }),
        ("an expression", frozenset({"exprloc", "block"}), {
            0x7E: "call_value", 0x83: "call_target", 0x84: "call_target_clobbered",
            0x85: "call_data_location", 0x86: "call_data_value",
        }),
        ("a constant", _CONSTANTS, {
            dw.AT_DECL_FILE: "decl_file", dw.AT_DECL_LINE: "decl_line",
            dw.AT_CALL_FILE: "call_file", dw.AT_CALL_LINE: "call_line",
            dw.AT_ENCODING: "encoding", dw.AT_LANGUAGE: "language", dw.AT_INLINE: "inline",
            0x09: "ordering", 0x17: "visibility", 0x32: "accessibility", 0x33: "address_class",
            0x36: "calling_convention", 0x39: "decl_column", 0x42: "identifier_case",
            0x4C: "virtuality", 0x57: "call_column", 0x5B: "binary_scale", 0x5C: "decimal_scale",
            0x5E: "decimal_sign", 0x5F: "digit_count", 0x6F: "string_length_bit_size",
            0x70: "string_length_byte_size", 0x65: "endianity", 0x88: "alignment",
            0x8B: "defaulted",
        }),
        ("a constant, an expression or a reference", _SIZES, {
            dw.AT_BYTE_SIZE: "byte_size", dw.AT_BIT_SIZE: "bit_size", dw.AT_COUNT: "count",
            dw.AT_LOWER_BOUND: "lower_bound", dw.AT_UPPER_BOUND: "upper_bound",
            dw.AT_BYTE_STRIDE: "byte_stride", dw.AT_BIT_STRIDE: "bit_stride",
            dw.AT_DATA_MEMBER_LOCATION: "data_member_location",
            dw.AT_DATA_BIT_OFFSET: "data_bit_offset", dw.AT_STRING_LENGTH: "string_length",
            dw.AT_DATA_LOCATION: "data_location", 0x4E: "allocated", 0x4F: "associated",
            0x71: "rank",
        }),
        ("a flag", frozenset({"flag"}), {
            dw.AT_DECLARATION: "declaration", dw.AT_EXTERNAL: "external",
            dw.AT_ARTIFICIAL: "artificial", 0x21: "is_optional", 0x27: "prototyped",
            0x4B: "variable_parameter", 0x53: "use_UTF8", 0x61: "mutable", 0x62: "threads_scaled",
            0x63: "explicit", 0x66: "elemental", 0x67: "pure", 0x68: "recursive",
            0x6A: "main_subprogram", 0x6C: "const_expr", 0x6D: "enum_class", 0x77: "reference",
            0x78: "rvalue_reference", 0x7A: "call_all_calls", 0x7B: "call_all_source_calls",
            0x7C: "call_all_tail_calls", 0x82: "call_tail_call", 0x87: "noreturn",
            0x89: "export_symbols", 0x8A: "deleted",
        }),
    )
    for number, name in names.items()
}  # fmt: skip
"""Attributes by number: their names without DW_AT_, what they must be, and its classes."""
_WERE_OFFSETS: Final = frozenset(
    {"a range list", "a line table", "the offset of a table", _CLASSES[dw.AT_LOCATION][1]}
)
"""What was an offset of the form of a constant before DWARF 4."""
_DESCRIPTIONS: Final = _CLASSES[dw.AT_LOCATION][1:]
_VENDOR_CLASSES: Final[Mapping[int, tuple[str, str, frozenset[str]]]] = {
    dw.AT_LLVM_LANES: ("LLVM_lanes", "a constant", _CONSTANTS),
    dw.AT_LLVM_LANE_PC: ("LLVM_lane_pc", *_DESCRIPTIONS),
    dw.AT_LLVM_ACTIVE_LANE: ("LLVM_active_lane", *_DESCRIPTIONS),
    dw.AT_LLVM_ITERATIONS: (
        "LLVM_iterations",
        "a constant, an expression or a location list",
        _CONSTANTS | _DESCRIPTIONS[1],
    ),
    dw.AT_LLVM_VECTOR_SIZE: ("LLVM_vector_size", "a constant", _CONSTANTS),
    dw.AT_LLVM_ADDRESS_SPACE: ("LLVM_address_space", "a constant", _CONSTANTS),
    dw.AT_LLVM_MEMORY_SPACE: ("LLVM_memory_space", "a constant", _CONSTANTS),
}
"""The same of the AMD text (A.7.5.4), by the numbers of today."""
_OFFSETS: Final = frozenset({dw.FORM_DATA4, dw.FORM_DATA8})
_LATER_FORMS: Final[Mapping[int, tuple[str, int]]] = {
    number: (f"DW_FORM_{name}", version)
    for version, first, names in (
        (4, dw.FORM_SEC_OFFSET, "sec_offset exprloc flag_present"),
        (5, dw.FORM_STRX, "strx addrx ref_sup4 strp_sup data16 line_strp"),
        (4, dw.FORM_REF_SIG8, "ref_sig8"),
        (5, dw.FORM_IMPLICIT_CONST, "implicit_const loclistx rnglistx ref_sup8"),
        (5, dw.FORM_STRX1, "strx1 strx2 strx3 strx4 addrx1 addrx2 addrx3 addrx4"),
    )
    for number, name in enumerate(names.split(), first)
}
"""The forms that DWARF 2 does not have, by number: their names, and the version that added them
(table 7.6, in DWARF 4 figure 21)."""


def form_fault(number: int, format: UnitFormat) -> str | None:
    """Return why a unit cannot have a form, as its version is older; None if it can, or the form is
    a vendor's."""
    name, version = _LATER_FORMS.get(number, ("", 0))
    if version <= format.version:
        return None
    return f"{name}, a form of DWARF {version}, in a unit of version {format.version}"


def class_fault(number: int, form: int, format: UnitFormat) -> str | None:
    """Return why the form of an attribute is of no class that it may have; None if it is, or
    nothing is known about the attribute or the form."""
    return _fault(_CLASSES.get(number), form, format)


def vendor_class_fault(number: int, form: int, format: UnitFormat) -> str | None:
    """Return the same for an attribute of the AMD text, by its number of today."""
    return _fault(_VENDOR_CLASSES[number], form, format)


def _fault(
    known: tuple[str, str, frozenset[str]] | None, form: int, format: UnitFormat
) -> str | None:
    if known is None or form not in FORMS or form == dw.FORM_INDIRECT:
        return None
    name, words, classes = known
    kind = FORMS[form][0]
    if kind in classes or (format.version < 4 and form in _OFFSETS and words in _WERE_OFFSETS):
        return None
    if kind == "flag" and format.version < 5 and classes >= _CONSTANTS:
        return None  # it is read as a number
    return f"DW_AT_{name} is not {words} but of class {kind.replace('_', ' ')}"
