"""Run control: the optional capabilities of a target that runs its program, steps, watches.

Law: a run has no other memory than the registers and the memory of the target; whatever runs
changes `Target.stop`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from dwarfgpu.base.records import frozen
from dwarfgpu.machine.target import MemoryAddress, Named, RegisterOffset, Target, WaveId


@frozen
class WavesAtBarrier:
    """Waves that do the same about the barrier of their workgroup, at the same instruction."""

    waves: tuple[WaveId, ...]
    state: str
    """Description of what they do."""
    pc: int
    """The program location of the instruction that waits, or that ended them."""


@frozen
class Halt:
    """Why a machine that ran stopped, in the terms of GDB's machine interface."""

    reason: Literal[
        "breakpoint-hit",
        "end-stepping-range",
        "exited",
        "function-finished",
        "location-reached",
        "signal-received",
        "watchpoint-scope",
        "watchpoint-trigger",
    ]
    wave: WaveId | None = None
    """The wave that stopped; None if the program has ended."""
    exit_code: int | None = None
    """The exit code of a program that has ended."""
    signal: str | None = None
    """The name of a signal or an exception: `SIGSEGV`."""
    stop_reason: str | None = None
    """amd-dbgapi's reason, or one of the simulator: `MEMORY_VIOLATION`."""
    text: str | None = None
    """More about it, for people."""
    watchpoints: tuple[int, ...] = ()
    """The numbers of the watches that stopped it."""
    lanes: tuple[int, ...] = ()
    """The lanes whose accesses failed; none if it does not concern lanes."""
    barriers: tuple[WavesAtBarrier, ...] = ()
    """The waves at an unmet barrier, if that is the reason."""
    in_calls: tuple[tuple[int, int], ...] = ()
    """Those of `watchpoints` whose function has made a call that has not returned, each with the
    return address; a machine that does not know leaves them out."""
    watch_lanes: tuple[tuple[int, ...], ...] = ()
    """The lanes that accessed what each of `watchpoints` watches; none where that was the wave. A
    machine that does not know leaves them out."""

    @property
    def why(self) -> str | None:
        """`MEMORY_VIOLATION, lane 63 reads 4 bytes …`; without a signal, the text says it all."""
        reason = None if self.signal is None else self.stop_reason
        return ", ".join(filter(None, (reason, self.text))) or None

    @property
    def is_fault(self) -> bool:
        """Whether the wave stopped for something that it did wrong."""
        return self.signal not in (None, "SIGINT", "SIGTRAP")


@runtime_checkable
class Runs(Target, Protocol):
    """Optional capability: runs the program. Running changes `stop`.

    Afterwards the registers contain where each wave is; a run has no other memory.
    """

    def start(self) -> Halt:
        """Start the program from its beginning, and stop before its first instruction."""
        ...

    def step_instruction(self, wave: WaveId) -> Halt:
        """Execute one instruction of a wave; the others may continue or not."""
        ...

    def resume(self, addresses: frozenset[int]) -> Halt:
        """Run every wave until one reaches one of the addresses, or the program ends.

        A wave that is at such an address leaves it first.
        """
        ...


@runtime_checkable
class RunsWaves(Runs, Named, Protocol):
    """Optional capability: runs the waves of a GPU, and lists those that have not ended."""

    @property
    def waves(self) -> Collection[WaveId]: ...


@runtime_checkable
class StepsRanges(Runs, Protocol):
    """Optional capability: executes several instructions of a wave in one call."""

    def step_range(
        self,
        wave: WaveId,
        begin: int,
        end: int,
        addresses: frozenset[int],
        *,
        over_calls: bool,
    ) -> Halt:
        """Execute an instruction of a wave, and more while it is in a range of addresses.

        It stops at each of some addresses. `over_calls`: a call runs until it returns.
        """
        ...


@runtime_checkable
class ResumesCalls(StepsRanges, Protocol):
    """Optional capability: lets a call go on in which `step_range` has stopped."""

    def resume_call(self, wave: WaveId, addresses: frozenset[int]) -> Halt | None:
        """Run until the call returns that the last `step_range` of a wave has not finished.

        It stops at each of some addresses. None if there is no such call.
        """
        ...


@runtime_checkable
class LeavesBreakpoints(Runs, Protocol):
    """Optional capability: lets a wave leave a breakpoint at which it is, and has not stopped."""

    def leave(self, wave: WaveId) -> None:
        """Do not stop a wave where it is now."""
        ...


@runtime_checkable
class LocksWaves(Runs, Protocol):
    """Optional capability: runs one wave alone, as GDB's `scheduler-locking`."""

    def locked_to(self, wave: WaveId | None) -> AbstractContextManager[None]:
        """Within the block, run only this wave; with None, all."""
        ...


@runtime_checkable
class Kills(Runs, Protocol):
    """Optional capability: ends the program."""

    def kill(self) -> Halt:
        """End all waves as they are; `UsageError` where none runs."""
        ...


@runtime_checkable
class Interruptible(Runs, Protocol):
    """Optional capability: stops between two instructions where Ctrl-C asks for it."""

    def interrupts(self) -> AbstractContextManager[None]:
        """Let Ctrl-C stop the code in the block: the machine halts with SIGINT, and nothing is
        raised."""
        ...


@runtime_checkable
class ReportsProgress(Runs, Protocol):
    """Optional capability: reports how far a run has come."""

    def reporting(self, progress: Callable[[int], None] | None) -> AbstractContextManager[None]:
        """Within the block, call `progress` now and then with the number of instructions that were
        executed."""
        ...


@frozen
class WatchedBytes:
    """Bytes of the machine that are watched."""

    start: RegisterOffset | MemoryAddress
    size_bytes: int


@frozen
class WatchScope:
    """The call of a function during which something is watched."""

    wave: WaveId
    ranges: tuple[tuple[int, int], ...]
    """The code of the function: begins and ends; empty if unknown."""
    returns: tuple[int, ...]
    """The return addresses of the calls that the function has made, the innermost last."""


WatchKind: TypeAlias = Literal["write", "read", "access"]


@frozen(eq=False)
class Watch:
    """An object that stops the machine when it changes, is read, or is accessed."""

    number: int
    kind: WatchKind
    bytes: tuple[WatchedBytes, ...]
    scope: WatchScope | None = None
    """None: it is watched to the end of the program."""
    code: tuple[int, int] | None = None
    """Begin and end of the code of the scope's function where the object is in these bytes: behind
    it the machine stops, too. None: it is there everywhere."""


@runtime_checkable
class Watches(Runs, Protocol):
    """Optional capability: stops the machine after an instruction that accesses an object."""

    def watch(self, watches: Sequence[Watch]) -> None:
        """Set what is watched, instead of all before; `UsageError` for what cannot be."""
        ...
