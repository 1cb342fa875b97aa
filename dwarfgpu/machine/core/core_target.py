"""A core file: the stopped threads of a process, and its memory (`docs/core-files.md`).

Law: given and written values override the core; the core file itself never changes. A wave is a
thread by GDB's number, from 1 on in the order of the core.
"""

from __future__ import annotations

from collections.abc import Mapping

from dwarfgpu.arch.model import Apertures, Architecture
from dwarfgpu.base.argument_types import names_wrong_arguments, require_right_arguments
from dwarfgpu.base.arguments import FOREIGN, byte_range, require
from dwarfgpu.base.records import define
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.errors import Unavailable, WhollyUnavailable
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.core.notes import CoreThread
from dwarfgpu.machine.core.overrides import overridden, range_of_read, require_inside
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.target import RegisterId, WaveId
from dwarfgpu.machine.thread_blocks import ThreadBlocks
from dwarfgpu.model.storage import Memory


@define(eq=False)
class CoreTarget:
    """The threads and the memory of a core, below given and written values."""

    threads: Mapping[WaveId, CoreThread]
    memory: CoreMemory
    overrides: StateTarget
    """Over the core."""
    blocks: ThreadBlocks | None = None
    """Where libraries have their thread-local storage."""
    protection: SpanIndex[bool] | None = None
    """Whether each segment of the core can be executed; None if the core does not say so."""

    @property
    def stop(self) -> int:
        return self.overrides.stop

    def architecture_of(self, wave: WaveId) -> Architecture:
        try:
            self._thread(wave)
            return self.overrides.architecture
        except FOREIGN:
            require_right_arguments(CoreTarget.architecture_of, self, wave)
            raise

    def apertures_of(self, wave: WaveId) -> Apertures:
        return self.overrides.apertures

    def given_of(self, wave: WaveId) -> StateTarget:
        """Return the values given over a thread: shared by all threads."""
        try:
            self._thread(wave)
            return self.overrides
        except FOREIGN:
            require_right_arguments(CoreTarget.given_of, self, wave)
            raise

    def _thread(self, wave: WaveId) -> CoreThread:
        if wave not in self.threads:
            raise Unavailable(f"thread {wave} is not in the core file")
        return self.threads[wave]

    def read_register(
        self,
        wave: WaveId,
        register: RegisterId,
        offset_bytes: int = 0,
        size_bytes: int | None = None,
    ) -> bytes:
        try:
            thread = self._thread(wave)
            start, end = range_of_read(register, offset_bytes, size_bytes)
            if register.name in self.overrides.waves[wave]:
                return self.overrides.read_register(wave, register, offset_bytes, size_bytes)
            if register.name not in thread.registers:
                raise WhollyUnavailable(
                    f"register {register} of thread {wave} is not in the core file"
                )
            return thread.registers[register.name][start:end]
        except FOREIGN:
            require_right_arguments(
                CoreTarget.read_register, self, wave, register, offset_bytes, size_bytes
            )
            raise

    @names_wrong_arguments
    def thread_local_block(self, wave: WaveId, path: str, thread_pointer: int) -> int | None:
        """Return a library's thread-local block (`dwarfgpu.machine.target.ThreadBlocks`)."""
        self._thread(wave)
        require("path", path, str)
        return None if self.blocks is None else self.blocks.block(path, thread_pointer)

    @names_wrong_arguments
    def thread_local_module(self, path: str) -> int | None:
        """Return a library's number (`dwarfgpu.machine.target.ThreadModules`)."""
        require("path", path, str)
        return None if self.blocks is None else self.blocks.module(path)

    def lacks_register(self, wave: WaveId, register: RegisterId) -> bool:
        """Return whether the core file lacks the contents of a register
        (`dwarfgpu.machine.target.Extensible`)."""
        try:
            lacking = self._thread(wave).lacking
            return register.name in lacking and register.name not in self.overrides.waves[wave]
        except FOREIGN:
            require_right_arguments(CoreTarget.lacks_register, self, wave, register)
            raise

    def can_execute(self, wave: WaveId, address: int) -> bool | None:
        """Return whether the segments of the core with an address can be executed
        (`dwarfgpu.machine.target.Protects`)."""
        try:
            self._thread(wave)
            if self.protection is None:
                return None
            segments = tuple(self.protection.covering(address))
            return any(segments) if segments else None
        except FOREIGN:
            require_right_arguments(CoreTarget.can_execute, self, wave, address)
            raise

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        try:
            thread, register_bytes = self._thread(wave), (register.size_bits + 7) // 8
            require_inside(register, offset_bytes, len(data))
            if (
                register.name not in self.overrides.waves[wave]
                and register.name in thread.registers
            ):
                self.overrides.set_register(
                    wave, register, thread.registers[register.name][:register_bytes]
                )
            self.overrides.set_register(wave, register, data, offset_bytes)
        except FOREIGN:
            require_right_arguments(
                CoreTarget.write_register, self, wave, register, data, offset_bytes
            )
            raise

    @names_wrong_arguments
    def forget_register(
        self, wave: WaveId, register: RegisterId, offset_bytes: int, size_bytes: int
    ) -> None:
        """Make bytes of a given register unknown."""
        self.overrides.forget_register(wave, register, offset_bytes, size_bytes)

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        try:
            if type(address) is not int or type(size_bytes) is not int or size_bytes < 0:
                address, size_bytes = byte_range(address, size_bytes)
            overriding = self.overrides.known_memory(where, address, size_bytes)
            if not overriding:
                return self.memory.read(address, size_bytes)

            def read(offset: int, count: int) -> bytes:
                return self.memory.read(address + offset, count)

            return overridden(overriding, size_bytes, read)
        except FOREIGN:
            require_right_arguments(CoreTarget.read_memory, self, where, address, size_bytes)
            raise

    def known_memory(self, where: Memory, address: int, size_bytes: int) -> list[tuple[int, bytes]]:
        """Return the known parts of a range that cannot be read whole: offsets in it, and bytes.

        Later items override earlier ones.
        """
        try:
            if type(address) is not int or type(size_bytes) is not int or size_bytes < 0:
                address, size_bytes = byte_range(address, size_bytes)
            overriding = self.overrides.known_memory(where, address, size_bytes)
            return self.memory.known(address, size_bytes) + overriding
        except FOREIGN:
            require_right_arguments(CoreTarget.known_memory, self, where, address, size_bytes)
            raise

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        try:
            memoryview(data)  # a TypeError for a list
            self.read_memory(where, address, len(data))  # all or nothing
            written = self.overrides.without_memory()
            written.set_memory(where, address, data)
            self.overrides.replace_memory(written)
        except FOREIGN:
            require_right_arguments(CoreTarget.write_memory, self, where, address, data)
            raise
