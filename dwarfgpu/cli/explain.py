"""`dwarfgpu explain`: every step, and why the result is as it is, or missing."""

from __future__ import annotations

import argparse

from dwarfgpu.base.records import evolve
from dwarfgpu.cli.eval import configure_subject
from dwarfgpu.cli.eval_session import is_operations, session_for
from dwarfgpu.cli.printing import context_notes, print_json, print_notes
from dwarfgpu.cli.session_operations import session_operations
from dwarfgpu.errors import UsageError
from dwarfgpu.expr.evaluate import Observer, Result, evaluate
from dwarfgpu.options.context_options import configure as configure_machine
from dwarfgpu.options.demo import with_demo
from dwarfgpu.options.given_files import take_files
from dwarfgpu.options.integer_options import natural
from dwarfgpu.service.explain import (
    SCHEMA,
    Explanation,
    explain_evaluation,
    explain_subject,
)
from dwarfgpu.service.value.location_differences import compared
from dwarfgpu.service.value.subject import or_operations
from dwarfgpu.session.session import Session
from dwarfgpu.view.lane_position import telling_outer_frame
from dwarfgpu.view.step_text import WHOLE


def configure(parser: argparse.ArgumentParser) -> None:
    configure_subject(parser)
    parser.add_argument(
        "--depth", metavar="N|all",
        help="the depth to which to explain what operations used: frame bases, canonical frame "
        "addresses, registers of outer frames, values on entry, called expressions; default: 0",
    )  # fmt: skip
    configure_machine(parser, has_operations=True)


def depth_of(text: str | None, option: str) -> int:
    """Return the depth of an explanation."""
    return WHOLE if text == "all" else natural(text, option) or 0


def run(args: argparse.Namespace) -> int:
    take_files(args, "subject")
    return with_demo(args, _run)


def _run(args: argparse.Namespace) -> int:
    if args.lane == "all":
        raise UsageError("explain works on one lane, not all: give --lane N")
    depth = depth_of(args.depth, "--depth")
    session = session_for(args)
    with telling_outer_frame(session):
        explanation = _explanation(args, session, 0 if args.json else depth)
        explanation = evolve(explanation, answer=compared(session, explanation.answer))
    if args.json:
        notes = context_notes(session, session.damage())
        print_json({"schema": SCHEMA, **explanation.record, **notes})
    else:
        print(explanation.text(depth))
        print_notes([*explanation.answer.notes, *session.damage()])
    return explanation.answer.status


def _explanation(args: argparse.Namespace, session: Session, depth: int) -> Explanation:
    if is_operations(args, session):
        return explain_operations(args, session)
    if len(args.subject) != 1:
        count = f"not {len(args.subject)}" if args.subject else "none is given"
        raise UsageError(f"explain takes one name or expression: {count}")
    (text,) = args.subject
    try:
        return explain_subject(session, text, depth=depth)
    except UsageError as error:
        raise or_operations(session, text, error) from None


def explain_operations(args: argparse.Namespace, session: Session) -> Explanation:
    """Explain the operations of the command line."""
    operations = session_operations(args, session)

    def ask(observe: Observer) -> Result:
        return evaluate(
            operations.data, operations.context, dialect=operations.dialect, observe=observe
        )

    heading = f"in dialect {operations.dialect}"
    return explain_evaluation(session, ask, heading, operations.notes)
