"""Commands about the machine above the waves, with the columns of ROCgdb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dwarfgpu.backends.machine import Dispatch, Machine, Position, Queue
from dwarfgpu.cli.repl.command import command
from dwarfgpu.cli.repl.shell import Shell


@command("info agents", topic="stack")
def info_agents(shell: Shell, argument: str) -> Iterator[str]:
    """List the GPUs of a state.

    Usage: info agents
    """
    machine = shell.values.machine
    if machine is None or not machine.agents:
        yield "No agents."
        return
    focus = machine.agent_of(shell.session.wave)
    rows = [["Id", "State", "Target Id", "Architecture"]]
    for each in machine.agents.values():
        mark = "*" if each is focus else " "
        name = shell.session.architecture.name
        rows.append([f"{mark} {each.id}", "A", f"AMDGPU Agent (GPUID {each.id})", name])
    yield from _table(rows)


@command("info queues", topic="stack")
def info_queues(shell: Shell, argument: str) -> Iterator[str]:
    """List the queues of a state.

    Usage: info queues

    Shown are the next packets to be read and written, and the size and address of the ring.
    """
    machine = shell.values.machine
    if machine is None or not machine.queues:
        yield "No queues are currently active."
        return
    focus = machine.queue_of(shell.session.wave)
    rows = [["Id", "Target Id", "Type", "Read", "Write", "Size", "Address"]]
    for each in machine.queues.values():
        mark = "*" if each is focus else " "
        place = "?" if each.packets_address is None else f"{each.packets_address:#018x}"
        numbers = [_known(number) for number in (each.read, each.write, each.packets_bytes)]
        rows.append([f"{mark} {each.id}", queue_id(each), "HSA", *numbers, place])
    yield from _table(rows)


@command("info dispatches", topic="stack")
def info_dispatches(shell: Shell, argument: str) -> Iterator[str]:
    """List the kernels that are executing in a state.

    Usage: info dispatches

    Grid and workgroup are in work-items, LDS of a workgroup and scratch of a lane in bytes.
    """
    machine = shell.values.machine
    if machine is None or not machine.dispatches:
        yield "No dispatches are currently active."
        return
    focus = machine.dispatch_of(shell.session.wave)
    rows = [["Id", "Target Id", "Grid", "Workgroup", "Address Spaces", "Kernel Function"]]
    for each in machine.dispatches.values():
        mark = "*" if each is focus else " "
        sizes = [_sizes(each.grid), _sizes(each.workgroup)]
        spaces = f"Shared({_known(each.group_bytes)}), Private({_known(each.private_bytes)})"
        name = dispatch_id(machine, each)
        rows.append([f"{mark} {each.id}", name, *sizes, spaces, each.kernel or "?"])
    yield from _table(rows)


def queue_id(queue: Queue) -> str:
    """`AMDGPU Queue A:Q (QID n)`."""
    return f"AMDGPU Queue {queue.agent}:{queue.id} (QID {queue.id})"


def dispatch_id(machine: Machine, dispatch: Dispatch) -> str:
    """`AMDGPU Dispatch A:Q:D (PKID n)`."""
    queue = machine.queues.get(dispatch.queue)
    agent = "?" if queue is None else str(queue.agent)
    place = f"{agent}:{dispatch.queue}:{dispatch.id}"
    return f"AMDGPU Dispatch {place} (PKID {_known(dispatch.packet)})"


def _known(number: int | None) -> str:
    return "?" if number is None else str(number)


def _sizes(position: Position | None) -> str:
    return "[?,?,?]" if position is None else f"[{','.join(map(str, position))}]"


def _table(rows: Sequence[list[str]]) -> Iterator[str]:
    """Columns as wide as what is in them; the first has room for the mark of the focus."""
    head, *others = rows
    lines = [[f"  {head[0]}", *head[1:]], *others]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        cells = (f"{text:<{width}}" for text, width in zip(line, widths, strict=True))
        yield " ".join(cells).rstrip()
