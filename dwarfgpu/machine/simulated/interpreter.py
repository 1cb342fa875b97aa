"""A dispatch that runs: waves with registers and memory, one instruction at a time.

Law: what happens is a function of the code, the memory, the registers and the seed of the schedule;
nothing else. A wave that stops stands before the instruction that it could not execute.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from random import Random
from typing import Final, Literal

import numpy as np

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.isa.binding import operations_of
from dwarfgpu.machine.simulated.arena import Arena
from dwarfgpu.machine.simulated.compiled_blocks import Block, Blocks
from dwarfgpu.machine.simulated.compiled_instructions import Program, Step
from dwarfgpu.machine.simulated.faults import StopReason, WaveStop, trap
from dwarfgpu.machine.simulated.hardware_registers import (
    read_hardware_register,
    write_hardware_register,
)
from dwarfgpu.machine.simulated.observers import Observer
from dwarfgpu.machine.simulated.rounding import EXCEPTIONS_AT, SATURATES_F16
from dwarfgpu.machine.simulated.statements import PLAIN_MODE, StepMode
from dwarfgpu.machine.simulated.wave_memory import Access, WaveMemory
from dwarfgpu.machine.topology import Wave

STACK_POINTER: Final = 32
"""s32 by the call convention (AMDGPU usage, "Non-Kernel Functions")."""
_ALWAYS_SINCE_GFX12: Final = 0x300
QUANTUM: Final = 1 << 12
"""Instructions of a wave before another one has its turn, behind the next one that may branch."""
Executor = Literal["precise", "block"]
"""One instruction at a time, or consecutive ones in one function: what they leave is the same."""


class SimulatedWave(WaveMemory):
    """A wave with what it needs of its machine."""

    def __init__(
        self,
        wave: Wave,
        lane_count: int,
        vgprs: int,
        agprs: int,
        arena: Arena,
        fill: int | None = None,
    ) -> None:
        super().__init__(wave, lane_count, vgprs, agprs, arena, fill)
        self.is_halted = False
        self.step_mode = PLAIN_MODE
        self.signals = 0
        """Of the barrier of its workgroup, which it has not met."""
        self.met = 0
        """Barriers that are met before it has waited for them."""
        self.group: list[SimulatedWave] = [self]
        """The waves of its workgroup."""
        self.has_ieee_mode = True
        """Whether MODE has IEEE, DX10_CLAMP and EXCP_EN: up to GFX11."""
        self.stop_reason: StopReason | None = None
        """Why the wave cannot continue; None if it can."""
        self.reported_pc: int | None = None
        """Where the debugger last reported the wave: a breakpoint there is not hit again."""

    @property
    def clock(self) -> int:
        """The counter of clocks: instructions that the wave has executed."""
        return self.instructions

    def trap(self, number: int) -> None:
        raise trap(number)

    def halt(self, is_halted: int) -> None:
        self.is_halted = bool(is_halted)

    def set_mode(self, value: int) -> None:
        """Write MODE."""
        self.mode = value
        self.step_mode = step_mode(self.step_mode.indexed, self._relevant(value))

    def _relevant(self, mode: int) -> int:
        """MODE with the bits that GFX12 has no longer: there IEEE and DX10_CLAMP are always on, and
        TRAP_CTRL enables exceptions."""
        return mode if self.has_ieee_mode else mode & 0x8000FF | _ALWAYS_SINCE_GFX12

    def index(self, indexed: int) -> None:
        """Execute `s_set_gpr_idx_on` or off."""
        self.step_mode = step_mode(indexed, self._relevant(self.mode))

    def hardware_register(self, name: str, mask: int) -> int:
        """What `s_getreg_b32` reads; `WaveStop` for bits that are not simulated."""
        return read_hardware_register(self, name, mask, self.clock)

    def write_hardware_register(self, name: str, mask: int, value: int) -> None:
        """What `s_setreg_b32` writes: the bits of the mask; `WaveStop` as of reading."""
        if name == "MODE":
            self.set_mode(self.mode & ~mask | value & mask)
        else:
            write_hardware_register(self, name, mask, value)

    def signal(self) -> None:
        """Execute `s_barrier_signal` of the barrier of the workgroup."""
        self.signals += 1

    def is_first_to_signal(self) -> int:
        """Whether no other wave of the workgroup has signalled the barrier."""
        return int(not any(wave.signals for wave in self.group))

    def has_to_wait(self) -> bool:
        """Execute `s_barrier_wait`: whether the barrier is still to be met."""
        if not self.met:
            return True
        self.met -= 1
        return False


@cache
def step_mode(indexed: int, value: int) -> StepMode:
    """The one object for the bits of MODE that instructions depend on ("MODE" in AMD's ISA
    documents)."""
    rounding = (
        value & 0xF | (value >> 23 & 1) * SATURATES_F16 | (value >> 12 & 0x7F) << EXCEPTIONS_AT
    )
    mode = StepMode(indexed, value >> 4 & 0xF, rounding, bool(value & 1 << 9), bool(value & 1 << 8))
    return _modes.setdefault(mode, mode)


_modes: Final[dict[StepMode, StepMode]] = {PLAIN_MODE: PLAIN_MODE}


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


def _locked(wave: SimulatedWave) -> Stopped:
    text = "waits at a barrier for waves that scheduler-locking stops"
    return Stopped(wave, StopReason.WAITING, text)


def _at_breakpoint(wave: SimulatedWave) -> Stopped:
    return Stopped(wave, StopReason.BREAKPOINT, "breakpoint", is_inserted=True)


@contextmanager
def interrupts(machine: RunningMachine) -> Iterator[None]:
    """Let Ctrl-C stop a machine between two instructions, where that is possible."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: machine.interrupt())
    try:
        yield
    finally:
        if before is not None:  # None: a handler that Python did not set
            signal.signal(signal.SIGINT, before)


