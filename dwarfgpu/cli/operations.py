"""The operations of the command line: their bytes and their context."""

from __future__ import annotations

import argparse
import re
from typing import Final

from attrs import evolve

from dwarfgpu.access.limits import Limits
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import format_of
from dwarfgpu.expr.narrow_bases import narrow_base_notes
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.expr.text.hex_input import parse_hex
from dwarfgpu.options import machine_options as options
from dwarfgpu.options.dialects import PROVISIONAL_NOTE, dialect_for
from dwarfgpu.options.limit_options import limits_of
from dwarfgpu.service.lane_answer import all_lanes
from dwarfgpu.service.operations import Operations
from dwarfgpu.session.read_variable import notes_that_hold
from dwarfgpu.session.session import Session

_EXPECTED: Final = (
    "operations are expected where no code object is given; an expression of the language has a "
    "register ($s4) or an address space (local#0x10) in it"
)
_WORD: Final = re.compile(r"(?<![\w$])[A-Za-z_]\w*")


def names_operation(text: str) -> bool:
    """Whether a word of a text is the name of an operation."""
    return any(each.removeprefix("DW_OP_") in OPERATIONS for each in _WORD.findall(text))


def operations(args: argparse.Namespace, session: Session) -> Operations:
    """The operations of the command line, in the focus of a session."""
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
    return Operations(data, options.with_entries(args, context, chosen), chosen, notes)
