"""LEB128 numbers, bit numbering of storages, and the strict byte reader.

Law: `Reader` returns exactly the requested bytes or raises `Malformed`, never less.

Bit order. A run of bits is held as one integer. In little endian storage the first bit is the least
significant bit of the integer; in big endian storage the most significant. So the integer of a run
*is* its value, in both, and the bytes are those of the integer in that byte order.
"""

from __future__ import annotations

from typing import Literal

from dwarfgpu.errors import Malformed, shown

Endian = Literal["little", "big"]


def join(low: int, low_bits: int, high: int, high_bits: int, endian: Endian) -> int:
    """The run of `low` followed by `high` (in storage order)."""
    if endian == "little":
        return low | high << low_bits
    return low << high_bits | high


def extract(bits: int, size_bits: int, first: int, count: int, endian: Endian) -> int:
    """`count` bits of a run of `size_bits`, from its bit `first` (in storage order)."""
    shift = first if endian == "little" else size_bits - first - count
    return bits >> shift & (1 << count) - 1


def insert(bits: int, size_bits: int, first: int, count: int, value: int, endian: Endian) -> int:
    """The run with `count` bits from bit `first` replaced by the low bits of `value`."""
    shift = first if endian == "little" else size_bits - first - count
    mask = (1 << count) - 1
    return bits & ~(mask << shift) | (value & mask) << shift


def to_bytes(bits: int, size_bits: int, endian: Endian) -> bytes:
    """The bytes that hold the run; a last partial byte is padded with zero bits."""
    size_bytes = (size_bits + 7) // 8
    if endian == "big":
        bits <<= size_bytes * 8 - size_bits
    return bits.to_bytes(size_bytes, endian)


def from_bytes(data: bytes, size_bits: int, endian: Endian) -> int:
    """The run of the first `size_bits` bits of `data`."""
    return extract(int.from_bytes(data, endian), len(data) * 8, 0, size_bits, endian)


def signed(bits: int, size_bits: int) -> int:
    """The two's complement reading of `size_bits` bits."""
    sign = 1 << size_bits - 1 if size_bits else 0
    return (bits & sign - 1) - (bits & sign) if sign else 0


def _groups(data: bytes) -> int:
    """The integer of seven-bit groups, least significant first, in linear time."""
    if len(data) <= 10:
        value = 0
        for index, byte in enumerate(data):
            value |= (byte & 0x7F) << 7 * index
        return value
    return int("".join(format(byte & 0x7F, "07b") for byte in reversed(data)), 2)


def encode_uleb(value: int) -> bytes:
    """The shortest unsigned LEB128 of `value`."""
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
    """LEB128 of `size_bits` bits in linear time: shifting a long number costs its length."""
    count = -(-size_bits // 7)
    digits = format(bits, f"0{7 * count}b")
    groups = [int(digits[at : at + 7], 2) for at in range(7 * (count - 1), -1, -7)]
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


def encode_sleb(value: int) -> bytes:
    """The shortest signed LEB128 of `value`."""
    size_bits = (value if value >= 0 else ~value).bit_length() + 1
    if size_bits > 256:
        return _encode_long(value & (1 << -(-size_bits // 7) * 7) - 1, size_bits)
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)


class Reader:
    """A position in bytes; every read is whole or `Malformed`."""

    __slots__ = ("data", "end", "endian", "position")

    def __init__(
        self, data: bytes, endian: Endian = "little", position: int = 0, end: int | None = None
    ) -> None:
        self.data = data
        self.endian: Endian = endian
        self.position = position
        self.end = len(data) if end is None else min(end, len(data))
        if not 0 <= position <= self.end:
            raise Malformed(f"offset {position:#x} is outside the {self.end:#x} bytes")

    def __bool__(self) -> bool:
        """True while bytes remain."""
        return self.position < self.end

    @property
    def remaining_bytes(self) -> int:
        return self.end - self.position

    def take(self, size_bytes: int) -> bytes:
        """The next `size_bytes` bytes."""
        stop = self.position + size_bytes
        if size_bytes < 0 or stop > self.end:
            raise Malformed(
                f"{shown(size_bytes)} bytes needed at offset {self.position:#x}, "
                f"{self.end - self.position} remain"
            )
        out = self.data[self.position : stop]
        self.position = stop
        return out

    def unsigned(self, size_bytes: int) -> int:
        stop = self.position + size_bytes
        if not self.position <= stop <= self.end:
            self.take(size_bytes)  # raises
        out = int.from_bytes(self.data[self.position : stop], self.endian)
        self.position = stop
        return out

    def signed(self, size_bytes: int) -> int:
        return int.from_bytes(self.take(size_bytes), self.endian, signed=True)

    def u8(self) -> int:
        if self.position >= self.end:
            raise Malformed(f"1 byte needed at offset {self.position:#x}, none remains")
        byte = self.data[self.position]
        self.position += 1
        return byte

    def _leb(self) -> bytes:
        start = position = self.position
        data, end = self.data, self.end
        while position < end:
            if data[position] < 0x80:
                self.position = position + 1
                return data[start : position + 1]
            position += 1
        raise Malformed(f"LEB128 number at offset {start:#x} is cut short")

    def uleb(self) -> int:
        return _groups(self._leb())

    def sleb(self) -> int:
        data = self._leb()
        return signed(_groups(data), 7 * len(data))

    def block(self) -> bytes:
        """Bytes with their ULEB128 length before them."""
        return self.take(self.uleb())

    def string(self) -> bytes:
        """The bytes before the next NUL, which is consumed."""
        stop = self.data.find(b"\0", self.position, self.end)
        if stop < 0:
            raise Malformed(f"string at offset {self.position:#x} has no end")
        out = self.data[self.position : stop]
        self.position = stop + 1
        return out
