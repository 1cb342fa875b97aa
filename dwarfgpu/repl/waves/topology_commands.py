"""Commands about the machine above the waves, with ROCgdb's columns.

`?` is a fact that a state does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from dwarfgpu.errors import UsageError
from dwarfgpu.machine.topology import Agent, Dispatch, Machine, Queue, model_of
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import Command, command, subcommand_list
from dwarfgpu.repl.number_lists import listed
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.waves.lane_commands import find_pattern
from dwarfgpu.service.machine.packets_and_signals import (
    packets_of,
)
from dwarfgpu.service.machine.topology_tables import (
    Table,
    agent_table,
    dispatch_id,
    dispatch_table,
    kernel_text,
    queue_table,
)
from dwarfgpu.view.json_object import JsonObject

Item = TypeVar("Item", Agent, Queue, Dispatch)


@command("info agents", topic="stack")
def info_agents(shell: Shell, argument: str) -> Iterator[Part]:
    """List the GPUs of a state.

    Usage: info agents [ID...]
    """
    machine = model_of(shell.session.target)
    if machine is None or not machine.agents:
        yield Output("No agents.", {"agents": []})
        return
    agents = _listed_items(machine.agents, argument, "agent")
    focus = machine.agent_of(shell.session.wave)
    yield from _table(agent_table(shell.session, agents), focus, "agents")


@command("info queues", topic="stack")
def info_queues(shell: Shell, argument: str) -> Iterator[Part]:
    """List the queues of a state.

    Usage: info queues [ID...]
       or: info queue ID packets

    Shows the next packets to be read and written, the size and address of the ring, the signal of
    the doorbell, and the address of the scratch memory. With "packets", shows the AQL packets of a
    queue that are not completed: kernel and agent dispatches, barriers and vendor packets.
    """
    machine = model_of(shell.session.target)
    words = argument.split()
    if machine is not None and len(words) == 2 and words[1] == "packets":
        yield from _packets(shell, machine, words[0])
        return
    if machine is None or not machine.queues:
        yield Output("No queues are currently active.", {"queues": []})
        return
    if words == ["packets"]:
        if len(machine.queues) > 1:
            ids = ", ".join(map(str, machine.queues))
            raise UsageError(f'There are several queues ({ids}): write "info queue ID packets".')
        yield from _packets(shell, machine, str(next(iter(machine.queues))))
        return
    queues = _listed_items(machine.queues, argument, "queue")
    focus = machine.queue_of(shell.session.wave)
    yield from _table(queue_table(shell.session, queues), focus, "queues")


@command("info dispatches", topic="stack", complete=completion.with_options(("-full",)))
def info_dispatches(shell: Shell, argument: str) -> Iterator[Part]:
    """List the kernels that are executing in a state.

    Usage: info dispatches [-full] [ID...]

    Grid and workgroup are in work-items. Fence is B where the packet waits for those before it, A
    and R where it acquires and releases memory of the (a)gent or (s)ystem. -full also shows the
    bytes of LDS per workgroup and of scratch per lane, and the addresses in the packet.
    """
    machine = model_of(shell.session.target)
    if machine is None or not machine.dispatches:
        groups = () if machine is None else machine.workgroups.values()
        if any(group.is_dispatch_unknown for group in groups):
            yield Output("The dispatches of the waves are unknown.", {"dispatches": None})
        else:
            yield Output("No dispatches are currently active.", {"dispatches": []})
        return
    words = argument.split()
    is_full = words[:1] == ["-full"]
    if words[:1] and words[0].startswith("-") and not is_full:
        raise UsageError(f"Unrecognized option at: {words[0]}")
    dispatches = _listed_items(machine.dispatches, " ".join(words[is_full:]), "dispatch")
    table = dispatch_table(shell.session, machine, dispatches, is_full=is_full)
    yield from _table(table, machine.dispatch_of(shell.session.wave), "dispatches")


def _packets(shell: Shell, machine: Machine, word: str) -> Iterator[Part]:
    """Yield the packets of a queue; `*` marks the dispatch in focus."""
    [queue] = _listed_items(machine.queues, word, "queue")
    packets = packets_of(shell.session, queue)
    for note in packets.notes:
        shell.console.note(note)
    if not packets.packets:
        yield Output(f"All packets of queue {queue.id} are completed.", {"packets": []})
        return
    executing = {
        dispatch.packet: dispatch.id
        for dispatch in machine.dispatches.values()
        if dispatch.queue == queue.id
    }
    rows = [
        [
            f"{packet.number}", packet.type_name, packet.fence,
            str(executing.get(packet.number, "-")), packet.contents,
        ]
        for packet in packets.packets
    ]  # fmt: skip
    title = ["PKID", "Type", "Fence", "Dispatch", "Contents"]
    widths = _widths(title, rows)
    focus = machine.dispatch_of(shell.session.wave)
    yield heading(_row(" ", title, widths))
    for packet, row in zip(packets.packets, rows, strict=True):
        dispatch = executing.get(packet.number)
        is_current = focus is not None and dispatch == focus.id
        data: JsonObject = {**packet.record, "dispatch": dispatch, "current": is_current}
        yield Output(_row("*" if is_current else " ", row, widths), data, "packets")


@command("queue find", topic="stack")
def queue_find(shell: Shell, argument: str) -> Iterator[Part]:
    """Find queues by their target ids.

    Usage: queue find REGEXP
    """
    machine = model_of(shell.session.target)
    queues = {} if machine is None else machine.queues
    facts = {queue.id: {"target id": queue.target_id} for queue in queues.values()}
    yield from _matching("queue", "queues", facts, argument)


@command("dispatch find", topic="stack")
def dispatch_find(shell: Shell, argument: str) -> Iterator[Part]:
    """Find dispatches by their target ids and kernels.

    Usage: dispatch find REGEXP
    """
    machine = model_of(shell.session.target)
    facts: dict[int, dict[str, str]] = {}
    for dispatch in () if machine is None else machine.dispatches.values():
        assert machine is not None
        facts[dispatch.id] = {"target id": dispatch_id(machine, dispatch)}
        kernel = kernel_text(shell.session, dispatch)
        if kernel is not None:
            facts[dispatch.id]["Kernel Function"] = kernel
    yield from _matching("dispatch", "dispatches", facts, argument)


def _matching(
    kind: str, plural: str, facts: Mapping[int, Mapping[str, str]], argument: str
) -> Iterator[Part]:
    """Yield a line for each matching fact about an object."""
    pattern = find_pattern(argument)
    matches = [
        (number, label, text)
        for number, texts in facts.items()
        for label, text in texts.items()
        if pattern.search(text)
    ]
    for number, label, text in matches:
        data: JsonObject = {kind: number, label.lower().replace(" ", "-"): text}
        yield Output(f"{kind.capitalize()} {number} has {label} '{text}'", data, "found")
    if not matches:
        yield Output(f"No {plural} match '{argument}'", {"found": []})


def _family(name: str, find: Command) -> Command:
    def run(shell: Shell, argument: str) -> Iterator[Part]:
        yield from subcommand_list(name, [find])

    text = f"Subcommands for {name}.\n\nUsage: {name} find REGEXP"
    return Command(name, text, run, "stack", subcommands=(find,))


queue = _family("queue", queue_find)
dispatch = _family("dispatch", dispatch_find)


def _listed_items(items: Mapping[int, Item], argument: str, kind: str) -> list[Item]:
    words = argument.split()
    chosen = [items[number] for number in (listed(words, items, kind) if words else items)]
    if not chosen:
        plural = {"dispatch": "dispatches"}.get(kind, f"{kind}s")
        raise UsageError(f"No {plural} match '{argument}'.")
    return chosen


def _table(table: Table, focus: Item | None, name: str) -> Iterator[Part]:
    """Yield columns as wide as their contents; `*` marks the focus."""
    widths = _widths(table.title, table.rows)
    yield heading(_row(" ", table.title, widths))
    for row in table.rows:
        is_current = focus is not None and row[0] == str(focus.id)
        text = _row("*" if is_current else " ", row, widths)
        yield Output(text, table.record(row, is_current=is_current), name)


def _widths(title: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(title, *rows, strict=True)]


def _row(mark: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (f"{text:<{width}}" for text, width in zip(cells, widths, strict=True))
    return f"{mark} {' '.join(padded)}".rstrip()
