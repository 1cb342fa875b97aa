"""The machine that runs, behind a prompt: its powers, and what is set in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from dwarfgpu.errors import UsageError
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.run_control import (
    Interruptible,
    Kills,
    LeavesBreakpoints,
    LocksWaves,
    ReportsProgress,
    Runs,
    Watches,
)
from dwarfgpu.repl.running.watchpoint import Watchpoint
from dwarfgpu.repl.running.watchpoint_values import look_at_written
from dwarfgpu.repl.shell import Shell

NOT_RUNNING = "Cannot run: the target is a state or core file."
NOTHING_TO_RUN = (
    "Cannot run: dwarfgpu starts no processes. "
    "Start dwarfgpu with --dispatch KERNEL to run a kernel of an AMD GPU."
)
NOT_RUN = "The program is not being run."
NO_PROCESS = "You can't do that without a process to debug."
Power = TypeVar("Power")


def runner(shell: Shell) -> Runs:
    """Return the target's run control; `UsageError` in one line if it has none."""
    go_on_from_core(shell)
    machine = _with_power(shell, Runs)  # type: ignore[type-abstract]
    if machine is None:
        raise UsageError(why_not_running(shell))
    return machine


def why_not_running(shell: Shell) -> str:
    """Return why nothing can run: the target is a state or core file, or there is none."""
    return NOTHING_TO_RUN if is_of_files_alone(shell) else NOT_RUNNING


def is_of_files_alone(shell: Shell) -> bool:
    """Return whether neither a state nor a core file is open, nor a program made the machine."""
    machine = shell.machine
    return machine.opener is not None and machine.core is None and machine.state_path is None


def go_on_from_core(shell: Shell) -> None:
    """Make a machine of the waves of a core file, if there is none yet."""
    core, opener = shell.machine.core, shell.machine.opener
    if core is None or core.gpu is None or opener is None or can_run(shell):
        return
    if core.gpu.waves:
        shell.session = shell.as_assumed(opener.resumable(shell.session, core))
        arm(shell)


def _with_power(shell: Shell, power: type[Power]) -> Power | None:
    target = shell.session.target
    for candidate in (
        target,
        target.behind if isinstance(target, TargetWithCodeObjects) else None,
    ):
        if isinstance(candidate, power):
            return candidate
    return None


def watcher(shell: Shell) -> Watches | None:
    """Return the object that watches memory and registers; None for a state or core file, where
    nothing changes.

    `UsageError` if the target runs and cannot watch, and for a file alone.
    """
    go_on_from_core(shell)
    if shell.session.target is None:
        raise UsageError(NO_PROCESS)
    machine = _with_power(shell, Watches)  # type: ignore[type-abstract]
    if machine is None and can_run(shell):
        raise UsageError("Target does not support hardware watchpoints.")
    return machine


def killer(shell: Shell) -> Kills:
    """Return the target, which can end its program; `UsageError` if it cannot."""
    machine = _with_power(shell, Kills)  # type: ignore[type-abstract]
    if machine is None:
        raise UsageError('"kill" is not supported: the backend cannot end the program.')
    return machine


def can_run(shell: Shell) -> bool:
    """Return whether the target has run control."""
    return _with_power(shell, Runs) is not None  # type: ignore[type-abstract]


def require_started(shell: Shell) -> None:
    """Raise `UsageError` with GDB's wording if nothing runs, or no wave or thread is left."""
    go_on_from_core(shell)
    if not can_run(shell) or shell.session.pc is None:
        raise UsageError(NOT_RUN)
    if shell.is_of_core and not shell.session.architecture.is_simt:
        raise UsageError(
            f"Cannot run: thread {shell.session.wave} is of the CPU, and only waves of GPUs are "
            'simulated; "info threads" lists them.'
        )


def addresses(shell: Shell) -> frozenset[int]:
    """Return the addresses at which breakpoints stop the machine."""
    return frozenset(pc for item in shell.breakpoints.values() for pc in item.inserted)


def leave(shell: Shell) -> None:
    """Let the wave in focus leave the breakpoint where it is, as GDB does."""
    machine = _with_power(shell, LeavesBreakpoints)  # type: ignore[type-abstract]
    if machine is not None:
        machine.leave(shell.session.wave)


def arm(shell: Shell) -> None:
    """Have the machine watch the objects of the enabled watchpoints."""
    machine = _with_power(shell, Watches)  # type: ignore[type-abstract]
    if machine is None:
        return
    items = shell.breakpoints.values()
    machine.watch(
        [item.watch for item in items if isinstance(item, Watchpoint) and item.is_enabled]
    )


@contextmanager
def resuming(shell: Shell, *, is_step: bool) -> Iterator[None]:
    """Run the waves that `scheduler-locking` allows within the block; long runs show their
    progress, and Ctrl-C stops them."""
    shell.resumed_wave = shell.session.wave
    if look_at_written(shell):
        arm(shell)
    mode = shell.settings.word("scheduler-locking")
    locks = _with_power(shell, LocksWaves)  # type: ignore[type-abstract]
    reports = _with_power(shell, ReportsProgress)  # type: ignore[type-abstract]
    is_locked = mode == "on" or (mode == "step" and is_step)
    interruptible = _with_power(shell, Interruptible)  # type: ignore[type-abstract]
    with ExitStack() as stack:
        if locks is not None:
            stack.enter_context(locks.locked_to(shell.session.wave if is_locked else None))
        if reports is not None:
            stack.enter_context(reports.reporting(shell.console.progress.executed))
        if interruptible is not None:
            stack.enter_context(interruptible.interrupts())
        yield
