"""Attributes of a wrong class, or that lead outside the tables of other sections."""

from __future__ import annotations

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.scope_entries import decl_file
from dwarfgpu.errors import IllFormed
from tests.check.made import (
    ADDR,
    BASE_TYPE,
    COMPILE_UNIT,
    DATA1,
    DATA4,
    EXPRLOC,
    LABEL,
    REF4,
    SEC_OFFSET,
    STRING,
    SUBPROGRAM,
    VARIABLE,
    block,
    findings,
    info_file,
    opened,
    operations,
    verdict_on,
    words,
)
from tests.dwarf.builder import X86_64, Shape
from tests.dwarf.test_line import Table

FLAG, STRP, STRX1, LINE_STRP, ADDRX1, RNGLISTX, DATA2 = 0x0C, 0x0E, 0x25, 0x1F, 0x29, 0x23, 0x05
FLAG_PRESENT = 0x19
STRINGS = b"a\0bc\0d"
"""Of which the last does not end."""
OTHERS = {
    ".debug_str": STRINGS,
    ".debug_line_str": b"ab\0",
    ".debug_str_offsets": words(20, size_bytes=4) + b"\5\0\0\0" + words(0, 2, 5, 9, size_bytes=4),
    ".debug_addr": words(12, size_bytes=4) + b"\5\0\x08\0" + words(0x1000),
    ".debug_rnglists": words(26, size_bytes=4) + b"\5\0\x08\0" + words(2, 8, 99, size_bytes=4)
    + b"\7" + words(0x1000) + b"\1",
}  # fmt: skip
BASES = ((dw.AT_STR_OFFSETS_BASE, SEC_OFFSET), (dw.AT_ADDR_BASE, SEC_OFFSET))
UNIT = Shape(COMPILE_UNIT, BASES, True)
START = b"\1" + words(8, 8, size_bytes=4)


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        (STRP, words(0, size_bytes=4), None),
        (STRP, words(4, size_bytes=4), None),  # the empty end of a string
        (STRP, words(5, size_bytes=4), "no string starts at .debug_str+0x5"),
        (STRP, words(0x1000, size_bytes=4), "no string starts at .debug_str+0x1000"),
        (LINE_STRP, words(1, size_bytes=4), None),
        (LINE_STRP, words(3, size_bytes=4), "no string starts at .debug_line_str+0x3"),
        (STRX1, b"\1", None),
        (STRX1, b"\2", "no string starts at .debug_str+0x5"),
        (STRX1, b"\3", "no string starts at .debug_str+0x9"),
        (STRX1, b"\4", "index 4 at .debug_str_offsets+0x8 is outside the section"),
    ],
)
def test_strings(form: int, value: bytes, message: str | None) -> None:
    shape = Shape(VARIABLE, ((dw.AT_LINKAGE_NAME, form),))
    found = findings(verdict_on(info_file([UNIT, shape], START + b"\2" + value + b"\0", OTHERS)))
    assert [(one.rule, one.message, one.position.attribute) for one in found] == [
        ("outside-table", f"DW_AT_linkage_name: {message}", "DW_AT_linkage_name")
    ][: message is not None]


@pytest.mark.parametrize(("index", "count"), [(0, 0), (1, 1)])
def test_addresses(index: int, count: int) -> None:
    shape = Shape(LABEL, ((dw.AT_LOW_PC, ADDRX1),))
    data = info_file([UNIT, shape], START + bytes((2, index, 0)), OTHERS)
    assert [one.rule for one in findings(verdict_on(data))] == count * ["outside-table"]


@pytest.mark.parametrize(("index", "count"), [(0, 0), (1, 2)])
def test_tables_end_before_those_of_other_units(index: int, count: int) -> None:
    """DWARF 5 7.26 and 7.27: the length of a header covers the numbers of one unit."""
    shape = Shape(LABEL, ((dw.AT_NAME, STRX1), (dw.AT_LOW_PC, ADDRX1)))
    names = words(8, size_bytes=4) + b"\5\0\0\0" + words(0, size_bytes=4)
    tables = {".debug_str_offsets": 2 * names, ".debug_addr": 2 * OTHERS[".debug_addr"]}
    data = info_file([UNIT, shape], START + bytes((2, index, index, 0)), {**OTHERS, **tables})
    found = findings(verdict_on(data))
    assert [one.rule for one in found] == count * ["outside-table"]
    assert all("outside the unit's part, which ends at 0x" in one.message for one in found)


