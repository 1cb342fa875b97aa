"""Why the waves of a simulated machine stopped, and which are there, in the terms of debuggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from dwarfgpu.base.records import evolve
from dwarfgpu.machine.run_control import Halt
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import STOP_REASONS, Machine, StopReason, Wave

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.machine.simulated.execution.interpreter import Stopped
    from dwarfgpu.machine.simulated.execution.simulated_wave import SimulatedWave

_SIGNALS: Final = {
    StopReason.MEMORY_VIOLATION: "SIGSEGV",
    StopReason.ADDRESS_ERROR: "SIGBUS",
    StopReason.ILLEGAL_INSTRUCTION: "SIGILL",
    StopReason.NOT_SIMULATED: "SIGILL",
    StopReason.ASSERT_TRAP: "SIGABRT",
    StopReason.FATAL_HALT: "SIGABRT",
    StopReason.INTERRUPTED: "SIGINT",
    StopReason.UNAVAILABLE: "SIGTRAP",
}
"""ROCgdb's names of stops; all others are SIGTRAP. A wave that waits receives none."""


def signal_halt(wave: WaveId, reason: StopReason, text: str, lanes: Sequence[int]) -> Halt:
    """Return the halt of a wave that stopped for a reason; `lanes`: those that did."""
    return Halt(
        "signal-received",
        wave,
        signal=None if reason is StopReason.WAITING else _SIGNALS.get(reason, "SIGTRAP"),
        stop_reason=reason.value,
        text=text,
        lanes=tuple(lanes),
    )


def watchpoint_halt(wave: WaveId, stopped: Stopped, in_calls: tuple[tuple[int, int], ...]) -> Halt:
    """Return the halt of a watchpoint that was hit, or whose function has returned."""
    is_scope = stopped.text == "scope"
    return Halt(
        "watchpoint-scope" if is_scope else "watchpoint-trigger",
        wave,
        watchpoints=stopped.watchpoints,
        in_calls=in_calls,
        watch_lanes=stopped.watch_lanes,
    )


def stopped_machine(before: Machine, live: Mapping[WaveId, SimulatedWave]) -> Machine:
    """Return the waves that have not ended, and the workgroups and dispatches that have any."""
    waves = {number: _record(wave) for number, wave in live.items()}
    groups = {wave.workgroup for wave in waves.values()}
    workgroups = {n: group for n, group in before.workgroups.items() if n in groups}
    used = {group.dispatch for group in workgroups.values()}
    dispatches = {n: dispatch for n, dispatch in before.dispatches.items() if n in used}
    return evolve(before, waves=waves, workgroups=workgroups, dispatches=dispatches)


def _record(wave: SimulatedWave) -> Wave:
    """Return where a wave belongs, and why it stopped in the words of amd-dbgapi."""
    name = "" if wave.stop_reason is None else wave.stop_reason.value.lower()
    reasons = (name,) if name in STOP_REASONS else ()
    return evolve(wave.wave, stop_reasons=reasons, barrier=wave.barrier, stop_lanes=wave.stop_lanes)
