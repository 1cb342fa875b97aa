"""Observers of a running machine: of its instructions and its memory accesses.

`Watchpoints`, `FailedWaves`, `UnknownContents` (of a state that leaves them out) and `Trace` are
observers.

Law: observers change nothing of what a wave computes; a machine without observers does nothing for
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from dwarfgpu.base.records import frozen
from dwarfgpu.machine.topology import StopReason

if TYPE_CHECKING:  # they import NumPy
    from dwarfgpu.machine.simulated.semantics.compiled_instructions import Step
    from dwarfgpu.machine.simulated.storage.wave_memory import Access, WaveMemory


@frozen(eq=False)
class ObservedStop:
    """Why an observer stops a machine after an instruction."""

    reason: StopReason
    text: str
    watchpoints: tuple[int, ...] = ()
    """The numbers of the watchpoints that stop it."""
    watch_lanes: tuple[tuple[int, ...], ...] = ()
    """The lanes that accessed what each of them watches; none for registers and accesses of the
    wave."""


class Observer(Protocol):
    """Sees what the waves of a machine do, in the order in which they do it."""

    def before(self, wave: WaveMemory, step: Step) -> None:
        """Observe an instruction before it executes: `wave.pc` is its address. `WaveStop` prevents
        it."""
        ...

    def access(self, wave: WaveMemory, access: Access) -> None:
        """Observe an access to memory, which still has its earlier contents.

        It may turn out to be a memory violation: then `after` does not follow. `WaveStop` as of
        `before`, if nothing was written yet.
        """
        ...

    def after(self, wave: WaveMemory, step: Step) -> ObservedStop | None:
        """Observe an instruction after it has executed: `effects` of `dwarfgpu.isa.binding` are the
        registers that it has written. Return why the machine stops here."""
        ...


@runtime_checkable
class SelectiveObserver(Observer, Protocol):
    """An observer that need not see every instruction: waves execute the others in blocks."""

    def follows(self, wave: WaveMemory) -> bool:
        """Return whether all instructions of a wave have to be seen."""
        ...

    def concerns(self, wave: WaveMemory, access: Access) -> bool:
        """Return whether an instruction with an access has to be seen."""
        ...
