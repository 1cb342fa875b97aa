"""The memory of a core file, beneath a machine that resumes from it.

Law: a part is read when it is accessed first, and copied: the core file never changes, and what
nothing accesses costs nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from dwarfgpu.errors import Unsupported
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.simulated.storage.global_memory import Allocation, GlobalMemory
from dwarfgpu.machine.topology import StopReason

PART_BYTES: Final = 1 << 24
"""How many bytes of a larger range are read at once."""
_MAX_BYTES: Final = 1 << 30
"""Maximum size in bytes of all memory that is read for a file."""
_FAR: Final = 1 << 80


class CoreSource:
    """Parts of a core file (`dwarfgpu.machine.simulated.storage.global_memory.Source`)."""

    def __init__(self, memory: CoreMemory) -> None:
        self._memory = memory
        self._extents = memory.extents()
        self._starts = [start for start, _ in self._extents]

    def allocation_at(self, global_memory: GlobalMemory, address: int) -> Allocation | None:
        index = bisect_right(self._starts, address) - 1
        if index < 0 or address >= self._extents[index][1]:
            return None
        start, end = self._extents[index]
        first = start + (address - start) // PART_BYTES * PART_BYTES
        before, after = global_memory.gap(address)
        last = min(first + PART_BYTES, end, end if after is None else after)
        first = max(first, before)
        return Allocation("memory of the core", first, self._memory.read(first, last - first), True)

    def start_after(self, address: int) -> int:
        index = bisect_right(self._starts, address)
        return self._starts[index] if index < len(self._starts) else _FAR

    def overlaps(self, start: int, end: int) -> bool:
        return any(first < end and start < last for first, last in self._extents)

    def all(self) -> list[tuple[int, int]]:
        size = sum(end - start for start, end in self._extents)
        if size > _MAX_BYTES:
            raise Unsupported(f"{size} bytes of memory of a core file are too many to be written")
        return self._extents

    def why_missing(self, address: int, size_bytes: int) -> tuple[StopReason, str]:
        why = self._memory.why_unmapped(address, size_bytes)
        if why and self._memory.is_complete:
            return StopReason.MEMORY_VIOLATION, why
        return StopReason.UNAVAILABLE, why or "the core file leaves it out"
