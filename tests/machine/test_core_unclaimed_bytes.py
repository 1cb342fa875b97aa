"""Bytes of a core file that no program header describes, or several: one header is damaged."""

from __future__ import annotations

import struct
from itertools import accumulate
from pathlib import Path

import pytest

from dwarfgpu.machine.core.unclaimed_bytes import _Sections, damaged_segments, overlapping_segments
from dwarfgpu.objfile.elf import ObjectFile
from dwarfgpu.objfile.elf_structures import PT_LOAD, Segment
from tests.cli.command import run
from tests.dwarf.builder import FIXTURES, read_fixture

CORE = "core/crash.x86_64.O2.core"
DATA = 0x7FFFF7FFC000
VARIABLES, STACK = 0x7FFFF7FFE000, 0x7FFFFFFFE000
OFFSET, FILE_BYTES = 8, 32
"""Where a program header has p_offset and p_filesz."""


def changed(address: int, field: int, number: int) -> bytes:
    """The fixture with another number in the program header of an address."""
    data = bytearray(read_fixture(CORE))
    at, count = int.from_bytes(data[32:40], "little"), int.from_bytes(data[56:58], "little")
    [header] = [
        start
        for start in range(at, at + 56 * count, 56)
        if struct.unpack_from("<Q", data, start + 16) == (address,)
    ]
    struct.pack_into("<Q", data, header + field, number)
    return bytes(data)


def last_offset() -> int:
    return max(one.offset for one in ObjectFile("", read_fixture(CORE)).segments if one.file_bytes)


@pytest.mark.parametrize("field", [OFFSET, FILE_BYTES])
def test_a_damaged_header_is_named_where_its_memory_is_read(field: int, tmp_path: Path) -> None:
    data = changed(DATA, field, last_offset() if field == OFFSET else 0)
    assert [one.address for one in damaged_segments(ObjectFile("", data))] == [DATA]
    (path := tmp_path / "core").write_bytes(data)
    sysroot = FIXTURES / "core"
    done = run("info", path, "--sysroot", sysroot)
    why = f"{path}: the program header of memory at {DATA:#x} is damaged: "
    assert (done.out + done.err).count(why) == 1
    done = run("debug", "--core", path, "--sysroot", sysroot, "--batch", "-ex", "p table")
    assert (
        "Cannot access memory at address 0x7ffff7ffd000: the program header of its segment is "
        "damaged: bytes of the file that may be its own belong to no segment"
    ) in done.err


NO_TYPE, HIGHEST = 0, 0x7FFF_FFFF
MEMORY_TAGS = 0x70000002
"""PT_AARCH64_MEMTAG_MTE, which Linux writes."""


def with_type(address: int, type_: int) -> bytes:
    """The fixture with another type in the program header of an address."""
    flags = next(
        one.flags for one in ObjectFile("", read_fixture(CORE)).segments if one.address == address
    )
    return changed(address, 0, flags << 32 | type_)


@pytest.mark.parametrize("type_", [NO_TYPE, HIGHEST + 1, 0xFFFFFFFF])
@pytest.mark.parametrize("offset", [None, 0])
def test_a_segment_of_memory_whose_type_is_lost(
    type_: int, offset: int | None, tmp_path: Path
) -> None:
    data = with_type(STACK, type_)
    if offset is not None:
        header = data.index(struct.pack("<QQ", offset_of(STACK), STACK))
        data = data[:header] + struct.pack("<Q", offset) + data[header + 8 :]
    (path := tmp_path / "core").write_bytes(data)
    done = run("bt", "--core", path, "--sysroot", FIXTURES / "core")
    notes = [line for line in done.notes if " is damaged: " in line]
    assert notes == [
        f"{path}: the program header of memory at {STACK:#x} is damaged: "
        "its type is not that of memory"
    ]
    assert "the program header of its segment is damaged: " in done.out + done.err


@pytest.mark.parametrize("type_", [MEMORY_TAGS, HIGHEST])
def test_other_types_are_no_damage(type_: int, tmp_path: Path) -> None:
    (path := tmp_path / "core").write_bytes(with_type(STACK, type_))
    assert " is damaged: " not in run("info", path, "--sysroot", FIXTURES / "core").err


