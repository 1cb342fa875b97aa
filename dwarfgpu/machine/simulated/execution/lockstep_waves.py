"""Waves that execute one instruction together, with their lanes side by side in one array.

A `WaveGroup` is what a wave is for generated statements of vector operations, with the lanes of all
its waves: wave, then lane. Scalars stay with the waves: a register is a Python integer while it is
the same in all waves that run, else an array of integers, one for each wave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from dwarfgpu.base.records import evolve
from dwarfgpu.machine.simulated.execution.access_conflicts import Conflicts, LocalConflicts
from dwarfgpu.machine.simulated.execution.access_stamps import Conflict
from dwarfgpu.machine.simulated.execution.lockstep_functions import GroupFunctions, NotTogether
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.storage.buffer_addresses import (
    BUFFER_BASE,
    BufferAddress,
    adds_lane,
    buffer_addresses,
    same_offset,
)
from dwarfgpu.machine.simulated.storage.global_memory import SIZES, Allocation, extremes
from dwarfgpu.machine.simulated.storage.wave_accesses import WaveAccesses
from dwarfgpu.machine.simulated.storage.wave_memory import Access, AccessVerb
from dwarfgpu.machine.simulated.storage.wave_registers import Lanes, shared_registers

_OF_THE_GROUP: Final = frozenset(
    {"s", "v", "i", "f", "av", "ai", "af", "vectors", "accumulators", "_shared"}
    | {"lds", "on_access", "scalar_load"}
)
"""Attributes of a wave that its copy in a group has otherwise."""
_ROWS: Final = ("v", "i", "f", "av", "ai", "af")
_UNIFORM: Final = (
    *("wave_size", "generation", "vgprs", "shared_base", "private_base", "global_memory"),
    "most_private_bytes",
)  # fmt: skip


class _Rows(dict[int, Lanes]):
    """Registers, made when they are first used."""

    def __init__(self, make: Callable[[int], Lanes]) -> None:
        self._make = make

    def __missing__(self, number: int) -> Lanes:
        row = self[number] = self._make(number)
        return row


def _part_of(rows: _Rows, part: slice, number: int) -> Lanes:
    return rows[number][part]


class _Scalars:
    """SGPRs of all waves of a group."""

    def __init__(self, group: WaveGroup) -> None:
        self._group = group

    def __getitem__(self, number: int) -> Any:
        return self._group.gathered([wave.s[number] for wave in self._group.members])

    def __setitem__(self, number: int, value: Any) -> None:
        for wave, item in self._group.spread_out(value):
            wave.s[number] = item


def _scalar(name: str) -> Any:
    """Return a scalar register that is an attribute of waves."""

    def read(group: WaveGroup) -> Any:
        return group.gathered([getattr(wave, name) for wave in group.members])

    def write(group: WaveGroup, value: Any) -> None:
        for wave, item in group.spread_out(value):
            setattr(wave, name, item)

    return property(read, write)


class WaveGroup(WaveAccesses):
    """Some waves of a dispatch, whole workgroups of it.

    Law: scalar registers, LDS and the place of each wave are copies, which `commit` writes back;
    VGPRs, AGPRs, global and private memory are written at once, and `conflicts` can restore them,
    or `remove_registers` if the waves have not executed anything before.
    """

    exec = _scalar("exec")
    vcc = _scalar("vcc")
    scc = _scalar("scc")

    def __init__(
        self, waves: Sequence[SimulatedWave], numbers: Sequence[int], conflicts: Conflicts
    ) -> None:
        """`numbers`: of the waves, for `conflicts`. `Conflict` for waves that are too different."""
        first = waves[0]
        for name in _UNIFORM:
            if any(getattr(wave, name) != getattr(first, name) for wave in waves):
                raise Conflict
            setattr(self, name, getattr(first, name))
        size = first.wave_size
        self.lane_count = len(waves) * size
        self.all_lanes = (1 << size) - 1
        self.functions = GroupFunctions(size, len(waves), lambda: self.active_lanes)
        """What statements call, for all lanes."""
        self.lane = self.functions.lane
        self.originals = waves
        self._wave_numbers = np.array(numbers)
        self._wave_of_lane = np.repeat(np.arange(len(waves)), size)
        self._stamps: Lanes | None = None
        """The stamps of all lanes, until the next barrier."""
        self._conflicts = conflicts
        self._make_registers(waves)
        self._make_lds(waves)
        self._make_scratch(waves)
        self.on_access = self._accessed
        self.members = [self._member(number, wave) for number, wave in enumerate(waves)]
        self.by_slot: list[list[SimulatedWave]] = [[] for _ in self._lds_originals]
        """The members with each LDS."""
        for slot, member in zip(self.slots, self.members, strict=True):
            self.by_slot[slot].append(member)
        self.running: Sequence[int] = range(len(waves))
        """The numbers of the members that execute."""
        self._is_stale = True
        self._active: Lanes | None = None

    # Copies.

    def _make_registers(self, waves: Sequence[SimulatedWave]) -> None:
        self._are_first = not any(wave.has_registers for wave in waves)
        """Whether no wave has had vector registers before."""
        vectors, count = shared_registers(waves, "vectors"), self.vgprs
        accumulators = cache(lambda: shared_registers(waves, "accumulators"))

        def row_of(number: int) -> Lanes:
            is_vgpr = number < count
            row: Lanes = vectors[number] if is_vgpr else accumulators()[number - count]
            if not self._are_first:
                self._conflicts.keep_array(row)
            return row.reshape(-1)

        rows = _Rows(row_of)
        self.v = _Rows(rows.__getitem__)  # type: ignore[assignment]
        self.i = _Rows(lambda n: rows[n].view(np.int32))  # type: ignore[assignment]
        self.f = _Rows(lambda n: rows[n].view(np.float32))  # type: ignore[assignment]
        self.av = _Rows(lambda n: rows[count + n])  # type: ignore[assignment]
        self.ai = _Rows(lambda n: rows[count + n].view(np.int32))  # type: ignore[assignment]
        self.af = _Rows(lambda n: rows[count + n].view(np.float32))  # type: ignore[assignment]
        self.s = _Scalars(self)  # type: ignore[assignment]

    def _make_lds(self, waves: Sequence[SimulatedWave]) -> None:
        lds_by_workgroup = {wave.wave.workgroup: wave.lds for wave in waves}
        if any(lds_by_workgroup[wave.wave.workgroup] is not wave.lds for wave in waves):
            raise Conflict
        sizes = {part.end for part in lds_by_workgroup.values()}
        if len(sizes) > 1 or any(part.written is not None for part in lds_by_workgroup.values()):
            raise Conflict
        size = self._lds_bytes = sizes.pop()
        slots = {name: slot for slot, name in enumerate(lds_by_workgroup)}
        whole = b"".join(bytes(part.contents) for part in lds_by_workgroup.values())
        self.lds = Allocation("LDS", 0, whole, True)
        self._lds_originals = list(lds_by_workgroup.values())
        self.slots = [slots[wave.wave.workgroup] for wave in waves]
        """The number of each wave's LDS."""
        self._lds_first = np.array([slot * size for slot in self.slots], np.uint64)
        self._lds_first_of_lane = np.repeat(self._lds_first, self.wave_size)
        self._local = LocalConflicts(self.lds.data, self._conflicts.workgroups)
        self._is_shared = len(lds_by_workgroup) < len(waves)

    def _make_scratch(self, waves: Sequence[SimulatedWave]) -> None:
        """Make the private memory of all waves, shape (waves, dwords, lanes): pieces at equal
        distances."""
        self.scratch = waves[0].scratch
        self.scratch_written = None
        shapes = {wave.scratch.shape for wave in waves}
        starts = [wave.scratch.__array_interface__["data"][0] for wave in waves]
        steps = {after - before for before, after in pairwise(starts)}
        if len(shapes) > 1 or len(steps) > 1 and self.scratch.size:
            raise Conflict
        shape = (len(waves), *self.scratch.shape)
        step = steps.pop() if steps and self.scratch.size else 0
        strides = (step, *self.scratch.strides)
        self._private = as_strided(self.scratch, shape, strides)
        single_bytes = self.scratch.view(np.uint8)
        self._private_bytes = as_strided(single_bytes, (*shape, 4), (*strides, 1))
        """Shape (waves, dwords, lanes, 4)."""
        self._conflicts.keep_array(self._private)

    def _member(self, number: int, wave: SimulatedWave) -> SimulatedWave:
        """Return a copy of a wave with its part of the registers of the group."""
        first = number * self.wave_size
        part = slice(first, first + self.wave_size)
        member = SimulatedWave.__new__(SimulatedWave)
        vars(member).update(vars(wave))
        member.s = list(wave.s)
        for name in _ROWS:
            rows = getattr(self, name)
            setattr(member, name, _Rows(partial(_part_of, rows, part)))
        begin = int(self._lds_first[number])
        member.lds = self.lds.part(begin, begin + self._lds_bytes)
        member.on_access = partial(self._accessed_by, number)
        member.scalar_load = partial(self._scalar_load, number)  # type: ignore[method-assign]
        return member

    def remove_registers(self) -> None:
        """Remove vector registers, where waves can have those again that they began with."""
        if self._are_first:
            for wave in (*self.originals, *self.members):
                wave.remove_registers()
            for name in _ROWS:
                vars(self).pop(name, None)

    def commit(self) -> None:
        """Make the waves what their copies are now."""
        for wave, member in zip(self.originals, self.members, strict=True):
            wave.s[:] = member.s
            for name, value in vars(member).items():
                if name not in _OF_THE_GROUP:
                    setattr(wave, name, value)
        for number, original in enumerate(self._lds_originals):
            first = number * self._lds_bytes
            original.data[:] = self.lds.data[first : first + self._lds_bytes]

    # Scalars.

    def gathered(self, values: list[Any]) -> Any:
        """Return a scalar of all members: one number if the running ones agree, otherwise an
        array."""
        first = values[self.running[0]]
        if values.count(first) == len(values) or all(values[n] == first for n in self.running):
            return first
        return np.array(values, object)

    def spread_out(self, value: Any) -> Any:
        """Return pairs of a running member and its part of a result."""
        members = self.members
        if isinstance(value, np.ndarray):
            items = value.tolist()
            return [(members[n], items[n]) for n in self.running]
        return [(members[n], value) for n in self.running]

    def run_only(self, running: Sequence[int]) -> None:
        """Choose the members that execute."""
        if running != self.running:
            self.running = running
            self._is_stale = True

    def exec_changed(self) -> None:
        """Note that EXEC of members was written."""
        self._is_stale = True

    @property
    def active(self) -> Lanes | None:  # type: ignore[override]
        """The lanes that execute; None for all."""
        if self._is_stale:
            masks = [0] * len(self.members)
            for number in self.running:
                masks[number] = self.members[number].exec
            is_full = masks.count(self.all_lanes) == len(masks)
            self._active = None if is_full else self.functions.lanes_of_masks(masks)
            self._is_stale = False
        return self._active

    @property
    def unmasked(self) -> Lanes | None:  # type: ignore[override]
        """The lanes of the waves that run."""
        if len(self.running) == len(self.members):
            return None
        rows = np.zeros((len(self.members), self.wave_size), bool)
        rows[list(self.running)] = True
        return rows.reshape(-1)

    @property
    def active_lanes(self) -> Lanes:
        active = self.active
        return np.ones(self.lane_count, bool) if active is None else active

    def set_exec(self, mask: Any) -> None:
        for wave, item in self.spread_out(mask):
            wave.set_exec(item)
        self._is_stale = True

    def set_vcc(self, mask: Any) -> None:
        for wave, item in self.spread_out(mask):
            wave.set_vcc(item)

    def set_vcc_dword(self, index: int, number: Any) -> None:
        for wave, item in self.spread_out(number):
            wave.set_vcc_dword(index, item)

    # Memory.

    def _accessed(self, access: Access) -> None:
        if access.space == "private":
            return
        assert access.lanes is not None
        if access.lanes is not self._every_lane:
            self._check(access, self._wave_of_lane[access.lanes])
            return
        if self._stamps is None:
            self._stamps = self._conflicts.stamps[self._wave_numbers[self._wave_of_lane]]
        self._check(access, self._wave_of_lane, self._stamps)

    def _accessed_by(self, number: int, access: Access) -> None:
        if access.space != "private":
            self._check(access, number)

    def _scalar_load(self, number: int, address: int, size_bytes: int, is_signed: bool) -> int:
        self._conflicts.scalar_read(address, size_bytes, int(self._wave_numbers[number]))
        data = self.global_memory.scalar_read(address, size_bytes)
        return int.from_bytes(data, "little", signed=is_signed)

    def _check(self, access: Access, numbers: Any, stamps: Any = None) -> None:
        """Require that accesses of members conflict with no others.

        `numbers`: of the member of each address; `stamps`: of them, if they are known.
        """
        conflicts, addresses, size = self._conflicts, access.addresses, access.size_bytes
        if access.commuting is not None:
            stamps = conflicts.stamp_of(access.commuting)
        elif stamps is None:
            stamps = conflicts.stamps[self._wave_numbers[numbers]]
        note = partial(
            conflicts.access if access.space == "global" else self._local.access,
            size_bytes=size,
            stamps=stamps,
            reads=access.is_read,
            writes=access.is_written,
            stored=access.stored,
        )
        if access.space == "global":
            note(addresses)
        elif self._is_shared and len(addresses):
            if extremes(addresses)[1] + size > self._lds_bytes:
                return  # a violation
            is_all = numbers is self._wave_of_lane
            first = self._lds_first_of_lane if is_all else self._lds_first[numbers]
            offsets = addresses.astype(np.uint64, copy=False) + first
            try:
                note(offsets)
            except Conflict as conflict:
                if conflict.accesses is not None:
                    where = np.flatnonzero(self._wave_numbers == conflict.accesses.wave)
                    conflict.move(-int(self._lds_first[where[0]]), "local")
                raise

    def pass_barrier(self, slots: Sequence[int]) -> None:
        """Note that all members that share LDS have passed a barrier."""
        numbers = [self._wave_numbers[n] for n, item in enumerate(self.slots) if item in slots]
        self._conflicts.pass_barrier(numbers)
        self._stamps = None
        size = self._lds_bytes
        self._local.pass_barrier([(slot * size, (slot + 1) * size) for slot in slots])

    @property
    def lds_bytes(self) -> int:
        return self._lds_bytes

    def _in_lds(self, addresses: Lanes, lanes: Lanes | None) -> Lanes:
        first = self._lds_first_of_lane
        out: Lanes = addresses + (first if lanes is None else first[lanes])
        return out

    def _announce_private(
        self, address: Any, size_bytes: int, on: Lanes | None, verbs: str
    ) -> None:
        """Announce an access to private memory, which is of one lane."""

    def scratch_load(self, address: Any, kind: Any, count: int, on: Lanes | None) -> Lanes:
        if isinstance(address, np.ndarray) and address.dtype == object:
            address = self.functions.scalar32(address)
        elif isinstance(address, int) and SIZES[kind] == 4 and not address & 3:
            self._require_scratch(address, 4 * count, (), "reads")
            rows = self._private[:, address >> 2 : (address >> 2) + count]
            if count == 1:
                return rows[:, 0].reshape(-1)
            return rows.transpose(1, 0, 2).reshape(count, -1)
        size = SIZES[kind] * count
        lanes = self._numbers(on)
        addresses = self._scratch_addresses(address, size, lanes, "reads")
        if size == 4 and not (addresses & 3).any():
            wave, lane = np.divmod(lanes, self.wave_size)
            return self._spread(self._private[wave, addresses >> 2, lane].view(kind), lanes)
        raw = self._private_bytes[self._byte_indices(addresses, size, lanes)].view(kind)
        values = raw[:, 0] if count == 1 else np.ascontiguousarray(raw.T)
        return self._spread(values, lanes)

    def scratch_store(self, address: Any, values: Any, kind: Any, on: Lanes | None) -> None:
        if isinstance(address, np.ndarray) and address.dtype == object:
            address = self.functions.scalar32(address)
        data = self._elements(values, kind)
        rows = data if data.ndim > 1 else data[None]
        if isinstance(address, int) and data.itemsize == 4 and not address & 3:
            self._require_scratch(address, 4 * len(rows), (), "writes")
            for number, row in enumerate(rows):
                target = self._private[:, (address >> 2) + number]
                where = True if on is None else self.functions.by_wave(on)
                np.copyto(target, self.functions.by_wave(row), where=where, casting="unsafe")
            return
        lanes = self._numbers(on)
        addresses = self._scratch_addresses(address, data.itemsize * len(rows), lanes, "writes")
        if data.itemsize == 4 and not (addresses & 3).any():
            wave, lane = np.divmod(lanes, self.wave_size)
            for number, row in enumerate(rows):
                values = row[lanes].view(np.uint32)
                self._private[wave, (addresses >> 2) + number, lane] = values
            return
        size = data.itemsize * len(rows)
        raw = np.ascontiguousarray(rows[:, lanes].T).view(np.uint8).reshape(len(lanes), size)
        self._private_bytes[self._byte_indices(addresses, size, lanes)] = raw

    def _byte_indices(self, addresses: Lanes, size: int, lanes: Lanes) -> tuple[Lanes, ...]:
        offsets = addresses[:, None] + np.arange(size)
        wave, lane = np.divmod(lanes, self.wave_size)
        return wave[:, None], offsets >> 2, lane[:, None], offsets & 3

    def buffer_address(
        self,
        resource: Any,
        index: Any,
        offset: Any,
        immediate: int,
        scalar: Any,
        verb: AccessVerb,
    ) -> BufferAddress:
        if isinstance(scalar, np.ndarray):
            raise NotTogether
        base, rest = resource & BUFFER_BASE, resource & ~BUFFER_BASE
        if isinstance(rest, np.ndarray):
            if any(item != rest[self.running[0]] for item in rest):
                raise NotTogether
            rest = rest[self.running[0]]
        if isinstance(index, int) and isinstance(offset, int):
            where, valid, elements = same_offset(
                rest, index, offset + immediate, scalar, self.wave_size, self.generation
            )
            self._require_own_scratch_of_each(rest, where)
            count = len(self.members)
            of_all = None if valid is None else evolve(valid, waves=count)
            return np.tile(where, count) + self.functions.scalar64(base), of_all, elements
        total = self._all(np.asarray(offset, np.int64)) + immediate
        number = self._all(np.asarray(index, np.int64))
        where, valid, elements = buffer_addresses(
            rest, number, total, scalar, self.lane,
            generation=self.generation, has_index=not isinstance(index, int),
        )  # fmt: skip
        self._require_own_scratch_of_each(rest, where)
        return where + self.functions.scalar64(base), valid, elements

    def _require_elements(self, where: Lanes, last: Lanes, verb: AccessVerb) -> None:
        """Raise `NotTogether`: each wave has an end of its own."""
        raise NotTogether

    def _require_own_scratch_of_each(self, resource: int, where: Lanes) -> None:
        """Raise `NotTogether` where a lane may be beyond the private memory of its wave."""
        if adds_lane(resource) and int(where.max()) >= self.scratch.nbytes:
            raise NotTogether
