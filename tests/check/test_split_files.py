"""What of split files cannot be read is a finding about the program that names them."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.check.file import verify
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.objfile.elf import ObjectFile
from tests.check.made import findings
from tests.dwarf.builder import FIXTURES, read_fixture


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, None),
        ({7: 7}, "address size 7"),
        ({0: 0xFF, 1: 0xFF}, "reaches beyond the section"),
    ],
)
def test_an_unreadable_header_in_a_split_file_is_an_error(
    tmp_path: Path, changes: dict[int, int], message: str | None
) -> None:
    """Bytes of the header of its unit: DWARF 5 7.5.1, the length and the address size."""
    for name in "prog", "b.dwo":
        (tmp_path / name).write_bytes(read_fixture(f"split/gcc5/{name}"))
    split = read_fixture("split/gcc5/a.dwo")
    info = ObjectFile("a.dwo", split).section_data(".debug_info.dwo")
    data, start = bytearray(split), split.index(info)
    for offset, value in changes.items():
        data[start + offset] = value
    (tmp_path / "a.dwo").write_bytes(data)
    found = findings(verify(CodeObject.open(tmp_path / "prog")))
    assert [one.rule for one in found] == ([] if message is None else ["unreadable-unit"])
    assert message is None or message in found[0].message
    if message is not None:
        position = found[0].position
        assert (position.section, position.offset) == (".debug_info.dwo", 0)
        assert position.kind == "unit" and position.file == str(tmp_path / "a.dwo")


INDEX_HEAD, SIGNATURE, ROW_NUMBER, NUMBER = 16, 8, 4, 4
"""Bytes of an index of a package before the slots, and of what it has (DWARF 5 7.3.5.3)."""


@pytest.mark.parametrize("name", ["prog", "prog.dwp"])
@pytest.mark.parametrize(
    ("version", "row", "message"),
    [
        (2, None, None),
        (2, (0x100000, 0), "a contribution to .debug_info.dwo at [0x100000,"),
        (2, (0, 5), " is outside its 0x1dc bytes"),
        (
            1,
            None,
            "version 1 of .debug_cu_index; read are version 5 (DWARF 5) and 2 (GNU, DWARF 4)",
        ),
    ],
)
def test_a_damaged_index_of_a_package(
    tmp_path: Path, name: str, version: int, row: tuple[int, int] | None, message: str | None
) -> None:
    """The first number of the first row is the offset of its unit in `.debug_info.dwo`."""
    (tmp_path / "prog").write_bytes(read_fixture("split/clang4/prog"))
    data = bytearray(read_fixture("split/clang4/prog.dwp"))
    start = ObjectFile("prog.dwp", bytes(data)).sections_by_name[".debug_cu_index"].offset
    assert struct.unpack_from("<I", data, start) == (2,)
    width, _, slots = struct.unpack_from("<3I", data, start + 4)
    struct.pack_into("<I", data, start, version)
    rows = start + INDEX_HEAD + (SIGNATURE + ROW_NUMBER) * slots
    (column,) = (i for i in range(width) if data[rows + NUMBER * i] == 1)  # DW_SECT_INFO
    offsets = rows + NUMBER * width + NUMBER * column
    if row is not None:
        offset, more = row
        struct.pack_into("<I", data, offsets, offset or 0x1D0 + more)
    (tmp_path / "prog.dwp").write_bytes(data)
    verdict = verify(CodeObject.open(tmp_path / name))
    broken = [one.message for one in findings(verdict) if one.rule == "unreadable-unit"]
    assert len(broken) == (row is not None)
    positions = [one.position for one in findings(verdict) if one.rule == "unreadable-unit"]
    assert all(one.section == ".debug_cu_index" for one in positions)
    assert message is None or message in " ".join([*broken, *verdict.findings.skipped])


@pytest.mark.parametrize("name", ["gcc4", "gcc5", "clang4", "clang5"])
def test_a_package_without_its_program(tmp_path: Path, name: str) -> None:
    """The program has the addresses: the expressions of lists are checked without them."""
    whole = verify(CodeObject.open(FIXTURES / "split" / name / "prog"))
    alone = verify(CodeObject.open(FIXTURES / "split" / name / "prog.dwp"))
    assert alone.expressions == whole.expressions
    assert alone.findings.skips and all(
        "ranges of lists: " in skipped for skipped in alone.findings.skipped
    )
    known = [one.rule for one in findings(whole) if one.rule != "range-outside-function"]
    assert [one.rule for one in findings(alone)] == known
    data = bytearray(read_fixture(f"split/{name}/prog.dwp"))
    sections = ObjectFile("prog.dwp", bytes(data)).sections_by_name
    lists = sections.get(".debug_loclists.dwo") or sections[".debug_loc.dwo"]
    at = data.index(b"\x9f", lists.offset, lists.offset + lists.size_bytes)
    data[at] = 0  # DW_OP_stack_value, and an operation that is not defined
    (tmp_path / "prog.dwp").write_bytes(data)
    found = findings(verify(CodeObject.open(tmp_path / "prog.dwp")))
    assert [one.rule for one in found if one.rule not in known] == ["unknown-operation"]
