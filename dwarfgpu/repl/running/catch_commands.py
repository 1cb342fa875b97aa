"""`catch`: events that stop the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.machine.topology import model_of
from dwarfgpu.model.storage import Memory
from dwarfgpu.repl.command import Candidate, command
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.running.break_commands import keep
from dwarfgpu.repl.running.catchpoint import Catchpoint, Event
from dwarfgpu.repl.running.runner import runner
from dwarfgpu.repl.shell import Shell
from dwarfgpu.session.session import Session

_POSITION: Final = re.compile(r"[0-9]{1,9}(,[0-9]{1,9}){0,2}")
_ENTRY: Final = 16
"""Offset of KERNEL_CODE_ENTRY_BYTE_OFFSET in a kernel descriptor."""
_EVENTS: Final[dict[str, Event]] = {
    "fault": "fault",
    "dispatch": "dispatch",
    "workgroup": "workgroup",
}


def _events(shell: Shell, word: str) -> Iterator[Candidate]:
    return (Candidate(event) for event in _EVENTS)


def _caught(shell: Shell, argument: str, *, is_temporary: bool) -> Iterator[Part]:
    word, _, numbers = argument.partition(" ")
    numbers = numbers.strip()
    event = _EVENTS.get(word)
    if not word:
        raise UsageError(f"Catch requires an event: one of {', '.join(_EVENTS)}.")
    if event is None:
        name = "tcatch" if is_temporary else "catch"
        raise UsageError(f'Undefined {name} command: "{argument}".  Try "help {name}".')
    runner(shell)
    if numbers and (event != "workgroup" or not _POSITION.fullmatch(numbers)):
        raise UsageError(f"Junk at end of arguments: {numbers}")
    added = Catchpoint(
        shell.breakpoints.new_number(),
        argument,
        disposition="del" if is_temporary else "keep",
        event=event,
        entries=() if event == "fault" else entries_of_kernels(shell.session),
        position=tuple(int(number) for number in numbers.split(",") if number),
    )
    keep(shell, added)
    yield Output(f"{added.kind} {added.number} ({added.text})", {"bkpt": added.record})


def entries_of_kernels(session: Session) -> tuple[int, ...]:
    """Return the first instructions of the kernels of dispatches; `UsageError` where there is
    none."""
    machine, target = model_of(session.target), session.target
    descriptors = () if machine is None else machine.dispatches.values()
    memory, out = Memory(session.architecture.address_space(0)), set()
    for dispatch in descriptors:
        address = dispatch.kernel_descriptor
        try:
            if address is not None and target is not None:
                data = target.read_memory(memory, address + _ENTRY, 8)
                out.add(address + int.from_bytes(data, "little", signed=True))
        except DwarfGpuError:
            continue
    if not out:
        raise UsageError("No dispatch has a known kernel: there is nothing to catch.")
    return tuple(sorted(out))


@command("catch", topic="running", complete=_events, repeats=False)
def catch(shell: Shell, argument: str) -> Iterator[Part]:
    """Stop the program at an event.

    Usage: catch fault | dispatch | workgroup [X[,Y[,Z]]]

    A wave that faults always stops the program; "catch fault" adds a hit count, a condition and
    commands. A dispatch or a workgroup is caught when its first wave is at its first instruction.
    """
    yield from _caught(shell, argument, is_temporary=False)


@command("tcatch", topic="running", complete=_events, repeats=False)
def tcatch(shell: Shell, argument: str) -> Iterator[Part]:
    """Stop the program at an event, once.

    Usage: tcatch fault | dispatch | workgroup [X[,Y[,Z]]]
    """
    yield from _caught(shell, argument, is_temporary=True)
