"""Describe the failed waves of a core file in the terms of debuggers.

`wave_status` decodes the stop reasons of a wave. Law: a wave that was stopped only for the dump did
not fail. The order of waves is kept.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.core.gpu.waves import GpuWave, GpuWaves
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.topology import STOP_REASONS

_OF_DEBUGGER: Final = frozenset({"breakpoint", "watchpoint", "single_step", "debug_trap"})
FAULTS: Final = frozenset(STOP_REASONS) - _OF_DEBUGGER
"""Stop reasons of a wave that failed."""
SIGNALS: Final = {"memory_violation": "SIGSEGV", "assert_trap": "SIGABRT"}
"""ROCgdb's signals, as its tests name them."""
EXCEPTIONS: Final = {
    1: "wave abort", 2: "wave trap", 3: "wave math error", 4: "wave illegal instruction",
    5: "wave memory violation", 6: "wave address error", 16: "dispatch dimensions invalid",
    17: "dispatch group segment size invalid", 18: "dispatch code invalid",
    20: "packet unsupported", 21: "dispatch workgroup size invalid",
    22: "dispatch register invalid", 23: "vendor packet unsupported", 30: "preemption error",
    31: "new queue", 32: "device deleted", 33: "device memory violation", 34: "device RAS error",
    35: "device fatal halt", 36: "new device", 48: "process runtime", 49: "device removed",
}  # fmt: skip
"""Exception codes of the driver: of a queue or an agent."""
_HARMLESS: Final = frozenset({31, 36, 48})


@frozen
class Fault:
    """A wave that failed."""

    number: WaveId
    reasons: tuple[str, ...]
    is_pending: bool = False
    """The hardware raised the exception, and the trap handler did not stop the wave for it."""


def faults(waves: GpuWaves) -> list[Fault]:
    """Return the failed waves: those stopped because of it, else those with a pending exception.

    Reads the hardware registers of every wave.
    """
    stopped: list[Fault] = []
    pending: list[Fault] = []
    for number, wave in waves.waves.items():
        reasons = stop_reasons(waves, wave)
        if FAULTS.intersection(reasons):
            stopped.append(Fault(number, reasons))
            continue
        raised = pending_reasons(waves, wave)
        if raised:
            pending.append(Fault(number, raised, is_pending=True))
    return stopped or pending


def stop_reasons(waves: GpuWaves, wave: GpuWave) -> tuple[str, ...]:
    """Return amd-dbgapi's stop reasons, by bit number; empty if the core does not have them."""
    try:
        return waves.hardware(wave).stop_reasons()
    except Unavailable:
        return ()


def pending_reasons(waves: GpuWaves, wave: GpuWave) -> tuple[str, ...]:
    """Return the exceptions that the hardware raised, for which a wave may not have stopped yet."""
    try:
        raised = FAULTS.intersection(waves.hardware(wave).exceptions())
    except Unavailable:
        return ()
    return tuple(sorted(raised, key=STOP_REASONS.index))


def first_stopped(waves: GpuWaves) -> WaveId | None:
    """Return the first wave that stopped by itself, for whichever reason."""
    stopped = (number for number, wave in waves.waves.items() if stop_reasons(waves, wave))
    return next(stopped, None)


def exception_names(status: int) -> list[str]:
    """Return the names in an exception status of the driver, without those that are not an
    error."""
    return [
        EXCEPTIONS.get(code, f"exception {code}")
        for code in range(1, 65)
        if status >> code - 1 & 1 and code not in _HARMLESS
    ]


def queue_exceptions(waves: GpuWaves) -> list[str]:
    """Return the exceptions of agents and queues, which no wave may show: `queue 1: wave memory
    violation`."""
    reported = [
        (f"queue {queue.id}", exception_names(queue.entry.exception_status))
        for queue in waves.queues
    ]
    reported += [
        (f"agent {number}", exception_names(agent.exception_status))
        for number, agent in enumerate(waves.state.agents, 1)
    ]
    return [f"{who}: {', '.join(names)}" for who, names in reported if names]
