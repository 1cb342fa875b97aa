"""Run a dispatch: waves with registers and memory, one instruction at a time.

Law: what happens is a function of the code, the memory, the registers and the seed of the schedule;
nothing else. The pc of a wave that stops is that of the instruction that it could not execute.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Literal, NamedTuple

import numpy as np

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import LimitExceeded, counted
from dwarfgpu.isa.binding import operations_of
from dwarfgpu.machine.run_control import WavesAtBarrier
from dwarfgpu.machine.simulated.execution.access_stamps import Unordered
from dwarfgpu.machine.simulated.execution.barriers import (
    at_barriers,
    groups_of,
    may_have_signalled,
    release,
)
from dwarfgpu.machine.simulated.execution.interrupts import interrupts
from dwarfgpu.machine.simulated.execution.lockstep import MIN_WAVES, run_together
from dwarfgpu.machine.simulated.execution.observers import Observer, SelectiveObserver
from dwarfgpu.machine.simulated.execution.schedule import Schedule
from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
from dwarfgpu.machine.simulated.execution.wave_execution import WaveExecution
from dwarfgpu.machine.simulated.semantics.compiled_instructions import Program
from dwarfgpu.machine.simulated.storage.global_memory import GlobalMemory
from dwarfgpu.machine.simulated.storage.wave_memory import Access
from dwarfgpu.machine.simulated.storage.written_registers import define_all
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.topology import StopReason

STACK_POINTER: Final = 32
"""s32 by the calling convention (AMDGPU usage, "Non-Kernel Functions")."""
Executor = Literal["precise", "block", "lockstep"]
"""One instruction at a time, consecutive ones in one function, or many waves together: all
leave the same state."""


@frozen
class Stopped:
    """Why a machine stopped before all of its waves ended."""

    wave: SimulatedWave
    reason: StopReason
    text: str
    lanes: tuple[int, ...] = ()
    is_inserted: bool = False
    """A breakpoint of the debugger, not one of the program."""
    watchpoints: tuple[int, ...] = ()
    """Their numbers: the wave stopped after an instruction, and can continue."""
    watch_lanes: tuple[tuple[int, ...], ...] = ()
    """The lanes that accessed what each of them watches."""
    barriers: tuple[WavesAtBarrier, ...] = ()
    """The waves at an unmet barrier, if that is the reason."""


def _locked(wave: SimulatedWave) -> Stopped:
    text = "waits at a barrier for waves that scheduler-locking does not run"
    return Stopped(wave, StopReason.WAITING, text, barriers=at_barriers(wave.group))


def _at_breakpoint(wave: SimulatedWave) -> Stopped:
    return Stopped(wave, StopReason.BREAKPOINT, "breakpoint", is_inserted=True)


class _Share(NamedTuple):
    """What a wave executes at once."""

    wave: SimulatedWave
    breakpoints: frozenset[int]
    is_leaving: bool
    """Whether the wave ignores a breakpoint at its current pc."""
    quantum: int
    """The number of instructions after which the share ends at the next possible branch."""
    most: int | None
    """The number of instructions after which the share ends anywhere."""

    def rest(self, executed: int) -> _Share:
        """Return the share that remains after some instructions; the first of them has left the
        breakpoint."""
        return self._replace(
            is_leaving=self.is_leaving and not executed,
            quantum=self.quantum - executed,
            most=None if self.most is None else self.most - executed,
        )


class _Observed(WaveStop):
    """Observers have to see the instruction that is about to access memory."""


class RunningMachine:
    """The waves of a dispatch with their memory."""

    def __init__(
        self,
        global_memory: GlobalMemory,
        program: Program,
        lane_count: int,
        seed: int = 0,
        *,
        executor: Executor = "lockstep",
        progress: Callable[[int], None] | None = None,
        keeps_ended: bool = True,
        most_register_bytes: int | None = None,
    ) -> None:
        """`keeps_ended`: waves that have ended keep their registers, which nothing but the caller
        reads then; if not, `most_register_bytes` is the most that vector registers of waves that
        have begun one after the other may take, `LimitExceeded` beyond."""
        self.global_memory = global_memory
        self.program = program
        self.lane_count = lane_count
        self.schedule = Schedule(seed)
        self.waves: list[SimulatedWave] = []
        self.instructions = 0
        """The number of instructions of all waves."""
        self.observers: tuple[Observer, ...] = ()
        self._selective: tuple[SelectiveObserver, ...] = ()
        """The observers, where none of them has to see every instruction."""
        self.is_locked = False
        """Whether a wave that waits at a barrier waits although others could run."""
        self.progress = progress
        """Called after each turn with the number of instructions."""
        self.executor: Executor = executor
        """The most that is used where nothing else needs less."""
        self._keeps_ended = keeps_ended
        self._most_register_bytes = most_register_bytes
        self._begun: set[SimulatedWave] = set()
        """Waves that have begun one after the other and not ended."""
        self.unordered: Unordered | None = None
        """Accesses for which the order of waves may matter, where a run together has seen some."""
        self._is_ordered = False
        """Whether the order of waves is known to matter."""
        self._is_turn_over = False
        self._is_interrupted = False

    @property
    def program(self) -> Program:
        """The code that the waves execute."""
        return self._execution.program

    @program.setter
    def program(self, program: Program) -> None:
        self._execution = WaveExecution(program)

    def groups(self) -> dict[int | None, list[SimulatedWave]]:
        """Return the waves of each workgroup."""
        return groups_of(self.waves)

    def define_all(self) -> None:
        """Take what is undefined as defined, with the contents that it has."""
        for wave in self.waves:
            define_all(wave)
        for allocation in self.global_memory.allocations:
            allocation.written = None

    def observe(self, *observers: Observer) -> None:
        """Set who observes the waves; without arguments, nothing does."""
        self.observers = observers
        selective = tuple(one for one in observers if isinstance(one, SelectiveObserver))
        self._selective = selective if len(selective) == len(observers) else ()
        for wave in self.waves:
            wave.on_access = partial(self._accessed, wave) if observers else None

    def _accessed(self, wave: SimulatedWave, access: Access) -> None:
        for observer in self.observers:
            observer.access(wave, access)

    def step(
        self, wave: SimulatedWave, breakpoints: frozenset[int] = frozenset()
    ) -> Stopped | None:
        """Execute one instruction of a wave when it has its turn: waves that a run would execute
        before it run first, and may stop at breakpoints. A barrier is executed when it is met.

        Return why the machine stops; None after the instruction.
        """
        has_begun_to_wait = wave.is_waiting
        if not has_begun_to_wait:
            stopped = self._until_turn(wave, breakpoints) or self._turn(wave, frozenset(), 1)
            if stopped is not None or not wave.is_waiting or self._is_interrupted:
                return stopped
        return self._until_turn(wave, breakpoints)

    def execute_next(self, wave: SimulatedWave) -> Stopped | None:
        """Execute one instruction of a wave, also out of its turn; `WaveStop` before it where that
        is not possible.

        Return why an observer stops the machine after it.
        """
        pc = wave.pc
        wave.reported_pc = None
        step = self.program.step_at(pc, wave.step_mode)
        for observer in self.observers:
            observer.before(wave, step)
        wave.pc = step.next_pc
        try:
            with np.errstate(all="ignore", invalid="raise"):
                self._execution.execute(step, wave)
        except WaveStop:
            wave.pc = pc
            raise
        wave.instructions += 1
        stops = [observer.after(wave, step) for observer in self.observers]
        stop = next(filter(None, stops), None)
        if stop is None:
            return None
        numbers, lanes = stop.watchpoints, stop.watch_lanes
        return Stopped(wave, stop.reason, stop.text, watchpoints=numbers, watch_lanes=lanes)

    def interrupt(self) -> None:
        """Stop a run at the next boundary of instructions; for signal handlers."""
        self._is_interrupted = True

    def interrupted(self, wave: SimulatedWave) -> Stopped | None:
        """Return the stop that `interrupt` requested, once."""
        if not self._is_interrupted:
            return None
        self._is_interrupted = False
        return Stopped(wave, StopReason.INTERRUPTED, "between two instructions")

    def next_wave(self) -> SimulatedWave | None:
        """Return the first wave that has not ended."""
        return next((wave for wave in self.waves if not wave.is_ended), None)

    def is_at_call(self, wave: SimulatedWave) -> bool:
        """Return whether the next instruction of a wave calls a function; `WaveStop` as of
        `step`."""
        encoding = self.program.step_at(wave.pc).instruction.encoding
        return any("call" in operation.flags for operation in operations_of(encoding))

    def run_until_return(
        self, wave: SimulatedWave, before: tuple[int, int], breakpoints: frozenset[int]
    ) -> Stopped | None:
        """Run until the function returns that a wave has called; others run as of `step`.

        `before`: its pc and stack pointer at the call.
        """
        pc, stack_pointer = before
        behind = self.program.step_at(pc).next_pc
        while not wave.is_ended:
            if wave.pc == behind and wave.s[STACK_POINTER] == stack_pointer:
                return None
            stopped = self._until_turn(wave, breakpoints)
            if stopped is not None:
                return stopped
            if wave.pc == behind and behind not in breakpoints:  # a deeper call has returned
                wave.reported_pc = behind
            stopped = self._turn(wave, breakpoints | {behind})
            is_behind = stopped is not None and stopped.is_inserted and wave.pc == behind
            if not is_behind or behind in breakpoints:
                stopped = stopped or self.interrupted(wave)
                if stopped is not None:
                    return stopped
        return None

    def run(
        self, most: int | None = None, breakpoints: frozenset[int] = frozenset()
    ) -> Stopped | None:
        """Run until all waves have ended (None), one cannot continue, one is at a breakpoint where
        it was not reported before, or all have executed that many instructions since the start
        (None).

        A stop does not change whose turn it is: what happens is the same without it.
        """
        with interrupts(self.interrupt):
            if most is None and not breakpoints and self._can_run_together():
                self._run_together()
            while (wave := self.schedule.whose_turn(self.waves)) is not None:
                remaining = None if most is None else most - self.instructions
                if remaining is not None and remaining <= 0:
                    return None
                stopped = self._turn(wave, breakpoints, remaining) or self.interrupted(wave)
                if stopped is not None:
                    return stopped
        return self._deadlock()

    def run_alone(self, wave: SimulatedWave, breakpoints: frozenset[int]) -> Stopped | None:
        """Run one wave and no other until it has ended (None), or as of `run`."""
        with interrupts(self.interrupt):
            while not wave.is_ended:
                stopped = (
                    self._until_turn(wave, breakpoints)
                    or self._turn(wave, breakpoints)
                    or self.interrupted(wave)
                )
                if stopped is not None:
                    return stopped
        return None

    def _until_turn(self, wave: SimulatedWave, breakpoints: frozenset[int]) -> Stopped | None:
        """Run other waves until it is the turn of a wave; with `is_locked`, it always is."""
        if self.is_locked and not (wave.is_waiting and not release(self.waves)):
            return None
        while (next_wave := self.schedule.whose_turn(self.waves)) is not wave:
            if next_wave is None:
                return self._deadlock()
            if self.is_locked:
                return _locked(wave)
            stopped = self._turn(next_wave, breakpoints) or self.interrupted(next_wave)
            if stopped is not None:
                return stopped
        return None

    def _turn(
        self, wave: SimulatedWave, breakpoints: frozenset[int], most: int | None = None
    ) -> Stopped | None:
        """Run what remains of the turn of a wave, or some instructions of it."""
        has_turn = self.schedule.has_turn(wave)
        before = wave.instructions
        if not before:
            self._begin(wave)
        self._is_turn_over = False
        with np.errstate(all="ignore", invalid="raise"):
            quantum = self.schedule.remaining(wave)
            stopped = self._run_wave(wave, breakpoints, quantum, most)
        self._after(wave)
        if has_turn:
            self.schedule.spend(wave.instructions - before, is_over=self._is_turn_over)
        if self.progress is not None:
            self.progress(self.instructions)
        return stopped

    def _begin(self, wave: SimulatedWave) -> None:
        """Note that a wave begins to run; `LimitExceeded` for the registers of too many."""
        self._begun.add(wave)
        most, count = self._most_register_bytes, len(self._begun)
        if most is not None and count * wave.register_bytes > most:
            raise LimitExceeded(
                f"{counted(count, 'wave')} that have begun and not ended, each with "
                f"{wave.register_bytes} bytes of vector registers: at most {most} bytes are kept",
                "--max-state-bytes",
            )

    def _after(self, wave: SimulatedWave) -> None:
        """Remove the registers of a wave if it has ended and nothing reads them."""
        if wave.is_ended and not self._keeps_ended:
            self._begun.discard(wave)
            wave.end_registers()

    def _can_run_together(self) -> bool:
        if self.executor != "lockstep" or self.observers or self._is_ordered:
            return False
        if self.program.decoded:  # waves may change it
            return False
        running = sum(not wave.is_ended for wave in self.waves)
        return running >= MIN_WAVES and not self.program.tracks_writes

    def _run_together(self) -> None:
        """Run all waves to their end, if their order does not matter."""
        waves = [wave for wave in self.waves if not wave.is_ended]
        with np.errstate(all="ignore", invalid="raise"):
            is_over = run_together(
                waves,
                self.global_memory,
                self._execution,
                lambda: self._is_interrupted,
                self.progress,
                self._at_conflict,
                keeps_ended=self._keeps_ended,
            )
        for wave in waves if is_over and not self._keeps_ended else ():
            wave.end_registers()
        self._is_ordered = not is_over
        self.instructions = sum(wave.instructions for wave in self.waves)

    def _at_conflict(self, accesses: Unordered) -> None:
        self.unordered = accesses

    def _run_wave(
        self,
        wave: SimulatedWave,
        breakpoints: frozenset[int],
        quantum: int,
        most: int | None,
    ) -> Stopped | None:
        """Run as many instructions of a wave, and up to where a turn may end; at most `most`. It
        does not stop where it was reported."""
        is_leaving = wave.pc == wave.reported_pc
        wave.reported_pc = None
        before = wave.instructions
        run = self._run_steps if self.executor == "precise" else self._run_blocks
        if self.observers:
            run = self._run_selected if self._is_selective(wave) else self._run_observed
        try:
            stopped = run(_Share(wave, breakpoints, is_leaving, quantum, most))
        finally:
            self.instructions += wave.instructions - before
        if stopped is None and wave.is_halted:
            return Stopped(wave, StopReason.FATAL_HALT, "s_sethalt")
        return stopped

    def _is_selective(self, wave: SimulatedWave) -> bool:
        """Return whether observers see some instructions of a wave and not all."""
        observers = self._selective if self.executor != "precise" else ()
        return bool(observers) and not any(observer.follows(wave) for observer in observers)

    def _run_steps(self, share: _Share) -> Stopped | None:
        """Run one instruction at a time."""
        wave, breakpoints, is_leaving, quantum, most = share
        mode = wave.step_mode
        steps, step_at = self.program.steps_of(mode), self.program.step_at
        pc = wave.pc
        first = wave.instructions
        try:
            while True:
                pc = wave.pc
                if pc in breakpoints and not is_leaving:
                    return _at_breakpoint(wave)
                is_leaving = False
                step = steps.get(pc) or step_at(pc, mode)
                wave.pc = step.next_pc
                try:
                    step.execute(wave)
                except FloatingPointError:
                    self._execution.execute_carefully(step, wave)
                wave.instructions += 1
                executed = wave.instructions - first
                if step.ends_block:
                    self._is_turn_over = executed >= quantum
                    if self._is_turn_over or self._has_to_wait(wave):
                        return None
                    if wave.step_mode is not mode:
                        mode = wave.step_mode
                        steps = self.program.steps_of(mode)
                if executed == most:
                    return None
        except WaveStop as stop:
            wave.pc = pc
            return self._stopped(wave, stop)

    def _run_observed(self, share: _Share) -> Stopped | None:
        """Return the same with observers."""
        wave, breakpoints, is_leaving, quantum, most = share
        first = wave.instructions
        try:
            while True:
                if wave.pc in breakpoints and not is_leaving:
                    return _at_breakpoint(wave)
                is_leaving = False
                ends_block = self.program.step_at(wave.pc, wave.step_mode).ends_block
                stopped = self.execute_next(wave)
                executed = wave.instructions - first
                self._is_turn_over = ends_block and executed >= quantum
                if stopped is not None:
                    return stopped
                if self._is_turn_over or ends_block and self._has_to_wait(wave):
                    return None
                if executed == most:
                    return None
        except WaveStop as stop:
            return Stopped(wave, stop.reason, stop.text, stop.lanes)

    def _run_selected(self, share: _Share) -> Stopped | None:
        """Run as `_run_observed` does, in blocks up to an instruction that observers have to
        see."""

        def require_none(access: Access) -> None:
            if any(observer.concerns(share.wave, access) for observer in self._selective):
                raise _Observed(StopReason.WATCHPOINT, "an observed access")

        wave = share.wave
        first, on_access = wave.instructions, wave.on_access
        while True:
            wave.on_access = require_none
            try:
                return self._run_blocks(share.rest(wave.instructions - first))
            except _Observed:
                rest = share.rest(wave.instructions - first)
            finally:
                wave.on_access = on_access
            # Blocks begin at breakpoints: one of this instruction was reported or left.
            stopped = self._run_observed(
                rest._replace(breakpoints=frozenset(), is_leaving=True, most=1)
            )
            if stopped is not None or self._is_turn_over or self._has_to_wait(wave):
                return stopped

    def _run_blocks(self, share: _Share) -> Stopped | None:
        """Return the same, a block at a time."""
        wave, breakpoints, is_leaving, quantum, most = share
        mode = wave.step_mode
        all_blocks = self._execution.blocks
        blocks = all_blocks.of(mode, breakpoints)
        first = wave.instructions
        while True:
            if wave.instructions - first == most:
                return None
            pc = wave.pc
            if pc in breakpoints and not is_leaving:
                return _at_breakpoint(wave)
            try:
                block = blocks.get(pc)
                executed = wave.instructions - first
                if most is not None:
                    # A block that would go too far is not compiled.
                    steps = block.steps if block else all_blocks.steps(pc, mode, breakpoints)
                    if executed + len(steps) > most:
                        return self._run_steps(share.rest(executed))
                block = block or all_blocks.make(pc, mode, breakpoints)
                is_leaving = False
                if self._execution.execute_block(block, wave):
                    self._is_turn_over = wave.instructions - first >= quantum
                    if self._is_turn_over or self._has_to_wait(wave):
                        return None
                    if wave.step_mode is not mode:
                        mode = wave.step_mode
                        blocks = all_blocks.of(mode, breakpoints)
                elif self._is_interrupted:
                    return None
            except WaveStop as stop:
                return self._stopped(wave, stop)

    @staticmethod
    def _stopped(wave: SimulatedWave, stop: WaveStop) -> Stopped:
        if isinstance(stop, _Observed):
            raise stop
        return Stopped(wave, stop.reason, stop.text, stop.lanes)

    def _has_to_wait(self, wave: SimulatedWave) -> bool:
        """Return whether a wave cannot continue now, or none may."""
        return wave.is_ended or wave.is_waiting or wave.is_halted or self._is_interrupted

    def _deadlock(self) -> Stopped | None:
        waiting = [wave for wave in self.waves if wave.is_waiting]
        if not waiting:
            return None
        text = "waits at a barrier that not all waves reach"
        if any(map(may_have_signalled, waiting)):
            text = "waits at a barrier; the core file does not record which waves have signalled it"
        return Stopped(waiting[0], StopReason.FATAL_HALT, text, barriers=at_barriers(self.waves))
