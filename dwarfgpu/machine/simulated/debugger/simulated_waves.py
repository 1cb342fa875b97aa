"""The waves, registers and memory of a simulated machine as debuggers read and write them.

Law: from the start on, everything that is read and written is the machine that runs; before, it is
the state just before the first instruction. Waves that ended are gone; memory stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from dwarfgpu.arch.model import Architecture, RegisterInfo
from dwarfgpu.base.argument_types import names_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, contents, plain_integer
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.errors import Unavailable, UsageError, shown
from dwarfgpu.machine.simulated.debugger.debugger_registers import (
    WaveRegisters,
    forget_contents,
    write_contents,
)
from dwarfgpu.machine.simulated.debugger.stopped_waves import stopped_machine
from dwarfgpu.machine.sparse_memory import NOT_WRITTEN, Data, Fill
from dwarfgpu.machine.state.register_bytes import RegisterBytes
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.machine.topology import Machine
from dwarfgpu.model.storage import Memory

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.machine.simulated.debugger.failed_waves import FailedWaves
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
    from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave


class _LiveWaves(Mapping[WaveId, WaveRegisters]):
    """The registers of the waves that have not ended, each made when it is asked for."""

    def __init__(
        self,
        waves: Mapping[WaveId, SimulatedWave],
        allocated: Callable[[WaveId], dict[str, RegisterInfo]],
    ) -> None:
        self._waves, self._allocated = waves, allocated

    def __getitem__(self, wave: WaveId) -> WaveRegisters:
        if self._waves[wave].is_ended:
            raise KeyError(wave)
        return WaveRegisters(self._waves[wave], self._allocated(wave))

    def __iter__(self) -> Iterator[WaveId]:
        return iter([number for number, wave in self._waves.items() if not wave.is_ended])

    def __len__(self) -> int:
        return sum(not wave.is_ended for wave in self._waves.values())


class SimulatedWaves(StateTarget):
    """The state of a dispatch or, once it runs, the machine."""

    def __init__(self, state: StateTarget, fill: int | None = None) -> None:
        """`fill`: as that of a state, by default the state's."""
        fill = state.fill if fill is None else fill
        super().__init__(state.architecture, state.apertures, state.machine, fill)
        self._wave_records, self._machine = state._wave_records, state.machine
        self._registers = state._registers
        self.workgroups, self.wave_apertures = state.workgroups, state.wave_apertures
        self._memories = state._memories
        self._running: RunningMachine | None = None
        self._by_id: dict[WaveId, SimulatedWave] = {}
        """The waves of the machine that runs, ended ones too."""
        self._failed: FailedWaves | None = None
        """Stops the waves that had failed where the machine is from."""
        self._registers_of_dispatch: dict[int | None, dict[str, RegisterInfo]] = {}
        self._topology: tuple[int, Machine] = (-1, self._machine)
        """The machine with the waves that had not ended at a stop."""

    def _live(self) -> Mapping[WaveId, SimulatedWave]:
        return {number: wave for number, wave in self._by_id.items() if not wave.is_ended}

    @property
    def waves(self) -> Mapping[WaveId, Mapping[str, RegisterBytes]]:
        if self._running is None:
            return self._registers
        return _LiveWaves(self._by_id, self._allocated)

    @property
    def machine(self) -> Machine:
        if self._running is None:
            return self._machine
        topology = self._topology
        if topology[0] != self.stop:
            topology = self._topology = self.stop, stopped_machine(self._machine, self._live())
        return topology[1]

    def _exists(self, wave: WaveId) -> bool:
        return wave in (self._registers if self._running is None else self._by_id)

    def _why_no_wave(self, wave: WaveId) -> str:
        if self._running is None:
            return super()._why_no_wave(wave)
        return f"wave {shown(wave)} does not exist"

    @names_wrong_arguments
    def has_ended(self, wave: WaveId) -> bool:
        """Return whether a wave has ended (`dwarfgpu.machine.target.EndsWaves`)."""
        return wave in self._by_id and self._by_id[wave].is_ended

    def _wave(self, number: WaveId) -> SimulatedWave:
        """Return a wave that runs; `Unavailable` with GDB's wording where it has ended."""
        if self._by_id[number].is_ended:
            raise Unavailable("No registers.")
        return self._by_id[number]

    @names_wrong_arguments
    def architecture_of_all(self, waves: Sequence[WaveId]) -> Architecture | None:
        if self._running is None:
            return super().architecture_of_all(waves)
        return self.architecture if all(map(self._by_id.__contains__, waves)) else None

    # Registers.

    def _allocated(self, wave: WaveId) -> dict[str, RegisterInfo]:
        """Return the registers that a wave has, by name."""
        architecture, dispatch = self.architecture, self._machine.dispatch_of(wave)
        key = None if dispatch is None else dispatch.id
        if key in self._registers_of_dispatch:
            return self._registers_of_dispatch[key]
        out = self._registers_of_dispatch[key] = {}
        for register in (*architecture.registers.values(), *architecture.other_registers):
            bank, number = register.name[:1], register.name[1:]
            is_counted = dispatch is not None and is_decimal(number)
            count = dispatch.registers_of(bank) if dispatch is not None and is_counted else None
            if count is None or int(number) < count:
                out[register.name] = register
        return out

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        if self._running is None:
            return super().read_register(wave, register, offset_bytes, size_bytes)
        try:
            start, size = plain_integer(offset_bytes), plain_integer(size_bytes)
            return self._known_bytes(wave, register, start, size)
        except FOREIGN:
            require_right_arguments(
                StateTarget.read_register, self, wave, register, offset_bytes, size_bytes
            )
            raise

    def _why_unknown(self) -> str:
        """Return why a register has no contents: of a machine without `fill`, because the state
        from which it runs has none."""
        return super()._why_unknown() if self.fill is None else NOT_WRITTEN

    def _register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, end: int
    ) -> RegisterBytes | None:
        if self._running is None:
            return super()._register(wave, register, offset_bytes, end)
        self._require_inside(wave, register, offset_bytes, end)
        self._require_allocated(wave, register)
        return WaveRegisters(self._wave(wave), {register.name: register}).get(register.name)

    @names_wrong_arguments
    def set_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        data: bytes,
        offset_bytes: int = 0,
        mask: bytes | None = None,
    ) -> None:
        if self._running is None:
            super().set_register(wave, register, data, offset_bytes, mask)
            return
        data = contents("data", data)
        if mask is not None and mask != b"\xff" * len(data):
            raise UsageError(f"bits of {register.name} of a running machine cannot be unknown")
        stored = self._register(wave, register, offset_bytes, offset_bytes + len(data))
        if stored is None:
            raise UsageError(f"{register.name} of a running machine cannot be written")
        write_contents(self._wave(wave), register, offset_bytes, data)
        if register.name == "pc" and self._failed is not None:
            self._failed.pc_was_set(wave)

    @names_wrong_arguments
    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        if self._running is None:
            super().forget_register(wave, register, offset_bytes, size_bytes)
            return
        self._require_inside(wave, register, offset_bytes, offset_bytes + size_bytes)
        forget_contents(self._wave(wave), register, offset_bytes, size_bytes)

    def forget_memory(self, where: Memory, address: int, size_bytes: int) -> None:
        """Forget memory (`dwarfgpu.machine.target.ForgetsMemory`)."""
        from dwarfgpu.machine.simulated.debugger.debugger_memory import (
            RunningMemory,  # it imports NumPy
        )

        for store, start, (_, count) in self.lowered(where, address, size_bytes):
            if isinstance(store, RunningMemory):
                store.forget(start, count)

    @names_wrong_arguments
    def set_memory(self, where: Memory, address: int, data: Data) -> None:
        if self._running is None:
            super().set_memory(where, address, data)
            return
        data = data.to_bytes() if isinstance(data, Fill) else contents("data", data)
        self.write_memory(where, address, data)

    def global_address(self, where: Memory, address: int, size_bytes: int) -> int | None:
        """Return where an object is in global memory; None where it is elsewhere, or not in one
        place."""
        parts = self.lowered(where, address, size_bytes)
        return parts[0][1] if len(parts) == 1 and not parts[0][0].name else None
