"""The objects that a debugger watches: where a running machine has their bytes.

Law: what is watched belongs to waves that have not ended. NumPy is needed only where something is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import and_
from typing import TYPE_CHECKING

from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.run_control import Watch, WatchScope
from dwarfgpu.machine.simulated.debugger.debugger_registers import contents
from dwarfgpu.machine.simulated.storage.written_registers import written_bits
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import MemoryAddress, RegisterOffset, WaveId

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
    from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
    from dwarfgpu.machine.simulated.execution.watchpoints import (
        WatchedRange,
        Watching,
        Watchpoints,
    )
    from dwarfgpu.machine.simulated.storage.global_memory import Allocation
    from dwarfgpu.machine.simulated.storage.wave_memory import WaveMemory
    from dwarfgpu.machine.sparse_memory import SparseMemory


class WatchedObjects:
    """The watches of a debugger, and the calls that their functions have made."""

    def __init__(self) -> None:
        self.watches: Sequence[Watch] = ()
        self._calls: dict[int, tuple[WatchScope | None, list[int]]] = {}

    def observer(self, target: StateTarget, machine: RunningMachine) -> Watchpoints | None:
        """Return what stops the waves when they access a watched object; None without one.

        `target` says where memory is.
        """
        waves = {wave.wave.id: wave for wave in machine.waves}
        watches = [watch for watch in self.watches if _is_watchable(watch, waves)]
        if not watches:
            return None
        from dwarfgpu.machine.simulated.execution.watchpoints import Watchpoints

        def scratch(wave: WaveMemory) -> int:
            return target.apertures_of(wave.wave.id).scratch_base or 0

        read = _MachineReads(target, machine, waves)
        watching = [read.watching(watch, self._returns_of(watch)) for watch in watches]
        return Watchpoints(watching, scratch, machine.program.instruction_at)

    def in_calls(self, numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """Return the watches, of some, whose function is in a call, each with the return
        address."""
        calls = ((n, self._calls[n][1]) for n in numbers if n in self._calls)
        return tuple((number, returns[0]) for number, returns in calls if returns)

    def _returns_of(self, watch: Watch) -> list[int]:
        """Return the return addresses of the calls made by a watch's function since the watch was
        set."""
        cached = self._calls.get(watch.number)
        if cached is None or cached[0] is not watch.scope:
            returns = [] if watch.scope is None else list(watch.scope.returns)
            cached = self._calls[watch.number] = watch.scope, returns
        return cached[1]


def _is_watchable(watch: Watch, waves: dict[WaveId, SimulatedWave]) -> bool:
    """Return whether the waves exist that an object belongs to."""
    owners = [start.wave if isinstance(start, RegisterOffset) else start.where.wave
              for start in (part.start for part in watch.bytes)]  # fmt: skip
    return not any(owner in waves and waves[owner].is_ended for owner in owners)


class _MachineReads:
    """Reads watched bytes of a running machine."""

    def __init__(
        self,
        target: StateTarget,
        machine: RunningMachine,
        waves: dict[WaveId, SimulatedWave],
    ) -> None:
        self._target, self._machine, self._waves = target, machine, waves

    def watching(self, watch: Watch, returns: list[int]) -> Watching:
        """Return how the machine is asked for an object."""
        from dwarfgpu.machine.simulated.execution.watchpoints import WatchedRange, Watching

        memory: list[Callable[[], bytes]] = []
        registers: list[Callable[[], bytes]] = []
        ranges: list[WatchedRange] = []
        wave: WaveId | None = None
        for part in watch.bytes:
            watched, size = part.start, part.size_bytes
            if isinstance(watched, RegisterOffset):
                wave = watched.wave
                registers.append(partial(self._register_bytes, watched, size))
                continue
            for store, start, (_, count) in self._lowered(watched, size):
                group = owner = None
                if store.name == "local":
                    assert watched.where.wave is not None
                    group = self._target.workgroups.get(watched.where.wave, watched.where.wave)
                elif store.name == "private_wave":
                    owner = watched.where.wave
                part_range = WatchedRange(group, start, start + count, owner)
                ranges.append(part_range)
                memory.append(partial(self._memory_bytes, part_range))
        return Watching(
            watch,
            lambda: b"".join(read() for read in memory),
            lambda: b"".join(read() for read in registers),
            tuple(ranges),
            wave,
            returns,
        )

    def _lowered(
        self, start: MemoryAddress, size_bytes: int
    ) -> list[tuple[SparseMemory, int, tuple[int, int]]]:
        """Return the stores that contain an object, up to where its memory ends."""
        try:
            return self._target.lowered(start.where, start.address, size_bytes)
        except Unavailable:
            pass
        parts: list[tuple[SparseMemory, int, tuple[int, int]]] = []
        least, most = 0, size_bytes  # bytes that are there, and that are not
        while most - least > 1:
            middle = (least + most) // 2
            try:
                parts = self._target.lowered(start.where, start.address, middle)
                least = middle
            except Unavailable:
                most = middle
        return parts

    def _register_bytes(self, start: RegisterOffset, size_bytes: int) -> bytes:
        wave, first = self._waves[start.wave], start.offset_bytes
        data = contents(wave, start.register)
        if data is None:  # the wave does not have it
            return b""
        known = written_bits(wave, start.register.name, len(data))
        part = slice(first, first + size_bytes)
        return _known_contents(data[part], known[part])

    def _memory_bytes(self, watched: WatchedRange) -> bytes:
        address, size_bytes = watched.begin, watched.end - watched.begin
        if watched.wave is not None:
            own = self._waves[watched.wave].own_scratch
            assert own is not None  # which `StateTarget.lowered` has found
            return _bytes_of(own, address, size_bytes)
        if watched.workgroup is None:
            return self._global_bytes(address, size_bytes)
        of_group = (w for w in self._machine.waves if w.wave.workgroup == watched.workgroup)
        return _bytes_of(next(of_group).lds, address, size_bytes)

    def _global_bytes(self, address: int, size_bytes: int) -> bytes:
        """Return the bytes that are in allocations: nothing can write the others."""
        memory = self._machine.global_memory
        out, position, end = b"", address, address + size_bytes
        while position < end:
            allocation = memory.at(position)
            if allocation is not None:
                count = min(allocation.end, end) - position
                out += _bytes_of(allocation, position, count)
                position += count
            elif memory.source is not None:
                position = memory.source_after(position)
            else:
                after = memory.gap(position)[1]
                position = end if after is None else after
        return out


def _bytes_of(allocation: Allocation, address: int, size_bytes: int) -> bytes:
    """Return bytes of an allocation as `Contents`."""
    first = address - allocation.start
    part = slice(first, first + size_bytes)
    data = allocation.data[part].tobytes()
    written = allocation.written
    known = b"\xff" * size_bytes if written is None else written[part].tobytes()
    return _known_contents(data, known)


def _known_contents(data: bytes, known: bytes) -> bytes:
    """Return bytes as `Contents`; `known` is the mask of their bits that were written."""
    if known.count(0xFF) < len(known):
        data = bytes(map(and_, data, known))
    return data + known
