"""The narrow waist: what the engine asks of a stopped machine.

Law: exactly `size_bytes` bytes or `Unavailable`; never None, zeros or a short read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from dwarfgpu.arch.model import Apertures, Architecture, RegisterInfo
from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.model.storage import Memory

if TYPE_CHECKING:  # the first imports NumPy, the second this module
    from dwarfgpu.machine.topology import Machine
    from dwarfgpu.model.lanes import Array

WaveId: TypeAlias = int
"""amd-dbgapi's wave id; on other architectures the thread."""
RegisterId: TypeAlias = RegisterInfo


class Target(Protocol):
    """A stopped machine: four verbs, bytes in, bytes out, or `Unavailable`; and what it is."""

    @property
    def stop(self) -> int:
        """Changes whenever the machine has run; locations made before it are then stale."""
        ...

    def architecture_of(self, wave: WaveId) -> Architecture:
        """The target architecture of a wave; `Unavailable` for one that does not exist."""
        ...

    def apertures_of(self, wave: WaveId) -> Apertures:
        """Where the wave's generic address space shows its other memories."""
        ...

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        """The bytes of a register, all from `offset_bytes` on where no size is given."""
        ...

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None: ...

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes: ...

    def write_memory(self, where: Memory, address: int, data: bytes) -> None: ...


@runtime_checkable
class Named(Target, Protocol):
    """The power to tell where waves and lanes belong, in the words of amd-dbgapi."""

    def target_id(self, wave: WaveId, lane: int | None = None) -> str:
        """ROCgdb's name of a wave or of a lane of it; what is not known is `?` there."""
        ...

    def used_lanes(self, wave: WaveId) -> int | None:
        """How many lanes have a work-item; None where nothing tells."""
        ...


@runtime_checkable
class Modelled(Target, Protocol):
    """The power to describe agents, queues, dispatches and workgroups."""

    @property
    def model(self) -> Machine | None:
        """The topology of the machine; None where it is not known."""
        ...


@runtime_checkable
class Sparse(Target, Protocol):
    """The power to say of a range of memory at once that none of it can be read.

    Without it, an unreadable object is read by halves, until each byte was tried.
    """

    def is_unreadable(self, where: Memory, address: int, size_bytes: int) -> bool:
        """Whether no byte of a range can be read; `Unavailable` where it cannot be decided."""
        ...


@runtime_checkable
class SharesArchitecture(Target, Protocol):
    """The power to compare the architectures of many waves at once."""

    def architecture_of_all(self, waves: Sequence[WaveId]) -> Architecture | None:
        """The architecture that waves share; None where they share none, or one does not exist."""
        ...


@runtime_checkable
class BulkRegisters(Target, Protocol):
    """The power to read a register of many waves at once."""

    def registers_of(self, waves: Sequence[WaveId], register: RegisterId) -> tuple[Array, Array]:
        """A register's bytes, uint8 (waves, bytes), and which of them are known, bool.

        Raises nothing for some of the waves.
        """
        ...


@runtime_checkable
class BulkMemory(Target, Protocol):
    """The power to read memory for many waves and lanes at once."""

    def gather(self, where: Memory, addresses: Array, size_bytes: int) -> tuple[Array, Array]:
        """Little-endian numbers of up to 4 bytes at addresses, and which of them are known.

        The wave and lane of `where` may be `Lanes`, which broadcast with the addresses. Raises
        nothing for some of them.
        """
        ...


@runtime_checkable
class Extensible(Target, Protocol):
    """The power to say which registers of an architecture the processor does not have: those of
    extensions such as AVX-512."""

    def lacks_register(self, wave: WaveId, register: RegisterId) -> bool:
        """Whether the processor of a wave has no such register."""
        ...


@runtime_checkable
class ThreadLocal(Target, Protocol):
    """The power to tell where thread-local variables of libraries are: the dynamic linker put them
    there."""

    def thread_local_address(self, wave: WaveId, path: str, name: str) -> int | None:
        """The address of a variable of a file in a wave; None where the machine knows none.

        `Unavailable` where it has no place yet.
        """
        ...


@runtime_checkable
class NotStarted(Target, Protocol):
    """The power to tell memory of a program that was not started from that of one that stopped."""

    @property
    def reads_before_start(self) -> int:
        """How many reads were answered with memory that the program may change once it runs."""
        ...


@frozen
class Halt:
    """Why a machine that ran stopped, in the words of GDB's machine interface."""

    reason: Literal["breakpoint-hit", "end-stepping-range", "signal-received", "exited"]
    wave: WaveId | None = None
    """Which one stopped; None where the program has ended."""
    exit_code: int | None = None
    """Of a program that ended."""
    signal: str | None = None
    """The name of a signal or an exception: `SIGSEGV`."""


@runtime_checkable
class Runs(Target, Protocol):
    """The power to run. Whatever runs changes `stop`.

    The registers tell where each wave is after it; there is no other memory of a run.
    """

    def start(self) -> Halt:
        """Start the program anew, and stop before its first instruction."""
        ...

    def step_instruction(self, wave: WaveId) -> Halt:
        """Execute one instruction of a wave; the others may go on or not."""
        ...

    def resume(self, addresses: frozenset[int]) -> Halt:
        """Let every wave go on until one is at one of the addresses, or the program ends.

        One that is at such an address now leaves it first.
        """
        ...
