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
from tools.bombs.machines import one_header_mapped
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


def test_of_many_files_some_are_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note counts them: each of 262,144 was looked for, which took 17 s."""
    monkeypatch.setattr(modules, "_LEAST_SOUGHT", 20)
    sought: list[str] = []
    real = modules.path_in
    monkeypatch.setattr(
        modules, "path_in", lambda root, path: (sought.append(path), real(root, path))[1]
    )
    begin = 1 << 30
    rows = [(begin + n * 8192, begin + n * 8192 + 4096, 0, f"/none{n}") for n in range(30)]
    path = tmp_path / "core"
    path.write_bytes(core([status(1, bytes(216)), mapped_files(*rows), auxiliary(entry=0)]))
    done = run("info", path, "--max-mapped-files", 30)
    assert sought == [f"/none{n}" for n in range(20)]
    problem = "10 mapped files are not used: more files were mapped than are looked for, at most 20"
    assert problem in done.out
    assert "(--max-mapped-files)" in done.out
    assert "are not used" not in run("info", path, "--max-mapped-files", 120).out
    long = [(start, end, 0, "/none/" + "n" * 128 + name) for start, end, _, name in rows]
    path.write_bytes(core([status(1, bytes(216)), mapped_files(*long), auxiliary(entry=0)]))
    assert "26 mapped files are not used" in run("info", path, "--max-mapped-files", 30).out


def test_a_header_in_memory_is_read_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """50,000 parts of a file, each with its header, took 20 s and kept as many pages."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(modules, "_LEAST_SOUGHT", 160)
    monkeypatch.setattr(modules, "_MOST_CONTINUED", 10)
    write_files(one_header_mapped(100), tmp_path)
    read: list[str] = []
    real = modules.ObjectFile
    monkeypatch.setattr(
        modules, "ObjectFile", lambda name, data: (read.append(name), real(name, data))[1]
    )
    run("info", "bomb", "--max-mapped-files", 100)
    assert 0 < read.count("page") <= 10
    assert 0 < read.count("bomb") <= 10


def test_a_file_of_many_segments_is_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of 18,000 was compared with each of 9,000 parts of the file in memory."""
    monkeypatch.setattr(modules, "_MOST_LOADED", 0)
    monkeypatch.chdir(tmp_path)
    write_files(mapped_often(3), tmp_path)
    result = run("debug", "--core", "bomb", "--sysroot", ".", "--batch", "-ex", "info files")
    assert "segments to load, at most 0 are compared" in result.out + result.err
