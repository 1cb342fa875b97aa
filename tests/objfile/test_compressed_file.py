"""Compressed files that are read in parts: xz, gzip and Zstandard."""

from __future__ import annotations

import gzip
import lzma
import shutil
import subprocess
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from struct import pack
from types import ModuleType

import pytest

from dwarfgpu.base.limits import FileLimits
from dwarfgpu.errors import LimitExceeded, Malformed, UsageError
from dwarfgpu.objfile import compressed_file
from dwarfgpu.objfile.compressed_file import decompressed, head_of
from dwarfgpu.objfile.file_bytes import FileBytes


def contents(size_bytes: int = 50_000) -> bytes:
    random = Random(3)
    return b"".join(
        random.choice((random.randbytes(100), bytes(100))) for _ in range(size_bytes // 100)
    )


DATA = contents()
PARTS = [DATA[at : at + 7_000] for at in range(0, len(DATA), 7_000)]


def bgzip(part: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = packer.compress(part) + packer.flush()
    size = 18 + len(packed) + 8
    head = b"\x1f\x8b\x08\x04" + bytes(6) + pack("<HBBHH", 6, 66, 67, 2, size - 1)
    return head + packed + pack("<II", zlib.crc32(part), len(part))


def zstd() -> ModuleType:
    return pytest.importorskip("zstandard")


def zstd_frames() -> bytes:
    library = zstd()
    skippable = pack("<II", 0x184D2A53, 5) + b"hello"
    return skippable.join(library.ZstdCompressor().compress(part) for part in PARTS)


def zstd_stream() -> bytes:
    packer = zstd().ZstdCompressor().compressobj()
    packed: bytes = packer.compress(DATA) + packer.flush()
    return packed


KINDS: dict[str, Callable[[], bytes]] = {
    "xz": lambda: lzma.compress(DATA),
    "xz of streams": lambda: (bytes(8)).join(lzma.compress(part) for part in PARTS) + bytes(4),
    "gzip": lambda: gzip.compress(DATA, mtime=0),
    "gzip of members": lambda: b"".join(gzip.compress(part, mtime=0) for part in PARTS) + bytes(9),
    "bgzip": lambda: b"".join(map(bgzip, [*PARTS, b""])),
    "zstd": lambda: zstd().ZstdCompressor().compress(DATA),
    "zstd of frames": zstd_frames,
    "zstd without a size": zstd_stream,
}
IN_PARTS = ("xz of streams", "bgzip", "zstd of frames")


@pytest.mark.parametrize("kind", KINDS)
def test_every_range(kind: str) -> None:
    data = decompressed("f", KINDS[kind]())
    assert len(data) == len(DATA) and bytes(data[:]) == DATA
    random = Random(1)
    for _ in range(200):
        first = random.randrange(len(DATA))
        size = random.choice((0, 1, 40, 9_000))
        assert bytes(data[first : first + size]) == DATA[first : first + size]


@pytest.mark.parametrize("kind", IN_PARTS)
def test_only_the_requested_blocks(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = decompressed("f", KINDS[kind]())
    assert isinstance(data, FileBytes)
    unpacked: list[int] = []
    source = data._source
    assert isinstance(source, compressed_file._Blocks)
    unpack = source._unpack
    monkeypatch.setattr(
        source, "_unpack", lambda block: unpacked.append(block.offset) or unpack(block)
    )
    assert data[20_000:20_100] == DATA[20_000:20_100]
    assert unpacked == [14_000]
    assert data[20_500:21_010] == DATA[20_500:21_010]
    assert unpacked == [14_000, 21_000]
    assert data[20_000:20_001] == DATA[20_000:20_001]
    assert unpacked == [14_000, 21_000], "blocks are kept"


@pytest.mark.parametrize("kind", KINDS)
def test_one_large_block_is_to_be_decompressed_by_its_program(kind: str) -> None:
    limits = FileLimits(inflated_bytes=10_000)
    if kind in IN_PARTS:
        assert len(decompressed("f", KINDS[kind](), limits)) == len(DATA)
        return
    program = kind.split()[0]
    with pytest.raises(LimitExceeded, match=f"f is compressed by {program} in one block of .*: "
                       f"give the output of {program} -d"):  # fmt: skip
        decompressed("f", KINDS[kind](), limits)


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_an_error_and_no_crash(kind: str) -> None:
    whole = KINDS[kind]()
    random = Random(7)
    for _ in range(120):
        damaged = bytearray(whole)
        for _ in range(random.randint(1, 3)):
            damaged[random.randrange(6, len(damaged))] = random.randrange(256)
        if random.random() < 0.3:
            del damaged[random.randrange(6, len(damaged)) :]
        try:
            result = decompressed("f", bytes(damaged), FileLimits(inflated_bytes=1 << 20))
            for at in range(0, min(len(result), 1 << 20), 7_000):
                bytes(result[at : at + 10])
        except (Malformed, LimitExceeded):
            continue


@pytest.mark.parametrize("kind", KINDS)
def test_how_a_file_begins(kind: str) -> None:
    packed = KINDS[kind]()
    assert head_of("f", packed, 24) == DATA[:24]
    assert head_of("f", packed[:8], 24) in (b"", DATA[:24])


def test_other_files() -> None:
    assert decompressed("f", DATA) is DATA
    with pytest.raises(UsageError, match="f is compressed by lz4: give the output of lz4 -d"):
        decompressed("f", b"\x04\x22\x4d\x18" + bytes(20))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(UsageError, match="needs the package zstandard: .*, or give the output"):
        decompressed("f", b"\x28\xb5\x2f\xfd" + bytes(20))
    assert head_of("f", b"\x28\xb5\x2f\xfd" + bytes(20), 24) == b""


@pytest.mark.skipif(shutil.which("xz") is None, reason="needs xz")
def test_blocks_of_one_stream(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(DATA)
    subprocess.run(["xz", "--block-size=7000", str(path)], check=True)
    packed = path.with_suffix(".xz").read_bytes()
    data = decompressed("f", packed, FileLimits(inflated_bytes=7_000))
    assert bytes(data[:]) == DATA


def test_unpacking_takes_no_more_memory_than_what_is_unpacked() -> None:
    data = DATA * 80
    packed = gzip.compress(data)
    tracemalloc.start()
    try:
        assert len(decompressed("made", packed)) == len(data)
        assert tracemalloc.get_traced_memory()[1] < 1.3 * len(data)
    finally:
        tracemalloc.stop()


def test_blocks_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    block = DATA * 10
    monkeypatch.setattr(compressed_file, "_MAX_KEPT_BYTES", 2 * len(block))
    blocks = decompressed("made", lzma.compress(block) * 8)
    tracemalloc.start()
    try:
        for at in range(0, 8 * len(block), len(block)):
            assert blocks[at : at + 4] == block[:4]
        assert tracemalloc.get_traced_memory()[0] < 3 * len(block)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size_bytes", [11, 100, -9, -1])
def test_a_gzip_file_that_is_cut_short(size_bytes: int) -> None:
    packed = gzip.compress(DATA)
    whole = packed + packed
    assert decompressed("a.gz", whole) == DATA + DATA
    for data in (packed[:size_bytes], packed + packed[:size_bytes]):
        with pytest.raises(Malformed, match="a.gz is cut short"):
            decompressed("a.gz", data)


def zstd_of_a_dictionary() -> bytes:
    library = zstd()
    samples = [Random(number).randbytes(20) + DATA[number : number + 200] for number in range(500)]
    trained = library.train_dictionary(2000, samples)
    packed: bytes = library.ZstdCompressor(dict_data=trained).compress(DATA)
    return packed


def with_wrong_checksum() -> bytes:
    packed = bytearray(zstd().ZstdCompressor(write_checksum=True).compress(DATA))
    packed[-1] ^= 0xFF
    return bytes(packed)


def with_first_block_reserved() -> bytes:
    packed = bytearray(zstd().ZstdCompressor().compress(DATA))
    packed[4] |= 8  # a reserved bit of the frame header (RFC 8878, 3.1.1.1.1)
    return bytes(packed)


def with_the_largest_window() -> bytes:
    packed = zstd().ZstdCompressor().compress(DATA)
    return bytes(packed[:4]) + b"\0\xf8" + bytes(packed[6:])


@pytest.mark.parametrize(
    "damaged",
    [
        zstd_of_a_dictionary, with_wrong_checksum, with_first_block_reserved,
        with_the_largest_window,
    ],
)  # fmt: skip
def test_zstandard_that_its_library_refuses(damaged: Callable[[], bytes]) -> None:
    packed = damaged()
    with pytest.raises(Malformed, match="a.zst (cannot be decompressed|is cut short)"):
        bytes(decompressed("a.zst", packed))
    assert head_of("a.zst", packed, 100) in (b"", DATA[:100])


@pytest.mark.parametrize("first_byte", [0x50, 0x5F])
def test_a_file_that_begins_with_a_skippable_frame(first_byte: int) -> None:
    skippable = bytes([first_byte]) + b"\x2a\x4d\x18\x05\0\0\0hello"
    packed = skippable + zstd().ZstdCompressor().compress(DATA)
    assert bytes(decompressed("a.zst", packed)) == DATA
    assert head_of("a.zst", packed, 100) == DATA[:100]
    with pytest.raises(Malformed, match="a.zst is cut short"):
        decompressed("a.zst", skippable[:6])
