"""The operations of the command line: their bytes, their context, and what they give."""

from __future__ import annotations

import argparse
import contextlib
import re
from typing import Final

from attrs import evolve

from dwarfgpu.access.compare_places import PlaceFinding
from dwarfgpu.access.limits import Limits
from dwarfgpu.errors import DwarfGpuError, EvaluationError, UsageError
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import Context, format_of
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.evaluate import Result, evaluate
from dwarfgpu.expr.narrow_bases import narrow_base_notes
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.expr.text.hex_input import parse_hex
from dwarfgpu.model.location import Location, SingleLocation
from dwarfgpu.model.storage import is_compound
from dwarfgpu.options import machine_options as options
from dwarfgpu.options.dialects import PROVISIONAL_NOTE, dialect_for
from dwarfgpu.options.limit_options import limits_of
from dwarfgpu.service.answer import Answer, of_error, of_result
from dwarfgpu.service.lane_answer import all_lanes
from dwarfgpu.session.read_variable import notes_that_hold
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.locations import location_text

MOST_COMPARED_BITS: Final = 1 << 20
"""Of a location that is not known to be of an object."""


_EXPECTED: Final = (
    "operations are expected where no code object is given; an expression of the language has a "
    "register ($s4) or an address space (local#0x10) in it"
)
_WORD: Final = re.compile(r"(?<![\w$])[A-Za-z_]\w*")


def names_operation(text: str) -> bool:
    """Whether a word of a text is the name of an operation."""
    return any(each.removeprefix("DW_OP_") in OPERATIONS for each in _WORD.findall(text))


def outcome(
    args: argparse.Namespace, session: Session
) -> tuple[Result | DwarfGpuError, tuple[str, ...]]:
    """What the operations of the command line give in the focus, and what was assumed."""
    data, context, chosen, notes = operations(args, session)
    try:
        return evaluate(data, context, dialect=chosen), notes
    except DwarfGpuError as error:
        return error, notes


def told(
    args: argparse.Namespace,
    session: Session,
    result: Result | DwarfGpuError,
    notes: tuple[str, ...],
) -> Answer:
    """An outcome, ready to be shown."""
    if isinstance(result, DwarfGpuError):
        return compared(session, of_error(result, notes))
    found = of_result(result, notes, session)
    return compared(session, found, result)


def evaluated(args: argparse.Namespace, session: Session) -> Answer:
    """The operations of the command line, evaluated for the focus."""
    return told(args, session, *outcome(args, session))


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


def operations(
    args: argparse.Namespace, session: Session
) -> tuple[bytes, Context, Dialect, tuple[str, ...]]:
    """Bytes, context, dialect and notes of the operations of the command line."""
    context = session.context(evolve(session.frame, cfi_only=True))
    share = len(all_lanes(session)) if args.lane == "all" else 1
    limits = limits_of(args, Limits().steps // share)
    context = evolve(context, limits=limits)
    code_object = session.code_object
    if code_object is not None:
        unit = None if context.pc is None else code_object.scopes.unit_at(context.pc)
        units = code_object.info.units
        context = evolve(context, unit=unit or (units[0].full if units else None))
    form = format_of(session.architecture) if context.unit is None else context.unit.format
    text = " ".join(args.subject) if args.expression is None else "; ".join(args.expression)
    notes: tuple[str, ...] = ()
    unit_dialect = None if context.unit is None else context.unit.dialect
    chosen = dialect_for(args.dialect, unit_dialect, "" if args.hex else text)
    if args.hex:
        data = parse_hex(text)
    else:
        try:
            data = options.assembled(text, chosen, form, session.architecture)
        except UsageError as error:
            if text.isidentifier() and not args.file and "unknown operation" in error.message:
                advice = "to evaluate a variable, give its FILE before it"
                raise UsageError(f"{error.message}; {advice}") from None
            if args.expression is None and not names_operation(text):
                raise UsageError(f"{error.message}; {_EXPECTED}") from None
            raise
    if chosen.provisional:
        notes = (PROVISIONAL_NOTE,)
    program = prepare(data, chosen, form)
    notes = (*notes, *notes_that_hold(program.notes, session.frame))
    if session.widens_bases and chosen.is_of_compilers:
        notes += narrow_base_notes(program.instructions, session.architecture, chosen)
    else:
        context = evolve(context, widens_bases=False)
    return data, options.with_entries(args, context, chosen), chosen, notes
