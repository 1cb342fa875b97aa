"""Evaluate variables and expressions for each lane of waves, at the lane's own location.

Law: a lane's answer is that of the question for this lane alone; a batch changes the time only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.types import Base, Enum, strip
from dwarfgpu.errors import DwarfGpuError, Unsupported, UsageError
from dwarfgpu.service.answer import Answer, of_error
from dwarfgpu.service.lanes.lane_answer import LaneAnswer, Shares
from dwarfgpu.service.value.reading_answer import is_reference, of_reading, value_of, variable_text
from dwarfgpu.service.value.subject import Expression, Focus, Mistakes, Subject, answer, subject
from dwarfgpu.session.lane_states import LaneState
from dwarfgpu.session.read_lanes import (
    BATCH_THRESHOLD,
    LaneAnswers,
    LanePick,
    evaluate_for_lanes,
    read_lanes,
)
from dwarfgpu.session.reading import Reading
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import DEFAULT_OPTIONS

if TYPE_CHECKING:
    from dwarfgpu.language import TypedValue
    from dwarfgpu.model.lane_extract import LaneExtractor
    from dwarfgpu.service.lanes.equal_lanes import EqualLanes
    from dwarfgpu.service.value.expression_settings import ExpressionSettings

_ALONE: Final = (None, 0)
OUT_OF_SCOPE: Final = "<not in scope>"
Scopes: TypeAlias = Mapping[int, frozenset[Die]]
"""The variables in scope at each program location where a lane is, but not the wave."""
Checked: TypeAlias = Callable[[Session, Answer], Answer]
"""Post-processes an answer for the focus."""
_Texts: TypeAlias = dict[tuple[Variable, int], str]
"""The texts of scalars, keyed by variable and bits."""
_NOT_BATCHABLE: Final = pattern(r"\$_(?!lane\b|lane_count\b)|[^=!<>]=(?!=)|<<=|>>=|\+\+|--")
"""Expressions to evaluate per lane: with debugger variables or side effects."""


@frozen(eq=False)
class Question:
    """A question about lanes of one wave."""

    session: Session
    states: Sequence[LaneState]
    wanted: Subject
    """The meaning of a name at the wave's pc."""
    scopes: Scopes | None = None
    """In a listing: a variable out of scope at a lane's location has no value there."""


def scopes_of(session: Session, states: Iterable[LaneState]) -> Scopes:
    """Return the scopes of lanes with other program locations than the wave's."""
    variables_at: dict[int, frozenset[Die]] = {}
    for state in states:
        pc = _pc(state)
        if pc is not None and pc != session.pc and pc not in variables_at:
            variables_at[pc] = frozenset(
                variable.die for variable in session.focused(state.lane).variables()
            )
    return variables_at


