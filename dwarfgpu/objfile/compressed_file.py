"""Read compressed files as their contents: gzip, xz and Zstandard.

A file of several blocks that are compressed one by one (`xz -T`, `bgzip`, `pzstd`) is read by
seeking: only the blocks of what is asked for are decompressed. Law: no block is decompressed that
is larger than the limit; then the error says which program decompresses the file.
"""

from __future__ import annotations

import lzma
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from threading import Lock
from typing import Final

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS, FileLimits
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, Malformed, Unsupported, UsageError
from dwarfgpu.objfile.compression import Zstandard, zstandard
from dwarfgpu.objfile.file_bytes import FileBytes
from dwarfgpu.objfile.file_kinds import LONGEST_MAGIC_BYTES, compressed_by

_READABLE: Final = ("gzip", "xz", "zstd")
_MAX_MEMORY: Final = 1 << 28
"""Bytes that the decompressor of xz may take for its dictionary."""
_MAX_BLOCKS: Final = 1 << 21
"""Blocks of a file, empty ones and the parts that have no contents included."""
_MAX_STREAMS: Final = 1 << 18
"""Streams of xz, one behind another."""
_MAX_INDEX_BYTES: Final = 1 << 25
"""Indexes of all streams of xz together."""
_MAX_PADDING_BYTES: Final = 1 << 26
"""Zeros behind streams of xz and members of gzip; a hole in a file takes no room."""
_WINDOW_BYTES: Final = 1 << 12
_MAX_KEPT_BYTES: Final = 1 << 26
"""Maximum size in bytes of decompressed blocks; the last one is kept whatever its size."""
PACKED_HEAD_BYTES: Final = 1 << 16
"""How many bytes of a compressed file are read to see how it begins."""
_STEP: Final = 1 << 20
_STEP_IN: Final = 1 << 13
"""Bytes that are given to zlib at a time: what it does not use, it copies."""
_XZ_HEADER_BYTES: Final = 12
_ZSTD_HEADER_BYTES: Final = 18
_ZSTD_MAGIC: Final = 0xFD2FB528
_SKIPPABLE: Final = 0x184D2A50

Data = bytes | FileBytes


@frozen
class Block:
    """A part of a file that is compressed for itself: offsets and sizes in bytes."""

    start: int
    packed_bytes: int
    offset: int
    """In the decompressed file."""
    size_bytes: int


