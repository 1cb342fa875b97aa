"""Read a state for many waves and lanes at once, with NumPy.

Implements `SharesArchitecture`, `BulkRegisters` and `BulkMemory` (`dwarfgpu.machine.target`).

Law: a lane gets the bytes of `read_register` and `read_memory`; bytes that these refuse, for
whatever reason, are unknown here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import numpy as np

from dwarfgpu.arch.amdgpu import (
    GENERIC,
    GLOBAL,
    LOCAL,
    PRIVATE_LANE,
    PRIVATE_WAVE,
)
from dwarfgpu.arch.model import Apertures, Architecture, RegisterInfo
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.image import ImageTarget
from dwarfgpu.machine.sparse_memory import Fill, Run, SparseMemory
from dwarfgpu.machine.state.target import StateTarget
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.machine.topology import Machine as Model
from dwarfgpu.model.lanes import Lanes
from dwarfgpu.model.storage import Memory

Array: TypeAlias = "np.ndarray[Any, Any]"
KnownNumbers: TypeAlias = "tuple[Array, Array]"
"""Numbers, and which of them are known."""

_APERTURE_SPAN: Final = 1 << 48
_SEGMENT_MASK: Final = (1 << 32) - 1
_FARTHEST: Final = 1 << 62
"""Addresses from there on are left to the reading of one lane."""
_WIDEST_IMAGE_BYTES: Final = 1 << 22
"""Of a file, read for one question."""


class BulkState:
    """A state, or one completed by the files that are loaded, with the power to read in bulk."""

    def __init__(self, target: StateTarget | ImageTarget) -> None:
        self.target = target
        machine = target.machine if isinstance(target, ImageTarget) else target
        assert isinstance(machine, StateTarget)
        self.state: StateTarget = machine

    @property
    def stop(self) -> int:
        return self.target.stop

    @property
    def model(self) -> Model | None:
        """The topology (`dwarfgpu.machine.target.Modelled`)."""
        return self.target.model

    def architecture_of(self, wave: WaveId) -> Architecture:
        return self.target.architecture_of(wave)

    def architecture_of_all(self, waves: Sequence[WaveId]) -> Architecture | None:
        return self.state.architecture_of_all(waves)

    def apertures_of(self, wave: WaveId) -> Apertures:
        return self.target.apertures_of(wave)

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        return self.target.read_register(wave, register, offset_bytes, size_bytes)

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        self.target.write_register(wave, register, data, offset_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        return self.target.read_memory(where, address, size_bytes)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        self.target.write_memory(where, address, data)

    def registers_of(self, waves: Sequence[WaveId], register: RegisterInfo) -> KnownNumbers:
        """A register's bytes (waves, bytes), and which of them are known."""
        size_bytes = (register.size_bits + 7) // 8
        contents = np.zeros((len(waves), size_bytes), np.uint8)
        is_known = np.zeros(contents.shape, bool)
        for row, wave in enumerate(waves):
            stored = self.state.waves.get(wave, {}).get(register.name)
            if stored is not None:
                is_known[row] = np.frombuffer(stored.known, np.uint8) == 0xFF
                contents[row] = np.frombuffer(stored.data, np.uint8) * is_known[row]
        return contents, is_known

    def gather(self, where: Memory, addresses: Array, size_bytes: int) -> KnownNumbers:
        """Little-endian numbers of up to 4 bytes at addresses, and which of them are known.

        The wave and lane of `where` may be `Lanes`, which broadcast with the addresses.
        """
        wave, lane = (array_of(part) for part in (where.wave, where.lane))
        at = exact(np.asarray(addresses))
        shape = np.broadcast_shapes(at.shape, wave.shape, lane.shape)
        values, is_known = np.zeros(shape, np.int64), np.zeros(shape, bool)
        places = Places(self.state, where.space.number, at, wave, lane, shape)
        if size_bytes > 1 and places.straddles(size_bytes):
            is_known |= True
            for byte in range(size_bytes):
                part, has = self._whole(where, at + byte, wave, lane, 1, shape)
                values |= part << 8 * byte
                is_known &= has
            return np.where(is_known, values, 0), is_known
        return self._whole(where, at, wave, lane, size_bytes, shape)

    def _whole(
        self, where: Memory, at: Array, wave: Array, lane: Array, size_bytes: int, shape: Any
    ) -> KnownNumbers:
        """Numbers that each lie in one piece of one store."""
        places = Places(self.state, where.space.number, at, wave, lane, shape)
        values, is_known = np.zeros(shape, np.int64), np.zeros(shape, bool)
        stores = {(name, owner): store for name, owner, store in self.state.memories()}
        for key, chosen, lowered, last in places.lowered():
            store = stores.get(key)
            fits = chosen & (lowered >= 0) & (lowered + size_bytes <= last)
            if store is not None:
                _take(store, fits, lowered, size_bytes, values, is_known)
            # Files complete the requested part of the default space, and nothing else.
            if where.space.number == GLOBAL and isinstance(self.target, ImageTarget):
                self._images(store, fits & ~is_known, lowered, size_bytes, values, is_known)
        return values, is_known

    def _images(
        self,
        store: SparseMemory | None,
        pending: Array,
        at: Array,
        size_bytes: int,
        values: Array,
        known_here: Array,
    ) -> None:
        """Return the numbers that are unknown in the state, from files."""
        assert isinstance(self.target, ImageTarget)
        if store is not None:
            for start, data in store.runs():
                pending = pending & ~((at < start + len(data)) & (at + size_bytes > start))
        for image in self.target.images:
            if image.is_writable and self.target.has_started:
                continue
            end = image.address + image.size_bytes
            inside = pending & (at >= image.address) & (at + size_bytes <= end)
            if not inside.any():
                continue
            first, last = int(at[inside].min()), int(at[inside].max()) + size_bytes
            if last - first > _WIDEST_IMAGE_BYTES:
                continue
            try:
                data = bytearray(image.read(first - image.address, last - first))
            except DwarfGpuError:
                continue
            _pick(data, first, inside, at, size_bytes, values, known_here)
            pending = pending & ~inside


