"""A core file of a process that mapped one file many times: it is opened once."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from dwarfgpu.machine.core import modules
from dwarfgpu.machine.core.load import load_core
from tests.cli.command import run
from tests.machine.cores import Load, auxiliary, core, mapped_files, status
from tests.work import assert_linear
from tools.bombs.companions import mapped_often
from tools.bombs.model import write_files


def test_it_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However its name is written, and by a link."""
    monkeypatch.chdir(tmp_path)
    write_files(mapped_often(30), tmp_path)
    opened: list[str] = []
    real = modules.open_object
    monkeypatch.setattr(
        modules, "open_object", lambda path, limits: (opened.append(path), real(path, limits))[1]
    )
    result = run("debug", "--core", "bomb", "--sysroot", ".", "--batch", "-ex", "info files")
    assert len(opened) == 1, result.out


def listed(count: int) -> bytes:
    """A core with entries in the dynamic linker's list, and as many mapped files."""
    here = 0x10000
    first = here + 0x1000
    entries = b"".join(
        struct.pack("<4Q", 0, here + 0x300, (1 << 40) + number, first + 32 * (number + 1))
        for number in range(count)
    )
    memory = struct.pack("<IIQQQQQQ", 2, 6, 0, 0x100 + here, 0, 256, 256, 8).ljust(0x100, b"\0")
    memory += struct.pack("<4Q", 21, here + 0x200, 0, 0).ljust(0x100, b"\0")
    memory += struct.pack("<QQ", 1, first).ljust(0x100, b"\0") + b"/name\0"
    loads = [Load(here, memory.ljust(0x1000, b"\0") + entries + bytes(32))]
    rows = [
        ((1 << 32) + n * 8192, (1 << 32) + n * 8192 + 4096, 0, f"/none{n}") for n in range(count)
    ]
    vector = auxiliary(entry=0, phdr=here, phnum=1)
    return core([status(1, bytes(216)), mapped_files(*rows), vector], loads)


def test_each_file_is_looked_for_once_in_the_list(tmp_path: Path) -> None:
    """9,000 of both took 16 s."""

    def work(count: int) -> Callable[[], object]:
        path = tmp_path / f"core{count}"
        path.write_bytes(listed(count))
        return lambda: load_core(path)

    assert_linear(work, 100)


def test_a_file_of_many_segments_is_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of 18,000 was compared with each of 9,000 parts of the file in memory."""
    monkeypatch.setattr(modules, "_MOST_LOADED", 0)
    monkeypatch.chdir(tmp_path)
    write_files(mapped_often(3), tmp_path)
    result = run("debug", "--core", "bomb", "--sysroot", ".", "--batch", "-ex", "info files")
    assert "segments to load, at most 0 are compared" in result.out + result.err
