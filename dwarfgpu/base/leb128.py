"""LEB128 numbers (DWARF 5, 7.6): the bytes of a number, and the number of bytes."""

from __future__ import annotations

from dwarfgpu.errors import Malformed, shown


def decode(data: bytes) -> int:
    """Return the number of seven-bit groups, least significant first, without a sign; in linear
    time, and in memory of some times their size."""
    if len(data) <= 10:
        value = 0
        for index, byte in enumerate(data):
            value |= (byte & 0x7F) << 7 * index
        return value
    return _decode_long(data)


def _decode_long(data: bytes) -> int:
    """Return the number of many groups: all at once, two, four and eight are made one."""
    count = -(-len(data) // 8)
    size_bytes = 8 * count
    number = int.from_bytes(data, "little") & _mask(b"\x7f", size_bytes)
    number = number & _mask(b"\x7f\0", size_bytes) | (number & _mask(b"\0\x7f", size_bytes)) >> 1
    low, high = b"\xff\x3f\0\0", b"\0\0\xff\x3f"
    number = number & _mask(low, size_bytes) | (number & _mask(high, size_bytes)) >> 2
    low, high = b"\xff\xff\xff\x0f\0\0\0\0", b"\0\0\0\0\xff\xff\xff\x0f"
    number = number & _mask(low, size_bytes) | (number & _mask(high, size_bytes)) >> 4
    eights = number.to_bytes(size_bytes, "little")
    out = bytearray(7 * count)
    for index in range(7):  # the eighth byte of each is empty now
        out[index::7] = eights[index::8]
    return int.from_bytes(out, "little")


def _mask(pattern: bytes, size_bytes: int) -> int:
    return int.from_bytes(pattern * (size_bytes // len(pattern)), "little")


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
