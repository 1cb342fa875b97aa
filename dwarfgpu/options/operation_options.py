"""Operations on the command line: as text, and what options give an evaluation to begin with."""

from __future__ import annotations

import argparse
from functools import lru_cache

from dwarfgpu.arch.model import Architecture
from dwarfgpu.base import json_reader
from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError, Malformed, UsageError
from dwarfgpu.expr.context import Context, UnitFormat, format_of
from dwarfgpu.expr.dialect.dialect import Dialect
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.model.location import Entry, Location
from dwarfgpu.model.value import Value
from dwarfgpu.options.integer_options import cut_short


def with_entries(args: argparse.Namespace, context: Context, chosen: Dialect) -> Context:
    """Return the context with the object, the initial stack and the result kind of the options."""
    stack = tuple(_entry(text, "--push", context, chosen) for text in args.push)
    object_entry = None if args.object is None else _entry(args.object, "--object", context, chosen)
    if object_entry is not None and not isinstance(object_entry, Location):
        object_entry = evaluate(
            b"", evolve(context, initial_stack=(object_entry,), result_kind="location")
        )
        assert isinstance(object_entry, Location)
    return evolve(context, initial_stack=stack, object=object_entry, result_kind=args.want)


def _entry(text: str, option: str, context: Context, chosen: Dialect) -> Entry:
    number = json_reader.integer_of(text)
    if number is not None:
        bits = context.generic.bit_size
        if not -(1 << bits - 1) <= number < 1 << bits:
            raise UsageError(
                f"{option}: {cut_short(text)} does not fit the {bits}-bit generic type"
            )
        return Value.of(number, context.generic)
    form = context.unit.format if context.unit is not None else format_of(context.architecture)
    data = assembled(text, chosen, form, context.architecture)
    try:
        return evaluate(data, context, dialect=chosen)
    except DwarfGpuError as error:
        raise UsageError(f"{option} {text}: {error}") from None


@lru_cache(maxsize=8)
def assembled(
    text: str, chosen: Dialect, form: UnitFormat, architecture: Architecture | None
) -> bytes:
    """Assemble operations; text that cannot be read raises `UsageError`.

    The bytes depend on nothing but the arguments, which are the same in every lane: they are kept.
    """
    try:
        return assemble(text, chosen, form, architecture)
    except Malformed as error:
        raise UsageError(error.message) from None
