"""`dwarfgpu eval`: a variable of a code object, or operations given as text or hex."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, TextIO

from attrs import evolve

from dwarfgpu.cli.operations import compared, evaluated, names_operation, outcome, told
from dwarfgpu.errors import InconsistentContext, UndefinedBits, UsageError
from dwarfgpu.machine.target import Named
from dwarfgpu.options import machine_options as options
from dwarfgpu.options.demo import with_demo
from dwarfgpu.options.given_files import POSITIONAL, take_files
from dwarfgpu.service.answer import Answer, of_error
from dwarfgpu.service.error_text import error_line, one_line, shortened
from dwarfgpu.service.kernarg_hint import first_hint, has_hint, kernarg_hint
from dwarfgpu.service.lane_answer import (
    LaneAnswer,
    chosen_states,
    is_choice,
    lane_lines,
    lane_notes,
    lane_records,
    lane_status,
)
from dwarfgpu.service.lane_question import Question, lane_answers, refused, scopes_of
from dwarfgpu.service.subject import (
    Expression,
    Subject,
    answer,
    distinguishing,
    line,
    named,
    subject,
    typed_name,
)
from dwarfgpu.session.all_lanes import evaluate_for_lanes, of_each_lane
from dwarfgpu.session.kernel_start import is_not_run
from dwarfgpu.session.session import LaneState, Session
from dwarfgpu.terminal.input import text_input
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.position import lane_position, telling_outer_frame

SCHEMA = "dwarfgpu-eval-1"
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
        sessions = [each.comparing() for each in sessions]
    notes: dict[str, None] = {}
    if args.lane == "all":
        shows = _of_lanes(args, sessions, notes)
    else:
        shows = [partial(_of_session, args, each) for each in sessions]
    for session, show in zip(sessions, shows, strict=True):
        if not args.json:
            print(_wave_title(session))
        out = io.StringIO()
        with contextlib.redirect_stdout(out) if args.json else contextlib.nullcontext():
            status = max(status, show())
        if args.json:
            records.append({"wave": session.wave, **json.loads(out.getvalue())})
            del records[-1]["schema"]
            records[-1].pop("context_notes", None)
    if args.json:
        print_json({"schema": SCHEMA, "waves": [*records], **context_notes(sessions[0])})
    else:
        print_notes(notes)
    return status


def _wave_title(session: Session) -> str:
    if isinstance(session.target, Named) and session.architecture.is_simt:
        return f"{session.target.target_id(session.wave)}:"
    return f"Thread {session.wave}:"


def _of_lanes(
    args: argparse.Namespace, sessions: Sequence[Session], notes: dict[str, None]
) -> list[Callable[[], int]]:
    """What prints the answers of the lanes of each wave, gathers the notes, and gives the status.

    The lanes of all waves are asked together.
    """
    if is_operations(args, sessions[0]):
        found = zip(sessions, _operations_of_waves(args, sessions), strict=True)
        return [partial(_show_operations, args, *each, notes) for each in found]
    asked = zip(sessions, _lanes_of_waves(args, sessions), strict=True)
    return [partial(_show_lanes, args, session, *each, notes) for session, each in asked]


def _of_session(args: argparse.Namespace, session: Session) -> int:
    if args.lane == "all":
        notes: dict[str, None] = {}
        [show] = _of_lanes(args, [session], notes)
        status = show()
        if not args.json:
            print_notes(notes)
        return status
    if is_operations(args, session):
        return _operations(args, session)
    _no_operands(args)
    given: list[str] = args.subject
    if not given:
        return _listing(args, session)
    answers = [_asked(args, session, text, is_alone=len(given) == 1) for text in given]
    if not args.json:
        shown = answers if len(answers) == 1 else _without_start(answers, sys.stderr)
        for each, found in shown:
            _print_answer(each, found)
    elif len(answers) == 1:
        print_json({"schema": SCHEMA, **answers[0][1].record, **context_notes(session)})
    else:
        records = [named(each, found.record) for each, found in answers]
        print_json({"schema": SCHEMA, "variables": [*records], **context_notes(session)})
    return _finished(args, [found for _, found in answers])


def _no_operands(args: argparse.Namespace) -> None:
    if args.want is not None or args.push or args.object is not None:
        raise UsageError("--want, --push and --object are for operations, not for variables")


def _subject(session: Session, text: str, *, is_alone: bool) -> Subject:
    """What a text means; of several texts, one that means nothing is left for its own error."""
    try:
        return subject(session, text)
    except UsageError:
        if is_alone:
            raise
        return Expression(text)


def _asked(
    args: argparse.Namespace, session: Session, text: str, *, is_alone: bool
) -> tuple[Subject, Answer]:
    """What a text means and its answer; of several texts, a wrong one alone fails."""
    wanted = _subject(session, text, is_alone=is_alone)
    try:
        return wanted, _answer(session, wanted)
    except UsageError as error:
        if is_alone:
            raise
        return wanted, of_error(error, ())


def _answer(session: Session, wanted: Subject) -> Answer:
    found = answer(session, wanted)
    if isinstance(found.error, InconsistentContext) and session.is_absent:
        raise found.error  # as the name of a variable does
    found = _positioned(session, compared(session, found))
    advice = kernarg_hint(session, wanted, found)
    return found if advice is None else _with_notes(found, (*found.notes, advice))


def _positioned(session: Session, found: Answer) -> Answer:
    """The answer for a lane; of one that is inactive, with where it stands."""
    if isinstance(found.error, InconsistentContext):
        return found  # the wave has no such lane
    note = lane_position(session)
    if note is None:
        return found
    return _with_notes(found, (note, *found.notes))


def _with_notes(found: Answer, notes: tuple[str, ...]) -> Answer:
    return evolve(found, notes=notes, record={**found.record, "notes": [*notes]})


def _print_answer(wanted: Subject, found: Answer) -> None:
    """A value on stdout, or on stderr why there is none."""
    if found.error is None:
        print(line(wanted, found, is_listing=False))
        return
    is_known = isinstance(found.error, UndefinedBits)
    why = found.text if is_known else error_line(found.error)
    print(one_line(f"dwarfgpu: {shortened(wanted.name)}: {why}"), file=sys.stderr)


def _without_start(
    answers: Sequence[tuple[Subject, Answer]], out: TextIO
) -> list[tuple[Subject, Answer]]:
    """The answers, but those that the kernel has not run yet: these are one line."""
    late = [(each, found) for each, found in answers if is_not_run(found.error)]
    if late:
        error = late[0][1].error
        assert error is not None
        names = ", ".join(dict.fromkeys(shortened(each.name) for each, _ in late))
        print(one_line(f"{names}: <unavailable> ({error.message})"), file=out)
    return [(each, found) for each, found in answers if not is_not_run(found.error)]


def _listing(args: argparse.Namespace, session: Session) -> int:
    """Every variable in scope."""
    variables = session.variables()
    answers = [(each, _answer(session, each)) for each in variables]
    if args.json:
        records = [named(each, found.record) for each, found in answers]
        print_json({"schema": SCHEMA, "variables": [*records], **context_notes(session)})
    else:
        marks = distinguishing(session, variables)
        for each, found in _without_start(answers, sys.stdout):
            print(line(each, found, is_listing=True) + marks.get(each, ""))
    return _finished(args, [found for _, found in answers])


def _finished(args: argparse.Namespace, answers: Sequence[Answer]) -> int:
    """The notes of the answers, and the exit status."""
    if not args.json:
        print_notes(first_hint(note for found in answers for note in found.notes))
    return max((found.status for found in answers), default=0)


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


def _lanes_of_waves(
    args: argparse.Namespace, sessions: Sequence[Session]
) -> list[tuple[list[Question], list[list[LaneAnswer]]]]:
    """What the lanes of each wave are asked, and the answers to each question."""
    _no_operands(args)
    questions = [_questions(args, each) for each in sessions]
    flat = [each for asked in questions for each in asked]
    verify = compared if args.verify_places else None
    answers = iter(lane_answers(flat, verify, is_brief=not args.json))
    return [(asked, [next(answers) for _ in asked]) for asked in questions]


def _questions(args: argparse.Namespace, session: Session) -> list[Question]:
    given: list[str] = args.subject
    states = chosen_states(session, args.lanes_wanted)
    if given:
        wanted = [_subject(session, text, is_alone=len(given) == 1) for text in given]
        return [Question(session, states, each) for each in wanted]
    variables = session.variables()
    scopes = scopes_of(session, states)
    return [Question(session, states, each, scopes) for each in variables]


def _all_late(
    questions: Sequence[Question], answered: Sequence[Sequence[LaneAnswer]]
) -> list[tuple[Subject, Answer]]:
    """What has a value in no lane because the kernel has not run yet."""
    return [
        (question.wanted, answers[0].answer)
        for question, answers in zip(questions, answered, strict=True)
        if answers and all(is_not_run(each.answer.error) for each in answers)
    ]


def _show_lanes(
    args: argparse.Namespace,
    session: Session,
    questions: Sequence[Question],
    answered: Sequence[Sequence[LaneAnswer]],
    notes: dict[str, None],
) -> int:
    """Print the answers of the lanes of a wave, and gather the notes."""
    status, records = 0, list[JsonObject]()
    _, unknown = session.active_lanes()
    late = [] if args.json or len(questions) == 1 else _all_late(questions, answered)
    _without_start(late, sys.stdout)
    for question, answers in zip(questions, answered, strict=True):
        wanted = question.wanted
        error = refused(question, answers)
        if error is not None:
            if len(questions) == 1:
                raise error
            status, found = 1, of_error(error, ())
            if args.json:
                records.append(named(wanted, found.record))
            else:
                _print_answer(wanted, found)
            continue
        status = max(status, lane_status(answers))
        if any(wanted is each for each, _ in late):
            notes |= dict.fromkeys(lane_notes(answers))
            if not has_hint(notes):
                notes |= dict.fromkeys(filter(None, [kernarg_hint(session, wanted)]))
            continue
        if args.json:
            records.append(named(wanted, {"lanes": lane_records(answers)}))
            continue
        if len(questions) > 1:
            print(one_line(f"{shortened(typed_name(wanted))}:"))
        print(*lane_lines(answers, session.pc), sep="\n")
        notes |= dict.fromkeys([*([unknown] if unknown else []), *lane_notes(answers)])
        if not has_hint(notes) and any(each.answer.status for each in answers):
            notes |= dict.fromkeys(filter(None, [kernarg_hint(session, wanted)]))
    if args.json and len(questions) == 1 and args.subject:
        print_json({"schema": SCHEMA, "lanes": records[0]["lanes"], **context_notes(session)})
    elif args.json:
        print_json({"schema": SCHEMA, "variables": [*records], **context_notes(session)})
    return status


def _operations(args: argparse.Namespace, session: Session) -> int:
    """Operations for one lane."""
    answer = _positioned(session, evaluated(args, session))
    if args.json:
        print_json({"schema": SCHEMA, **answer.record, **context_notes(session)})
    elif answer.error is not None:
        print(f"dwarfgpu: {answer.text}", file=sys.stderr)
    else:
        print(answer.text)
    if not args.json:
        print_notes(answer.notes)
    return answer.status


def _operations_of_waves(
    args: argparse.Namespace, sessions: Sequence[Session]
) -> list[list[LaneAnswer]]:
    """What operations give in the lanes of each wave."""
    states = [chosen_states(each, args.lanes_wanted) for each in sessions]
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
) -> int:
    """Print what operations give in the lanes of a wave, and gather the notes."""
    if args.json:
        print_json({"schema": SCHEMA, "lanes": lane_records(answers), **context_notes(session)})
    else:
        print(*lane_lines(answers, session.pc), sep="\n")
        notes |= dict.fromkeys(lane_notes(answers))
    return lane_status(answers)


def print_json(record: JsonObject) -> None:
    """Exactly one object, on stdout."""
    print(json.dumps(record, allow_nan=False))


def context_notes(session: Session) -> JsonObject:
    """What the user should know of how the context was made, as a member of an answer in JSON."""
    notes = list(dict.fromkeys(session.notes))
    return {"context_notes": [*notes]} if notes else {}


def print_notes(notes: Iterable[str]) -> None:
    """What was assumed, once each, on stderr."""
    for note in dict.fromkeys(notes):
        print(one_line(f"note: {note}"), file=sys.stderr)
