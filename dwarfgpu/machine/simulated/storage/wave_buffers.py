"""Accesses of a wave to buffers: global memory by a buffer resource ("Vector Memory Buffer
Instructions" of AMD's ISA documents).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dwarfgpu.machine.simulated.storage.buffer_addresses import (
    BUFFER_BASE,
    BufferAddress,
    adds_lane,
    buffer_addresses,
    in_both,
    same_offset,
)
from dwarfgpu.machine.simulated.storage.wave_generic import WaveGeneric
from dwarfgpu.machine.simulated.storage.wave_memory import Update
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes


class WaveBuffers(WaveGeneric):
    """A wave with accesses to buffers."""

    def buffer_address(
        self, resource: int, index: Any, offset: Any, immediate: int, scalar: int
    ) -> BufferAddress:
        """Return where the lanes access a buffer."""
        if isinstance(index, int) and isinstance(offset, int):
            base = resource & BUFFER_BASE
            where, valid = same_offset(
                resource - base, index, offset + immediate, scalar, self.lane_count
            )
            where = where + np.uint64(base)
        else:
            total = self._all(np.asarray(offset, np.int64)) + immediate
            number = self._all(np.asarray(index, np.int64))
            where, valid = buffer_addresses(resource, number, total, scalar, self.lane)
        if resource & BUFFER_BASE == self.scratch_start and adds_lane(resource):
            self._require_own_scratch(where)
        return where, valid

    def _require_own_scratch(self, where: Lanes) -> None:
        """Raise `WaveStop` for an active lane beyond the private memory of the wave.

        The buffer resource of scratch is for all waves: it does not keep one from the private
        memory of the next.
        """
        relative = where - np.uint64(self.scratch_start or 0)
        bad = relative >= np.uint64(self.scratch.nbytes)
        if not bad.any():
            return
        lanes = np.flatnonzero(bad if self.active is None else bad & self.active)
        if len(lanes):
            first = int(relative[lanes[0]])
            address = first // (4 * self.lane_count) * 4 + first % 4
            uniform = len(lanes) == int(np.count_nonzero(self.active_lanes))
            self._require_scratch(address, 4, None if uniform else int(lanes[0]))

    def buffer_load(self, address: BufferAddress, kind: Any, count: int, on: Lanes | None) -> Lanes:
        """Zero where the address is out of range."""
        where, valid = address
        return self.global_load(where, kind, count, in_both(on, valid))

    def buffer_store(
        self, address: BufferAddress, values: Any, kind: Any, on: Lanes | None
    ) -> None:
        where, valid = address
        self.global_store(where, values, kind, in_both(on, valid))

    def buffer_atomic(
        self, address: BufferAddress, kind: Any, update: Update, on: Lanes | None
    ) -> Lanes:
        where, valid = address
        return self.global_atomic(where, kind, update, in_both(on, valid))