def lane_answers(
    questions: Sequence[Question],
    settings: ExpressionSettings | None = None,
    checked: Checked | None = None,
    *,
    shares: Shares = "nothing",
    mistakes: Mistakes | None = None,
) -> Iterator[list[LaneAnswer]]:
    """Yield the answers to each question, one per lane; what is not asked for is not read.

    `settings`: for expressions; by default that of the command line. `mistakes`: those of the
    command, if it asks several times.
    """
    known_mistakes = Mistakes() if mistakes is None else mistakes
    are_together = _questions_with_one_subject(questions)
    meant = [
        None if is_one else [_subject_in_lane(item, state) for state in item.states]
        for item, is_one in zip(questions, are_together, strict=True)
    ]
    """What each lane means; None where that is what the wave means."""
    asked: dict[Subject, list[tuple[int, Sequence[LaneState]]]] = {}
    for row, (question, own) in enumerate(zip(questions, meant, strict=True)):
        if own is None:
            asked.setdefault(question.wanted, []).append((row, question.states))
            continue
        for state, item in zip(question.states, own, strict=True):
            if not isinstance(item, Answer):
                asked.setdefault(item, []).append((row, (state,)))
    sessions = [*dict.fromkeys(question.session for question in questions)]
    wave_of = {session: wave for wave, session in enumerate(sessions)}
    waves = [wave_of[question.session] for question in questions]
    """The index of the session of each question: a list of variables has one for all of them."""
    count = sum(len(states) for rows in asked.values() for _, states in rows)
    batch = count >= BATCH_THRESHOLD
    readings: dict[Variable, LaneAnswers[Reading]] = {}
    values: dict[Expression, LaneAnswers[TypedValue]] = {}
    texts: _Texts = {}
    focuses: dict[tuple[int, int | None, bool], Focus] = {}
    """The focus of the lanes of a wave, by their location."""
    failed: dict[tuple[int, Subject, bool], tuple[DwarfGpuError, Answer]] = {}
    """The last answer of a wave to a variable that has no location, for the same error."""

    def read(item: Subject) -> None:
        """Read what the lanes of all waves have, once."""
        if item not in asked:
            return
        once = {
            (waves[row], state.lane): None for row, states in asked.pop(item) for state in states
        }
        pairs = [*once]
        if isinstance(item, Variable):
            readings[item] = read_lanes(sessions, item, among=pairs, batch=batch)
        elif _is_batched(item, settings, batch=batch):
            values[item] = values_of(sessions, item.name, pairs, settings)

    def answered(row: int, state: LaneState, item: Subject | Answer) -> LaneAnswer:
        if isinstance(item, Answer):
            return LaneAnswer(state, item)
        session = questions[row].session
        lane_pc, is_absent = _pc(state), state.is_absent
        where = focuses.get((waves[row], lane_pc, is_absent))
        if where is None:
            where = known_mistakes.focus(session, lane_pc, is_absent=is_absent)
            focuses[waves[row], lane_pc, is_absent] = where
        known = known_mistakes.get(item, where)
        if known is not None:
            return LaneAnswer(state, known)
        read(item)
        values_of = values.get(item) if isinstance(item, Expression) else None
        mistake = None if values_of is None else values_of.mistake(waves[row], state.lane)
        known = None if mistake is None else known_mistakes.get(item, where, mistake)
        if known is not None:
            return LaneAnswer(state, known)
        try:
            if isinstance(item, Expression):
                focused = session.focused(state.lane)
                if values_of is None or not values_of.has(waves[row], state.lane):
                    lane_answer = answer(focused, item, settings)
                else:
                    from dwarfgpu.service.value.expression_answer import of_value

                    lane_answer = of_value(
                        focused, item.name, values_of.of(waves[row], state.lane), settings
                    )
            else:
                reading = readings[item].of(waves[row], state.lane)
                if checked is None and _is_scalar(reading):
                    return LaneAnswer(state, _of_scalar(reading, session, state.lane, texts))
                key = waves[row], item, state.is_absent
                failure, kept = failed.get(key, (None, None))
                if checked is None and kept is not None and failure is reading.failure:
                    return LaneAnswer(state, kept)
                lane_answer = _of_reading(reading, session.focused(state.lane))
                if reading.failure is not None and reading.location is None:
                    failed[key] = reading.failure, lane_answer
            if checked is not None:
                lane_answer = checked(session.focused(state.lane), lane_answer)
            return LaneAnswer(state, lane_answer)
        except DwarfGpuError as error:
            return LaneAnswer(state, known_mistakes.kept(item, where, of_error(error, ()), mistake))

    def alone_answer(row: int, state: LaneState, item: Subject | Answer) -> Answer:
        return answered(row, state, item).answer

    equal_lanes_by_pick: dict[object, EqualLanes | None] = {}

    def equal_lanes(row: int, pick: LanePick[Any]) -> EqualLanes | None:
        """Return what lanes with equal bits share; None where bits alone do not make a text."""
        from dwarfgpu.service.lanes.equal_lanes import EqualLanes, is_of_wave, is_shared

        key = (pick, row) if is_of_wave(pick) else pick
        if key not in equal_lanes_by_pick:
            equal_lanes_by_pick[key] = EqualLanes(pick) if is_shared(pick, settings) else None
        return equal_lanes_by_pick[key]

    def answers_of(row: int, question: Question) -> list[LaneAnswer]:
        item = question.wanted
        together: LaneAnswers[Any] | None = None
        if are_together[row] and checked is None:
            read(item)
            together = values.get(item) if isinstance(item, Expression) else readings[item]
        shared_lanes: dict[int, tuple[EqualLanes, int]] = {}
        for pick, first, lanes in () if together is None else together.with_bits(waves[row]):
            equal = equal_lanes(row, pick)
            if equal is not None:
                shared_lanes |= {lane: (equal, first + offset) for lane, offset in lanes.items()}
        out = []
        subjects = meant[row] or [item] * len(question.states)
        for state, own in zip(question.states, subjects, strict=True):
            equal, index = shared_lanes.get(state.lane, _ALONE)
            # Parts that are unknown have another text in a lane that is not in the frame.
            if equal is None or (state.is_absent and not equal.is_complete):
                out.append(answered(row, state, own))
                continue
            alone = partial(alone_answer, row, state, own)
            out.append(equal.answer(index, state, question.session, alone, shares))
        return out

    for row, question in enumerate(questions):
        yield answers_of(row, question)


def _questions_with_one_subject(questions: Sequence[Question]) -> list[bool]:
    """Return whether every lane of a question means what the wave means."""
    cached: dict[tuple[int, int | None], bool] = {}
    out = []
    for question in questions:
        pc = question.session.pc
        key = id(question.states), pc
        if key not in cached:
            cached[key] = all(
                state.error is None and _pc(state) in (None, pc) for state in question.states
            )
        out.append(cached[key])
    return out


