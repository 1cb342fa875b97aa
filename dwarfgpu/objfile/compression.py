"""Compressed parts of object files: zlib, and Zstandard if the extra is installed.

Law: nothing is decompressed beyond the claimed size, and a claim must be within reach of the
compression.
"""

from __future__ import annotations

import zlib
from importlib import import_module
from io import BytesIO
from typing import Final, Protocol, cast

from dwarfgpu.errors import LimitExceeded, Malformed, Unsupported, counted
from dwarfgpu.objfile.file_bytes import FileBytes

_ZLIB_LARGEST_RATIO: Final = 1032
"""Deflate cannot expand more than this; a header that claims more is wrong."""
_STEP: Final = 1 << 20
_STEP_IN: Final = 1 << 12
"""Bytes passed to zlib at first, and twice as many each time: it copies its unused input."""
_MAX_STEP_IN: Final = 1 << 16
_RAW: Final = -zlib.MAX_WBITS
"""For zlib: the deflated data have no header (RFC 1951)."""
MAX_UNPACKED_BYTES: Final = 1 << 31


class Readable(Protocol):
    """A source of bytes, one after another."""

    def read(self, size_bytes: int, /) -> bytes: ...


class _Decompressor(Protocol):
    def stream_reader(self, source: Readable, *, read_across_frames: bool = False) -> BytesIO: ...


class Zstandard(Protocol):
    """The used part of the package `zstandard`."""

    ZstdError: type[Exception]

    def ZstdDecompressor(self) -> _Decompressor: ...


def inflate(data: bytes, size_bytes: int, subject: str) -> bytes:
    """Unpack zlib data; `Malformed` unless exactly `size_bytes` come out."""
    return inflate_some(memoryview(data), size_bytes, subject)[0]


def inflate_raw(data: bytes, size_bytes: int, subject: str) -> bytes:
    """Unpack deflated data without the header of zlib, as `inflate` does."""
    return inflate_some(memoryview(data), size_bytes, subject, _RAW)[0]


def inflated_head(data: bytes | FileBytes, size_bytes: int, subject: str) -> bytes:
    """Return the first bytes of deflated data without a zlib header; `Malformed` for damaged
    data."""
    try:
        return zlib.decompressobj(_RAW).decompress(bytes(data[:_STEP_IN]), size_bytes)
    except zlib.error as error:
        raise Malformed(f"{subject} cannot be decompressed: {error}") from None


def inflate_some(
    data: memoryview | FileBytes, size_bytes: int, subject: str, window_bits: int = zlib.MAX_WBITS
) -> tuple[bytes, int]:
    """Inflate data that other bytes follow, without copying them; return it and the number of bytes
    used."""
    _check_ratio(len(data), size_bytes, subject)
    unpacker = zlib.decompressobj(window_bits)
    out, used_bytes, step = _Unpacked(size_bytes, subject), 0, _STEP_IN
    try:
        while not unpacker.eof and out.bytes_left >= 0 and used_bytes < len(data):
            part = data[used_bytes : used_bytes + step]
            step = min(2 * step, _MAX_STEP_IN)
            out.add(unpacker.decompress(part, out.bytes_left + 1))
            used_bytes += len(part) - len(unpacker.unconsumed_tail) - len(unpacker.unused_data)
    except zlib.error as error:
        raise Malformed(f"{subject} cannot be decompressed: {error}") from None
    unpacked = out.whole()
    if not unpacker.eof and len(data):
        raise Malformed(f"{subject} is cut short: its compressed data have no end")
    return unpacked, used_bytes


class _Unpacked:
    """What was unpacked so far, in one buffer: joining parts would take twice the memory."""

    def __init__(self, size_bytes: int, subject: str) -> None:
        self._size_bytes = self.bytes_left = size_bytes
        """The number of bytes still expected; -1 after one too many."""
        self._subject = subject
        self._buffer = BytesIO()

    def add(self, part: bytes) -> None:
        self._buffer.write(part)
        self.bytes_left -= len(part)

    def whole(self) -> bytes:
        """Return the data; `Malformed` unless it has the declared size."""
        if self.bytes_left:
            raise Malformed(
                f"{self._subject} does not decompress to {counted(self._size_bytes, 'byte')}"
            )
        return self._buffer.getvalue()


def _check_ratio(packed_bytes: int, size_bytes: int, subject: str) -> None:
    if size_bytes > _ZLIB_LARGEST_RATIO * (packed_bytes + 1):
        raise Malformed(f"{subject} declares {counted(size_bytes, 'byte')} when decompressed")
    _check_size(size_bytes, subject)


def zstandard(subject: str) -> Zstandard:
    """Return the package that unpacks Zstandard; `Unsupported` without the extra `zstd`."""
    try:
        return cast(Zstandard, import_module("zstandard"))
    except ImportError:
        from dwarfgpu.base.optional_packages import install_command

        raise Unsupported(
            f"{subject} is compressed with Zstandard, which needs the package zstandard: "
            f"{install_command('zstandard')}"
        ) from None


def unpack_zstd(data: bytes, size_bytes: int, subject: str) -> bytes:
    """Unpack Zstandard data of `size_bytes`; `Unsupported` without the extra `zstd`."""
    library = zstandard(subject)
    _check_size(size_bytes, subject)
    out = _Unpacked(size_bytes, subject)
    try:
        reader = library.ZstdDecompressor().stream_reader(BytesIO(data))
        # In steps: the size that the frame claims is not trusted.
        while out.bytes_left >= 0 and (part := reader.read(min(_STEP, out.bytes_left + 1))):
            out.add(part)
    except library.ZstdError as error:
        raise Malformed(f"{subject} cannot be decompressed: {error}") from None
    return out.whole()


def _check_size(size_bytes: int, subject: str) -> None:
    if size_bytes > MAX_UNPACKED_BYTES:
        raise LimitExceeded(f"{subject} has {counted(size_bytes, 'byte')} when decompressed")
