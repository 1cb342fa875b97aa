"""Waves of a core file that had failed: they stop again before they execute anything.

Law: the hardware reports a failure at or after the instruction that caused it, so executing from
there would pass over it. A wave whose pc was set goes on from the new place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dwarfgpu.machine.simulated.faults import StopReason, WaveStop
from dwarfgpu.machine.target import WaveId

if TYPE_CHECKING:
    from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
    from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory


class Failures:
    """Observes the waves (`dwarfgpu.machine.simulated.execution.observers.Observer`)."""

    def __init__(self, failed: Mapping[WaveId, tuple[int, StopReason]]) -> None:
        """`failed`: where waves are, and why they had stopped."""
        self._failed = dict(failed)

    def before(self, wave: WaveMemory, step: Step) -> None:
        where = self._failed.get(wave.wave.id)
        if where is None:
            return
        pc, reason = where
        if step.instruction.address == pc:
            raise WaveStop(reason, "the wave had failed in the core file; set $pc to go on")
        del self._failed[wave.wave.id]

    def access(self, wave: WaveMemory, access: Access) -> None:
        pass

    def after(self, wave: WaveMemory, step: Step) -> None:
        pass