def _is_batched(
    expression: Expression, settings: ExpressionSettings | None, *, batch: bool
) -> bool:
    """Return whether to evaluate the lanes in one batch."""
    if settings is None:
        return batch
    is_asked = batch if settings.batch is None else settings.batch
    return is_asked and is_batchable(expression.name)


def is_batchable(text: str) -> bool:
    """Return whether an expression means the same in every lane and has no assignment."""
    return _NOT_BATCHABLE.search(text) is None


def values_of(
    sessions: Sequence[Session],
    text: str,
    pairs: Collection[tuple[int, int]],
    settings: ExpressionSettings | None = None,
) -> LaneAnswers[TypedValue]:
    """Return the values of an expression at rows (of `sessions`) and lanes, known if the lanes
    could be evaluated in one batch."""
    from dwarfgpu import language
    from dwarfgpu.service.value.expression_answer import options_for

    def ask(session: Session) -> TypedValue:
        value = language.evaluate(text, session, options_for(session, settings))
        if value.error is not None:
            _ = value.error.message  # as it is for all of them, or `Divergence`
        return value

    return evaluate_for_lanes(sessions, ask, _picks, among=pairs, batch=True)


def _picks(value: TypedValue, picker: LaneExtractor) -> Callable[[int], TypedValue]:
    """Return a function that extracts a lane's value from one whose integers hold all lanes."""
    if is_dynamic(value.type):
        raise Unsupported("the type differs between lanes")
    location, bits = picker.of(value.location), picker.of(value.bits)
    pointer = picker.of(value.pointer)

    def pick(index: int) -> TypedValue:
        return evolve(value, location=location(index), bits=bits(index), pointer=pointer(index))

    bits_ = value.bits if value.error is None and value.pointer is None else None
    return LanePick(value, bits_, pick, picker)


def _of_reading(reading: Reading, session: Session) -> Answer:
    """Return the answer for a variable; that for a reference leads to what it refers to."""
    answer = of_reading(reading, session)
    if not is_reference(reading.type):
        return answer
    from dwarfgpu.service.value.expression_answer import with_referent

    return with_referent(answer, session, reading.variable.name, value_of(reading))


def _is_scalar(reading: Reading) -> bool:
    """Return whether the text of a value depends only on its bits, and all of them are known."""
    is_whole = reading.bits is not None and reading.bits.is_complete
    return is_whole and isinstance(strip(reading.type), Base | Enum)


def _of_scalar(reading: Reading, session: Session, lane: int, texts: _Texts) -> Answer:
    """Answer as `of_reading` does, but lanes that have the same number share its text."""
    assert reading.bits is not None
    key = reading.variable, reading.bits.value
    if key not in texts:
        texts[key] = variable_text(reading, session, DEFAULT_OPTIONS)

    def full() -> Answer:
        return of_reading(reading, session.focused(lane))

    return Answer(
        texts[key],
        0,
        reading.notes,
        reading.notes,
        contents=lambda: full().contents(),
        location_line=lambda: full().where,
    )


def expression_in_lanes(
    session: Session, states: Sequence[LaneState], text: str, settings: ExpressionSettings
) -> Sequence[LaneAnswer]:
    """Return what an expression is in lanes of a wave; `UsageError` for one that means nothing in
    any of them, as for an unknown name."""
    question = Question(session, states, Expression(text))
    [answers] = lane_answers([question], settings)
    error = refused(question, answers)
    if error is not None:
        raise error
    return answers


def refused(question: Question, answers: Iterable[LaneAnswer]) -> UsageError | None:
    """Return why a question is invalid: it has no meaning in any lane, for one reason."""
    errors = [
        lane_answer.answer.error
        for lane_answer in answers
        if not lane_answer.state.is_absent and lane_answer.state.error is None
    ]
    wrong = [error for error in errors if isinstance(error, UsageError)]
    is_one = len(wrong) == len(errors) and len({error.message for error in wrong}) == 1
    return wrong[0] if question.scopes is None and is_one else None


def _pc(state: LaneState) -> int | None:
    return None if state.location is None else state.location.pc


def _subject_in_lane(question: Question, state: LaneState) -> Subject | Answer:
    """Return the subject in a lane: at the lane's location a name may denote another variable, or
    none."""
    if state.error is not None:
        return of_error(state.error, ())
    session, item, pc = question.session, question.wanted, _pc(state)
    if pc is None or pc == session.pc or isinstance(item, Expression):
        return item
    if question.scopes is None:
        try:
            return subject(session.focused(state.lane), item.name)
        except DwarfGpuError as error:
            return of_error(error, ())
    if item.die not in question.scopes[pc]:
        hidden = UsageError(f'No symbol "{item.name}" where the lane is.')
        return evolve(of_error(hidden, ()), text=OUT_OF_SCOPE)
    return item
