"""LZ4 blocks ("LZ4 Block Format Description"), as used in CUDA fat binaries.

Law: nothing is unpacked beyond the claimed size, and a claim must be within reach of the format.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.errors import Malformed, counted

_MAX_RATIO: Final = 255
"""The largest number of bytes that one byte of a length adds."""
_LEAST_MATCH_BYTES: Final = 4
_LONGER: Final = 15
"""A length in four bits after which more bytes of it follow."""


def unpack_lz4(data: bytes, size_bytes: int, subject: str) -> bytes:
    """Unpack a block; `Malformed` unless exactly `size_bytes` come out of all of it."""
    if size_bytes > _MAX_RATIO * (len(data) + 1):
        raise Malformed(f"{subject} declares {counted(size_bytes, 'byte')} when decompressed")
    reader = Reader(data)
    out = bytearray()
    try:
        while reader:
            token = reader.u8()
            literal_bytes = _length(reader, token >> 4)
            _require(len(out) + literal_bytes <= size_bytes)
            out += reader.take(literal_bytes)
            if not reader:
                break  # the last sequence has no match
            distance = reader.unsigned(2)
            match_bytes = _length(reader, token & 15) + _LEAST_MATCH_BYTES
            _require(0 < distance <= len(out) and len(out) + match_bytes <= size_bytes)
            start = len(out) - distance
            repeated = out[start : start + match_bytes]
            if distance < match_bytes:  # the match repeats what it has just written
                repeated = (repeated * (match_bytes // distance + 1))[:match_bytes]
            out += repeated
        _require(len(out) == size_bytes)
    except Malformed as error:
        raise Malformed(f"{subject} cannot be decompressed: {error.message}") from None
    return bytes(out)


def _length(reader: Reader, length: int) -> int:
    if length == _LONGER:
        while (byte := reader.u8()) == 255:
            length += byte
        length += byte
    return length


def _require(is_within: bool) -> None:
    if not is_within:
        raise Malformed("it is not an LZ4 block of the declared size")
