"""The GPU state of a process as in a core file: note, save areas, queues and code object list,
laid out in memory.

Law: given objects keep their addresses; all others are placed after `ProcessImage.free_address`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from struct import pack
from typing import Final

from dwarfgpu.base.records import field, frozen
from dwarfgpu.machine.core.gpu.code_objects import LINK_MAP, R_DEBUG, LoadedUri
from dwarfgpu.machine.core.gpu.core_state_note import AQL, Agent, CoreState, Queue, Runtime
from dwarfgpu.machine.core.gpu.save_area_layout import layout_of
from dwarfgpu.machine.core.gpu.save_area_write import GroupImage, save_area
from dwarfgpu.machine.core.write import LoadedRange
from dwarfgpu.machine.simulated.launch.dispatch_packet import (
    PACKET_BYTES,
    READ_DISPATCH_ID_OFFSET,
    WRITE_DISPATCH_ID_OFFSET,
    Allocator,
    QueueObject,
    joined,
    placed,
)
from dwarfgpu.machine.sparse_memory import Data, Fill

_PAGE_BYTES: Final = 4096
_LEAST_PACKETS: Final = 64


@frozen
class QueueAddresses:
    """A queue whose `amd_queue_t` and ring are already in the memory of the process."""

    object: int
    ring: int
    ring_bytes: int


@frozen(eq=False)
class QueueImage:
    """A queue and the waves that execute its dispatches."""

    agent: int
    """Index of its agent."""
    groups: tuple[tuple[GroupImage, ...], ...]
    """The workgroups of each XCC."""
    packets: tuple[bytes, ...] = ()
    """Packets of the ring, from index 0 on."""
    read_id: int = 0
    write_id: int | None = None
    """None: as many as there are packets."""
    tmpring_size: int = 0
    scratch_address: int = 0
    scratch_bytes: int = 0
    """The size in bytes of the scratch of an XCC."""
    exception_status: int = 0
    addresses: QueueAddresses | None = None


@frozen(eq=False)
class ProcessImage:
    """The GPUs of a process."""

    agents: tuple[Agent, ...]
    queues: tuple[QueueImage, ...]
    code_objects: tuple[LoadedUri, ...] = ()
    memory: tuple[tuple[int, bytes | Fill], ...] = field(default=(), repr=False)
    """Addresses and bytes that are the program's."""
    r_version: int = 10
    ttmp_setup: int = 1
    free_address: int = 0x7F00_0000_0000


def agent_of(
    gfx_target_version: int,
    gpu_id: int,
    *,
    lds_base: int = 0x1_0000_0000_0000,
    scratch_base: int = 0x2_0000_0000_0000,
    shader_engines: int = 1,
    num_xcc: int = 1,
) -> Agent:
    """Return an agent with the given facts only; counts are minimums."""
    span = (1 << 32) - 1
    return Agent(
        exception_status=0,
        lds_base=lds_base,
        lds_limit=lds_base + span,
        scratch_base=scratch_base,
        scratch_limit=scratch_base + span,
        gpuvm_base=0x4000,
        gpuvm_limit=(1 << 47) - 1,
        gpu_id=gpu_id,
        location_id=0,
        vendor_id=0x1002,
        device_id=0,
        revision_id=0,
        subsystem_vendor_id=0,
        subsystem_device_id=0,
        fw_version=0,
        gfx_target_version=gfx_target_version,
        simd_count=4,
        max_waves_per_simd=8,
        array_count=shader_engines,
        simd_arrays_per_engine=1,
        num_xcc=num_xcc,
        capability=0x2000_8000,
        debug_prop=0x400,
    )


def process_core(image: ProcessImage) -> tuple[CoreState, list[LoadedRange]]:
    """Return the note and the memory of a core; `Malformed` for waves that do not fit a save
    area."""
    return _Layout(image).core()


