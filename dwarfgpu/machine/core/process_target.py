"""The threads and the waves of one process as one `Target`.

Law: numbers below the first wave's are threads. Memory without a thread is that of the process.
"""

from __future__ import annotations

from dwarfgpu.arch.model import Apertures, Architecture
from dwarfgpu.base.light_attrs import define
from dwarfgpu.machine.core.gpu.target import GpuTarget
from dwarfgpu.machine.core.target import CoreTarget
from dwarfgpu.machine.state.target import StateTarget
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.machine.topology import Machine
from dwarfgpu.model.storage import Memory


@define(eq=False)
class ProcessTarget:
    """Threads of CPUs and waves of GPUs."""

    host: CoreTarget
    gpu: GpuTarget

    def _of(self, wave: WaveId | None) -> CoreTarget | GpuTarget:
        return self.gpu if wave is not None and wave >= self.gpu.gpu.first else self.host

    @property
    def stop(self) -> int:
        return self.host.stop + self.gpu.stop

    @property
    def model(self) -> Machine:
        """The topology (`dwarfgpu.machine.target.Modelled`)."""
        return self.gpu.model

    def target_id(self, wave: WaveId, lane: int | None = None) -> str:
        machine = self._of(wave)
        return machine.target_id(wave, lane) if isinstance(machine, GpuTarget) else f"Thread {wave}"

    def used_lanes(self, wave: WaveId) -> int | None:
        machine = self._of(wave)
        return machine.used_lanes(wave) if isinstance(machine, GpuTarget) else None

    def faulty_lane(self, wave: WaveId) -> int | None:
        machine = self._of(wave)
        return machine.faulty_lane(wave) if isinstance(machine, GpuTarget) else None

    def lacks_register(self, wave: WaveId, register: RegisterId) -> bool:
        machine = self._of(wave)
        return isinstance(machine, CoreTarget) and machine.lacks_register(wave, register)

    def given_of(self, wave: WaveId) -> StateTarget:
        """Return the values given over the thread or wave."""
        machine = self._of(wave)
        return machine.given_of(wave)

    def architecture_of(self, wave: WaveId) -> Architecture:
        return self._of(wave).architecture_of(wave)

    def apertures_of(self, wave: WaveId) -> Apertures:
        return self._of(wave).apertures_of(wave)

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        return self._of(wave).read_register(wave, register, offset_bytes, size_bytes)

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        self._of(wave).write_register(wave, register, data, offset_bytes)

    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        """Make bytes of a register that was written unknown again."""
        self._of(wave).forget_register(wave, register, offset_bytes, size_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        return self._of(where.wave).read_memory(where, address, size_bytes)

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the known parts of a range that cannot be read whole: offsets in it, and bytes."""
        return self._of(where.wave).known_memory(where, address, size_bytes)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        self._of(where.wave).write_memory(where, address, data)
