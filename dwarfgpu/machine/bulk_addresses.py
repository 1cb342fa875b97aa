"""Resolve the addresses of many waves and lanes with NumPy: in which store each one is, and where.

`BulkState` and `BulkCore` then read the stores of a state and of a core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np

from dwarfgpu.arch.amdgpu import GENERIC, GLOBAL, LOCAL, PRIVATE_LANE, PRIVATE_WAVE
from dwarfgpu.arch.model import APERTURE_BYTES, Apertures, Architecture
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.lane_integers import Lanes

Array: TypeAlias = "np.ndarray[Any, Any]"
KnownNumbers: TypeAlias = "tuple[Array, Array]"
"""Numbers, and which of them are known."""

_SEGMENT_MASK: Final = (1 << 32) - 1
_FARTHEST: Final = 1 << 62
"""Addresses at or above this are read lane by lane."""


class MemoryLayout(Protocol):
    """What resolving addresses needs to know of the memories of waves."""

    @property
    def architecture(self) -> Architecture: ...

    @property
    def workgroups(self) -> Mapping[WaveId, int]: ...

    def apertures_of(self, wave: WaveId) -> Apertures: ...


class StoreAddresses(NamedTuple):
    """The addresses that are in one store; all arrays have the shape of the request."""

    name: str
    """`local`, `private_wave`, or empty for global memory."""
    owner: int | None
    """The workgroup or wave that has the store; None for global memory."""
    is_inside: Array
    """Which of the requested addresses are in this store; the others mean nothing here."""
    addresses: Array
    ends: Array
    """End of the store."""


class SpaceAddresses:
    """Addresses of one address space, for waves and lanes."""

    def __init__(
        self,
        layout: MemoryLayout,
        space: int,
        addresses: Array,
        wave: Array,
        lane: Array,
        shape: Any,
    ) -> None:
        self.layout, self.space = layout, space
        self.at, self.wave, self.lane = (
            np.broadcast_to(operand, shape) for operand in (addresses, wave, lane)
        )
        self.numbers, inverse = np.unique(wave, return_inverse=True)
        self.rows = np.broadcast_to(inverse.reshape(wave.shape), shape)
        self.apertures = [layout.apertures_of(int(number)) for number in self.numbers]

    def straddles(self, size_bytes: int) -> bool:
        """Return whether any number may lie in two elements of scratch, or in two apertures."""
        if self.space in (GLOBAL, LOCAL, PRIVATE_WAVE):
            return False
        element_bytes = min(aperture.element_bytes for aperture in self.apertures)
        return bool((self.at % element_bytes + size_bytes > element_bytes).any())

    def _aperture_values(self, number: Callable[[Apertures], int | None], absent: int = 0) -> Array:
        """Return a number of the apertures, for every address."""
        bounds = [number(aperture) for aperture in self.apertures]
        ends = [absent if bound is None else min(bound, _FARTHEST) for bound in bounds]
        return np.array(ends, np.int64)[self.rows]

    def in_stores(self) -> Iterator[StoreAddresses]:
        """Yield the addresses by the stores that they are in."""
        addresses, everywhere = self.at, np.ones(self.at.shape, bool)
        if self.space == GLOBAL:
            yield self._global(everywhere, addresses)
        elif self.space == LOCAL:
            yield from self._local(everywhere, addresses)
        elif self.space == PRIVATE_WAVE:
            yield from self._scratch(everywhere, addresses)
        elif self.space == PRIVATE_LANE:
            yield from self._private_lane(everywhere, addresses)
        elif self.space == GENERIC:
            local_base = self._aperture_values(lambda item: item.local_base)
            private_base = self._aperture_values(lambda item: item.private_base)
            local = self._inside(addresses, local_base)
            private = self._inside(addresses, private_base) & ~local
            yield from self._local(local, addresses - local_base & _SEGMENT_MASK)
            yield from self._private_lane(private, addresses - private_base & _SEGMENT_MASK)
            # what is in no known aperture may be in an unknown one
            is_known = np.array([not item.unknown for item in self.apertures])[self.rows]
            is_global = ~local & ~private & (is_known | (addresses < APERTURE_BYTES))
            yield self._global(is_global, addresses)

    def _inside(self, addresses: Array, base: Array) -> Array:
        return np.asarray((addresses >= base) & (addresses - base < APERTURE_BYTES))

    def _global(self, chosen: Array, addresses: Array) -> StoreAddresses:
        return StoreAddresses(
            "",
            None,
            chosen & (addresses >= 0),
            addresses,
            np.full(addresses.shape, _FARTHEST, np.int64),
        )

    def _local(self, chosen: Array, addresses: Array) -> Iterator[StoreAddresses]:
        ends = self._aperture_values(lambda item: item.local_bytes, 1 << 32)
        fits = chosen & (addresses >= 0) & (addresses < 1 << 32)
        groups = np.array([self.layout.workgroups.get(int(n), int(n)) for n in self.numbers])
        mine = groups[self.rows]
        for group in np.unique(mine[fits]):
            yield StoreAddresses("local", int(group), fits & (mine == group), addresses, ends)

    def _private_lane(self, chosen: Array, addresses: Array) -> Iterator[StoreAddresses]:
        lanes = self.layout.architecture.lane_count
        element_bytes = self._aperture_values(lambda item: item.element_bytes)
        is_lane = (self.lane >= 0) & (self.lane < lanes)
        chosen = chosen & is_lane & (addresses >= 0) & (addresses < 1 << 32)
        element, byte = addresses // element_bytes, addresses % element_bytes
        offset = (element * lanes + self.lane) * element_bytes + byte
        yield from self._scratch(chosen, offset)

    def _scratch(self, chosen: Array, offset: Array) -> Iterator[StoreAddresses]:
        size = self._aperture_values(lambda item: item.scratch_bytes, 1 << 32)
        fits = chosen & (offset >= 0) & (offset < 1 << 32) & (offset < size)
        is_global = np.array([aperture.scratch_base is not None for aperture in self.apertures])[
            self.rows
        ]
        base = self._aperture_values(lambda item: item.scratch_base)
        ends = np.minimum(size, 1 << 32)
        if is_global.any():
            yield StoreAddresses("", None, fits & is_global, base + offset, base + ends)
        in_aperture = fits & ~is_global
        for row in np.unique(self.rows[in_aperture]):
            wave, mine = self.numbers[row], in_aperture & (self.rows == row)
            if mine.any():
                yield StoreAddresses("private_wave", int(wave), mine, offset, ends)


def wave_or_lane_array(part: int | None) -> Array:
    """Return the wave or lane, which may differ by address; -1 if there is none."""
    if isinstance(part, Lanes):
        return int64_array(np.asarray(part.array))
    return np.array([[-1 if part is None else part]], np.int64)


def int64_array(array: Array) -> Array:
    """Return 64-bit numbers; those far beyond every memory become -1, which is in none."""
    if array.dtype != object and array.dtype != np.uint64:
        return array.astype(np.int64)
    fits = np.vectorize(lambda number: 0 <= number < _FARTHEST, otypes=[bool])(array)
    return np.where(fits, array, -1).astype(np.int64)
