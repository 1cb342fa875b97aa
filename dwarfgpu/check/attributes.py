"""Which attributes hold expressions, and their evaluation contexts (DWARF 5 7.5.4 and the named
sections; AMD text A.2.2).

Law: a number that several vendors use counts as an attribute only under the conditions that
identify it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.check.attribute_classes import class_fault
from dwarfgpu.check.attribute_values import is_looked_up
from dwarfgpu.check.expressions import Role
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.abbrev import Abbreviation
from dwarfgpu.dwarf.die import ACTIVE_LANE_16, LEGACY_ATTRIBUTES
from dwarfgpu.dwarf.forms import FORMS
from dwarfgpu.dwarf.scope.scope_entries import DATA
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.expr.context import UnitFormat
from dwarfgpu.expr.dialect.dialect import AMD_DIRECT_16, Dialect

_LOCATION: Final = Role("location")
_OF_OBJECT: Final = Role("location", has_object=False)
"""Role of attributes that say themselves where an object, or a fact about a function, is."""
_VALUE: Final = Role("value")
_OF_DIMENSION: Final = Role("value", 1)
"""Role of a generic subrange: the number of its dimension is on the stack (DWARF 5 5.13)."""
_UNKNOWN: Final = Role(None, None)
"""For an unknown attribute: its expression must be readable, no more."""
_EITHER: Final = Role()
_MEMORY: Final = Role("location", has_object=False, needs_memory=True)
_FRAME_BASE: Final = Role("location", is_frame_base=True, has_object=False, needs_memory=True)

ROLES: Final[Mapping[int, tuple[str, Role]]] = {
    0x02: ("location", _OF_OBJECT),  # A.4.1
    0x0B: ("byte_size", _VALUE),
    0x0D: ("bit_size", _VALUE),
    0x19: ("string_length", _LOCATION),
    0x22: ("lower_bound", _VALUE),
    0x2A: ("return_addr", _MEMORY),  # A.3.3.5
    0x2E: ("bit_stride", _VALUE),
    0x2F: ("upper_bound", _VALUE),
    0x37: ("count", _VALUE),
    0x38: ("data_member_location", Role("location", 1)),  # A.5.7.3: the object
    0x40: ("frame_base", _FRAME_BASE),  # A.3.3.5
    0x46: ("segment", _EITHER),
    0x48: ("static_link", _MEMORY),  # A.3.3.5
    0x4A: ("use_location", Role("location", 2)),  # A.5.14: the member pointer and the object
    0x4D: ("vtable_elem_location", Role("location", 1)),  # A.5.7.8: the object
    0x4E: ("allocated", _VALUE),
    0x4F: ("associated", _VALUE),
    0x50: ("data_location", _LOCATION),
    0x51: ("byte_stride", _VALUE),
    0x71: ("rank", _VALUE),
    0x7E: ("call_value", _VALUE),  # A.3.4.2
    0x83: ("call_target", _EITHER),
    0x84: ("call_target_clobbered", _EITHER),
    0x85: ("call_data_location", _LOCATION),  # A.3.4.2
    0x86: ("call_data_value", _VALUE),  # A.3.4.2
    0x2111: ("GNU_call_site_value", _VALUE),
    0x2112: ("GNU_call_site_data_value", _VALUE),
    0x2113: ("GNU_call_site_target", _EITHER),
    0x2114: ("GNU_call_site_target_clobbered", _EITHER),
}
"""Attributes whose value may be an expression: their names and roles."""

_NAMES: Final[Mapping[int, str]] = {
    **{number: name for number, (name, _) in ROLES.items()},
    **{
        getattr(dw, name): name.removeprefix("AT_").lower()
        for name in dir(dw)
        if name.startswith("AT_") and getattr(dw, name) < 0x2000
    },
    0x35: "base_types", 0x41: "friend", 0x45: "priority", 0x52: "entry_pc", 0x54: "extension",
    0x7D: "call_return_pc", 0x7F: "call_origin", 0x80: "call_parameter", 0x81: "call_pc",
}  # fmt: skip
"""Names, without DW_AT_, of attributes whose values may lead to entries or into other sections."""
SMALL_SIZES: Final = range(1 << 31)
"""Values of DW_AT_high_pc that are the size of code, unless the code is at the last addresses."""
USUAL_SIZES: Final = range(1, 1 << 31)
"""Sizes of pointers and bit-fields that are right as such."""
_SIBLING: Final = 0x01
"""DW_AT_sibling, which may refer to the end of the entries."""

AT_CALL_PC: Final = 0x81
CALLS: Final[Mapping[tuple[int, int], str]] = {
    (dw.TAG_CALL_SITE, 0x7D): "DW_AT_call_return_pc",
    (dw.TAG_CALL_SITE, AT_CALL_PC): "DW_AT_call_pc",
    (dw.TAG_SUBPROGRAM, dw.AT_ENTRY_PC): "DW_AT_entry_pc",
    (dw.TAG_INLINED_SUBROUTINE, dw.AT_ENTRY_PC): "DW_AT_entry_pc",
    (dw.TAG_LEXICAL_BLOCK, dw.AT_ENTRY_PC): "DW_AT_entry_pc",
    (0x4109, dw.AT_LOW_PC): "DW_AT_low_pc",  # of GCC's own call sites before DWARF 5
}
"""Addresses of calls, by the tags of the entries and their attributes."""
_ADDRESSES: Final = frozenset({"address", "addrx", "addrx_offset"})

_LISTS: Final = frozenset({0x02, 0x19, 0x2A, 0x38, 0x40, 0x46, 0x48, 0x4A, 0x4D})
"""Attributes that may be location lists in every version."""
_REFERRING: Final = frozenset(
    {"unit_reference", "section_reference", "signature", "supplementary_reference"}
)
_BLOCKS: Final = frozenset({"exprloc", "block"})
_TAG_DWARF_PROCEDURE: Final = 0x36

FUNCTIONS: Final = frozenset({dw.TAG_SUBPROGRAM, dw.TAG_INLINED_SUBROUTINE, dw.TAG_ENTRY_POINT})
_CONSTANTS: Final = DATA | {dw.TAG_MEMBER, dw.TAG_TEMPLATE_VALUE_PARAMETER, dw.TAG_ENUMERATOR}
"""Entries that may have DW_AT_const_value."""
SMALL_NUMBERS: Final = range(-128, 256)
"""Values that every object has enough bits for."""
_POINTERS: Final = frozenset(
    {dw.TAG_POINTER_TYPE, dw.TAG_REFERENCE_TYPE, dw.TAG_RVALUE_REFERENCE_TYPE}
)
_PLAIN: Final[Mapping[int, frozenset[int]]] = {
    dw.TAG_BASE_TYPE: frozenset({dw.AT_NAME, dw.AT_BYTE_SIZE, dw.AT_ENCODING}),
    **dict.fromkeys(_POINTERS, frozenset({dw.AT_NAME, dw.AT_BYTE_SIZE, dw.AT_TYPE})),
}
"""Attributes of types that are right if their size and encoding are."""
CONSTANTS: Final = frozenset(
    {dw.FORM_DATA1, dw.FORM_DATA2, dw.FORM_DATA4, dw.FORM_DATA8, dw.FORM_UDATA, dw.FORM_SDATA}
)
USUAL_ENCODINGS: Final = frozenset({0x02, 0x05, 0x06, 0x07, 0x08, 0x10})
"""Encodings of base types that may have any size and need no other attribute: DW_ATE_boolean,
signed, signed_char, unsigned, unsigned_char and UTF."""


@frozen
class Vendor:
    """An attribute of the AMD text."""

    name: str
    tags: frozenset[int]
    """To which it applies."""
    where: str
    """The same in words."""
    section: str


_VENDORS: Final[Mapping[int, Vendor]] = {
    dw.AT_LLVM_LANES: Vendor("LLVM_lanes", FUNCTIONS, "functions", "A.3.3.5"),
    dw.AT_LLVM_LANE_PC: Vendor("LLVM_lane_pc", FUNCTIONS, "functions", "A.3.3.5"),
    dw.AT_LLVM_ACTIVE_LANE: Vendor("LLVM_active_lane", FUNCTIONS, "functions", "A.3.3.5"),
    dw.AT_LLVM_ITERATIONS: Vendor("LLVM_iterations", FUNCTIONS, "functions", "A.3.3.5"),
    dw.AT_LLVM_VECTOR_SIZE: Vendor(
        "LLVM_vector_size", frozenset({dw.TAG_BASE_TYPE}), "base types", "A.5.1"
    ),
    dw.AT_LLVM_ADDRESS_SPACE: Vendor(
        "LLVM_address_space",
        _POINTERS | {dw.TAG_BASE_TYPE},
        "pointers, references and base types",
        "A.5.3",
    ),
    dw.AT_LLVM_MEMORY_SPACE: Vendor(
        "LLVM_memory_space", _POINTERS | DATA, "pointers, references and data objects", "A.4.1"
    ),
}
_VENDOR_LISTS: Final = frozenset(
    {dw.AT_LLVM_LANE_PC, dw.AT_LLVM_ACTIVE_LANE, dw.AT_LLVM_ITERATIONS}
)
"""Vendor attributes whose value may be an expression or a location list."""


def vendor_numbers(unit: CompilationUnit) -> Mapping[int, int]:
    """Map the numbers of the AMD text's attributes in a unit to those of today.

    The two without a number today have a provisional one (`docs/dialects.md`).
    """
    return _numbers_of(unit.has_legacy_attributes, unit.dialect)


@cache
def _numbers_of(has_legacy: bool, dialect: Dialect) -> Mapping[int, int]:
    without = {dw.AT_LLVM_ACTIVE_LANE, dw.AT_LLVM_ITERATIONS}
    numbers = {number: number for number in _VENDORS if number not in without}
    if has_legacy:
        numbers |= {legacy: number for number, legacy in LEGACY_ATTRIBUTES.items()}
    if dialect.provisional:
        numbers |= {number: number for number in without}
    if dialect is AMD_DIRECT_16:
        numbers[ACTIVE_LANE_16] = dw.AT_LLVM_ACTIVE_LANE
    return numbers


_VENDOR_NUMBERS: Final = frozenset({*_VENDORS, *LEGACY_ATTRIBUTES.values(), ACTIVE_LANE_16})


def has_vendor_number(abbreviation: Abbreviation) -> bool:
    """Return whether an attribute has a number that is one of the AMD text's in some unit."""
    return not _VENDOR_NUMBERS.isdisjoint(abbreviation.positions)


