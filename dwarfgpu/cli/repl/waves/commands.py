"""The commands about lanes and waves, and the families that they are in."""

from __future__ import annotations

from typing import Final

from attrs import evolve

from dwarfgpu.cli.repl.command import Command
from dwarfgpu.cli.repl.stack.commands import frame
from dwarfgpu.cli.repl.stack.frame_words import frame_words
from dwarfgpu.cli.repl.waves.apply import (
    faas,
    frame_apply,
    laas,
    lane_apply,
    lfaas,
    taas,
    tfaas,
    thread_apply,
)
from dwarfgpu.cli.repl.waves.lanes import info_lanes, lane, lane_find, lane_name
from dwarfgpu.cli.repl.waves.machine import (
    dispatch,
    info_agents,
    info_dispatches,
    info_queues,
    queue,
)
from dwarfgpu.cli.repl.waves.maint import maintenance
from dwarfgpu.cli.repl.waves.threads import (
    info_threads,
    info_waves,
    thread,
    thread_find,
    thread_name,
)

GPU_INFO: Final[tuple[Command, ...]] = (
    info_agents,
    info_dispatches,
    info_lanes,
    info_queues,
    info_threads,
    info_waves,
)
GPU_COMMANDS: Final[tuple[Command, ...]] = (
    dispatch,
    faas,
    evolve(frame, subcommands=(frame_apply, *frame_words(frame)), takes_other=True),
    laas,
    evolve(lane, subcommands=(lane_apply, lane_find, lane_name)),
    lfaas,
    maintenance,
    queue,
    taas,
    tfaas,
    evolve(thread, subcommands=(thread_apply, thread_find, thread_name)),
)