class RunningMachine:
    """The waves of a dispatch with their memory."""

    def __init__(self, arena: Arena, program: Program, lane_count: int, seed: int = 0) -> None:
        self.arena = arena
        self.program = program
        self.lane_count = lane_count
        self.seed = seed
        self.waves: list[SimulatedWave] = []
        self.instructions = 0
        """Of all waves."""
        self.observers: tuple[Observer, ...] = ()
        self.is_locked = False
        """Whether a wave that waits at a barrier waits although others could run."""
        self.progress: Callable[[int], None] | None = None
        """Called after each turn with the number of instructions."""
        self.executor: Executor = "block"
        self._rounds = 0
        self._round: list[SimulatedWave] = []
        """Waves that still have a turn; the first one has it now."""
        self._used = 0
        """Instructions that the first one has executed in its turn."""
        self._is_turn_over = False
        self._is_interrupted = False

    @property
    def program(self) -> Program:
        """The code that the waves execute."""
        return self._program

    @program.setter
    def program(self, program: Program) -> None:
        self._program = program
        self._blocks = Blocks(program)

    def groups(self) -> dict[int | None, list[SimulatedWave]]:
        """The waves of each workgroup."""
        out: dict[int | None, list[SimulatedWave]] = {}
        for wave in self.waves:
            out.setdefault(wave.wave.workgroup, []).append(wave)
        return out

    def observe(self, *observers: Observer) -> None:
        """Set who observes the waves; without arguments, nothing does."""
        self.observers = observers
        for wave in self.waves:
            wave.on_access = partial(self._accessed, wave) if observers else None

    def _accessed(self, wave: SimulatedWave, access: Access) -> None:
        for observer in self.observers:
            observer.access(wave, access)

    def step(self, wave: SimulatedWave) -> Stopped | None:
        """Execute one instruction of a wave; `WaveStop` before it where that is not possible.

        Return why an observer stops the machine after it.
        """
        before = wave.instructions
        stopped = self._step(wave)
        self.instructions += wave.instructions - before
        return stopped

    def _step(self, wave: SimulatedWave) -> Stopped | None:
        pc = wave.pc
        wave.reported_pc = None
        step = self.program.step_at(pc, wave.step_mode)
        for observer in self.observers:
            observer.before(wave, step)
        wave.pc = step.next_pc
        try:
            with np.errstate(all="ignore", invalid="raise"):
                self._execute(step, wave)
        except WaveStop:
            wave.pc = pc
            raise
        wave.instructions += 1
        stops = [observer.after(wave, step) for observer in self.observers]
        stop = next(filter(None, stops), None)
        if stop is None:
            return None
        return Stopped(wave, stop.reason, stop.text, watchpoints=stop.watchpoints)

    def _execute(self, step: Step, wave: SimulatedWave) -> None:
        try:
            step.execute(wave)
        except FloatingPointError:
            self._execute_carefully(step, wave)

    def _execute_carefully(self, step: Step, wave: SimulatedWave) -> None:
        """Once more what has made a NaN: nothing was written yet."""
        with np.errstate(all="ignore"):
            self.program.careful(step, wave.step_mode)(wave)

    def interrupt(self) -> None:
        """Stop a run at the next boundary of instructions; for signal handlers."""
        self._is_interrupted = True

    def interrupted(self, wave: SimulatedWave) -> Stopped | None:
        """The stop that `interrupt` asked for, once."""
        if not self._is_interrupted:
            return None
        self._is_interrupted = False
        return Stopped(wave, StopReason.INTERRUPTED, "interrupted")

    def next_wave(self) -> SimulatedWave | None:
        """The first wave that has not ended."""
        return next((wave for wave in self.waves if not wave.is_ended), None)

    def step_past_barriers(
        self, wave: SimulatedWave, breakpoints: frozenset[int] = frozenset()
    ) -> Stopped | None:
        """Execute one instruction of a wave; while it waits at a barrier, the others run first."""
        with np.errstate(all="ignore", invalid="raise"):
            while wave.is_waiting and not self._release():
                ready = [other for other in self.waves if not (other.is_ended or other.is_waiting)]
                if not ready:
                    return self._deadlock()
                if self.is_locked:
                    return _locked(wave)
                for other in ready:
                    stopped = self._run_wave(other, breakpoints)
                    if stopped is not None:
                        return stopped
        return self.step(wave)

    def is_at_call(self, wave: SimulatedWave) -> bool:
        """Return whether the next instruction of a wave calls a function; `WaveStop` as of
        `step`."""
        encoding = self.program.step_at(wave.pc).instruction.encoding
        return any("call" in operation.flags for operation in operations_of(encoding))

    def run_until_return(
        self, wave: SimulatedWave, before: tuple[int, int], breakpoints: frozenset[int]
    ) -> Stopped | None:
        """Run a wave that has called a function until that returns.

        `before`: its pc and stack pointer at the call. `WaveStop` where it cannot go on.
        """
        pc, stack_pointer = before
        behind = self.program.step_at(pc).next_pc
        while not wave.is_ended:
            if wave.pc == behind and wave.s[STACK_POINTER] == stack_pointer:
                return None
            if wave.pc in breakpoints:
                return _at_breakpoint(wave)
            stopped = self.step_past_barriers(wave, breakpoints) or self.interrupted(wave)
            if stopped is not None:
                return stopped
        return None

    def run(
        self, most: int | None = None, breakpoints: frozenset[int] = frozenset()
    ) -> Stopped | None:
        """Run until all waves have ended (None), one cannot go on, one is at a breakpoint where it
        was not reported before, or all have executed so many instructions since the start (None).

        A stop does not change whose turn it is: what happens is the same without it.
        """
        with interrupts(self), np.errstate(all="ignore", invalid="raise"):
            while (wave := self._whose_turn()) is not None:
                remaining = None if most is None else most - self.instructions
                if remaining is not None and remaining <= 0:
                    return None
                before, quantum = wave.instructions, QUANTUM - self._used
                self._is_turn_over = False
                stopped = self._run_wave(wave, breakpoints, quantum, remaining)
                self._used += wave.instructions - before
                if self._is_turn_over:
                    self._end_turn()
                if self.progress is not None:
                    self.progress(self.instructions)
                stopped = stopped or self.interrupted(wave)
                if stopped is not None:
                    return stopped
        return self._deadlock()

    def run_alone(self, wave: SimulatedWave, breakpoints: frozenset[int]) -> Stopped | None:
        """Run one wave and no other until it has ended (None), or as of `run`."""
        with interrupts(self), np.errstate(all="ignore", invalid="raise"):
            while not wave.is_ended:
                if wave.is_waiting and not self._release():
                    return _locked(wave)
                stopped = self._run_wave(wave, breakpoints) or self.interrupted(wave)
                if self.progress is not None:
                    self.progress(self.instructions)
                if stopped is not None:
                    return stopped
        return None

    def _run_wave(
        self,
        wave: SimulatedWave,
        breakpoints: frozenset[int],
        quantum: int = QUANTUM,
        most: int | None = None,
    ) -> Stopped | None:
        """A turn of a wave, or the rest of it; it does not stop where it was reported."""
        is_leaving = wave.pc == wave.reported_pc
        wave.reported_pc = None
        before = wave.instructions
        if self.observers:
            run = self._run_observed
        else:
            run = self._run_steps if self.executor == "precise" else self._run_blocks
        try:
            stopped = run(wave, breakpoints, is_leaving, quantum, most)
        finally:
            self.instructions += wave.instructions - before
        if stopped is None and wave.is_halted:
            return Stopped(wave, StopReason.FATAL_HALT, "s_sethalt")
        return stopped

    def _run_steps(
        self,
        wave: SimulatedWave,
        breakpoints: frozenset[int],
        is_leaving: bool,
        quantum: int,
        most: int | None,
    ) -> Stopped | None:
        """One instruction at a time, up to the first after the quantum that may go elsewhere."""
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
                    self._execute_carefully(step, wave)
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
            return Stopped(wave, stop.reason, stop.text, stop.lanes)

    def _run_observed(
        self,
        wave: SimulatedWave,
        breakpoints: frozenset[int],
        is_leaving: bool,
        quantum: int,
        most: int | None,
    ) -> Stopped | None:
        """The same with observers."""
        first = wave.instructions
        try:
            while True:
                if wave.pc in breakpoints and not is_leaving:
                    return _at_breakpoint(wave)
                is_leaving = False
                ends_block = self.program.step_at(wave.pc, wave.step_mode).ends_block
                stopped = self._step(wave)
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

    def _run_blocks(
        self,
        wave: SimulatedWave,
        breakpoints: frozenset[int],
        is_leaving: bool,
        quantum: int,
        most: int | None,
    ) -> Stopped | None:
        """The same, a block at a time."""
        mode = wave.step_mode
        blocks = self._blocks.of(mode, breakpoints)
        first = wave.instructions
        while True:
            pc = wave.pc
            if pc in breakpoints and not is_leaving:
                return _at_breakpoint(wave)
            try:
                block = blocks.get(pc) or self._blocks.make(pc, mode, breakpoints)
                executed = wave.instructions - first
                if most is not None and executed + len(block.steps) > most:
                    return self._run_steps(
                        wave, breakpoints, is_leaving, quantum - executed, most - executed
                    )
                is_leaving = False
                if self._execute_block(block, wave):
                    self._is_turn_over = wave.instructions - first >= quantum
                    if self._is_turn_over or self._has_to_wait(wave):
                        return None
                    if wave.step_mode is not mode:
                        mode = wave.step_mode
                        blocks = self._blocks.of(mode, breakpoints)
                elif self._is_interrupted:
                    return None
            except WaveStop as stop:
                return Stopped(wave, stop.reason, stop.text, stop.lanes)

    def _execute_block(self, block: Block, wave: SimulatedWave) -> bool:
        """Execute a block, or what of it is up to an instruction that makes a NaN, and that one.

        Whether a turn may end behind it. `WaveStop` of the instruction where the wave is then.
        """
        try:
            block.execute(wave)
        except (FloatingPointError, WaveStop) as error:
            reached = block.reached(error.__traceback__)
            step = block.steps[reached]
            wave.instructions += reached
            wave.pc = step.instruction.address
            if isinstance(error, WaveStop):
                raise
        else:
            wave.instructions += len(block.steps)
            return block.ends_turn
        wave.pc = step.next_pc
        try:
            self._execute_carefully(step, wave)
        except WaveStop:
            wave.pc = step.instruction.address
            raise
        wave.instructions += 1
        return step.ends_block

    def _has_to_wait(self, wave: SimulatedWave) -> bool:
        """Whether a wave cannot go on now, or nothing shall."""
        return wave.is_ended or wave.is_waiting or wave.is_halted or self._is_interrupted

    def _whose_turn(self) -> SimulatedWave | None:
        """The wave that goes on; None where none can.

        A round has one turn of each wave; it is shuffled by the seed and its number.
        """
        while True:
            while self._round:
                wave = self._round[0]
                if not (wave.is_ended or wave.is_waiting):
                    return wave
                self._end_turn()
            self._release()
            ready = [wave for wave in self.waves if not (wave.is_ended or wave.is_waiting)]
            if not ready:
                return None
            if self.seed:
                Random(self.seed << 32 | self._rounds).shuffle(ready)
            self._rounds += 1
            self._round = ready

    def _end_turn(self) -> None:
        self._used = 0
        self._round.pop(0)

    def _release(self) -> bool:
        """Let waves go on all of whose workgroup have signalled the barrier; whether there are
        any."""
        is_any = False
        for waves in self.groups().values():
            running = [wave for wave in waves if not wave.is_ended]
            if running and all(wave.signals for wave in running):
                for wave in running:
                    wave.signals -= 1
                    wave.met += not wave.is_waiting
                    wave.is_waiting = False
                is_any = True
        return is_any

    def _deadlock(self) -> Stopped | None:
        waiting = [wave for wave in self.waves if wave.is_waiting]
        if not waiting:
            return None
        return Stopped(waiting[0], StopReason.FATAL_HALT, "waits at a barrier that is never met")
