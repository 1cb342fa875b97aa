"""`dwarfgpu eval`: a variable of a code object, or operations given as text or hex."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from dwarfgpu.cli.operations import evaluated, names_operation, outcome, told
from dwarfgpu.cli.positioned import positioned
from dwarfgpu.cli.printing import (
    EVAL_SCHEMA,
    Headings,
    context_notes,
    print_json,
    print_notes,
)
from dwarfgpu.errors import InconsistentContext, UsageError
from dwarfgpu.machine.target import Named
from dwarfgpu.options import machine_options as options
from dwarfgpu.options.demo import with_demo
from dwarfgpu.options.given_files import POSITIONAL, take_files
from dwarfgpu.service.answer import Answer, of_error
from dwarfgpu.service.lane_answer import (
    LaneAnswer,
    chosen_states,
    is_choice,
    lane_lines,
    lane_notes,
    lane_records,
    lane_status,
)
from dwarfgpu.session.all_lanes import evaluate_for_lanes, of_each_lane
from dwarfgpu.session.kernel_start import is_before_start
from dwarfgpu.session.session import LaneState, Session
from dwarfgpu.terminal.input import text_input
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.position import telling_outer_frame

_BEGINS_EXPRESSION: Final = re.compile(r"""\s*([$*&!~{'"]|sizeof\b)""")
"""No operations begin so."""
_IN_EXPRESSION: Final = re.compile(
    r"\$\w|\b(?:global|generic|region|local|private_lane|private_wave)#\w"
)
"""Registers and addresses, of which an expression of the language needs no types of a file."""
NOTHING = "nothing to evaluate: give operations, or --file and names"


def configure(parser: argparse.ArgumentParser) -> None:
    configure_subject(parser)
    options.configure(parser)


def configure_subject(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is evaluated."""
    parser.add_argument(
        "subject",
        nargs="*",
        metavar="FILE|EXPRESSION|NAME",
        help=f"{POSITIONAL}; operations as text; with a code object, names of variables (none: "
        "all in scope); - for standard input",
    )
    subject = parser.add_argument_group("what is evaluated")
    subject.add_argument("--hex", action="store_true", help="the operations are bytes in hex")
    subject.add_argument("--file", metavar="FILE", help="an ELF file with DWARF, or a core file")
    subject.add_argument(
        "-e",
        "--expression",
        metavar="TEXT",
        action="append",
        help="operations, in the unit at --pc; given again, they go on",
    )
    subject.add_argument(
        "--verify-places", action="store_true", help="read all places of an object and compare"
    )
    subject.add_argument(
        "--demo", action="store_true", help="use the kernel and the state that come with dwarfgpu"
    )


def run(args: argparse.Namespace) -> int:
    take_files(args, "subject")
    return with_demo(args, _run, lane="all")


def _run(args: argparse.Namespace) -> int:
    args.lanes_wanted = None
    if is_choice(args.lane):
        args.lanes_wanted, args.lane = args.lane, "all"
    if args.wave == "all":
        return _all_waves(args)
    session = session_for(args)
    with telling_outer_frame(session):
        return _of_session(args, session)


def _all_waves(args: argparse.Namespace) -> int:
    """The same question to every wave."""
    status, records = 0, list[JsonObject]()
    require_subject(args)
    sessions = options.sessions_of_waves(args, [args.file] if args.file else [])
    if args.verify_places:
        sessions = [session.comparing() for session in sessions]
    notes: dict[str, None] = {}
    heads = Headings(shared=not args.json and all(map(is_before_start, sessions)))
    if args.lane == "all":
        shows = _of_lanes(args, sessions, notes, heads)
    else:
        shows = [partial(_of_lane, args, session, notes, heads) for session in sessions]
    for session, show in zip(sessions, shows, strict=True):
        if not args.json:
            heads.start(_wave_title(session))
        out = io.StringIO()
        with contextlib.redirect_stdout(out) if args.json else contextlib.nullcontext():
            status = max(status, show())
        if not heads.shared:
            heads.show()
        if args.json:
            records.append({"wave": session.wave, **json.loads(out.getvalue())})
            del records[-1]["schema"]
            records[-1].pop("context_notes", None)
    if args.json:
        print_json({"schema": EVAL_SCHEMA, "waves": [*records], **context_notes(sessions[0])})
    else:
        print_notes(notes)
    return status


def _wave_title(session: Session) -> str:
    if isinstance(session.target, Named) and session.architecture.is_simt:
        return f"{session.target.target_id(session.wave)}:"
    return f"Thread {session.wave}:"


def _of_lanes(
    args: argparse.Namespace,
    sessions: Sequence[Session],
    notes: dict[str, None],
    heads: Headings,
) -> list[Callable[[], int]]:
    """What prints the answers of the lanes of each wave, gathers the notes, and gives the status.

    The lanes of all waves are asked together.
    """
    if is_operations(args, sessions[0]):
        found = zip(sessions, _operations_of_waves(args, sessions), strict=True)
        return [partial(_show_operations, args, *each, notes, heads) for each in found]
    from dwarfgpu.cli.eval_variables import of_lanes  # operations need no types and printers

    return of_lanes(args, sessions, notes, heads)


def _of_session(args: argparse.Namespace, session: Session) -> int:
    notes: dict[str, None] = {}
    heads = Headings(shared=False)
    if args.lane == "all":
        [show] = _of_lanes(args, [session], notes, heads)
        status = show()
    else:
        status = _of_lane(args, session, notes, heads)
    if not args.json:
        print_notes(notes)
    return status


def _of_lane(
    args: argparse.Namespace, session: Session, notes: dict[str, None], heads: Headings
) -> int:
    """Print the answers for one lane, and gather the notes; the status."""
    if is_operations(args, session):
        return _operations(args, session, notes, heads)
    from dwarfgpu.cli.eval_variables import of_session  # operations need no types and printers

    return of_session(args, session, notes, heads)


def require_subject(args: argparse.Namespace) -> None:
    """`UsageError` where options that need each other are not all there."""
    if args.subject == ["-"]:
        args.subject = [text_input(args.subject, None).strip()]
    if args.subject and not args.hex and not "".join(args.subject).strip():
        raise UsageError(NOTHING)  # an empty expression is -e ''
    if args.hex and not args.subject:
        raise UsageError("--hex needs the bytes of an expression")
    if args.expression is not None and args.subject:
        raise UsageError("give operations with -e or as arguments, not both")


def session_for(args: argparse.Namespace) -> Session:
    """The session of the options, and a check of those that need each other."""
    require_subject(args)
    session = options.session_of(args, [args.file] if args.file else [])
    if not args.json:
        print_notes(session.notes)
    return session.comparing() if args.verify_places else session


def is_operations(args: argparse.Namespace, session: Session) -> bool:
    """Whether operations are evaluated, not variables of a code object (of `--file`, a state)."""
    if args.expression is not None or args.hex:
        return True
    if session.code_objects or ((args.state or args.core) and not args.subject):
        return False
    if args.subject and all(map(_is_expression, args.subject)):
        return False
    if not args.subject:
        raise UsageError(NOTHING)
    return True


def _is_expression(text: str) -> bool:
    """Whether a text can only be an expression of the language, where no code object has names."""
    if _BEGINS_EXPRESSION.match(text):
        return True
    return _IN_EXPRESSION.search(text) is not None and not names_operation(text)


def _operations(
    args: argparse.Namespace, session: Session, notes: dict[str, None], heads: Headings
) -> int:
    """Operations for one lane."""
    answer = positioned(session, evaluated(args, session))
    heads.show()
    if args.json:
        print_json({"schema": EVAL_SCHEMA, **answer.record, **context_notes(session)})
    elif answer.error is not None:
        print(f"dwarfgpu: {answer.text}", file=sys.stderr)
    else:
        print(answer.text)
    notes |= dict.fromkeys(answer.notes)
    return answer.status


def _operations_of_waves(
    args: argparse.Namespace, sessions: Sequence[Session]
) -> list[list[LaneAnswer]]:
    """What operations give in the lanes of each wave."""
    states = [chosen_states(session, args.lanes_wanted) for session in sessions]
    pairs = [(row, state.lane) for row, chosen in enumerate(states) for state in chosen]
    outcomes = evaluate_for_lanes(sessions, partial(outcome, args), of_each_lane, among=pairs)

    def answer_of(row: int, state: LaneState) -> Answer:
        try:
            return told(args, sessions[row].focused(state.lane), *outcomes.of(row, state.lane))
        except InconsistentContext as error:  # the lane is not in this frame
            return of_error(error, ())

    return [
        [LaneAnswer(state, answer_of(row, state)) for state in chosen]
        for row, chosen in enumerate(states)
    ]


def _show_operations(
    args: argparse.Namespace,
    session: Session,
    answers: Sequence[LaneAnswer],
    notes: dict[str, None],
    heads: Headings,
) -> int:
    """Print what operations give in the lanes of a wave, and gather the notes."""
    heads.show()
    if args.json:
        print_json(
            {"schema": EVAL_SCHEMA, "lanes": lane_records(answers), **context_notes(session)}
        )
    else:
        print(*lane_lines(answers, session.pc), sep="\n")
        notes |= dict.fromkeys(lane_notes(answers))
    return lane_status(answers)
