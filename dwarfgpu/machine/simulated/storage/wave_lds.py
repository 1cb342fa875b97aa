"""Accesses of a wave to LDS, the memory of its workgroup."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dwarfgpu.errors import counted
from dwarfgpu.machine.simulated.storage.global_memory import SIZES, GlobalMemory, extremes
from dwarfgpu.machine.simulated.storage.wave_memory import AccessVerb, Update, WaveMemory
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes
from dwarfgpu.machine.simulated.wave_fault import WaveStop, other_lanes
from dwarfgpu.machine.topology import StopReason

_NO_LDS: Final = (
    " (--dynamic-lds BYTES allocates the LDS that the code object does not declare, "
    "--arg NAME=lds:BYTES that of a pointer argument)"
)


class WaveLds(WaveMemory):
    """A wave with accesses to LDS."""

    @property
    def lds_bytes(self) -> int:
        """The LDS of a workgroup."""
        return self.lds.end

    def _in_lds(self, addresses: Lanes, lanes: Lanes | None) -> Lanes:
        """Return where the addresses of lanes are in `lds`."""
        return addresses

    def _require_lds(
        self, addresses: Lanes, size: int, lanes: Lanes | None, verb: AccessVerb
    ) -> None:
        if not addresses.size:
            return
        end = self.lds_bytes
        if extremes(addresses)[1] + size <= end:
            return
        flat = addresses.reshape(-1, addresses.shape[-1])
        bad = (flat.astype(np.int64) + size > end).any(0)
        if bad.any():
            index = int(np.argmax(bad))
            numbers = tuple(map(int, np.flatnonzero(bad) if lanes is None else lanes[bad]))
            address = int(flat[:, index].max())
            advice = "" if end else _NO_LDS
            raise WaveStop(
                StopReason.MEMORY_VIOLATION,
                f"lane {numbers[0]} {verb} {counted(size, 'byte')} of LDS at {address:#x}: "
                f"the workgroup has {counted(end, 'byte')}{advice}{other_lanes(numbers)}",
                lanes=numbers,
                address=address,
            )

    def lds_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Lanes:
        lanes = self._chosen(on)
        addresses = self._lds_addresses(address, lanes)
        if self.on_access is not None:
            self._announce("local", addresses, lanes, SIZES[kind] * count, "r")
        self._require_lds(addresses, SIZES[kind] * count, lanes, "reads")
        if addresses.ndim > 1:
            parts = [
                GlobalMemory.read_elements(self.lds, self._in_lds(part, lanes), kind, count)
                for part in addresses
            ]
            return self._spread(np.stack(parts), lanes)
        addresses = self._in_lds(addresses, lanes)
        return self._spread(GlobalMemory.read_elements(self.lds, addresses, kind, count), lanes)

    def _lds_addresses(self, address: Any, lanes: Lanes | None) -> Lanes:
        array = self._all(address).astype(np.uint64)
        return array if lanes is None else array[..., lanes]

    def lds_store(self, address: Any, values: Any, kind: Any, on: Lanes | None) -> None:
        lanes = self._chosen(on)
        addresses, data = self._lds_addresses(address, lanes), self._elements(values, kind)
        if lanes is not None:
            data = data[..., lanes]
        count = 1 if data.ndim == 1 or addresses.ndim > 1 else len(data)
        if self.on_access is not None:
            size = data.itemsize * count
            self._announce("local", addresses, lanes, size, "w", stored=data)
        self._require_lds(addresses, data.itemsize * count, lanes, "writes")
        if addresses.ndim > 1:
            for part, row in zip(addresses, data, strict=True):
                GlobalMemory.write_elements(self.lds, self._in_lds(part, lanes), row)
        else:
            GlobalMemory.write_elements(self.lds, self._in_lds(addresses, lanes), data)

    def lds_atomic(self, address: Any, kind: Any, update: Update, on: Lanes | None) -> Lanes:
        if np.ndim(address) > 1:
            return self._lds_exchange(address, kind, update, on)
        size = SIZES[kind]

        def load(where: Lanes, lanes: Lanes) -> Lanes:
            self._require_lds(where, size, lanes, "updates")
            return GlobalMemory.read_elements(self.lds, self._in_lds(where, lanes), kind, 1)

        def store(where: Lanes, data: Lanes, lanes: Lanes) -> None:
            GlobalMemory.write_elements(
                self.lds, self._in_lds(where, lanes), np.ascontiguousarray(data)
            )

        addresses = self._lds_addresses(address, None)
        return self._atomic("local", addresses, kind, update, on, load, store)

    def _lds_exchange(self, address: Any, kind: Any, update: Update, on: Lanes | None) -> Lanes:
        """Exchange at two addresses, lane by lane."""
        out = np.zeros((2, self.lane_count), kind)
        lanes = self._numbers(on)
        addresses = self._lds_addresses(address, None)
        if self.on_access is not None:
            self._announce("local", addresses[:, lanes], lanes, SIZES[kind], "rw")
        self._require_lds(addresses[:, lanes], SIZES[kind], lanes, "updates")
        for lane in lanes:
            now = np.array([lane])
            after = update(out[:, now], now).astype(kind)
            for number in range(2):
                where = self._in_lds(addresses[number, now], now)
                out[number, now] = GlobalMemory.read_elements(self.lds, where, kind, 1)
            for number in range(2):
                where = self._in_lds(addresses[number, now], now)
                GlobalMemory.write_elements(self.lds, where, after[number])
        return out
