"""The commands about lanes and waves, and the families that they are in."""

from __future__ import annotations

from typing import Final

from attrs import evolve

from dwarfgpu.repl.command import Command
from dwarfgpu.repl.stack.frame_commands import frame
from dwarfgpu.repl.stack.frame_words import frame_words
from dwarfgpu.repl.waves.apply import (
    faas,
    frame_apply,
    laas,
    lane_apply,
    lfaas,
    taas,
    tfaas,
    thread_apply,
)
from dwarfgpu.repl.waves.lane_selection import info_lanes, lane, lane_find, lane_name
from dwarfgpu.repl.waves.maint import maintenance
from dwarfgpu.repl.waves.threads import info_threads, info_waves, thread, thread_find, thread_name
from dwarfgpu.repl.waves.topology_commands import (
    dispatch,
    info_agents,
    info_dispatches,
    info_queues,
    queue,
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