class Stores(Protocol):
    """Where the memories of waves are."""

    @property
    def architecture(self) -> Architecture: ...

    @property
    def workgroups(self) -> Mapping[WaveId, int]: ...

    def apertures_of(self, wave: WaveId) -> Apertures: ...


class Places:
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
        """Whether any number may lie in two elements of scratch, or in two apertures."""
        if self.space in (GLOBAL, LOCAL, PRIVATE_WAVE):
            return False
        element_bytes = min(aperture.element_bytes for aperture in self.apertures)
        return bool((self.at % element_bytes + size_bytes > element_bytes).any())

    def _aperture_values(self, name: str, absent: int = 0) -> Array:
        """A number of the apertures, for every place."""
        bounds = [getattr(aperture, name) for aperture in self.apertures]
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
            local = self._inside(at, "local_base")
            private = self._inside(at, "private_base") & ~local
            self._local(out, local, at - self._aperture_values("local_base") & _SEGMENT_MASK)
            self._of_lanes(out, private, at - self._aperture_values("private_base") & _SEGMENT_MASK)
            self._global(out, ~local & ~private, at)
        return out

    def _inside(self, at: Array, name: str) -> Array:
        base = self._aperture_values(name)
        return np.asarray((at >= base) & (at - base < _APERTURE_SPAN))

    def _global(self, out: list[Any], chosen: Array, at: Array) -> None:
        out.append((("", None), chosen & (at >= 0), at, np.full(at.shape, _FARTHEST, np.int64)))

    def _local(self, out: list[Any], chosen: Array, at: Array) -> None:
        last = self._aperture_values("local_bytes", 1 << 32)
        fits = chosen & (at >= 0) & (at < 1 << 32)
        groups = np.array([self.state.workgroups.get(int(n), int(n)) for n in self.numbers])
        mine = groups[self.rows]
        for group in np.unique(mine[fits]):
            out.append((("local", int(group)), fits & (mine == group), at, last))

    def _of_lanes(self, out: list[Any], chosen: Array, at: Array) -> None:
        lanes, element_bytes = (
            self.state.architecture.lane_count,
            self._aperture_values("element_bytes"),
        )
        is_lane = (self.lane >= 0) & (self.lane < lanes)
        chosen = chosen & is_lane & (at >= 0) & (at < 1 << 32)
        element, byte = at // element_bytes, at % element_bytes
        offset = (element * lanes + self.lane) * element_bytes + byte
        self._scratch(out, chosen, offset)

    def _scratch(self, out: list[Any], chosen: Array, offset: Array) -> None:
        size = self._aperture_values("scratch_bytes", 1 << 32)
        fits = chosen & (offset >= 0) & (offset < 1 << 32) & (offset < size)
        is_global = np.array([aperture.scratch_base is not None for aperture in self.apertures])[
            self.rows
        ]
        base = self._aperture_values("scratch_base")
        end = np.minimum(size, 1 << 32)
        if is_global.any():
            out.append((("", None), fits & is_global, base + offset, base + end))
        elsewhere = fits & ~is_global
        for row in np.unique(self.rows[elsewhere]):
            wave, mine = self.numbers[row], elsewhere & (self.rows == row)
            if mine.any():
                out.append((("private_wave", int(wave)), mine, offset, end))


