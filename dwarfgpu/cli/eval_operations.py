"""`dwarfgpu eval` of operations without a program, which need no session."""

from __future__ import annotations

import argparse
import sys

from dwarfgpu.cli.given_operations import operations
from dwarfgpu.cli.printing import EVAL_SCHEMA, print_json, print_notes
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.options.without_program import context_of
from dwarfgpu.service.answer import Answer, of_error, of_result


def evaluate_without_program(args: argparse.Namespace) -> int:
    """Evaluate operations in a context that comes from options only."""
    answer = _answer(args)
    if args.json:
        print_json({"schema": EVAL_SCHEMA, **answer.record})
    elif answer.error is not None:
        print(f"dwarfgpu: {answer.text}", file=sys.stderr)
    else:
        print(answer.text)
    if not args.json:
        print_notes(answer.notes)
    return answer.status


def _answer(args: argparse.Namespace) -> Answer:
    context, frame = context_of(args)
    data, context, dialect, notes = operations(args, context, frame)
    try:
        result = evaluate(data, context, dialect=dialect)
    except DwarfGpuError as error:
        return of_error(error, notes)
    return of_result(result, notes, frame.architecture.endian)
