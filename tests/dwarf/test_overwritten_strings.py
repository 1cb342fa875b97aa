"""Strings that were overwritten with zeros are errors where they are read, not empty names."""

from __future__ import annotations

from pathlib import Path

import pytest

from dwarfgpu.dwarf.sections import Program, Sections
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile.elf import ObjectFile
from tests.cli.command import run
from tests.dwarf.builder import X86_64, debug_info, elf, read_fixture


def sections_of(strings: bytes) -> Sections:
    file = ObjectFile("a.out", elf({".debug_str": strings}, X86_64))
    return Sections(file, Program(file))


@pytest.mark.parametrize(
    ("strings", "offset", "expected"),
    [
        (b"main\0" + bytes(9) + b"count\0", 5, None),
        (b"main\0" + bytes(9) + b"count\0", 13, None),
        (b"main\0" + bytes(9), 8, None),
        (bytes(8) + b"count\0", 0, None),
        # The empty string: of its own, the end of another one, and of several files.
        (b"main\0\0count\0", 5, b""),
        (b"main\0" + bytes(9) + b"count\0", 4, b""),
        (b"main\0" + bytes(3) + b"count\0", 6, b""),
        # The end of a name may be among the zeros behind it.
        (b"main\0" + bytes(7) + b"count\0", 0, None),
        (b"count\0main\0" + bytes(7), 6, None),
        (b"main\0" + bytes(6) + b"count\0", 0, b"main"),
        (b"main\0" + bytes(9) + b"count\0", 14, b"count"),
    ],
)
def test_a_string_among_zeros(strings: bytes, offset: int, expected: bytes | None) -> None:
    sections = sections_of(strings)
    if expected is None:
        message = rf"the string at \.debug_str\+{offset:#x} is overwritten with zeros"
        with pytest.raises(Malformed, match=message):
            sections.string(".debug_str", offset)
    else:
        assert sections.string(".debug_str", offset) == expected


def with_zeros(name: str, section: str, begin: int, count: int) -> bytes:
    data = bytearray(read_fixture(name))
    offset = ObjectFile("", bytes(data)).sections_by_name[section].offset + begin
    data[offset : offset + count] = bytes(count)
    return bytes(data)


def start_of_launches(name: str) -> int:
    """Where a fixture has the name of the variable `launches` in `.debug_str`."""
    strings = bytes(ObjectFile("", read_fixture(name)).section_data(".debug_str"))
    return strings.index(b"\0launches\0") + 1


@pytest.mark.parametrize("version", ["v4", "v5"])
def test_names_that_commands_cannot_read(version: str, tmp_path: Path) -> None:
    name = f"hip/nest.gfx942.O2.{version}.co"
    begin = start_of_launches(name)
    path = tmp_path / "a.co"
    path.write_bytes(with_zeros(name, ".debug_str", begin, 8))
    listed = run("where", path, "--all")
    assert f"the string at .debug_str+{begin:#x} is overwritten with zeros" in listed.out
    missing = run("where", path, "launches")
    assert missing.status
    if version == "v4":  # the name is looked for among the strings
        fault = f"10 bytes of strings at .debug_str+{begin - 1:#x} are 0"
        assert f"Not searched: Malformed: {fault}" in missing.err
    else:
        assert "is overwritten with zeros" in missing.out
    assert "Not searched" not in run("where", Path("fixtures") / name, "launchez").err


@pytest.mark.parametrize("version", ["v4", "v5"])
def test_the_beginning_of_a_name(version: str, tmp_path: Path) -> None:
    """It is the name of nothing."""
    name = f"hip/nest.gfx942.O2.{version}.co"
    begin = start_of_launches(name)
    path = tmp_path / "a.co"
    path.write_bytes(with_zeros(name, ".debug_str", begin + 4, 8))
    fault = f"the string at .debug_str+{begin:#x} is overwritten with zeros"
    assert fault in run("where", path, "--all").out
    done = run("where", path, "laun")
    assert done.status and fault in done.err + done.out


def test_a_compiler_that_is_unknown(tmp_path: Path) -> None:
    """GCC's calls preserve registers; without its name, values of callers are lost (-fipa-ra)."""
    program = tmp_path / "crash.x86_64.O2"
    core = ("--core", Path("fixtures/core/crash.x86_64.O2.core"), "--sysroot", tmp_path)
    note = (
        "note: the compiler of a unit is unknown, and what depends on it, as registers of callers, "
        f"may be wrong or missing: Malformed: {program}: .debug_info entry 0xc: the string at "
        ".debug_str+0x44 is overwritten with zeros"
    )
    for zeros, outer, count in ((0, "outer=outer@entry=0x0", 0), (16, "outer=<optimized out>", 1)):
        program.write_bytes(with_zeros("core/crash.x86_64.O2", ".debug_str", 0x60, zeros))
        done = run("bt", *core)
        assert outer in done.out and (done.out + done.err).count(note) == count
        done = run("debug", *core, "--batch", "-ex", "frame 4", "-ex", "print outer")
        assert (done.out + done.err).count(note) == count
    assert run("eval", *core, "--frame", 4, "outer").err.count(note) == 1


def test_a_compiler_that_decides_the_dialect(tmp_path: Path) -> None:
    path = tmp_path / "a.co"
    path.write_bytes(with_zeros("hip/nest.gfx942.O2.v5.co", ".debug_str", 8, 24))
    assert "is overwritten with zeros" in run("where", path, "a").out
    assert "in v8" in run("where", path, "a", "--dialect", "amd").out


def test_entries_of_a_table_that_are_zero() -> None:
    """One entry may lead to the string at 0."""
    name = "hip/nest.gfx942.O2.v5.co"
    assert debug_info(read_fixture(name)).units[0].tables.string_offset(12) == 0
    tables = debug_info(with_zeros(name, ".debug_str_offsets", 8, 12)).units[0].tables
    assert tables.string_offset(3) == 0x56
    with pytest.raises(Malformed, match=r"4 entries of \.debug_str_offsets\+0x8 are 0"):
        tables.string_offset(1)
