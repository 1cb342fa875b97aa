"""AQL packets, queues and signals as the documents lay them out in memory (ROCm compute ABI, "AMD
Queue", "Signal object"; HSA System Architecture, "Kernel dispatch packet").

Law: fields without a documented layout, or that only a runtime determines, are unknown: no piece
contains them.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from struct import pack
from typing import Final, TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.machine.hsa_structures import (
    AMD_QUEUE,
    AMD_SIGNAL,
    HSA_QUEUE,
    KERNEL_DISPATCH,
    KERNEL_DISPATCH_PACKET,
    USER_SIGNAL,
)
from dwarfgpu.machine.topology import Geometry

PACKET_BYTES: Final = KERNEL_DISPATCH_PACKET.size_bytes
MAX_WORK_ITEMS: Final = 1024
"""Of a workgroup, on all of these processors."""
QUEUE_BYTES: Final = AMD_QUEUE.size_bytes
SIGNAL_BYTES: Final = AMD_SIGNAL.size_bytes
READ_DISPATCH_ID_OFFSET: Final = AMD_QUEUE.offset("read_dispatch_id")
WRITE_DISPATCH_ID_OFFSET: Final = AMD_QUEUE.offset("write_dispatch_id")

Pieces: TypeAlias = "list[tuple[int, bytes]]"
"""The known parts of an object: offsets in bytes, and bytes."""

_SYSTEM_SCOPE: Final = 2
_SIGNAL_DOORBELL: Final = -1


@frozen
class Packet:
    """A kernel dispatch packet."""

    geometry: Geometry
    private_bytes: int
    """Scratch of a lane."""
    group_bytes: int
    """LDS of a workgroup."""
    kernel_object: int
    kernarg_address: int
    completion_signal: int

    def encoded(self) -> bytes:
        """Return its 64 bytes: acquire and release fences are of system scope."""
        header = KERNEL_DISPATCH | _SYSTEM_SCOPE << 9 | _SYSTEM_SCOPE << 11
        return pack(
            "<HH3HH3I2I4Q",
            header,
            self.geometry.dimensions,
            *self.geometry.workgroup,
            0,
            *self.geometry.grid,
            self.private_bytes,
            self.group_bytes,
            self.kernel_object,
            self.kernarg_address,
            0,
            self.completion_signal,
        )


@frozen
class QueueObject:
    """The known fields of an amd_queue_t."""

    id: int
    packets_address: int
    packet_count: int
    doorbell: int
    """Address of its signal."""
    local_base: int
    private_base: int
    write_dispatch_id: int
    read_dispatch_id: int
    scratch_address: int
    """The address of the scratch of the whole queue."""
    scratch_bytes: int
    tmpring_size: int | None
    """COMPUTE_TMPRING_SIZE."""

    def pieces(self) -> Pieces:
        """Return the known parts of its 256 bytes."""
        hsa_queue = {
            "type": 0,
            "features": 1,
            "base_address": self.packets_address,
            "doorbell_signal": self.doorbell,
            "size": self.packet_count,
            "id": self.id,
        }
        members = {
            "write_dispatch_id": self.write_dispatch_id,
            "group_segment_aperture_base_hi": self.local_base >> 32,
            "private_segment_aperture_base_hi": self.private_base >> 32,
            "read_dispatch_id": self.read_dispatch_id,
            "read_dispatch_id_field_base_byte_offset": READ_DISPATCH_ID_OFFSET,
            "scratch_backing_memory_location": self.scratch_address,
            "scratch_backing_memory_byte_size": self.scratch_bytes,
        }
        if self.tmpring_size is not None:
            members["compute_tmpring_size"] = self.tmpring_size
        zeros = [(28, bytes(4)), (40, bytes(16)), (88, bytes(40))]  # what is unused must be 0
        return joined([*HSA_QUEUE.pieces(hsa_queue), *AMD_QUEUE.pieces(members), *zeros])


def user_signal(value: int) -> Pieces:
    """Return a signal of AMD_SIGNAL_KIND_USER whose mailbox has no waiter; times are unknown."""
    return [(0, pack("<qqQII", USER_SIGNAL, value, 0, 0, 0)), (48, bytes(16))]


def doorbell_signal(queue_address: int) -> Pieces:
    """Return the doorbell of a queue; the address of the hardware's doorbell is unknown."""
    return [(0, pack("<q", _SIGNAL_DOORBELL)), (48, pack("<QQ", queue_address, 0))]


class Allocator:
    """Hands out addresses of global memory, one after the other, a guard between them."""

    def __init__(self, first: int, guard_bytes: int = 0) -> None:
        self.next = first
        self._guard_bytes = guard_bytes

    def take(self, size_bytes: int, alignment: int) -> int:
        """Allocate `size_bytes` bytes, followed by a guard, and return their address."""
        address = -(-self.next // alignment) * alignment
        self.next = address + size_bytes + self._guard_bytes
        return address


def joined(pieces: Iterable[tuple[int, bytes]]) -> Pieces:
    """Return the pieces in order, adjacent ones joined."""
    runs: list[tuple[int, list[bytes]]] = []
    end: int | None = None
    for address, data in sorted(pieces, key=itemgetter(0)):
        if address == end:
            runs[-1][1].append(data)
        else:
            runs.append((address, [data]))
        end = address + len(data)
    return [(address, parts[0] if len(parts) == 1 else b"".join(parts)) for address, parts in runs]


def placed(address: int, pieces: Iterable[tuple[int, bytes]]) -> Pieces:
    """Return the pieces of an object at an address."""
    return [(address + offset, data) for offset, data in pieces]