@pytest.mark.parametrize(
    ("offset", "rules"), [(0, ["unreadable-list"]), (14, []), (99, ["unreadable-list"])]
)
def test_range_lists(offset: int, rules: list[str]) -> None:
    lists = words(11, size_bytes=4) + b"\5\0\x08\0" + words(0, size_bytes=4) + b"\x0f\0\0"
    shape = Shape(SUBPROGRAM, ((dw.AT_RANGES, SEC_OFFSET),))
    entries = START + b"\2" + words(offset, size_bytes=4) + b"\0"
    data = info_file([UNIT, shape], entries, {**OTHERS, ".debug_rnglists": lists})
    assert [one.rule for one in findings(verdict_on(data))] == rules


@pytest.mark.parametrize(
    ("version", "attribute", "form", "value", "words_of_it"),
    [
        (3, dw.AT_EXTERNAL, FLAG_PRESENT, b"",
         "DW_AT_external has DW_FORM_flag_present, a form of DWARF 4, in a unit of version 3"),
        (4, dw.AT_EXTERNAL, FLAG_PRESENT, b"", None),
        (2, dw.AT_LOCATION, dw.FORM_EXPRLOC, b"\x09\x03" + bytes(8),
         "DW_AT_location has DW_FORM_exprloc, a form of DWARF 4, in a unit of version 2"),
        (4, dw.AT_CONST_VALUE, dw.FORM_DATA16, bytes(16),
         "DW_AT_const_value has DW_FORM_data16, a form of DWARF 5, in a unit of version 4"),
        (5, dw.AT_CONST_VALUE, dw.FORM_DATA16, bytes(16), None),
        (3, dw.AT_CONST_VALUE, dw.FORM_SDATA, b"\1", None),
    ],
)  # fmt: skip
def test_forms_of_later_versions(
    version: int, attribute: int, form: int, value: bytes, words_of_it: str | None
) -> None:
    """The versions are those of figure 21 of DWARF 4 and table 7.6 of DWARF 5."""
    unit, shape = Shape(COMPILE_UNIT, (), True), Shape(VARIABLE, ((attribute, form),))
    data = info_file([unit, shape], b"\1" + (b"\2" + value) * 3 + b"\0", version=version)
    found = [(one.rule, one.message) for one in findings(verdict_on(data))]
    assert found == ([] if words_of_it is None else [("newer-form", words_of_it)])


@pytest.mark.parametrize(
    ("attribute", "form", "value", "words_of_it"),
    [
        (dw.AT_NAME, DATA4, words(7, size_bytes=4),
         "DW_AT_name is not a string but of class constant"),
        (dw.AT_TYPE, DATA4, words(7, size_bytes=4),
         "DW_AT_type is not a reference but of class constant"),
        (dw.AT_TYPE, STRING, b"a\0", "DW_AT_type is not a reference but of class string"),
        (dw.AT_LOCATION, DATA4, words(7, size_bytes=4),
         "DW_AT_location is not an expression or a location list but of class constant"),
        (dw.AT_LOW_PC, DATA4, words(7, size_bytes=4),
         "DW_AT_low_pc is not an address but of class constant"),
        (dw.AT_BYTE_SIZE, STRING, b"a\0",
         "DW_AT_byte_size is not a constant, an expression or a reference but of class string"),
        (dw.AT_EXTERNAL, DATA1, b"\1", "DW_AT_external is not a flag but of class constant"),
        (dw.AT_DECL_LINE, STRING, b"a\0", "DW_AT_decl_line is not a constant but of class string"),
        (0x39, STRING, b"a\0", "DW_AT_decl_column is not a constant but of class string"),
        (0x27, DATA1, b"\1", "DW_AT_prototyped is not a flag but of class constant"),
        (0x64, DATA1, b"\0", None),  # LLVM 21
        (0x64, STRING, b"a\0",
         "DW_AT_object_pointer is not a reference or the index of a parameter but of class string"),
        (0x7E, DATA1, b"\1", "DW_AT_call_value is not an expression but of class constant"),
        (0x79, DATA4, bytes(4), "DW_AT_macros is not the offset of a table but of class constant"),
        (dw.AT_DECL_LINE, FLAG, b"\1", "DW_AT_decl_line is not a constant but of class flag"),
        (0x39, FLAG, b"\1", "DW_AT_decl_column is not a constant but of class flag"),
        (dw.AT_ENCODING, FLAG, b"\5", "DW_AT_encoding is not a constant but of class flag"),
        (0x20, FLAG, b"\1", "DW_AT_inline is not a constant but of class flag"),
        (dw.AT_LANGUAGE, FLAG, b"\2", "DW_AT_language is not a constant but of class flag"),
        (dw.AT_BYTE_SIZE, FLAG, b"\4",
         "DW_AT_byte_size is not a constant, an expression or a reference but of class flag"),
        (dw.AT_BIT_SIZE, FLAG_PRESENT, b"",
         "DW_AT_bit_size is not a constant, an expression or a reference but of class flag"),
        (dw.AT_UPPER_BOUND, FLAG, b"\4",
         "DW_AT_upper_bound is not a constant, an expression or a reference but of class flag"),
        (dw.AT_DATA_MEMBER_LOCATION, FLAG, b"\4",
         "DW_AT_data_member_location is not a constant, an expression or a reference but of class "
         "flag"),
        (dw.AT_CONST_VALUE, FLAG, b"\1", None),
        (dw.AT_DECL_LINE, DATA2, b"\1\0", None),
        (dw.AT_NAME, STRING, b"a\0", None),
        (dw.AT_LOW_PC, ADDR, words(0x1000), None),
        (dw.AT_EXTERNAL, FLAG, b"\1", None),
    ],
)  # fmt: skip
def test_classes(attribute: int, form: int, value: bytes, words_of_it: str | None) -> None:
    """The classes are those of table 7.5 of DWARF 5."""
    shape = Shape(VARIABLE, ((attribute, form),))
    data = info_file([UNIT, shape], START + (b"\2" + value) * 3 + b"\0", OTHERS)
    found = [(one.rule, one.message) for one in findings(verdict_on(data))]
    assert found == ([] if words_of_it is None else [("wrong-class", words_of_it)])


