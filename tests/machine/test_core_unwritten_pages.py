"""Pages of .bss that the process never wrote are zeros, where Linux has left them out."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.core.core_target import CoreTarget
from dwarfgpu.machine.core.load import Core, load_core
from dwarfgpu.machine.core.unwritten_pages import unwritten_pages
from dwarfgpu.objfile.elf import open_object
from tests.machine.cores import Load, mapped_files
from tests.machine.test_core import (
    BASE,
    DEFAULT,
    PAGE,
    STACK,
    library,
    loads,
    mapped,
    read,
    thread,
    why,
    written,
)

BSS, HEAP = BASE + 2 * PAGE, BASE + 6 * PAGE
BSS_BYTES = 4 * PAGE - 0x100
READ, WRITE = 4, 6
LEFT_OUT = "the core file leaves it out"


def with_bss(data: bytes | None = None, flags: int = WRITE) -> bytes:
    """A library whose second segment is longer in memory: four pages, the last one not whole."""
    out = bytearray(library() if data is None else data)
    struct.pack_into("<I", out, 64 + 56 + 4, flags)
    struct.pack_into("<Q", out, 64 + 56 + 40, PAGE + BSS_BYTES)
    return bytes(out)


def opened(
    folder: Path,
    *memory: Load,
    stack: int = STACK,
    notes: tuple[bytes, ...] = (),
    on_disk: bytes | None = None,
    in_memory: bytes | None = None,
) -> Core:
    """A core of that library, with memory behind its two pages of the file."""
    path = folder / "lib.so"
    path.write_bytes(with_bss() if on_disk is None else on_disk)
    page = (with_bss() if in_memory is None else in_memory)[:PAGE]
    parts = (thread(stack=stack), *(notes or (mapped(path),)))
    return load_core(written(folder, *parts, loads=(*loads(page), *memory)))


def pages(count: int, start: int = BSS, *, flags: int = WRITE, data: bytes = b"") -> Load:
    return Load(start, data, count * PAGE, flags)


def test_bss_that_was_never_written_is_zeros(tmp_path: Path) -> None:
    core = opened(tmp_path, pages(4), pages(1, HEAP))
    assert isinstance(core.target, CoreTarget)
    assert read(core, BSS - 2, 4) == b"LL\0\0"
    assert read(core, BSS, BSS_BYTES) == bytes(BSS_BYTES)
    assert core.target.known_memory(DEFAULT, BSS + 4, 2) == [(0, b"\0\0")]
    assert core.target.memory.window(BSS, 4) == bytes(4)
    assert (BASE, BSS + BSS_BYTES) in core.target.memory.extents()
    assert core.notes == ("the core file does not say where the program is: give it with --file",)


def test_no_other_memory_is_zeros(tmp_path: Path) -> None:
    core = opened(tmp_path, pages(5), pages(1, HEAP + PAGE), pages(1, BASE - PAGE))
    assert read(core, BSS + BSS_BYTES - 1, 1) == b"\0"
    addresses = (BSS + BSS_BYTES, HEAP, HEAP + PAGE, BASE - 1)
    assert [why(core, address) for address in addresses] == [LEFT_OUT] * 4


WRITTEN = b"x" * PAGE
KNOWN = {
    "beside memory behind it": (pages(4), pages(1, HEAP)),
    "beside written memory behind it": (pages(4), pages(1, HEAP, data=WRITTEN)),
    "with memory behind it in one mapping": (pages(9),),
}


@pytest.mark.parametrize("memory", KNOWN.values(), ids=KNOWN)
def test_a_whole_mapping_of_bss_is_zeros(tmp_path: Path, memory: tuple[Load, ...]) -> None:
    assert read(opened(tmp_path, *memory), BSS + PAGE, 1) == b"\0"


def test_bss_begins_in_the_last_page_of_the_file(tmp_path: Path) -> None:
    data = bytearray(with_bss())
    struct.pack_into("<Q", data, 64 + 56 + 32, PAGE - 0x80)
    core = opened(tmp_path, pages(4), on_disk=bytes(data), in_memory=bytes(data))
    assert read(core, BSS, BSS_BYTES) == bytes(BSS_BYTES)


NONE = 0
SPLIT = {
    "a written page before it": (pages(1, data=WRITTEN), pages(3, BSS + PAGE)),
    "an unwritten page before it": (pages(1), pages(3, BSS + PAGE)),
    "a written page behind it": (
        pages(1, flags=READ),
        pages(1, BSS + PAGE),
        pages(2, BSS + 2 * PAGE, data=WRITTEN * 2),
    ),
    "guard pages around it": (
        pages(1, flags=NONE),
        pages(1, BSS + PAGE),
        pages(2, BSS + 2 * PAGE, flags=NONE),
    ),
    "dumped guard pages around it": (
        pages(1, flags=NONE, data=WRITTEN),
        pages(1, BSS + PAGE),
        pages(1, BSS + 2 * PAGE, flags=NONE, data=WRITTEN),
        pages(1, BSS + 3 * PAGE, data=WRITTEN),
    ),
    "a page before it that can be executed": (pages(1, flags=7), pages(3, BSS + PAGE)),
    "nothing before it": (pages(3, BSS + PAGE),),
    "nothing behind it": (pages(3),),
    "the same segment again": (pages(4), pages(4)),
}


@pytest.mark.parametrize("memory", SPLIT.values(), ids=SPLIT)
def test_a_part_of_bss_may_be_left_out_by_request(tmp_path: Path, memory: tuple[Load, ...]) -> None:
    """MADV_DONTDUMP for a part of a mapping splits it; Linux leaves that part out as written."""
    assert why(opened(tmp_path, *memory), BSS + PAGE) == LEFT_OUT


def test_a_file_mapped_over_a_part_of_bss_splits_it(tmp_path: Path) -> None:
    lib, other = str(tmp_path / "lib.so"), str(tmp_path / "other")
    files = mapped_files(
        (BASE, BASE + PAGE, 0, lib), (BASE + PAGE, BSS, 1, lib), (BSS, BSS + PAGE, 7, other)
    )
    core = opened(tmp_path, pages(1), pages(3, BSS + PAGE), notes=(files,))
    assert why(core, BSS + PAGE) == LEFT_OUT


def test_one_mapping_has_the_bss_of_all_segments_of_a_file(tmp_path: Path) -> None:
    first, second = (BSS, BSS + PAGE), (BSS + PAGE, BSS + 3 * PAGE - 1)

    def zeros(*memory: Load) -> list[tuple[int, int]]:
        core = open_object(written(tmp_path, thread(), loads=memory))
        return [(part.start, part.end) for part in unwritten_pages(core, [], [[first, second]])]

    assert zeros(pages(3)) == [first, second]
    assert zeros(pages(1), pages(2, BSS + PAGE)) == []


def test_bss_that_was_only_readable_is_unknown(tmp_path: Path) -> None:
    assert why(opened(tmp_path, pages(4, flags=READ)), BSS) == LEFT_OUT


def test_a_read_only_segment_has_no_bss(tmp_path: Path) -> None:
    data = with_bss(flags=READ)
    assert why(opened(tmp_path, pages(4), on_disk=data, in_memory=data), BSS) == LEFT_OUT


def test_without_a_stack_bss_may_have_been_written(tmp_path: Path) -> None:
    assert why(opened(tmp_path, pages(4), stack=0x1234), BSS) == LEFT_OUT


def test_the_bss_of_another_file_is_unknown(tmp_path: Path) -> None:
    another = with_bss(library(b"\x99"))
    assert why(opened(tmp_path, pages(4), on_disk=another), BSS) == LEFT_OUT


def test_a_file_mapped_over_bss_is_not_zeros(tmp_path: Path) -> None:
    lib, other = tmp_path / "lib.so", tmp_path / "other"
    files = mapped_files(
        (BASE, BASE + PAGE, 0, str(lib)),
        (BASE + PAGE, BSS, 1, str(lib)),
        (BSS, BSS + 4 * PAGE, 7, str(other)),
    )
    core = opened(tmp_path, pages(4), notes=(files,))
    assert why(core, BSS).startswith(f"{LEFT_OUT}, and {other} is not used: ")


def test_where_an_entry_of_nt_file_is_damaged_bss_is_unknown(tmp_path: Path) -> None:
    lib = str(tmp_path / "lib.so")
    files = mapped_files((BASE, BASE + PAGE, 0, lib), (BASE + PAGE, BSS, 3, lib))
    core = opened(tmp_path, pages(4), notes=(files,))
    assert any("the program headers contradict that" in note for note in core.notes)
    assert why(core, BSS) == LEFT_OUT


def test_a_file_that_was_mapped_to_be_read_has_no_bss(tmp_path: Path) -> None:
    data = bytearray(with_bss())
    struct.pack_into("<I", data, 64 + 4, 5)  # its first segment is code, which is not mapped so
    core = opened(
        tmp_path,
        pages(4),
        notes=(mapped_files((BASE, BASE + PAGE, 0, str(tmp_path / "lib.so"))),),
        on_disk=bytes(data),
        in_memory=bytes(data),
    )
    assert not core.files
    assert why(core, BSS) == LEFT_OUT


def test_a_part_without_contents_is_not_searched(tmp_path: Path) -> None:
    """An object that is known in part is read by halves, down to each byte where this is unsure."""
    core = opened(tmp_path, *SPLIT["a written page before it"])
    segments = tuple(
        segment
        for one in core.files
        for segment in CodeObject.of(one.file, one.load_address).loaded_segments()
    )
    assert isinstance(core.target, CoreTarget)
    target = TargetWithCodeObjects(core.target, segments, has_started=True)
    assert target.is_unreadable(DEFAULT, BSS + PAGE, 3 * PAGE)
    assert not target.is_unreadable(DEFAULT, BSS, 2 * PAGE)
    before_start = TargetWithCodeObjects(core.target, segments, has_started=False)
    assert not before_start.is_unreadable(DEFAULT, BSS + PAGE, PAGE)
