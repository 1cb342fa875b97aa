"""`dwarfgpu explain`: every step, and why the result is what it is or is missing."""

from __future__ import annotations

import argparse

from attrs import frozen

from dwarfgpu.cli import context as options
from dwarfgpu.cli.answers import Answer, of_error, of_reading, of_result
from dwarfgpu.cli.errors import hint
from dwarfgpu.cli.eval import (
    configure_subject,
    is_operations,
    operations,
    print_json,
    print_notes,
    session_for,
    with_demo,
)
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.dwarf.types import type_name
from dwarfgpu.errors import DwarfGpuError, UndefinedBits, UsageError
from dwarfgpu.expr.context import ConstValue, ExprLoc, LocList
from dwarfgpu.expr.evaluate import evaluate, matching_entries
from dwarfgpu.expr.text import expression_text
from dwarfgpu.session import Session
from dwarfgpu.view.explain import (
    KEPT_STEPS,
    Recorder,
    StepView,
    fault,
    verdict,
    verdict_on_error,
    views,
)
from dwarfgpu.view.plain import Record

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

    @property
    def text(self) -> str:
        """As printed."""
        lines = [*self.heading]
        for step in self.steps:
            if self.omitted and step is self.steps[KEPT_STEPS]:
                lines.append(f"… {self.omitted} steps …")
            lines.append(step.text)
        lines += [
            f"=> {line}" if index == 0 else f"   {line}" for index, line in enumerate(self.verdict)
        ]
        return "\n".join(lines)

    @property
    def record(self) -> Record:
        """The object `dwarfgpu-explain-1` without its schema."""
        return {
            "heading": list(self.heading),
            "steps": [step.record for step in self.steps],
            "steps_omitted": self.omitted,
            "verdict": list(self.verdict),
            **self.answer.record,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    configure_subject(parser)
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    return with_demo(args, _run, lane="3")


def _run(args: argparse.Namespace) -> int:
    if args.lane == "all":
        raise UsageError("explain looks at one lane: give --lane N")
    session = session_for(args)
    if is_operations(args, session):
        explanation = explain_operations(args, session)
    else:
        if len(args.subject) != 1:
            raise UsageError("explain needs the name of one variable")
        explanation = explain_variable(session, session.variable(args.subject[0]))
    if args.json:
        print_json({"schema": SCHEMA, **explanation.record})
    else:
        print(explanation.text)
        print_notes(explanation.answer.notes)
    return explanation.answer.status


def explain_operations(args: argparse.Namespace, session: Session) -> Explanation:
    """The operations of the command line."""
    data, context, chosen, notes = operations(args, session)
    steps = Recorder()
    heading = (f"in dialect {chosen}",)
    try:
        result = evaluate(data, context, dialect=chosen, observe=steps)
    except DwarfGpuError as error:
        shown = tuple(views(steps.steps, session.architecture))
        return Explanation(heading, shown, _on_error(error), of_error(error, notes), steps.omitted)
    shown = tuple(views(steps.steps, session.architecture))
    answer = of_result(result, notes, context.endian)
    return Explanation(heading, shown, tuple(verdict(result, shown, None)), answer, steps.omitted)


def explain_variable(session: Session, variable: Variable) -> Explanation:
    """A variable of the session's code object, for its focus."""
    steps = Recorder()
    reading = session.read(variable, steps)
    answer = of_reading(reading, session)
    shown = tuple(views(steps.steps, session.architecture))
    heading = tuple(_heading(session, variable))
    if reading.error is not None:
        return Explanation(heading, shown, _on_error(reading.error), answer, steps.omitted)
    assert reading.location is not None
    sentences = verdict(reading.location, shown, reading.bits)
    if reading.bits is None or not reading.location.is_undefined:
        sentences.insert(0, f"{variable.name} = {answer.text}")
    return Explanation(heading, shown, tuple(sentences), answer, steps.omitted)


def _on_error(error: DwarfGpuError) -> tuple[str, ...]:
    if error.site is None and isinstance(error, UndefinedBits):
        return (error.message, fault(error))
    advice = hint(error)
    return (*verdict_on_error(error), *([advice] if advice else []))


def _heading(session: Session, variable: Variable) -> list[str]:
    """What the variable is, and which description of it applies at the program location."""
    lines: list[str] = []
    try:
        kind = variable.type
        line = f" at line {variable.decl_line}" if variable.decl_line is not None else ""
        typed = f"{type_name(kind)} " if kind is not None else ""
        lines.append(f"{variable.kind} {typed}{variable.name}, declared{line}")
        lines += _description(session, variable)
    except DwarfGpuError as error:
        lines.append(f"its description cannot be read: {error}")
    return lines


def _description(session: Session, variable: Variable) -> list[str]:
    attribute, unit = variable.location, variable.unit
    at = "" if session.pc is None else f" at pc {_pc(session)}"

    def shown(expression: bytes) -> str:
        text = expression_text(expression, unit.dialect, unit.format, session.architecture)
        return f"{text or '(empty)'} (dialect {unit.dialect})"

    match attribute:
        case None:
            return [f"it has neither DW_AT_location nor DW_AT_const_value{at}"]
        case ConstValue(data=data):
            return [f"DW_AT_const_value: {data.hex()}"]
        case ExprLoc(expression=expression):
            return [f"DW_AT_location: {shown(expression)}"]
        case LocList(entries=entries):
            matching = matching_entries(entries, session.pc)
            if not matching:
                return [f"DW_AT_location: none of {len(entries)} list entries applies{at}"]
            spans = [(_span(each.begin, each.end), shown(each.expression)) for each in matching]
            return [f"DW_AT_location, list entry {span}: {text}" for span, text in spans]


def _span(begin: int | None, end: int | None) -> str:
    return "by default" if begin is None or end is None else f"[{begin:#x},{end:#x})"


def _pc(session: Session) -> str:
    assert session.pc is not None
    code_object = session.code_object
    if code_object is None:
        return f"{session.pc:#x}"
    return f"{session.pc:#x} = {code_object.offset_text(session.pc)}"
