"""`dwarfgpu eval`: a variable of a code object, or operations given as text or hex.

Operations without a program need no session: the modules that they load determine the time of a
short command.
"""

from __future__ import annotations

import argparse
from typing import Final

from dwarfgpu.cli.printing import EVAL_SCHEMA
from dwarfgpu.cli.subject_words import NOTHING, is_expression, require_subject
from dwarfgpu.errors import UsageError
from dwarfgpu.options.context_options import configure as configure_machine
from dwarfgpu.options.context_options import is_without_program
from dwarfgpu.options.demo import add_demo_option, with_demo
from dwarfgpu.options.given_files import POSITIONAL, take_files

SCHEMA: Final = EVAL_SCHEMA
"""Also of errors before anything is evaluated."""


def configure(parser: argparse.ArgumentParser) -> None:
    configure_subject(parser)
    configure_machine(parser, has_operations=True)


def configure_subject(parser: argparse.ArgumentParser) -> None:
    """Add the options that select what to evaluate."""
    parser.add_argument(
        "subject",
        nargs="*",
        metavar="FILE|EXPRESSION|NAME",
        help=f"{POSITIONAL}; the others are DWARF operations as text or, with a code object, "
        f"variables and source expressions (default: all variables in scope); - reads standard "
        "input",
    )
    subject = parser.add_argument_group("what to evaluate")
    subject.add_argument(
        "--hex", action="store_true", help="the operations are given as bytes in hexadecimal"
    )
    subject.add_argument("--file", metavar="FILE", help="an ELF file with DWARF, or a core file")
    subject.add_argument(
        "-e",
        "--expression",
        metavar="TEXT",
        action="append",
        help="operations, in the unit at --pc; repeat the option to append more",
    )
    subject.add_argument(
        "--verify-places",
        action="store_true",
        help="read all places of an object, and compare them",
    )
    add_demo_option(subject)


def run(args: argparse.Namespace) -> int:
    take_files(args, "subject")
    return with_demo(args, _run, lane="all")


def _run(args: argparse.Namespace) -> int:
    if is_without_program(args):
        require_subject(args)
        if args.expression is not None or args.hex or _are_operations(args.subject):
            from dwarfgpu.cli.eval_operations import evaluate_without_program

            return evaluate_without_program(args)
    from dwarfgpu.cli.eval_session import run_in_session  # operations alone need no session

    return run_in_session(args)


def _are_operations(subject: list[str]) -> bool:
    """Return whether words are operations, if there is no code object; `UsageError` for no
    words."""
    if not subject:
        raise UsageError(NOTHING)
    return not all(map(is_expression, subject))
