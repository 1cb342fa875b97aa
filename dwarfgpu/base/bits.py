"""Runs of bits, in the bit order of a storage.

A run of bits is held as one integer. In little endian storage the first bit is the least
significant bit of the integer; in big endian storage the most significant. So the integer of a run
*is* its value, in both, and the bytes are those of the integer in that byte order.
"""

from __future__ import annotations

from typing import Literal

Endian = Literal["little", "big"]


def join(low: int, low_bits: int, high: int, high_bits: int, endian: Endian) -> int:
    """Return the run of `low` followed by `high` (in storage order)."""
    if endian == "little":
        return low | high << low_bits
    return low << high_bits | high


def extract(bits: int, size_bits: int, first: int, count: int, endian: Endian) -> int:
    """Return `count` bits of a run of `size_bits`, from its bit `first` (in storage order)."""
    shift = first if endian == "little" else size_bits - first - count
    return bits >> shift & (1 << count) - 1


def insert(bits: int, size_bits: int, first: int, count: int, value: int, endian: Endian) -> int:
    """Return the run with `count` bits from bit `first` replaced by the low bits of `value`."""
    shift = first if endian == "little" else size_bits - first - count
    mask = (1 << count) - 1
    return bits & ~(mask << shift) | (value & mask) << shift


def to_bytes(bits: int, size_bits: int, endian: Endian) -> bytes:
    """Return the bytes that contain the run; a last partial byte is padded with zero bits."""
    size_bytes = (size_bits + 7) // 8
    if endian == "big":
        bits <<= size_bytes * 8 - size_bits
    return bits.to_bytes(size_bytes, endian)


def from_bytes(data: bytes, size_bits: int, endian: Endian) -> int:
    """Return the run of the first `size_bits` bits of `data`."""
    return extract(int.from_bytes(data, endian), len(data) * 8, 0, size_bits, endian)


def signed(bits: int, size_bits: int) -> int:
    """Return the two's complement reading of `size_bits` bits."""
    sign = 1 << size_bits - 1 if size_bits else 0
    return (bits & sign - 1) - (bits & sign) if sign else 0