@frozen
class CheckedValue:
    """A value of an entry to check."""

    position: int
    """Index among the attributes of the abbreviation."""
    number: int
    """As in the tables of today, whatever the file's own is."""
    form: int
    name: str
    """With DW_AT_."""
    role: Role | None
    """None for a constant."""
    is_list: bool = False
    vendor: Vendor | None = None
    is_reference: bool = False
    """Whether it refers to an entry of the unit, of the section or of the supplementary file, or to
    a type unit."""
    is_high_pc: bool = False
    """Whether it is DW_AT_high_pc."""
    is_looked_up: bool = False
    """Whether it leads into another section, as the index of a string does."""
    is_call: bool = False
    """Whether it is the address of a call, or that to which the call returns."""
    is_layout: bool = False
    """Whether the entry says how many bits a number has, and where they are."""
    size_position: int | None = None
    """Index of the size of a type that has no other attribute of its layout than this one, and
    None for other types: `USUAL_SIZES` are right then."""

    views_position: int | None = None
    """Index of the offset of the views of a location list; None where GCC wrote none."""

    @property
    def is_expression(self) -> bool:
        """Whether it is nothing else that is checked; most are expressions."""
        is_other = self.is_reference or self.is_high_pc or self.is_layout or self.is_looked_up
        return not (self.is_list or self.is_call or is_other)


