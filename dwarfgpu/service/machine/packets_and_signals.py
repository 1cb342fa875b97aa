"""AQL packets and signals of a stopped machine, decoded from its memory.

Law: unreadable parts say why; a number without a meaning is shown as a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from dwarfgpu.base.records import frozen
from dwarfgpu.errors import DwarfGpuError, Unavailable
from dwarfgpu.language.address_symbols import symbol_text
from dwarfgpu.machine.hsa_structures import (
    AGENT_DISPATCH_PACKET,
    AMD_QUEUE,
    AMD_SIGNAL,
    BARRIER_AND_PACKET,
    HSA_QUEUE,
    KERNEL_DISPATCH,
    KERNEL_DISPATCH_PACKET,
    PACKET_TYPES,
    SIGNAL_KINDS,
    USER_SIGNAL,
    VENDOR_SPECIFIC,
    HsaStructure,
)
from dwarfgpu.machine.topology import Queue
from dwarfgpu.model.storage import Memory
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject

MAX_PACKETS: Final = 10_000
"""Maximum number of packets of a queue to show."""
_DESCRIPTOR_SUFFIX: Final = ".kd"
_SCOPES: Final = {0: "", 1: "a", 2: "s"}
"""The scopes of a fence: none, the agent, the system."""


@frozen
class Packet:
    """A slot of a queue's ring."""

    number: int
    """Its id: how many packets were allocated before it."""
    address: int
    type_name: str
    fence: str
    contents: str
    """The requested work, or why it is unknown."""
    record: JsonObject


@frozen
class Packets:
    """Packets of a queue."""

    packets: tuple[Packet, ...]
    notes: tuple[str, ...] = ()


def fence_text(header: int) -> str:
    """Return `B|Aa|Rs`: whether a packet waits for earlier ones, and the scopes that it acquires
    and releases."""
    acquire, release = (_SCOPES.get(header >> shift & 3, "?") for shift in (9, 11))
    parts = ["B"] if header >> 8 & 1 else []
    parts += [f"A{acquire}"] if acquire else []
    parts += [f"R{release}"] if release else []
    return "|".join(parts) or "-"


def read_global(session: Session, address: int, size_bytes: int) -> bytes:
    """Read global memory of the machine; `Unavailable` with the reason."""
    if session.target is None:
        raise Unavailable("there is no machine")
    memory = Memory(session.architecture.address_space(0))
    return session.target.read_memory(memory, address, size_bytes)


def packets_of(session: Session, queue: Queue) -> Packets:
    """Return the incomplete packets of a queue: from the read index to the write index.

    `Unavailable` if these, or the address of the ring, are unknown.
    """
    ring, size, read, write = queue.packets_address, queue.packets_bytes, queue.read, queue.write
    if ring is None or not size or read is None or write is None:
        raise Unavailable(
            f"the packets of queue {queue.id} are unknown: its ring, read index or write index "
            "is missing"
        )
    slots = size // KERNEL_DISPATCH_PACKET.size_bytes
    notes, count = [], write - read
    if not 0 <= count <= slots:
        notes.append(
            f"queue {queue.id} is inconsistent: {slots} packets in its ring, read index {read}, "
            f"write index {write}"
        )
        count = min(slots, max(0, count))
    if count > MAX_PACKETS:
        notes.append(f"the first {MAX_PACKETS} of {count} packets")
        count = MAX_PACKETS
    packets = tuple(_packet(session, queue, number, slots) for number in range(read, read + count))
    return Packets(packets, tuple(notes))


def _packet(session: Session, queue: Queue, number: int, slots: int) -> Packet:
    size = KERNEL_DISPATCH_PACKET.size_bytes
    address = (queue.packets_address or 0) + number % slots * size
    try:
        data = read_global(session, address, size)
    except DwarfGpuError as error:
        text = f"<unavailable: {error.message}>"
        record: JsonObject = {"packet": number, "address": f"{address:#x}", "error": error.message}
        return Packet(number, address, "?", "?", text, record)
    header = KERNEL_DISPATCH_PACKET.number(data, "header")
    kind = header & 0xFF
    type_name = PACKET_TYPES.get(kind, f"type {kind}")
    contents, members = _contents(session, kind, data)
    record = {
        "packet": number,
        "address": f"{address:#x}",
        "type": type_name,
        "fence": fence_text(header),
        "bytes": data.hex(),
        **members,
    }
    return Packet(number, address, type_name, fence_text(header), contents, record)


def _contents(session: Session, kind: int, data: bytes) -> tuple[str, JsonObject]:
    """Return the work that a packet requests, as text and as data."""
    name = PACKET_TYPES.get(kind)
    if kind == KERNEL_DISPATCH:
        text, members = _kernel_dispatch(session, data)
    elif name == "agent dispatch":
        text, members = _agent_dispatch(data)
    elif name in ("barrier-AND", "barrier-OR"):
        waited = [signal for signal in BARRIER_AND_PACKET.numbers(data, "dep_signal") if signal]
        values = ", ".join(_with_value(session, signal) for signal in waited)
        text = f"waits for {values}" if waited else "waits for no signal"
        members = {"signals": [f"{signal:#x}" for signal in waited]}
    elif kind == VENDOR_SPECIFIC:
        return f"format {data[2]}", {"format": data[2]}
    else:
        return "", {}
    signal = KERNEL_DISPATCH_PACKET.number(data, "completion_signal")
    members["completion_signal"] = f"{signal:#x}" if signal else None
    return text + (f", signals {_with_value(session, signal)}" if signal else ""), members