class _Layout:
    """The objects placed so far."""

    def __init__(self, image: ProcessImage) -> None:
        self._image = image
        self._allocator = Allocator(image.free_address)
        self._pieces: list[tuple[int, bytes]] = []

    def core(self) -> tuple[CoreState, list[LoadedRange]]:
        image = self._image
        queues = tuple(self._queue(number, queue) for number, queue in enumerate(image.queues, 1))
        runtime = Runtime(self._list(), 1, image.ttmp_setup)
        state = CoreState(runtime, image.agents, queues)
        fills: list[tuple[int, Data]] = []
        plain: list[tuple[int, bytes]] = []
        for address, data in image.memory:
            if isinstance(data, Fill):
                fills.append((address, data))
            else:
                plain.append((address, data))
        ranges = sorted([*joined([*plain, *self._pieces]), *fills], key=itemgetter(0))
        return state, [LoadedRange(address, data) for address, data in ranges]

    def _put(self, data: bytes, alignment: int = _PAGE_BYTES) -> int:
        address = self._allocator.take(len(data), alignment)
        self._pieces.append((address, data))
        return address

    def _queue(self, number: int, queue: QueueImage) -> Queue:
        agent = self._image.agents[queue.agent]
        layout = layout_of(agent.gfx_target_version)
        areas = [save_area(layout, groups) for groups in queue.groups]
        size = max((len(area) for area in areas), default=0)
        size = -(-size // _PAGE_BYTES) * _PAGE_BYTES
        address = self._put(b"".join(area.ljust(size, b"\0") for area in areas))
        addresses = queue.addresses or self._queue_object(number, queue, agent)
        return Queue(
            exception_status=queue.exception_status,
            ring_base_address=addresses.ring,
            write_pointer_address=addresses.object + WRITE_DISPATCH_ID_OFFSET,
            read_pointer_address=addresses.object + READ_DISPATCH_ID_OFFSET,
            ctx_save_restore_address=address,
            queue_id=number,
            gpu_id=agent.gpu_id,
            ring_size=addresses.ring_bytes,
            queue_type=AQL,
            ctx_save_restore_area_size=size,
        )

    def _queue_object(self, number: int, queue: QueueImage, agent: Agent) -> QueueAddresses:
        count = max(_LEAST_PACKETS, 1 << (len(queue.packets) - 1).bit_length())
        ring = self._put(b"".join(queue.packets).ljust(count * PACKET_BYTES, b"\0"))
        write = len(queue.packets) if queue.write_id is None else queue.write_id
        queue_object = QueueObject(
            number, ring, count, 0, agent.lds_base, agent.scratch_base, write, queue.read_id,
            queue.scratch_address, queue.scratch_bytes, queue.tmpring_size,
        )  # fmt: skip
        address = self._allocator.take(_PAGE_BYTES, _PAGE_BYTES)
        self._pieces += placed(address, queue_object.pieces())
        return QueueAddresses(address, ring, count * PACKET_BYTES)

    def _list(self) -> int:
        """Add the runtime's list of code objects; return the address of its `r_debug`."""
        entries = self._image.code_objects
        uris = [entry.uri.encode("utf-8", "surrogateescape") + b"\0" for entry in entries]
        size = R_DEBUG.size + LINK_MAP.size * len(entries)
        base = self._allocator.take(size + sum(map(len, uris)), _PAGE_BYTES)
        first = base + R_DEBUG.size
        data = R_DEBUG.pack(self._image.r_version, first if entries else 0, 0, 0, 0)
        self._pieces.append((base, data + b"".join(_entries(entries, uris, first, base + size))))
        return base


def _entries(
    entries: Sequence[LoadedUri], uris: Sequence[bytes], first: int, names: int
) -> Iterator[bytes]:
    """Yield the `link_map` of each code object, and behind them their URIs."""
    for index, (entry, uri) in enumerate(zip(entries, uris, strict=True)):
        address = first + index * LINK_MAP.size
        after = address + LINK_MAP.size if index + 1 < len(entries) else 0
        before = address - LINK_MAP.size if index else 0
        yield LINK_MAP.pack(entry.load_address, names, 0, after, before)
        names += len(uri)
    yield from uris


def tmpring_size(waves: int, granules: int) -> int:
    """Return COMPUTE_TMPRING_SIZE: the number of waves with scratch memory, and its size for
    each."""
    return waves | granules << 12


def dispatch_packet(
    grid: tuple[int, int, int],
    workgroup: tuple[int, int, int],
    *,
    private_bytes: int = 0,
    group_bytes: int = 0,
    kernel_object: int = 0,
    kernarg_address: int = 0,
    completion_signal: int = 0,
) -> bytes:
    """Return a kernel dispatch packet of three dimensions, with fences of system scope."""
    return pack(
        "<HH3HH3I2I4Q",
        2 | 2 << 9 | 2 << 11,
        3,
        *workgroup,
        0,
        *grid,
        private_bytes,
        group_bytes,
        kernel_object,
        kernarg_address,
        0,
        completion_signal,
    )
