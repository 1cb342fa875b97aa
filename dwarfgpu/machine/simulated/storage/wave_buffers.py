"""Accesses of a wave to buffers: global memory by a buffer resource ("Vector Memory Buffer
Instructions" of AMD's ISA documents).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dwarfgpu.machine.simulated.storage.buffer_addresses import (
    BUFFER_BASE,
    BufferAddress,
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
            return where + np.uint64(base), valid
        total = self._all(np.asarray(offset, np.int64)) + immediate
        number = self._all(np.asarray(index, np.int64))
        return buffer_addresses(resource, number, total, scalar, self.lane)

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