def checked_values(
    abbreviation: Abbreviation, format: UnitFormat, numbers: Mapping[int, int]
) -> tuple[CheckedValue, ...]:
    """Return the values of an entry's shape that contain expressions, or belong to the AMD text.

    `numbers`: what `vendor_numbers` says of the unit.
    """
    out: list[CheckedValue] = []
    layout = _layout_of(abbreviation)
    for position, attribute in enumerate(abbreviation.attributes):
        if attribute.form not in FORMS:
            continue
        is_of_variable = attribute.name == dw.AT_ADDRESS_CLASS and abbreviation.tag not in _POINTERS
        if is_looked_up(attribute.name, attribute.form) and not is_of_variable:
            title = attribute_name(attribute.name)
            value = CheckedValue(position, attribute.name, attribute.form, title, None)
            out.append(evolve(value, is_looked_up=True))
        call = CALLS.get((abbreviation.tag, attribute.name))
        if call is not None and FORMS[attribute.form][0] in _ADDRESSES:
            value = CheckedValue(position, attribute.name, attribute.form, call, None)
            out.append(evolve(value, is_call=True))
        number = numbers.get(attribute.name, attribute.name)
        vendor = _VENDORS[number] if attribute.name in numbers else None
        kind = FORMS[attribute.form][0]
        name, role = ROLES.get(number, ("", None))
        if vendor is not None:
            name, role = vendor.name, _OF_OBJECT if number in _VENDOR_LISTS else None
        elif role is None and kind == "exprloc":
            if class_fault(number, attribute.form, format) is not None:
                continue  # reported with the abbreviation
            name, role = f"{number:#x}", _UNKNOWN
        if number == dw.AT_LOCATION and abbreviation.tag == _TAG_DWARF_PROCEDURE:
            role = _UNKNOWN
        if role is _VALUE and abbreviation.tag == dw.TAG_GENERIC_SUBRANGE:
            role = _OF_DIMENSION
        can_list = number in _LISTS or vendor is not None
        is_listed = role is not None and can_list and is_list(attribute.form, kind, format)
        if not (is_listed or kind in _BLOCKS):
            role = None
        is_size = number in (dw.AT_BYTE_SIZE, dw.AT_BIT_SIZE, dw.AT_COUNT)
        # What is judged of the whole entry is judged once: of two attributes the first counts.
        counts = abbreviation.positions[attribute.name] == position
        if number == layout and (kind == "constant" or not is_size):
            size = _size_position(abbreviation) if attribute.form in CONSTANTS else None
            value = CheckedValue(position, number, attribute.form, "", None, is_layout=True)
            if counts:
                out.append(evolve(value, size_position=size))
            if number != dw.AT_DISCR:  # whose reference is checked, too
                continue
        if number == dw.AT_HIGH_PC:
            title = "DW_AT_high_pc"
            value = CheckedValue(position, number, attribute.form, title, None, is_high_pc=True)
            if counts:
                out.append(value)
            continue
        if kind in _REFERRING and number != _SIBLING:
            out.append(CheckedValue(position, number, attribute.form, "", None, is_reference=True))
            continue
        if role is not None or vendor is not None:
            title, has_views = f"DW_AT_{name}", is_listed and number == dw.AT_LOCATION
            views = abbreviation.positions.get(dw.AT_GNU_LOCVIEWS) if has_views else None
            value = CheckedValue(position, number, attribute.form, title, role, is_listed, vendor)
            out.append(value if views is None else evolve(value, views_position=views))
    return tuple(out)


