"""Read a state for many waves and lanes at once, with NumPy.

Implements `SharesArchitecture`, `BulkRegisters` and `BulkMemory` (`dwarfgpu.machine.target`).

Law: a lane gets the bytes of `read_register` and `read_memory`; bytes that these refuse, for
whatever reason, are unknown here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dwarfgpu.arch.amdgpu import GLOBAL
from dwarfgpu.arch.model import Architecture, RegisterInfo
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.bulk_addresses import (
    Array,
    KnownNumbers,
    SpaceAddresses,
    int64_array,
    wave_or_lane_array,
)
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.forwarding_target import ForwardingTarget
from dwarfgpu.machine.sparse_memory import Fill, Run, SparseMemory
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.model.storage import Memory

_WIDEST_IMAGE_BYTES: Final = 1 << 22
"""Maximum size in bytes of the part of a file that is read for one question."""


class BulkState(ForwardingTarget[StateTarget | TargetWithCodeObjects]):
    """A state, or one completed by the files that are loaded, with the power to read in bulk."""

    def __init__(self, machine: StateTarget | TargetWithCodeObjects) -> None:
        self.behind = machine
        state = machine.behind if isinstance(machine, TargetWithCodeObjects) else machine
        assert isinstance(state, StateTarget)
        self.state: StateTarget = state

    def architecture_of_all(self, waves: Sequence[WaveId]) -> Architecture | None:
        return self.state.architecture_of_all(waves)

    def registers_of(self, waves: Sequence[WaveId], register: RegisterInfo) -> KnownNumbers:
        """Return a register's bytes (waves, bytes), and the masks of their known bits."""
        size_bytes = (register.size_bits + 7) // 8
        contents = np.zeros((len(waves), size_bytes), np.uint8)
        masks = np.zeros(contents.shape, np.uint8)
        for row, wave in enumerate(waves):
            stored = self.state.waves.get(wave, {}).get(register.name)
            if stored is not None:
                masks[row] = np.frombuffer(stored.known, np.uint8)
                contents[row] = np.frombuffer(stored.data, np.uint8)
        return contents & masks, masks

    def gather(self, where: Memory, addresses: Array, size_bytes: int) -> KnownNumbers:
        """Read little-endian numbers of up to 4 bytes at addresses, with a mask of the known ones.

        The wave and lane of `where` may be `Lanes`, which broadcast with the addresses.
        """
        wave, lane = (wave_or_lane_array(part) for part in (where.wave, where.lane))
        address_array = int64_array(np.asarray(addresses))
        shape = np.broadcast_shapes(address_array.shape, wave.shape, lane.shape)
        values, is_known = np.zeros(shape, np.int64), np.zeros(shape, bool)
        in_space = SpaceAddresses(self.state, where.space.number, address_array, wave, lane, shape)
        if size_bytes > 1 and in_space.straddles(size_bytes):
            is_known |= True
            for byte in range(size_bytes):
                part, has = self._whole(where, address_array + byte, wave, lane, 1, shape)
                values |= part << 8 * byte
                is_known &= has
            return np.where(is_known, values, 0), is_known
        return self._whole(where, address_array, wave, lane, size_bytes, shape)

    def _whole(
        self, where: Memory, addresses: Array, wave: Array, lane: Array, size_bytes: int, shape: Any
    ) -> KnownNumbers:
        """Return numbers that each lie in one piece of one store."""
        in_space = SpaceAddresses(self.state, where.space.number, addresses, wave, lane, shape)
        values, is_known = np.zeros(shape, np.int64), np.zeros(shape, bool)
        stores = {(name, owner): store for name, owner, store in self.state.memories()}
        for name, owner, is_inside, at_store, ends in in_space.in_stores():
            store = stores.get((name, owner))
            fits = is_inside & (at_store >= 0) & (at_store + size_bytes <= ends)
            if store is not None:
                _take(store, fits, at_store, size_bytes, values, is_known)
            # Files complete the requested part of the default space, and nothing else.
            if where.space.number == GLOBAL and isinstance(self.behind, TargetWithCodeObjects):
                self._loaded_segments(
                    store, fits & ~is_known, at_store, size_bytes, values, is_known
                )
        return values, is_known

    def _loaded_segments(
        self,
        store: SparseMemory | None,
        pending: Array,
        addresses: Array,
        size_bytes: int,
        values: Array,
        known_here: Array,
    ) -> None:
        """Return the numbers that are unknown in the state, from files."""
        assert isinstance(self.behind, TargetWithCodeObjects)
        if store is not None:
            for start, data in store.runs():
                pending = pending & ~(
                    (addresses < start + len(data)) & (addresses + size_bytes > start)
                )
        for segment in self.behind.loaded_segments:
            if segment.is_writable and self.behind.has_started:
                continue
            end = segment.address + segment.size_bytes
            inside = pending & (addresses >= segment.address) & (addresses + size_bytes <= end)
            if not inside.any():
                continue
            first, last = int(addresses[inside].min()), int(addresses[inside].max()) + size_bytes
            if last - first > _WIDEST_IMAGE_BYTES:
                continue
            try:
                data = bytearray(segment.read(first - segment.address, last - first))
            except DwarfGpuError:
                continue
            _pick(data, first, inside, addresses, size_bytes, values, known_here)
            pending = pending & ~inside


def _take(
    store: SparseMemory,
    pending: Array,
    addresses: Array,
    size_bytes: int,
    values: Array,
    known_here: Array,
) -> None:
    """Return the numbers that a store knows; those across two neighbours are read byte by byte."""
    _take_of_one_run(store, pending, addresses, size_bytes, values, known_here)
    remaining = pending & ~known_here
    if size_bytes == 1 or not store.has_neighbours or not remaining.any():
        return
    numbers, are_known = np.zeros(values.shape, np.int64), remaining.copy()
    for byte in range(size_bytes):
        part, is_known = np.zeros(values.shape, np.int64), np.zeros(values.shape, bool)
        _take_of_one_run(store, remaining, addresses + byte, 1, part, is_known)
        numbers |= part << 8 * byte
        are_known &= is_known
    values[are_known] = numbers[are_known]
    known_here |= are_known


def _take_of_one_run(
    store: SparseMemory,
    pending: Array,
    addresses: Array,
    size_bytes: int,
    values: Array,
    known_here: Array,
) -> None:
    wanted = addresses[pending]
    if not wanted.size:
        return
    first, last = int(wanted.min()), int(wanted.max())
    for start, data in store.runs():
        if start > last or start + len(data) <= first:
            continue  # most runs of a store with many
        inside = pending & (addresses >= start) & (addresses + size_bytes <= start + len(data))
        if inside.any():
            _pick(data, start, inside, addresses, size_bytes, values, known_here)


def _pick(
    data: Run,
    start: int,
    inside: Array,
    addresses: Array,
    size_bytes: int,
    values: Array,
    known_here: Array,
) -> None:
    known_here[inside] = True
    if isinstance(data, Fill):
        values[inside] = int.from_bytes(data.part(0, size_bytes).to_bytes(), "little")
        return
    raw = np.frombuffer(data, np.uint8)
    offsets = addresses[inside] - start
    numbers = np.zeros(offsets.shape, np.int64)
    for byte in range(size_bytes):
        numbers |= raw[offsets + byte].astype(np.int64) << 8 * byte
    values[inside] = numbers