def test_flags_as_numbers_before_dwarf_5() -> None:
    shape = Shape(VARIABLE, ((dw.AT_DECL_LINE, FLAG),))
    data = info_file([Shape(COMPILE_UNIT, (), True), shape], b"\1\2\7\0", version=4)
    assert findings(verdict_on(data)) == []


def test_offsets_of_constant_forms_before_dwarf_4() -> None:
    shape = Shape(VARIABLE, ((dw.AT_LOCATION, DATA4),))
    empty = {".debug_loc": words(0, 0)}
    entries = b"\1\2" + words(0, size_bytes=4) + b"\0"
    data = info_file([Shape(COMPILE_UNIT, (), True), shape], entries, empty, version=3)
    assert findings(verdict_on(data)) == []


@pytest.mark.parametrize(
    ("count", "size", "rule"),
    [
        (4, 4, None),
        (4, 8, "value-short-of-type"),
        (8, 4, "value-exceeds-type"),
        (10, 16, None),  # a long double of x86
    ],
)
def test_implicit_values(count: int, size: int, rule: str | None) -> None:
    base = Shape(
        BASE_TYPE, ((dw.AT_NAME, STRING), (dw.AT_BYTE_SIZE, DATA1), (dw.AT_ENCODING, DATA1))
    )
    shape = Shape(VARIABLE, ((dw.AT_TYPE, REF4), (dw.AT_LOCATION, EXPRLOC)))
    value = block(operations(f"implicit_value {count}, " + " ".join("1" * count)))
    at = 12 + len(START)
    entries = (
        START
        + b"\2long double\0"
        + bytes((size, 4))
        + b"\3"
        + words(at, size_bytes=4)
        + value
        + b"\0"
    )
    found = findings(verdict_on(info_file([UNIT, base, shape], entries, OTHERS, machine=X86_64)))
    assert [one.rule for one in found] == ([] if rule is None else [rule])


@pytest.mark.parametrize(
    ("text", "size", "is_short"),
    [
        ("lit1; stack_value", 8, False),
        ("lit1; stack_value", 4, False),
        ("lit1; stack_value", 16, True),
        ("breg7 88; deref_size 8; deref; stack_value", 32, True),
        ("lit1; convert 0x20; stack_value", 16, False),  # of a type of any size
        ("lit0; bra 1; lit1; stack_value", 16, False),
        ("lit1; stack_value; nop", 16, False),
        ("GNU_variable_value 0x20; stack_value", 16, False),
        ("lit1; stack_value; lit6; LLVM_offset", 4, True),
        ("lit1; stack_value; lit6; LLVM_offset", 2, False),
        ("lit1; stack_value; lit31; lit18; plus; LLVM_bit_offset", 2, True),
        ("implicit_value 4, 1 2 3 4; LLVM_offset_uconst 2", 4, True),
        ("implicit_value 4, 1 2 3 4; LLVM_offset_uconst 2", 2, False),
        ("regx s0; piece 4; LLVM_piece_end; lit2; LLVM_offset", 4, True),
        ("regx s0; piece 4; LLVM_piece_end; lit2; LLVM_offset", 2, False),
        ("regx s0; piece 4; LLVM_piece_end; breg7 0; deref; LLVM_offset", 4, False),
        ("breg7 0; lit2; LLVM_offset", 4, False),  # in memory
    ],
)
def test_values_shorter_than_their_object(text: str, size: int, is_short: bool) -> None:
    base = Shape(
        BASE_TYPE, ((dw.AT_NAME, STRING), (dw.AT_BYTE_SIZE, DATA1), (dw.AT_ENCODING, DATA1))
    )
    shape = Shape(VARIABLE, ((dw.AT_TYPE, REF4), (dw.AT_LOCATION, EXPRLOC)))
    at = words(12 + len(START), size_bytes=4)
    entries = START + b"\2f\0" + bytes((size, 4)) + b"\3" + at + block(operations(text)) + b"\0"
    found = findings(verdict_on(info_file([UNIT, base, shape], entries, OTHERS)))
    of_sizes = [one.rule for one in found if "type" in one.rule]
    assert of_sizes == (["value-short-of-type"] if is_short else [])


