"""An AQL queue in memory: `amd_queue_t`, its ring of packets, and where its scratch memory is
(ROCm compute ABI, "AMD Queue"; HSA System Architecture, "Kernel dispatch packet").

Law: what cannot be read is None; no field is guessed.
"""

from __future__ import annotations

from struct import unpack
from typing import Final

from dwarfgpu.base.light_attrs import frozen
from dwarfgpu.errors import Unavailable
from dwarfgpu.machine.core.gpu.note import Queue
from dwarfgpu.machine.core.gpu.save_area import Bits
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.simulated.aql_objects import PACKET_BYTES, READ_DISPATCH_ID_OFFSET

KERNEL_DISPATCH: Final = 2
_TMPRING_AT: Final = 0x8C
_SCRATCH_AT: Final = 0xA0
_SCRATCH_BYTES_AT: Final = 0xA8
_WITHOUT_SCRATCH_BYTES: Final = 11
"""The `r_version` from which an `amd_queue_t` no longer has the size of the scratch of an XCC."""
_WAVES: Final = Bits(0, 11)
"""Of COMPUTE_TMPRING_SIZE."""


@frozen
class DispatchPacket:
    """A kernel dispatch packet."""

    header: int
    dimensions: int
    workgroup: tuple[int, int, int]
    grid: tuple[int, int, int]
    private_bytes: int
    group_bytes: int
    kernel_object: int
    kernarg_address: int
    completion_signal: int


@frozen(eq=False)
class QueueMemory:
    """A queue of the note, and the memory with the rest of it."""

    queue: Queue
    memory: CoreMemory
    r_version: int

    @property
    def object_address(self) -> int:
        """Of the `amd_queue_t`."""
        return self.queue.read_pointer_address - READ_DISPATCH_ID_OFFSET

    @property
    def packet_count(self) -> int:
        return self.queue.ring_size // PACKET_BYTES

    @property
    def read_id(self) -> int | None:
        """Of the next packet to be consumed."""
        return self._number(self.queue.read_pointer_address, 8)

    @property
    def write_id(self) -> int | None:
        """Of the next packet to be allocated."""
        return self._number(self.queue.write_pointer_address, 8)

    def _number(self, address: int, size_bytes: int) -> int | None:
        try:
            return int.from_bytes(self.memory.read(address, size_bytes), "little")
        except Unavailable:
            return None

    def dispatch_id(self, index: int) -> int | None:
        """Return the id of the packet at an index of the ring that waves still execute; None if it
        does not fit the ids of the queue."""
        read, write, count = self.read_id, self.write_id, self.packet_count
        if read is None or write is None or not 0 <= index < count:
            return None
        number = index + read // count * count
        if number < read and read % count > write % count:
            number += count
        return number if read <= number < write else None

    def packet(self, index: int) -> DispatchPacket | None:
        """Return the kernel dispatch packet at an index of the ring; None if it cannot be read."""
        if not 0 <= index < self.packet_count:
            return None
        try:
            data = self.memory.read(
                self.queue.ring_base_address + index * PACKET_BYTES, PACKET_BYTES
            )
        except Unavailable:
            return None
        words = unpack("<HH3HH3I2I4Q", data)
        if words[0] & 0xFF != KERNEL_DISPATCH:
            return None
        private, group, kernel_object, kernarg = words[9:13]
        return DispatchPacket(
            words[0],
            words[1] & 3,
            words[2:5],
            words[6:9],
            private,
            group,
            kernel_object,
            kernarg,
            words[14],
        )

    def scratch_sizes(self, wave_bytes: Bits, granule: int) -> tuple[int, int] | None:
        """Waves that have scratch memory, and its bytes for each (COMPUTE_TMPRING_SIZE)."""
        tmpring = self._number(self.object_address + _TMPRING_AT, 4)
        if tmpring is None:
            return None
        return _WAVES.of(tmpring), wave_bytes.of(tmpring) * granule

    def scratch_base(self, xcc: int, waves_bytes_of_xcc: int) -> int | None:
        """Return the address of an XCC's scratch memory, whose waves need that many bytes."""
        base = self._number(self.object_address + _SCRATCH_AT, 8)
        if base is None or self.r_version >= _WITHOUT_SCRATCH_BYTES:
            return None if base is None else base + xcc * waves_bytes_of_xcc
        if not xcc:
            return base
        size = self._number(self.object_address + _SCRATCH_BYTES_AT, 8)
        return None if size is None else base + xcc * size
