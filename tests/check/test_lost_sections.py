"""Sections that a damaged file loses: without a name, or outside of all segments."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_notes import SHT_NOTE
from dwarfgpu.objfile.elf_structures import ET_REL, PT_TLS, SHF_ALLOC, SHF_TLS, SHT_NOBITS
from dwarfgpu.objfile.lost_sections import contradicted_tls, unloaded_sections, unnamed_sections
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


def with_tls(changes: dict[int, int], name: str = "core/crash.x86_64.O2") -> bytearray:
    """The file with other fields, by their offsets, in the program header of its thread-local
    storage."""
    data = bytearray(read_fixture(name))
    segments = ObjectFile("", bytes(data)).segments
    [index] = [index for index, segment in enumerate(segments) if segment.type == PT_TLS]
    for field, value in changes.items():
        at = 64 + index * PROGRAM_HEADER_BYTES + field
        data[at : at + 8] = value.to_bytes(8, "little")
    return data


@pytest.mark.parametrize(
    ("field", "value", "has"),
    [
        (40, 0, "0x0 bytes at 0x3efc aligned to 0x4"),
        (40, 8, "0x8 bytes at 0x3efc aligned to 0x4"),
        (16, 0x3EFD, "0x4 bytes at 0x3efd aligned to 0x4"),
        (48, 0x30, "0x4 bytes at 0x3efc aligned to 0x30"),
    ],
    ids=["memsz 0", "memsz 8", "vaddr", "align"],
)
def test_thread_local_storage_that_its_sections_contradict(
    tmp_path: Path, field: int, value: int, has: str
) -> None:
    data = bytes(with_tls({field: value}))
    expected = (
        f"PT_TLS has {has}, its sections 0x4 bytes at 0x3efc aligned to 0x4: a program header may "
        "be damaged"
    )
    [found] = [found for found in findings(verdict_on(data)) if found.rule == "lost-section"]
    assert found.severity == "error" and found.message.endswith(expected)
    (path := tmp_path / "crash.x86_64.O2").write_bytes(data)
    core = FIXTURES / "core/crash.x86_64.O2.core"
    done = run("eval", "--core", core, "--file", path, "mine", "ready")
    assert done.status != 0 and "ready = 1" in done.out
    assert f"{path}: {expected}" in done.err


def test_where_nothing_contradicts_thread_local_storage() -> None:
    """Of one header alone nothing is known, of an object file and a debug file the segment need
    not be, and a linker may round up the size (gold)."""

    def is_sound(data: bytearray) -> bool:
        return contradicted_tls(ObjectFile("f", bytes(data))) is None

    def damaged() -> bytearray:
        return with_tls({40: 0})

    assert is_sound(with_tls({48: 0x40}))  # as Bionic wants it, and tools change it in the file

    without_header, stripped, unlinked, debug, without_flags = (damaged() for _ in range(5))
    assert not is_sound(damaged())
    index = without_header.index(PT_TLS.to_bytes(4, "little") + b"\4\0\0\0", 64)
    without_header[index] = 0
    assert is_sound(without_header)
    stripped[40:48] = bytes(8)  # e_shoff
    stripped[60:64] = bytes(4)  # e_shnum, e_shstrndx
    assert is_sound(stripped)
    unlinked[16] = ET_REL
    assert is_sound(unlinked)
    file, table = ObjectFile("", bytes(debug)), int.from_bytes(debug[40:48], "little")
    for section in file.sections:
        at = table + section.index * 64
        if section.flags & SHF_ALLOC and section.type != SHT_NOTE:
            debug[at + 4 : at + 8] = SHT_NOBITS.to_bytes(4, "little")
        if section.flags & SHF_TLS:
            without_flags[at + 9] = 0
    assert is_sound(debug) and is_sound(without_flags)
    wide = with_tls({40: 0x40, 48: 0x40})
    [thread_local] = [section for section in file.sections if section.flags & SHF_TLS]
    wide[table + thread_local.index * 64 + 48] = 0x40
    assert is_sound(wide)
    wide[table + thread_local.index * 64 + 48] = 0x20
    assert not is_sound(wide)


@pytest.mark.parametrize(
    "pattern", ["hip/*.co", "core/*.O[02]", "x86_64/demo.*v5", "nvidia/*.cubin"]
)
def test_files_of_producers_lose_none(pattern: str) -> None:
    paths = sorted(FIXTURES.glob(pattern))
    assert paths
    for path in paths:
        file = ObjectFile(str(path), path.read_bytes())
        assert unnamed_sections(file) is None and unloaded_sections(file) is None
        assert contradicted_tls(file) is None
