"""The interface to a stopped machine: reads and writes of registers and memory, and identity.

What only some targets can do besides is a protocol of its own; running is in `run_control`.

Law: exactly `size_bytes` bytes or `Unavailable`; never None, zeros or a short read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, runtime_checkable

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
            is_protocol = getattr(cls, "_is_protocol", False)  # no class that has inherited one
            cached = _can(cls, instance) if is_protocol else super().__instancecheck__(instance)
            _CAPABILITIES[key] = cached
        return cached


def _can(protocol: type, instance: object) -> bool:
    """Return whether an object has all members of a protocol, also by `__getattr__`.

    Python 3.12 and later would import `inspect`, and find those of the class only.
    """
    return protocol in type(instance).__mro__ or all(
        getattr(type(instance), name, None) is not None or getattr(instance, name, None) is not None
        for base in protocol.__mro__
        if base is not Protocol and getattr(base, "_is_protocol", False)
        for name in vars(base)
        if not name.startswith("_")
    )


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


class KnowsMemory(Target, Protocol):
    """A target that says which parts of its memory are known."""

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the known parts of a range that cannot be read whole: offsets in it, and bytes.

        Later items override earlier ones.
        """
        ...


@runtime_checkable
class ForgetsMemory(KnowsMemory, Protocol):
    """Optional capability: memory that nothing has defined can be written, and be undefined
    again."""

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
class Protects(Target, Protocol):
    """Optional capability: says which memory can be executed."""

    def can_execute(self, wave: WaveId, address: int) -> bool | None:
        """Return whether a wave can execute what is at an address; None if it is unknown."""
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
class ThreadBlocks(Target, Protocol):
    """Optional capability: locates thread-local storage from the dynamic linker's tables."""

    def thread_local_block(self, wave: WaveId, path: str, thread_pointer: int) -> int | None:
        """Return the address of a file's thread-local block; None if the tables do not say.

        `Unavailable` if the thread has none yet.
        """
        ...


@runtime_checkable
class ThreadModules(Target, Protocol):
    """Optional capability: knows how the dynamic linker numbers files with thread-local storage."""

    def thread_local_module(self, path: str) -> int | None:
        """Return the number of a file; None if it has none, or it is unknown."""
        ...


@runtime_checkable
class NotStarted(Target, Protocol):
    """Optional capability: distinguishes memory of a program that has not started from a stopped
    one's."""

    @property
    def reads_before_start(self) -> int:
        """How many reads were answered with memory that the program may change once it runs."""
        ...


@runtime_checkable
class Versioned(Target, Protocol):
    """Optional capability: says whether its contents have changed between two questions."""

    def version_of(self, wave: WaveId) -> object | None:
        """Return an object that is equal to the one before while the registers of a wave, and the
        memory, have not changed; None if that is unknown."""
        ...


class PartlyKnown(KnowsMemory, Protocol):
    """A target that says which parts of its memory are known, and forgets contents of registers."""

    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        """Make bytes of a register that were written unknown again."""
        ...


@runtime_checkable
class EndsWaves(Target, Protocol):
    """Optional capability: distinguishes waves that ended from those that still run."""

    def has_ended(self, wave: WaveId) -> bool:
        """Return whether a wave has ended: it has no registers any more."""
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
