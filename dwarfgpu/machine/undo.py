"""A stopped machine that records writes, so that they can be undone.

Law: bytes that were unknown before a write are unknown again after its undo.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
class PartlyKnownBytes:
    """Bytes that may be unknown in part. They may be many: no byte is an object."""

    contents: bytes | bytearray
    """0 for an unknown one."""
    known: bytes | bytearray = b""
    """1 for each known byte, 0 for each unknown one; empty if all are known."""

    def __getitem__(self, part: slice) -> tuple[int | None, ...]:
        """Return a part; None for an unknown byte."""
        contents = self.contents[part]
        known = self.known[part] or b"\1" * len(contents)
        return tuple(
            byte if is_known else None for byte, is_known in zip(contents, known, strict=True)
        )

    def unknown_ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the offset and size of each range of unknown bytes."""
        begin = self.known.find(0)
        while begin >= 0:
            end = self.known.find(1, begin)
            end = len(self.known) if end < 0 else end
            yield begin, end - begin
            begin = self.known.find(0, end)


def _partly_known(size_bytes: int, parts: Iterable[tuple[int, bytes]]) -> PartlyKnownBytes:
    """Return bytes from their known parts: offsets, and contents."""
    contents, known = bytearray(size_bytes), bytearray(size_bytes)
    for offset, data in parts:
        contents[offset : offset + len(data)] = data
        known[offset : offset + len(data)] = b"\1" * len(data)
    return PartlyKnownBytes(contents, known if 0 in known else b"")


@frozen
class Write:
    """What one write changed."""

    start: RegisterOffset | MemoryAddress
    before: PartlyKnownBytes
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
        before = [
            (index, self._register_byte(wave, register, offset_bytes + index))
            for index in range(len(data))
        ]
        super().write_register(wave, register, data, offset_bytes)
        start = RegisterOffset(wave, register, offset_bytes)
        self._record(Write(start, _partly_known(len(data), before), bytes(data)))

    def _register_byte(self, wave: WaveId, register: RegisterId, offset: int) -> bytes:
        """Return a byte of a register, empty if it is unknown."""
        try:
            return self.read_register(wave, register, offset, 1)
        except DwarfGpuError:
            return b""

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        parts = self._known_parts(where, address, len(data))
        super().write_memory(where, address, data)
        # Memory for what is unknown is needed only now: most of a range may not exist.
        before = _partly_known(len(data), parts)
        self._record(Write(MemoryAddress(where, address), before, bytes(data)))

    def _known_parts(self, where: Memory, address: int, count: int) -> list[tuple[int, bytes]]:
        if not isinstance(self.behind, ForgetsMemory):
            return [(0, self.read_memory(where, address, count))]
        return self.behind.known_memory(where, address, count)

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
            self._set(write.start, PartlyKnownBytes(write.after))
        self.undone_by.append((number, writes))
        return writes

    def _set(self, start: RegisterOffset | MemoryAddress, data: PartlyKnownBytes) -> None:
        if isinstance(start, MemoryAddress):
            self.behind.write_memory(start.where, start.address, bytes(data.contents))
            for offset, size_bytes in data.unknown_ranges():
                assert isinstance(self.behind, ForgetsMemory)
                self.behind.forget_memory(start.where, start.address + offset, size_bytes)
            return
        for index, byte in enumerate(data[:]):
            offset_bytes = start.offset_bytes + index
            if byte is None:
                self.behind.forget_register(start.wave, start.register, offset_bytes, 1)
            else:
                self.behind.write_register(start.wave, start.register, bytes((byte,)), offset_bytes)


def recorded(target: TargetWithCodeObjects) -> RecordedTarget:
    """Return the machine as one that records writes from now on."""
    return RecordedTarget(target.behind, target.loaded_segments, target.has_started)
