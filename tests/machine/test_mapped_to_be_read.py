"""A file that a process mapped to read it is not loaded: it has no symbols there, but its memory is
readable. Debuggers map files so, and programs that write their own backtraces."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from dwarfgpu.machine.core.load import Core, load_core
from tests.machine.cores import Load, auxiliary, mapped_files
from tests.machine.test_core import BASE, PAGE, library, read, thread, written
from tests.machine.test_link_map import LIST, NAMES, PROGRAM, entries, headers

OTHER = BASE - 16 * PAGE
READ, RUN = 4, 5


def with_code() -> bytes:
    """A library whose second page is code."""
    data = bytearray(library())
    struct.pack_into("<I", data, 64 + 56 + 4, RUN)
    return bytes(data)


def opened(folder: Path, parts: list[tuple[int, int, int]], *loads: Load) -> Core:
    """A core of a program, with parts of a library in memory: address, pages, first page of the
    file."""
    path = folder / "usr.so"
    path.write_bytes(with_code())
    mapped = mapped_files(*((at, at + n * PAGE, first, str(path)) for at, n, first in parts))
    notes = (thread(), mapped, auxiliary(phdr=PROGRAM + 0x40, phnum=2))
    return load_core(written(folder, *notes, loads=(Load(PROGRAM + 0x40, headers()), *loads)))


def page(at: int, *, pages: int = 1, flags: int = READ) -> Load:
    """The first page of the library in the core, as a part of some pages."""
    return Load(at, with_code()[:PAGE], pages * PAGE, flags)


def code(at: int, flags: int = RUN) -> Load:
    return Load(at, b"", PAGE, flags)


TWO = [(BASE, 1, 0), (BASE + PAGE, 1, 1)]
MAPPED = {
    "its first page": ([(BASE, 1, 0)], [page(BASE)], False),
    "the whole file": ([(BASE, 2, 0)], [page(BASE, pages=2)], False),
    "the whole file, as code": ([(BASE, 2, 0)], [page(BASE, pages=2, flags=RUN)], True),
    "code": (TWO, [page(BASE), code(BASE + PAGE)], True),
    "code that cannot run": (TWO, [page(BASE), code(BASE + PAGE, READ)], False),
    "code elsewhere": (
        [(BASE, 1, 0), (BASE + 3 * PAGE, 1, 1)], [page(BASE), code(BASE + 3 * PAGE)], False
    ),
    "code that the core has no segment of": (TWO, [page(BASE)], True),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "loads", "is_loaded"), MAPPED.values(), ids=MAPPED)
def test_a_file_is_loaded_where_its_code_can_run(
    tmp_path: Path, parts: list[tuple[int, int, int]], loads: list[Load], is_loaded: bool
) -> None:
    core = opened(tmp_path, parts, *loads)
    assert len(core.files) == is_loaded
    assert read(core, BASE + PAGE - 1, 1) == b"1"
    if parts == [(BASE, 2, 0)]:
        assert read(core, BASE + PAGE, 2) == b"LL"


def test_a_library_of_the_dynamic_linker_is_loaded(tmp_path: Path) -> None:
    name = Load(NAMES, bytes(tmp_path / "usr.so") + b"\0")
    parts = [page(BASE), code(BASE + PAGE, READ)]
    assert len(opened(tmp_path, TWO, *parts, Load(LIST, entries()), name).files) == 1


def test_a_library_that_is_also_read_has_the_name_by_which_it_was_loaded(tmp_path: Path) -> None:
    """GDB lists it once, by the name in the dynamic linker's list."""
    link = tmp_path / "lib.so"
    link.symlink_to(tmp_path / "usr.so")
    linked = (Load(LIST, entries()), Load(NAMES, bytes(link) + b"\0"))
    loads = (page(OTHER), page(BASE), code(BASE + PAGE), *linked)
    core = opened(tmp_path, [(OTHER, 1, 0), *TWO], *loads)
    assert [file.file.path for file in core.files] == [str(link)]
    assert [file.load_address for file in core.files] == [BASE - 0x1000]
