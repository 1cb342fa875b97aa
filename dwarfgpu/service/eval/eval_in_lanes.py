"""Evaluate variables and expressions in several lanes of each wave, for `eval --lane`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from dwarfgpu.base.cached import cached_property
from dwarfgpu.base.limits import Limits
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.errors import LimitExceeded, MissingContext, UsageError, shortened
from dwarfgpu.service.answer import has_hint, listed, of_error
from dwarfgpu.service.error_text import error_line, one_line
from dwarfgpu.service.eval.eval_answer import (
    line_of,
    missing_notes,
    not_run_lines,
    subject_of,
    unlisted_wave,
    variables_of,
)
from dwarfgpu.service.eval.wave_answer import Line, SingleAnswer
from dwarfgpu.service.lanes.lane_answer import (
    LaneAnswer,
    Shares,
    lane_lines,
    lane_notes,
    lane_records,
    lane_status,
)
from dwarfgpu.service.lanes.lane_choice import chosen_states
from dwarfgpu.service.lanes.lane_questions import Question, lane_answers, refused, scopes_of
from dwarfgpu.service.value.kernarg_hint import kernarg_hint
from dwarfgpu.service.value.location_differences import compared
from dwarfgpu.service.value.subject import Mistakes, Subject, named, typed_name
from dwarfgpu.session.kernel_start import is_not_run
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.session import Session
from dwarfgpu.view.json_object import JsonObject

if TYPE_CHECKING:
    from dwarfgpu.service.value.listed_values import ListedValues

WAVES_AT_ONCE: Final = 512
"""Waves whose lanes are asked together: memory is bounded, and a pass costs little more."""


class _LaneRow:
    """The answers of lanes to one question, which waves with the same answers share."""

    def __init__(self, question: Question, lanes: Sequence[LaneAnswer]) -> None:
        self.lanes = lanes
        self._question = question

    @cached_property
    def error(self) -> UsageError | None:
        """Why the name is unknown in every lane."""
        return refused(self._question, self.lanes)

    @cached_property
    def status(self) -> int:
        return lane_status(self.lanes)

    @cached_property
    def lacks_values(self) -> bool:
        return any(lane_answer.answer.status for lane_answer in self.lanes)

    @cached_property
    def is_late(self) -> bool:
        """Whether no lane has a value because the waves have not run yet."""
        errors = [lane_answer.answer.error for lane_answer in self.lanes]
        return bool(errors) and all(map(is_not_run, errors))

    @cached_property
    def lines(self) -> list[str]:
        return lane_lines(self.lanes, self._question.session.pc)

    @cached_property
    def notes(self) -> list[str]:
        return lane_notes(self.lanes)


class LaneList:
    """What is left for the values of a listing of all variables in scope, in all lanes."""

    def __init__(self, limits: Limits, *, are_records: bool) -> None:
        """`are_records`: whether they are data in JSON, which are not the same for lanes."""
        from dwarfgpu.service.value.listed_values import ListedValues  # names are asked for more

        self.are_records = are_records
        self.values = ListedValues(limits, is_of_one=False)
        self.records = ListedValues(limits, is_of_one=False)


@frozen(eq=False)
class VariablesInLanes:
    """Variables and expressions for each of several lanes."""

    session: Session
    questions: Sequence[Question]
    answered: Sequence[_LaneRow]
    """To each question, one of each lane."""
    list_: LaneList | None = None
    """Of a listing of all variables in scope."""
    unlisted: Sequence[Variable] = ()
    """The variables that a listing leaves out, because the values of others are too long."""
    end: LimitExceeded | None = None
    """Why it does."""

    @property
    def is_listing(self) -> bool:
        return self.list_ is not None

    @property
    def _is_one(self) -> bool:
        return len(self.questions) == 1 and not self.is_listing

    def _rows(self) -> Iterator[tuple[Subject, _LaneRow, UsageError | None]]:
        """Yield the answers, with the error of a name that is unknown in every lane."""
        for question, lanes in zip(self.questions, self.answered, strict=True):
            yield question.wanted, lanes, lanes.error

    @property
    def error(self) -> UsageError | None:
        """Why the only name is unknown in every lane."""
        error = next((error for _, _, error in self._rows()), None)
        return error if len(self.questions) == 1 else None

    @property
    def status(self) -> int:
        rows = list(self._rows())
        if rows and all(error is not None for _, _, error in rows):
            return 2
        if self.end is not None:
            return 1
        return max((1 if error else lanes.status for _, lanes, error in rows), default=0)

    @property
    def record(self) -> JsonObject:
        if self._is_one:
            return {"lanes": lane_records(self.answered[0].lanes)}
        if self.list_ is not None:
            return {"variables": [*self._listed_records(self.list_.records)]}
        return {
            "variables": [
                named(item, of_error(error, ()).record if error else _lanes_record(lanes.lanes))
                for item, lanes, error in self._rows()
            ]
        }

    def _listed_records(self, records: ListedValues) -> Iterator[JsonObject]:
        """Yield the variables; the data of their values are limited, as their texts are."""
        variables = variables_of(question.wanted for question in self.questions)
        for variable, row in zip(records.shown(variables), self.answered, strict=False):
            lanes = lane_records(row.lanes)
            for record in lanes:
                assert isinstance(record, dict)
                records.count_record(record)
            yield named(variable, {"lanes": lanes})
        end = self.end or (records.end() if records.unlisted else None)
        for variable in (*records.unlisted, *self.unlisted):
            assert end is not None
            yield named(variable, of_error(end, ()).record)

    def lines(self, *, have_begun: bool = True) -> Iterator[Line]:
        late = [] if len(self.questions) == 1 and have_begun else self._late()
        firsts = [(item, lanes.lanes[0].answer) for item, lanes in late]
        yield from not_run_lines(firsts, is_error=False)
        for item, lanes, error in self._rows():
            if error is not None:
                yield line_of(item, of_error(error, ()))
                continue
            if any(lanes is hidden for _, hidden in late):
                continue
            if len(self.questions) > 1:
                yield Line(one_line(f"{shortened(typed_name(item))}:"))
            yield from map(Line, lanes.lines)
        if self.end is not None:
            yield Line(one_line(f"dwarfgpu: {error_line(self.end)}"), is_error=True)

    def notes(self) -> Sequence[str]:
        late = [] if len(self.questions) == 1 else self._late()
        notes = dict.fromkeys(self.notes_on_all)
        _, unknown = self.session.active_lanes()
        for item, lanes, error in self._rows():
            if error is not None:
                continue
            is_late = any(lanes is hidden for _, hidden in late)
            notes |= dict.fromkeys([unknown] if unknown and not is_late else [])
            notes |= dict.fromkeys(lanes.notes)
            if not has_hint(notes) and (is_late or lanes.lacks_values):
                notes |= dict.fromkeys(filter(None, [kernarg_hint(self.session, item)]))
        return list(notes)

    @property
    def notes_on_all(self) -> Sequence[str]:
        """Return the notes that belong to no single variable."""
        subjects = [question.wanted for question in self.questions]
        return missing_notes(self.session, subjects, is_listing=self.is_listing)

    @property
    def asked_files(self) -> Sequence[CodeObject]:
        return self.session.code_objects

    def _late(self) -> list[tuple[Subject, _LaneRow]]:
        """Return the subjects without a value in any lane because the waves have not run yet."""
        return [(item, lanes) for item, lanes, _ in self._rows() if lanes.is_late]


def variables_in_lanes(
    sessions: Sequence[Session],
    names: Sequence[str],
    choice: str | None,
    *,
    shares: Shares = "nothing",
) -> Iterator[VariablesInLanes | SingleAnswer]:
    """Yield the same for selected lanes of each wave; many waves in one batch if possible.

    The listing of a wave outside all code objects is an error, unless it is the only wave.
    `shares`: as of `lane_answers`. The sessions are forgotten as they have answered.
    """
    is_alone = len(names) == 1 and len(sessions) == 1
    pending: list[VariablesInLanes | SingleAnswer] = []
    has_answer, list_ = False, None
    if not names:
        list_ = LaneList(sessions[0].limits, are_records=shares == "nothing")
    mistakes = Mistakes()
    for some in _batches(sessions, is_listing=list_ is not None):
        if list_ is not None and list_.values.has_ended:
            yield from (unlisted_wave(session, list_.values) for session in some)
            continue
        shared: _SharedStates = {}
        by_session = [
            _questions_or_error(session, names, choice, shared, mistakes, is_alone=is_alone)
            for session in some
        ]
        if len(sessions) == 1 and isinstance(by_session[0], MissingContext):
            raise by_session[0]
        flat = [
            question
            for questions in by_session
            if not isinstance(questions, MissingContext)
            for question in questions
        ]
        is_compared = any(session.comparison is not None for session in some)
        checked = compared if is_compared else None
        answers = lane_answers(flat, checked=checked, shares=shares, mistakes=mistakes)
        rows: dict[object, _LaneRow] = {}
        answered = [
            SingleAnswer(session, of_error(questions, ()))
            if isinstance(questions, MissingContext)
            else _answered(session, questions, answers, rows, list_)
            for session, questions in zip(some, by_session, strict=True)
        ]
        if not has_answer:
            pending += answered
            has_answer = any(_refusal(waves) is None for waves in answered)
            answered, pending = (pending, []) if has_answer else ([], pending)
        yield from answered
    error = _refusal(pending[0]) if pending else None
    if error is not None:
        raise error


def _batches(sessions: Sequence[Session], *, is_listing: bool) -> Iterator[Sequence[Session]]:
    """Yield the waves whose lanes are asked together. Of a listing, what was counted before decides
    whether more are listed: about as many are asked as have answered."""
    first, at_once = 0, 1 if is_listing else WAVES_AT_ONCE
    while first < len(sessions):
        yield sessions[first : first + at_once]
        first += at_once
        at_once = min(2 * at_once, WAVES_AT_ONCE)


def _answered(
    session: Session,
    questions: Sequence[Question],
    answers: Iterator[list[LaneAnswer]],
    rows: dict[object, _LaneRow],
    list_: LaneList | None,
) -> VariablesInLanes | SingleAnswer:
    """Return the answers of a wave to its questions; a list ends where the values of all
    waves are too long."""
    if list_ is None:
        own = [_row(question, next(answers), rows) for question in questions]
        return VariablesInLanes(session, questions, own)
    own, values = [], list_.values
    if values.has_ended:
        return unlisted_wave(session, values)
    variables = variables_of(question.wanted for question in questions)
    for variable, question in zip(values.shown(variables), questions, strict=False):
        lanes = next(answers)
        own.append(_row(question, lanes, rows))
        values.count_lanes(len(lanes), are_records=list_.are_records)
        if own[-1].lanes is lanes:  # no other wave has this row
            for answer in {id(lane.answer): lane.answer for lane in lanes}.values():
                values.count(variable, answer.text)
    unlisted = values.unlisted
    end = values.end() if unlisted else None
    return VariablesInLanes(session, questions[: len(own)], own, list_, unlisted, end)


def _refusal(waves: VariablesInLanes | SingleAnswer) -> UsageError | None:
    """Return why the only name is unknown in every lane of a wave."""
    return waves.error if isinstance(waves, VariablesInLanes) else None


def _row(question: Question, lanes: Sequence[LaneAnswer], rows: dict[object, _LaneRow]) -> _LaneRow:
    """Return the row with these very answers, if there is one."""
    key = question.session.pc, question.scopes is None, tuple(map(id, lanes))
    return rows.setdefault(key, _LaneRow(question, lanes))


_SharedStates: TypeAlias = dict[object, list[LaneState]]
"""What lanes do, by what decides it."""


def _states(session: Session, choice: str | None, shared: _SharedStates) -> list[LaneState]:
    """Return the states of the chosen lanes; waves with one execution mask share them."""
    key = session.decides_lanes
    if key is None:
        return chosen_states(session, choice)
    if key not in shared:
        shared[key] = chosen_states(session, choice)
    return shared[key]


def _questions_or_error(
    session: Session,
    names: Sequence[str],
    choice: str | None,
    shared: _SharedStates,
    mistakes: Mistakes,
    *,
    is_alone: bool,
) -> list[Question] | MissingContext:
    states = _states(session, choice, shared)
    try:
        return _questions(session, names, states, mistakes, is_alone=is_alone)
    except MissingContext as error:
        return error


def _questions(
    session: Session,
    names: Sequence[str],
    states: list[LaneState],
    mistakes: Mistakes,
    *,
    is_alone: bool,
) -> list[Question]:
    if names:
        items = [
            mistakes.unknown_name(session, text) or subject_of(session, text, is_alone=is_alone)
            for text in names
        ]
        return [Question(session, states, item) for item in items]
    variables = listed(session, "variable", session.variables())
    scopes = scopes_of(session, states)
    return [Question(session, states, variable, scopes) for variable in variables]


def _lanes_record(lanes: Sequence[LaneAnswer]) -> JsonObject:
    return {"lanes": lane_records(lanes)}
