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
from dwarfgpu.expr.dialect.upstream_clang import DescribesFrameBase, notes_that_hold
from dwarfgpu.expr.dialect.vgpr_contents import assumption_notes
from dwarfgpu.expr.lane_zero import lane_zero_notes
from dwarfgpu.expr.narrow_bases import narrow_base_notes
from dwarfgpu.expr.ops.literal import wide_number_notes
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
_WHOLE_BITS: Final = 1 << 64
"""The size of an object without a type: a register is one whole."""


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
    notes = (*dialect_notes(chosen, *named), *notes_that_hold(program.notes, frame))
    notes += wide_number_notes(program.instructions, form.address_size)
    if context.lane is not None:
        notes += lane_zero_notes(program.instructions, _WHOLE_BITS, architecture)
    notes += assumption_notes(program.instructions, context.vgpr_holds, architecture)
    if context.widens_bases and chosen.is_of_compilers:
        notes += narrow_base_notes(program.instructions, architecture, chosen)
    else:
        context = evolve(context, widens_bases=False)
    if not chosen.is_of_compilers:
        context = evolve(context, x87_as_compilers=False, merges_signed=False)
    if context.merges_signed and context.unit is not None:
        from dwarfgpu.expr.merged_types import merged_type_notes  # few commands name a unit

        notes += merged_type_notes(program, architecture, context.unit.base_type)
    return data, with_entries(args, context, chosen), chosen, notes