def attribute_name(number: int) -> str:
    """Return the name of an attribute; one that is not read has its number."""
    return f"DW_AT_{_NAMES.get(number, f'{number:#x}')}"


def is_list(form: int, kind: str, format: UnitFormat) -> bool:
    """Return whether a value of a form is the offset of a list, if the attribute allows lists."""
    if kind in ("loclistx", "sec_offset"):
        return True
    return format.version < 4 and form in (dw.FORM_DATA4, dw.FORM_DATA8)


def is_without_base(abbreviation: Abbreviation) -> bool:
    """Return whether an entry is a function with code and without a frame base (A.3.3.5)."""
    names = abbreviation.positions
    has_code = dw.AT_LOW_PC in names or dw.AT_RANGES in names
    return abbreviation.tag == dw.TAG_SUBPROGRAM and has_code and dw.AT_FRAME_BASE not in names


def _size_position(abbreviation: Abbreviation) -> int | None:
    """Return the position of the size of a base type or pointer that has a plain layout; None for
    other entries."""
    names = abbreviation.positions
    if names.keys() - _PLAIN.get(abbreviation.tag, frozenset()) or len(
        abbreviation.attributes
    ) > len(names):
        return None
    position = names.get(dw.AT_BYTE_SIZE)
    if position is None or abbreviation.attributes[position].form not in CONSTANTS:
        return None
    return position


def _layout_of(abbreviation: Abbreviation) -> int | None:
    """Return an attribute of entries whose layout is checked; None for others."""
    names = {attribute.name for attribute in abbreviation.attributes}
    if abbreviation.tag == dw.TAG_BASE_TYPE:
        return next((name for name in (dw.AT_ENCODING, dw.AT_NAME) if name in names), None)
    if abbreviation.tag in _CONSTANTS and dw.AT_CONST_VALUE in names:
        return dw.AT_CONST_VALUE
    if abbreviation.tag == dw.TAG_ENUMERATOR:
        return dw.AT_NAME if dw.AT_NAME in names else None
    if abbreviation.tag in _POINTERS or abbreviation.tag == dw.TAG_ENUMERATION_TYPE:
        return dw.AT_BYTE_SIZE if dw.AT_BYTE_SIZE in names else None
    if abbreviation.tag == dw.TAG_VARIANT_PART:
        return dw.AT_DISCR if dw.AT_DISCR in names else None
    if abbreviation.tag == dw.TAG_SUBRANGE_TYPE:
        return dw.AT_COUNT if {dw.AT_COUNT, dw.AT_UPPER_BOUND} <= names else None
    if abbreviation.tag != dw.TAG_MEMBER:
        return None
    if {dw.AT_DATA_MEMBER_LOCATION, dw.AT_BIT_OFFSET} & names and dw.AT_DATA_BIT_OFFSET in names:
        return dw.AT_DATA_BIT_OFFSET
    if {dw.AT_BIT_OFFSET, dw.AT_BIT_SIZE} <= names:
        return dw.AT_BIT_OFFSET
    return dw.AT_BIT_SIZE if {dw.AT_BIT_SIZE, dw.AT_NAME} <= names else None
