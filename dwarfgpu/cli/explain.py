"""`dwarfgpu explain`: every step, and why the result is what it is or is missing."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from attrs import evolve

from dwarfgpu.cli import context as options
from dwarfgpu.cli.answers import Answer, of_error, of_reading, of_result
from dwarfgpu.cli.errors import hint, one_line
from dwarfgpu.cli.eval import (
    configure_subject,
    context_notes,
    is_operations,
    print_json,
    print_notes,
    session_for,
    with_demo,
)
from dwarfgpu.cli.given_files import take_files
from dwarfgpu.cli.kernarg_hint import PASSED, kernarg_hint
from dwarfgpu.cli.operations import compared, operations
from dwarfgpu.cli.subjects import misspelt, or_operations, subject
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.errors import DwarfGpuError, UndefinedBits, UsageError
from dwarfgpu.expr.evaluate import evaluate
from dwarfgpu.nouns import frozen
from dwarfgpu.session import Session
from dwarfgpu.view.described_where import described_where
from dwarfgpu.view.description import conclusion, description
from dwarfgpu.view.explain import (
    FAULTS,
    KEPT_STEPS,
    Recorder,
    StepView,
    verdict,
    verdict_on_error,
    views,
)
from dwarfgpu.view.lost import why_lost, with_reasons
from dwarfgpu.view.plain import Record
from dwarfgpu.view.position import lane_position, telling_outer_frame

if TYPE_CHECKING:
    from dwarfgpu.language import Options

SCHEMA = "dwarfgpu-explain-1"


@frozen
class Explanation:
    """What happened, step by step, and what to make of it."""

    heading: tuple[str, ...]
    steps: tuple[StepView, ...]
    verdict: tuple[str, ...]
    answer: Answer
    omitted: int = 0
    """Steps left out in the middle."""
    variables: tuple[tuple[str, Explanation], ...] = ()
    """Of an expression: the variables that it depends on, by name."""

    @property
    def text(self) -> str:
        """As printed."""
        lines = [line for _, inner in self.variables for line in (*inner.text.split("\n"), "")]
        lines += self.heading
        for step in self.steps:
            if self.omitted and step is self.steps[KEPT_STEPS]:
                lines.append(f"… {self.omitted} steps …")
            lines.append(step.text)
        lines += [
            f"=> {line}" if index == 0 else f"   {line}" for index, line in enumerate(self.verdict)
        ]
        return "\n".join(one_line(line) for text in lines for line in text.split("\n"))

    @property
    def record(self) -> Record:
        """The object `dwarfgpu-explain-1` without its schema."""
        record: Record = {
            "heading": list(self.heading),
            "steps": [step.record for step in self.steps],
            "steps_omitted": self.omitted,
            "verdict": list(self.verdict),
            **self.answer.record,
        }
        if self.variables:
            record["variables"] = [{"name": name, **each.record} for name, each in self.variables]
        return record


def configure(parser: argparse.ArgumentParser) -> None:
    configure_subject(parser)
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    take_files(args, "subject")
    return with_demo(args, _run)


def _run(args: argparse.Namespace) -> int:
    if args.lane == "all":
        raise UsageError("explain looks at one lane, not all: give --lane N")
    session = session_for(args)
    if args.demo and session.lane is None:
        session = session.focused(session.first_active_lane())
    with telling_outer_frame(session):
        explanation = _explanation(args, session)
        explanation = evolve(explanation, answer=compared(session, explanation.answer))
    if args.json:
        print_json({"schema": SCHEMA, **explanation.record, **context_notes(session)})
    else:
        print(explanation.text)
        print_notes(explanation.answer.notes)
    return explanation.answer.status


def _explanation(args: argparse.Namespace, session: Session) -> Explanation:
    if is_operations(args, session):
        return explain_operations(args, session)
    if len(args.subject) != 1:
        given = f"not {len(args.subject)}" if args.subject else "none is given"
        raise UsageError(f"explain takes one name or expression: {given}")
    (text,) = args.subject
    try:
        return explain_subject(session, text)
    except UsageError as error:
        raise or_operations(text, error) from None


def explain_operations(args: argparse.Namespace, session: Session) -> Explanation:
    """The operations of the command line."""
    data, context, chosen, notes = operations(args, session)
    steps = Recorder()
    heading = (f"in dialect {chosen}", *_standing(session))
    try:
        result = evaluate(data, context, dialect=chosen, observe=steps)
    except DwarfGpuError as error:
        shown = tuple(views(steps.steps, session.architecture))
        return Explanation(heading, shown, _on_error(error), of_error(error, notes), steps.omitted)
    shown = tuple(views(steps.steps, session.architecture))
    answer = compared(session, of_result(result, notes, session), result)
    sentences = tuple(verdict(result, shown, None, answer.text))
    return Explanation(heading, shown, sentences, answer, steps.omitted)


def explain_subject(session: Session, text: str, options: Options | None = None) -> Explanation:
    """A variable by its name, or an expression; `UsageError` for what means neither."""
    wanted = subject(session, text)
    if isinstance(wanted, Variable):
        return explain_variable(session, wanted)
    from dwarfgpu.cli.expressions import DEFAULT, of_expression

    variables: dict[Variable, None] = {}
    try:
        answer = of_expression(session, text, variables, options or DEFAULT)
    except UsageError as error:
        raise misspelt(session, text, error) from None
    inner = tuple((each.name, explain_variable(session, each)) for each in variables)
    lane = "" if session.lane is None else f", for lane {session.lane}"
    return Explanation(
        (f"expression {text}{lane}", *_standing(session)),
        (),
        _verdict_on(text, answer),
        answer,
        0,
        inner,
    )


def _standing(session: Session) -> tuple[str, ...]:
    """Of a lane that is inactive, where it stands."""
    position = lane_position(session)
    return () if position is None else (position,)


def explain_variable(session: Session, variable: Variable) -> Explanation:
    """A variable of the session's code object, for its focus."""
    steps = Recorder()
    reading = session.read(variable, steps)
    answer = of_reading(reading, session)
    shown = tuple(with_reasons(session, views(steps.steps, session.architecture)))
    heading = tuple(description(session, variable))
    sentences = conclusion(reading, answer.text, shown, answer.where)
    advice = [kernarg_hint(session, variable, answer)]
    why = why_lost(session, steps.steps) or (PASSED if advice[0] else None)
    elsewhere = described_where(session, reading)
    general = FAULTS[UndefinedBits]
    if elsewhere and why is None:
        sentences = [each for each in sentences if each != general]
    if why is not None:
        sentences = [each.replace(general, why) for each in sentences]
        shown = tuple(
            evolve(each, note=None if each.note is None else each.note.replace(general, why))
            for each in shown
        )
    advice += [None if reading.error is None else hint(reading.error)]
    verdict_lines = (*sentences, *elsewhere, *filter(None, advice))
    return Explanation(heading, shown, verdict_lines, answer, steps.omitted)


def _verdict_on(text: str, answer: Answer) -> tuple[str, ...]:
    """What to make of an expression: why there is no value is told of the variables above."""
    if answer.error is not None:
        return _on_error(answer.error)
    where = (f"the object is at {answer.where}",) if answer.where else ()
    return (f"{text} = {answer.text}", *where)


def _on_error(error: DwarfGpuError) -> tuple[str, ...]:
    advice = hint(error)
    return (*verdict_on_error(error), *([advice] if advice else []))
