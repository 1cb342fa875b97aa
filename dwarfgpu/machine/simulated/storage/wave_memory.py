"""Memory as a running wave sees it: global, LDS, scratch, and generic addresses for all three.

Loads return a value for each lane, of which those of inactive lanes mean nothing. A result for
several elements has an axis for them before the lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.machine.simulated.faults import WaveStop
from dwarfgpu.machine.simulated.storage.buffer_addresses import (
    BUFFER_BASE,
    BufferAddress,
    buffer_addresses,
    in_both,
    same_offset,
)
from dwarfgpu.machine.simulated.storage.global_memory import (
    SIZES,
    Allocation,
    GlobalMemory,
    extremes,
)
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes, RunningWave
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


_EVERYWHERE: Final = slice(None)
_APERTURE: Final = np.uint64(0xFFFFFFFF)
_WRITTEN: Final = np.uint32(0xFFFFFFFF)


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
    commuting: str | None = None
    """The text of an atomic operation without result that is `Commuting`; None for others."""


class WaveMemory(RunningWave):
    """A wave with its memories."""

    def __init__(
        self,
        wave: Wave,
        lane_count: int,
        vgprs: int,
        agprs: int,
        global_memory: GlobalMemory,
        fill: int | None = None,
    ) -> None:
        super().__init__(wave, lane_count, vgprs, agprs, fill)
        self.global_memory = global_memory
        self.lds = Allocation("LDS", 0, b"", True)
        self.shared_base = 0
        self.private_base = 0
        self.own_scratch: Allocation | None = None
        """Its private memory, where that is no part of global memory."""
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
        """Values of some lanes as values of all."""
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
        """The numbers of the lanes that are on."""
        return self._every_lane if on is None else on.nonzero()[0]

    def _announce(
        self,
        space: Space,
        addresses: Lanes,
        lanes: Lanes | None,
        size_bytes: int,
        verbs: str,
        commuting: str | None = None,
    ) -> None:
        """Call `on_access`; `verbs` has `r` where it reads, `w` where it writes. Two addresses of
        a lane are two accesses."""
        assert self.on_access is not None
        if lanes is None:
            lanes = self._every_lane
        for row in addresses if addresses.ndim > 1 else (addresses,):
            reads, writes = "r" in verbs, "w" in verbs
            self.on_access(Access(space, row, lanes, size_bytes, reads, writes, commuting))

    # Global.

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
            self._announce("global", addresses, lanes, size, "w")
        self.global_memory.scatter(addresses, data, lanes)

    def _elements(self, values: Any, kind: Any) -> Lanes:
        """Values of all lanes as a type; what does not fit is cut off."""
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
            return self.global_memory.gather(where, kind, 1, lanes)

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
        """In the order of lanes: in each round, the first lane of every address that remains."""
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
        """`WaveStop` for an atomic operation at an address that is no multiple of its size.

        Loads and stores may be misaligned: HSA has SH_MEM_CONFIG.alignment_mode UNALIGNED.
        """
        bad = np.asarray(addresses).astype(np.uint64) % np.uint64(size) != 0
        if bad.any():
            numbers = tuple(map(int, lanes[bad]))
            address = int(addresses[bad][0])
            where = "" if space == "global" else f" of {space} memory"
            raise WaveStop(
                StopReason.ADDRESS_ERROR,
                f"lane {numbers[0]} updates {size} bytes{where} at {address:#x}: misaligned, an "
                f"atomic operation needs a multiple of {size}",
                lanes=numbers,
                address=address,
            )

    # LDS.

    @property
    def lds_bytes(self) -> int:
        """The LDS of a workgroup."""
        return self.lds.end

    def _in_lds(self, addresses: Lanes, lanes: Lanes | None) -> Lanes:
        """Return where the addresses of lanes are in `lds`."""
        return addresses

    def _require_lds(self, addresses: Lanes, size: int, lanes: Lanes | None) -> None:
        if not addresses.size:
            return
        end = self.lds_bytes
        if extremes(addresses)[1] + size <= end:
            return
        flat = addresses.reshape(-1, addresses.shape[-1])
        bad = (flat.astype(np.int64) + size > end).any(0)
        if bad.any():
            at = int(np.argmax(bad))
            numbers = np.flatnonzero(bad) if lanes is None else lanes[bad]
            address = int(flat[:, at].max())
            raise WaveStop(
                StopReason.MEMORY_VIOLATION,
                f"lane {int(numbers[0])} accesses {size} bytes of LDS at {address:#x}: "
                f"the workgroup has {end} bytes",
                lanes=tuple(map(int, numbers)),
                address=address,
            )

    def lds_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Lanes:
        lanes = self._chosen(on)
        addresses = self._lds_addresses(address, lanes)
        if self.on_access is not None:
            self._announce("local", addresses, lanes, SIZES[kind] * count, "r")
        self._require_lds(addresses, SIZES[kind] * count, lanes)
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
            self._announce("local", addresses, lanes, data.itemsize * count, "w")
        self._require_lds(addresses, data.itemsize * count, lanes)
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
            self._require_lds(where, size, lanes)
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
        self._require_lds(addresses[:, lanes], SIZES[kind], lanes)
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

    # Scratch.

    def scratch_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Lanes:
        size = SIZES[kind]
        if self.on_access is not None:
            self._announce_private(address, size * count, on, "r")
        if isinstance(address, int) and size == 4 and not address & 3:
            self._require_scratch(address, 4 * count, None)
            rows = self.scratch[address >> 2 : (address >> 2) + count]
            return rows[0] if count == 1 else rows
        lanes = self._numbers(on)
        addresses = self._scratch_addresses(address, size * count, lanes)
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
            self._require_scratch(address, 4 * len(rows), None)
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
        addresses = self._scratch_addresses(address, data.itemsize * len(rows), lanes)
        if data.itemsize == 4 and not (addresses & 3).any():
            first = addresses >> 2
            for number, row in enumerate(rows):
                self.scratch[first + number, lanes] = row[lanes]
                if self.scratch_written is not None:
                    self.scratch_written[first + number, lanes] = _WRITTEN
            return
        index = self._scratch_bytes(addresses, data.itemsize * len(rows), lanes)
        raw = np.ascontiguousarray(rows[:, lanes].T).view(np.uint8)
        self._scratch_view()[index] = raw.reshape(len(lanes), -1)
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

    def _scratch_addresses(self, address: Any, size: int, lanes: Lanes) -> Lanes:
        """Return where accesses of some bytes begin, for each of the lanes; `WaveStop` out of
        range."""
        addresses = self._all(np.asarray(address).astype(np.int64))[lanes]
        first, last = extremes(addresses) if len(addresses) else (0, 0)
        if first < 0 or last > 4 * len(self.scratch) - size:
            bad = (addresses < 0) | (addresses > 4 * len(self.scratch) - size)
            at = int(np.argmax(bad))
            self._require_scratch(int(addresses[at]), size, int(lanes[at]))
        return addresses

    def _scratch_dwords(self, addresses: Lanes, lanes: Lanes, kind: Any, count: int) -> Lanes:
        """Elements of 4 bytes or a multiple, of addresses that are aligned to 4 bytes."""
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

    def _require_scratch(self, address: int, size: int, lane: int | None) -> None:
        most = 4 * len(self.scratch)
        if address >= 0 and address + size <= most:
            return
        who = "" if lane is None else f"lane {lane} "
        raise WaveStop(
            StopReason.MEMORY_VIOLATION,
            f"{who}accesses {size} bytes of private memory at {address:#x}: "
            f"a lane has {most} bytes",
            lanes=() if lane is None else (lane,),
            address=address,
        )

    # Generic addresses.

    def _aperture(self, addresses: Lanes) -> str | None:
        """The memory that generic addresses are in; None where they are in several."""
        high = addresses.view(np.uint32)[1::2].tobytes()
        if high != high[:4] * len(addresses):
            return None
        base = int.from_bytes(high[:4], "little") << 32
        if base == self.private_base:
            return "scratch"
        return "lds" if base == self.shared_base else "global"

    def _apertures(self, addresses: Lanes, on: Lanes | None) -> list[tuple[str, Any, Lanes | None]]:
        """The memories that generic addresses are in, with the addresses and the lanes of each.

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
        kinds = (("global", rest), ("lds", shared), ("scratch", private))
        return [(name, self._in(name, addresses), lanes) for name, lanes in kinds if lanes.any()]

    def _in(self, name: str, addresses: Lanes) -> Lanes:
        return addresses if name == "global" else addresses & _APERTURE

    def flat_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Lanes:
        parts = self._apertures(self._all(address), on)
        if len(parts) == 1:
            name, where, lanes = parts[0]
            only: Lanes = getattr(self, f"{name}_load")(where, kind, count, lanes)
            return only
        out = np.zeros((count, self.lane_count) if count > 1 else self.lane_count, kind)
        for name, where, lanes in parts:
            load = getattr(self, f"{name}_load")
            out[..., lanes] = load(where, kind, count, lanes)[..., lanes]
        return out

    def flat_store(self, address: Any, values: Any, kind: Any, on: Lanes | None) -> None:
        for name, where, lanes in self._apertures(self._all(address), on):
            getattr(self, f"{name}_store")(where, values, kind, lanes)

    def flat_atomic(self, address: Any, kind: Any, update: Update, on: Lanes | None) -> Lanes:
        out = np.zeros(self.lane_count, kind)
        for name, where, lanes in self._apertures(self._all(address), on):
            chosen = _EVERYWHERE if lanes is None else lanes
            out[chosen] = getattr(self, f"{name}_atomic")(where, kind, update, lanes)[chosen]
        return out

    def scratch_atomic(self, address: Any, kind: Any, update: Update, on: Lanes | None) -> Lanes:
        """Update private memory, and return its earlier contents; it belongs to one lane, so that
        no access can come between."""
        before = self.scratch_load(self._all(address), kind, 1, on)
        lanes = np.arange(self.lane_count)
        self.scratch_store(self._all(address), update(before, lanes), kind, on)
        return before

    # Buffers.

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
