"""Operations on the command line with a program or several lanes."""

from __future__ import annotations

import argparse

from dwarfgpu.base.records import evolve
from dwarfgpu.cli.given_operations import operations
from dwarfgpu.service.eval.operations_answer import Operations
from dwarfgpu.service.lanes.lane_choice import all_lanes
from dwarfgpu.session.session import Session


def session_operations(args: argparse.Namespace, session: Session) -> Operations:
    """Return the operations of the command line, in the focus of a session."""
    context = session.context(evolve(session.frame, cfi_only=True))
    code_object = session.code_object
    if code_object is not None:
        unit = None if context.pc is None else code_object.scopes.unit_at(context.pc)
        units = code_object.info.units
        context = evolve(context, unit=unit or (units[0].full if units else None))
    lanes = len(all_lanes(session)) if args.lane == "all" else 1
    return Operations(*operations(args, context, session.frame, lanes))
