"""Compressed files that ask for much: padding, very many blocks, indexes that lie, holes."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from struct import pack

import pytest

from dwarfgpu.base.leb128 import encode_uleb
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed
from dwarfgpu.objfile import compressed_file
from dwarfgpu.objfile.compressed_file import decompressed
from dwarfgpu.objfile.file_bytes import FileBytes
from tests.objfile.test_compressed_file import DATA, bgzip, zstd_stream
from tests.work import at_most

PACKED = {"xz": lzma.compress(DATA), "gzip": gzip.compress(DATA, mtime=0)}


def xz_of(records: int, index_words: int | None = None) -> bytes:
    """A stream with an index of blocks of one byte; `index_words`: how long it says it is."""
    index = b"\0" + encode_uleb(records) + b"\1\1" * records
    index += bytes(-len(index) % 4) + bytes(4)
    words = len(index) // 4 - 1 if index_words is None else index_words
    head = b"\xfd7zXZ\0\0\4" + bytes(4)
    return head + bytes(4 * records) + index + bytes(4) + pack("<I", words) + b"\0\4YZ"


def refused(data: bytes) -> str:
    with pytest.raises(LimitExceeded) as caught:
        decompressed("core", data)
    return caught.value.message


@pytest.mark.parametrize("kind", PACKED)
def test_zeros_behind_the_contents(kind: str) -> None:
    """As gzip and xz ignore them (.xz File Format, 2.2)."""
    for size_bytes in (4, 8_188, 8_192, 1_000_000):
        with at_most(5_000):
            assert decompressed("core", PACKED[kind] + bytes(size_bytes))[:] == DATA
    with pytest.raises(Malformed):
        decompressed("core", PACKED[kind] + bytes(10_000) + b"text")


@pytest.mark.parametrize("kind", PACKED)
def test_a_hole_behind_the_contents(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed_file, "_MAX_PADDING_BYTES", 20_000)
    assert decompressed("core", PACKED[kind] + bytes(20_000))[:] == DATA
    said = refused(PACKED[kind] + bytes(40_000))
    assert said == "core has more than 20000 bytes of zeros outside of its contents"


def test_a_hole_behind_zstandard_of_unknown_size(tmp_path: Path) -> None:
    """It is not read: RFC 8878 has no padding."""
    path = tmp_path / "core"
    path.write_bytes(zstd_stream() + bytes(5_000_000))
    data = FileBytes(str(path))
    read: list[int] = []

    class Counted:
        def read(self, start: int, size_bytes: int) -> bytes:
            read.append(size_bytes)
            return data[start : start + size_bytes]

    with pytest.raises(Malformed, match="cannot be decompressed"):
        decompressed("core", FileBytes.of(Counted(), len(data)))
    assert sum(read) < 1_000_000


@pytest.mark.parametrize(
    ("make", "limit", "subject"),
    [
        (lambda count: lzma.compress(b"") * count, "_MAX_STREAMS", "50 streams of xz"),
        (xz_of, "_MAX_BLOCKS", "50 blocks"),
        (lambda count: bgzip(b"") * count, "_MAX_BLOCKS", "50 blocks"),
        (
            lambda count: b"\x28\xb5\x2f\xfd\x20\0\1\0\0" + pack("<II", 0x184D2A50, 0) * count,
            "_MAX_BLOCKS",
            "50 blocks",
        ),
        (
            lambda count: b"\x28\xb5\x2f\xfd\x20\0" + bytes(3) * count + b"\1\0\0",
            "_MAX_BLOCKS",
            "50 blocks",
        ),
    ],
)
def test_very_many_parts(
    make: Callable[[int], bytes], limit: str, subject: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Empty ones count too: each takes as long as any other."""
    monkeypatch.setattr(compressed_file, limit, 50)
    try:
        decompressed("core", make(40))
    except LimitExceeded:
        raise
    except DwarfGpuError:
        pass  # its contents are nonsense
    assert refused(make(60)) == f"core has more than {subject}"


def test_an_index_that_is_a_hole() -> None:
    """Nothing is read for what it says."""
    words = (1 << 26) - 1
    head = b"\xfd7zXZ\0\0\4" + bytes(4)
    footer = bytes(4) + pack("<I", words) + b"\0\4YZ"
    size_bytes = len(head) + 4 * (words + 1) + len(footer)

    class Hole:
        def read(self, start: int, size_bytes: int) -> bytes:
            assert size_bytes < 1_000_000
            end = start + size_bytes
            return (head[start:end] if end <= len(head) else footer)[-size_bytes:]

    with pytest.raises(LimitExceeded, match="indexes of more than 33554432 bytes"):
        decompressed("core", FileBytes.of(Hole(), size_bytes))


def test_a_block_that_is_larger_compressed() -> None:
    """Its size is a claim, too: of a hole in the file."""
    frame = b"\x28\xb5\x2f\xfd\x20\1" + pack("<I", 200_000 << 3 | 1)[:3] + bytes(200_000)
    with pytest.raises(LimitExceeded, match=r"one block of 2000\d\d bytes"):
        decompressed("core", frame, FileLimits(inflated_bytes=100_000))