@pytest.mark.parametrize("core", sorted(FIXTURES.glob("core/*.core")), ids=lambda path: path.name)
def test_cores_of_linux_and_qemu_are_sound(core: Path) -> None:
    data = core.read_bytes()
    assert not damaged_segments(ObjectFile("", data))
    assert not damaged_segments(ObjectFile("", data + bytes(0x1000)))
    assert not damaged_segments(ObjectFile("", data[: len(data) // 2]))


def test_a_hole_and_padding_are_no_bytes_of_a_segment() -> None:
    data = changed(DATA, FILE_BYTES, 0)
    [segment] = damaged_segments(ObjectFile("", data))
    begin, size_bytes = segment.offset, segment.memory_bytes
    hole = data[:begin] + bytes(size_bytes) + data[begin + size_bytes :]
    assert not damaged_segments(ObjectFile("", hole))
    smaller = changed(DATA, FILE_BYTES, 0x10)
    assert not damaged_segments(ObjectFile("", smaller))


def test_a_gap_beyond_the_end_of_a_file_that_is_cut_short(tmp_path: Path) -> None:
    data = changed(DATA, FILE_BYTES, 0)
    [segment] = damaged_segments(ObjectFile("", data))
    cut = data[: segment.offset + 0x10]
    assert not damaged_segments(ObjectFile("", cut))
    (path := tmp_path / "core").write_bytes(cut)
    done = run("bt", "--core", path, "--sysroot", FIXTURES / "core")
    assert "#0 " in done.out and "cut short" in done.out + done.err, done


def test_sections_that_overlap_a_gap() -> None:
    """They are sorted once, however many gaps there are; one may have others within it."""
    spans = [(0, 0x10), (0x40, 0x200), (0x50, 0x60), (0x300, 0x310), (0x310, 0x320)]
    starts, ends = zip(*spans, strict=True)
    sections = _Sections([*starts], [*accumulate(ends, max)])
    for begin in range(0, 0x340, 8):
        for end in range(begin + 8, 0x348, 8):
            expected = any(first < end and begin < last for first, last in spans)
            assert sections.overlap(begin, end) is expected, (begin, end)
    assert not _Sections([], []).overlap(0, 8)


def overlapping(data: bytes) -> list[int]:
    """The addresses of the segments with bytes of others."""
    file = ObjectFile("", data)
    loaded = [segment for segment in file.segments if segment.type == PT_LOAD]
    return sorted(segment.address for segment in overlapping_segments(file, loaded))


def offset_of(address: int) -> int:
    [offset] = [
        one.offset for one in ObjectFile("", read_fixture(CORE)).segments if one.address == address
    ]
    return offset


def test_a_segment_with_a_part_of_the_bytes_of_the_next_one(tmp_path: Path) -> None:
    """Its offset is damaged, that of the next one is not: the file ends where its bytes do."""
    data = changed(VARIABLES, OFFSET, offset_of(VARIABLES) + 1)
    (path := tmp_path / "core").write_bytes(data)
    done = run("eval", "--core", path, "--sysroot", FIXTURES / "core", "ready", "mine")
    why = "a part of its bytes in the file is that of another segment, too"
    header = f"the program header of memory at {VARIABLES:#x} is damaged: {why}"
    assert done.err.count(header) == 1
    assert "ready = <unavailable>" in done.out and "mine = <unavailable>" in done.out
    assert f"the program header of its segment is damaged: {why}" in done.err
    frames = run("bt", "--core", path, "--sysroot", FIXTURES / "core")
    assert "in _start ()" in frames.out  # of the stack, whose bytes are those behind


@pytest.mark.parametrize(
    ("address", "change", "damaged"),
    [
        (VARIABLES, 1, [VARIABLES]),
        (VARIABLES, 0xFFF, [VARIABLES]),
        (VARIABLES, -1, [DATA, VARIABLES]),  # nothing follows on the one before
        (STACK, -4, [STACK]),  # on the one before a segment without bytes follows
        (STACK, -0x1000, []),  # a copy: the bytes of the stack belong to no segment
    ],
)
def test_which_segment_is_damaged(address: int, change: int, damaged: list[int]) -> None:
    assert overlapping(changed(address, OFFSET, offset_of(address) + change)) == damaged


@pytest.mark.parametrize(
    ("address", "change"),
    [
        (DATA, 0x1000),
        (DATA, 0x1001),
        (DATA, -0x1000),
        (VARIABLES, 0x1000),
        (0x7FFFF7FF9000, 0x800),
        (STACK, -0x1000),
    ],
)
def test_a_gap_on_one_side_and_bytes_of_a_neighbour_on_the_other(address: int, change: int) -> None:
    """The neighbour may be all inside, as where segments have whole pages."""
    data = changed(address, OFFSET, offset_of(address) + change)
    assert [one.address for one in damaged_segments(ObjectFile("", data))] == [address]


@pytest.mark.parametrize("core", sorted(FIXTURES.glob("core/*.core")), ids=lambda path: path.name)
def test_segments_of_linux_and_qemu_share_nothing(core: Path) -> None:
    assert not overlapping(core.read_bytes())


def segment(offset: int, size_bytes: int, address: int, physical_address: int = 0) -> Segment:
    return Segment(PT_LOAD, 6, offset, address, size_bytes, size_bytes, 1, physical_address)


@pytest.mark.parametrize(
    "segments",
    [
        [segment(0x1000, 0x3000, 0x10000), segment(0x1000, 0x3000, 0x50000)],
        [segment(0x1000, 0x3000, 0x10000), segment(0x1000, 0x1000, 0x50000)],
        [segment(0x1000, 0x3000, 0x10000), segment(0x2000, 0x1000, 0x50000)],
        [segment(0x1000, 0x3000, 0x10000), segment(0x2000, 0x3000, 0x11000)],
        [segment(0x1000, 0x3000, 0x10000, 0x8000), segment(0x2000, 0x3000, 0x50000, 0x9000)],
        [segment(0x1000, 0x1000, 0x10000), segment(0x2000, 0, 0x50000)],
    ],
    ids=["copy", "beginning", "inside", "virtual", "physical", "empty"],
)
def test_segments_that_share_bytes_on_purpose(segments: list[Segment]) -> None:
    file = ObjectFile("", read_fixture(CORE))
    assert not overlapping_segments(file, segments)
    assert not overlapping_segments(file, segments[::-1])
    moved = [segment(0x1000, 0x3000, 0x10000, 0x8000), segment(0x2000, 0x3000, 0x50000, 0x9001)]
    assert overlapping_segments(file, moved) == {*moved}
