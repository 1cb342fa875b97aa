"""Waves that had already failed when their state was captured, at an unknown instruction.

Law: the hardware reports a failure at or after the instruction that caused it. Where executing the
instruction at the pc fails for the same reason, that one is it, and is executed again; where it
does not, going on from there would pass over the failure, so that the wave stops until its pc is
set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dwarfgpu.base.records import frozen
from dwarfgpu.machine.simulated.wave_fault import WaveStop
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import StopReason

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.machine.simulated.execution.interpreter import RunningMachine
    from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave
    from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
    from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory


@frozen
class FailedWave:
    """A wave that failed: where, and why."""

    pc: int
    reason: StopReason
    text: str
    """The message of the stop when the wave is resumed at that pc."""


class FailedWaves:
    """Stops these waves (`dwarfgpu.machine.simulated.execution.observers.Observer`)."""

    def __init__(self, failed: Mapping[WaveId, FailedWave]) -> None:
        self._failed = dict(failed)

    def pc_was_set(self, wave: WaveId) -> None:
        """Forget the failure of a wave whose pc the user has set, even to the same value."""
        self._failed.pop(wave, None)

    def before(self, wave: WaveMemory, step: Step) -> None:
        failed = self._failed.get(wave.wave.id)
        if failed is not None:
            raise WaveStop(failed.reason, failed.text)

    def access(self, wave: WaveMemory, access: Access) -> None:
        pass

    def after(self, wave: WaveMemory, step: Step) -> None:
        pass


def fails_at_pc(machine: RunningMachine, wave: SimulatedWave, reason: StopReason) -> bool:
    """Execute the next instruction of a wave, and return whether that fails for a reason.

    One that cannot be executed, because something is not known or not simulated, may be it: the
    wave does not continue from there either.
    """
    from dwarfgpu.machine.simulated.unknown.unknown_contents import UnknownContents

    machine.observe(UnknownContents(machine))
    try:
        machine.execute_next(wave)
    except WaveStop as stop:
        return stop.reason in (reason, StopReason.UNAVAILABLE, StopReason.NOT_SIMULATED)
    return wave.is_halted and reason is StopReason.FATAL_HALT
