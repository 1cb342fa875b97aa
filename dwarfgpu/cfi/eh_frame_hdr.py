"""`.eh_frame_hdr`: find the entry for a program location (Linux Standard Base Core, 10.6.2).

Law: everything is read on demand, and the table is never trusted: the entry that it leads to
decides what it covers.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from struct import Struct
from typing import Final

from dwarfgpu.base.bits import Endian
from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import field, frozen
from dwarfgpu.cfi.eh_pointer import OMITTED, fixed_bytes, read_pointer, struct_letter
from dwarfgpu.errors import Malformed, Unsupported

SECTION: Final = ".eh_frame_hdr"
_VERSION: Final = 1
_OF_DATA: Final = 0x30
"""DW_EH_PE_datarel: relative to the header, as linkers write the pairs."""


@frozen
class SearchTable:
    """Pairs of an initial location and the address of its FDE, both as linked."""

    address: int
    """The address of the header."""
    frames_address: int
    """The address of `.eh_frame`."""
    count: int
    """Pairs; 0 where there is no table."""
    encoding: int
    """The encoding of the two pointers of a pair."""
    data: bytes = field(repr=False, eq=False)
    start: int
    """The offset of the first pair in the data."""
    address_size: int
    endian: Endian

    def pair(self, index: int) -> tuple[int, int]:
        """Return the initial location and the address of the FDE."""
        size_bytes = fixed_bytes(self.encoding, self.address_size)
        assert size_bytes is not None and index < self.count
        reader = Reader(self.data, self.endian, self.start + 2 * size_bytes * index)
        return self._pointer(reader), self._pointer(reader)

    def pairs(self) -> tuple[array[int], array[int]]:
        """Return the initial locations of all pairs, and the addresses of their FDEs."""
        starts, addresses = array("Q"), array("Q")
        letter = struct_letter(self.encoding, self.address_size)
        if letter is not None and self.encoding & 0xF0 in (0x00, _OF_DATA):
            form = Struct(f"{'<' if self.endian == 'little' else '>'}{letter}{letter}")
            base = self.address if self.encoding & 0xF0 else 0
            mask = (1 << 8 * self.address_size) - 1
            data = memoryview(self.data)[self.start : self.start + self.count * form.size]
            for start, address in form.iter_unpack(data):
                starts.append(start + base & mask)
                addresses.append(address + base & mask)
            return starts, addresses
        reader = Reader(self.data, self.endian, self.start)
        for _ in range(self.count):
            starts.append(self._pointer(reader))
            addresses.append(self._pointer(reader))
        return starts, addresses

    def _pointer(self, reader: Reader) -> int:
        size, here = self.address_size, self.address
        return read_pointer(reader, self.encoding, size, here, here)

    def find(self, location: int) -> tuple[int, int] | None:
        """Return the last pair that begins at or before a program location, if the pairs are
        sorted."""
        index = bisect_right(range(self.count), location, key=lambda number: self.pair(number)[0])
        return self.pair(index - 1) if index else None


def read_search_table(
    data: bytes, address: int, address_size: int = 8, endian: Endian = "little"
) -> SearchTable:
    """Read the header of a table loaded at an address; its pairs are read later.

    Raises `Malformed` if it is unreadable, `Unsupported` if its pairs have no fixed size or it does
    not locate `.eh_frame`.
    """
    reader = Reader(data, endian)
    version, of_frames, of_count, encoding = (reader.u8() for _ in range(4))
    if version != _VERSION:
        raise Malformed(f"unknown version {version} of {SECTION}")
    if of_frames == OMITTED or of_frames & 0x80:
        raise Unsupported(f"{SECTION} does not locate .eh_frame ({of_frames:#04x})")
    frames = read_pointer(reader, of_frames, address_size, address, address)
    if OMITTED in (of_count, encoding):
        return SearchTable(address, frames, 0, OMITTED, data, 0, address_size, endian)
    count = read_pointer(reader, of_count, address_size, address, address)
    size_bytes = fixed_bytes(encoding, address_size)
    if size_bytes is None or encoding & 0x80:
        raise Unsupported(f"a table of {SECTION} with pointer encoding {encoding:#04x}")
    if 2 * size_bytes * count > reader.remaining_bytes:
        raise Malformed(
            f"{count} pairs of {SECTION} do not fit the {reader.remaining_bytes} bytes left"
        )
    return SearchTable(
        address, frames, count, encoding, data, reader.position, address_size, endian
    )
