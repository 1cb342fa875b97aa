"""Detect accesses to the same memory whose result may depend on the order of waves.

Law: where no conflict is found, every order of the waves leaves the same registers and memory. Two
accesses of a dword conflict when they are of different waves, one of them writes, and no barrier of
their workgroup is between them; atomic operations that commute do not conflict with each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from dwarfgpu.machine.simulated.execution.access_stamps import (
    BARRIERS,
    COMMUTING,
    MAX_BARRIERS,
    MAX_WAVES,
    NUMBER,
    Conflict,
    Stamps,
    Stored,
)
from dwarfgpu.machine.simulated.semantics.lane_functions import Lanes
from dwarfgpu.machine.simulated.storage.global_memory import Allocation, GlobalMemory


class Conflicts:
    """All accesses of a dispatch to global memory and to LDS."""

    def __init__(
        self, global_memory: GlobalMemory, workgroups: Sequence[int], private: Sequence[Lanes]
    ) -> None:
        """`workgroups`: of each wave its workgroup, a number below `MAX_WAVES`; `private`: its
        private memory, which may be part of global memory."""
        self._global_memory = global_memory
        self.workgroups = np.array(workgroups, np.uint32)
        self.stamps = np.arange(len(workgroups), dtype=np.uint32) | np.uint32(1) << BARRIERS
        """The current stamp of each wave."""
        self._memories: dict[Allocation, Stamps] = {}
        self._contents: dict[Allocation, bytes] = {}
        """The contents of written allocations before the run."""
        self._arrays: list[tuple[Lanes, Lanes]] = []
        self._kinds: dict[str, np.uint32] = {}
        self._owners = _all_owners(global_memory, private)

    def pass_barrier(self, waves: Sequence[int]) -> None:
        """Note that all waves of some workgroups have passed a barrier."""
        self.stamps[waves] += np.uint32(1) << BARRIERS
        if int(self.stamps[waves].max() >> BARRIERS) >= MAX_BARRIERS:
            raise Conflict

    def stamp_of(self, commuting: str) -> np.uint32:
        """Return the stamp of a kind of atomic operations."""
        return self._kinds.setdefault(commuting, COMMUTING | np.uint32(len(self._kinds)))

    def keep(self, allocation: Allocation) -> None:
        """Remember the contents of what is about to be written."""
        if allocation not in self._contents:
            self._contents[allocation] = bytes(allocation.contents)

    def keep_array(self, array: Lanes) -> None:
        """Remember registers or private memory that may be written."""
        self._arrays.append((array, array.copy()))

    def restore(self) -> None:
        """Undo all writes."""
        for allocation, contents in self._contents.items():
            allocation.contents[:] = contents
        for array, before in self._arrays:
            array[...] = before

    def access(
        self,
        addresses: Lanes,
        size_bytes: int,
        stamps: Any,
        *,
        reads: bool,
        writes: bool,
        stored: Lanes | None = None,
    ) -> None:
        """Note an access of global memory before it happens; raises `Conflict`.

        `stamps`: of the wave of each address, or of all; `stored`: the elements that are stored,
        if they are known, shape (addresses,) or (elements, addresses). What is in no allocation is
        ignored.
        """
        for allocation, chosen in self._parts(addresses, size_bytes):
            if writes:
                self.keep(allocation)
            elif not allocation.is_writable:
                continue
            owners = self._owners.get(allocation)
            memory = self._memory(allocation)
            offsets = (addresses if chosen is None else addresses[chosen]) - np.uint64(
                allocation.start
            )
            part = stamps if chosen is None or np.ndim(stamps) == 0 else stamps[chosen]
            if owners is not None:
                first = owners.of(offsets)
                last = owners.of(offsets + np.uint64(size_bytes - 1))
                if ((first != part & NUMBER) | (last != first)).any():
                    raise Conflict
                continue
            values = None
            if stored is not None:
                data = stored if chosen is None else stored[..., chosen]
                values = Stored(data, allocation.data)
            try:
                memory.access(offsets, size_bytes, part, reads=reads, writes=writes, stored=values)
            except Conflict as conflict:
                conflict.move(allocation.start, "global")
                raise

    def scalar_read(self, address: int, size_bytes: int, wave: int) -> None:
        """Note a scalar read before it happens; raises `Conflict`."""
        allocation = self._global_memory.at(address)
        if allocation is None or not allocation.is_writable:
            return
        stamp = self.stamps[wave]
        if allocation in self._owners:
            self.access(np.array([address], np.uint64), size_bytes, stamp, reads=True, writes=False)
        else:
            try:
                self._memory(allocation).scalar_read(address - allocation.start, size_bytes, stamp)
            except Conflict as conflict:
                conflict.move(allocation.start, "global")
                raise

    def _memory(self, allocation: Allocation) -> Stamps:
        memory = self._memories.get(allocation)
        if memory is None:
            size = allocation.end - allocation.start
            memory = self._memories[allocation] = Stamps(size, self.workgroups)
        return memory

    def _parts(
        self, addresses: Lanes, size_bytes: int
    ) -> Iterator[tuple[Allocation, Lanes | None]]:
        if not len(addresses):
            return
        first, last = int(addresses.min()), int(addresses.max())
        allocation = self._global_memory.at(first)
        if allocation is not None and last + size_bytes <= allocation.end:
            yield allocation, None
            return
        for allocation in self._global_memory.allocations:
            inside = (addresses >= np.uint64(allocation.start)) & (
                addresses < np.uint64(allocation.end)
            )
            if inside.any():
                yield allocation, inside


class _Owners:
    """The pieces of an allocation that are private memory of waves."""

    def __init__(self, pieces: list[tuple[int, int, int]]) -> None:
        """`pieces`: first offset, end, and number of the wave."""
        pieces.sort()
        self._first, self._end = (np.array([piece[n] for piece in pieces]) for n in range(2))
        self._waves = np.array([piece[2] for piece in pieces], np.uint32)

    def of(self, offsets: Lanes) -> Lanes:
        """Return the waves that own bytes; `MAX_WAVES` for those that no wave owns."""
        where = offsets.astype(np.int64)
        piece = np.maximum(np.searchsorted(self._first, where, "right") - 1, 0)
        is_inside = (self._first[piece] <= where) & (where < self._end[piece])
        return np.where(is_inside, self._waves[piece], np.uint32(MAX_WAVES))


def _all_owners(global_memory: GlobalMemory, private: Sequence[Lanes]) -> dict[Allocation, _Owners]:
    """Return which waves own parts of allocations, where any does."""
    bounds = [(*byte_bounds(array), n) for n, array in enumerate(private) if array.size]
    out = {}
    for allocation in global_memory.allocations if bounds else ():
        begin, end = byte_bounds(allocation.data)
        pieces = [
            (first - begin, last - begin, n) for first, last, n in bounds if begin <= first < end
        ]
        if pieces:
            out[allocation] = _Owners(pieces)
    return out


class LocalConflicts:
    """Accesses to the LDS of several workgroups, one after the other in one piece."""

    def __init__(self, contents: Lanes, workgroups: Any) -> None:
        self._contents = contents
        self._stamps = Stamps(len(contents), workgroups)

    def access(
        self,
        offsets: Lanes,
        size_bytes: int,
        stamps: Any,
        *,
        reads: bool,
        writes: bool,
        stored: Lanes | None = None,
    ) -> None:
        """Note an access, as `Conflicts` does."""
        values = None if stored is None else Stored(stored, self._contents)
        self._stamps.access(offsets, size_bytes, stamps, reads=reads, writes=writes, stored=values)

    def pass_barrier(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Note that all waves of some workgroups have passed a barrier: their accesses to these
        bytes are ordered."""
        self._stamps.forget(ranges)
