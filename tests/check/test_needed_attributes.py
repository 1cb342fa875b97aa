"""Entries that lack an attribute without which they describe nothing (DWARF 5 chapters 2 to 5)."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf import constants as dw
from tests.check.made import COMPILE_UNIT, findings, info_file, one_entry, verdict_on, words
from tests.dwarf.builder import Shape

NAME, LINE = (dw.AT_NAME, 0x08, b"x\0"), (dw.AT_DECL_LINE, 0x0B, b"\7")
FLAG = b""
HIGH = (dw.AT_HIGH_PC, 0x06, words(0x40, size_bytes=4))


def of_unit(number: int) -> tuple[int, int, bytes]:
    """A reference to the entry of the unit."""
    return number, dw.FORM_REF4, words(12, size_bytes=4)


@pytest.mark.parametrize(
    ("tag", "attributes", "expected"),
    [
        (dw.TAG_VARIABLE, [NAME, LINE], ("DW_TAG_variable without DW_AT_type", "4.1")),
        (dw.TAG_VARIABLE, [NAME], None),  # not of the source
        (dw.TAG_VARIABLE, [NAME, LINE, (dw.AT_DECLARATION, 0x19, FLAG)], None),
        (dw.TAG_FORMAL_PARAMETER, [NAME, LINE],
         ("DW_TAG_formal_parameter without DW_AT_type", "4.1")),
        (dw.TAG_FORMAL_PARAMETER, [], None),  # GCC, of a constructor without code
        (dw.TAG_MEMBER, [NAME, LINE], ("DW_TAG_member without DW_AT_type", "5.7.6")),
        (dw.TAG_ARRAY_TYPE, [NAME], ("DW_TAG_array_type without DW_AT_type", "5.5")),
        (dw.TAG_INHERITANCE, [LINE], ("DW_TAG_inheritance without DW_AT_type", "5.7.3")),
        (dw.TAG_IMPORTED_DECLARATION, [LINE],
         ("DW_TAG_imported_declaration without DW_AT_import", "3.2.3")),
        (dw.TAG_CALL_SITE_PARAMETER, [(0x7E, 0x18, b"\1\x30")],
         ("DW_TAG_call_site_parameter without DW_AT_location", "3.4.2")),
        (dw.TAG_CALL_SITE_PARAMETER, [(0x7E, 0x18, b"\1\x30"), (0x02, 0x18, b"\1\x50")], None),
        (dw.TAG_SUBPROGRAM, [NAME, HIGH], ("DW_AT_high_pc without DW_AT_low_pc", "2.17.2")),
        (dw.TAG_SUBPROGRAM, [NAME, (dw.AT_LOW_PC, 0x01, words(0x1000)), HIGH], None),
        (dw.TAG_POINTER_TYPE, [NAME], None),  # to void
        (dw.TAG_SUBPROGRAM, [NAME, LINE], None),  # without a result
    ],
)  # fmt: skip
def test_an_attribute_that_entries_need(
    tag: int, attributes: list[tuple[int, int, bytes]], expected: tuple[str, str] | None
) -> None:
    results = findings(verdict_on(one_entry(tag, attributes)))
    missing = [one for one in results if one.rule == "missing-attribute"]
    assert [(one.message, one.section) for one in missing] == (
        [] if expected is None else [expected]
    )
    assert {one.severity for one in missing} <= {"warning"}


def test_an_entry_may_have_them_from_another() -> None:
    for number in dw.AT_SPECIFICATION, dw.AT_ABSTRACT_ORIGIN:
        results = findings(verdict_on(one_entry(dw.TAG_VARIABLE, [NAME, LINE, of_unit(number)])))
        assert all(one.rule != "missing-attribute" for one in results)


@pytest.mark.parametrize(
    ("producer", "has_types", "is_missing"),
    [
        ("GNU C17 12.2.0 -g1 -O2 -fPIC", False, False),
        ("GNU C17 12.2.0 -g1 -O2 -fPIC", True, False),  # types of another unit, in dwz's table
        ("GNU C17 12.2.0 -g -O2", False, True),
        ("GNU C++17 12.2.0", False, False),  # -gno-record-gcc-switches
        ("GNU C++17 12.2.0", True, True),
        ("clang version 19.1.7 -g1", False, True),
    ],
)
def test_gcc_describes_variables_without_types(
    producer: str, has_types: bool, is_missing: bool
) -> None:
    shapes = [
        Shape(COMPILE_UNIT, ((dw.AT_PRODUCER, 0x08),), True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, 0x08), (dw.AT_DECL_LINE, 0x0B))),
        *([Shape(dw.TAG_POINTER_TYPE, ((dw.AT_TYPE, dw.FORM_REF4),))] if has_types else []),
    ]
    entries = b"\x01" + producer.encode() + b"\0\x02x\0\7\0"
    results = findings(verdict_on(info_file(shapes, entries, machine=62)))
    assert ("missing-attribute" in {one.rule for one in results}) is is_missing