def array_of(part: int | None) -> Array:
    """A wave or lane, which may be one for each place; -1 where there is none."""
    if isinstance(part, Lanes):
        return exact(np.asarray(part.array))
    return np.array([[-1 if part is None else part]], np.int64)


def exact(array: Array) -> Array:
    """Return 64-bit numbers; those far beyond every memory become -1, which is in none."""
    if array.dtype != object and array.dtype != np.uint64:
        return array.astype(np.int64)
    fits = np.vectorize(lambda number: 0 <= number < _FARTHEST, otypes=[bool])(array)
    return np.where(fits, array, -1).astype(np.int64)


def _take(
    store: SparseMemory,
    pending: Array,
    at: Array,
    size_bytes: int,
    values: Array,
    known_here: Array,
) -> None:
    """Return the numbers that a store knows; those across two neighbours are read byte by byte."""
    _take_of_one_run(store, pending, at, size_bytes, values, known_here)
    remaining = pending & ~known_here
    if size_bytes == 1 or not store.has_neighbours or not remaining.any():
        return
    numbers, are_known = np.zeros(values.shape, np.int64), remaining.copy()
    for byte in range(size_bytes):
        part, is_known = np.zeros(values.shape, np.int64), np.zeros(values.shape, bool)
        _take_of_one_run(store, remaining, at + byte, 1, part, is_known)
        numbers |= part << 8 * byte
        are_known &= is_known
    values[are_known] = numbers[are_known]
    known_here |= are_known


def _take_of_one_run(
    store: SparseMemory,
    pending: Array,
    at: Array,
    size_bytes: int,
    values: Array,
    known_here: Array,
) -> None:
    for start, data in store.runs():
        inside = pending & (at >= start) & (at + size_bytes <= start + len(data))
        if inside.any():
            _pick(data, start, inside, at, size_bytes, values, known_here)


def _pick(
    data: Run,
    start: int,
    inside: Array,
    at: Array,
    size_bytes: int,
    values: Array,
    known_here: Array,
) -> None:
    known_here[inside] = True
    if isinstance(data, Fill):
        values[inside] = int.from_bytes(data.part(0, size_bytes).to_bytes(), "little")
        return
    raw = np.frombuffer(data, np.uint8)
    offsets = at[inside] - start
    numbers = np.zeros(offsets.shape, np.int64)
    for byte in range(size_bytes):
        numbers |= raw[offsets + byte].astype(np.int64) << 8 * byte
    values[inside] = numbers
