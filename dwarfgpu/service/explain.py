"""Explain a value, or its absence: the steps of its evaluation and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import DwarfGpuError, UndefinedBits, UsageError, counted
from dwarfgpu.expr.evaluate import Observer, Result
from dwarfgpu.service.answer import Answer, of_error
from dwarfgpu.service.error_text import hint, one_line
from dwarfgpu.service.frame.focus import frame_pc
from dwarfgpu.service.value.expression_settings import ExpressionSettings
from dwarfgpu.service.value.interposed import interposition
from dwarfgpu.service.value.kernarg_hint import IN_KERNARG, kernarg_hint
from dwarfgpu.service.value.reading_answer import of_reading
from dwarfgpu.service.value.subject import misspelt, subject
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.explanation_text import (
    FAULTS,
    Detail,
    Recorder,
    StepView,
    verdict,
    verdict_on_error,
)
from dwarfgpu.view.json_object import JsonObject
from dwarfgpu.view.lane_position import lane_position
from dwarfgpu.view.lost_register import why_lost, with_reasons
from dwarfgpu.view.operation_inputs import OperationInputs
from dwarfgpu.view.step_text import inside_lines, step_lines
from dwarfgpu.view.variable_description import conclusion, description
from dwarfgpu.view.where_described import described_where
from dwarfgpu.view.x87_conversion import conversion_of_object

SCHEMA = "dwarfgpu-explain-1"
_MAX_CHARACTERS: Final = 50_000
"""What is shown of the variables of one expression counts as no more characters, but for the last
one; as many take up to half a second."""
_MAX_RECORDS: Final = 200_000
"""So do their values in JSON, which take less time."""
_MAX_STEPS: Final = 50_000
"""And their steps, shown or hidden; as many take half a second, too."""

Advise: TypeAlias = Callable[[DwarfGpuError], str | None]
"""Returns what to do about an error, in the words of a front end; None for no advice."""


@frozen
class Explanation:
    """The steps of an evaluation, and a verdict."""

    heading: tuple[str, ...]
    steps: tuple[StepView, ...]
    verdict: tuple[str, ...]
    answer: Answer
    omitted: int = 0
    """Number of steps omitted in the middle."""
    variables: tuple[tuple[str, Explanation], ...] = ()
    """The variables that an expression depends on, by name."""
    variables_omitted: int = 0
    """Number of those after them that are not explained."""
    insides: tuple[Detail, ...] = ()
    """What the description rests on."""

    def text(self, depth: int = 0, option: str = "--depth") -> str:
        """Return the printed text, with what operations used down to a depth; `option` shows
        more."""
        lines = [
            line
            for _, inner in self.variables
            for line in (*inner.text(depth, option).split("\n"), "")
        ]
        lines += self.heading
        lines += inside_lines(self.insides, depth, option=option)
        lines += step_lines(self.steps, depth, omitted=self.omitted, option=option)
        lines += [
            f"=> {line}" if index == 0 else f"   {line}" for index, line in enumerate(self.verdict)
        ]
        return "\n".join(one_line(line) for text in lines for line in text.split("\n"))

    @property
    def record(self) -> JsonObject:
        """The object `dwarfgpu-explain-1` without its schema."""
        record: JsonObject = {
            "heading": list(self.heading),
            "steps": [step.record for step in self.steps],
            "steps_omitted": self.omitted,
            "verdict": list(self.verdict),
            "inside": [inside.record for inside in self.insides],
            **self.answer.record,
        }
        if self.variables:
            record["variables"] = [
                {"name": name, **answer.record} for name, answer in self.variables
            ]
            record["variables_omitted"] = self.variables_omitted
        return record


def explain_subject(
    session: Session, text: str, settings: ExpressionSettings | None = None, *, depth: int = 0
) -> Explanation:
    """Explain a variable by its name, or an expression; `UsageError` for text that is neither.

    `depth`: to which it is shown.
    """
    item = subject(session, text)
    if isinstance(item, Variable):
        return explain_variable(session, item)
    from dwarfgpu.service.value.expression_answer import of_expression

    variables: dict[Variable, Session] = {}
    try:
        answer = of_expression(session, text, variables, settings)
    except UsageError as error:
        raise misspelt(session, text, error) from None
    inner = ExplainedVariables(session, variables, explain_variable, depth)
    explained = tuple((variable.name, explanation) for variable, explanation in inner)
    lane = "" if session.lane is None else f", for lane {session.lane}"
    heading = (*inner.omission, f"expression {text}{lane}", *_standing(session))
    verdict = _verdict_on(text, answer)
    if text == "$pc" and answer.error is None:
        verdict += on_instruction(session)
    omitted = len(inner.unexplained)
    explanation = Explanation(heading, (), verdict, answer, 0, explained, omitted)
    return _with_lane_pc(session, explanation)


class ExplainedVariables:
    """The variables that one expression depends on, each with its explanation, until these exceed
    a limit: an expression may name a thousand structures."""

    unexplained: Sequence[Variable] = ()
    """Those that are not explained, once the others are."""

    def __init__(
        self,
        session: Session,
        variables: Mapping[Variable, Session],
        explain: Callable[[Session, Variable], Explanation],
        depth: int,
    ) -> None:
        self._limits = session.limits
        self._variables = variables
        self._explain = explain
        self._depth = depth
        self._exceeded = ""

    def __iter__(self) -> Iterator[tuple[Variable, Explanation]]:
        variables = [*self._variables]
        if not variables[1:]:
            yield from ((variable, self._explained(variable)) for variable in variables)
            return
        from dwarfgpu.service.value.listed_values import ListedValues  # few have several

        limits = (_MAX_CHARACTERS, _MAX_RECORDS, _MAX_STEPS)
        lists = [ListedValues(evolve(self._limits, listed_characters=limit)) for limit in limits]
        texts, records, steps = lists
        for variable, *_ in zip(*(one.shown(variables) for one in lists), strict=False):
            explanation = self._explained(variable)
            texts.count(variable, explanation.text(self._depth))
            with suppress(DwarfGpuError):  # what writes the record has the error
                records.count_record(explanation.answer.record)
            steps.count_text(" " * _steps_of(explanation))
            yield variable, explanation
        for one, limit in zip(lists, limits, strict=True):
            if one.unlisted:
                self.unexplained = one.unlisted
                verb, unit = ("took", "steps") if one is steps else ("counts as", "characters")
                self._exceeded = f"{verb} more than {limit} {unit}"

    def _explained(self, variable: Variable) -> Explanation:
        return self._explain(self._variables[variable], variable)

    @property
    def omission(self) -> tuple[str, ...]:
        """The line about those that are not explained, if there are any."""
        if not self.unexplained:
            return ()
        more = counted(len(self.unexplained), "more variable")
        return (f"{more}, not explained: what is above {self._exceeded}; no option raises it",)


def _steps_of(explanation: Explanation) -> int:
    """Return the steps of an explanation at any depth, and the facts looked up for them."""
    return explanation.omitted + _steps_in(explanation.steps, explanation.insides)


def _steps_in(steps: Sequence[StepView], insides: Sequence[Detail]) -> int:
    count = sum(1 + _steps_in((), step.insides) for step in steps)
    for inside in insides:
        count += inside.omitted + len(inside.facts) + _steps_in(inside.steps, inside.insides)
    return count


def on_instruction(session: Session) -> tuple[str, ...]:
    """Return the instruction of the frame in focus; nothing if it cannot be read or decoded."""
    from dwarfgpu.service.code.instruction_effects import effects_of
    from dwarfgpu.service.code.session_code import instruction_at, instruction_text

    try:
        line = instruction_at(session, frame_pc(session))
    except DwarfGpuError:
        return ()
    shown = f"the instruction there: {instruction_text(session, line)}"
    effects = "" if line.instruction is None else effects_of(line.instruction).text
    return (shown, f"it {effects}") if effects else (shown,)


def _standing(session: Session) -> tuple[str, ...]:
    """Return the position of an inactive lane."""
    position = lane_position(session)
    return () if position is None else (position,)


def explain_variable(
    session: Session,
    variable: Variable,
    text_of: Callable[[Reading], str] | None = None,
    advise: Advise = hint,
) -> Explanation:
    """Return a variable of the session's code object, for its focus.

    `text_of`: how a reading without failure is printed, where a front end does it in its own way.
    `advise`: what to do about an error there.
    """
    steps = Recorder()
    reading = session.read(variable, steps)
    answer = of_reading(reading, session)
    if text_of is not None and reading.failure is None:
        answer = evolve(answer, text=text_of(reading))
    insides = OperationInputs(session)
    shown = tuple(with_reasons(session, insides.look(steps)))
    heading = tuple(description(session, variable))
    sentences = conclusion(reading, answer.text, shown, answer.where)
    sentences += conversion_of_object(session, reading)
    advice = [kernarg_hint(session, variable, answer)]
    why = why_lost(session, steps.steps) or (IN_KERNARG if advice[0] else None)
    described_at = described_where(session, reading)
    general = FAULTS[UndefinedBits]
    if described_at and why is None:
        sentences = [sentence for sentence in sentences if sentence != general]
    if why is not None:
        sentences = [sentence.replace(general, why) for sentence in sentences]
        shown = tuple(
            evolve(
                variable,
                note=None if variable.note is None else variable.note.replace(general, why),
            )
            for variable in shown
        )
    advice += [None if reading.failure is None else advise(reading.failure)]
    advice.append(interposition(session, variable))
    verdict_lines = (*sentences, *described_at, *filter(None, advice))
    chosen = _of_list(session, variable, insides)
    return Explanation(heading, shown, verdict_lines, answer, steps.omitted, insides=chosen)


def explain_evaluation(
    session: Session,
    evaluate: Callable[[Observer], Result],
    heading: str,
    notes: tuple[str, ...] = (),
    advise: Advise = hint,
) -> Explanation:
    """Explain an evaluation without a variable: `evaluate` performs it for an observer.

    `advise`: what to do about an error, where a front end has other words for it.
    """
    from dwarfgpu.service.eval.operations_answer import operations_outcome  # not for variables

    steps, lines = Recorder(), (heading, *_standing(session))
    try:
        result = evaluate(steps)
    except DwarfGpuError as error:
        shown = OperationInputs(session).look(steps)
        verdict_lines = _on_error(error, advise)
        return Explanation(lines, shown, verdict_lines, of_error(error, notes), steps.omitted)
    shown = OperationInputs(session).look(steps)
    answer = operations_outcome(session, result, notes)
    sentences = tuple(verdict(result, shown, None, answer.text))
    return Explanation(lines, shown, sentences, answer, steps.omitted)


def _with_lane_pc(session: Session, explanation: Explanation) -> Explanation:
    """Return an explanation with the steps of DW_AT_LLVM_lane_pc, if those are what failed."""
    error = explanation.answer.error
    lane_pc = None if error is None else OperationInputs(session).of_lane_pc(error)
    if lane_pc is None:
        return explanation
    heading = (*explanation.heading, *lane_pc.facts)
    return evolve(explanation, heading=heading, steps=lane_pc.steps, omitted=lane_pc.omitted)


def _of_list(session: Session, variable: Variable, insides: OperationInputs) -> tuple[Detail, ...]:
    """Return the location list with the entry that describes the variable."""
    try:
        pc = None if session.is_absent else session.program_location
        return insides.of_list(variable.location, pc)
    except DwarfGpuError:
        return ()  # the heading names it


def _verdict_on(text: str, answer: Answer) -> tuple[str, ...]:
    """Return the verdict on an expression: the variables above explain a missing value."""
    if answer.error is not None:
        return _on_error(answer.error)
    where = (f"the object is at {answer.where}",) if answer.where else ()
    return (f"{text} = {answer.text}", *where)


def _on_error(error: DwarfGpuError, advise: Advise = hint) -> tuple[str, ...]:
    advice = advise(error)
    return (*verdict_on_error(error), *([advice] if advice else []))
