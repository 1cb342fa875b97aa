"""The operations of the command line: their bytes, their context, and what they give."""

from __future__ import annotations

import argparse

from attrs import evolve

from dwarfgpu.cli import context as options
from dwarfgpu.cli.answers import Answer, of_error, of_result
from dwarfgpu.cli.lane_answers import all_lanes
from dwarfgpu.cli.unit_options import is_object
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.expr.context import Context, Limits, format_of
from dwarfgpu.expr.dialect import AMD_PROVISIONAL, PROVISIONAL, Dialect
from dwarfgpu.expr.evaluate import Result, evaluate
from dwarfgpu.expr.hexinput import parse_hex
from dwarfgpu.expr.prepare import prepare
from dwarfgpu.model.location import Location
from dwarfgpu.session import Session

PROVISIONAL_NOTE = (
    "dialect amd-provisional: operations without a number today have provisional ones of "
    "dwarfgpu's own"
)


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
        return of_error(result, notes)
    if args.verify_places and isinstance(result, Location) and len(result.places) > 1:
        notes = (*notes, *_differing(operations(args, session)[1], result))
    return of_result(result, notes, session.architecture.endian)


def evaluated(args: argparse.Namespace, session: Session) -> Answer:
    """The operations of the command line, evaluated for the focus."""
    return told(args, session, *outcome(args, session))


def _differing(context: Context, result: Location) -> list[str]:
    size_bits = result.remaining_bits
    if size_bits is None or size_bits > 1 << 20:
        return ["--verify-places: the object has no size here; name a variable"]
    return differing_places(context, result, size_bits)


def operations(
    args: argparse.Namespace, session: Session
) -> tuple[bytes, Context, Dialect, tuple[str, ...]]:
    """Bytes, context, dialect and notes of the operations of the command line."""
    context = session.context()
    share = len(all_lanes(session)) if args.lane == "all" else 1
    limits = options.limits_of(args, Limits().steps // share)
    context = evolve(context, limits=limits)
    code_object = session.code_object
    if code_object is not None:
        unit = None if context.pc is None else code_object.scopes.unit_at(context.pc)
        units = code_object.info.units
        context = evolve(context, unit=unit or (units[0].full if units else None))
    chosen = options.chosen_dialect(args, context)
    form = format_of(session.architecture) if context.unit is None else context.unit.format
    text = " ".join(args.subject) if args.expression is None else "; ".join(args.expression)
    notes: tuple[str, ...] = ()
    if args.hex:
        data = parse_hex(text)
    else:
        unnumbered = [name.lower() for name in PROVISIONAL.values() if name not in chosen.codes]
        if args.dialect is None and any(name in text.lower() for name in unnumbered):
            chosen = AMD_PROVISIONAL
        try:
            data = options.assembled(text, chosen, form, session.architecture)
        except UsageError as error:
            if args.subject and not args.file and is_object(args.subject[0]):
                advice = f"to evaluate variables of {args.subject[0]}, give it with --file"
                raise UsageError(f"{error.message}; {advice}") from None
            if text.isidentifier() and not args.file:
                raise UsageError(f"{error.message}; to evaluate a variable, give --file") from None
            raise
    if chosen.provisional:
        notes = (PROVISIONAL_NOTE,)
    notes = (*notes, *prepare(data, chosen, form).notes)
    return data, options.with_entries(args, context, chosen), chosen, notes


def differing_places(context: Context, location: Location, size_bits: int) -> list[str]:
    """What differs between the places of an object."""
    return [
        f"place {index} holds other bits than place 0: the DWARF is ill-formed"
        for index, _ in context.access.differing_places(location, size_bits)
    ]
