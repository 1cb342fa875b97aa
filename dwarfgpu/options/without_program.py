"""The context of operations without a program: neither a file nor a location in one.

Law: a session from the same options gives the same results, errors and notes
(`tests/cli/test_eval_without_program.py`). A session needs the reader of debug information; this
needs the machine only, so that a short command starts quickly.
"""

from __future__ import annotations

import argparse

from dwarfgpu.arch.registry import with_lanes
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.dialect.dialect import vgpr_contents
from dwarfgpu.expr.explicit_context import ExplicitAddress, FrameWithoutProgram
from dwarfgpu.expr.implicit_conversions import memory_location
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
from dwarfgpu.options.integer_options import natural, wave_number
from dwarfgpu.options.limit_options import VARIABLE_STEPS, file_limits_of, limits_of
from dwarfgpu.service.lanes.lane_count import check_lanes, checked_lanes


def context_of(args: argparse.Namespace) -> tuple[Context, FrameWithoutProgram]:
    """Return the context and its frame, if `is_without_program`. Raises the errors of
    `session_of`."""
    given_lanes = natural(args.lanes, "--lanes")
    if given_lanes is not None:
        checked_lanes(given_lanes)
    file_limits_of(args)
    arch = with_lanes(args.arch or DEFAULT_ARCHITECTURE, given_lanes)
    machine, wave = StateTarget(arch), wave_number(args.wave, args.wave_option) or 0
    machine.add_wave(wave)
    target = TargetWithCodeObjects(machine, (), False)
    lane, iteration = natural(args.lane, "--lane"), natural(args.iteration, "--iteration")
    if args.arch is not None or given_lanes is None:
        check_lanes(given_lanes, lane, arch)
    limits = limits_of(args, VARIABLE_STEPS)
    place_scratch(args, machine, wave)
    set_registers(args, target, machine, wave, None)
    set_memories(args, machine, wave, lane)
    lane_count = arch.lane_count if given_lanes is None else given_lanes
    around = Context(architecture=arch, wave=wave, lane=lane, target=target, lane_count=lane_count)

    def explicit_location(address: ExplicitAddress | None) -> Location | None:
        if address is None:
            return None
        space = arch.address_space(address.space)
        return memory_location(around, space, address.address, bind_lane=False)

    cfa = explicit_address(args.cfa, "--cfa", arch)
    frame_base = explicit_address(args.frame_base, "--frame-base", arch)
    frame = FrameWithoutProgram(
        arch, wave, target.stop, explicit_location(cfa), explicit_location(frame_base)
    )
    context = Context(
        architecture=arch,
        wave=wave,
        lane=lane,
        iteration=iteration,
        frame=frame,
        target=target,
        lane_count=lane_count,
        limits=limits,
        widens_bases=arch.widens_bases and not args.strict,
        x87_as_compilers=not args.strict,
        merges_signed=not args.strict,
        vgpr_holds=vgpr_contents(args.quirk),
    )
    return context, frame
