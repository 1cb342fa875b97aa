"""A simulated machine as debuggers see it: the state of a dispatch, and the power to run.

Law: what is read and written is the machine that runs, from its start on; before, it is the state
just before the first instruction. NumPy is needed only from the start on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from attrs import evolve

from dwarfgpu.arch.model import RegisterInfo
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.simulated.faults import StopReason, WaveStop
from dwarfgpu.machine.sparse_memory import SparseMemory
from dwarfgpu.machine.state.target import RegisterBytes, StateTarget
from dwarfgpu.machine.target import Halt, RegisterId, WaveId
from dwarfgpu.machine.topology import STOP_REASONS

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.machine.simulated.interpreter import RunningMachine, SimulatedWave, Stopped

_SIGNALS: Final = {
    StopReason.MEMORY_VIOLATION: "SIGSEGV",
    StopReason.ADDRESS_ERROR: "SIGBUS",
    StopReason.ILLEGAL_INSTRUCTION: "SIGILL",
    StopReason.NOT_SIMULATED: "SIGILL",
    StopReason.ASSERT_TRAP: "SIGABRT",
    StopReason.FATAL_HALT: "SIGABRT",
    StopReason.INTERRUPTED: "SIGINT",
}
"""ROCgdb's names of stops; all others are SIGTRAP."""
_TTMP: Final = 108
_M0: Final = 124
_FLAT_SCRATCH: Final = 102
_XNACK_MASK: Final = 104
_STACK_POINTER: Final = 32
"""s32 by the call convention (AMDGPU usage, "Non-Kernel Functions")."""


class SimulatedTarget(StateTarget):
    """A dispatch that can be started, as often as one likes."""

    def __init__(self, state: StateTarget, begin: Callable[[], RunningMachine]) -> None:
        """`begin` makes the machine as it is before the first instruction."""
        super().__init__(state.architecture, state.apertures, state.machine)
        self._places, self.machine = state._places, state.machine
        self._registers = state.waves
        self.workgroups, self.wave_apertures = state.workgroups, state.wave_apertures
        self._memories = state._memories
        self._begin = begin
        self._running: RunningMachine | None = None
        self._stale: set[WaveId] = set()
        """Waves whose registers have changed since they were last shown."""
        self._by_id: dict[WaveId, SimulatedWave] = {}
        self._faulty: set[WaveId] = set()
        """Waves with a stop reason."""

    # The registers of the state, brought up to date when they are looked at.

    @property
    def waves(self) -> dict[WaveId, dict[str, RegisterBytes]]:
        if self._stale:
            for wave in sorted(self._stale):
                self._show(wave)
            self._stale.clear()
        return self._registers

    @waves.setter
    def waves(self, registers: dict[WaveId, dict[str, RegisterBytes]]) -> None:
        self._registers = registers

    def _show(self, number: WaveId) -> None:
        """Make the registers of a wave known as they are now."""
        running = self._by_id[number]
        out: dict[str, RegisterBytes] = {}
        for register in self._known_registers():
            data = _contents(running, register)
            if data is None:
                continue
            stored = out[register.name] = RegisterBytes(len(data))
            stored.data[:] = data
            stored.known[:] = b"\xff" * len(data)
        self._registers[number] = out

    def _known_registers(self) -> list[RegisterInfo]:
        architecture = self.architecture
        [dispatch] = self.machine.dispatches.values()
        out = []
        for register in (*architecture.registers.values(), *architecture.other_registers):
            bank, number = register.name[:1], register.name[1:]
            count = dispatch.registers_of(bank) if number.isdecimal() else None
            if count is None or int(number) < count:
                out.append(register)
        return out

    def set_register(
        self,
        wave: WaveId,
        register: RegisterInfo,
        data: bytes,
        offset_bytes: int = 0,
        mask: bytes | None = None,
    ) -> None:
        super().set_register(wave, register, data, offset_bytes, mask)
        if self._running is not None:
            stored = self.waves[wave][register.name]
            _set_contents(self._by_id[wave], register, bytes(stored.data))

    # Running.

    def start(self) -> Halt:
        """Make the machine anew."""
        return Halt("end-stepping-range", self._started().waves[0].wave.id)

    def _started(self) -> RunningMachine:
        machine = self._running = self._begin()
        self._by_id = {wave.wave.id: wave for wave in machine.waves}
        self._stale = set(self._by_id)
        self._memories = {}
        store = self._memories["", None] = SparseMemory("")
        for allocation in machine.arena.allocations:
            if allocation.is_writable:  # the rest is in files
                store.share(allocation.start, allocation.contents)
        for wave in machine.waves:
            group = self.workgroups.get(wave.wave.id, wave.wave.id)
            if wave.lds.contents and ("local", group) not in self._memories:
                local = self._memories["local", group] = SparseMemory("local")
                local.share(0, wave.lds.contents)
        self._goes_on()
        return machine

    def _machine(self) -> RunningMachine:
        return self._running or self._started()

    def step_instruction(self, wave: WaveId) -> Halt:
        """Execute one instruction; at a barrier, the others run until it goes on."""
        machine = self._machine()
        running = self._by_id[wave]
        self._goes_on()
        if running.is_ended:
            return self._went_on(machine, running)
        try:
            stopped = machine.step_past_barriers(running)
        except WaveStop as stop:
            return self._signalled(wave, stop.reason, stop.text)
        finally:
            self._stale |= machine.take_changed()
        if stopped is not None:
            return self._halt_of(stopped)
        return self._went_on(machine, running)

    def step_range(
        self,
        wave: WaveId,
        begin: int,
        end: int,
        addresses: frozenset[int],
        *,
        over_calls: bool,
    ) -> Halt:
        """As in `dwarfgpu.machine.target.StepsRanges`."""
        machine = self._machine()
        running = self._by_id[wave]
        self._goes_on()
        try:
            while not running.is_ended:
                is_call = over_calls and machine.is_at_call(running)
                before = running.pc, running.s[_STACK_POINTER]
                stopped = machine.step_past_barriers(running)
                if stopped is None and is_call:
                    stopped = machine.run_until_return(running, before, addresses)
                if stopped is not None:
                    return self._halt_of(stopped)
                if running.pc in addresses:
                    return Halt("breakpoint-hit", wave)
                if not begin <= running.pc < end:
                    break
        except WaveStop as stop:
            return self._signalled(wave, stop.reason, stop.text)
        finally:
            self._stale |= machine.take_changed()
        return self._went_on(machine, running)

    def _halt_of(self, stopped: Stopped) -> Halt:
        number = stopped.wave.wave.id
        if stopped.is_inserted:
            return Halt("breakpoint-hit", number)
        return self._signalled(number, stopped.reason, stopped.text)

    def _went_on(self, machine: RunningMachine, wave: SimulatedWave) -> Halt:
        """A step has ended: of another wave, where that one has no next instruction."""
        next_wave = machine.next_wave() if wave.is_ended else wave
        if next_wave is None:
            return Halt("exited", exit_code=0)
        return Halt("end-stepping-range", next_wave.wave.id)

    def resume(self, addresses: frozenset[int]) -> Halt:
        """Let all waves run."""
        machine = self._machine()
        self._goes_on()
        stopped: Stopped | None
        stopped = machine.run(breakpoints=addresses)
        self._stale |= machine.take_changed()
        if stopped is None:
            return Halt("exited", exit_code=0)
        return self._halt_of(stopped)

    def _goes_on(self) -> None:
        """No wave has a reason to be stopped any longer."""
        self.stop += 1
        for number in self._faulty:
            self.place_wave(evolve(self.machine.waves[number], stop_reasons=()))
        self._faulty.clear()

    def _signalled(self, wave: WaveId, reason: StopReason, text: str) -> Halt:
        name = reason.value.lower()
        if name in STOP_REASONS and wave in self.machine.waves:
            self.place_wave(evolve(self.machine.waves[wave], stop_reasons=(name,)))
            self._faulty.add(wave)
        signal = _SIGNALS.get(reason, "SIGTRAP")
        return Halt("signal-received", wave, signal=signal, text=f"{reason.value}, {text}")

    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        if self._running is not None:
            raise UsageError("a register of a machine that runs cannot be unknown")
        super().forget_register(wave, register, offset_bytes, size_bytes)


