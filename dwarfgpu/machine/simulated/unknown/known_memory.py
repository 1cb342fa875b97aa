"""Which bits of memory are known, of the bytes of an access."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from dwarfgpu.machine.simulated.storage.global_memory import Allocation
from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes

_FULL: Final = 0xFF


def known_bytes(wave: WaveMemory, access: Access) -> Lanes:
    """Return the masks of the known bits of each byte, shape (accesses, bytes)."""
    out = np.full((len(access.addresses), access.size_bytes), _FULL, np.uint8)
    for marks, index, chosen in _marks(wave, access):
        out[chosen] = marks[index]
    return out


def is_known(wave: WaveMemory, access: Access) -> bool:
    """Return whether all bytes of an access are known."""
    return all(bool((marks[index] == _FULL).all()) for marks, index, _ in _marks(wave, access))


def forget(wave: WaveMemory, access: Access, unknown: Lanes) -> None:
    """Make bits of the bytes of an access unknown; `unknown` has a row for each address."""
    if access.space != "private":
        for allocation, _ in _allocations(wave, access):
            if allocation.written is None:
                size_bytes = allocation.end - allocation.start
                allocation.written = np.full(size_bytes, _FULL, np.uint8)
    for marks, index, chosen in _marks(wave, access):
        np.bitwise_and.at(marks, index, ~unknown[chosen])


def _marks(wave: WaveMemory, access: Access) -> Iterator[tuple[Lanes, Lanes, Lanes]]:
    """Yield arrays of the masks of bytes, where in them the bytes are, and the addresses that have
    them. Memory that is known has none, nor have addresses that the access itself will refuse."""
    offsets = np.arange(access.size_bytes)
    addresses = access.addresses.astype(np.uint64)
    if access.space == "private":
        if wave.scratch_written is None:
            return
        assert access.lanes is not None
        marks = wave.scratch_written.view(np.uint8).reshape(-1)
        where = addresses.astype(np.int64)[:, None] + offsets
        rows = (where >> 2) * (4 * wave.lane_count) + access.lanes[:, None] * 4 + (where & 3)
        inside = np.flatnonzero(((where >= 0) & (where < 4 * len(wave.scratch_written))).all(1))
        yield marks, rows[inside], inside
        return
    for allocation, chosen in _allocations(wave, access):
        if allocation.written is not None:
            first = (addresses[chosen] - np.uint64(allocation.start)).astype(np.intp)
            yield allocation.written, first[:, None] + offsets, chosen


def _allocations(wave: WaveMemory, access: Access) -> Iterator[tuple[Allocation, Lanes]]:
    """Yield the allocations that an access is in, with the indices of the addresses in each."""
    rest = np.arange(len(access.addresses))
    while len(rest):
        first = int(access.addresses[rest[0]])
        allocation = wave.lds if access.space == "local" else wave.global_memory.at(first)
        addresses = access.addresses[rest]
        if allocation is None:
            is_in = addresses == first
        else:
            end = allocation.end - access.size_bytes
            is_in = (addresses >= allocation.start) & (addresses <= end)
            if is_in[0]:
                yield allocation, rest[is_in]
            is_in[0] = True
        rest = rest[~is_in]
