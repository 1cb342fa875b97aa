"""Accesses of a wave to buffers: global memory by a buffer resource ("Vector Memory Buffer
Instructions" of AMD's ISA documents).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dwarfgpu.machine.simulated.storage.buffer_addresses import (
    BUFFER_BASE,
    BufferAddress,
    Range,
    adds_lane,
    buffer_addresses,
    in_both,
    same_offset,
)
from dwarfgpu.machine.simulated.storage.global_memory import SIZES
from dwarfgpu.machine.simulated.storage.wave_generic import WaveGeneric
from dwarfgpu.machine.simulated.storage.wave_memory import AccessVerb, Update
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes
from dwarfgpu.machine.simulated.wave_fault import not_simulated


class WaveBuffers(WaveGeneric):
    """A wave with accesses to buffers."""

    generation: int
    """Of the processor, 12 for gfx1200: it decides what a resource means."""

    def buffer_address(
        self,
        resource: int,
        index: Any,
        offset: Any,
        immediate: int,
        scalar: int,
        verb: AccessVerb,
    ) -> BufferAddress:
        """Return where the lanes access a buffer."""
        if isinstance(index, int) and isinstance(offset, int):
            base = resource & BUFFER_BASE
            where, valid, elements = same_offset(
                resource - base, index, offset + immediate, scalar, self.lane_count, self.generation
            )
            where = where + np.uint64(base)
        else:
            total = self._all(np.asarray(offset, np.int64)) + immediate
            number = self._all(np.asarray(index, np.int64))
            where, valid, elements = buffer_addresses(
                resource, number, total, scalar, self.lane,
                generation=self.generation, has_index=not isinstance(index, int),
            )  # fmt: skip
        if resource & BUFFER_BASE == self.scratch_start and adds_lane(resource):
            self._require_own_scratch(where, verb)
        return where, valid, elements

    def _require_own_scratch(self, where: Lanes, verb: AccessVerb) -> None:
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
            numbers = () if uniform else tuple(map(int, lanes))
            self._require_scratch(address, 4, numbers, verb)

    def _require_elements(self, where: Lanes, last: Lanes, verb: AccessVerb) -> None:
        """Raise `WaveStop` for an access to private memory that begins in that of the wave, and
        has its last byte elsewhere."""
        start = np.uint64(self.scratch_start or 0)
        if (where - start < np.uint64(self.scratch.nbytes)).any():
            self._require_own_scratch(last, verb)

    def buffer_load(self, address: BufferAddress, kind: Any, count: int, on: Lanes | None) -> Lanes:
        """Zero where the address is out of range."""
        where, checked, elements = address
        size = SIZES[kind] * count
        masks = _of_parts(checked, on, SIZES[kind], count)
        on = masks[0]
        if elements is None or not elements.are_left(size):
            if len(masks) == 1:
                return self.global_load(where, kind, count, on)
            parts = [
                self.global_load(where + np.uint64(SIZES[kind] * number), kind, 1, mask)
                for number, mask in enumerate(masks)
            ]
            return np.stack(parts)
        self._require_elements(where, where + elements.distance(size - 1), "reads")
        bytes_of_lanes = [
            self.global_load(where + elements.distance(number), np.uint8, 1, on)
            for number in range(size)
        ]
        values = np.stack(bytes_of_lanes, -1).view(kind)
        return values[:, 0] if count == 1 else np.ascontiguousarray(values.T)

    def buffer_store(
        self, address: BufferAddress, values: Any, kind: Any, on: Lanes | None
    ) -> None:
        where, checked, elements = address
        data = self._elements(values, kind)
        rows = data if data.ndim > 1 else data[None]
        masks = _of_parts(checked, on, rows.itemsize, len(rows))
        on = masks[0]
        if elements is None or not elements.are_left(rows.itemsize * len(rows)):
            if len(masks) == 1:
                self.global_store(where, data, kind, on)
                return
            for number, mask in enumerate(masks):
                self.global_store(where + np.uint64(SIZES[kind] * number), data[number], kind, mask)
            return
        raw = np.ascontiguousarray(rows.T).view(np.uint8)
        self._require_elements(where, where + elements.distance(raw.shape[1] - 1), "writes")
        for number in range(raw.shape[1]):
            self.global_store(where + elements.distance(number), raw[:, number], np.uint8, on)

    def buffer_atomic(
        self, address: BufferAddress, kind: Any, update: Update, on: Lanes | None
    ) -> Lanes:
        where, checked, elements = address
        if elements is not None and SIZES[kind] > elements.size_bytes:
            raise not_simulated("an atomic operation on several elements of a swizzled buffer")
        [mask] = _of_parts(checked, on, SIZES[kind], 1)
        return self.global_atomic(where, kind, update, mask)


def _of_parts(
    checked: Range | None, on: Lanes | None, size_bytes: int, count: int
) -> list[Lanes | None]:
    """Return the lanes that access memory: for each dword of several, because each has a check of
    its own, or once where all have the same."""
    if checked is None:
        return [on]
    valid = [checked.lanes(size_bytes * number, size_bytes) for number in range(count)]
    texts = {None if part is None else part.tobytes() for part in valid}
    return [in_both(on, part) for part in (valid[:1] if len(texts) == 1 else valid)]
