"""NT_AMDGPU_CORE_STATE, version 1: the runtime, the agents and the queues of a process.

LLVM calls the note NT_AMDGPU_KFD_CORE_STATE.

The structures are those of Linux' KFD (`kfd_runtime_info`, `kfd_dbg_device_info_entry`,
`kfd_queue_snapshot_entry`), little endian. Law: an entry may be longer than the known one; its size
locates the next one. `waves` finds the waves in the save areas of the queues.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from dwarfgpu.base.byte_reader import Reader
from dwarfgpu.base.records import frozen
from dwarfgpu.errors import LimitExceeded, Malformed, Unsupported

NOTE: Final = "NT_AMDGPU_CORE_STATE"
VERSION: Final = 1
HEAD: Final = Struct("<QIIQIIII")
"""Version, KFD's major and minor, size of the runtime's entry, count and size of agents, of
queues."""
RUNTIME: Final = Struct("<QII")
AGENT: Final = Struct("<7Q16I")
QUEUE: Final = Struct("<5Q6I")
AQL: Final = 2
"""The supported queue type: compute queues of AQL packets."""
MAX_ENTRIES: Final = 4_096
"""GPUs, and queues, of a process: Linux' driver has at most a thousand queues for one."""
QUEUE_TYPES: Final = {0: "PM4", 1: "SDMA", AQL: "AQL", 3: "SDMA-XGMI"}
_TTMPS_ALWAYS: Final = 0x400
"""Bit of `debug_prop`: the packet processor initializes TTMPs even without a debugger."""


@frozen
class Runtime:
    """`kfd_runtime_info`."""

    r_debug: int = 0
    """Address of the `struct r_debug` with the list of code objects."""
    state: int = 1
    ttmp_setup: int = 1
    """Not 0: TTMPs of every wave were initialized with the wave's ids."""


@frozen
class Agent:
    """`kfd_dbg_device_info_entry`: a GPU."""

    exception_status: int
    lds_base: int
    lds_limit: int
    """The last address of the aperture."""
    scratch_base: int
    scratch_limit: int
    gpuvm_base: int
    gpuvm_limit: int
    gpu_id: int
    location_id: int
    vendor_id: int
    device_id: int
    revision_id: int
    subsystem_vendor_id: int
    subsystem_device_id: int
    fw_version: int
    gfx_target_version: int
    """major * 10000 + minor * 100 + stepping."""
    simd_count: int
    max_waves_per_simd: int
    array_count: int
    simd_arrays_per_engine: int
    num_xcc: int
    capability: int
    debug_prop: int

    @property
    def processor(self) -> str:
        """The processor by the version of the target, `gfx942`."""
        version = self.gfx_target_version
        return f"gfx{version // 10_000}{version // 100 % 100:x}{version % 100:x}"

    @property
    def location(self) -> str:
        """The address on the PCI bus: `43:00.0`, after a domain that is not 0."""
        domain, bus_device_function = divmod(self.location_id, 1 << 16)
        bus, device, function = (
            bus_device_function >> 8,
            bus_device_function >> 3 & 0x1F,
            bus_device_function & 7,
        )
        return f"{f'{domain:04x}:' if domain else ''}{bus:02x}:{device:02x}.{function}"

    @property
    def xcc_count(self) -> int:
        """The number of XCCs: each has a save area of its own in a queue."""
        return max(1, self.num_xcc)

    @property
    def shader_engines(self) -> int:
        """The shader engines of all XCCs together; 0 where the entry does not say."""
        if not self.simd_arrays_per_engine:
            return 0
        return self.array_count * self.xcc_count // self.simd_arrays_per_engine

    @property
    def has_ttmps_always(self) -> bool:
        return bool(self.debug_prop & _TTMPS_ALWAYS)


@frozen
class Queue:
    """`kfd_queue_snapshot_entry`."""

    exception_status: int
    """Bit N is exception code N + 1."""
    ring_base_address: int
    write_pointer_address: int
    read_pointer_address: int
    """The address of `read_dispatch_id` in the `amd_queue_t`."""
    ctx_save_restore_address: int
    """The address of the save area of the first XCC."""
    queue_id: int
    gpu_id: int
    ring_size: int
    """Bytes."""
    queue_type: int
    ctx_save_restore_area_size: int
    """Bytes, of each XCC."""
    reserved: int = 0

    @property
    def type_name(self) -> str:
        return QUEUE_TYPES.get(self.queue_type, f"type {self.queue_type}")


@frozen
class CoreState:
    """The contents of the note."""

    runtime: Runtime
    agents: tuple[Agent, ...]
    queues: tuple[Queue, ...]
    kfd_version: tuple[int, int] = (1, 18)
    """Major and minor number of the driver's interface."""


def read_core_state(reader: Reader) -> CoreState:
    """Read the note; `Malformed` if its sizes do not fit, `Unsupported` for another version,
    `LimitExceeded` for more than `MAX_ENTRIES`."""
    version = reader.unsigned(8)
    if version != VERSION:
        raise Unsupported(f"version {version} of {NOTE}")
    major, minor = reader.unsigned(4), reader.unsigned(4)
    runtime_bytes = reader.unsigned(8)
    agent_count, agent_bytes, queue_count, queue_bytes = (reader.unsigned(4) for _ in range(4))
    sizes = (runtime_bytes, agent_bytes if agent_count else 0, queue_bytes if queue_count else 0)
    if any(size % 8 for size in sizes):
        raise Malformed(f"entries of {NOTE} are not of a multiple of 8 bytes")
    least_sizes = (RUNTIME.size, agent_count and AGENT.size, queue_count and QUEUE.size)
    if any(size < least for size, least in zip(sizes, least_sizes, strict=True)):
        raise Malformed(f"entries of {NOTE} are too short")
    if runtime_bytes + agent_count * agent_bytes + queue_count * queue_bytes != (
        reader.remaining_bytes
    ):
        raise Malformed(f"{NOTE} has another size than its entries")
    if max(agent_count, queue_count) > MAX_ENTRIES:
        raise LimitExceeded(
            f"{NOTE} lists {agent_count} GPUs and {queue_count} queues; at most {MAX_ENTRIES} "
            "are read"
        )
    runtime = Runtime(*RUNTIME.unpack_from(reader.take(runtime_bytes)))
    agents = tuple(Agent(*AGENT.unpack_from(reader.take(agent_bytes))) for _ in range(agent_count))
    queues = tuple(Queue(*QUEUE.unpack_from(reader.take(queue_bytes))) for _ in range(queue_count))
    return CoreState(runtime, agents, queues, (major, minor))
