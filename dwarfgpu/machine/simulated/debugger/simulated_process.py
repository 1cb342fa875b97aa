"""Waves of several processors and CPU threads in one process; only the waves run.

Law: what happens is a function of the state and the seed. The waves of a processor have turns of as
many instructions as one turn of each of them has; a stop does not change whose turn it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from dwarfgpu.arch.amdgpu import GLOBAL
from dwarfgpu.base.argument_types import names_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import require
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import Unavailable, UsageError
from dwarfgpu.machine.forwarding_target import ForwardingByWave
from dwarfgpu.machine.run_control import Halt, Watch, WatchedBytes
from dwarfgpu.machine.simulated.debugger.simulated_target import SimulatedTarget
from dwarfgpu.machine.simulated.execution.rounds import Rounds
from dwarfgpu.machine.state.register_bytes import RegisterBytes
from dwarfgpu.machine.target import MemoryAddress, PartlyKnown, RegisterOffset, WaveId
from dwarfgpu.machine.topology import Machine
from dwarfgpu.model.storage import Memory

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.isa.instruction import Instruction
    from dwarfgpu.machine.simulated.execution.interpreter import Stopped
    from dwarfgpu.machine.simulated.execution.observers import Observer
    from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory

TURN: Final = 1 << 12
"""Instructions of each wave of a processor before those of another one run."""


class _Turns(Rounds[SimulatedTarget]):
    """The turns of processors: those that have waves."""

    end: int | None = None
    """The end of the turn, in instructions of its machine; None before the turn begins."""

    def can_go_on(self, candidate: SimulatedTarget) -> bool:
        return bool(candidate.waves)

    def end_turn(self) -> None:
        self.end = None
        super().end_turn()


class SimulatedProcess(ForwardingByWave[SimulatedTarget | PartlyKnown]):
    """Machines that share global memory, one for each processor and size of waves."""

    def __init__(
        self, machines: Sequence[SimulatedTarget], host: PartlyKnown | None = None, seed: int = 0
    ) -> None:
        """`host`: the threads of the CPU, which have all other numbers; `seed`: of the order of
        turns."""
        self.machines = tuple(machines)
        self._of_wave = {wave: machine for machine in machines for wave in machine.waves}
        self._host = host
        self._turns = _Turns(seed)
        self._only_wave: WaveId | None = None

    def target_of(self, wave: WaveId | None) -> SimulatedTarget | PartlyKnown:
        """Return the target that owns a wave or thread; for None, the one for process memory."""
        machine = self.machines[0] if wave is None else self._machine_of(wave)
        if machine is not None:
            return machine
        if self._host is None:
            raise Unavailable(f"wave {wave} does not exist")
        return self._host

    def _machine_of(self, wave: WaveId) -> SimulatedTarget | None:
        try:
            return self._of_wave.get(wave)
        except TypeError:
            require_right_arguments(SimulatedProcess._machine_of, self, wave)
            raise

    def _running(self, wave: WaveId) -> SimulatedTarget:
        machine = self._machine_of(wave)
        if machine is None:
            raise UsageError(f"Cannot run: thread {wave} is of the CPU; only waves are simulated.")
        return machine

    # What is there: the waves that have not ended.

    @property
    def stop(self) -> int:
        host = 0 if self._host is None else self._host.stop
        return host + sum(machine.stop for machine in self.machines)

    @property
    def waves(self) -> Mapping[WaveId, Mapping[str, RegisterBytes]]:
        """The known registers of each wave that has not ended."""
        return {
            wave: registers
            for machine in self.machines
            for wave, registers in machine.waves.items()
        }

    @property
    def model(self) -> Machine:
        """The topology (`dwarfgpu.machine.target.Modelled`)."""
        models = [machine.model for machine in self.machines]
        return evolve(
            models[0],
            dispatches={n: item for model in models for n, item in model.dispatches.items()},
            workgroups={n: item for model in models for n, item in model.workgroups.items()},
            waves={n: item for model in models for n, item in model.waves.items()},
        )

    def target_id(self, wave: WaveId, lane: int | None = None) -> str:
        machine = self._machine_of(wave)
        return f"Thread {wave}" if machine is None else machine.target_id(wave, lane)

    def used_lanes(self, wave: WaveId) -> int | None:
        machine = self._machine_of(wave)
        return None if machine is None else machine.used_lanes(wave)

    def has_ended(self, wave: WaveId) -> bool:
        """Return whether a wave has ended (`dwarfgpu.machine.target.EndsWaves`)."""
        machine = self._machine_of(wave)
        return machine is not None and machine.has_ended(wave)

    # Memory.

    def memory_of(self, where: Memory) -> tuple[SimulatedTarget, Memory]:
        """Return the machine that has a memory, and the memory as it sees it: threads of a CPU have
        global memory only."""
        require("where", where, Memory)
        machine = self.target_of(where.wave)
        if isinstance(machine, SimulatedTarget):
            return machine, where
        first = self.machines[0]
        return first, Memory(first.architecture.address_space(GLOBAL))

    def forget_memory(self, where: Memory, address: int, size_bytes: int) -> None:
        """Forget memory (`dwarfgpu.machine.target.ForgetsMemory`)."""
        machine, storage = self.memory_of(where)
        machine.forget_memory(storage, address, size_bytes)

    # Running.

    @contextmanager
    def locked_to(self, wave: WaveId | None) -> Iterator[None]:
        """Run one wave alone (`dwarfgpu.machine.run_control.LocksWaves`)."""
        self._only_wave = wave
        try:
            with ExitStack() as stack:
                for machine in self.machines:
                    has_wave = self._of_wave.get(wave or 0) is machine
                    stack.enter_context(machine.locked_to(wave if has_wave else None))
                yield
        finally:
            self._only_wave = None

    @contextmanager
    def reporting(self, progress: Callable[[int], None] | None) -> Iterator[None]:
        """Report the instructions of all (`dwarfgpu.machine.run_control.ReportsProgress`)."""

        def report(_: int) -> None:
            if progress is not None:
                progress(self.instructions)

        with ExitStack() as stack:
            for machine in self.machines:
                stack.enter_context(machine.reporting(None if progress is None else report))
            yield

    @property
    def global_memory(self) -> GlobalMemory:
        """Global memory of all machines."""
        return self.machines[0].global_memory

    @property
    def instructions(self) -> int:
        """What all waves have executed."""
        return sum(machine.instructions for machine in self.machines)

    def instructions_of(self, wave: WaveId) -> int:
        """Return the number of instructions that a wave has executed, also after its end."""
        return self._running(wave).instructions_of(wave)

    def instruction_of(self, wave: WaveId) -> Instruction | None:
        """Return the instruction at a wave's pc; None if there is none."""
        return self._running(wave).instruction_of(wave)

    @property
    def observers(self) -> tuple[Observer, ...]:
        """Who observes the waves besides what a debugger needs."""
        return self.machines[0].observers

    def observe(self, *observers: Observer) -> None:
        """Set `observers`."""
        for machine in self.machines:
            machine.observe(*observers)

    @contextmanager
    def interrupts(self) -> Iterator[None]:
        """Let Ctrl-C stop the machine that runs (`dwarfgpu.machine.run_control.Interruptible`)."""
        with ExitStack() as stack:
            for machine in self.machines:
                stack.enter_context(machine.interrupts())
            yield

    def start(self) -> Halt:
        """Raise `UsageError`, because a process from a core file cannot be started."""
        return self.machines[0].start()

    def step_instruction(self, wave: WaveId) -> Halt:
        """Execute one instruction; waves of other processors do not run."""
        return self.step_range(wave, 0, 0, frozenset(), over_calls=False)

    def step_range(
        self,
        wave: WaveId,
        begin: int,
        end: int,
        addresses: frozenset[int],
        *,
        over_calls: bool,
    ) -> Halt:
        """Step through ranges (`dwarfgpu.machine.run_control.StepsRanges`).

        Waves of other processors do not run.
        """
        machine = self._running(wave)
        halt = machine.step_range(wave, begin, end, addresses, over_calls=over_calls)
        return self._went_on() if halt.reason == "exited" else halt

    def resume_call(self, wave: WaveId, addresses: frozenset[int]) -> Halt | None:
        """Let a call go on (`dwarfgpu.machine.run_control.ResumesCalls`)."""
        halt = self._running(wave).resume_call(wave, addresses)
        return self._went_on() if halt is not None and halt.reason == "exited" else halt

    def leave(self, wave: WaveId) -> None:
        """Leave a breakpoint (`dwarfgpu.machine.run_control.LeavesBreakpoints`)."""
        self._running(wave).leave(wave)

    def resume(self, addresses: frozenset[int]) -> Halt:
        """Let all waves run."""
        stopped = self.run_on(addresses)
        if stopped is None:
            return self._went_on()
        halt = self._of_wave[stopped.wave.wave.id].halt_of(stopped)
        return self._went_on() if halt.reason == "exited" else halt

    def run_on(self, addresses: frozenset[int]) -> Stopped | None:
        """Let all waves run until one stops; None where they have ended."""
        if self._only_wave is not None:
            return self._running(self._only_wave).run_on(addresses)
        turns = self._turns
        while (machine := turns.current(lambda: self.machines)) is not None:
            if turns.end is None:
                turns.end = machine.instructions + TURN * len(machine.waves)
            stopped = machine.run_on(addresses, turns.end)
            if stopped is not None:
                return stopped
            turns.end_turn()
        return None

    def _went_on(self) -> Halt:
        """Return the halt when the waves of one processor have ended: the first one of another is
        in focus."""
        waves = [wave for machine in self.machines for wave in machine.waves]
        return Halt("end-stepping-range", waves[0]) if waves else Halt("exited", exit_code=0)

    @names_wrong_arguments
    def watch(self, watches: Sequence[Watch]) -> None:
        """Set what is watched: `dwarfgpu.machine.run_control.Watches`. Global memory is for all
        waves."""
        for watch in watches:
            require("watches", watch, Watch)
        for machine in self.machines:
            watches_here = [self._as_seen_by(machine, watch) for watch in watches]
            machine.watch([watch for watch in watches_here if watch is not None])

    def _as_seen_by(self, machine: SimulatedTarget, watch: Watch) -> Watch | None:
        """Return a watch of another machine, in global memory; None where it is elsewhere."""
        parts: list[WatchedBytes] = []
        for part in watch.bytes:
            start = part.start
            if isinstance(start, RegisterOffset):
                if self._of_wave.get(start.wave) is not machine:
                    return None
                parts.append(part)
                continue
            owner, where = self.memory_of(start.where)
            if owner is machine:
                parts.append(WatchedBytes(MemoryAddress(where, start.address), part.size_bytes))
                continue
            address = owner.global_address(where, start.address, part.size_bytes)
            if address is None:
                return None
            global_memory = Memory(machine.architecture.address_space(GLOBAL))
            parts.append(WatchedBytes(MemoryAddress(global_memory, address), part.size_bytes))
        return evolve(watch, bytes=tuple(parts))
