"""An AQL queue in memory: `amd_queue_t`, its ring of packets, and where its scratch memory is
(ROCm compute ABI, "AMD Queue"; HSA System Architecture, "Kernel dispatch packet").

Law: what cannot be read is None; no field is guessed.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Final

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import Unavailable, counted
from dwarfgpu.machine.core.gpu.core_state_note import Queue
from dwarfgpu.machine.core.gpu.save_area_layout import BitField
from dwarfgpu.machine.core.memory import CoreMemory
from dwarfgpu.machine.hsa_structures import (
    AMD_QUEUE,
    HSA_QUEUE,
    KERNEL_DISPATCH,
    KERNEL_DISPATCH_PACKET,
)
from dwarfgpu.machine.simulated.launch.dispatch_packet import (
    PACKET_BYTES,
    READ_DISPATCH_ID_OFFSET,
    WRITE_DISPATCH_ID_OFFSET,
)

_WITHOUT_SCRATCH_BYTES: Final = 11
"""The `r_version` from which an `amd_queue_t` no longer has the size of the scratch of an XCC."""
_WAVES: Final = BitField(0, 11)
"""The field WAVES of COMPUTE_TMPRING_SIZE."""


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

    def possible(self, sizes: tuple[int, int, int], most: int | None = None) -> bool:
        """Return whether the packet may have the sizes of a grid or of workgroups of at most `most`
        work-items: none is 0, and those of dimensions that it does not have are 1 (HSA Runtime
        Programmer's Reference Manual, `hsa_kernel_dispatch_packet_t`)."""
        unused = sizes[self.dimensions or 3 :]
        return all(sizes) and set(unused) <= {1} and (most is None or prod(sizes) <= most)


@frozen(eq=False)
class QueueMemory:
    """A queue of the note, and the memory with the rest of it."""

    queue: Queue
    memory: CoreMemory
    r_version: int

    @property
    def object_address(self) -> int:
        """The address of the `amd_queue_t`."""
        return self.queue.read_pointer_address - READ_DISPATCH_ID_OFFSET

    @property
    def packet_count(self) -> int:
        return self.queue.ring_size // PACKET_BYTES

    @property
    def read_id(self) -> int | None:
        """The number of the next packet to be consumed."""
        return self._number(self.queue.read_pointer_address, 8)

    @property
    def write_id(self) -> int | None:
        """The number of the next packet to be allocated."""
        return self._number(self.queue.write_pointer_address, 8)

    @property
    def is_idle(self) -> bool:
        """Whether all packets have been consumed: waves that execute one keep it in the ring."""
        return self.read_id is not None and self.read_id == self.write_id

    @property
    def unread_index(self) -> str | None:
        """The name and address of an index that cannot be read, without which no packet is known to
        be executing; None if both can."""
        if self.read_id is None:
            return f"read index at {self.queue.read_pointer_address:#x}"
        if self.write_id is None:
            return f"write index at {self.queue.write_pointer_address:#x}"
        return None

    def _number(self, address: int, size_bytes: int) -> int | None:
        try:
            return int.from_bytes(self.memory.read(address, size_bytes), "little")
        except Unavailable:
            return None

    def _member(self, name: str) -> int | None:
        """Return an integer of the `amd_queue_t`, which begins with an `hsa_queue_t`."""
        member = (AMD_QUEUE if AMD_QUEUE.has(name) else HSA_QUEUE).member(name)
        return self._number(self.object_address + member.offset_bytes, member.size_bytes)

    @cached_property
    def fault(self) -> str | None:
        """How the note contradicts itself or memory, so that neither says which packets are in the
        ring; None if it does not, or memory does not tell."""
        queue, address, count = self.queue, self._member("base_address"), self._member("size")
        ring, size = queue.ring_base_address, queue.ring_size
        if size < PACKET_BYTES or size & size - 1:  # Linux accepts no other
            return f"its ring has {counted(size, 'byte')} in the note, no power of 2 with a packet"
        if not self._has_both_indexes:
            indexes = f"{queue.read_pointer_address:#x} and {queue.write_pointer_address:#x}"
            return f"its read and write indexes at {indexes} are not in one amd_queue_t"
        if address and address != ring:
            return f"its ring is at {ring:#x} in the note, and at {address:#x} by its amd_queue_t"
        if count is not None and count * PACKET_BYTES > size:
            return f"its ring has {size} bytes in the note, and {count} packets by its amd_queue_t"
        read, write = self.read_id, self.write_id
        if read is not None and write is not None and read > write:
            return f"its read index {read} is beyond its write index {write}"
        return None

    @property
    def _has_both_indexes(self) -> bool:
        """Whether the indexes are in one `amd_queue_t`, as ROCr names them to Linux from GFX9 on,
        where doorbells count packets."""
        return self.queue.write_pointer_address == self.object_address + WRITE_DISPATCH_ID_OFFSET

    @cached_property
    def is_of_another(self) -> bool:
        """Whether the `amd_queue_t` is not known to be that of the queue: neither the other index
        nor the address of the ring is in it."""
        is_same = self._member("base_address") == self.queue.ring_base_address
        return not self._has_both_indexes and not is_same

    def dispatch_id(self, index: int) -> int | None:
        """Return the dispatch id: that of the packet at an index of the ring, which waves still
        execute; None if it does not fit the ids of the queue, or they are unknown (`fault`)."""
        read, write, count = self.read_id, self.write_id, self.packet_count
        if read is None or write is None or not 0 <= index < count or self.fault is not None:
            return None
        number = index + read // count * count
        if number < read and read % count > write % count:
            number += count
        return number if read <= number < write else None

    def packet(self, index: int) -> DispatchPacket | None:
        """Return the kernel dispatch packet at an index of the ring; None if it cannot be read, or
        where the ring is is unknown (`fault`)."""
        if not 0 <= index < self.packet_count or self.fault is not None:
            return None
        try:
            data = self.memory.read(
                self.queue.ring_base_address + index * PACKET_BYTES, PACKET_BYTES
            )
        except Unavailable:
            return None
        number = partial(KERNEL_DISPATCH_PACKET.number, data)
        if data[0] != KERNEL_DISPATCH:
            return None
        x, y, z = (f"_size_{axis}" for axis in "xyz")
        return DispatchPacket(
            number("header"),
            number("setup") & 3,
            (number(f"workgroup{x}"), number(f"workgroup{y}"), number(f"workgroup{z}")),
            (number(f"grid{x}"), number(f"grid{y}"), number(f"grid{z}")),
            number("private_segment_size"),
            number("group_segment_size"),
            number("kernel_object"),
            number("kernarg_address"),
            number("completion_signal"),
        )

    def scratch_sizes(self, wave_bytes: BitField, granule: int) -> tuple[int, int] | None:
        """Return the number of waves with scratch memory, and its size for each in bytes
        (COMPUTE_TMPRING_SIZE); None if the `amd_queue_t` does not say, or may be of another one."""
        if self.is_of_another:
            return None
        tmpring = self._member("compute_tmpring_size")
        if tmpring is None:
            return None
        return _WAVES.of(tmpring), wave_bytes.of(tmpring) * granule

    def scratch_base(self, xcc: int, waves_bytes_of_xcc: int) -> int | None:
        """Return the address of an XCC's scratch memory, whose waves need that many bytes."""
        base = self._member("scratch_backing_memory_location")
        if base is None or self.r_version >= _WITHOUT_SCRATCH_BYTES:
            return None if base is None else base + xcc * waves_bytes_of_xcc
        if not xcc:
            return base
        size = self._member("scratch_backing_memory_byte_size")
        return None if size is None else base + xcc * size