class _Window:
    """Headers of a file at rising offsets; what is near the last one was read with it."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._start = 0
        self._read = b""

    def __len__(self) -> int:
        return len(self._data)

    def at(self, offset: int, size_bytes: int) -> bytes:
        """Return some bytes, at most 4 KiB; fewer at the end of the file."""
        first = offset - self._start
        if not 0 <= first <= len(self._read) - size_bytes:
            self._start, first = offset, 0
            self._read = bytes(self._data[offset : offset + _WINDOW_BYTES])
        return self._read[first : first + size_bytes]


class _Stream:
    """The bytes of a file, one after another: very many may follow what is asked for."""

    def __init__(self, data: Data) -> None:
        self._data = data
        self._offset = 0

    def read(self, size_bytes: int, /) -> bytes:
        """Return the next bytes; fewer at the end of the file."""
        part = bytes(self._data[self._offset : self._offset + size_bytes])
        self._offset += len(part)
        return part


class _Blocks:
    """The decompressed bytes of a file of blocks, block by block."""

    def __init__(self, blocks: list[Block], unpack: Callable[[Block], bytes], path: str) -> None:
        self._blocks = blocks
        self._offsets = [block.offset for block in blocks]
        self._unpack = unpack
        self._path = path
        self._kept: dict[int, bytes] = {}
        self._lock = Lock()

    def read(self, start: int, size_bytes: int) -> bytes:
        """Return bytes of the decompressed file."""
        parts: list[bytes] = []
        end = start + size_bytes
        with self._lock:
            while start < end:
                index = bisect_right(self._offsets, start) - 1
                block, data = self._blocks[index], self._block(index)
                first = start - block.offset
                parts.append(data[first : first + end - start])
                start += len(parts[-1])
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _block(self, index: int) -> bytes:
        data = self._kept.pop(index, None)
        if data is None:
            block = self._blocks[index]
            if block.size_bytes > _MAX_KEPT_BYTES:
                self._kept.clear()  # before it is unpacked
            data = self._unpack(block)
            if len(data) != block.size_bytes:
                raise Malformed(
                    f"{self._path}: the block at {block.start:#x} does not decompress to "
                    f"{block.size_bytes} bytes"
                )
            kept_bytes = sum(map(len, self._kept.values()))
            while self._kept and kept_bytes + len(data) > _MAX_KEPT_BYTES:
                kept_bytes -= len(self._kept.pop(next(iter(self._kept))))
        self._kept[index] = data
        return data


def decompressed(path: str, data: Data, limits: FileLimits = DEFAULT_FILE_LIMITS) -> Data:
    """Return the decompressed bytes of a file; as far as possible, they are not read yet.

    A file that is not compressed is returned as it is. `Malformed` for damaged ones; `UsageError`
    for a program whose files are not read here; `LimitExceeded` for one block beyond the limit.
    """
    program = compressed_by(bytes(data[:LONGEST_MAGIC_BYTES]))
    if program is None:
        return data
    if program not in _READABLE:
        raise UsageError(f"{path} is compressed by {program}: give the output of {program} -d")
    limit = limits.inflated_bytes
    try:
        if program == "xz":
            blocks = _at_offsets(path, _xz_blocks(path, data))
            unpack = partial(_unpacked_xz, path, data)
        elif program == "gzip":
            bgzip = _bgzip_blocks(path, data)
            if bgzip is None:
                return _gunzipped(path, data, limit)
            blocks, unpack = _at_offsets(path, bgzip), partial(_unpacked_gzip, data)
        else:
            library = _zstandard(path)
            frames = _zstd_frames(path, data)
            if frames is None:
                return _unpacked_stream(path, library, data, limit)
            blocks, unpack = (
                _at_offsets(path, frames),
                partial(_unpacked_frame, path, library, data),
            )
    except (zlib.error, lzma.LZMAError) as error:
        raise Malformed(f"{path} cannot be decompressed by {program}: {error}") from None
    largest = max((max(block.size_bytes, block.packed_bytes) for block in blocks), default=0)
    if largest > limit:
        raise _too_large(path, program, largest, limit)
    total = sum(block.size_bytes for block in blocks)
    return FileBytes.of(_Blocks(blocks, unpack, path), total)


def head_of(path: str, data: Data, size_bytes: int) -> bytes:
    """Return how a file begins, decompressed; empty if that is unknown."""
    program = compressed_by(bytes(data[:LONGEST_MAGIC_BYTES]))
    if program is None:
        return bytes(data[:size_bytes])
    packed = bytes(data[:PACKED_HEAD_BYTES])
    try:
        if program == "gzip":
            return zlib.decompressobj(31).decompress(packed, size_bytes)
        if program == "xz":
            return lzma.LZMADecompressor(memlimit=_MAX_MEMORY).decompress(packed, size_bytes)
        if program == "zstd":
            return _zstd_head(_zstandard(path), packed, size_bytes)
    except (zlib.error, lzma.LZMAError, DwarfGpuError, ValueError):
        return b""
    return b""


def _zstd_head(library: Zstandard, packed: bytes, size_bytes: int) -> bytes:
    """Return how a file begins; empty if that is unknown."""
    reader = library.ZstdDecompressor().stream_reader(BytesIO(packed), read_across_frames=True)
    try:
        return reader.read(size_bytes)
    except library.ZstdError:
        return b""


def _too_large(path: str, program: str, size_bytes: int, limit: int) -> LimitExceeded:
    return LimitExceeded(
        f"{path} is compressed by {program} in one block of {size_bytes} bytes or more, and the "
        f"limit for unpacking at once is {limit}: give the output of {program} -d",
        "--max-inflated-bytes",
    )


def _at_offsets(path: str, sizes: Iterator[tuple[int, int, int]]) -> list[Block]:
    """Return the blocks of starts, sizes and decompressed sizes; empty ones are left out."""
    blocks: list[Block] = []
    offset = 0
    for number, (start, packed_bytes, size_bytes) in enumerate(sizes):
        _check_blocks(path, number)
        if size_bytes:
            blocks.append(Block(start, packed_bytes, offset, size_bytes))
            offset += size_bytes
    return blocks


def _check_blocks(path: str, number: int) -> None:
    if number >= _MAX_BLOCKS:
        raise LimitExceeded(f"{path} has more than {_MAX_BLOCKS} blocks")


def _check_padding(path: str, size_bytes: int) -> None:
    if size_bytes > _MAX_PADDING_BYTES:
        raise LimitExceeded(
            f"{path} has more than {_MAX_PADDING_BYTES} bytes of zeros outside of its contents"
        )


def _zeros_before(path: str, data: Data, end: int) -> int:
    """Return how many of the bytes before an end are zeros."""
    zeros, size_bytes = 0, 4
    while zeros < end:
        part = bytes(data[max(0, end - zeros - size_bytes) : end - zeros])
        contents = part.rstrip(b"\0")
        zeros += len(part) - len(contents)
        _check_padding(path, zeros)
        if contents:
            break
        size_bytes = min(2 * size_bytes, _STEP)
    return zeros


def _xz_blocks(path: str, data: Data) -> Iterator[tuple[int, int, int]]:
    """Yield the blocks of all streams, by the indexes at their ends (.xz File Format, 2 to 4)."""
    streams: list[tuple[int, bytes]] = []
    end, bytes_left = len(data), _MAX_INDEX_BYTES
    while end > 0:
        if len(streams) >= _MAX_STREAMS:
            raise LimitExceeded(f"{path} has more than {_MAX_STREAMS} streams of xz")
        end -= _zeros_before(path, data, end) & ~3  # stream padding
        footer = bytes(data[max(0, end - _XZ_HEADER_BYTES) : end])
        if len(footer) != _XZ_HEADER_BYTES or footer[10:] != b"YZ":
            raise Malformed(f"{path} is truncated, or not an xz file, at {end:#x}")
        index_bytes = (int.from_bytes(footer[4:8], "little") + 1) * 4
        index_at = end - _XZ_HEADER_BYTES - index_bytes
        if index_at < _XZ_HEADER_BYTES:
            raise Malformed(f"{path}: the index of a stream of xz does not fit the file")
        bytes_left -= index_bytes
        if bytes_left < 0:
            raise LimitExceeded(
                f"{path} has indexes of more than {_MAX_INDEX_BYTES} bytes in its streams of xz"
            )
        index = bytes(data[index_at : index_at + index_bytes])
        first = index_at - sum(packed_bytes for packed_bytes, _ in _xz_records(path, index))
        if first < _XZ_HEADER_BYTES:
            raise Malformed(f"{path}: the blocks of a stream of xz do not fit the file")
        streams.append((first, index))
        end = first - _XZ_HEADER_BYTES
    for offset, index in reversed(streams):
        for packed_bytes, size_bytes in _xz_records(path, index):
            yield offset, packed_bytes, size_bytes
            offset += packed_bytes


def _xz_records(path: str, index: bytes) -> Iterator[tuple[int, int]]:
    """Yield the size of each block, with its padding, and decompressed."""
    offset = 1

    def number() -> int:
        nonlocal offset
        value = shift = 0
        while True:
            if offset >= len(index) or shift > 56:
                raise Malformed(f"{path}: the index of a stream of xz is damaged")
            value |= (index[offset] & 0x7F) << shift
            offset, shift = offset + 1, shift + 7
            if not index[offset - 1] & 0x80:
                return value

    if index[:1] != b"\0":
        raise Malformed(f"{path}: a stream of xz has no index")
    for _ in range(number()):
        yield (number() + 3) // 4 * 4, number()


def _unpacked_xz(path: str, data: Data, block: Block) -> bytes:
    header = bytes(data[:_XZ_HEADER_BYTES])
    packed = bytes(data[block.start : block.start + block.packed_bytes])
    try:
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_MEMORY)
        return unpacker.decompress(header + packed, block.size_bytes + 1)
    except lzma.LZMAError as error:
        raise Malformed(f"{path} cannot be decompressed at {block.start:#x}: {error}") from None


_BGZIP_HEADER: Final = 18


def _bgzip_blocks(path: str, data: Data) -> Iterator[tuple[int, int, int]] | None:
    """Return the blocks of a bgzip file, whose members say their sizes (SAM, 4.1); else None."""
    return None if _bgzip_bytes(_Window(data), 0) is None else _bgzip_members(path, data)


def _bgzip_members(path: str, data: Data) -> Iterator[tuple[int, int, int]]:
    window = _Window(data)
    offset = 0
    while offset < len(data):
        packed = _bgzip_bytes(window, offset)
        if packed is None or offset + packed > len(data):
            raise Malformed(f"{path} is cut short, or is not of bgzip at {offset:#x}")
        size = int.from_bytes(window.at(offset + packed - 4, 4), "little")
        yield offset, packed, size
        offset += packed


def _bgzip_bytes(window: _Window, offset: int) -> int | None:
    """Return the size of the member at an offset; None if it does not say it."""
    head = window.at(offset, _BGZIP_HEADER)
    is_one = head[:4] == b"\x1f\x8b\x08\x04" and head[12:16] == b"BC\x02\x00"
    return int.from_bytes(head[16:18], "little") + 1 if is_one else None


def _unpacked_gzip(data: Data, block: Block) -> bytes:
    packed = bytes(data[block.start : block.start + block.packed_bytes])
    try:
        return zlib.decompressobj(31).decompress(packed, block.size_bytes + 1)
    except zlib.error as error:
        raise Malformed(f"a block at {block.start:#x} cannot be decompressed: {error}") from None


def _gunzipped(path: str, data: Data, limit: int) -> bytes:
    """Return all of a file: only bgzip's can be read in parts."""
    out, bytes_left = BytesIO(), limit  # grows without a second copy
    unpacker = zlib.decompressobj(31)
    is_complete, padding_bytes = True, 0
    for offset in range(0, len(data), _STEP_IN):
        part = bytes(data[offset : offset + _STEP_IN])
        while part:
            if is_complete:  # between members, where zeros may be
                following = part.lstrip(b"\0")
                padding_bytes += len(part) - len(following)
                _check_padding(path, padding_bytes)
                part = following
                if not part:
                    break
            bytes_left -= out.write(unpacker.decompress(part, bytes_left + 1))
            if bytes_left < 0:
                raise _too_large(path, "gzip", limit + 1, limit)
            is_complete = unpacker.eof
            part = unpacker.unused_data if is_complete else unpacker.unconsumed_tail
            if is_complete:
                unpacker = zlib.decompressobj(31)
    if not is_complete:
        raise Malformed(f"{path} is cut short: it ends inside a member of gzip")
    return out.getvalue()


