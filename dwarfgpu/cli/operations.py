"""The operations of the command line: their bytes and their context, and how they begin."""

from __future__ import annotations

import argparse
import re
from typing import Final

from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import Context, format_of
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.dialect.upstream_clang import DescribesFrameBase, notes_that_hold
from dwarfgpu.expr.lane_zero import lane_zero_notes
from dwarfgpu.expr.narrow_bases import narrow_base_notes
from dwarfgpu.expr.operation import OPERATIONS
from dwarfgpu.expr.ops.literal import wide_number_notes
from dwarfgpu.expr.text.hex_input import parse_hex
from dwarfgpu.options.dialect_option import dialect_for, dialect_notes
from dwarfgpu.options.expressions import assembled, with_entries
from dwarfgpu.options.limit_options import limits_of
from dwarfgpu.terminal.input import text_input

NOTHING: Final = "nothing to evaluate: give operations, or --file and names"
_EXPECTED: Final = (
    "without a code object, DWARF operations are expected; a source expression must then contain "
    "a register ($s4) or an address space (local#0x10)"
)
_WORD: Final = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_PREFIX: Final = re.compile(r"\s*DW_OP_", re.IGNORECASE)
_BEGINS_EXPRESSION: Final = re.compile(r"""\s*([$*&!~{'"]|sizeof\b)""")
"""No operations begin so."""
_IN_EXPRESSION: Final = re.compile(
    r"\$\w|\b(?:global|generic|region|local|private_lane|private_wave)#\w"
)
"""Registers and addresses, for which an expression of the language needs no types of a file."""

_WHOLE_BITS: Final = 1 << 64
"""The size of an object without a type: a register is one whole."""


def require_subject(args: argparse.Namespace) -> None:
    """Raise `UsageError` if an option lacks another one that it needs."""
    if args.subject == ["-"]:
        args.subject = [text_input(args.subject, None).strip()]
    if args.subject and not args.hex and not "".join(args.subject).strip():
        raise UsageError(NOTHING)  # an empty expression is -e ''
    if args.hex and not args.subject:
        raise UsageError("--hex needs the bytes of an expression")
    if args.expression is not None and args.subject:
        raise UsageError("give operations with -e or as arguments, not both")


def names_operation(text: str) -> bool:
    """Return whether a word of a text is the name of an operation."""
    return any(word.removeprefix("DW_OP_") in OPERATIONS for word in _WORD.findall(text))


def is_expression(text: str) -> bool:
    """Return whether a text can only be an expression of the language, where no code object has
    names."""
    if _BEGINS_EXPRESSION.match(text):
        return True
    return _IN_EXPRESSION.search(text) is not None and not names_operation(text)


def operations(
    args: argparse.Namespace, context: Context, frame: DescribesFrameBase, lanes: int = 1
) -> tuple[bytes, Context, Dialect, tuple[str, ...]]:
    """Return the bytes, context, dialect and notes of the operations of the command line.

    `lanes`: how many of them share the limit of steps.
    """
    architecture = context.architecture
    assert architecture is not None
    context = evolve(context, limits=limits_of(args, Limits().steps // lanes))
    form = format_of(architecture) if context.unit is None else context.unit.format
    text = " ".join(args.subject) if args.expression is None else "; ".join(args.expression)
    unit_dialect = None if context.unit is None else context.unit.dialect
    named = args.dialect, unit_dialect, "" if args.hex else text
    chosen = dialect_for(*named)
    if args.hex:
        data = parse_hex(text)
    else:
        try:
            data = assembled(text, chosen, form, architecture)
        except UsageError as error:
            if _PREFIX.match(text):  # plainly an operation
                raise
            if text.isidentifier() and not args.file and "unknown operation" in error.message:
                advice = "to evaluate a variable, give its FILE before it"
                raise UsageError(f"{error.message}; {advice}") from None
            if args.expression is None and not names_operation(text):
                raise UsageError(f"{error.message}; {_EXPECTED}") from None
            raise
    program = prepare(data, chosen, form)
    notes = (*dialect_notes(chosen, *named), *notes_that_hold(program.notes, frame))
    notes += wide_number_notes(program.instructions, form.address_size)
    if context.lane is not None:
        notes += lane_zero_notes(program.instructions, _WHOLE_BITS, architecture)
    if context.widens_bases and chosen.is_of_compilers:
        notes += narrow_base_notes(program.instructions, architecture, chosen)
    else:
        context = evolve(context, widens_bases=False)
    return data, with_entries(args, context, chosen), chosen, notes
