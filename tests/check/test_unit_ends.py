"""Entries that do not end where their unit ends, and tables without a header of DWARF 5."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.check.made import (
    BASE_TYPE,
    COMPILE_UNIT,
    SUBPROGRAM,
    VARIABLE,
    cfi_entry,
    cie,
    findings,
    info_file,
    rules,
    verdict_on,
    words,
)
from tests.dwarf.builder import AMDGPU, X86_64, Content, Shape, abbreviations, elf, unit

UNIT = Shape(COMPILE_UNIT, (), True)
TYPE = Shape(dw.TAG_STRUCTURE_TYPE, (), True)
SINGLE = Shape(COMPILE_UNIT)


@pytest.mark.parametrize(
    ("shapes", "entries", "severity", "message"),
    [
        ((UNIT, TYPE), b"\1\2\0\0", None, ""),
        ((UNIT, TYPE), b"\1\2\0\0" + bytes(16), None, ""),  # padding
        ((UNIT, TYPE), b"\1\2\0\0" + bytes(17), "error", "with 17 bytes of zeros between"),
        ((UNIT, TYPE), b"\1\2\0", "warning", "1 level of children without a null"),
        ((UNIT, TYPE), b"\1\2\2", "warning", "3 levels of children without a null"),
        ((UNIT, TYPE), b"\1\2\0\0\2\0", "error", "end at offset 0x10, and the unit at 0x12"),
        ((SINGLE, TYPE), b"\1", None, ""),
        ((SINGLE, TYPE), b"\1\2\0\0", "error", "end at offset 0xd, and the unit at 0x10"),
    ],
)
def test_entries_end_with_their_unit(
    shapes: tuple[Shape, ...], entries: bytes, severity: str | None, message: str
) -> None:
    """DWARF 5 2.3: a null entry ends the children of each entry that has some."""
    found = [
        one
        for one in findings(verdict_on(info_file(shapes, entries)))
        if one.rule == "unbalanced-entries"
    ]
    assert [one.severity for one in found] == ([] if severity is None else [severity])
    assert all(message in one.message for one in found)


@pytest.mark.parametrize(
    ("comment", "is_room"),
    [
        (b"zig 0.17.1\0", True),
        (b"GCC: (Debian 12.2.0-14)\0zig 0.17.1\0", True),
        (b"clang version 19.1.7 (zigzag)\0", False),
        (None, False),
    ],
)
def test_room_of_the_linker(comment: bytes | None, is_room: bool) -> None:
    """Zig's own fills the end of units and of entries of call frame information with zeros."""
    others = {} if comment is None else {".comment": comment}
    others[".debug_frame"] = cie() + cfi_entry(bytes(4), words(0x1000, 0x40) + bytes(100))
    found = findings(verdict_on(info_file((UNIT, TYPE), b"\1\2\0\0" + bytes(1000), others)))
    of_zeros = [one.rule for one in found if "zeros" in one.message]
    assert of_zeros == ([] if is_room else ["unbalanced-entries", "unreadable-cfi"])


def word(number: int, size_bytes: int = 4) -> bytes:
    return number.to_bytes(size_bytes, "little")


@pytest.mark.parametrize(
    ("section", "attribute", "rest", "defined"),
    [
        (".debug_str_offsets", dw.AT_STR_OFFSETS_BASE, b"\0\0", "7.26"),
        (".debug_addr", dw.AT_ADDR_BASE, b"\x08\0", "7.27"),
        (".debug_loclists", dw.AT_LOCLISTS_BASE, b"\x08\0\0\0\0\0", "7.29"),
        (".debug_rnglists", dw.AT_RNGLISTS_BASE, b"\x08\0\0\0\0\0", "7.28"),
    ],
)
@pytest.mark.parametrize(
    ("version", "more", "moved", "message"),
    [
        (5, 0, 0, None),
        (4, 0, 0, "version 4 in the header before it, not 5"),
        (6, 0, 0, "version 6 in the header before it, not 5"),
        (5, -100, 0, "in the header before it is less than the header has"),
        (5, 1, 0, "in the header before it is beyond the section"),
        (5, 0, -8, "no header is before it"),
        (5, 0, 0x100, "no header is before it"),
    ],
)
def test_the_header_of_a_table(
    section: str,
    attribute: int,
    rest: bytes,
    defined: str,
    version: int,
    more: int,
    moved: int,
    message: str | None,
) -> None:
    """DWARF 5 7.26 to 7.29: the attribute refers to the first entry after the header."""
    body = word(version, 2) + rest
    table = word(max(len(body) + 8 + more, 0)) + body + bytes(8)
    base = max(4 + len(body) + moved, 0)
    shapes = [Shape(COMPILE_UNIT, ((attribute, dw.FORM_SEC_OFFSET),)), Shape(BASE_TYPE)]
    found = findings(verdict_on(info_file(shapes, b"\1" + word(base), {section: table})))
    listed = [one for one in found if one.rule == "table-header"]
    assert [one.section for one in listed] == ([] if message is None else [defined])
    assert message is None or message in listed[0].message


