"""LEB128 numbers (DWARF 5, 7.6): the bytes of a number, and the number of bytes."""

from __future__ import annotations

from dwarfgpu.errors import Malformed, shown


def decode(data: bytes) -> int:
    """Return the number of seven-bit groups, least significant first, without a sign; in linear
    time."""
    if len(data) <= 10:
        value = 0
        for index, byte in enumerate(data):
            value |= (byte & 0x7F) << 7 * index
        return value
    return int("".join(format(byte & 0x7F, "07b") for byte in reversed(data)), 2)


def encode_uleb(value: int) -> bytes:
    """Return the shortest unsigned LEB128 of `value`."""
    if value >> 256 > 0:
        return _encode_long(value, value.bit_length())
    if value < 0:
        raise Malformed(f"unsigned operand is negative: {shown(value)}")
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _encode_long(bits: int, size_bits: int) -> bytes:
    """Return the LEB128 of `size_bits` bits in linear time: shifting a long number costs its
    length."""
    count = -(-size_bits // 7)
    digits = format(bits, f"0{7 * count}b")
    groups = [int(digits[index : index + 7], 2) for index in range(7 * (count - 1), -1, -7)]
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


def encode_sleb(value: int) -> bytes:
    """Return the shortest signed LEB128 of `value`."""
    size_bits = (value if value >= 0 else ~value).bit_length() + 1
    if size_bits > 256:
        return _encode_long(value & (1 << -(-size_bits // 7) * 7) - 1, size_bits)
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)
