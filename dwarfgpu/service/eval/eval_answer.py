"""Evaluate a wave's variables and expressions, for `eval` in the lane in focus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import (
    DwarfGpuError,
    InconsistentContext,
    LimitExceeded,
    MissingContext,
    UndefinedBits,
    UsageError,
    shortened,
)
from dwarfgpu.service.answer import Answer, listed, of_error
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.service.eval.wave_answer import Line, SingleAnswer, positioned
from dwarfgpu.service.value.subject import (
    Expression,
    Mistakes,
    Subject,
    answer,
    distinguishing,
    line,
    named,
    subject,
)
from dwarfgpu.session.kernel_start import is_not_run
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.service.value.listed_values import ListedValues


@frozen(eq=False)
class VariablesAnswer:
    """Variables and expressions for the lane in focus."""

    session: Session
    answers: Sequence[tuple[Subject, Answer]]
    is_listing: bool = False
    """Whether they are all variables in scope, not named ones."""
    end: LimitExceeded | None = None
    """The error of variables of the list that are not read: their values are too many."""
    records: ListedValues | None = None
    """What is left for the data of the lists of several waves."""

    @property
    def status(self) -> int:
        errors = [result.error for _, result in self.answers]
        if errors and all(isinstance(error, UsageError) for error in errors):
            return 2
        return max((result.status for _, result in self.answers), default=0)

    @property
    def record(self) -> JsonObject:
        if len(self.answers) == 1 and not self.is_listing:
            return self.answers[0][1].record
        if self.is_listing:
            return {"variables": [*self._listed_records()]}
        return {"variables": [named(item, result.record) for item, result in self.answers]}

    def _listed_records(self) -> Iterator[JsonObject]:
        """Yield the variables; the data of their values is limited, as their texts are."""
        variables = variables_of(item for item, _ in self.answers)
        values = self.records or _listed_values([self.session])
        for variable, (_, result) in zip(values.shown(variables), self.answers, strict=False):
            record = result.record
            values.count_record(record)
            yield named(variable, record)
        for item, result in self.answers[len(variables) - len(values.unlisted) :]:
            is_left_out = result.error is None
            left_out = of_error(self.end or values.end(), ()) if is_left_out else result
            yield named(item, left_out.record)

    def lines(self, *, have_begun: bool = True) -> Iterator[Line]:
        is_one = len(self.answers) == 1 and not self.is_listing and have_begun
        shown: list[tuple[Subject, Answer]] = []
        late: list[tuple[Subject, Answer]] = []
        for item, result in self.answers:
            (late if is_not_run(result.error) and not is_one else shown).append((item, result))
        yield from not_run_lines(late, is_error=not self.is_listing)
        if not self.is_listing:
            for item, result in shown:
                yield line_of(item, result)
            return
        marks = distinguishing(self.session, variables_of(item for item, _ in self.answers))
        for item, result in shown:
            if self.end is None or result.error is not self.end:
                yield Line(line(item, result, is_listing=True) + marks.get(item, ""))
        if self.end is not None:
            yield Line(one_line(f"dwarfgpu: {error_line(self.end)}"), is_error=True)

    def notes(self) -> Sequence[str]:
        notes = [note for _, result in self.answers for note in result.notes]
        return [*self.notes_on_all, *notes]

    @property
    def notes_on_all(self) -> Sequence[str]:
        """Return the notes that belong to no single variable."""
        subjects = [item for item, _ in self.answers]
        return missing_notes(self.session, subjects, is_listing=self.is_listing)

    @property
    def asked_files(self) -> Sequence[CodeObject]:
        return self.session.code_objects


_OfWave: TypeAlias = VariablesAnswer | SingleAnswer


def missing_notes(session: Session, subjects: Sequence[Subject], *, is_listing: bool) -> list[str]:
    """Return notes where variables of the unit in focus are missing, for which others may answer,
    and where not all variables in scope can be listed.

    `subjects`: what was asked for; if none has a name, no variable was looked up.
    """
    cut = session.why_cut()
    if cut is not None and not is_listing and not any(map(_has_name, subjects)):
        cut = None
    notes = [] if cut is None else [f"variables may be missing: {error_line(cut)}"]
    error = session.why_incomplete() if is_listing else None
    if error is not None:
        notes.append(f"global variables may be missing: {error_line(error)}")
    return notes


def _has_name(subject: Subject) -> bool:
    """Return whether a name is looked up for a subject: `1 + 1` and `$pc` have none."""
    if isinstance(subject, Variable):
        return True
    from dwarfgpu.language.syntax.tokens import tokens  # only a damaged unit needs it

    try:
        return any(token.kind in ("name", "quoted") for token in tokens(subject.name))
    except DwarfGpuError:
        return True  # it may be one of another language than C


def variables_answer(
    session: Session,
    names: Sequence[str],
    mistakes: Mistakes | None = None,
    *,
    is_alone: bool | None = None,
) -> VariablesAnswer:
    """Return the values of names and expressions in the focus; without names, all variables in
    scope.

    `UsageError` if the only one is invalid (`is_alone`); among several, it is that one's answer.
    `mistakes`: those of the command, if it asks several waves.
    """
    if not names:
        return _listing(session)
    is_alone = len(names) == 1 if is_alone is None else is_alone
    pairs = [_subject_and_answer(session, text, mistakes, is_alone=is_alone) for text in names]
    return VariablesAnswer(session, pairs)


def _listing(
    session: Session, values: ListedValues | None = None, records: ListedValues | None = None
) -> VariablesAnswer:
    """Return the values of all variables in scope; when they are too many, the last ones have the
    error that says so. `values`, `records`: what is left for those of several waves."""
    variables = listed(session, "variable", session.variables())
    values = values or _listed_values([session])
    answers: list[tuple[Subject, Answer]] = []
    for variable in values.shown(variables):
        result = _answer(session, variable)
        values.count(variable, result.text)
        answers.append((variable, result))
    end = values.end() if values.unlisted else None
    if end is not None:
        answers += [(variable, of_error(end, ())) for variable in values.unlisted]
    return VariablesAnswer(session, answers, is_listing=True, end=end, records=records)


def _listed_values(sessions: Sequence[Session]) -> ListedValues:
    """Return what is left for the values of the lists of some waves."""
    # Names are asked for more often.
    from dwarfgpu.service.value.listed_values import OF_A_WAVE, ListedValues

    limits = sessions[0].limits
    if len(sessions) == 1:
        return ListedValues(limits)
    return ListedValues(limits, is_of_one=False, least=OF_A_WAVE)


def variables_of(items: Iterable[Subject]) -> list[Variable]:
    """Return those that are variables, as all of a listing are."""
    return [item for item in items if isinstance(item, Variable)]


def why_nothing_listed(session: Session) -> str | None:
    """Return why no variable is in scope at the program location; None where some are.

    `MissingContext` if no function is described there: the program location, or the code object,
    is another than the user meant.
    """
    if session.variables():
        return None
    code_object, pc = session.code_object, session.program_location
    assert code_object is not None and pc is not None
    here = f"no variable is in scope at pc {pc:#x}"
    functions = session.functions()
    if functions:
        return f"{here}, in {functions[0]}"
    if not code_object.info.has_units:
        raise MissingContext(f"{here}: {code_object.name} has no debugging information")
    described = f"which is in no function that {code_object.name} describes"
    raise MissingContext(session.with_unsearched(f"{here}, {described}"))


def variables_of_waves(sessions: Sequence[Session], names: Sequence[str]) -> Iterable[_OfWave]:
    """Return the same of each wave; `UsageError` if the only name is invalid in all of them.

    The answer of a wave outside all code objects is an error, unless it is the only wave. Where the
    texts of the first waves exceed the limit of a list, each of the others is evaluated when its
    answer is wanted, and what is wrong in one of these is its answer.
    """
    if not names and len(sessions) > 1:
        values, records = _listed_values(sessions), _listed_values(sessions)
        return [_listing_or_error(session, values, records) for session in sessions]
    is_alone = len(names) == 1 and len(sessions) == 1
    left, mistakes = iter(sessions), None if len(sessions) == 1 else Mistakes()
    waves: list[_OfWave] = []
    wrong: UsageError | None = None
    is_wrong, characters = len(names) == 1, 0
    for session in left:
        wave = variables_answer(session, names, mistakes, is_alone=is_alone)
        waves.append(wave)
        for _, result in wave.answers:
            characters += len(result.text)
            if not isinstance(result.error, UsageError):
                is_wrong = False
            elif wrong is None:
                wrong = result.error
        if characters > session.limits.listed_characters and not is_wrong:
            not_asked = (_own_answer(session, names, mistakes) for session in left)
            return chain(_emptied(waves), not_asked)
    if is_wrong and wrong is not None:
        raise wrong.anew()
    return waves


def _emptied(
    waves: list[VariablesAnswer | SingleAnswer],
) -> Iterator[VariablesAnswer | SingleAnswer]:
    """Yield the answers; each is kept no longer."""
    waves.reverse()
    while waves:
        yield waves.pop()


def _own_answer(session: Session, names: Sequence[str], mistakes: Mistakes | None) -> _OfWave:
    """Return the answer of one wave of several."""
    try:
        return variables_answer(session, names, mistakes, is_alone=False)
    except DwarfGpuError as error:
        return SingleAnswer(session, of_error(error, ()))


def _listing_or_error(
    session: Session, values: ListedValues, records: ListedValues
) -> VariablesAnswer | SingleAnswer:
    if values.has_ended:
        return unlisted_wave(session, values)
    try:
        return _listing(session, values, records)
    except MissingContext as error:
        return SingleAnswer(session, of_error(error, ()))


def unlisted_wave(session: Session, values: ListedValues) -> SingleAnswer:
    """Return the answer of a wave whose variables are not listed, because those of others are."""
    return SingleAnswer(session, of_error(values.end(is_of_all=True), ()))


def subject_of(session: Session, text: str, *, is_alone: bool) -> Subject:
    """Return the subject of a text; among several texts or waves, an invalid text, and a name in a
    wave outside all code objects, become an error answer later."""
    try:
        return subject(session, text)
    except (UsageError, MissingContext):
        if is_alone:
            raise
        return Expression(text)


def _subject_and_answer(
    session: Session, text: str, mistakes: Mistakes | None, *, is_alone: bool
) -> tuple[Subject, Answer]:
    """Return what a text means and its answer; of several texts, a wrong one alone fails."""
    asked, where = Expression(text), None
    if mistakes is not None:
        where = mistakes.focus_of(session, asked)
        known = mistakes.get(asked, where)
        if known is not None:
            return asked, known
    item = subject_of(session, text, is_alone=is_alone)
    try:
        return item, _answer(session, item)
    except (UsageError, MissingContext) as error:
        if is_alone:
            raise
        wrong = of_error(error, ())
        return item, wrong if mistakes is None else mistakes.kept(item, where, wrong)


def _answer(session: Session, subject: Subject) -> Answer:
    result = answer(session, subject)
    if isinstance(result.error, InconsistentContext) and session.is_absent:
        raise result.error  # as the name of a variable does
    if session.comparison is not None:
        from dwarfgpu.service.value.location_differences import compared  # few are asked to compare

        result = compared(session, result)
    result = positioned(session, result)
    if not isinstance(subject, Variable) or subject.kind != "parameter":
        return result
    from dwarfgpu.service.value.kernarg_hint import kernarg_hint

    advice = kernarg_hint(session, subject, result)
    return result if advice is None else result.with_notes((*result.notes, advice))


def line_of(subject: Subject, answer: Answer) -> Line:
    """Return a value, or why there is none."""
    if answer.error is None:
        return Line(line(subject, answer, is_listing=False))
    is_known = isinstance(answer.error, UndefinedBits)
    why = answer.text if is_known else error_line(answer.error)
    return Line(one_line(f"dwarfgpu: {shortened(subject.name)}: {why}"), is_error=True)


def not_run_lines(late: Sequence[tuple[Subject, Answer]], *, is_error: bool) -> Iterator[Line]:
    """Yield one line for all that the wave has not run yet."""
    error = late[0][1].error if late else None
    if error is not None:
        names = ", ".join(dict.fromkeys(shortened(item.name) for item, _ in late))
        yield Line(one_line(f"{names}: <unavailable> ({error.message})"), is_error, is_common=True)