@pytest.mark.parametrize(
    ("version", "size_bytes", "moved", "found"),
    [
        (5, 8, 0, []),
        (4, 8, 0, [("error", "table-header")]),
        (5, 4, 0, [("error", "address-size")]),
        (5, 8, 8, [("error", "table-header")]),
        (5, 8, -4, [("error", "table-header")]),
    ],
)
def test_a_wrong_header_of_addresses_is_one_finding(
    version: int, size_bytes: int, moved: int, found: list[tuple[str, str]]
) -> None:
    """Attributes, expressions and lists lead to addresses behind it, by their indexes."""
    shapes = [
        Shape(COMPILE_UNIT, ((dw.AT_ADDR_BASE, dw.FORM_SEC_OFFSET),), True),
        Shape(SUBPROGRAM, ((dw.AT_LOW_PC, dw.FORM_ADDRX), (dw.AT_HIGH_PC, dw.FORM_DATA1))),
        Shape(VARIABLE, ((dw.AT_LOCATION, dw.FORM_EXPRLOC),)),
        Shape(VARIABLE, ((dw.AT_LOCATION, dw.FORM_SEC_OFFSET),)),
        Shape(dw.TAG_LEXICAL_BLOCK, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),)),
    ]
    entries = b"\1" + word(8 + moved) + b"\2\0\x10\2\1\x10" + b"\3\2\xa1\0\3\2\xa1\1"
    entries += 2 * (b"\4" + word(12)) + 2 * (b"\5" + word(12)) + b"\0"
    table = word(version, 2) + bytes((size_bytes, 0)) + words(0x1000, 0x1010, 0)
    sections: dict[str, bytes | Content] = {
        ".debug_addr": word(len(table)) + table,
        ".debug_loclists": lists_table(b"\3\0\x10\1\x30\0"),  # DW_LLE_startx_length
        ".debug_rnglists": lists_table(b"\3\0\x10\0"),
    }
    assert rules(verdict_on(info_file(shapes, entries, sections))) == found


def test_a_wrong_header_of_ranges_that_no_attribute_names_is_one_finding() -> None:
    shapes = [
        Shape(COMPILE_UNIT, (), True),
        Shape(dw.TAG_LEXICAL_BLOCK, ((dw.AT_RANGES, dw.FORM_SEC_OFFSET),)),
    ]
    lists = bytearray(lists_table(b"\7" + words(0x1000) + b"\x10\0\7" + words(0x1020) + b"\x10\0"))
    lists[6] = 4
    entries = b"\1\2" + word(12) + b"\2" + word(23) + b"\0"
    (found,) = findings(verdict_on(info_file(shapes, entries, {".debug_rnglists": bytes(lists)})))
    assert found.rule == "address-size"
    assert "address_size 4 of .debug_rnglists and address_size 8 of its unit" in found.message


@pytest.mark.parametrize(
    ("section", "at", "value", "found"),
    [
        (".debug_str_offsets.dwo", 4, 5, []),
        (".debug_str_offsets.dwo", 4, 4, [("error", "table-header")]),
        (".debug_str_offsets.dwo", 0, 0xFF, [("error", "table-header")]),
        (".debug_loclists.dwo", 4, 4, [("error", "table-header")]),
        (".debug_loclists.dwo", 6, 4, [("error", "address-size")]),
        (".debug_rnglists.dwo", 6, 4, [("error", "address-size")]),
    ],
)
@pytest.mark.parametrize("machine", [AMDGPU, X86_64])
def test_a_wrong_header_of_a_split_unit_is_one_finding(
    section: str, at: int, value: int, found: list[tuple[str, str]], machine: int
) -> None:
    """Its tables need no attribute: they follow the first headers (DWARF 5 7.3.2.2)."""
    shapes = [
        Shape(COMPILE_UNIT, ((dw.AT_PRODUCER, dw.FORM_STRX1), (dw.AT_NAME, dw.FORM_STRX1)), True),
        Shape(VARIABLE, ((dw.AT_NAME, dw.FORM_STRX1), (dw.AT_LOCATION, dw.FORM_LOCLISTX))),
        Shape(dw.TAG_LEXICAL_BLOCK, ((dw.AT_RANGES, dw.FORM_RNGLISTX),)),
    ]
    entries = bytes(8) + b"\1\0\1" + 2 * b"\2\0\0" + 2 * b"\3\0" + b"\0"
    strings = word(5, 2) + bytes(2) + word(0) + word(2)
    sections: dict[str, bytes | Content] = {
        ".debug_info.dwo": unit(entries, kind=dw.UT_SPLIT_COMPILE),
        ".debug_abbrev.dwo": abbreviations(*shapes),
        ".debug_str.dwo": b"a\0b\0",
        ".debug_str_offsets.dwo": word(len(strings)) + strings,
        ".debug_loclists.dwo": lists_table(word(4) + b"\5\1\x30\0", 1),
        ".debug_rnglists.dwo": lists_table(word(4) + b"\0", 1),
    }
    data = sections[section]
    assert isinstance(data, bytes)
    sections[section] = data[:at] + bytes((value,)) + data[at + 1 :]
    verdict = verdict_on(elf(sections, machine))
    assert rules(verdict) == found
    of_tables = [one.message for one in findings(verdict) if one.rule == "table-header"]
    assert all(one.startswith(f"the first table in {section}: ") for one in of_tables), of_tables


