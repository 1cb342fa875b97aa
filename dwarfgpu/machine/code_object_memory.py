"""Code object memory read from files, for addresses whose contents the machine does not know.

Law: the machine wins. Memory unknown to it comes from the file for read-only segments; for writable
ones only without a machine, as before the start of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from dwarfgpu.base.records import define, field, frozen
from dwarfgpu.base.span_index import SpanIndex
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.forwarding_target import ForwardingTarget
from dwarfgpu.machine.target import (
    EndsWaves,
    Extensible,
    Failed,
    Named,
    NamesLanes,
    PartlyKnown,
    Protects,
    RegisterId,
    Versioned,
    WaveId,
)
from dwarfgpu.model.storage import Memory

READ_ONLY: Final = "it is in a read-only segment of the file"


@frozen
class LoadedSegment:
    """A range of loaded memory."""

    address: int
    size_bytes: int
    """With the zeros behind what the file has."""
    is_writable: bool
    read: Callable[[int, int], bytes]
    """Offset in the range and size in bytes to bytes."""

    def covers(self, address: int) -> bool:
        """Return whether a loaded address is in the range."""
        return self.address <= address < self.address + self.size_bytes

    def part(self, first: int, size_bytes: int) -> LoadedSegment:
        """Return the part from an offset."""
        read = self.read
        return LoadedSegment(
            self.address + first,
            size_bytes,
            self.is_writable,
            lambda offset, count: read(first + offset, count),
        )


@define(eq=False)
class TargetWithCodeObjects(ForwardingTarget[PartlyKnown]):
    """A target whose global memory is completed by the segments of code objects."""

    behind: PartlyKnown
    loaded_segments: tuple[LoadedSegment, ...]
    has_started: bool
    """Whether the machine's memory is that of a running program."""
    reads_before_start: int = 0
    """As in `dwarfgpu.machine.target.NotStarted`."""
    _by_address: SpanIndex[int] | None = field(default=None, init=False, repr=False)
    """The indexes of `loaded_segments`; None before one is searched."""

    def target_id(self, wave: WaveId, lane: int | None = None) -> str:
        machine = self.behind
        return machine.target_id(wave, lane) if isinstance(machine, Named) else f"Thread {wave}"

    def lane_target_ids(self, wave: WaveId, lanes: Iterable[int]) -> list[str]:
        if isinstance(self.behind, NamesLanes):
            return self.behind.lane_target_ids(wave, lanes)
        return [self.target_id(wave, lane) for lane in lanes]

    def used_lanes(self, wave: WaveId) -> int | None:
        return self.behind.used_lanes(wave) if isinstance(self.behind, Named) else None

    def faulty_lane(self, wave: WaveId) -> int | None:
        return self.behind.faulty_lane(wave) if isinstance(self.behind, Failed) else None

    def lacks_register(self, wave: WaveId, register: RegisterId) -> bool:
        machine = self.behind
        return isinstance(machine, Extensible) and machine.lacks_register(wave, register)

    def can_execute(self, wave: WaveId, address: int) -> bool | None:
        machine = self.behind
        return machine.can_execute(wave, address) if isinstance(machine, Protects) else None

    def has_ended(self, wave: WaveId) -> bool:
        machine = self.behind
        return isinstance(machine, EndsWaves) and machine.has_ended(wave)

    def version_of(self, wave: WaveId) -> object | None:
        """Do as `dwarfgpu.machine.target.Versioned`: the files do not change."""
        return self.behind.version_of(wave) if isinstance(self.behind, Versioned) else None

    def read_memory(self, where: Memory, address: int, size_bytes: int) -> bytes:
        try:
            return self.behind.read_memory(where, address, size_bytes)
        except Unavailable:
            segment = self._segment(where, address, size_bytes)
            if segment is None:
                self._refuse_missing(where, address, size_bytes)
                raise
            self.reads_before_start += segment.is_writable
            data = bytearray(segment.read(address - segment.address, size_bytes))
            for offset, chunk in self.behind.known_memory(where, address, size_bytes):
                data[offset : offset + len(chunk)] = chunk
            return bytes(data)

    def _refuse_missing(self, where: Memory, address: int, size_bytes: int) -> None:
        """Raise the machine's error for the first byte that neither it nor a file has."""
        spans = [
            (segment.address, segment.address + segment.size_bytes)
            for segment in self._overlapping(where, address, size_bytes)
            if not (segment.is_writable and self.has_started)
        ]
        for offset, chunk in self.behind.known_memory(where, address, size_bytes):
            spans.append((address + offset, address + offset + len(chunk)))
        missing = address
        for begin, end in sorted(spans):
            if begin <= missing:
                missing = max(missing, end)
        if address < missing < address + size_bytes:
            self.behind.read_memory(where, missing, 1)

    def _overlapping(self, where: Memory, address: int, size_bytes: int) -> list[LoadedSegment]:
        """Return the segments with a byte of a range, in the order in which they were loaded."""
        if where.space.number != 0:
            return []
        if self._by_address is None:
            self._by_address = SpanIndex(
                ((segment.address, segment.address + segment.size_bytes), index)
                for index, segment in enumerate(self.loaded_segments)
            )
        end = address + max(size_bytes, 1)  # no bytes are where they begin
        indexes = sorted(self._by_address.overlapping(address, end))
        return [self.loaded_segments[index] for index in indexes]

    def _segment(self, where: Memory, address: int, size_bytes: int) -> LoadedSegment | None:
        for segment in self._overlapping(where, address, size_bytes):
            first = address - segment.address
            if first >= 0 and first + size_bytes <= segment.size_bytes:
                return None if segment.is_writable and self.has_started else segment
        return None

    def is_unreadable(self, where: Memory, address: int, size_bytes: int) -> bool:
        """Return whether no byte of a range can be read: `access.coalesced_reads.IsUnreadable`."""
        for segment in self._overlapping(where, address, size_bytes):
            if not (segment.is_writable and self.has_started):
                return False  # the file may have a part of it
        return not self.behind.known_memory(where, address, size_bytes)

    def write_memory(self, where: Memory, address: int, data: bytes) -> None:
        """Write to the machine; `Unavailable` where it has no memory, and names what is only in a
        read-only segment of a file."""
        try:
            self.behind.write_memory(where, address, data)
        except Unavailable:
            segment = self._segment(where, address, len(data))
            if segment is None or segment.is_writable:
                raise
            message = f"cannot access memory at address {address:#x}: {READ_ONLY}"
            raise Unavailable(message) from None
