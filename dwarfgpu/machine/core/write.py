"""Write a core file: an ELF file of type ET_CORE with notes and ranges of memory.

Law: memory is written range by range; no range is buffered twice, and a fill not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from struct import pack
from typing import Final

from dwarfgpu.base.records import fields, frozen
from dwarfgpu.machine.core.gpu.core_state_note import (
    AGENT,
    HEAD,
    QUEUE,
    RUNTIME,
    VERSION,
    Agent,
    CoreState,
    Queue,
)
from dwarfgpu.machine.core.notes import NT_AMDGPU_CORE_STATE
from dwarfgpu.machine.sparse_memory import Data, pieces_of

EM_AMDGPU: Final = 224
ELFOSABI_AMDGPU_HSA: Final = 64
_HEADER_BYTES: Final = 64
_SEGMENT_BYTES: Final = 56
_PN_XNUM: Final = 0xFFFF
_PT_LOAD: Final = 1
_PT_NOTE: Final = 4
_ET_CORE: Final = 4


@frozen(eq=False)
class LoadedRange:
    """A range of memory."""

    address: int
    data: Data
    memory_bytes: int | None = None
    """Larger than `data` if the rest is omitted; None: the same size."""


def core_state_note(state: CoreState) -> bytes:
    """Return the complete note NT_AMDGPU_CORE_STATE."""
    head = HEAD.pack(
        VERSION,
        *state.kfd_version,
        RUNTIME.size,
        len(state.agents),
        AGENT.size,
        len(state.queues),
        QUEUE.size,
    )
    runtime = state.runtime
    parts = [RUNTIME.pack(runtime.r_debug, runtime.state, runtime.ttmp_setup)]
    parts += [AGENT.pack(*_fields(agent)) for agent in state.agents]
    parts += [QUEUE.pack(*_fields(queue)) for queue in state.queues]
    return note("AMDGPU", NT_AMDGPU_CORE_STATE, head + b"".join(parts))


def _fields(entry: Agent | Queue) -> list[int]:
    """Return the fields of an entry, in declaration order."""
    return [getattr(entry, attribute.name) for attribute in fields(type(entry))]


def note(owner: str, kind: int, content: bytes) -> bytes:
    """Return a note of an ELF file, with 4-byte alignment."""
    name = owner.encode("ascii") + b"\0"
    head = pack("<III", len(name), len(content), kind)
    return head + name.ljust(-(-len(name) // 4) * 4, b"\0") + _padded(content)


def _padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // 4) * 4, b"\0")


def core_parts(
    notes: Sequence[bytes],
    ranges: Iterable[LoadedRange],
    machine: int = EM_AMDGPU,
    os_abi: int = ELFOSABI_AMDGPU_HSA,
) -> Iterator[bytes | bytearray]:
    """Yield the bytes of a little-endian core of 64 bits, one part after the other.

    The only section header says how many segments there are, if the ELF header has no room for it
    (System V ABI, "ELF Header", `e_phnum`).
    """
    loads, area = list(ranges), b"".join(notes)
    ident = b"\x7fELF" + bytes((2, 1, 1, os_abi)) + bytes(8)
    count = 1 + len(loads)
    section = b""
    if count >= _PN_XNUM:
        section = pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, count, 0, 0)
    segments_at = _HEADER_BYTES + len(section)
    yield ident + pack(
        "<HHIQQQIHHHHHH", _ET_CORE, machine, 1, 0, segments_at, _HEADER_BYTES if section else 0, 0,
        _HEADER_BYTES, _SEGMENT_BYTES, min(count, _PN_XNUM), len(section), 1 if section else 0, 0,
    ) + section  # fmt: skip
    offset = segments_at + _SEGMENT_BYTES * count
    yield pack("<IIQQQQQQ", _PT_NOTE, 0, offset, 0, 0, len(area), 0, 4)
    file_offset = offset + len(area)
    for load in loads:
        size = len(load.data) if load.memory_bytes is None else load.memory_bytes
        row = _PT_LOAD, 6, file_offset, load.address, 0, len(load.data), size, 1
        yield pack("<IIQQQQQQ", *row)
        file_offset += len(load.data)
    yield area
    for load in loads:
        yield from (piece for _, piece in pieces_of(load.data))