@pytest.mark.parametrize(
    ("section", "attribute", "rest"),
    [
        (".debug_addr", dw.AT_ADDR_BASE, b""),
        (".debug_loclists", dw.AT_LOCLISTS_BASE, bytes(4)),
        (".debug_rnglists", dw.AT_RNGLISTS_BASE, bytes(4)),
    ],
)
def test_tables_with_segment_selectors_are_not_checked(
    section: str, attribute: int, rest: bytes
) -> None:
    """DWARF 5 7.27 to 7.29: each address has a selector before it."""
    body = word(5, 2) + b"\x08\4" + rest
    shapes = [Shape(COMPILE_UNIT, ((attribute, dw.FORM_SEC_OFFSET),)), Shape(BASE_TYPE)]
    table = word(len(body)) + body
    verdict = verdict_on(info_file(shapes, b"\1" + word(len(table)), {section: table}))
    assert findings(verdict) == []
    assert verdict.findings.skipped == [f"segment selectors of 4 bytes in {section}"]


def lists_table(rest: bytes, count: int = 0, version: int = 5, more: int = 0) -> bytes:
    """A table of lists, with its header; `more`: what its length has too much."""
    body = word(version, 2) + b"\x08\0" + word(count) + rest
    return word(len(body) + more) + body


LIST = b"\x04\0\x10\x01\x30\0"
"""DW_LLE_offset_pair."""
TWO = lists_table(LIST) + lists_table(LIST)


@pytest.mark.parametrize("section", [".debug_loclists", ".debug_rnglists"])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (TWO, None),
        (TWO + bytes(3), None),
        (lists_table(LIST) + bytes(8) + lists_table(LIST) + bytes(8), None),
        (lists_table(word(8) + word(0) + LIST, 2) + TWO, None),
        (lists_table(LIST) + lists_table(LIST, more=1),
         "length 0xf of a table is beyond the 0xe bytes left"),
        (lists_table(LIST, more=-14) + lists_table(LIST),
         "length 0x0 of a table is less than its header has"),
        (lists_table(LIST, more=-7), "length 0x7 of a table is less than its header has"),
        (lists_table(LIST) + lists_table(LIST + bytes(2) + LIST, more=-6),
         "length 0x1100004 of a table is beyond the 0x2 bytes left"),
        (lists_table(LIST) + lists_table(LIST, version=4),
         "version 4 in the header of a table, not 5"),
        (lists_table(LIST, 2) + lists_table(LIST),
         "offset_entry_count 2 is more than fit the 6 bytes of the table"),
    ],
)  # fmt: skip
def test_tables_of_lists_that_no_attribute_names(
    section: str, data: bytes, message: str | None
) -> None:
    """GCC's units lead to lists by offsets, and have no DW_AT_loclists_base (DWARF 5 7.28, 7.29:
    each table gives its length, its version and the number of its offsets)."""
    found = findings(verdict_on(info_file((SINGLE,), b"\1", {section: data})))
    assert [one.message for one in found] == ([] if message is None else [message])
    assert {one.rule for one in found} <= {"table-header"}


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        (12, None),
        (18 + 12 + 4, None),
        (4, "no list is at 0x4, in the header at 0x0"),
        (18 + 8, "no list is at 0x1a, in the header at 0x12"),
        (18 + 12, "no list is at 0x1e, in the table of offsets of lists"),
    ],
)
def test_no_list_is_in_a_header(offset: int, message: str | None) -> None:
    data = lists_table(LIST) + lists_table(word(4) + LIST, 1)
    unit_shape = Shape(COMPILE_UNIT, ((dw.AT_LOW_PC, dw.FORM_ADDR),), True)
    variable = Shape(VARIABLE, ((dw.AT_LOCATION, dw.FORM_SEC_OFFSET),))
    entries = b"\1" + words(0x1000) + b"\2" + word(offset) + b"\0"
    made = info_file((unit_shape, variable), entries, {".debug_loclists": data})
    found = findings(verdict_on(made))
    assert [one.message for one in found] == ([] if message is None else [message])
    assert {one.rule for one in found} <= {"unreadable-list"}
