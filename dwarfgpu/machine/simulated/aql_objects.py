"""AQL packets, queues and signals as the documents lay them out in memory (ROCm compute ABI, "AMD
Queue", "Signal object"; HSA System Architecture, "Kernel dispatch packet").

Law: fields without a documented layout, or that only a runtime determines, are unknown: no piece
contains them.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import pack
from typing import Final, TypeAlias

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.machine.topology import Geometry

PACKET_BYTES: Final = 64
QUEUE_BYTES: Final = 256
SIGNAL_BYTES: Final = 64
READ_DISPATCH_ID_OFFSET: Final = 128

Pieces: TypeAlias = "list[tuple[int, bytes]]"
"""The known parts of an object: offsets in bytes, and bytes."""

_KERNEL_DISPATCH: Final = 2
_SYSTEM_SCOPE: Final = 2
_SIGNAL_USER: Final = 1
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
        header = _KERNEL_DISPATCH | _SYSTEM_SCOPE << 9 | _SYSTEM_SCOPE << 11
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
    """Of the scratch of the whole queue."""
    scratch_bytes: int
    tmpring_size: int | None
    """COMPUTE_TMPRING_SIZE."""

    def pieces(self) -> Pieces:
        """Return the known parts of its 256 bytes."""
        hsa_queue = pack(
            "<IIQQIIQ", 0, 1, self.packets_address, self.doorbell, self.packet_count, 0, self.id
        )
        apertures = pack("<II", self.local_base >> 32, self.private_base >> 32)
        out = [
            (0, hsa_queue),
            (40, bytes(16)),
            (56, pack("<Q", self.write_dispatch_id)),
            (64, apertures),
            (88, bytes(40)),  # legacy_doorbell_lock, padding
            (READ_DISPATCH_ID_OFFSET, pack("<QI", self.read_dispatch_id, READ_DISPATCH_ID_OFFSET)),
            (160, pack("<QQ", self.scratch_address, self.scratch_bytes)),
        ]
        if self.tmpring_size is not None:
            out.append((140, pack("<I", self.tmpring_size)))
        return sorted(out)


def user_signal(value: int) -> Pieces:
    """Return a signal of AMD_SIGNAL_KIND_USER whose mailbox has no waiter; times are unknown."""
    return [(0, pack("<qqQII", _SIGNAL_USER, value, 0, 0, 0)), (48, bytes(16))]


def doorbell_signal(queue_address: int) -> Pieces:
    """Return the doorbell of a queue; the address of the hardware's doorbell is unknown."""
    return [(0, pack("<q", _SIGNAL_DOORBELL)), (48, pack("<QQ", queue_address, 0))]


class Allocator:
    """Hands out addresses of global memory, one after the other."""

    def __init__(self, first: int) -> None:
        self.next = first

    def take(self, size_bytes: int, alignment: int) -> int:
        """The address of so many bytes."""
        address = -(-self.next // alignment) * alignment
        self.next = address + size_bytes
        return address


def joined(pieces: Iterable[tuple[int, bytes]]) -> Pieces:
    """Return the pieces in order, adjacent ones joined."""
    out: Pieces = []
    for at, data in sorted(pieces):
        if out and out[-1][0] + len(out[-1][1]) == at:
            out[-1] = (out[-1][0], out[-1][1] + data)
        else:
            out.append((at, data))
    return out


def placed(address: int, pieces: Iterable[tuple[int, bytes]]) -> Pieces:
    """The pieces of an object at an address."""
    return [(address + offset, data) for offset, data in pieces]
