"""Large sections are read by ranges, and have the bytes of the file there."""

from __future__ import annotations

import copy
import gc
import os
import random
import struct
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.debug_info import DebugInfo
from dwarfgpu.errors import Malformed
from dwarfgpu.objfile import file_bytes
from dwarfgpu.objfile.elf import ObjectFile, open_object
from dwarfgpu.objfile.file_bytes import FileBytes, map_file
from dwarfgpu.objfile.relocate import section_buffer
from dwarfgpu.objfile.section_buffer import SectionBuffer
from tests.dwarf.builder import Content, Shape, abbreviations, elf, unit

SIZE = 1_500_001
UNITS = 40


@pytest.fixture
def data() -> bytes:
    return random.Random(19).randbytes(SIZE)


@pytest.fixture
def buffer(tmp_path: Path, data: bytes) -> SectionBuffer:
    path = tmp_path / "data"
    path.write_bytes(data)
    mapped = map_file(path)
    assert isinstance(mapped, FileBytes)
    return SectionBuffer(mapped)


@pytest.fixture
def bytes_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many bytes each read of a file takes."""
    sizes: list[int] = []
    read = file_bytes._Source.read

    def counted(source: file_bytes._Source, start: int, size_bytes: int) -> bytes:
        sizes.append(size_bytes)
        return read(source, start, size_bytes)

    monkeypatch.setattr(file_bytes._Source, "read", counted)
    yield sizes


def test_processes_after_a_fork_read_the_same_file(tmp_path: Path, data: bytes) -> None:
    """They share its position, which a read therefore neither uses nor moves."""
    path = tmp_path / "data"
    path.write_bytes(data)
    mapped = map_file(path)
    assert isinstance(mapped, FileBytes)
    source: Any = mapped._source
    assert mapped[1000:3000] == data[1000:3000]
    assert os.lseek(source._descriptor, 0, os.SEEK_CUR) == 0
    assert copy.deepcopy(mapped)[1000:3000] == data[1000:3000]


def test_a_file_in_a_cycle_is_closed_without_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(SIZE))
    mapped = map_file(path)
    assert isinstance(mapped, FileBytes)
    source: Any = mapped._source
    descriptor = source._descriptor
    os.fstat(descriptor)
    source.cycle = mapped
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        del mapped, source
        gc.collect()
    assert [one for one in seen if one.category is ResourceWarning] == []
    with pytest.raises(OSError):
        os.fstat(descriptor)


def test_ranges_have_the_bytes_of_the_file(buffer: SectionBuffer, data: bytes) -> None:
    choose = random.Random(20)
    ranges = [(0, 1), (SIZE - 1, SIZE), (SIZE - 1, SIZE + 40), (SIZE, SIZE + 40), (5, 5)]
    for _ in range(200):
        start = choose.randrange(SIZE)
        ranges.append((start, start + choose.choice((1, 40, 4096, 70_000, SIZE))))
    for start, end in ranges:
        assert buffer.load(start, end)[start:end] == data[start:end]


def test_a_range_is_read_once(buffer: SectionBuffer, bytes_read: list[int]) -> None:
    for _ in range(3):
        buffer.load(10_000, 90_000)
        buffer.load(20_000, 30_000)
    assert 80_000 <= sum(bytes_read) <= 80_000 + 2 * 4096
    buffer.load(0, SIZE)
    assert sum(bytes_read) == SIZE


def test_values_across_the_pieces_of_a_search(buffer: SectionBuffer, data: bytes) -> None:
    for start in (0, 1, 262_143, 262_144, 524_281, 786_425, SIZE - 8, SIZE - 1):
        value = data[start : start + 8]
        assert buffer.find(value) == data.find(value)
        assert buffer.find(value, start + 1) == data.find(value, start + 1)
    assert buffer.find(bytes(9)) == -1
    assert buffer.find(b"x", SIZE) == -1


def test_a_search_loads_nothing(buffer: SectionBuffer, bytes_read: list[int]) -> None:
    buffer.find(bytes(9))
    bytes_read.clear()
    buffer.load(0, SIZE)
    assert sum(bytes_read) == SIZE


def test_a_file_that_shrinks_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(SIZE))
    mapped = map_file(path)
    assert isinstance(mapped, FileBytes)
    buffer = SectionBuffer(mapped)
    assert buffer.load(0, 100)[:100] == bytes(100)
    os.truncate(path, 5000)
    for _ in range(2):
        with pytest.raises(Malformed, match="became shorter while it was read"):
            buffer.load(0, 100_000)
    with pytest.raises(Malformed, match="became shorter while it was read"):
        buffer.find(b"x")


def units_of_50_kb() -> dict[str, bytes]:
    """Units, each with its number as the name of a variable at an address of its own, after a block
    of 50 kB that no name is in."""
    shapes = (
        Shape(dw.TAG_COMPILE_UNIT, has_children=True),
        Shape(dw.TAG_VARIABLE, ((dw.AT_NAME, dw.FORM_STRING), (dw.AT_LOCATION, dw.FORM_EXPRLOC))),
        Shape(dw.TAG_BASE_TYPE, ((dw.AT_CONST_VALUE, dw.FORM_BLOCK4),)),
    )
    filling = b"\3" + struct.pack("<I", 50_000) + bytes(50_000)
    return {
        ".debug_info": b"".join(
            unit(
                b"\1" + filling + b"\2" + f"v{number}\0".encode()
                + b"\x09\x03" + (0x5000 + 8 * number).to_bytes(8, "little") + b"\0"
            )
            for number in range(UNITS)
        ),
        ".debug_abbrev": abbreviations(*shapes),
    }  # fmt: skip


def names_of(info: DebugInfo) -> list[list[str]]:
    return [
        [name for die in unit.root.children() if (name := die.name) is not None]
        for unit in info.units
    ]


def test_units_of_a_large_file_are_those_of_its_bytes(tmp_path: Path) -> None:
    data = elf(units_of_50_kb(), machine=62)
    path = tmp_path / "large"
    path.write_bytes(data)
    large, whole = DebugInfo.of(open_object(path)), DebugInfo.of(ObjectFile("whole", data))
    assert [unit.header for unit in large.units] == [unit.header for unit in whole.units]
    assert names_of(large) == names_of(whole) == [[f"v{number}"] for number in range(UNITS)]


def test_one_unit_of_a_large_file_is_read(tmp_path: Path, bytes_read: list[int]) -> None:
    path = tmp_path / "large"
    path.write_bytes(elf(units_of_50_kb(), machine=62))
    info = DebugInfo.of(open_object(path))
    name, number = "v7", 7
    assert next(info.units[number].root.children()).tag == dw.TAG_BASE_TYPE
    assert [die.name for die in info.units[number].root.children()][1:] == [name]
    assert sum(bytes_read) < 400_000  # of 2 MB: a page for each header, and the unit


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (Content(bytes(SIZE)), 1),  # a relocatable object
        (Content(bytes(SIZE), flags=0x800), 3),  # compressed
        (Content(bytes(1000)), 3),  # small
    ],
)
def test_sections_that_are_read_whole(tmp_path: Path, content: Content, kind: int) -> None:
    path = tmp_path / "file"
    sections: dict[str, bytes | Content] = {".debug_info": content, ".other": bytes(2 << 20)}
    path.write_bytes(elf(sections, type=kind))
    file = open_object(path)
    assert section_buffer(file, ".debug_info") is None
    assert section_buffer(file, ".absent") is None


def test_a_large_section_that_the_file_lacks(tmp_path: Path) -> None:
    data = bytearray(elf({".debug_info": bytes(3 << 20)}))
    (table,) = struct.unpack_from("<Q", data, 40)
    struct.pack_into("<Q", data, table + 64 + 32, 4 << 20)  # the size of the first section
    path = tmp_path / "cut"
    path.write_bytes(data)
    with pytest.raises(Malformed, match=r"\.debug_info at \[0x40,0x400040\) is outside"):
        list(DebugInfo.of(open_object(path)).units)
