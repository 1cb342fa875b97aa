"""Sections that a damaged file loses: without a name, or outside of all segments."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import SHT_NOTE
from dwarfgpu.objfile.elf_structures import SHF_ALLOC, SHT_NOBITS
from dwarfgpu.objfile.lost_sections import unloaded_sections, unnamed_sections
from tests.check.made import findings, verdict_on
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES, read_fixture

NEST = "hip/nest.gfx942.O2.v5.co"
PROGRAM_HEADER_BYTES = 56
DAMAGED = "the section name string table may be damaged"
LOADED = (
    "no PT_LOAD segment has section .data at 0x3c30 and 1 more: a program header may be damaged"
)


def without_names(*names: str) -> bytes:
    """The file with sections whose names are empty."""
    data = bytearray(read_fixture(NEST))
    sections = ObjectFile("", bytes(data)).sections_by_name
    table = sections[".shstrtab"]
    for name in names:
        at = data.index(b"\0" + name.encode() + b"\0", table.offset) + 1
        data[at : at + len(name)] = bytes(len(name))
    return bytes(data)


def without_segment() -> bytes:
    """The file without the program header of its last loaded segment."""
    data = bytearray(read_fixture(NEST))
    segments = ObjectFile("", bytes(data)).segments
    index = max(index for index, segment in enumerate(segments) if segment.type == 1)
    at = 64 + index * PROGRAM_HEADER_BYTES
    data[at : at + PROGRAM_HEADER_BYTES] = bytes(PROGRAM_HEADER_BYTES)
    return bytes(data)


def errors(data: bytes) -> list[str]:
    return [found.rule for found in findings(verdict_on(data)) if found.severity == "error"]


def test_units_in_a_section_without_a_name() -> None:
    """Where nothing else says why the file has no debugging information."""
    info = DebugInfo.of(ObjectFile("f", without_names(".debug_info", ".debug_abbrev")))
    assert info.unsearched is not None
    assert info.unsearched.message == f"f: 2 sections have no name: {DAMAGED}"
    assert errors(without_names(".debug_info")) == ["unreadable-unit"]


def test_another_section_without_a_name() -> None:
    file = ObjectFile("f", without_names(".debug_frame"))
    problem = unnamed_sections(file)
    assert problem is not None
    assert problem.message == f"f: 1 section has no name: {DAMAGED}"
    assert DebugInfo.of(file).unsearched is None
    assert errors(without_names(".debug_frame")) == ["lost-section"]


def test_an_allocated_section_outside_of_all_segments(tmp_path: Path) -> None:
    data = without_segment()
    problem = unloaded_sections(ObjectFile("f", data))
    assert problem is not None and problem.message == f"f: {LOADED}"
    [found] = [found for found in findings(verdict_on(data)) if found.rule == "lost-section"]
    assert found.severity == "warning"
    (path := tmp_path / "f.co").write_bytes(data)
    arguments = ("--arg", "in=range:64", "--arg", "out=zeros:4096", "--arg", "limit=10")
    done = run("run", path, "nest", "--grid", 64, "--workgroup", 64, *arguments)
    assert f"note: Malformed: {path}: {LOADED}" in done.err


@pytest.mark.parametrize(("field", "change"), [(8, 0x1000), (32, -4)], ids=["offset", "filesz"])
def test_a_segment_with_other_bytes(field: int, change: int) -> None:
    """Of the code: p_offset and p_filesz are fields of its program header."""
    data = bytearray(read_fixture(NEST))
    file = ObjectFile("", bytes(data))
    text = file.sections_by_name[".text"]
    [index] = [
        index
        for index, segment in enumerate(file.segments)
        if segment.type == 1 and 0 <= text.address - segment.address < segment.memory_bytes
    ]
    at = 64 + index * PROGRAM_HEADER_BYTES + field
    value = int.from_bytes(data[at : at + 8], "little") + change
    data[at : at + 8] = value.to_bytes(8, "little")
    problem = unloaded_sections(ObjectFile("f", bytes(data)))
    assert problem is not None and "no PT_LOAD segment has section .text at" in problem.message


def test_a_debug_file_with_the_segments_of_its_program() -> None:
    """As of `eu-strip -f`: only the notes have contents, at another offset."""
    data = bytearray(read_fixture(NEST))
    file = ObjectFile("", bytes(data))
    table, entry_bytes = int.from_bytes(data[40:48], "little"), 64
    for section in file.sections:
        at = table + section.index * entry_bytes
        if section.flags & SHF_ALLOC and section.type != SHT_NOTE:
            data[at + 4 : at + 8] = SHT_NOBITS.to_bytes(4, "little")
        elif section.type == SHT_NOTE:
            data[at + 24 : at + 32] = (section.offset + 8).to_bytes(8, "little")
    assert unloaded_sections(ObjectFile("f", bytes(data))) is None


@pytest.mark.parametrize("pattern", ["hip/*.co", "core/*.O[02]", "nvidia/*.cubin"])
def test_files_of_producers_lose_none(pattern: str) -> None:
    paths = sorted(FIXTURES.glob(pattern))
    assert paths
    for path in paths:
        file = ObjectFile(str(path), path.read_bytes())
        assert unnamed_sections(file) is None and unloaded_sections(file) is None
