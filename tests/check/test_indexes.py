"""Indexes that contradict the units: `.debug_aranges`, `.gdb_index` and `.debug_names` of GCC, GDB
and clang with one byte changed, and what `llvm-dwarfdump --verify` says of the last."""

from __future__ import annotations

import pytest

from dwarfgpu.check import indexes, name_indexes
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.objfile.elf import ObjectFile
from tests.check.made import findings, info_file, verdict_on, words
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES, X86_64, Content, Shape, read_fixture

ARANGES, GDB, NAMES = "index/symbols.gcc", "index/gdb.gcc", "x86_64/names.clang.O0.v5"
LLD = "index/lld.clang"
BUCKETS, HASHES, ENTRY_OFFSETS, ABBREVIATIONS, POOL = 48, 84, 236, 312, 377
THING, INT = POOL + 0x14, POOL + 0x54
"""In `.debug_names`, which has 9 buckets and 19 names (DWARF 5 6.1.1.4)."""


@pytest.mark.parametrize(
    ("name", "section", "offset", "value", "message"),
    [
        # Length of the first set, then the unit of the second.
        (ARANGES, "aranges", 24, 0x40, "[0x2000f0,0x2000ff) of the unit at 0x0 is missing"),
        (ARANGES, "aranges", 24, 0x5F, "[0x2000ff,0x20010f) is not code of the unit at 0x0"),
        (ARANGES, "aranges", 54, 0xC8, "no unit starts at offset 0x1c8 of .debug_info"),
        (ARANGES, "info", 0x22, 0x5F, "[0x2000ff,0x20010f) is also the code of the unit at 0x0"),
        # The highest byte of a length, and of an end: into memory of no unit.
        (ARANGES, "aranges", 79, 0x80, " [0x200158,0x800000000020012c) of the unit at "),
        (LLD, "index", 89, 0x80, "[0x200158,0x80000020012d) of the unit at 0xfb is in no section"),
        (ARANGES, "aranges", 95, 0x36, "the set at 0x30 does not end with a pair of zeros"),
        # The list of units, then the addresses: their end, and their unit.
        (GDB, "index", 0x28, 0xC8, "no unit starts at offset 0x1c8 of .debug_info"),
        (GDB, "index", 0x38 + 8, 0xF0, "[0x2000f0,0x2000ff) of the unit at 0x0 is missing"),
        (GDB, "index", 0x38 + 16, 1, "[0x2000b0,0x2000ff) is not code of the unit at 0x1c7"),
        (GDB, "index", 0x10, 0xFF, "the size of an area is not a multiple of its entries'"),
        (NAMES, "names", 44, 1, "no unit starts at offset 0x1 of .debug_info"),
        (NAMES, "names", BUCKETS, 0x7F, "bucket 0 begins at name 127 of 19"),
        (NAMES, "names", BUCKETS + 4, 0, "no bucket leads to "),
        (NAMES, "names", HASHES, 0, "the hash of "),
        (NAMES, "names", ABBREVIATIONS + 1, 5, "DW_TAG_formal_parameter, and the entry at "),
        (NAMES, "names", POOL, 0, " has no entries"),
        (NAMES, "names", POOL + 1, 0xFF, "entry 0x0: no entry starts at "),
        (NAMES, "names", THING + 5, 0, "the entry at 0xaf does not contain that at 0x58"),
        (NAMES, "names", THING + 5, 9, "entry 0x14: its parent, entry 0x9, is no entry"),
        (NAMES, "names", THING + 6, 9, "entry 0x14: its parent: entry 0x932 is outside the entry"),
        (NAMES, "names", INT + 1, 0xBC, "no entry leads to DW_TAG_base_type int at 0x78"),
    ],
    ids=range(22),
)
def test_one_byte_of_an_index(
    name: str, section: str, offset: int, value: int, message: str
) -> None:
    data = bytearray(read_fixture(name))
    names = {"index": ".gdb_index"}
    start = ObjectFile(name, bytes(data)).sections_by_name[names.get(section, f".debug_{section}")]
    assert findings(verdict_on(bytes(data))) == []
    assert data[start.offset + offset] != value
    data[start.offset + offset] = value
    found = findings(verdict_on(bytes(data)))
    assert any(message in one.message for one in found), found
    assert {one.rule for one in found} <= {"wrong-index", "overlapping-units"}
    assert {one.severity for one in found} == {"warning"}


