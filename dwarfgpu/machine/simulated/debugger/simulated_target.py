"""A simulated machine as debuggers run it: start, step, resume, and why its waves stopped.

`simulated_waves` is what they read and write. NumPy is needed only from the start on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.arguments import integer, require, wrong_type
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.machine.run_control import Halt, Watch
from dwarfgpu.machine.simulated.debugger.simulated_waves import SimulatedWaves
from dwarfgpu.machine.simulated.debugger.stopped_waves import (
    signal_halt,
    watchpoint_halt,
)
from dwarfgpu.machine.simulated.debugger.watched_objects import WatchedObjects
from dwarfgpu.machine.simulated.execution.interrupts import interrupts
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import StopReason

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.isa.instruction import Instruction
    from dwarfgpu.machine.simulated.debugger.failed_waves import FailedWaves
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine, Stopped
    from dwarfgpu.machine.simulated.execution.observers import Observer
    from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
    from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory

_OBSERVES: Final = ("before", "access", "after")
"""The methods of an `Observer`, whose module imports NumPy."""
_STACK_POINTER: Final = 32
"""s32 by the calling convention (AMDGPU usage, "Non-Kernel Functions")."""


class SimulatedTarget(SimulatedWaves):
    """A dispatch that can be started, as often as one likes."""

    def __init__(
        self,
        state: StateTarget,
        begin: Callable[[], RunningMachine] | None = None,
        adopt: Callable[[StateTarget], RunningMachine] | None = None,
        fill: int | None = None,
    ) -> None:
        """`begin` makes the machine as it is before the first instruction; None for a state, which
        has no beginning. `adopt` makes it from the registers and the memory of a state; None where
        one is attached. `fill`: as that of a state, by default the state's."""
        super().__init__(state, fill)
        self._begin, self._adopt = begin, adopt
        self._only_wave: WaveId | None = None
        self._call: tuple[WaveId, tuple[int, int]] | None = None
        """The call that a step has not finished: its wave, and the pc and stack pointer there."""
        self._progress: Callable[[int], None] | None = None
        self._observers: tuple[Observer, ...] = ()
        self._watched = WatchedObjects()

    def start(self) -> Halt:
        """Make a new machine."""
        if self._begin is None:
            raise UsageError('A state cannot be started from the beginning: use "continue".')
        machine = self._begin()
        self.attach(machine)
        return self._halt(Halt("end-stepping-range", machine.waves[0].wave.id))

    def kill(self) -> Halt:
        """End all waves (`dwarfgpu.machine.run_control.Kills`)."""
        if self._running is None:
            raise UsageError("The program is not being run.")
        for wave in self._running.waves:
            wave.is_ended = True
        self.stop += 1
        return Halt("exited")

    @names_wrong_arguments
    def attach(self, machine: RunningMachine, failed: FailedWaves | None = None) -> None:
        """Show a machine as it is, wherever its waves are; `failed`: those that cannot continue
        at their pc."""
        from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine

        require("machine", machine, RunningMachine)
        _require_observers("failed", () if failed is None else (failed,))
        self._running = machine
        self._failed = failed
        self._by_id = {wave.wave.id: wave for wave in machine.waves}
        self._memories = {}
        from dwarfgpu.machine.simulated.debugger.debugger_memory import (
            RunningMemory,  # it imports NumPy
        )

        # What is not writable is in files.
        writable = [item for item in machine.global_memory.allocations if item.is_writable]
        self._memories["", None] = RunningMemory("", writable, machine.global_memory)
        for wave in machine.waves:
            group = self.workgroups.get(wave.wave.id, wave.wave.id)
            if wave.lds.contents and ("local", group) not in self._memories:
                self._memories["local", group] = RunningMemory("local", [wave.lds])
            if wave.own_scratch is not None:
                name = "private_wave"
                self._memories[name, wave.wave.id] = RunningMemory(name, [wave.own_scratch])
        self.stop += 1

    def _machine_to_run(self) -> RunningMachine:
        """Return the machine, made of the state if it is only that yet, as it is now."""
        if self._running is None:
            if self._adopt is None:
                raise UsageError("The program is not being run: start it, or attach a machine.")
            self.attach(self._adopt(self))
        assert self._running is not None
        return self._running

    @contextmanager
    def locked_to(self, wave: WaveId | None) -> Iterator[None]:
        """Run one wave alone (`dwarfgpu.machine.run_control.LocksWaves`)."""
        self._only_wave = wave
        try:
            yield
        finally:
            self._only_wave = None

    @contextmanager
    def reporting(self, progress: Callable[[int], None] | None) -> Iterator[None]:
        """Report how far a run is (`dwarfgpu.machine.run_control.ReportsProgress`)."""
        if progress is not None and not callable(progress):
            raise wrong_type("progress", progress, "a function or None")
        self._progress = progress
        try:
            yield
        finally:
            self._progress = None

    @contextmanager
    def interrupts(self) -> Iterator[None]:
        """Let Ctrl-C stop the machine (`dwarfgpu.machine.run_control.Interruptible`)."""
        machine = self._machine_to_run()
        with interrupts(machine.interrupt):
            yield
        machine.interrupted(machine.waves[0])  # by one that came after the last instruction

    @contextmanager
    def _resuming(self) -> Iterator[RunningMachine]:
        """Yield the machine, whose waves have no reason to be stopped any longer; Ctrl-C waits."""
        machine = self._machine_to_run()
        for wave in machine.waves:
            wave.stop_reason, wave.stop_lanes = None, ()
        self.stop += 1
        machine.is_locked = self._only_wave is not None
        machine.progress = self._progress
        self._observe(machine)
        with interrupts(machine.interrupt):
            yield machine

    @names_wrong_arguments
    def watch(self, watches: Sequence[Watch]) -> None:
        """Set what is watched: `dwarfgpu.machine.run_control.Watches`."""
        for watch in watches:
            require("watches", watch, Watch)
        self._watched.watches = watches

    @property
    def observers(self) -> tuple[Observer, ...]:
        """Who observes the waves besides what a debugger needs."""
        return self._observers

    def observe(self, *observers: Observer) -> None:
        """Set `observers`."""
        _require_observers("observers", observers)
        self._observers = observers
        if self._running is not None:
            self._observe(self._running)

    def _observe(self, machine: RunningMachine) -> None:
        """Have the watchpoints observe the waves."""
        observers: list[Observer] = [] if self._failed is None else [self._failed]
        if machine.global_memory.is_partial and self.fill is None:
            from dwarfgpu.machine.simulated.unknown.unknown_contents import (
                UnknownContents,
                is_all_known,
            )

            observers += [] if is_all_known(machine) else [UnknownContents(machine)]
        watchpoints = self._watched.observer(self, machine)
        observers += [] if watchpoints is None else [watchpoints]
        machine.observe(*observers, *self._observers)

    def step_instruction(self, wave: WaveId) -> Halt:
        """Execute one instruction; at a barrier, the others run until it continues."""
        return self.step_range(wave, 0, 0, frozenset(), over_calls=False)

    @names_wrong_arguments
    def step_range(
        self,
        wave: WaveId,
        begin: int,
        end: int,
        addresses: frozenset[int],
        *,
        over_calls: bool,
    ) -> Halt:
        """Step through ranges (`dwarfgpu.machine.run_control.StepsRanges`)."""
        self._machine_to_run()
        self.architecture_of(wave)
        addresses = _addresses(addresses)
        begin, end = integer("begin", begin), integer("end", end)
        self._call = None
        with self._resuming() as machine:
            running = self._by_id[wave]
            try:
                while not running.is_ended:
                    may_call = over_calls and not running.is_waiting
                    is_call = may_call and machine.is_at_call(running)
                    before = running.pc, running.s[_STACK_POINTER]
                    stopped = machine.step(running, addresses)
                    if stopped is None and is_call:
                        stopped = machine.run_until_return(running, before, addresses)
                        self._call = None if stopped is None else (wave, before)
                    stopped = stopped or machine.interrupted(running)
                    if stopped is not None:
                        return self.halt_of(stopped)
                    if running.pc in addresses:
                        return self._halt(Halt("breakpoint-hit", wave))
                    if not begin <= running.pc < end:
                        break
            except WaveStop as stop:
                return self._signalled(running, stop.reason, stop.text, stop.lanes)
            return self._went_on(machine, running)

    @names_wrong_arguments
    def resume_call(self, wave: WaveId, addresses: frozenset[int]) -> Halt | None:
        """Let a call go on (`dwarfgpu.machine.run_control.ResumesCalls`)."""
        wave, addresses = integer("wave", wave), _addresses(addresses)
        if self._call is None or self._call[0] != wave:
            return None
        with self._resuming() as machine:
            running = self._by_id[wave]
            try:
                stopped = machine.run_until_return(running, self._call[1], addresses)
            except WaveStop as stop:
                return self._signalled(running, stop.reason, stop.text, stop.lanes)
            if stopped is not None:
                return self.halt_of(stopped)
            self._call = None
            return self._went_on(machine, running)

    def leave(self, wave: WaveId) -> None:
        """Leave a breakpoint (`dwarfgpu.machine.run_control.LeavesBreakpoints`)."""
        self._machine_to_run()
        self.architecture_of(wave)
        self._by_id[wave].leave_breakpoint()

    def resume(self, addresses: frozenset[int]) -> Halt:
        """Let all waves run."""
        stopped = self.run_on(addresses)
        if stopped is not None:
            return self.halt_of(stopped)
        assert self._running is not None
        return self._went_on(self._running, None)

    @names_wrong_arguments
    def run_on(self, addresses: frozenset[int], most: int | None = None) -> Stopped | None:
        """Let all waves run until one stops; None where they have ended, or have executed that many
        instructions since the machine was made."""
        addresses = _addresses(addresses)
        if most is not None:
            most = integer("most", most)
        with self._resuming() as machine:
            if self._only_wave is None:
                return machine.run(most, addresses)
            self.architecture_of(self._only_wave)
            return machine.run_alone(self._by_id[self._only_wave], addresses)

    @property
    def global_memory(self) -> GlobalMemory:
        """Global memory of the machine; errors as of making it."""
        return self._machine_to_run().global_memory

    @property
    def instructions(self) -> int:
        """What the waves have executed since the machine was made."""
        return 0 if self._running is None else self._running.instructions

    def instructions_of(self, wave: WaveId) -> int:
        """Return the number of instructions that a wave has executed, also after its end."""
        self.architecture_of(wave)
        return self._by_id[wave].instructions if wave in self._by_id else 0

    def instruction_of(self, wave: WaveId) -> Instruction | None:
        """Return the instruction at the pc of a wave of the running machine; None if there is
        none."""
        self.architecture_of(wave)
        if self._running is None:
            return None
        return self._running.program.instruction_at(self._by_id[wave].stop_pc)

    # Stops.

    def _halt(self, halt: Halt) -> Halt:
        """Report a stop: the wave is not stopped again for being where it is."""
        if halt.wave is not None:
            self._by_id[halt.wave].leave_breakpoint()
        return halt

    @names_wrong_arguments
    def halt_of(self, stopped: Stopped) -> Halt:
        """Return why the waves stopped, in the terms of debuggers."""
        if stopped.is_inserted:
            return self._halt(Halt("breakpoint-hit", stopped.wave.wave.id))
        number = stopped.wave.wave.id
        if stopped.watchpoints:
            return self._watch_halt(stopped)
        if stopped.reason is StopReason.WAITING:
            halt = signal_halt(number, stopped.reason, stopped.text, stopped.lanes)
        else:
            halt = self._signalled(stopped.wave, stopped.reason, stopped.text, stopped.lanes)
        return self._halt(evolve(halt, barriers=stopped.barriers))

    def _watch_halt(self, stopped: Stopped) -> Halt:
        """Return the halt of a watchpoint that was hit, or whose function has returned; of a wave
        that ended by that, the next one is in focus."""
        wave: SimulatedWave | None = stopped.wave
        if stopped.wave.is_ended:
            assert self._running is not None
            wave = self._running.next_wave()
        if wave is None:
            return Halt("exited", exit_code=0)
        in_calls = self._watched.in_calls(stopped.watchpoints)
        return self._halt(watchpoint_halt(wave.wave.id, stopped, in_calls))

    def _went_on(self, machine: RunningMachine, wave: SimulatedWave | None) -> Halt:
        """Return the halt at the end of a step: of another wave, where that one has no next
        instruction."""
        next_wave = machine.next_wave() if wave is None or wave.is_ended else wave
        if next_wave is None:
            return Halt("exited", exit_code=0)
        return self._halt(Halt("end-stepping-range", next_wave.wave.id))

    def _signalled(
        self, wave: SimulatedWave, reason: StopReason, text: str, lanes: Sequence[int]
    ) -> Halt:
        wave.stop_reason, wave.stop_lanes = reason, tuple(sorted(lanes))
        return self._halt(signal_halt(wave.wave.id, reason, text, lanes))


def _require_observers(name: str, observers: Sequence[object]) -> None:
    """Raise `WrongType` for what cannot observe waves, before any of them runs."""
    for observer in observers:
        if not all(callable(getattr(observer, verb, None)) for verb in _OBSERVES):
            raise wrong_type(name, observer, "Observer")


def _addresses(addresses: frozenset[int]) -> frozenset[int]:
    """Return breakpoints; `WrongType` for what is none, which no pc would ever equal."""
    return frozenset([integer("addresses", address) for address in addresses])
