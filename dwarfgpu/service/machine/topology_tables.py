"""Agents, queues and dispatches of a machine in tables, with ROCgdb's columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from dwarfgpu.base.printable import on_one_line
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.names.demangle import shown_symbol
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.machine.hsa_structures import KERNEL_DISPATCH_PACKET
from dwarfgpu.machine.topology import Agent, Dispatch, Machine, Position, Queue
from dwarfgpu.service.machine.packets_and_signals import fence_text, queue_member, read_global
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject

UNKNOWN: Final = "?"
"""The cell of a fact that a machine does not have."""


@frozen
class Table:
    """Rows of cells; the first cell is the number of the object."""

    title: Sequence[str]
    rows: Sequence[Sequence[str]]

    def record(self, row: Sequence[str], *, is_current: bool) -> JsonObject:
        """Return a row by the words of the title; null for what is unknown."""
        keys = [word.lower().replace(" ", "-") for word in self.title]
        cells = (None if text == UNKNOWN else text for text in row)
        data: JsonObject = {**dict(zip(keys, cells, strict=True)), "id": int(row[0])}
        return {**data, "current": is_current}


def agent_table(session: Session, agents: Iterable[Agent]) -> Table:
    """Return the GPUs of the machine."""
    title = ("Id", "State", "Target Id", "Architecture", "Device Name", "Cores", "Threads")
    rows = [
        [
            f"{agent.id}",
            "A",
            agent.target_id,
            agent.processor or session.architecture.name,
            UNKNOWN,
            _number_text(agent.cores),
            _number_text(agent.threads),
            agent.location or UNKNOWN,
        ]
        for agent in agents
    ]
    return Table((*title, "Location"), rows)


def queue_table(session: Session, queues: Iterable[Queue]) -> Table:
    """Return the queues of the machine."""
    title = ("Id", "Target Id", "Type", "Read", "Write", "Size", "Address", "Doorbell", "Scratch")
    rows = []
    for queue in queues:
        numbers = [
            _number_text(number) for number in (queue.read, queue.write, queue.packets_bytes)
        ]
        addresses = [
            queue.packets_address,
            queue_member(session, queue, "doorbell_signal"),
            queue_member(session, queue, "scratch_backing_memory_location"),
        ]
        rows.append([f"{queue.id}", queue.target_id, "HSA", *numbers, *map(_address, addresses)])
    return Table(title, rows)


def kernel_text(session: Session, dispatch: Dispatch) -> str | None:
    """Return the kernel of a dispatch as functions are shown; None if it is unknown."""
    if dispatch.kernel is None:
        return None
    return on_one_line(shown_symbol(dispatch.kernel, is_mangled=session.is_mangled))


def dispatch_table(
    session: Session, machine: Machine, dispatches: Iterable[Dispatch], *, is_full: bool
) -> Table:
    """Return the dispatches that are executing; `is_full`: with sizes and addresses of the
    packet."""
    title = ["Id", "Target Id", "Grid", "Workgroup", "Fence"]
    if is_full:
        title += ["Address Spaces", "Kernel Descriptor", "Kernel Args", "Completion Signal"]
    rows = []
    for dispatch in dispatches:
        row = [
            f"{dispatch.id}",
            dispatch_id(machine, dispatch),
            _sizes(dispatch.grid),
            _sizes(dispatch.workgroup),
            _fence(session, machine, dispatch),
        ]
        if is_full:
            group, private = (
                _number_text(dispatch.group_bytes),
                _number_text(dispatch.private_bytes),
            )
            row.append(f"Shared({group}), Private({private})")
            row += map(
                _address, (dispatch.kernel_descriptor, dispatch.kernarg, dispatch.completion_signal)
            )
        rows.append([*row, kernel_text(session, dispatch) or UNKNOWN])
    return Table((*title, "Kernel Function"), rows)


def dispatch_id(machine: Machine, dispatch: Dispatch) -> str:
    """Return `AMDGPU Dispatch A:Q:D (PKID n)`."""
    queue = machine.queues.get(dispatch.queue)
    agent = UNKNOWN if queue is None else str(queue.agent)
    ids = f"{agent}:{dispatch.queue}:{dispatch.id}"
    return f"AMDGPU Dispatch {ids} (PKID {_number_text(dispatch.packet)})"


def _fence(session: Session, machine: Machine, dispatch: Dispatch) -> str:
    """Return `B|Aa|Rs` by the header of the packet (HSA, "AQL packet header"); `?` if unknown."""
    queue, packet = machine.queues.get(dispatch.queue), dispatch.packet
    if queue is None or queue.packets_address is None or packet is None or not queue.packets_bytes:
        return UNKNOWN
    address = (
        queue.packets_address + packet * KERNEL_DISPATCH_PACKET.size_bytes % queue.packets_bytes
    )
    try:
        return fence_text(int.from_bytes(read_global(session, address, 2), "little"))
    except DwarfGpuError:
        return UNKNOWN


def _number_text(number: int | None) -> str:
    return UNKNOWN if number is None else str(number)


def _address(number: int | None) -> str:
    return UNKNOWN if number is None else f"{number:#018x}"


def _sizes(position: Position | None) -> str:
    return "[?,?,?]" if position is None else f"[{','.join(map(str, position))}]"