def _zstandard(path: str) -> Zstandard:
    try:
        return zstandard(path)
    except Unsupported as error:
        raise UsageError(f"{error.message}, or give the output of zstd -d") from None


def _zstd_frames(path: str, data: Data) -> Iterator[tuple[int, int, int]] | None:
    """Yield the frames of a file (RFC 8878, 3.1); None where one does not say its size."""
    frames: list[tuple[int, int, int]] = []
    window = _Window(data)
    offset = parts = 0
    while offset < len(data):
        _check_blocks(path, parts)
        parts += 1
        head = window.at(offset, _ZSTD_HEADER_BYTES)
        magic = int.from_bytes(head[:4], "little")
        if magic & 0xFFFFFFF0 == _SKIPPABLE:
            offset += 8 + int.from_bytes(head[4:8], "little")
            if offset > len(data):
                raise Malformed(f"{path} is cut short")
            continue
        if magic != _ZSTD_MAGIC:
            raise Malformed(f"{path} is not a Zstandard file at {offset:#x}")
        size, blocks_at, has_checksum = _zstd_header(head)
        end, blocks = _zstd_end(path, window, offset + blocks_at, parts)
        parts += blocks
        end += 4 * has_checksum
        if size is None:
            return None
        if end > len(data):
            raise Malformed(f"{path} is cut short")
        frames.append((offset, end - offset, size))
        offset = end
    return iter(frames)


