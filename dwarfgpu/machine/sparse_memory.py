"""Sparse memory: bytes that are known, and nothing in between."""

from __future__ import annotations

from bisect import bisect_right

from dwarfgpu.errors import Unavailable, UsageError


class SparseMemory:
    """Known ranges of one address range, joined where they touch."""

    def __init__(self, name: str) -> None:
        self.name = name
        """Of the address space, as people write it before `#`; empty for the default one."""
        self._starts: list[int] = []
        self._data: list[bytearray] = []

    def add(self, address: int, data: bytes) -> None:
        """Make bytes known; `UsageError` where they contradict bytes known already."""
        if not data:
            return
        end = address + len(data)
        first = max(bisect_right(self._starts, address) - 1, 0)
        if first < len(self._starts) and self._starts[first] + len(self._data[first]) < address:
            first += 1
        last = first
        start, merged = address, bytearray(data)
        while last < len(self._starts) and self._starts[last] <= end:
            start, merged = self._merge(start, merged, self._starts[last], self._data[last])
            last += 1
        self._starts[first:last] = [start]
        self._data[first:last] = [merged]

    def replace(self, address: int, data: bytes) -> None:
        """Make bytes known, in place of what was known of them."""
        end = address + len(data)
        for start, held in zip(self._starts, self._data, strict=True):
            first, last = max(start, address), min(start + len(held), end)
            if first < last:
                held[first - start : last - start] = data[first - address : last - address]
        self.add(address, data)

    def _merge(
        self, start: int, data: bytearray, other_start: int, other: bytearray
    ) -> tuple[int, bytearray]:
        low = min(start, other_start)
        high = max(start + len(data), other_start + len(other))
        common = range(max(start, other_start), min(start + len(data), other_start + len(other)))
        if common:
            mine = data[common.start - start : common.stop - start]
            if mine != other[common.start - other_start : common.stop - other_start]:
                where = f"{self.name or 'global'} memory at {common.start:#x}"
                raise UsageError(f"{where} is given twice, with other contents")
        out = bytearray(high - low)
        out[other_start - low : other_start - low + len(other)] = other
        out[start - low : start - low + len(data)] = data
        return low, out

    def _range(self, address: int, size_bytes: int) -> tuple[bytearray, int]:
        """The known range that holds the bytes, and their offset in it."""
        index = bisect_right(self._starts, address) - 1
        if index >= 0:
            offset = address - self._starts[index]
            if offset + size_bytes <= len(self._data[index]):
                return self._data[index], offset
            address = max(address, self._starts[index] + len(self._data[index]))
        place = f"{self.name}#{address:#x}" if self.name else f"{address:#x}"
        raise Unavailable(f"cannot access memory at address {place}: not in the state")

    def read(self, address: int, size_bytes: int) -> bytes:
        """The bytes, all of them known, or `Unavailable`."""
        data, offset = self._range(address, size_bytes)
        return bytes(data[offset : offset + size_bytes])

    def known(self, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """What is known of a range: offsets in it, and bytes."""
        end = address + size_bytes
        index = max(bisect_right(self._starts, address) - 1, 0)
        out: list[tuple[int, bytes]] = []
        while index < len(self._starts) and self._starts[index] < end:
            start, held = self._starts[index], self._data[index]
            first = max(start, address)
            if part := bytes(held[first - start : end - start]):
                out.append((first - address, part))
            index += 1
        return out

    def write(self, address: int, data: bytes) -> None:
        """Change known bytes; `Unavailable` if any is not known."""
        held, offset = self._range(address, len(data))
        held[offset : offset + len(data)] = data

    def views(self) -> list[tuple[int, bytearray]]:
        """Every known range: its address, and its bytes themselves, which nobody may resize."""
        return list(zip(self._starts, self._data, strict=True))

    def ranges(self) -> list[tuple[int, bytes]]:
        """Every known range: its address and its bytes."""
        return [(start, bytes(data)) for start, data in zip(self._starts, self._data, strict=True)]
