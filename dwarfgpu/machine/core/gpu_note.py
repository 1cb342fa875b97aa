"""The note that tells of AMD GPUs in a core file: NT_AMDGPU_CORE_STATE, version 1.

It is the runtime's state, the agents and the queues; the waves are in the save areas of the queues.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.bits import Reader
from dwarfgpu.base.lazy_attrs import frozen
from dwarfgpu.errors import Malformed, Unsupported

VERSION: Final = 1
_GPU_ID_AT: Final = 0x38
_TARGET_AT: Final = 0x58
_AGENT_BYTES: Final = 0x78
_QUEUE_BYTES: Final = 0x40


@frozen
class Agent:
    """A GPU."""

    gpu_id: int
    processor: str
    """Its processor by the version of the target, `gfx942`."""


@frozen
class GpuState:
    """What the note tells of the GPUs of a process."""

    agents: tuple[Agent, ...]
    queue_count: int


def gpu_state(reader: Reader) -> GpuState:
    """The note; `Malformed` where its sizes do not fit, `Unsupported` for another version."""
    version = reader.unsigned(8)
    if version != VERSION:
        raise Unsupported(f"version {version} of NT_AMDGPU_CORE_STATE")
    reader.take(8)  # of the driver's interface
    runtime_bytes = reader.unsigned(8)
    agent_count, agent_bytes, queue_count, queue_bytes = (reader.unsigned(4) for _ in range(4))
    sizes = (runtime_bytes, agent_bytes if agent_count else 0, queue_bytes if queue_count else 0)
    if any(each % 8 for each in sizes):
        raise Malformed("entries of NT_AMDGPU_CORE_STATE are not of a multiple of 8 bytes")
    if agent_count and agent_bytes < _AGENT_BYTES or queue_count and queue_bytes < _QUEUE_BYTES:
        raise Malformed("entries of NT_AMDGPU_CORE_STATE are too short")
    if runtime_bytes + agent_count * agent_bytes + queue_count * queue_bytes != (
        reader.remaining_bytes
    ):
        raise Malformed("NT_AMDGPU_CORE_STATE is not as long as what it has")
    reader.take(runtime_bytes)
    agents = tuple(
        _agent(Reader(reader.take(agent_bytes), reader.endian)) for _ in range(agent_count)
    )
    return GpuState(agents, queue_count)


def _agent(reader: Reader) -> Agent:
    data, endian = reader.data, reader.endian
    gpu_id, target = (int.from_bytes(data[at : at + 4], endian) for at in (_GPU_ID_AT, _TARGET_AT))
    major, minor, step = target // 10_000, target // 100 % 100, target % 100
    return Agent(gpu_id, f"gfx{major}{minor:x}{step:x}")