def frame_end(path: str, data: Data, start: int) -> int:
    """Return the position behind the frame of Zstandard that begins at one; `Malformed` where none
    does, or it is cut short."""
    window = _Window(data)
    head = window.at(start, _ZSTD_HEADER_BYTES)
    if int.from_bytes(head[:4], "little") != _ZSTD_MAGIC:
        raise Malformed(f"{path} is not a Zstandard frame at {start:#x}")
    _, blocks_at, has_checksum = _zstd_header(head)
    end, _ = _zstd_end(path, window, start + blocks_at, 0)
    if end + 4 * has_checksum > len(data):
        raise Malformed(f"{path} is cut short")
    return end + 4 * has_checksum


def _zstd_header(head: bytes) -> tuple[int | None, int, bool]:
    """Return the decompressed size of a frame, where its blocks begin, whether a checksum ends
    it."""
    descriptor = head[4] if len(head) > 4 else 0
    is_single, kind = bool(descriptor & 0x20), descriptor >> 6
    offset = 5 + (not is_single) + (0, 1, 2, 4)[descriptor & 3]
    count = (1 if is_single else 0, 2, 4, 8)[kind]
    size = int.from_bytes(head[offset : offset + count], "little") + (256 if kind == 1 else 0)
    return size if count else None, offset + count, bool(descriptor & 4)


