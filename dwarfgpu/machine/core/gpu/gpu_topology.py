"""The waves of a core file in amd-dbgapi's model: agents, queues, dispatches, workgroups.

Law: an id in the file that contradicts its queue makes the dispatch unknown, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.core.gpu import core_state_note
from dwarfgpu.machine.core.gpu.queue_memory import DispatchPacket
from dwarfgpu.machine.core.gpu.wave_status import WaveIds
from dwarfgpu.machine.core.gpu.waves import GpuQueue, GpuWave, GpuWaves
from dwarfgpu.machine.simulated.launch.dispatch_packet import MAX_WORK_ITEMS
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import (
    Agent,
    Barrier,
    Dispatch,
    Geometry,
    Machine,
    Queue,
    Wave,
    Workgroup,
)

_UNRECORDED_BARRIER: Final = Barrier(is_recorded=False)
KernelName = Callable[[int], str | None]
"""The address of a kernel descriptor to the name of the kernel."""


def machine_of(waves: GpuWaves, kernel_name: KernelName) -> Machine:
    """Return everything above the waves, and where each wave belongs. Reads the words of every
    wave."""
    return _Reader(waves, kernel_name).machine()


class _Reader:
    """The objects numbered so far."""

    def __init__(self, waves: GpuWaves, kernel_name: KernelName) -> None:
        self._waves = waves
        self._kernel_name = kernel_name
        self._dispatches: dict[tuple[int, int], Dispatch] = {}
        self._groups: dict[int, Workgroup] = {}
        """Keyed by the number of its first wave."""

    def machine(self) -> Machine:
        waves = self._waves
        agents = {
            number: _agent(number, agent) for number, agent in enumerate(waves.state.agents, 1)
        }
        waves_by_id: dict[WaveId, Wave] = {
            number: self._wave(number, wave) for number, wave in waves.waves.items()
        }
        lanes = max((wave.blocks.lanes for wave in waves.waves.values()), default=64)
        return Machine(
            lanes,
            agents,
            {queue.id: _queue(queue) for queue in waves.queues},
            {dispatch.id: dispatch for dispatch in self._dispatches.values()},
            {group.id: group for group in self._groups.values()},
            waves_by_id,
        )

    def _wave(self, number: WaveId, wave: GpuWave) -> Wave:
        ids = self._waves.ids(wave)
        try:
            reasons = self._waves.hardware(wave).stop_reasons()
        except Unavailable:
            reasons = ()
        group = self._groups.get(wave.leader)
        if group is None:
            group = self._groups[wave.leader] = self._group(wave, ids)
        lanes = wave.blocks.lanes
        return Wave(
            number, group.id, ids.wave_in_group, reasons, wave.number, lanes, _UNRECORDED_BARRIER
        )

    def _group(self, wave: GpuWave, ids: WaveIds) -> Workgroup:
        dispatch = self._dispatch(wave.queue, ids)
        size = None
        if dispatch is not None and dispatch.grid and dispatch.workgroup and ids.position:
            geometry = Geometry(dispatch.grid, dispatch.workgroup, 3)
            counts = zip(ids.position, geometry.counts, strict=True)
            if all(number < count for number, count in counts):
                size = geometry.size_at(ids.position)
        return Workgroup(
            len(self._groups) + 1,
            None if dispatch is None else dispatch.id,
            ids.position,
            size,
            wave.blocks.lds_bytes,
            wave.queue.id,
        )

    def _dispatch(self, queue: GpuQueue, ids: WaveIds) -> Dispatch | None:
        """Return the dispatch of a packet; None if the queue has no such packet."""
        number = None if ids.packet is None else queue.memory.dispatch_id(ids.packet)
        if number is None or ids.packet is None:
            return None
        key = queue.id, number
        dispatch = self._dispatches.get(key)
        if dispatch is None:
            dispatch = Dispatch(len(self._dispatches) + 1, queue.id, number)
            packet = queue.memory.packet(ids.packet)
            if packet is not None:
                dispatch = self._described(dispatch, packet)
            self._dispatches[key] = dispatch
        return dispatch

    def _described(self, dispatch: Dispatch, packet: DispatchPacket) -> Dispatch:
        is_workgroup = packet.possible(packet.workgroup, MAX_WORK_ITEMS)
        return evolve(
            dispatch,
            kernel=self._kernel_name(packet.kernel_object),
            kernel_descriptor=packet.kernel_object,
            grid=packet.grid if packet.possible(packet.grid) else None,
            workgroup=packet.workgroup if is_workgroup else None,
            kernarg=packet.kernarg_address or None,
            completion_signal=packet.completion_signal or None,
            group_bytes=packet.group_bytes,
            private_bytes=packet.private_bytes,
        )


def _agent(number: int, agent: core_state_note.Agent) -> Agent:
    return Agent(
        number,
        agent.lds_base,
        agent.scratch_base,
        agent.processor,
        agent.gpu_id,
        agent.simd_count,
        agent.simd_count * agent.max_waves_per_simd,
        agent.location,
    )


def _queue(queue: GpuQueue) -> Queue:
    memory = queue.memory
    return Queue(
        queue.id,
        queue.agent_id,
        memory.object_address,
        queue.entry.ring_base_address,
        queue.entry.ring_size,
        memory.read_id,
        memory.write_id,
        queue.entry.queue_id,
    )