def _kernel_dispatch(session: Session, data: bytes) -> tuple[str, JsonObject]:
    number = partial(KERNEL_DISPATCH_PACKET.number, data)
    kernel, kernarg = number("kernel_object"), number("kernarg_address")
    grid = [number(f"grid_size_{axis}") for axis in "xyz"]
    workgroup = [number(f"workgroup_size_{axis}") for axis in "xyz"]
    name = _kernel_name(session, kernel)
    shown = name or f"kernel at {kernel:#x}"
    text = f"{shown}, grid {_sizes(grid)}, workgroup {_sizes(workgroup)}, arguments {kernarg:#x}"
    return text, {
        "kernel": name,
        "kernel_object": f"{kernel:#x}",
        "grid": [*grid],
        "workgroup": [*workgroup],
        "kernarg": f"{kernarg:#x}",
        "group_bytes": number("group_segment_size"),
        "private_bytes": number("private_segment_size"),
    }


def _agent_dispatch(data: bytes) -> tuple[str, JsonObject]:
    number = partial(AGENT_DISPATCH_PACKET.number, data)
    kind, returned = number("type"), number("return_address")
    arguments = [f"{argument:#x}" for argument in AGENT_DISPATCH_PACKET.numbers(data, "arg")]
    text = f"function {kind}, arguments {', '.join(arguments)}, result at {returned:#x}"
    return text, {
        "function": kind, "arguments": [*arguments], "return_address": f"{returned:#x}",
    }  # fmt: skip


def _kernel_name(session: Session, descriptor: int) -> str | None:
    name = symbol_text(session, descriptor)
    if name is None or "+" in name or not name.endswith(_DESCRIPTOR_SUFFIX):
        return None
    return name.removesuffix(_DESCRIPTOR_SUFFIX)


def _with_value(session: Session, signal: int) -> str:
    """Return `0x7e0000002040 (value 1)`; the value is `?` where it cannot be read."""
    try:
        data = read_global(session, signal, 16)
    except DwarfGpuError:
        return f"{signal:#x} (value ?)"
    return f"{signal:#x} (value {AMD_SIGNAL.number(data, 'value')})"


def _sizes(sizes: list[int]) -> str:
    return f"[{','.join(map(str, sizes))}]"


def queue_member(session: Session, queue: Queue, name: str) -> int | None:
    """Return an integer of a queue's `amd_queue_t`, or of its `hsa_queue`; None if unknown."""
    structure: HsaStructure = AMD_QUEUE if AMD_QUEUE.has(name) else HSA_QUEUE
    member = structure.member(name)
    if queue.object_address is None:
        return None
    try:
        address = queue.object_address + member.offset_bytes
        return int.from_bytes(read_global(session, address, member.size_bytes), "little")
    except DwarfGpuError:
        return None


@frozen
class Signal:
    """A signal as its memory describes it."""

    address: int
    kind: int
    lines: tuple[str, ...]
    record: JsonObject


def signal_at(session: Session, address: int) -> Signal:
    """Read the `amd_signal_t` at an address; `Unavailable` if its kind cannot be read."""
    data = read_global(session, address, AMD_SIGNAL.member("kind").size_bytes)
    kind = AMD_SIGNAL.number(data, "kind")
    members: dict[str, int] = {}
    for member in AMD_SIGNAL.members:
        try:
            raw = read_global(session, address + member.offset_bytes, member.size_bytes)
        except DwarfGpuError:
            continue
        members[member.name] = int.from_bytes(raw, "little", signed=member.name == "value")
    name, is_user = SIGNAL_KINDS.get(kind, f"kind {kind}"), kind == USER_SIGNAL
    record: JsonObject = {
        "address": f"{address:#x}",
        "kind": name,
        "value": members.get("value") if is_user else None,
        **{key: members.get(key) for key in ("event_id", "start_ts", "end_ts")},
        **{key: _hex(members.get(key)) for key in ("event_mailbox_ptr", "queue_ptr")},
        "hardware_doorbell_ptr": None if is_user else _hex(members.get("hardware_doorbell_ptr")),
    }
    lines = _user_lines(members) if is_user else _doorbell_lines(members)
    return Signal(address, kind, (f"signal {address:#x}: {name}", *lines), record)


def _hex(number: int | None) -> str | None:
    return None if number is None else f"{number:#x}"


def _shown(number: int | None, *, as_hex: bool = False) -> str:
    if number is None:
        return "<unavailable>"
    return f"{number:#x}" if as_hex else str(number)


def _user_lines(members: dict[str, int]) -> Iterator[str]:
    yield f"  value      {_shown(members.get('value'))}"
    mailbox = members.get("event_mailbox_ptr")
    if mailbox:
        yield f"  event      {_shown(members.get('event_id'))}, mailbox {mailbox:#x}"
    start, end = members.get("start_ts"), members.get("end_ts")
    if start or end:
        yield f"  timestamps {_shown(start)} to {_shown(end)}"


def _doorbell_lines(members: dict[str, int]) -> Iterator[str]:
    yield f"  doorbell   {_shown(members.get('hardware_doorbell_ptr'), as_hex=True)}"
    yield f"  queue      {_shown(members.get('queue_ptr'), as_hex=True)}"
