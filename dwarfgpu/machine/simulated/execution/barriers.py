"""Let the waves of a workgroup leave a barrier, and list the waves that wait at one.

A wave begins to wait in `s_barrier` (`dwarfgpu.machine.simulated.semantics.control_statements`),
for as long as `has_to_wait` of `simulated_wave` says. `interpreter` finds a deadlock, and
`dwarfgpu.service.run.barrier_waits` shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dwarfgpu.machine.run_control import WavesAtBarrier
from dwarfgpu.machine.simulated.execution.simulated_wave import SOPP_BYTES, SimulatedWave


def groups_of(waves: Iterable[SimulatedWave]) -> dict[int | None, list[SimulatedWave]]:
    """Return the waves of each workgroup."""
    out: dict[int | None, list[SimulatedWave]] = {}
    for wave in waves:
        out.setdefault(wave.wave.workgroup, []).append(wave)
    return out


def release(waves: Iterable[SimulatedWave]) -> bool:
    """Release every workgroup whose waves have all signalled its barrier.

    Return whether there is one.
    """
    is_any = False
    for group in groups_of(waves).values():
        is_any |= meet(group)
    return is_any


def at_barriers(waves: Iterable[SimulatedWave]) -> tuple[WavesAtBarrier, ...]:
    """Return, for each workgroup with a wave at a barrier, where all its waves are."""
    out: dict[tuple[str, int], list[int]] = {}
    for wave in waves:
        if not any(member.is_waiting for member in wave.group):
            continue
        if wave.is_ended:
            state, pc = "ended", wave.pc - SOPP_BYTES
        else:
            state, pc = "stopped", wave.stop_pc
        if may_have_signalled(wave):
            state = "waits, may have signalled"
        elif wave.is_waiting:
            state = "waits, has signalled" if wave.signals else "waits, has not signalled"
        out.setdefault((state, pc), []).append(wave.wave.id)
    return tuple(WavesAtBarrier(tuple(numbers), *key) for key, numbers in out.items())


def meet(waves: Sequence[SimulatedWave]) -> bool:
    """Let the waves of a workgroup continue if all have signalled the barrier; return whether they
    have."""
    running = [wave for wave in waves if not wave.is_ended]
    if not running or not all(wave.signals for wave in running):
        return False
    for wave in running:
        wave.signals -= 1
        wave.met += not wave.is_waiting
        wave.is_waiting = False
        wave.is_barrier_recorded = True  # one that had signalled before would not have done so
    return True


def may_have_signalled(wave: SimulatedWave) -> bool:
    """Return whether a wave waits, and has perhaps signalled in the run that left a core file."""
    return wave.is_waiting and not wave.signals and not wave.is_barrier_recorded
