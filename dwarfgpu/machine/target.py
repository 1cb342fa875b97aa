"""The narrow waist: the engine's interface to a stopped machine.

Law: exactly `size_bytes` bytes or `Unavailable`; never None, zeros or a short read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, runtime_checkable

from dwarfgpu.arch.model import Apertures, Architecture, RegisterInfo
from dwarfgpu.base.records import frozen
from dwarfgpu.model.storage import Memory

if TYPE_CHECKING:  # the first imports NumPy, the second this module
    from dwarfgpu.machine.topology import Machine
    from dwarfgpu.model.lane_integers import Array

WaveId: TypeAlias = int
"""amd-dbgapi's wave id; on other architectures the thread."""
RegisterId: TypeAlias = RegisterInfo


if TYPE_CHECKING:
    from abc import ABCMeta as _ProtocolMeta
else:
    _ProtocolMeta = type(Protocol)


_CAPABILITIES: Final[dict[tuple[type, type], bool]] = {}
"""Keyed by protocol and class. A member of the metaclass would be one of each protocol."""


class Capability(_ProtocolMeta):
    """The type of protocols of targets: what a class can do is looked up once.

    `isinstance` with a protocol looks for every member of every object, which lists of thousands of
    waves feel.
    """

    def __instancecheck__(cls, instance: object) -> bool:
        key = cls, type(instance)
        cached = _CAPABILITIES.get(key)
        if cached is None:
            cached = _CAPABILITIES[key] = super().__instancecheck__(instance)
        return cached


@runtime_checkable
class Target(Protocol, metaclass=Capability):
    """A stopped machine: four verbs, bytes in, bytes out, or `Unavailable`; and its identity."""

    @property
    def stop(self) -> int:
        """Changes whenever the machine has run; locations made before it are then stale."""
        ...

    def architecture_of(self, wave: WaveId) -> Architecture:
        """Return the target architecture of a wave; `Unavailable` for one that does not exist."""
        ...

    def apertures_of(self, wave: WaveId) -> Apertures:
        """Return where the wave's generic address space shows its other memories."""
        ...

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        """Return the bytes of a register; without a size, all from `offset_bytes` on."""
        ...

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        """Write bytes of a register; `Unavailable` where that is not possible."""
        ...

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        """Return bytes of memory from an address of its space on."""
        ...

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        """Write bytes of memory; `Unavailable` where that is not possible."""
        ...


@runtime_checkable
class Named(Target, Protocol):
    """Optional capability: names waves and lanes as amd-dbgapi does."""

    def target_id(self, wave: WaveId, lane: int | None = None) -> str:
        """Return ROCgdb's name of a wave, or of one of its lanes; unknown parts are `?`."""
        ...

    def used_lanes(self, wave: WaveId) -> int | None:
        """Return the number of lanes with a work-item; None if unknown."""
        ...


@runtime_checkable
class NamesLanes(Named, Protocol):
    """Optional capability: names many lanes at once."""

    def lane_target_ids(self, wave: WaveId, lanes: Iterable[int]) -> list[str]:
        """Return `target_id` of each of the lanes."""
        ...


def lane_target_ids(target: Target | None, wave: WaveId, lanes: Iterable[int]) -> list[str]:
    """Return ROCgdb's names of lanes; unknown parts are `?`, as in ROCgdb."""
    if isinstance(target, NamesLanes):
        return target.lane_target_ids(wave, lanes)
    if isinstance(target, Named):
        return [target.target_id(wave, lane) for lane in lanes]
    return [f"AMDGPU Lane ?:?:?:{wave}/{lane} (?,?,?)[?,?,?]" for lane in lanes]


@runtime_checkable
class Failed(Target, Protocol):
    """Optional capability: knows the lanes at which waves failed."""

    def faulty_lane(self, wave: WaveId) -> int | None:
        """Return the first lane that failed; None if it is unknown, or none did."""
        ...


@runtime_checkable
class Modelled(Target, Protocol):
    """Optional capability: describes agents, queues, dispatches and workgroups."""

    @property
    def model(self) -> Machine | None:
        """Return the topology of the machine; None if unknown."""
        ...


@runtime_checkable
class Sparse(Target, Protocol):
    """Optional capability: decides at once that no byte of a range of memory can be read.

    Without it, an unreadable object is read by halves, down to each byte.
    """

    def is_unreadable(self, where: Memory, address: int, size_bytes: int) -> bool:
        """Return whether no byte of a range can be read; `Unavailable` where it cannot be
        decided."""
        ...


