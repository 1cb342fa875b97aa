"""Memory as a running wave sees it: what is common to all of it, and global memory.

`wave_lds.py`, `wave_scratch.py`, `wave_generic.py` and `wave_buffers.py` add the others. Loads
return a value for each lane; those of inactive lanes are meaningless. A result for several
elements has an axis for them before the lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import field, frozen
from dwarfgpu.errors import counted
from dwarfgpu.machine.simulated.storage.global_memory import (
    SIZES,
    Allocation,
    GlobalMemory,
)
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes, RunningWave
from dwarfgpu.machine.simulated.wave_fault import WaveStop, other_lanes
from dwarfgpu.machine.topology import StopReason, Wave

Update = Callable[[Lanes, Any], Lanes]
"""What an atomic operation stores, from what was there and which lanes it is for."""


class Commuting:
    """An update of integers that leaves the same in any order, by its text."""

    __slots__ = ("text", "update")

    def __init__(self, text: str, update: Update) -> None:
        self.text = text
        self.update = update

    def __call__(self, before: Lanes, lanes: Any) -> Lanes:
        return self.update(before, lanes)


AccessVerb: TypeAlias = Literal["reads", "writes", "updates"]
"""What a wave does where it may not: an atomic operation updates."""
Space: TypeAlias = Literal["global", "local", "private"]


@frozen(eq=False)
class Access:
    """What an instruction does with one memory, for all of its lanes."""

    space: Space
    addresses: Lanes
    """The address of each lane, in the space: shape (accesses,)."""
    lanes: Lanes | None
    """The numbers of the lanes with these addresses; None for a scalar access, of the wave."""
    size_bytes: int
    """Consecutive bytes at each address."""
    is_read: bool
    is_written: bool
    """An atomic operation reads and writes."""
    stored: Lanes | None = None
    """The elements that a store writes, if they are known: shape (accesses,) or (elements,
    accesses)."""
    commuting: str | None = None
    """The text of an atomic operation without result that is `Commuting`; None for others."""


@frozen(eq=False)
class WaveMemories:
    """The memories of a wave besides global memory, and the apertures of generic addresses."""

    lds: Allocation = field(factory=lambda: Allocation("LDS", 0, b"", True))
    shared_base: int = 0
    private_base: int = 0
    scratch: Lanes | None = None
    """Private memory: the dwords of the lanes, shape (dwords, lanes); None if there is none."""
    scratch_written: Lanes | None = None
    """Ones for its bytes that were written, in the same shape; None where that is unknown."""
    own_scratch: Allocation | None = None
    """Its private memory, where that is not part of global memory."""
    scratch_start: int | None = None
    """The address of its private memory in global memory, where it is a part of that."""
    most_private_bytes: int = 0
    """What another dispatch could give a lane, for the advice to do so."""


class WaveMemory(RunningWave):
    """A wave with its memories, and accesses to global memory."""

    def __init__(
        self,
        wave: Wave,
        lane_count: int,
        vgprs: int,
        agprs: int,
        global_memory: GlobalMemory,
        fill: int | None = None,
        memories: WaveMemories | None = None,
    ) -> None:
        super().__init__(wave, lane_count, vgprs, agprs, fill)
        memories = memories or WaveMemories()
        self.global_memory = global_memory
        self.lds = memories.lds
        self.shared_base = memories.shared_base
        self.private_base = memories.private_base
        scratch = memories.scratch
        self.scratch: Lanes = np.zeros((0, lane_count), np.uint32) if scratch is None else scratch
        self.scratch_written = memories.scratch_written
        self.own_scratch = memories.own_scratch
        self.scratch_start = memories.scratch_start
        self.most_private_bytes = memories.most_private_bytes
        self.on_access: Callable[[Access], None] | None = None
        """Is called before each access of memory; None: nothing observes the wave."""

    @cached_property
    def _every_lane(self) -> Lanes:
        """The numbers of all lanes."""
        return np.arange(self.lane_count)

    @property
    def shared_limit(self) -> int:
        return self.shared_base + 0xFFFFFFFF

    @property
    def private_limit(self) -> int:
        return self.private_base + 0xFFFFFFFF

    def _chosen(self, on: Lanes | None) -> Lanes | None:
        """Return the numbers of the active lanes."""
        return None if on is None else on.nonzero()[0]

    def _spread(self, values: Lanes, lanes: Lanes | None) -> Lanes:
        """Return values of some lanes as values of all."""
        if lanes is None:
            return values
        out = np.zeros((*values.shape[:-1], self.lane_count), values.dtype)
        out[..., lanes] = values
        return out

    def _all(self, address: Any) -> Lanes:
        """Return an address for each lane."""
        array = np.asarray(address)
        return array if array.ndim else np.full(self.lane_count, array)

    def _numbers(self, on: Lanes | None) -> Lanes:
        """Return the numbers of the lanes that are on."""
        return self._every_lane if on is None else on.nonzero()[0]

    def _announce(
        self,
        space: Space,
        addresses: Lanes,
        lanes: Lanes | None,
        size_bytes: int,
        verbs: str,
        commuting: str | None = None,
        stored: Lanes | None = None,
    ) -> None:
        """Call `on_access`; `verbs` has `r` where it reads, `w` where it writes. Two addresses of
        a lane are two accesses, and each stores one row of `stored`."""
        assert self.on_access is not None
        if lanes is None:
            lanes = self._every_lane
        reads, writes = "r" in verbs, "w" in verbs
        is_single = addresses.ndim == 1
        for number, row in enumerate((addresses,) if is_single else addresses):
            data = stored if stored is None or is_single else stored[number]
            self.on_access(Access(space, row, lanes, size_bytes, reads, writes, data, commuting))

    def global_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Lanes:
        lanes = self._chosen(on)
        addresses = self._all(address)
        chosen = addresses if lanes is None else addresses[lanes]
        if self.on_access is not None:
            self._announce("global", chosen, lanes, SIZES[kind] * count, "r")
        return self._spread(self.global_memory.gather(chosen, kind, count, lanes), lanes)

    def global_store(self, address: Any, values: Any, kind: Any, on: Lanes | None) -> None:
        lanes = self._chosen(on)
        addresses, data = self._all(address), self._elements(values, kind)
        if lanes is not None:
            addresses, data = addresses[lanes], data[..., lanes]
        if self.on_access is not None:
            size = data.itemsize * (1 if data.ndim == 1 else len(data))
            self._announce("global", addresses, lanes, size, "w", stored=data)
        self.global_memory.scatter(addresses, data, lanes)

    def _elements(self, values: Any, kind: Any) -> Lanes:
        """Return values of all lanes as a type; what does not fit is cut off."""
        array = np.asarray(values)
        if array.dtype == kind and array.shape[-1:] == (self.lane_count,):
            return array
        if array.dtype.kind == "f" and np.dtype(kind).kind == "u":
            array = array.view(f"u{array.itemsize}")
        array = array.astype(kind, copy=False)
        if array.ndim and array.shape[-1] == self.lane_count:
            return array
        return np.broadcast_to(array, (*array.shape[:-1], self.lane_count))

    def global_atomic(self, address: Any, kind: Any, update: Update, on: Lanes | None) -> Lanes:
        def load(where: Lanes, lanes: Lanes) -> Lanes:
            return self.global_memory.gather(where, kind, 1, lanes, "updates")

        def store(where: Lanes, data: Lanes, lanes: Lanes) -> None:
            self.global_memory.scatter(where, data, lanes)

        return self._atomic("global", self._all(address), kind, update, on, load, store)

    def _atomic(
        self,
        space: Space,
        addresses: Lanes,
        kind: Any,
        update: Update,
        on: Lanes | None,
        load: Callable[[Lanes, Lanes], Lanes],
        store: Callable[[Lanes, Lanes, Lanes], None],
    ) -> Lanes:
        """Update in the order of lanes: in each round, the first lane of every address that
        remains."""
        out = np.zeros(self.lane_count, kind)
        lanes = self._numbers(on)
        if len(lanes):
            self._require_aligned(space, addresses[lanes], lanes, SIZES[kind])
            if self.on_access is not None:
                commuting = update.text if isinstance(update, Commuting) else None
                size = SIZES[kind]
                self._announce(space, addresses[lanes], lanes, size, "rw", commuting)
            load(addresses[lanes], lanes)  # all of them, before anything is written
        while len(lanes):
            _, first = np.unique(addresses[lanes], return_index=True)
            chosen = np.sort(first)
            now = lanes[chosen]
            before = load(addresses[now], now)
            out[now] = before
            with np.errstate(all="ignore"):
                after = np.asarray(update(before, now)).astype(kind, copy=False)
            store(addresses[now], np.broadcast_to(after, now.shape), now)
            lanes = np.delete(lanes, chosen)
        return out

    @staticmethod
    def _require_aligned(space: Space, addresses: Lanes, lanes: Lanes, size: int) -> None:
        """Raise `WaveStop` for an atomic operation at an address that is not a multiple of its
        size.

        Loads and stores may be misaligned: HSA has SH_MEM_CONFIG.alignment_mode UNALIGNED.
        """
        bad = np.asarray(addresses).astype(np.uint64) % np.uint64(size) != 0
        if bad.any():
            numbers = tuple(map(int, lanes[bad]))
            address = int(addresses[bad][0])
            where = " of LDS" if space == "local" else ""
            raise WaveStop(
                StopReason.ADDRESS_ERROR,
                f"lane {numbers[0]} updates {counted(size, 'byte')}{where} at {address:#x}: "
                f"misaligned, an atomic operation needs a multiple of {size}{other_lanes(numbers)}",
                lanes=numbers,
                address=address,
            )
