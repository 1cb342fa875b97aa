"""The threads and the waves of one process as one `Target`.

Law: numbers below the first wave's are threads. Memory without a thread is that of the process.
"""

from __future__ import annotations

from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.base.arguments import FOREIGN
from dwarfgpu.base.records import define
from dwarfgpu.machine.core.core_target import CoreTarget
from dwarfgpu.machine.core.gpu.gpu_target import GpuTarget
from dwarfgpu.machine.forwarding_target import ForwardingByWave
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.machine.topology import Machine


@define(eq=False)
class ProcessTarget(ForwardingByWave[CoreTarget | GpuTarget]):
    """Threads of CPUs and waves of GPUs."""

    host: CoreTarget
    gpu: GpuTarget

    def target_of(self, wave: WaveId | None) -> CoreTarget | GpuTarget:
        try:
            return self.gpu if wave is not None and wave >= self.gpu.gpu.first else self.host
        except FOREIGN:
            require_right_arguments(ProcessTarget.target_of, self, wave)
            raise

    @property
    def stop(self) -> int:
        return self.host.stop + self.gpu.stop

    @property
    def model(self) -> Machine:
        """The topology (`dwarfgpu.machine.target.Modelled`)."""
        return self.gpu.model

    def target_id(self, wave: WaveId, lane: int | None = None) -> str:
        machine = self.target_of(wave)
        return machine.target_id(wave, lane) if isinstance(machine, GpuTarget) else f"Thread {wave}"

    def used_lanes(self, wave: WaveId) -> int | None:
        machine = self.target_of(wave)
        return machine.used_lanes(wave) if isinstance(machine, GpuTarget) else None

    def faulty_lane(self, wave: WaveId) -> int | None:
        machine = self.target_of(wave)
        return machine.faulty_lane(wave) if isinstance(machine, GpuTarget) else None

    def thread_local_block(self, wave: WaveId, path: str, thread_pointer: int) -> int | None:
        machine = self.target_of(wave)
        if not isinstance(machine, CoreTarget):
            return None
        return machine.thread_local_block(wave, path, thread_pointer)

    def thread_local_module(self, path: str) -> int | None:
        return self.host.thread_local_module(path)

    def lacks_register(self, wave: WaveId, register: RegisterId) -> bool:
        machine = self.target_of(wave)
        return isinstance(machine, CoreTarget) and machine.lacks_register(wave, register)

    def can_execute(self, wave: WaveId, address: int) -> bool | None:
        machine = self.target_of(wave)
        return machine.can_execute(wave, address) if isinstance(machine, CoreTarget) else None

    def given_of(self, wave: WaveId) -> StateTarget:
        """Return the values given over the thread or wave."""
        machine = self.target_of(wave)
        return machine.given_of(wave)
