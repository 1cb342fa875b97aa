"""Targets that forward the requests they do not answer themselves to another target."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

from dwarfgpu.arch.model import Apertures, Architecture
from dwarfgpu.base.argument_types import require_right_arguments
from dwarfgpu.machine.target import (
    PartlyKnown,
    RegisterId,
    Target,
    ThreadBlocks,
    ThreadModules,
    WaveId,
)
from dwarfgpu.machine.topology import Machine, model_of
from dwarfgpu.model.storage import Memory

_T = TypeVar("_T", bound=Target)
_P = TypeVar("_P", bound=PartlyKnown)


class ForwardingTarget(Generic[_T]):
    """A target in front of one other."""

    __slots__ = ()
    behind: _T
    """The target behind it."""

    @property
    def stop(self) -> int:
        return self.behind.stop

    @property
    def model(self) -> Machine | None:
        """The topology (`dwarfgpu.machine.target.Modelled`)."""
        return model_of(self.behind)

    def thread_local_block(self, wave: WaveId, path: str, thread_pointer: int) -> int | None:
        """Return a library's thread-local block (`dwarfgpu.machine.target.ThreadBlocks`)."""
        if not isinstance(self.behind, ThreadBlocks):
            return None
        return self.behind.thread_local_block(wave, path, thread_pointer)

    def thread_local_module(self, path: str) -> int | None:
        """Return a library's number (`dwarfgpu.machine.target.ThreadModules`)."""
        machine = self.behind
        return machine.thread_local_module(path) if isinstance(machine, ThreadModules) else None

    def architecture_of(self, wave: WaveId) -> Architecture:
        return self.behind.architecture_of(wave)

    def apertures_of(self, wave: WaveId) -> Apertures:
        return self.behind.apertures_of(wave)

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        return self.behind.read_register(wave, register, offset_bytes, size_bytes)

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        self.behind.write_register(wave, register, data, offset_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        return self.behind.read_memory(where, address, size_bytes)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        self.behind.write_memory(where, address, data)


class ForwardingByWave(Generic[_P]):
    """Several targets as one: each wave and thread belongs to one of them."""

    __slots__ = ()

    @abstractmethod
    def target_of(self, wave: WaveId | None) -> _P:
        """Return the target that has a wave or thread; for None, memory that belongs to none.

        `Unavailable` for a wave that does not exist.
        """

    def memory_of(self, where: Memory) -> tuple[_P, Memory]:
        """Return the target that has a memory, and the memory as that target names it."""
        try:
            return self.target_of(where.wave), where
        except AttributeError:
            require_right_arguments(ForwardingByWave.memory_of, self, where)
            raise

    def architecture_of(self, wave: WaveId) -> Architecture:
        return self.target_of(wave).architecture_of(wave)

    def apertures_of(self, wave: WaveId) -> Apertures:
        return self.target_of(wave).apertures_of(wave)

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        return self.target_of(wave).read_register(wave, register, offset_bytes, size_bytes)

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        self.target_of(wave).write_register(wave, register, data, offset_bytes)

    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        """Make bytes of a register unknown (`dwarfgpu.machine.target.PartlyKnown`)."""
        self.target_of(wave).forget_register(wave, register, offset_bytes, size_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        target, memory = self.memory_of(where)
        return target.read_memory(memory, address, size_bytes)

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the known parts of a range (`dwarfgpu.machine.target.PartlyKnown`)."""
        target, memory = self.memory_of(where)
        return target.known_memory(memory, address, size_bytes)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        target, memory = self.memory_of(where)
        target.write_memory(memory, address, data)
