"""Values of attributes that lead into other sections: strings, addresses, range lists and files;
lines, which are not below 0; address classes; and numbers of tables that DWARF has.

Law: what a value leads to is looked up once for each unit, and the strings of a sound section not
at all.
"""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise
from typing import Final

from dwarfgpu.base.records import define, field
from dwarfgpu.check.attribute_classes import STRINGS
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.address_ranges import Range
from dwarfgpu.dwarf.forms import FORMS, Attribute, Raw
from dwarfgpu.dwarf.list_entries import InvertedRange
from dwarfgpu.dwarf.types.address_class import class_fault
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.dwarf.unit_header import WrongHeader
from dwarfgpu.errors import DwarfGpuError, IllFormed, Malformed

_FILES: Final = frozenset({dw.AT_DECL_FILE, dw.AT_CALL_FILE})
_LINES: Final = frozenset({dw.AT_DECL_LINE, dw.AT_DECL_COLUMN, dw.AT_CALL_LINE, dw.AT_CALL_COLUMN})
_NUMBERED: Final = {
    dw.AT_ENCODING: ("encoding", frozenset((*range(0x01, 0x18), *range(0x80, 0x100)))),
    dw.AT_ENDIANITY: ("byte order", frozenset((0, 1, 2, *range(0x40, 0x100)))),
    dw.AT_LANGUAGE: ("language", frozenset((*range(0x01, 0x50), *range(0x8000, 0x10000)))),
}
"""Attributes whose values are numbers of a table: what they are, and those with a meaning or that
are a vendor's (DWARF 5 7.8 and 7.12, what DWARF 6 adds, and languages published later)."""
_SIGNED: Final = frozenset({dw.FORM_SDATA, dw.FORM_IMPLICIT_CONST})
_NATURAL: Final = range(1 << 64)
_INDEXED: Final = frozenset({"addrx", "addrx_offset"})
SUPPLEMENTARY_STRINGS: Final = frozenset(
    form for form, (kind, _) in FORMS.items() if kind == "supplementary_string"
)
"""The forms of strings of a supplementary file (DWARF 5 7.5.5)."""
_SECTIONS: Final = {
    "strp": ".debug_str",
    "line_strp": ".debug_line_str",
    "supplementary_string": ".debug_str",
}


def is_looked_up(number: int, form: int) -> bool:
    """Return whether a value of an attribute in a form leads into another section, or may be a line
    below 0 or a number without a meaning."""
    kind = FORMS[form][0]
    if number in _NUMBERED or number == dw.AT_ADDRESS_CLASS:
        return kind == "constant"
    if number in _LINES:
        return form in _SIGNED
    if number == dw.AT_RANGES:
        return kind not in ("exprloc", "block")
    if number in _FILES:
        return kind == "constant" and form != dw.FORM_DATA16
    return kind in _INDEXED or (kind in STRINGS and kind != "string")