@pytest.mark.parametrize("name", [ARANGES, GDB, NAMES])
def test_a_unit_that_cannot_be_read_is_where_the_index_says(name: str) -> None:
    """Of a later version of DWARF, or beyond the maximum number of units: not that of the index."""
    data = bytearray(read_fixture(name))
    data[ObjectFile(name, bytes(data)).sections_by_name[".debug_info"].offset + 4] = 7
    verdict = verdict_on(bytes(data))
    assert findings(verdict) == [] and verdict.findings.skips == 1


@pytest.mark.parametrize(("name", "section"), [(GDB, ".gdb_index"), (NAMES, "name indexes")])
def test_very_many_listed_units(name: str, section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index may list the same unit a million times."""
    for module in (indexes, name_indexes):
        monkeypatch.setattr(module, "MAX_LISTED_UNITS", 0)
    verdict = verdict_on(read_fixture(name))
    assert findings(verdict) == [] and verdict.findings.skips == 1
    assert section in verdict.findings.skipped[0]


@pytest.mark.parametrize("name", [ARANGES, GDB])
def test_units_beyond_the_maximum_are_where_the_index_says(name: str) -> None:
    done = run("check", "--max-units", "1", FIXTURES / name)
    assert done.status == 2 and "starts" not in done.out
    assert "not checked: " in done.out and ": 1 unit and 0 that cannot be used are " in done.out


FIRST, LATER, REST = (0x1008, 0x10), (0x1020, 0x10), (0x1030, 0x40)


@pytest.mark.parametrize(
    ("pairs", "padding", "message"),
    [
        ([FIRST, LATER, REST], b"\0", None),
        ([FIRST, LATER, REST], b"\x66\x90", None),
        ([FIRST, LATER, REST], b"\x0f\x1f\x40\x00", None),
        ([FIRST, LATER, REST], b"\x0f\x1f\x84\0\0\0\0\0", None),
        (
            [FIRST, LATER, REST],
            b"\x0f\x1f\x40\xc3\xc3\xc3\xc3\xc3",
            "[0x1000,0x1008) [0x1018,0x1020) of the unit at 0x0 is missing",
        ),
        (
            [FIRST, LATER, REST],
            b"\xc3",
            "[0x1000,0x1008) [0x1018,0x1020) of the unit at 0x0 is missing",
        ),
        ([FIRST, REST], b"\0", "[0x1018,0x1030) of the unit at 0x0 is missing"),
        # Code that no entry describes, as where only functions with inlined calls are described.
        ([FIRST, LATER], b"\0", "[0x1030,0x1070) of the unit at 0x0 is missing"),
    ],
)
def test_an_index_may_leave_out_padding_around_functions(
    pairs: list[tuple[int, int]], padding: bytes, message: str | None
) -> None:
    """Units of Free Pascal cover the padding between their functions, too."""
    code = (dw.AT_LOW_PC, dw.FORM_ADDR), (dw.AT_HIGH_PC, dw.FORM_DATA1)
    shapes = Shape(dw.TAG_COMPILE_UNIT, code, True), Shape(dw.TAG_SUBPROGRAM, code)
    entries = b"\1" + words(0x1000) + b"\x70"
    entries += b"\2" + words(0x1008) + b"\x10\2" + words(0x1020) + b"\x10\0"
    section = b"".join(words(*pair) for pair in [*pairs, (0, 0)])
    head = b"\2\0" + bytes(4) + b"\x08\0" + bytes(4)
    aligning = padding * (8 // len(padding))
    others: dict[str, bytes | Content] = {
        ".debug_aranges": words(len(head) + len(section), size_bytes=4) + head + section,
        ".text": Content(
            aligning + b"\xc3" * 0x10 + aligning + b"\xc3" * 0x50, flags=6, address=0x1000
        ),
    }
    file = info_file(shapes, entries, others, machine=X86_64)
    messages = [one.message for one in findings(verdict_on(file)) if one.rule == "wrong-index"]
    assert messages == ([] if message is None else [message])


def test_a_name_that_leads_to_an_entry_with_another() -> None:
    """The entries of two names are swapped; llvm-dwarfdump says `mismatched Name of DIE`."""
    data = bytearray(read_fixture(NAMES))
    start = ObjectFile(NAMES, bytes(data)).sections_by_name[".debug_names"].offset + ENTRY_OFFSETS
    entries = data[start : start + 8]
    data[start : start + 8] = entries[4:] + entries[:4]
    messages = [one.message for one in findings(verdict_on(bytes(data)))]
    assert len(messages) == 2
    assert all(": its name is " in text and ", and the entry at " in text for text in messages)


@pytest.mark.parametrize(
    ("name", "listed", "is_sound"),
    [
        ("operator<<int>", "operator<", True),
        ("operator< <int>", "operator<", True),
        ("operator<<<int>", "operator<<", True),
        ("operator<=><int>", "operator<=>", True),
        ("operator<", "operator<<int>", True),
        ("twice<int>", "twice", True),
        ("operator<<int>", "operator", False),
    ],
)
def test_a_template_may_be_listed_without_its_arguments(
    name: str, listed: str, is_sound: bool
) -> None:
    """As llvm-dwarfutil writes an index."""
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, (), True),
        Shape(dw.TAG_SUBPROGRAM, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOW_PC, dw.FORM_ADDR))),
    )
    entries = b"\1\2" + name.encode() + b"\0" + words(0x1000) + b"\0"
    abbreviation = bytes((1, dw.TAG_SUBPROGRAM, 3, dw.FORM_REF4, 0, 0, 0))
    index = words(5, size_bytes=4) + words(1, 0, 0, 0, 1, len(abbreviation), 0, size_bytes=4)
    index += words(0, 0, 0, size_bytes=4) + abbreviation + b"\1" + words(13, size_bytes=4) + b"\0"
    others: dict[str, bytes | Content] = {
        ".debug_names": words(len(index), size_bytes=4) + index,
        ".debug_str": listed.encode() + b"\0",
    }
    verdict = verdict_on(info_file(shapes, entries, others, machine=X86_64))
    messages = [one.message for one in findings(verdict) if one.rule == "wrong-index"]
    wrong = f"entry 0x0: its name is {listed}, and the entry at 0xd is {name}"
    assert messages == ([] if is_sound else [wrong])


def test_only_so_many_names_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes a while, and a hostile index has millions: the check is then incomplete."""
    monkeypatch.setattr("dwarfgpu.check.name_indexes._MOST_COMPARED", 5)
    findings_of_all = verdict_on(read_fixture(NAMES)).findings
    assert findings_of_all.is_incomplete and findings_of_all.skips == 1


def test_many_names_that_an_index_lacks_are_one_finding() -> None:
    """DWARF 5 6.1.1.1: it has all types and functions of the unit and its namespaces."""
    data = bytearray(read_fixture(NAMES))
    names = ObjectFile(NAMES, bytes(data)).sections_by_name[".debug_names"]
    for entry, die in ((INT, 0xBC), (POOL + 0x60, 0x78 + 1)):
        data[names.offset + entry + 1] = die
    messages = [one.message for one in findings(verdict_on(bytes(data)))]
    assert "no entry leads to DW_TAG_base_type int at 0x78" in messages
    data[names.offset + INT + 1] = 0x79
    messages = [one.message for one in findings(verdict_on(bytes(data)))]
    assert "no entry leads to DW_TAG_base_type int at 0x78, nor to 1 other" in messages
