"""Libraries have the names by which the process loaded them, where the core has all of the list."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.machine.core.load import load_core
from tests.machine.cores import Load, auxiliary, mapped_files
from tests.machine.test_core import BASE, PAGE, library, mapped, thread, written

PROGRAM, LIST, NAMES = 0x4000_0000, 0x5000_0000, 0x6000_0000
DYNAMIC = BASE + PAGE + 0x10
"""Where the library's dynamic section is, as `l_ld` of its entry says."""


def headers(dynamic: int = 0x200) -> bytes:
    """PT_PHDR and PT_DYNAMIC of a program that is loaded at PROGRAM; its DT_DEBUG."""
    rows = [(6, 4, 0, 0x40, 0, 112, 112, 8), (2, 6, 0, dynamic, 0, 32, 32, 8)]
    table = b"".join(struct.pack("<IIQQQQQQ", *row) for row in rows)
    return table.ljust(0x200 - 0x40, b"\0") + struct.pack("<6Q", 1, 2, 21, LIST, 0, 0)


def entries(name: int = NAMES, end: int = 0) -> bytes:
    """`struct r_debug`, then the program's and the library's `struct link_map`."""
    first, second = LIST + 64, LIST + 128
    program = struct.pack("<5Q", PROGRAM, 0, PROGRAM + 0x200, second, 0)
    library = struct.pack("<5Q", BASE, name, DYNAMIC, end, first)
    return struct.pack("<2Q", 1, first).ljust(64, b"\0") + program.ljust(64, b"\0") + library


def in_namespace(version: int, following: int) -> bytes:
    """The program in one list, the library in that of another namespace."""
    text = bytearray(entries().ljust(256, b"\0"))
    text[:8], text[40:48] = struct.pack("<Q", version), struct.pack("<Q", following)
    text[88:96] = bytes(8)  # `l_next` of the program
    return bytes(text) + struct.pack("<6Q", 2, LIST + 128, 0, 0, 0, LIST)


@pytest.mark.parametrize(
    ("table", "linked", "is_named"),
    [
        (headers(), entries(), True),
        (headers(), entries(end=LIST + 64), True),  # the list is a circle
        (headers(), entries(end=0xFFFF_FFFF_FFFF_FFF8), True),  # it goes on nowhere
        (headers(), in_namespace(2, LIST + 256), True),
        (headers(), in_namespace(1, LIST + 256), False),  # it has no such member
        (headers(), in_namespace(2, 0xFFFF_FFFF_FFFF_FFF8), False),
        (headers(), entries(name=0x123), False),
        (headers(), entries()[:150], False),
        (headers(dynamic=0x7FFF_FFFF_0000), entries(), False),
        (headers()[:80], entries(), False),
    ],
    ids=[
        "whole",
        "circle",
        "no end",
        "namespace",
        "one namespace",
        "no namespace",
        "no name",
        "cut",
        "no section",
        "no headers",
    ],
)
def test_names(tmp_path: Path, table: bytes, linked: bytes, is_named: bool) -> None:
    real, link = tmp_path / "usr.so", tmp_path / "lib.so"
    real.write_bytes(library())
    link.symlink_to(real)
    loads = (
        Load(PROGRAM + 0x40, table),
        Load(LIST, linked),
        Load(NAMES, bytes(link) + b"\0"),
        Load(BASE, library()[:PAGE]),
    )
    notes = (thread(), mapped(real), auxiliary(phdr=PROGRAM + 0x40, phnum=2))
    core = load_core(written(tmp_path, *notes, loads=loads))
    paths = [file.file.path for file in core.files]
    assert paths == [str(link if is_named else real)]


def test_libraries_are_in_the_order_of_the_list(tmp_path: Path) -> None:
    first, second = tmp_path / "first.so", tmp_path / "second.so"
    other = BASE + 16 * PAGE
    for path in (first, second):
        path.write_bytes(library())
    third = struct.pack("<5Q", BASE, NAMES, DYNAMIC, 0, LIST + 128)
    linked = entries(name=NAMES + 1, end=LIST + 192).ljust(192, b"\0") + third
    linked = linked.replace(struct.pack("<Q", DYNAMIC), struct.pack("<Q", DYNAMIC + 16 * PAGE), 1)
    parts = [
        (base + at, base + at + PAGE, at // PAGE, str(path))
        for base, path in ((BASE, first), (other, second))
        for at in (0, PAGE)
    ]
    loads = (
        Load(PROGRAM + 0x40, headers()),
        Load(LIST, linked),
        Load(NAMES, b"//\0"),
        Load(BASE, library()[:PAGE]),
        Load(other, library()[:PAGE]),
    )
    notes = (thread(), mapped_files(*parts), auxiliary(phdr=PROGRAM + 0x40, phnum=2))
    core = load_core(written(tmp_path, *notes, loads=loads))
    assert [file.file.path for file in core.files] == [str(second), str(first)]


def test_a_library_that_is_loaded_twice_has_two_places_in_the_order(tmp_path: Path) -> None:
    """The copy of another namespace (dlmopen(3)) is not in the list: it comes after all others."""
    path, listed = tmp_path / "twice.so", BASE + 16 * PAGE
    path.write_bytes(library())
    linked = entries().replace(struct.pack("<Q", DYNAMIC), struct.pack("<Q", DYNAMIC + 16 * PAGE))
    parts = [
        (base + at, base + at + PAGE, at // PAGE, str(path))
        for base in (BASE, listed)
        for at in (0, PAGE)
    ]
    loads = (
        Load(PROGRAM + 0x40, headers()),
        Load(LIST, linked),
        Load(NAMES, bytes(path) + b"\0"),
        Load(BASE, library()[:PAGE]),
        Load(listed, library()[:PAGE]),
    )
    notes = (thread(), mapped_files(*parts), auxiliary(phdr=PROGRAM + 0x40, phnum=2))
    core = load_core(written(tmp_path, *notes, loads=loads))
    begins = [file.load_address + PAGE for file in core.files]
    assert begins == [listed, BASE]


def test_another_file_of_that_name_is_not_taken(tmp_path: Path) -> None:
    real, other = tmp_path / "usr.so", tmp_path / "lib.so"
    real.write_bytes(library())
    other.write_bytes(library(b"\x99"))
    loads = (
        Load(PROGRAM + 0x40, headers()),
        Load(LIST, entries()),
        Load(NAMES, bytes(other) + b"\0"),
        Load(BASE, library()[:PAGE]),
    )
    notes = (thread(), mapped(real), auxiliary(phdr=PROGRAM + 0x40, phnum=2))
    core = load_core(written(tmp_path, *notes, loads=loads))
    assert [file.file.path for file in core.files] == [str(real)]
