"""Memory accesses other than one address per lane: scalar accesses, LDS counters shared by all
lanes, and updates of LDS from another LDS address.

"Scalar Memory Operations" and "Data Share Operations" of AMD's ISA documents.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dwarfgpu.errors import counted
from dwarfgpu.isa.addressing import BufferResource
from dwarfgpu.machine.simulated.storage.wave_buffers import WaveBuffers
from dwarfgpu.machine.simulated.storage.wave_memory import Access
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes
from dwarfgpu.machine.simulated.wave_fault import WaveStop, not_simulated
from dwarfgpu.machine.topology import StopReason


class WaveAccesses(WaveBuffers):
    """A wave with its memories, and these accesses to them."""

    # Scalar memory.

    def announce_scalar(self, address: int, size_bytes: int, verbs: str) -> None:
        """Report the access that a scalar instruction is about to make; `verbs` contains `r`, `w`
        or both."""
        if self.on_access is not None:
            where = np.array([address & (1 << 64) - 1], np.uint64)
            self.on_access(Access("global", where, None, size_bytes, "r" in verbs, "w" in verbs))

    def scalar_load(self, address: int, size_bytes: int, is_signed: bool) -> int:
        """Return a number from memory, of up to 16 dwords."""
        self.announce_scalar(address, size_bytes, "r")
        return int.from_bytes(
            self.global_memory.scalar_read(address, size_bytes), "little", signed=is_signed
        )

    def scalar_store(self, address: int, value: int, size_bytes: int) -> None:
        """Write a number of up to 4 dwords."""
        self.announce_scalar(address, size_bytes, "w")
        self.global_memory.scalar_write(address, value.to_bytes(size_bytes, "little"))

    def scalar_atomic(
        self, address: int, size_bytes: int, is_signed: bool, update: Callable[[int], int]
    ) -> int:
        """Update a number, and return what it was."""
        if address % size_bytes:
            raise WaveStop(
                StopReason.ADDRESS_ERROR,
                f"updates {counted(size_bytes, 'byte')} at {address:#x}: misaligned, "
                f"an atomic operation needs a multiple of {size_bytes}",
                address=address,
            )
        self.announce_scalar(address, size_bytes, "rw")
        data = self.global_memory.scalar_read(address, size_bytes, "updates")
        before = int.from_bytes(data, "little", signed=is_signed)
        after = update(before) & (1 << 8 * size_bytes) - 1
        self.global_memory.scalar_write(address, after.to_bytes(size_bytes, "little"))
        return before

    @staticmethod
    def scalar_buffer_address(resource: int, offset: int, size_bytes: int) -> int:
        """Return the global address of a number or of dwords of a buffer resource; `WaveStop` if it
        is outside its range: no document defines the result for every processor."""
        buffer = BufferResource.of(resource, 9)  # its base, stride and size are those of all
        most = buffer.scalar_bytes
        if not 0 <= offset <= most - size_bytes:
            what = f"{counted(size_bytes, 'byte')} at {offset:#x} of a buffer of {most} bytes"
            raise not_simulated(f"a scalar access to {what}")
        # The two lowest bits of each part of an address of dwords are ignored.
        mask = ~3 if size_bytes >= 4 else ~0
        return (buffer.base & mask) + (offset & mask)

    # LDS.

    def lds_count(self, offset: int, base: int, sign: int) -> Lanes:
        """Add the number of active lanes to an LDS counter (`sign` 1) or subtract it (-1), and
        return the previous value for all lanes.

        `WaveStop` for a base from M0: processors differ in the bits of M0 that they use.
        """
        if base:
            raise not_simulated(f"a counter of LDS by M0, which has {base:#x}")
        if not self.exec:
            return np.zeros(self.lane_count, np.uint32)
        first = np.arange(self.lane_count) == (self.exec & -self.exec).bit_length() - 1
        amount = np.uint32(sign * self.exec.bit_count() & 0xFFFFFFFF)
        address = np.full(self.lane_count, offset, np.uint32)
        before = self.lds_atomic(address, np.uint32, lambda m, lanes: m + amount, first)
        return np.full(self.lane_count, before[first][0])

    def lds_update_from(
        self, address: Lanes, offset: int, kind: Any, update: Callable[[Lanes, Lanes], Lanes]
    ) -> None:
        """Update LDS at `address` with the value at `address + offset`, lane by lane."""
        source = address + np.uint32(offset & 0xFFFFFFFF)
        for number in np.flatnonzero(self.active_lanes):
            lane = np.arange(self.lane_count) == number
            second = self.lds_load(source, kind, 1, lane)
            self.lds_atomic(address, kind, partial(_updated, update, second), lane)


def _updated(
    update: Callable[[Lanes, Lanes], Lanes], source: Lanes, before: Lanes, lanes: Any
) -> Lanes:
    return update(before, source[lanes])
