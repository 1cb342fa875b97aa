"""A stopped machine that records writes, so that they can be undone.

Law: bytes that were unknown before a write are unknown again after its undo.
"""

from __future__ import annotations

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.target import (
    ForgetsMemory,
    MemoryAddress,
    RegisterId,
    RegisterOffset,
    WaveId,
)
from dwarfgpu.model.storage import Memory


@frozen
class Write:
    """What one write changed."""

    start: RegisterOffset | MemoryAddress
    before: bytes | tuple[int | None, ...]
    """The earlier bytes; None for an unknown one."""
    after: bytes


@define(eq=False)
class RecordedTarget(TargetWithCodeObjects):
    """The machine and its segments, with a record of writes."""

    group: int = 0
    """Writes with the same number are undone together."""
    undone_by: list[tuple[int, list[Write]]] = field(factory=list)
    """Groups of writes, the last one last."""
    undone: list[tuple[int, list[Write]]] = field(factory=list)
    """Groups that were taken back, the last one last."""

    def write_register(
        self, wave: WaveId, register: RegisterId, data: bytes, offset_bytes: int = 0
    ) -> None:
        before = tuple(
            self._register_byte(wave, register, offset_bytes + index) for index in range(len(data))
        )
        super().write_register(wave, register, data, offset_bytes)
        self._record(Write(RegisterOffset(wave, register, offset_bytes), before, bytes(data)))

    def _register_byte(self, wave: WaveId, register: RegisterId, offset: int) -> int | None:
        try:
            return self.read_register(wave, register, offset, 1)[0]
        except DwarfGpuError:
            return None

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        before = self._memory_before(where, address, len(data))
        super().write_memory(where, address, data)
        self._record(Write(MemoryAddress(where, address), before, bytes(data)))

    def _memory_before(
        self, where: Memory, address: int, count: int
    ) -> bytes | tuple[int | None, ...]:
        if not isinstance(self.behind, ForgetsMemory):
            return self.read_memory(where, address, count)
        contents, known = bytearray(count), bytearray(count)
        for offset, data in self.behind.known_memory(where, address, count):
            contents[offset : offset + len(data)] = data
            known[offset : offset + len(data)] = b"\1" * len(data)
        if all(known):
            return bytes(contents)  # a tuple would be eight times as large
        return tuple(
            byte if is_known else None for byte, is_known in zip(contents, known, strict=True)
        )

    def _record(self, write: Write) -> None:
        self.undone.clear()
        if not self.undone_by or self.undone_by[-1][0] != self.group:
            self.undone_by.append((self.group, []))
        self.undone_by[-1][1].append(write)

    def undo(self) -> list[Write]:
        """Undo the last group of writes; return an empty list if there is none."""
        if not self.undone_by:
            return []
        number, writes = self.undone_by.pop()
        for write in reversed(writes):
            self._set(write.start, write.before)
        self.undone.append((number, writes))
        return writes

    def redo(self) -> list[Write]:
        """Redo the last undone group; return an empty list if there is none."""
        if not self.undone:
            return []
        number, writes = self.undone.pop()
        for write in writes:
            self._set(write.start, write.after)
        self.undone_by.append((number, writes))
        return writes

    def _set(
        self, start: RegisterOffset | MemoryAddress, data: bytes | tuple[int | None, ...]
    ) -> None:
        if isinstance(start, MemoryAddress):
            self._set_memory(start, data)
            return
        for index, byte in enumerate(data):
            offset_bytes = start.offset_bytes + index
            if byte is None:
                self.behind.forget_register(start.wave, start.register, offset_bytes, 1)
            else:
                self.behind.write_register(start.wave, start.register, bytes((byte,)), offset_bytes)

    def _set_memory(self, start: MemoryAddress, data: bytes | tuple[int | None, ...]) -> None:
        if isinstance(data, bytes):
            self.behind.write_memory(start.where, start.address, data)
            return
        self.behind.write_memory(start.where, start.address, bytes(byte or 0 for byte in data))
        assert isinstance(self.behind, ForgetsMemory)
        for offset, byte in enumerate(data):
            if byte is None:
                self.behind.forget_memory(start.where, start.address + offset, 1)


def recorded(target: TargetWithCodeObjects) -> RecordedTarget:
    """Return the machine as one that records writes from now on."""
    return RecordedTarget(target.behind, target.loaded_segments, target.has_started)
