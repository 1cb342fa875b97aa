"""Resolve the addresses of many waves and lanes with NumPy, to read memory in bulk.

`BulkState` and `BulkCore` read a state and a core.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias

import numpy as np

from dwarfgpu.arch.amdgpu import GENERIC, GLOBAL, LOCAL, PRIVATE_LANE, PRIVATE_WAVE
from dwarfgpu.arch.model import Apertures, Architecture
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.lane_integers import Lanes

Array: TypeAlias = "np.ndarray[Any, Any]"
KnownNumbers: TypeAlias = "tuple[Array, Array]"
"""Numbers, and which of them are known."""

_APERTURE_SPAN: Final = 1 << 48
_SEGMENT_MASK: Final = (1 << 32) - 1
_FARTHEST: Final = 1 << 62
"""Addresses at or above this are read lane by lane."""


class Stores(Protocol):
    """Where the memories of waves are."""

    @property
    def architecture(self) -> Architecture: ...

    @property
    def workgroups(self) -> Mapping[WaveId, int]: ...

    def apertures_of(self, wave: WaveId) -> Apertures: ...


class LoweredAddresses:
    """Where addresses of one space are for waves and lanes: stores, and addresses in them."""

    def __init__(
        self, state: Stores, space: int, at: Array, wave: Array, lane: Array, shape: Any
    ) -> None:
        self.state, self.space = state, space
        self.at, self.wave, self.lane = (
            np.broadcast_to(operand, shape) for operand in (at, wave, lane)
        )
        self.numbers, inverse = np.unique(wave, return_inverse=True)
        self.rows = np.broadcast_to(inverse.reshape(wave.shape), shape)
        self.apertures = [state.apertures_of(int(number)) for number in self.numbers]

    def straddles(self, size_bytes: int) -> bool:
        """Return whether any number may lie in two elements of scratch, or in two apertures."""
        if self.space in (GLOBAL, LOCAL, PRIVATE_WAVE):
            return False
        element_bytes = min(aperture.element_bytes for aperture in self.apertures)
        return bool((self.at % element_bytes + size_bytes > element_bytes).any())

    def _aperture_values(self, number: Callable[[Apertures], int | None], absent: int = 0) -> Array:
        """Return a number of the apertures, for every place."""
        bounds = [number(aperture) for aperture in self.apertures]
        ends = [absent if bound is None else min(bound, _FARTHEST) for bound in bounds]
        return np.array(ends, np.int64)[self.rows]

    def lowered(self) -> list[tuple[tuple[str, int | None], Array, Array, Array]]:
        """Store, the places that are in it, addresses there, and where it ends for each."""
        at, everywhere = self.at, np.ones(self.at.shape, bool)
        out: list[tuple[tuple[str, int | None], Array, Array, Array]] = []
        if self.space == GLOBAL:
            self._global(out, everywhere, at)
        elif self.space == LOCAL:
            self._local(out, everywhere, at)
        elif self.space == PRIVATE_WAVE:
            self._scratch(out, everywhere, at)
        elif self.space == PRIVATE_LANE:
            self._of_lanes(out, everywhere, at)
        elif self.space == GENERIC:
            local_base = self._aperture_values(lambda item: item.local_base)
            private_base = self._aperture_values(lambda item: item.private_base)
            local = self._inside(at, local_base)
            private = self._inside(at, private_base) & ~local
            self._local(out, local, at - local_base & _SEGMENT_MASK)
            self._of_lanes(out, private, at - private_base & _SEGMENT_MASK)
            self._global(out, ~local & ~private, at)
        return out

    def _inside(self, at: Array, base: Array) -> Array:
        return np.asarray((at >= base) & (at - base < _APERTURE_SPAN))

    def _global(self, out: list[Any], chosen: Array, at: Array) -> None:
        out.append((("", None), chosen & (at >= 0), at, np.full(at.shape, _FARTHEST, np.int64)))

    def _local(self, out: list[Any], chosen: Array, at: Array) -> None:
        last = self._aperture_values(lambda item: item.local_bytes, 1 << 32)
        fits = chosen & (at >= 0) & (at < 1 << 32)
        groups = np.array([self.state.workgroups.get(int(n), int(n)) for n in self.numbers])
        mine = groups[self.rows]
        for group in np.unique(mine[fits]):
            out.append((("local", int(group)), fits & (mine == group), at, last))

    def _of_lanes(self, out: list[Any], chosen: Array, at: Array) -> None:
        lanes, element_bytes = (
            self.state.architecture.lane_count,
            self._aperture_values(lambda item: item.element_bytes),
        )
        is_lane = (self.lane >= 0) & (self.lane < lanes)
        chosen = chosen & is_lane & (at >= 0) & (at < 1 << 32)
        element, byte = at // element_bytes, at % element_bytes
        offset = (element * lanes + self.lane) * element_bytes + byte
        self._scratch(out, chosen, offset)

    def _scratch(self, out: list[Any], chosen: Array, offset: Array) -> None:
        size = self._aperture_values(lambda item: item.scratch_bytes, 1 << 32)
        fits = chosen & (offset >= 0) & (offset < 1 << 32) & (offset < size)
        is_global = np.array([aperture.scratch_base is not None for aperture in self.apertures])[
            self.rows
        ]
        base = self._aperture_values(lambda item: item.scratch_base)
        end = np.minimum(size, 1 << 32)
        if is_global.any():
            out.append((("", None), fits & is_global, base + offset, base + end))
        in_aperture = fits & ~is_global
        for row in np.unique(self.rows[in_aperture]):
            wave, mine = self.numbers[row], in_aperture & (self.rows == row)
            if mine.any():
                out.append((("private_wave", int(wave)), mine, offset, end))


def array_of(part: int | None) -> Array:
    """Return the wave or lane, which may differ by place; -1 if there is none."""
    if isinstance(part, Lanes):
        return exact(np.asarray(part.array))
    return np.array([[-1 if part is None else part]], np.int64)


def exact(array: Array) -> Array:
    """Return 64-bit numbers; those far beyond every memory become -1, which is in none."""
    if array.dtype != object and array.dtype != np.uint64:
        return array.astype(np.int64)
    fits = np.vectorize(lambda number: 0 <= number < _FARTHEST, otypes=[bool])(array)
    return np.where(fits, array, -1).astype(np.int64)
