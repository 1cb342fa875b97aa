"""Accesses of a wave by generic addresses: global memory, LDS or scratch, by the aperture of the
address (AMDGPU usage, "Address Spaces").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dwarfgpu.machine.simulated.storage.wave_memory import Update
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes
from dwarfgpu.machine.simulated.storage.wave_scratch import WaveScratch

_EVERYWHERE: Final = slice(None)
_APERTURE: Final = np.uint64(0xFFFFFFFF)
Aperture: TypeAlias = Literal["global", "lds", "scratch"]


class _Accesses(NamedTuple):
    """What accesses one memory of a wave."""

    load: Callable[[Any, Any, int, Lanes | None], Lanes]
    store: Callable[[Any, Any, Any, Lanes | None], None]
    atomic: Callable[[Any, Any, Update, Lanes | None], Lanes]


class WaveGeneric(WaveScratch):
    """A wave with accesses by generic addresses (`flat_load` …)."""

    def _accesses(self, name: Aperture) -> _Accesses:
        if name == "global":
            return _Accesses(self.global_load, self.global_store, self.global_atomic)
        if name == "lds":
            return _Accesses(self.lds_load, self.lds_store, self.lds_atomic)
        return _Accesses(self.scratch_load, self.scratch_store, self.scratch_atomic)

    def _aperture(self, addresses: Lanes) -> Aperture | None:
        """Return the memory that generic addresses are in; None where they are in several."""
        high = addresses.view(np.uint32)[1::2].tobytes()
        if high != high[:4] * len(addresses):
            return None
        base = int.from_bytes(high[:4], "little") << 32
        if base == self.private_base:
            return "scratch"
        return "lds" if base == self.shared_base else "global"

    def _apertures(
        self, addresses: Lanes, on: Lanes | None
    ) -> list[tuple[Aperture, Any, Lanes | None]]:
        """Return the memories that generic addresses are in, with the addresses and the lanes of
        each.

        An address in private memory that all lanes have is a number.
        """
        chosen = addresses if on is None else addresses[on]
        if not len(chosen):
            return []
        name = self._aperture(chosen)
        if name == "scratch":
            raw = chosen.tobytes()
            if raw == raw[:8] * len(chosen):
                return [(name, int.from_bytes(raw[:4], "little"), on)]
        if name is not None:
            return [(name, self._in(name, addresses), on)]
        base = addresses & ~_APERTURE
        active = np.ones(self.lane_count, bool) if on is None else on
        shared = active & (base == np.uint64(self.shared_base))
        private = active & (base == np.uint64(self.private_base))
        rest = active & ~shared & ~private
        kinds: tuple[tuple[Aperture, Lanes], ...]
        kinds = (("global", rest), ("lds", shared), ("scratch", private))
        return [(name, self._in(name, addresses), lanes) for name, lanes in kinds if lanes.any()]

    def _in(self, name: Aperture, addresses: Lanes) -> Lanes:
        return addresses if name == "global" else addresses & _APERTURE

    def flat_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Lanes:
        parts = self._apertures(self._all(address), on)
        if len(parts) == 1:
            name, where, lanes = parts[0]
            return self._accesses(name).load(where, kind, count, lanes)
        out = np.zeros((count, self.lane_count) if count > 1 else self.lane_count, kind)
        for name, where, lanes in parts:
            load = self._accesses(name).load
            out[..., lanes] = load(where, kind, count, lanes)[..., lanes]
        return out

    def flat_store(self, address: Any, values: Any, kind: Any, on: Lanes | None) -> None:
        for name, where, lanes in self._apertures(self._all(address), on):
            self._accesses(name).store(where, values, kind, lanes)

    def flat_atomic(
        self,
        address: Any,
        kind: Any,
        update: Update,
        on: Lanes | None,
        update_of_lds: Update | None = None,
    ) -> Lanes:
        out = np.zeros(self.lane_count, kind)
        for name, where, lanes in self._apertures(self._all(address), on):
            chosen = _EVERYWHERE if lanes is None else lanes
            accesses = self._accesses(name)
            own = update_of_lds if name == "lds" and update_of_lds is not None else update
            out[chosen] = accesses.atomic(where, kind, own, lanes)[chosen]
        return out
