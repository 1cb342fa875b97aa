"""The strict reader of bytes: numbers of a fixed size, LEB128, blocks and strings.

Law: `Reader` returns exactly the requested bytes or raises `Malformed`, never less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.base.bits import Endian, signed
from dwarfgpu.base.leb128 import decode
from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import Malformed, counted

if TYPE_CHECKING:
    from mmap import mmap

Data: TypeAlias = "bytes | mmap"
"""What readers take: bytes, or memory with the part of a large section that was loaded."""


_SHORT_LEB: Final = 16
"""Bytes of a LEB128 number that are looked at one by one: nearly all have fewer."""
_LAST_OF_LEB: Final = pattern(rb"[\0-\x7f]")


class Reader:
    """A position in bytes; every read is whole or `Malformed`."""

    __slots__ = ("data", "end", "endian", "position")

    def __init__(
        self, data: Data, endian: Endian = "little", position: int = 0, end: int | None = None
    ) -> None:
        self.data = data
        self.endian: Endian = endian
        self.position = position
        self.end = len(data) if end is None else min(end, len(data))
        if not 0 <= position <= self.end:
            raise Malformed(f"offset {position:#x} is outside the {self.end:#x} bytes")

    def __bool__(self) -> bool:
        """Return True while bytes remain."""
        return self.position < self.end

    @property
    def remaining_bytes(self) -> int:
        return self.end - self.position

    def take(self, size_bytes: int) -> bytes:
        """Return the next `size_bytes` bytes."""
        stop = self.position + size_bytes
        if size_bytes < 0 or stop > self.end:
            raise Malformed(
                f"{counted(size_bytes, 'byte')} needed at offset {self.position:#x}, "
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
        short_end = min(end, start + _SHORT_LEB)
        while position < short_end:
            if data[position] < 0x80:
                self.position = position + 1
                return data[start : position + 1]
            position += 1
        last = _LAST_OF_LEB.search(data, position, end)
        if last is not None:
            self.position = last.end()
            return data[start : last.end()]
        raise Malformed(f"LEB128 number at offset {start:#x} is cut short")

    def uleb(self) -> int:
        position = self.position
        if position < self.end and self.data[position] < 0x80:
            self.position = position + 1
            return self.data[position]
        return decode(self._leb())

    def sleb(self) -> int:
        data = self._leb()
        return signed(decode(data), 7 * len(data))

    def block(self) -> bytes:
        """Read bytes that follow their ULEB128 length."""
        return self.take(self.uleb())

    def string(self) -> bytes:
        """Read the bytes before the next NUL, and the NUL."""
        stop = self.data.find(b"\0", self.position, self.end)
        if stop < 0:
            raise Malformed(f"string at offset {self.position:#x} has no end")
        out = self.data[self.position : stop]
        self.position = stop + 1
        return out
