"""Compressed parts of object files: zlib, and Zstandard where the extra is installed.

Law: nothing is unpacked beyond the size that the file claims, and no claim is believed that the
compression could not reach.
"""

from __future__ import annotations

import zlib
from importlib import import_module
from io import BytesIO
from typing import Final, Protocol, cast

from dwarfgpu.errors import LimitExceeded, Malformed, Unsupported

_ZLIB_LARGEST_RATIO: Final = 1032
"""Deflate cannot expand more than this; a header that claims more is a lie."""
_STEP: Final = 1 << 20
MOST_UNPACKED_BYTES: Final = 1 << 31


class _Decompressor(Protocol):
    def stream_reader(self, source: BytesIO) -> BytesIO: ...


class _Zstandard(Protocol):
    """What is used of the package `zstandard`."""

    ZstdError: type[Exception]

    def ZstdDecompressor(self) -> _Decompressor: ...


def inflate(data: bytes, size_bytes: int, what: str) -> bytes:
    """Unpack zlib data; `Malformed` unless exactly `size_bytes` come out."""
    return inflate_some(data, size_bytes, what)[0]


def inflate_some(data: bytes, size_bytes: int, what: str) -> tuple[bytes, int]:
    """The same, and how many bytes of `data` were used."""
    if size_bytes > _ZLIB_LARGEST_RATIO * (len(data) + 1):
        raise Malformed(f"{what} claims {size_bytes} bytes when decompressed")
    _check_size(size_bytes, what)
    unpacker = zlib.decompressobj()
    try:
        out = unpacker.decompress(data, size_bytes + 1)
    except zlib.error as error:
        raise Malformed(f"{what} cannot be decompressed: {error}") from None
    if len(out) != size_bytes:
        raise Malformed(f"{what} does not decompress to {size_bytes} bytes")
    return out, len(data) - len(unpacker.unused_data)


def unpack_zstd(data: bytes, size_bytes: int, what: str) -> bytes:
    """Unpack Zstandard data of `size_bytes`; `Unsupported` without the extra `zstd`."""
    try:
        library = cast(_Zstandard, import_module("zstandard"))
    except ImportError:
        raise Unsupported(
            f"{what} is compressed with Zstandard; install dwarfgpu with the extra zstd "
            "(pip install 'dwarfgpu[zstd]')"
        ) from None
    _check_size(size_bytes, what)
    out = bytearray()
    try:
        reader = library.ZstdDecompressor().stream_reader(BytesIO(data))
        # By and by: the frame's own claim of its size is not believed.
        while len(out) <= size_bytes and (more := reader.read(min(_STEP, size_bytes + 1))):
            out += more
    except library.ZstdError as error:
        raise Malformed(f"{what} cannot be decompressed: {error}") from None
    if len(out) != size_bytes:
        raise Malformed(f"{what} does not decompress to {size_bytes} bytes")
    return bytes(out)


def _check_size(size_bytes: int, what: str) -> None:
    if size_bytes > MOST_UNPACKED_BYTES:
        raise LimitExceeded(f"{what} has {size_bytes} bytes when decompressed")