@define(eq=False)
class AttributeValues:
    """The values of one unit that were looked up."""

    unit: CompilationUnit
    _known: dict[tuple[str, int], set[Raw]] = field(init=False, factory=dict)
    """By what they are, and their form."""
    _has_no_supplementary: bool = field(init=False, default=False)
    """Whether a string of a supplementary file was looked up, and there is no such file."""
    _has_wrong_ranges: bool = field(init=False, default=False)
    """Whether the header of range lists that the unit does not name was reported."""

    def known(self, number: int, form: int) -> Container[Raw]:
        """Return the values of an attribute in a form that need no look-up."""
        if number in _LINES:
            return _NATURAL
        if number in _NUMBERED:
            return _NUMBERED[number][1]
        kind = FORMS[form][0]
        section = _SECTIONS.get(kind)
        if section is None:
            noun = "file" if number in _FILES else "ranges" if number == dw.AT_RANGES else kind
            return self._known.setdefault((noun, 0 if noun == "file" else form), set())
        try:
            if kind == "supplementary_string":
                if self._has_no_supplementary:
                    return _NATURAL
                sections = self.unit.info.supplementary.sections
            else:
                sections = self.unit.sections
            return range(sections.section(section).rfind(b"\0") + 1)
        except DwarfGpuError:
            return ()

    def fault(self, number: int, form: int, value: Raw) -> tuple[str, str] | DwarfGpuError | None:
        """Return the rule that a value breaks, with a message; an error that is no fault of the
        file's; None if the value leads somewhere."""
        known = self.known(number, form)
        if number in _LINES:
            return "negative-line", f"{value!r} is below 0"
        if number in _NUMBERED:
            shown = hex(value) if isinstance(value, int) else repr(value)
            return "unassigned-number", f"no {_NUMBERED[number][0]} has the number {shown}"
        if isinstance(known, set):
            known.add(value)
        if number == dw.AT_ADDRESS_CLASS:
            problem = class_fault(value, self.unit) if isinstance(value, int) else None
            return None if problem is None else ("unknown-address-space", problem)
        attribute = Attribute(form, FORMS[form][0], value)
        try:
            self._look_up(number, attribute)
        except InvertedRange as error:
            return "inverted-range", error.message
        except WrongHeader:
            return self._header_fault(number, value)
        except (IllFormed, Malformed) as error:
            if number != dw.AT_RANGES:
                return "outside-table", error.message
            is_cut = isinstance(error, Malformed)
            return "unreadable-list" if is_cut else "ill-formed-list", error.message
        except DwarfGpuError as error:
            return error
        return None

    def _header_fault(self, number: int, value: Raw) -> tuple[str, str] | None:
        """Return once that the header of range lists that the unit does not name is wrong for it;
        those that it names are reported with the headers."""
        unit = self.unit
        is_named = unit.is_split or unit.root.has(dw.AT_RNGLISTS_BASE)
        if number != dw.AT_RANGES or is_named or self._has_wrong_ranges or type(value) is not int:
            return None
        try:
            lists = unit.sections.contributions(".debug_rnglists")
            lists.check(value, unit.format.address_size)
        except WrongHeader as error:
            self._has_wrong_ranges = True
            return "address-size", error.message
        return None  # the header of its addresses, which it names

    def _look_up(self, number: int, attribute: Attribute) -> None:
        unit, value = self.unit, attribute.raw
        if number == dw.AT_RANGES:
            _require_apart(unit.lists.ranges_of(attribute))
        elif number in _FILES:
            try:
                table = unit.line_table
            except DwarfGpuError:
                return  # reported with the line tables
            if not isinstance(value, int):
                return
            if table is None:
                if value and not unit.is_split:  # the skeleton has the table
                    raise IllFormed(f"file {value} of a unit that has no line table")
            elif table.header.problem is not None:
                return  # its files are not all known, which is reported with the line tables
            elif value or not table.header.first_file:  # 0 is no file before DWARF 5
                table.file(value)
        elif attribute.kind == "supplementary_string":
            self._look_up_beyond(attribute)
        elif attribute.kind in STRINGS:
            unit.string_of(attribute)
        else:
            unit.address_of(attribute)

    def _look_up_beyond(self, attribute: Attribute) -> None:
        self._has_no_supplementary = True
        _ = self.unit.info.supplementary  # raises where there is none
        self._has_no_supplementary = False
        try:
            self.unit.string_of(attribute)
        except Malformed as error:
            raise Malformed(f"{error.message} of the supplementary file") from None


def _require_apart(spans: tuple[Range, ...]) -> None:
    """Raise `IllFormed` where two ranges of a list overlap (DWARF 5 2.17.3)."""
    for before, after in pairwise(sorted(spans)):
        if after.begin < before.end:
            raise IllFormed(
                f"[{before.begin:#x},{before.end:#x}) and [{after.begin:#x},{after.end:#x}) overlap"
            )