@pytest.mark.parametrize(("size", "count"), [(4, 0), (16, 0), (17, 1)])
def test_constants_of_large_objects(size: int, count: int) -> None:
    """A number has at most 16 bytes (DW_FORM_data16)."""
    layout = (dw.AT_NAME, STRING), (dw.AT_BYTE_SIZE, DATA1)
    structure = Shape(dw.TAG_STRUCTURE_TYPE, layout)
    shape = Shape(VARIABLE, ((dw.AT_TYPE, REF4), (dw.AT_CONST_VALUE, DATA1)))
    at = words(12 + len(START), size_bytes=4)
    data = START + b"\2s\0" + bytes((size,)) + b"\3" + at + b"\7\0"
    found = findings(verdict_on(info_file([UNIT, structure, shape], data, OTHERS)))
    assert [one.rule for one in found] == count * ["wrong-layout"]


def test_an_enumerator_without_a_value() -> None:
    enumeration = Shape(dw.TAG_ENUMERATION_TYPE, ((dw.AT_BYTE_SIZE, DATA1),), True)
    named = ((dw.AT_NAME, STRING),)
    without = Shape(dw.TAG_ENUMERATOR, named)
    right = Shape(dw.TAG_ENUMERATOR, (*named, (dw.AT_CONST_VALUE, DATA1)))
    data = START + b"\2\4\3a\0\4b\0\1\0\0"
    (found,) = findings(verdict_on(info_file([UNIT, enumeration, without, right], data, OTHERS)))
    assert (found.rule, found.position.name) == ("wrong-layout", "a")


@pytest.mark.parametrize(
    ("version", "number", "message"),
    [
        (4, 0, None),  # no file, by DWARF 4 2.14
        (4, 1, None),
        (4, 2, "the line table has no file 2, only 1 to 1"),
        (5, 0, None),
        (5, 1, "the line table has no file 1, only 0 to 0"),
    ],
)
def test_files(version: int, number: int, message: str | None) -> None:
    names = b"\0a.c\0\0\0\0\0" if version == 4 else None
    shape = Shape(VARIABLE, ((dw.AT_DECL_FILE, DATA1),))
    unit = Shape(COMPILE_UNIT, ((dw.AT_STMT_LIST, SEC_OFFSET),), True)
    entries = b"\1" + bytes(4) + bytes((2, number, 0))
    lines = {".debug_line": Table(version=version, names=names).data()}
    data = info_file([unit, shape], entries, lines, version=version)
    found = [(one.rule, one.message) for one in findings(verdict_on(data))]
    wrong = [("outside-table", f"DW_AT_decl_file: {message}")]
    assert found == ([] if message is None else wrong)
    (variable,) = opened(data).info.units[0].root.children()
    if message is None:
        assert (decl_file(variable) is None) == (version == 4 and not number)
    else:
        with pytest.raises(IllFormed, match=message):
            decl_file(variable)


def test_an_entry_has_each_attribute_once() -> None:
    name = (dw.AT_NAME, dw.FORM_STRING)
    line = (dw.AT_DECL_LINE, dw.FORM_DATA1)
    unit = Shape(dw.TAG_COMPILE_UNIT, (), True)
    for shape, data, messages in (
        ((name, line), b"a\0\1", []),
        ((name, line, line), b"a\0\1\1", ["DW_AT_decl_line occurs 2 times in the entry"]),
    ):
        file = info_file((unit, Shape(dw.TAG_TYPEDEF, shape)), b"\1" + 2 * (b"\2" + data) + b"\0")
        found = findings(verdict_on(file))
        assert [one.message for one in found if one.rule == "repeated-attribute"] == messages
