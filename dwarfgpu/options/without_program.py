"""The context of operations without a program: neither a file nor a place in one.

Law: a session from the same options gives the same results, errors and notes
(`tests/cli/test_eval_without_program.py`). A session needs the reader of debug information; this
needs the machine only, so that a short command starts quickly.
"""

from __future__ import annotations

import argparse

from dwarfgpu.arch.registry import architecture
from dwarfgpu.base.json_reader import integer_of
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.convert import memory_location
from dwarfgpu.expr.explicit_context import ExplicitAddress, FrameWithoutProgram
from dwarfgpu.machine.code_object_memory import TargetWithCodeObjects
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.location import Location
from dwarfgpu.options.context_options import DEFAULT_ARCHITECTURE
from dwarfgpu.options.given_contents import (
    explicit_address,
    place_scratch,
    set_memories,
    set_registers,
)
from dwarfgpu.options.limit_options import VARIABLE_STEPS, file_limits_of, limits_of
from dwarfgpu.options.numbers import natural
from dwarfgpu.service.lanes.lane_count import checked_lanes


def is_without_program(args: argparse.Namespace) -> bool:
    """Return whether options name no file and no place in one, and at most one lane."""
    named = (
        *(args.file, args.state, args.core, args.load_address, args.pc, args.frame),
        *(args.sysroot, args.gpu_core, args.code_object),
    )
    is_one_lane = args.lane is None or integer_of(args.lane) is not None
    is_asked_more = args.wave == "all" or args.verify_places
    return not any(named) and is_one_lane and not is_asked_more


def context_of(args: argparse.Namespace) -> tuple[Context, FrameWithoutProgram]:
    """Return the context and its frame, if `is_without_program`. Raises the errors of
    `session_of`."""
    given_lanes = natural(args.lanes, "--lanes")
    if given_lanes is not None:
        checked_lanes(given_lanes)
    file_limits_of(args)
    arch = architecture(args.arch or DEFAULT_ARCHITECTURE)
    machine, wave = StateTarget(arch), natural(args.wave, args.wave_option) or 0
    machine.add_wave(wave)
    target = TargetWithCodeObjects(machine, (), False)
    lane, iteration = natural(args.lane, "--lane"), natural(args.iteration, "--iteration")
    limits = limits_of(args, VARIABLE_STEPS)
    place_scratch(args, machine, wave)
    set_registers(args, target, machine, wave, None)
    set_memories(args, machine, wave, lane)
    lane_count = arch.lane_count if given_lanes is None else given_lanes
    around = Context(architecture=arch, wave=wave, lane=lane, target=target, lane_count=lane_count)

    def place(address: ExplicitAddress | None) -> Location | None:
        if address is None:
            return None
        space = arch.address_space(address.space)
        return memory_location(around, space, address.address, bind_lane=False)

    cfa = explicit_address(args.cfa, "--cfa", arch)
    frame_base = explicit_address(args.frame_base, "--frame-base", arch)
    frame = FrameWithoutProgram(arch, wave, target.stop, place(cfa), place(frame_base))
    context = Context(
        architecture=arch,
        wave=wave,
        lane=lane,
        iteration=iteration,
        frame=frame,
        target=target,
        lane_count=lane_count,
        limits=limits,
        widens_bases=arch.machine == "AMDGPU" and not args.strict,
    )
    return context, frame