@runtime_checkable
class ForgetsMemory(Target, Protocol):
    """Optional capability: memory that nothing has defined can be written, and be undefined
    again."""

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the defined parts of a range: offsets in it, and bytes."""
        ...

    def forget_memory(self, where: Memory, address: int, size_bytes: int) -> None:
        """Make bytes undefined; `Unavailable` where no memory is."""
        ...


@runtime_checkable
class SharesArchitecture(Target, Protocol):
    """Optional capability: compares the architectures of many waves at once."""

    def architecture_of_all(self, waves: Sequence[WaveId]) -> Architecture | None:
        """Return the architecture that waves share; None if they differ, or one does not exist."""
        ...


@runtime_checkable
class BulkRegisters(Target, Protocol):
    """Optional capability: reads a register of many waves at once."""

    def registers_of(self, waves: Sequence[WaveId], register: RegisterId) -> tuple[Array, Array]:
        """Return a register's bytes, uint8 (waves, bytes), and the mask of the known bits of each,
        uint8, or, where bytes are known as a whole, which of them are, bool.

        Unknown bits are 0. Errors of individual waves are not raised.
        """
        ...


@runtime_checkable
class BulkMemory(Target, Protocol):
    """Optional capability: reads memory for many waves and lanes at once."""

    def gather(self, where: Memory, addresses: Array, size_bytes: int) -> tuple[Array, Array]:
        """Return little-endian numbers of up to 4 bytes at addresses, and which of them are known.

        The wave and lane of `where` may be `Lanes`, which broadcast with the addresses. Errors of
        individual addresses are not raised.
        """
        ...


@runtime_checkable
class Extensible(Target, Protocol):
    """Optional capability: says which registers of an architecture the processor lacks, those of
    extensions such as AVX-512."""

    def lacks_register(self, wave: WaveId, register: RegisterId) -> bool:
        """Return whether the processor of a wave lacks a register."""
        ...


@runtime_checkable
class ThreadLocal(Target, Protocol):
    """Optional capability: locates thread-local variables of libraries, which the dynamic linker
    placed."""

    def thread_local_address(self, wave: WaveId, path: str, name: str) -> int | None:
        """Return the address of a file's variable in a wave; None if the machine does not know it.

        `Unavailable` if it has no address yet.
        """
        ...


@runtime_checkable
class NotStarted(Target, Protocol):
    """Optional capability: distinguishes memory of a program that has not started from a stopped
    one's."""

    @property
    def reads_before_start(self) -> int:
        """How many reads were answered with memory that the program may change once it runs."""
        ...


class PartlyKnown(Target, Protocol):
    """A target that says which parts of its memory and registers are known."""

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the known parts of a range that cannot be read whole: offsets in it, and bytes.

        Later items override earlier ones.
        """
        ...

    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        """Make bytes of a register that were written unknown again."""
        ...


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
    text: str | None = None
    """More about it, for people."""
    watchpoints: tuple[int, ...] = ()
    """The numbers of the watches that stopped it."""
    lane: int | None = None
    """The first lane whose access failed; None where that is no matter of lanes."""
    barriers: tuple[WavesAtBarrier, ...] = ()
    """The waves at an unmet barrier, if that is the reason."""

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
        """Start the program anew, and stop before its first instruction."""
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
class EndsWaves(Target, Protocol):
    """Optional capability: distinguishes waves that ended from those that still run."""

    def has_ended(self, wave: WaveId) -> bool:
        """Return whether a wave has ended: it has no registers any more."""
        ...


@runtime_checkable
class RunsWaves(Runs, Named, Protocol):
    """Optional capability: runs the waves of a GPU, and lists those that have not ended."""

    @property
    def waves(self) -> Collection[WaveId]: ...


@runtime_checkable
class LeavesBreakpoints(Runs, Protocol):
    """Optional capability: lets a wave leave a breakpoint at which it is, and has not stopped."""

    def leave(self, wave: WaveId) -> None:
        """Do not stop a wave where it is now."""
        ...


@frozen
class RegisterOffset:
    """Bytes of a register of a wave."""

    wave: WaveId
    register: RegisterId
    offset_bytes: int


@frozen
class MemoryAddress:
    """Bytes of a memory."""

    where: Memory
    address: int


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


@runtime_checkable
class Kills(Runs, Protocol):
    """Optional capability: ends the program."""

    def kill(self) -> Halt:
        """End all waves as they are; `UsageError` where none runs."""
        ...


@runtime_checkable
class LocksWaves(Runs, Protocol):
    """Optional capability: runs one wave alone, as GDB's `scheduler-locking`."""

    only_wave: WaveId | None
    """The only one that runs; None: all do."""


@runtime_checkable
class ReportsProgress(Runs, Protocol):
    """Optional capability: reports how far a run has come."""

    progress: Callable[[int], None] | None
    """Called now and then with the number of instructions that were executed."""


@runtime_checkable
class Interruptible(Runs, Protocol):
    """Optional capability: stops between two instructions where Ctrl-C asks for it."""

    def interrupts(self) -> AbstractContextManager[None]:
        """Let Ctrl-C stop the code in the block: the machine halts with SIGINT, and nothing is
        raised."""
        ...


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