def _contents(wave: SimulatedWave, register: RegisterInfo) -> bytes | None:
    """The bytes of a register; None for one that is not simulated."""
    name, size = register.name, (register.size_bits + 7) // 8
    bank, digits = name[:1], name[1:]
    if digits.isdecimal():
        if bank == "s":
            return wave.s[int(digits)].to_bytes(4, "little")
        rows = {"v": wave.v, "a": wave.av}.get(bank)
        if rows is not None:
            return rows[int(digits)].tobytes() if int(digits) < len(rows) else None
    if name.startswith("ttmp"):
        return wave.s[_TTMP + int(name[4:])].to_bytes(4, "little")
    numbers = {
        "pc": wave.pc,
        "pc_32": wave.pc & 0xFFFFFFFF,
        "exec": wave.exec,
        "vcc": wave.vcc & (1 << 8 * size) - 1,
        "exec_hi": wave.exec >> 32,
        "vcc_hi": wave.vcc >> 32,
        "m0": wave.s[_M0],
        "mode": wave.mode,
        "scratch_base": wave.scratch_base,
        "flat_scratch": wave.s[_FLAT_SCRATCH] | wave.s[_FLAT_SCRATCH + 1] << 32,
        "xnack_mask": wave.s[_XNACK_MASK] | wave.s[_XNACK_MASK + 1] << 32,
        "status": wave.scc | (not wave.exec) << 9 | (not wave.vcc_of_lanes) << 10,
        "state_priv": wave.scc << 9,
    }
    number = numbers.get(name)
    return None if number is None else (int(number) & (1 << 8 * size) - 1).to_bytes(size, "little")


def _set_contents(wave: SimulatedWave, register: RegisterInfo, data: bytes) -> None:
    """Write all of a register; `UsageError` for one that is not simulated."""
    name, number = register.name, int.from_bytes(data, "little")
    bank, digits = name[:1], name[1:]
    if digits.isdecimal() and bank == "s":
        wave.s[int(digits)] = number
    elif digits.isdecimal() and bank in ("v", "a"):
        rows = wave.v if bank == "v" else wave.av
        for lane in range(wave.lane_count):
            rows[int(digits)][lane] = int.from_bytes(data[4 * lane : 4 * lane + 4], "little")
    elif name == "pc":
        wave.pc = number
    elif name == "exec":
        wave.set_exec(number)
    elif name == "vcc":
        wave.set_vcc(number)
    elif name == "m0":
        wave.s[_M0] = number
    elif name == "mode":
        wave.set_mode(number)
    elif name in ("status", "state_priv"):
        wave.scc = number >> (9 if name == "state_priv" else 0) & 1
    else:
        raise UsageError(f"{name} of a machine that runs cannot be written")
