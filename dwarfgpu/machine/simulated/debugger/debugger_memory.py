"""The memory of a running machine, as debuggers read and write it.

Law: bytes that nothing has written are unknown; a debugger that writes them defines them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.simulated.storage.global_memory import Allocation, GlobalMemory
from dwarfgpu.machine.sparse_memory import NO_ACCESS, NOT_WRITTEN, Run, SparseMemory


class RunningMemory(SparseMemory):
    """Allocations, by address: what they contain now."""

    def __init__(
        self,
        name: str,
        allocations: Sequence[Allocation],
        global_memory: GlobalMemory | None = None,
    ) -> None:
        """`global_memory`: has more, which is read from its source when it is needed."""
        super().__init__(name)
        self._whole = global_memory
        self._allocations = {item.start: item for item in allocations}
        self._global_memory = (
            None if global_memory is None or global_memory.source is None else global_memory
        )
        for item in allocations:
            self.share(item.start, item.contents)

    def _read_from_source(self, address: int, size_bytes: int) -> None:
        if self._global_memory is None:
            return
        position = address
        while position < address + size_bytes:
            item = self._global_memory.at(position)
            position = item.end if item is not None else self._global_memory.source_after(position)
        for item in self._global_memory.allocations:
            if item.is_writable and item.start not in self._allocations:
                self._allocations[item.start] = item
                self.share(item.start, item.contents)

    def why_missing(self, address: int) -> str:
        if self._whole is None or self._whole.is_partial:
            return super().why_missing(address)
        return self._whole.describe(address, 1, "reads")

    def known(self, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        self._read_from_source(address, size_bytes)
        out: list[tuple[int, bytes]] = []
        for index in self._overlapped(address, address + size_bytes):
            start = self._starts[index]
            first, last = max(start, address), min(self._end(index), address + size_bytes)
            for begin, end in _written_ranges(
                self._allocations[start], first - start, last - start
            ):
                offset = start + begin - address
                data = bytes(self._allocations[start].contents[begin:end])
                if out and out[-1][0] + len(out[-1][1]) == offset:
                    out[-1] = out[-1][0], out[-1][1] + data
                else:
                    out.append((offset, data))
        return out

    def _require(self, address: int, size_bytes: int) -> None:
        self._read_from_source(address, size_bytes)
        super()._require(address, size_bytes)
        position = address
        for offset, data in self.known(address, size_bytes):
            if address + offset > position:
                break
            position = address + offset + len(data)
        if position < address + size_bytes:
            address_text = f"{self.name}#{position:#x}" if self.name else f"{position:#x}"
            raise Unavailable(f"{NO_ACCESS}{address_text}: {NOT_WRITTEN}")

    def require_writable(self, address: int, size_bytes: int) -> None:
        self._read_from_source(address, size_bytes)
        super()._require(address, size_bytes)

    def write(self, address: int, data: bytes) -> None:
        """Change bytes of allocations; `Unavailable` outside of them."""
        self.require_writable(address, len(data))
        for index in self._overlapped(address, address + len(data)):
            start = self._starts[index]
            first, last = max(start, address), min(self._end(index), address + len(data))
            self._allocations[start].write(first - start, data[first - address : last - address])

    def forget(self, address: int, size_bytes: int) -> None:
        self.require_writable(address, size_bytes)
        for index in self._overlapped(address, address + size_bytes):
            start = self._starts[index]
            written = self._allocations[start].written
            if written is not None:
                written[max(address - start, 0) : address + size_bytes - start] = 0

    def runs(self) -> list[tuple[int, Run]]:
        if self._global_memory is not None and self._global_memory.source is not None:
            for start, end in self._global_memory.source.all():
                self._read_from_source(start, end - start)
        out: list[tuple[int, Run]] = []
        for start, run in super().runs():
            allocation = self._allocations[start]
            if allocation.written is None:
                out.append((start, run))
                continue
            for begin, end in _written_ranges(allocation, 0, len(run)):
                out.append((start + begin, allocation.contents[begin:end]))
        return out


def _written_ranges(allocation: Allocation, first: int, last: int) -> list[tuple[int, int]]:
    """Return the written bytes of a range: offsets of their begin and end."""
    if allocation.written is None:
        return [(first, last)]
    is_written = np.zeros(last - first + 2, bool)
    is_written[1:-1] = allocation.written[first:last] == 0xFF
    edges = (np.flatnonzero(is_written[1:] != is_written[:-1]) + first).tolist()
    return list(pairwise(edges))[::2]
