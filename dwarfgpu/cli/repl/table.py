"""All commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.cli.repl.command import Command, command, listed
from dwarfgpu.cli.repl.data import explain, location, output, print_
from dwarfgpu.cli.repl.frame_info import info_frame
from dwarfgpu.cli.repl.lanes import info_lanes, lane
from dwarfgpu.cli.repl.listing import info_line, list_
from dwarfgpu.cli.repl.machine import info_agents, info_dispatches, info_queues
from dwarfgpu.cli.repl.setting_commands import set_, show
from dwarfgpu.cli.repl.shell import Shell
from dwarfgpu.cli.repl.stack import (
    backtrace,
    down,
    frame,
    info_args,
    info_locals,
    info_registers,
    pc,
    up,
)
from dwarfgpu.cli.repl.support import apropos, complete, echo, help_, quit_, source
from dwarfgpu.cli.repl.threads import info_threads, thread
from dwarfgpu.cli.repl.types import ptype, whatis

_INFO: Final = (
    info_agents,
    info_args,
    info_dispatches,
    info_frame,
    info_lanes,
    info_line,
    info_locals,
    info_queues,
    info_registers,
    info_threads,
)


@command("info", topic="data", aliases=("i", "inf"), subcommands=_INFO)
def info(shell: Shell, argument: str) -> Iterator[str]:
    """Show things about the program that is debugged."""
    yield "List of info subcommands:"
    yield ""
    yield from listed(_INFO)


COMMANDS: Final[tuple[Command, ...]] = (
    apropos,
    backtrace,
    complete,
    down,
    echo,
    explain,
    frame,
    help_,
    info,
    lane,
    list_,
    location,
    output,
    pc,
    print_,
    ptype,
    quit_,
    set_,
    show,
    source,
    thread,
    up,
    whatis,
)
