"""`dwarfgpu eval` of variables and of expressions of the source language."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TextIO

from dwarfgpu.cli.positioned import positioned, with_notes
from dwarfgpu.cli.printing import EVAL_SCHEMA, Headings, context_notes, print_json
from dwarfgpu.cli.session_operations import compared
from dwarfgpu.errors import InconsistentContext, UndefinedBits, UsageError
from dwarfgpu.service.answer import Answer, of_error
from dwarfgpu.service.error_text import error_line, one_line, shortened
from dwarfgpu.service.kernarg_hint import first_hint, has_hint, kernarg_hint
from dwarfgpu.service.lane_answer import (
    LaneAnswer,
    chosen_states,
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
from dwarfgpu.session.kernel_start import is_not_run
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject


def of_session(
    args: argparse.Namespace, session: Session, notes: dict[str, None], heads: Headings
) -> int:
    """Print the answers to what the arguments name, or to all variables in scope, and gather the
    notes; the status."""
    _no_operands(args)
    given: list[str] = args.subject
    if not given:
        return _listing(args, session, notes, heads)
    answers = [_asked(args, session, text, is_alone=len(given) == 1) for text in given]
    if not args.json:
        if len(answers) > 1 or heads.shared:
            shown = _without_start(answers, heads, sys.stderr)
        else:
            shown = answers
        for each, found in shown:
            heads.show()
            _print_answer(each, found)
    elif len(answers) == 1:
        print_json({"schema": EVAL_SCHEMA, **answers[0][1].record, **context_notes(session)})
    else:
        records = [named(each, found.record) for each, found in answers]
        print_json({"schema": EVAL_SCHEMA, "variables": [*records], **context_notes(session)})
    return _finished([found for _, found in answers], notes)


def of_lanes(
    args: argparse.Namespace,
    sessions: Sequence[Session],
    notes: dict[str, None],
    heads: Headings,
) -> list[Callable[[], int]]:
    """As `dwarfgpu.cli.eval`'s, for variables and expressions."""
    asked = zip(sessions, _lanes_of_waves(args, sessions), strict=True)
    return [partial(_show_lanes, args, session, *each, notes, heads) for session, each in asked]


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
    found = positioned(session, compared(session, found))
    advice = kernarg_hint(session, wanted, found)
    return found if advice is None else with_notes(found, (*found.notes, advice))


def _print_answer(wanted: Subject, found: Answer) -> None:
    """A value on stdout, or on stderr why there is none."""
    if found.error is None:
        print(line(wanted, found, is_listing=False))
        return
    is_known = isinstance(found.error, UndefinedBits)
    why = found.text if is_known else error_line(found.error)
    print(one_line(f"dwarfgpu: {shortened(wanted.name)}: {why}"), file=sys.stderr)


def _without_start(
    answers: Sequence[tuple[Subject, Answer]], heads: Headings, out: TextIO
) -> list[tuple[Subject, Answer]]:
    """The answers, but those that the kernel has not run yet: these are one line."""
    late = [(each, found) for each, found in answers if is_not_run(found.error)]
    if late:
        error = late[0][1].error
        assert error is not None
        names = ", ".join(dict.fromkeys(shortened(each.name) for each, _ in late))
        heads.line(f"{names}: <unavailable> ({error.message})", out)
    return [(each, found) for each, found in answers if not is_not_run(found.error)]


def _listing(
    args: argparse.Namespace, session: Session, notes: dict[str, None], heads: Headings
) -> int:
    """Every variable in scope."""
    variables = session.variables()
    answers = [(variable, _answer(session, variable)) for variable in variables]
    if args.json:
        records = [named(each, found.record) for each, found in answers]
        print_json({"schema": EVAL_SCHEMA, "variables": [*records], **context_notes(session)})
    else:
        marks = distinguishing(session, variables)
        for each, found in _without_start(answers, heads, sys.stdout):
            heads.show()
            print(line(each, found, is_listing=True) + marks.get(each, ""))
    return _finished([found for _, found in answers], notes)


def _finished(answers: Sequence[Answer], notes: dict[str, None]) -> int:
    """Gather the notes of the answers; the exit status."""
    notes |= dict.fromkeys(first_hint(note for found in answers for note in found.notes))
    return max((found.status for found in answers), default=0)


def _lanes_of_waves(
    args: argparse.Namespace, sessions: Sequence[Session]
) -> list[tuple[list[Question], list[list[LaneAnswer]]]]:
    """What the lanes of each wave are asked, and the answers to each question."""
    _no_operands(args)
    questions = [_questions(args, session) for session in sessions]
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
    return [Question(session, states, variable, scopes) for variable in variables]


def _all_late(
    questions: Sequence[Question], answered: Sequence[Sequence[LaneAnswer]]
) -> list[tuple[Subject, Answer]]:
    """What has a value in no lane because the kernel has not run yet."""
    return [
        (question.wanted, answers[0].answer)
        for question, answers in zip(questions, answered, strict=True)
        if answers and all(is_not_run(answer.answer.error) for answer in answers)
    ]


def _show_lanes(
    args: argparse.Namespace,
    session: Session,
    questions: Sequence[Question],
    answered: Sequence[Sequence[LaneAnswer]],
    notes: dict[str, None],
    heads: Headings,
) -> int:
    """Print the answers of the lanes of a wave, and gather the notes."""
    status, records = 0, list[JsonObject]()
    _, unknown = session.active_lanes()
    is_alone = len(questions) == 1 and not heads.shared
    late = [] if args.json or is_alone else _all_late(questions, answered)
    _without_start(late, heads, sys.stdout)
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
                heads.show()
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
        heads.show()
        if len(questions) > 1:
            print(one_line(f"{shortened(typed_name(wanted))}:"))
        print(*lane_lines(answers, session.pc), sep="\n")
        notes |= dict.fromkeys([*([unknown] if unknown else []), *lane_notes(answers)])
        if not has_hint(notes) and any(answer.answer.status for answer in answers):
            notes |= dict.fromkeys(filter(None, [kernarg_hint(session, wanted)]))
    if args.json and len(questions) == 1 and args.subject:
        print_json({"schema": EVAL_SCHEMA, "lanes": records[0]["lanes"], **context_notes(session)})
    elif args.json:
        print_json({"schema": EVAL_SCHEMA, "variables": [*records], **context_notes(session)})
    return status
