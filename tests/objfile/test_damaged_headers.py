"""Headers that no producer writes: each is said with the answers, and sound files have none."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dwarfgpu.objfile.damaged_headers import header_damage, odd_layout
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import SHT_NULL
from tests.check.made import findings, verdict_on
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES, read_fixture
from tests.work import assert_linear

CODE = "hip/nest.gfx942.O2.v5.co"
PROGRAM = "x86_64/demo.gcc.O2.v5"
OBJECT = "objects/placed.gcc.o"
CUBIN = "nvidia/combine.sm_90.cubin"
HEADER_BYTES = 64
SEGMENT_BYTES = 56
AFTER = ": the ELF header may be damaged"
OF_SECTION = ": a section header may be damaged"
OF_SEGMENT = ": a program header may be damaged"


def section_at(data: bytes, name: str) -> int:
    """The offset of the header of a section in a 64-bit file."""
    table: int = struct.unpack_from("<Q", data, 40)[0]
    return table + ObjectFile("", data).sections_by_name[name].index * HEADER_BYTES


def with_field(fixture: str, name: str, offset: int, form: str, value: int) -> bytes:
    """A fixture with another value in a field of a section header."""
    data = bytearray(read_fixture(fixture))
    struct.pack_into(form, data, section_at(data, name) + offset, value)
    return bytes(data)


def with_addresses(fixture: str, addresses: dict[str, int]) -> bytes:
    """A fixture whose headers have addresses for sections."""
    data = bytearray(read_fixture(fixture))
    for name, address in addresses.items():
        struct.pack_into("<Q", data, section_at(bytes(data), name) + 16, address)
    return bytes(data)


def with_type(fixture: str, number: int) -> bytes:
    """A fixture with another e_type."""
    data = bytearray(read_fixture(fixture))
    struct.pack_into("<H", data, 16, number)
    return bytes(data)


def without_headers(first: int, last: int) -> bytes:
    """The code object with zeros for section headers."""
    data = bytearray(read_fixture(CODE))
    table: int = struct.unpack_from("<Q", data, 40)[0]
    begin, end = table + first * HEADER_BYTES, table + (last + 1) * HEADER_BYTES
    data[begin:end] = bytes(end - begin)
    return bytes(data)


def with_large_segment(physical: int = 0) -> bytes:
    """The program whose first loaded segment reaches into the next one, where it runs."""
    data = bytearray(read_fixture(PROGRAM))
    segments = ObjectFile("", bytes(data)).segments
    index = next(index for index, segment in enumerate(segments) if segment.type == 1)
    at = struct.unpack_from("<Q", data, 32)[0] + index * SEGMENT_BYTES
    struct.pack_into("<Q", data, at + 24, physical)
    struct.pack_into("<Q", data, at + 40, 0x1688)
    return bytes(data)


DAMAGED = {
    "type": (
        lambda: with_type(OBJECT, 0x2D),
        f"e_type is 0x2d, which is no type of files{AFTER}",
    ),
    "no type": (
        lambda: with_type(OBJECT, 0),
        f"e_type is 0x0, which is no type of files{AFTER}",
    ),
    "object as a program": (
        lambda: with_type(OBJECT, 2),
        f"relocations in .rela.data.rel.local.place but no segments{AFTER}",
    ),
    "zeros": (lambda: without_headers(14, 21), "8 of 25 section headers are 0"),
    "one of zeros": (lambda: without_headers(3, 3), "1 of 25 section headers is 0"),
    "section without a type": (
        lambda: with_field(OBJECT, ".rela.debug_info", 4, "<I", SHT_NULL),
        "section .rela.debug_info has no type (SHT_NULL): its header may be damaged",
    ),
    "names in the ELF header": (
        lambda: with_field(CODE, ".debug_line_str", 24, "<Q", 0),
        "section .debug_line_str and the ELF header have the same bytes of the file, from 0x0 on"
        + OF_SECTION,
    ),
    "names in the section headers": (
        lambda: with_field(
            CODE, ".debug_str", 24, "<Q", struct.unpack_from("<Q", read_fixture(CODE), 40)[0]
        ),
        "have the same bytes of the file",
    ),
    "a section in another one": (
        lambda: with_field(OBJECT, ".data", 32, "<Q", 0x40),
        "section .data.counter and section .data have the same bytes of the file",
    ),
    "a section outside the file": (
        lambda: with_field(OBJECT, ".data", 32, "<Q", (1 << 64) - 1),
        "section .data is outside the file: it is cut short, or its headers are wrong",
    ),
    "memory larger than that of the machine": (
        lambda: with_field(OBJECT, ".bss", 32, "<Q", (1 << 64) - 1),
        "section .bss of 0xffffffffffffffff bytes is larger than memory",
    ),
    "relocations of another section": (
        lambda: with_field(OBJECT, ".rela.data.rel.local.place", 44, "<I", 1),
        ".rela.data.rel.local.place relocates .group: its header may be damaged",
    ),
    "relocations of another type": (
        lambda: with_field(OBJECT, ".rela.debug_info", 4, "<I", 1),
        "section .rela.debug_info has type 0x1: its header may be damaged",
    ),
    "the address of another section": (
        lambda: with_addresses(OBJECT, {".data.corner": 0x1000, ".data.counter": 0x1004}),
        "sections .data.corner and .data.counter have the same addresses",
    ),
    "data outside of memory": (
        lambda: with_field(PROGRAM, ".data", 8, "<Q", 0),
        "section .data has no SHF_ALLOC: its header may be damaged",
    ),
    "segments at the address of one another": (
        with_large_segment,
        "the PT_LOAD segments at 0x0 and 0x1000 overlap",
    ),
    "text without an address": (
        lambda: with_field(PROGRAM, ".text", 16, "<Q", 0),
        f"no PT_LOAD segment has section .text at 0x0{OF_SEGMENT}",
    ),
    "a cubin's lines in its ELF header": (
        lambda: with_field(CUBIN, ".debug_line", 24, "<Q", 8),
        "the ELF header and section .debug_line have the same bytes of the file, from 0x8 on"
        + OF_SECTION,
    ),
}


ODD = {message for name, (_, message) in DAMAGED.items() if "address" in name.split()}
"""What linker scripts can do."""


@pytest.mark.parametrize("name", DAMAGED)
def test_damage(name: str) -> None:
    make, message = DAMAGED[name]
    file = ObjectFile("f", make())
    [fault] = (odd_layout if message in ODD else header_damage)(file)
    assert fault.message.startswith("f: ")
    assert message in fault.message


@pytest.mark.parametrize("name", DAMAGED)
def test_check_reports_it(name: str) -> None:
    make, message = DAMAGED[name]
    found = [one for one in findings(verdict_on(make())) if message in one.message]
    [finding] = found
    assert finding.rule == "lost-section"
    expected = "warning" if message in ODD else "error"
    assert finding.severity == expected


def test_overlays_have_the_same_addresses() -> None:
    """Their physical addresses are their own (OVERLAY of GNU ld)."""
    assert header_damage(ObjectFile("f", with_large_segment(0x100000))) == ()


def fixtures() -> Iterator[Path]:
    for path in sorted(FIXTURES.rglob("*")):
        if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
            yield path


def test_sound_files_have_none() -> None:
    """All fixtures are; cubins share bytes and addresses."""
    files = [*fixtures()]
    assert len(files) > 200
    assert [
        fault
        for file in (ObjectFile("", path.read_bytes()) for path in files)
        for fault in (*header_damage(file), *odd_layout(file))
    ] == []


def test_an_odd_layout_is_no_problem_of_a_file(tmp_path: Path) -> None:
    """Linker scripts and objcopy make it: answers have a note, info and where no problem."""
    path = tmp_path / "program"
    path.write_bytes(DAMAGED["text without an address"][0]())
    assert (run("info", path).status, run("where", path, "--all").status) == (0, 0)
    assert "has section .text at 0x0" in run("eval", path, "sizeof(int)").err


@pytest.fixture
def damaged(tmp_path: Path) -> str:
    path = tmp_path / "a.co"
    path.write_bytes(with_field(CODE, ".debug_line_str", 24, "<Q", 0))
    return str(path)


@pytest.mark.parametrize(
    "command",
    [
        ["info", "FILE"],
        ["where", "FILE", "t"],
        ["disas", "FILE", "nest"],
        ["frames", "FILE"],
        ["eval", "FILE", "sizeof(int)"],
        ["debug", "FILE", "--batch", "-ex", "info line nest"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_says_it_once(damaged: str, command: list[str]) -> None:
    result = run(*(damaged if word == "FILE" else word for word in command))
    printed = result.out + result.err
    assert printed.count("have the same bytes of the file, from 0x0 on") == 1


def unloaded(count: int) -> bytes:
    """A linked file with segments to load, and as many sections of 16 bytes outside of them."""
    sections_at = HEADER_BYTES + count * SEGMENT_BYTES
    segments = b"".join(
        struct.pack("<IIQQQQQQ", 1, 4, 0, 0x1000 * (n + 1), 0, 16, 16, 1) for n in range(count)
    )
    sections = b"".join(
        struct.pack("<IIQQQQIIQQ", 0, 8, 2, 0x900000000 + 16 * n, 0, 16, 0, 0, 1, 0)
        for n in range(count)
    )
    fields = (2, 62, 1, 0, HEADER_BYTES, sections_at, 0, 64, 56, count, 64, count + 1, 0)
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", *fields)
    return head + segments + bytes(HEADER_BYTES) + sections


def test_many_sections_outside_of_many_segments() -> None:
    """Each was looked for in each: 30,000 of both took more than a minute."""

    def work(count: int) -> Callable[[], object]:
        file = ObjectFile("f", unloaded(count))
        return lambda: odd_layout(file)

    [fault] = odd_layout(ObjectFile("f", unloaded(3)))
    assert "has section  at 0x900000000 and 2 more" in fault.message
    assert_linear(work, 100)
