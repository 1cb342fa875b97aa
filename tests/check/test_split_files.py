"""What of split files cannot be read is a finding about the program that names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.check.file import verify
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.objfile.elf import ObjectFile
from tests.check.made import findings
from tests.dwarf.builder import read_fixture


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
