"""Detect accesses to the same memory whose result may depend on the order of waves.

Law: where no conflict is found, every order of the waves leaves the same registers and memory. Two
accesses of a dword conflict when they are of different waves, one of them writes, and no barrier of
their workgroup is between them; atomic operations that commute do not conflict with each other.

For each dword, two stamps: of who wrote it, and of who has read it. A stamp has the number of a
wave, and the number of barriers that its workgroup had passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.lib.array_utils import byte_bounds

from dwarfgpu.machine.simulated.semantics.lane_functions import Lanes
from dwarfgpu.machine.simulated.storage.global_memory import Allocation, GlobalMemory

MAX_WAVES: Final = 1 << 16
_NUMBER: Final = np.uint32(MAX_WAVES - 1)
_MANY: Final = np.uint32(MAX_WAVES)
"""The number is that of a workgroup: several of its waves accessed the dword."""
_BARRIERS: Final = np.uint32(17)
"""The first bit of the number of barriers."""
_MAX_BARRIERS: Final = 1 << 13
_EVERYONE: Final = np.uint32(0x7FFFFFFF)
"""Waves of several workgroups."""
_COMMUTING: Final = np.uint32(0x80000000)
"""Not a wave, but atomic operations of one kind."""
_MAX_PENDING: Final = 1 << 22


class Conflict(Exception):
    """The order of waves may matter."""


class Conflicts:
    """All accesses of a dispatch to global memory and to LDS."""

    def __init__(
        self, global_memory: GlobalMemory, workgroups: Sequence[int], private: Sequence[Lanes]
    ) -> None:
        """`workgroups`: of each wave its workgroup, a number below `MAX_WAVES`; `private`: its
        private memory, which may be part of global memory."""
        self._global_memory = global_memory
        self.workgroups = np.array(workgroups, np.uint32)
        self.stamps = np.arange(len(workgroups), dtype=np.uint32) | np.uint32(1) << _BARRIERS
        """The current stamp of each wave."""
        self._memories: dict[Allocation, _Stamps] = {}
        self._contents: dict[Allocation, bytes] = {}
        """The contents of written allocations before the run."""
        self._arrays: list[tuple[Lanes, Lanes]] = []
        self._kinds: dict[str, np.uint32] = {}
        self._owners = _all_owners(global_memory, private)

    def pass_barrier(self, waves: Sequence[int]) -> None:
        """Note that all waves of some workgroups have passed a barrier."""
        self.stamps[waves] += np.uint32(1) << _BARRIERS
        if int(self.stamps[waves].max() >> _BARRIERS) >= _MAX_BARRIERS:
            raise Conflict

    def stamp_of(self, commuting: str) -> np.uint32:
        """Return the stamp of a kind of atomic operations."""
        return self._kinds.setdefault(commuting, _COMMUTING | np.uint32(len(self._kinds)))

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
        self, addresses: Lanes, size_bytes: int, stamps: Any, *, reads: bool, writes: bool
    ) -> None:
        """Note an access of global memory before it happens; raises `Conflict`.

        `stamps`: of the wave of each address, or of all. What is in no allocation is ignored.
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
                if ((first != part & _NUMBER) | (last != first)).any():
                    raise Conflict
                continue
            memory.access(offsets, size_bytes, part, reads=reads, writes=writes)

    def scalar_read(self, address: int, size_bytes: int, wave: int) -> None:
        """Note a scalar read before it happens; raises `Conflict`."""
        allocation = self._global_memory.at(address)
        if allocation is None or not allocation.is_writable:
            return
        stamp = self.stamps[wave]
        if allocation in self._owners:
            self.access(np.array([address], np.uint64), size_bytes, stamp, reads=True, writes=False)
        else:
            self._memory(allocation).scalar_read(address - allocation.start, size_bytes, stamp)

    def _memory(self, allocation: Allocation) -> _Stamps:
        memory = self._memories.get(allocation)
        if memory is None:
            size = allocation.end - allocation.start
            memory = self._memories[allocation] = _Stamps(size, self.workgroups)
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

    def __init__(self, size_bytes: int, workgroups: Any) -> None:
        self._stamps = _Stamps(size_bytes, workgroups)

    def access(
        self, offsets: Lanes, size_bytes: int, stamps: Any, *, reads: bool, writes: bool
    ) -> None:
        """Note an access, as `Conflicts` does."""
        self._stamps.access(offsets, size_bytes, stamps, reads=reads, writes=writes)

    def pass_barrier(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Note that all waves of some workgroups have passed a barrier: their accesses to these
        bytes are ordered."""
        self._stamps.forget(ranges)


class _Stamps:
    """Who has written and read each dword of a memory."""

    def __init__(self, size_bytes: int, workgroups: Lanes) -> None:
        self._workgroups = workgroups
        self._count = size_bytes // 4 + 2
        self._writers = np.zeros(self._count, np.uint32)
        self._readers = np.zeros(self._count, np.uint32)
        self._is_written = False
        self._pending: list[tuple[Lanes, Any]] = []
        """Reads since the last write: they matter only if something is written later."""
        self._pending_count = 0
        self._scalar_reads: set[tuple[int, int, int]] = set()
        """Offsets, bytes and stamps that are pending."""

    def scalar_read(self, offset: int, size_bytes: int, stamp: np.uint32) -> None:
        if self._is_written:
            last = (offset + size_bytes + 3) >> 2
            self._require_order(self._writers[offset >> 2 : last], stamp)
        self._scalar_reads.add((offset, size_bytes, int(stamp)))

    def access(
        self, offsets: Lanes, size_bytes: int, stamps: Any, *, reads: bool, writes: bool
    ) -> None:
        first = (offsets >> np.uint64(2)).astype(np.intp)
        count = (size_bytes + 3) // 4
        if size_bytes < 4:
            last = (offsets + np.uint64(size_bytes - 1) >> np.uint64(2)).astype(np.intp)
            count += int((last != first).any())
        elif (offsets & np.uint64(3)).any():
            count += 1
        for number in range(count):
            if writes:
                self._write(first + number, stamps)
            elif reads:
                self._read(first + number, stamps)

    def forget(self, ranges: Sequence[tuple[int, int]]) -> None:
        is_kept = np.ones(self._count, bool)
        for first, end in ranges:
            is_kept[first // 4 : (end + 3) // 4] = False
        self._writers[~is_kept] = 0
        self._readers[~is_kept] = 0
        self._is_written = bool(self._writers.any())
        pending, self._pending = self._pending, []
        for index, stamps in pending:
            chosen = is_kept[index]
            if chosen.any():
                part = stamps[chosen] if np.ndim(stamps) else stamps
                self._pending.append((index[chosen], part))
        self._pending_count = sum(len(index) for index, _ in self._pending)

    def _flush(self) -> None:
        pending, self._pending, self._pending_count = self._pending, [], 0
        for index, stamps in pending:
            self._note_read(index, stamps)
        for offset, size_bytes, stamp in self._scalar_reads:
            index = np.arange(offset >> 2, (offset + size_bytes + 3) >> 2)
            self._note_read(index, np.uint32(stamp))
        self._scalar_reads.clear()

    def _read(self, index: Lanes, stamps: Any) -> None:
        if self._is_written:
            self._require_order(self._writers[index], stamps)
        self._pending.append((index, stamps))
        self._pending_count += len(index)
        if self._pending_count > _MAX_PENDING:
            self._flush()

    def _note_read(self, index: Lanes, stamps: Any) -> None:
        before = self._readers[index]
        mixed = (before != 0) & (before != stamps)
        new = np.broadcast_to(stamps, before.shape)
        if mixed.any():
            unordered = mixed & self._is_unordered(before, new)
            is_later = self._is_later(before, new)
            new = np.where(unordered & ~is_later, self._merged(before, new), new)
            new = np.where(is_later, before, new)
        self._readers[index] = new
        clash = self._readers[index] != new  # several waves at once
        if clash.any():
            merged = self._merged(self._readers[index[clash]], new[clash])
            self._readers[index[clash]] = merged
            everyone = merged == _EVERYONE
            self._readers[index[clash][everyone]] = _EVERYONE

    def _write(self, index: Lanes, stamps: Any) -> None:
        self._is_written = True
        self._flush()
        self._require_order(self._writers[index], stamps)
        self._require_order(self._readers[index], stamps)
        self._writers[index] = stamps
        if np.ndim(stamps) and (self._writers[index] != stamps).any():
            raise Conflict

    def _require_order(self, before: Lanes, stamps: Any) -> None:
        mixed = (before != 0) & (before != stamps)
        if mixed.any():
            now = np.broadcast_to(stamps, before.shape)[mixed]
            if self._is_unordered(before[mixed], now).any():
                raise Conflict

    def _is_unordered(self, before: Lanes, now: Lanes) -> Lanes:
        """Return whether no barrier orders an access and an earlier one by another wave."""
        is_wave = (before & _MANY == 0) & (before < _COMMUTING)
        same_wave = is_wave & ((before ^ now) & _NUMBER == 0)
        ordered = (self._workgroup(before) == self._workgroup(now)) & (
            before >> _BARRIERS < now >> _BARRIERS
        )
        special = (before >= _EVERYONE) | (now >= _COMMUTING)
        result: Lanes = special | ~(same_wave | ordered)
        return result

    def _is_later(self, before: Lanes, now: Lanes) -> Lanes:
        """Return whether a noted read is behind a barrier that a pending one precedes: scalar reads
        are noted after others."""
        is_same = (self._workgroup(before) == self._workgroup(now)) & (before < _EVERYONE)
        result: Lanes = is_same & (before >> _BARRIERS > now >> _BARRIERS)
        return result

    def _workgroup(self, stamps: Lanes) -> Lanes:
        number = stamps & _NUMBER
        of_wave = self._workgroups[np.minimum(number, len(self._workgroups) - 1)]
        return np.where(stamps & _MANY != 0, number, of_wave)

    def _merged(self, before: Lanes, now: Lanes) -> Lanes:
        """Return the stamp of two readers that no barrier separates."""
        workgroup = self._workgroup(now)
        is_same = (self._workgroup(before) == workgroup) & (before < _EVERYONE)
        is_same &= (before >> _BARRIERS == now >> _BARRIERS) & (now < _EVERYONE)
        many = now & ~_NUMBER | _MANY | workgroup
        return np.where(is_same, many, _EVERYONE)
