"""Large fat binaries: what is read of them. Bytes are counted, not seconds."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from dwarfgpu.errors import LimitExceeded, Malformed
from dwarfgpu.objfile import bundle, file_bytes
from dwarfgpu.objfile.bundle import read_bundles
from dwarfgpu.objfile.collection.ar import ar_files
from dwarfgpu.objfile.container import open_container, open_object
from dwarfgpu.objfile.file_bytes import FileBytes
from dwarfgpu.objfile.file_kinds import BUNDLE_MAGIC
from tests.cli.command import run_json
from tests.dwarf.builder import FIXTURES, X86_64, elf, read_fixture
from tests.objfile import archives
from tests.objfile.test_bundle import CODE, GFX942, HOST, OFF, ON, compressed, plain

HOST_BYTES = 4 << 20
"""The host's part of each bundle: zeros, which take no place on the disk."""
BUNDLES = 16
DEVICES = (ON, OFF, GFX942)


class _Counted:
    bytes_read = 0


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Counted]]:
    """Counts the bytes that are read of files."""
    read = file_bytes._Source.read

    def counted_read(source: file_bytes._Source, start: int, size_bytes: int) -> bytes:
        data = read(source, start, size_bytes)
        _Counted.bytes_read += len(data)
        return data

    monkeypatch.setattr(file_bytes._Source, "read", counted_read)
    monkeypatch.setattr(_Counted, "bytes_read", 0)
    yield _Counted


def _code(index: int) -> dict[str, bytes]:
    """The code objects of a bundle; the last one has the id of the bundle."""
    code = {id: read_fixture(CODE[id]) for id in DEVICES}
    return {**code, GFX942: code[GFX942] + bytes([index + 1])}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A host file whose fat binary is as large as that of a library."""
    path = tmp_path_factory.mktemp("large") / "library.so"
    bundles = [plain({**_code(index), HOST: bytes(HOST_BYTES)}) for index in range(BUNDLES)]
    padded = [bundle + bytes(-len(bundle) % 4096) for bundle in bundles]
    made = bytearray(elf({".hip_fatbin": b"MARK" + bytes(4)}, machine=X86_64))
    at = made.index(b"MARK")
    header = made.index(struct.pack("<QQ", at, 8))
    made[header : header + 16] = struct.pack("<QQ", len(made), sum(map(len, padded)))
    with path.open("wb") as file:
        file.write(made)
        for entry in padded:
            written = entry.rstrip(b"\0")
            file.write(written)
            file.seek(len(entry) - len(written), os.SEEK_CUR)
        file.truncate(file.tell())
    return path


def test_info_reads_the_tables_alone(large: Path, counted: type[_Counted]) -> None:
    listed = run_json("info", large).json["code_objects"]
    assert len(listed) == 4 * BUNDLES
    assert [entry["target"] for entry in listed[:4]] == [
        "gfx90a:xnack+", "gfx90a:xnack-", "gfx942", None,
    ]  # fmt: skip
    sizes = [*(len(data) for data in _code(0).values()), HOST_BYTES]
    assert [entry["size"] for entry in listed[:4]] == sizes
    assert 0 < counted.bytes_read < 1 << 20 < large.stat().st_size // 64


def test_a_target_reads_its_code_object(large: Path, counted: type[_Counted]) -> None:
    open_container(large)
    tables = counted.bytes_read
    counted.bytes_read = 0
    picked = open_object(large, str(4 * BUNDLES - 2))
    data = picked.file_bytes(0, picked.size_bytes, "all")
    assert data == _code(BUNDLES - 1)[GFX942]
    assert counted.bytes_read <= tables + len(data)


def test_each_command_reads_one_code_object(large: Path, counted: type[_Counted]) -> None:
    alone = run_json("info", FIXTURES / CODE[GFX942]).json
    for command in (("info", large), ("where", "t", "--file", large)):
        counted.bytes_read = 0
        done = run_json(*command, "--target", 6)
        assert done.status == 0
        assert counted.bytes_read < 1 << 20
        if command[0] == "info":
            assert done.json["units"] == alone["units"]


def test_a_small_library() -> None:
    """Made by the linker of the system, two bundles one after the other."""
    path = FIXTURES / "hip/liblibrary.so"
    entries = open_container(path).entries
    assert [(entry.bundle, str(entry.target)) for entry in entries] == [
        (number, name) for number in (0, 1) for name in ("None", "gfx1100", "gfx90a:xnack-")
    ]
    for index, name in ((1, "library.gfx1100"), (2, "library.gfx90a"), (5, "call.gfx90a")):
        assert bytes(entries[index].data) == read_fixture(f"hip/{name}.O2.v5.co")
    answer = run_json("where", "--file", path, "--target", 2, "reverse::sums")
    assert answer.status == 0 and len(answer.json["variables"]) == 2


def test_compressed_bundles_in_a_large_file(tmp_path: Path) -> None:
    small = plain({HOST: b"", GFX942: read_fixture(CODE[GFX942])})
    path = tmp_path / "bundles"
    path.write_bytes(compressed(small, 2) + bytes(2 << 20) + small + compressed(small, 3))
    entries = open_container(path).device_entries()
    assert [entry.compression for entry in entries] == ["zlib", None, "zlib"]
    assert {bytes(entry.data) for entry in entries} == {read_fixture(CODE[GFX942])}


def test_a_long_table_in_a_large_file(tmp_path: Path) -> None:
    many = {f"hip-amdgcn-amd-amdhsa--gfx{index}": b"x" * 2000 for index in range(900, 1900)}
    path = tmp_path / "bundle"
    path.write_bytes(plain(many))
    assert [entry.id for entry in open_container(path).entries] == list(many)


def test_a_file_that_becomes_shorter(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_bytes(plain({GFX942: bytes(3 << 20)}))
    (entry,) = open_container(path).entries
    os.truncate(path, 1 << 20)
    with pytest.raises(Malformed, match="became shorter"):
        bytes(entry.data)


def test_a_hole_between_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    """All zeros between them count together."""
    monkeypatch.setattr(bundle, "_MAX_PADDING_BYTES", 20_000)
    empty = BUNDLE_MAGIC + bytes(8)
    assert read_bundles(empty + bytes(9_000) + empty + bytes(9_000), "made") == ()
    with pytest.raises(LimitExceeded, match="made has more than 20000 bytes of zeros between"):
        read_bundles((empty + bytes(9_000)) * 4, "made")


def test_a_table_of_names_that_is_a_hole() -> None:
    """It is read where a member refers to it."""
    size_bytes = 9_000_000_000
    head = b"!<arch>\n" + archives.ar_member(b"//", b"").replace(b"0         `", b"9000000000`")

    class Hole:
        def read(self, start: int, size_bytes: int) -> bytes:
            assert size_bytes < 1_000_000
            return (head + bytes(1_000))[start : start + size_bytes] if start < 100 else member

    member = archives.ar_member(b"/5", b"")
    data = FileBytes.of(Hole(), len(head) + size_bytes + len(member))
    (file,) = ar_files(data, "made")
    assert "no name in the table of names" in str(file.problem)
