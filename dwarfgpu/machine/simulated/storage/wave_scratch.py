"""Accesses of a wave to scratch: the private memory of its lanes, whose dwords interleave
("Scratch Memory" of AMD's ISA documents).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dwarfgpu.errors import counted
from dwarfgpu.machine.simulated.storage.global_memory import SIZES, extremes
from dwarfgpu.machine.simulated.storage.wave_lds import WaveLds
from dwarfgpu.machine.simulated.storage.wave_memory import AccessVerb, Update
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes
from dwarfgpu.machine.simulated.wave_fault import WaveStop, other_lanes
from dwarfgpu.machine.topology import StopReason

_MORE_SCRATCH: Final = " (--scratch BYTES gives more, for a deeper stack)"
_WRITTEN: Final = np.uint32(0xFFFFFFFF)


class WaveScratch(WaveLds):
    """A wave with accesses to scratch."""

    def scratch_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Lanes:
        size = SIZES[kind]
        if self.on_access is not None:
            self._announce_private(address, size * count, on, "r")
        if isinstance(address, int) and size == 4 and not address & 3:
            self._require_scratch(address, 4 * count, (), "reads")
            rows = self.scratch[address >> 2 : (address >> 2) + count]
            return rows[0] if count == 1 else rows
        lanes = self._numbers(on)
        addresses = self._scratch_addresses(address, size * count, lanes, "reads")
        if not size & 3 and not (addresses & 3).any():
            return self._spread(self._scratch_dwords(addresses, lanes, kind, count), lanes)
        index = self._scratch_bytes(addresses, size * count, lanes)
        raw = self._scratch_view()[index].view(kind)
        values = raw[:, 0] if count == 1 else np.ascontiguousarray(raw.T)
        return self._spread(values, lanes)

    def scratch_store(self, address: Any, values: Any, kind: Any, on: Lanes | None) -> None:
        data = self._elements(values, kind)
        rows = data if data.ndim > 1 else data[None]
        if self.on_access is not None:
            self._announce_private(address, data.itemsize * len(rows), on, "w")
        if isinstance(address, int) and data.itemsize == 4 and not address & 3:
            self._require_scratch(address, 4 * len(rows), (), "writes")
            for number, row in enumerate(rows):
                target = self.scratch[(address >> 2) + number]
                if on is None:
                    target[:] = row
                else:
                    np.putmask(target, on, row)
                if self.scratch_written is not None:
                    marks = self.scratch_written[(address >> 2) + number]
                    marks[... if on is None else on] = _WRITTEN
            return
        lanes = self._numbers(on)
        addresses = self._scratch_addresses(address, data.itemsize * len(rows), lanes, "writes")
        if data.itemsize == 4 and not (addresses & 3).any():
            first = addresses >> 2
            for number, row in enumerate(rows):
                self.scratch[first + number, lanes] = row[lanes]
                if self.scratch_written is not None:
                    self.scratch_written[first + number, lanes] = _WRITTEN
            return
        index = self._scratch_bytes(addresses, data.itemsize * len(rows), lanes)
        raw = np.ascontiguousarray(rows[:, lanes].T).view(np.uint8)
        self._scratch_view()[index] = raw.reshape(index.shape)
        if self.scratch_written is not None:
            self.scratch_written.view(np.uint8).reshape(-1)[index] = 0xFF

    def _announce_private(
        self, address: Any, size_bytes: int, on: Lanes | None, verbs: str
    ) -> None:
        lanes = self._numbers(on)
        addresses = self._all(np.asarray(address).astype(np.uint64))[lanes]
        self._announce("private", addresses, lanes, size_bytes, verbs)

    def _scratch_view(self) -> Lanes:
        return self.scratch.view(np.uint8).reshape(-1)

    def _scratch_addresses(self, address: Any, size: int, lanes: Lanes, verb: AccessVerb) -> Lanes:
        """Return where accesses of some bytes begin, for each of the lanes; `WaveStop` out of
        range."""
        addresses = self._all(np.asarray(address).astype(np.int64))[lanes]
        first, last = extremes(addresses) if len(addresses) else (0, 0)
        if first < 0 or last > 4 * len(self.scratch) - size:
            bad = (addresses < 0) | (addresses > 4 * len(self.scratch) - size)
            index = int(np.argmax(bad))
            numbers = tuple(map(int, lanes[bad]))
            self._require_scratch(int(addresses[index]), size, numbers, verb)
        return addresses

    def _scratch_dwords(self, addresses: Lanes, lanes: Lanes, kind: Any, count: int) -> Lanes:
        """Return elements of 4 bytes or a multiple, of addresses that are aligned to 4 bytes."""
        first, words = addresses >> 2, SIZES[kind] // 4
        rows = [self.scratch[first + number, lanes] for number in range(count * words)]
        if words == 1:
            return (rows[0] if count == 1 else np.stack(rows)).view(kind)
        out = np.ascontiguousarray(np.stack(rows, -1)).view(kind)
        return out[:, 0] if count == 1 else np.ascontiguousarray(out.T)

    def _scratch_bytes(self, addresses: Lanes, size: int, lanes: Lanes) -> Lanes:
        """Return where the bytes of each lane are, shape (lanes, size): dwords of lanes
        interleave."""
        offsets = addresses[:, None] + np.arange(size)
        result: Lanes = (offsets >> 2) * (4 * self.lane_count) + lanes[:, None] * 4 + (offsets & 3)
        return result

    def _require_scratch(
        self, address: int, size: int, lanes: tuple[int, ...], verb: AccessVerb
    ) -> None:
        """Raise `WaveStop` if the address of the first of the lanes, or of the whole wave for no
        lanes, is out of range."""
        most = 4 * len(self.scratch)
        if address >= 0 and address + size <= most:
            return
        who = f"lane {lanes[0]} " if lanes else ""
        can_have = 0 <= address <= self.most_private_bytes - size
        advice = _MORE_SCRATCH if can_have else ""
        raise WaveStop(
            StopReason.MEMORY_VIOLATION,
            f"{who}{verb} {counted(size, 'byte')} of private memory at {address:#x}: "
            f"a lane has {counted(most, 'byte')}{advice}{other_lanes(lanes)}",
            lanes=lanes,
            address=address,
        )

    def scratch_atomic(self, address: Any, kind: Any, update: Update, on: Lanes | None) -> Lanes:
        """Update private memory, and return its earlier contents; it belongs to one lane, so that
        no access can come between."""
        self._scratch_addresses(self._all(address), SIZES[kind], self._numbers(on), "updates")
        before = self.scratch_load(self._all(address), kind, 1, on)
        lanes = np.arange(self.lane_count)
        self.scratch_store(self._all(address), update(before, lanes), kind, on)
        return before