def _zstd_end(path: str, window: _Window, offset: int, parts: int) -> tuple[int, int]:
    """Return the position behind the last block of a frame, and how many it has; `parts`: those
    before it."""
    size_bytes, blocks = len(window), 0
    while offset + 3 <= size_bytes:
        _check_blocks(path, parts + blocks)
        blocks += 1
        header = int.from_bytes(window.at(offset, 3), "little")
        kind, size = header >> 1 & 3, header >> 3
        offset += 3 + (1 if kind == 1 else size)
        if header & 1:
            return offset, blocks
    raise Malformed(f"{path} is cut short")


def _unpacked_frame(path: str, library: Zstandard, data: Data, block: Block) -> bytes:
    packed = bytes(data[block.start : block.start + block.packed_bytes])
    try:
        reader = library.ZstdDecompressor().stream_reader(BytesIO(packed))
        return reader.read(block.size_bytes + 1)
    except library.ZstdError as error:
        raise Malformed(f"{path} cannot be decompressed at {block.start:#x}: {error}") from None


def _unpacked_stream(path: str, library: Zstandard, data: Data, limit: int) -> bytes:
    """Return all of a file whose frames do not say how large they are."""
    out, bytes_left = BytesIO(), limit
    packed = _Stream(data)
    reader = library.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    try:
        while part := reader.read(min(_STEP, bytes_left + 1)):
            bytes_left -= out.write(part)
            if bytes_left < 0:
                raise _too_large(path, "zstd", limit + 1, limit)
    except library.ZstdError as error:
        raise Malformed(f"{path} cannot be decompressed: {error}") from None
    return out.getvalue()
