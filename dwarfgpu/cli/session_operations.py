"""The operations of the command line where a session looks at a program or several lanes."""

from __future__ import annotations

import argparse
import contextlib
from typing import Final

from attrs import evolve

from dwarfgpu.access.compare_places import PlaceFinding
from dwarfgpu.cli.operations import operations
from dwarfgpu.errors import DwarfGpuError, EvaluationError
from dwarfgpu.expr.context import Context
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.evaluate import Result, evaluate
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import is_compound
from dwarfgpu.service.answer import Answer, of_error, of_result
from dwarfgpu.service.lane_answer import all_lanes
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.locations import location_text

MOST_COMPARED_BITS: Final = 1 << 20
"""Of a location that is not known to be of an object."""


def session_operations(
    args: argparse.Namespace, session: Session
) -> tuple[bytes, Context, Dialect, tuple[str, ...]]:
    """Bytes, context, dialect and notes of the operations of the command line."""
    context = session.context(evolve(session.frame, cfi_only=True))
    code_object = session.code_object
    if code_object is not None:
        unit = None if context.pc is None else code_object.scopes.unit_at(context.pc)
        units = code_object.info.units
        context = evolve(context, unit=unit or (units[0].full if units else None))
    lanes = len(all_lanes(session)) if args.lane == "all" else 1
    return operations(args, context, session.frame, lanes)


def outcome(
    args: argparse.Namespace, session: Session
) -> tuple[Result | DwarfGpuError, tuple[str, ...]]:
    """What the operations of the command line give in the focus, and what was assumed."""
    data, context, chosen, notes = session_operations(args, session)
    try:
        return evaluate(data, context, dialect=chosen), notes
    except DwarfGpuError as error:
        return error, notes


def answer_of_outcome(
    session: Session,
    result: Result | DwarfGpuError,
    notes: tuple[str, ...],
) -> Answer:
    """An outcome, ready to be shown."""
    if isinstance(result, DwarfGpuError):
        return compared(session, of_error(result, notes))
    found = of_result(result, notes, session.architecture.endian, session.code_objects)
    return compared(session, found, result)


def evaluated(args: argparse.Namespace, session: Session) -> Answer:
    """The operations of the command line, evaluated for the focus."""
    return answer_of_outcome(session, *outcome(args, session))


def compared(session: Session, found: Answer, result: Result | None = None) -> Answer:
    """With what comparing the places of all that was read has found, where that was asked for.

    `result`: of operations; what a location is of is read for it.
    """
    if session.comparison is None:
        return found
    notes = _read_for_comparison(session.context(), result) if isinstance(result, Location) else []
    findings = [_finding_text(each) for each in session.comparison.taken()]
    if not findings and not notes:
        return found
    notes = list(dict.fromkeys((*found.notes, *notes, *findings)))
    status = max(found.status, 1) if findings else found.status
    record: JsonObject = {**found.record}
    if "notes" in record:
        record["notes"] = [*notes]
    return evolve(found, notes=tuple(notes), status=status, record=record)


def _finding_text(finding: PlaceFinding) -> str:
    place = f"place {finding.index}, {_place_text(finding.place)},"
    if finding.other_place is None:
        return f"{place} cannot be read: {finding.reason}"
    other = f"place {finding.other}, {_place_text(finding.other_place)}"
    return f"{place} holds other bits than {other}: the DWARF is ill-formed"


def _place_text(place: SingleLocation) -> str:
    return location_text(Location((place,)))


def _read_for_comparison(context: Context, result: Location) -> list[str]:
    """Read what a location result is of, so that its places are compared."""
    size_bits = result.remaining_bits
    places = result.places
    if size_bits is None or (len(places) == 1 and not is_compound(places[0].storage)):
        return []
    # A whole register or value is the object; from within one nothing tells how far it goes.
    shortest = next(place for place in places if place.remaining_bits == size_bits)
    if shortest.bit_offset or size_bits > MOST_COMPARED_BITS:
        return ["--verify-places: the object has no size here; name a variable"]
    with contextlib.suppress(EvaluationError):  # the location itself is the answer
        context.access.read(result, size_bits)
    return []
