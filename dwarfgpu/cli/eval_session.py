"""`dwarfgpu eval` with a session: variables, operations in a program, or several lanes."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial

from dwarfgpu.cli.operations import NOTHING, is_expression, require_subject
from dwarfgpu.cli.positioned import positioned
from dwarfgpu.cli.printing import (
    EVAL_SCHEMA,
    Headings,
    context_notes,
    print_json,
    print_notes,
)
from dwarfgpu.cli.session_operations import answer_of_outcome, evaluated, outcome
from dwarfgpu.errors import InconsistentContext, UsageError
from dwarfgpu.machine.target import Named
from dwarfgpu.options import machine_options as options
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
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.position import telling_outer_frame


def run_in_session(args: argparse.Namespace) -> int:
    """Evaluate with a session; the exit status."""
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
    if args.subject and all(map(is_expression, args.subject)):
        return False
    if not args.subject:
        raise UsageError(NOTHING)
    return True


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
            return answer_of_outcome(
                sessions[row].focused(state.lane), *outcomes.of(row, state.lane)
            )
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
