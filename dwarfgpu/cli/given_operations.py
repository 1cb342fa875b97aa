"""The operations of the command line: their bytes and their context."""

from __future__ import annotations

import argparse
import re
from typing import Final

from dwarfgpu.base.limits import Limits
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.cli.subject_words import names_operation
from dwarfgpu.errors import UsageError, shortened
from dwarfgpu.expr.bind import prepare
from dwarfgpu.expr.context import Context, format_of
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.dialect.upstream_clang import DescribesFrameBase
from dwarfgpu.expr.operation_notes import operation_notes
from dwarfgpu.expr.text.hex_input import parse_hex
from dwarfgpu.options.dialect_option import dialect_for, dialect_notes
from dwarfgpu.options.limit_options import limits_of
from dwarfgpu.options.operation_options import assembled, with_entries

_EXPECTED: Final = (
    "without a code object, DWARF operations are expected; a source expression must then contain "
    "a register ($s4) or an address space (local#0x10)"
)
_WITH_DOTS: Final = pattern(r"[A-Za-z_]\w*(?:\.[\w+~@-]+)+")
"""A member, or the name of a file."""
_PREFIX: Final = pattern(r"\s*DW_OP_", re.IGNORECASE)


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
            advice = "to evaluate a variable, give its FILE before it"
            if text.isidentifier() and not args.file and "unknown operation" in error.message:
                raise UsageError(f"{error.message}; {advice}") from None
            word = args.subject[0] if args.subject else ""
            if not (args.file or args.state) and _WITH_DOTS.fullmatch(word):
                why = f"{shortened(word)}: No such file or directory, and no operation"
                raise UsageError(f"{why} has that name; {advice}") from None
            if args.expression is not None and text.isidentifier():
                advice = f"-e takes DWARF operations; a variable is given without -e: {text}"
                raise UsageError(f"{error.message}; {advice}") from None
            if args.expression is None and not names_operation(text):
                raise UsageError(f"{error.message}; {_EXPECTED}") from None
            raise
    program = prepare(data, chosen, form)
    if not chosen.is_of_compilers:
        context = evolve(context, widens_bases=False, x87_as_compilers=False, merges_signed=False)
    notes = (*dialect_notes(chosen, *named), *operation_notes(program, context, frame))
    return data, with_entries(args, context, chosen), chosen, notes
