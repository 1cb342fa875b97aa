"""Lanes that share an answer show what each shows alone (`dwarfgpu.view.text_of_bits`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from dwarfgpu import DwarfGpuError, Session
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Member, Pointer, Struct, Type
from dwarfgpu.errors import IllFormed
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.model.object import Bits
from dwarfgpu.service.lanes import lane_questions
from dwarfgpu.service.lanes.lane_answer import Shares
from dwarfgpu.service.lanes.lane_choice import chosen_states
from dwarfgpu.service.lanes.lane_questions import Question, lane_answers
from dwarfgpu.service.lanes.lanes_json import LanesJson
from dwarfgpu.service.lanes.wave_lanes import WaveLanes
from dwarfgpu.service.value.subject import Expression, Subject, answer, subject
from dwarfgpu.session.read_lanes import LaneAnswers, read_lanes
from dwarfgpu.view import text_of_bits
from dwarfgpu.view.printers.standard import STANDARD
from dwarfgpu.view.scalars import base_text
from dwarfgpu.view.text_of_bits import is_text_of_bits
from dwarfgpu.view.value_data import base_data, value_data
from dwarfgpu.view.values import format_value
from tests.repl.repl_shell import nest_shell
from tests.session.test_read_lanes import GPU_STATES, sessions
from tests.work import calls_of

pytest.importorskip("numpy")
INT = Base(BaseType("int", "signed", 32, "little"))
CHAR = Base(BaseType("char", "signed_char", 8, "little"))
WORDS = ("$_kernarg", "$_workitem_id", "threadIdx", "$pc", "$v0", "$v0[$_lane]", "$_lane", "$exec")


def shown(state_name: str) -> list[tuple[Session, str]]:
    """The waves of a state, with what is asked about them."""
    waves = sessions(state_name)[:2]
    names = [*WORDS]
    try:
        for variable in waves[0].variables()[:3]:
            names += [variable.name, f"*{variable.name}", f"&{variable.name}"]
    except DwarfGpuError:
        pass  # nothing is in scope
    return [(wave, name) for name in names for wave in waves]


def meaning(session: Session, name: str) -> Subject:
    try:
        return subject(session, name)
    except DwarfGpuError:
        return Expression(name)


@pytest.mark.parametrize("shares", ["nothing", "record", "text"])
@pytest.mark.parametrize("name", GPU_STATES[::2])
def test_they_show_what_each_shows_alone(
    name: str, shares: Shares, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 0)
    questions = [
        Question(session, tuple(chosen_states(session, None))[::3], meaning(session, text))
        for session, text in shown(name)
    ]
    together = lane_answers(questions, shares=shares)
    for question, answers in zip(questions, together, strict=True):
        for state, lane_answer in [*zip(question.states, answers, strict=True)][::7]:
            if state.error is not None or lane_answer.pc not in (None, question.session.pc):
                continue  # the lane may have another meaning of the name
            focused = question.session.focused(state.lane)
            try:
                alone = answer(focused, question.wanted, None)
            except DwarfGpuError:
                assert lane_answer.answer.error is not None
                continue
            assert lane_answer.answer.text == alone.text
            assert lane_answer.answer.status == alone.status
            assert lane_answer.notes == alone.notes
            if shares == "nothing":
                assert lane_answer.answer.record == alone.record
                assert [*lane_answer.answer.record] == [*alone.record]
                assert lane_answer.answer.where == alone.where


def struct(*members: Member, name: str | None = "S") -> Struct:
    return Struct("struct", name, 16, members)


@pytest.mark.parametrize(
    ("kind", "is_enough"),
    [
        (INT, True),
        (Enum("E", 4), True),
        (Pointer(INT), True),
        (Pointer(None), True),
        (Pointer(CHAR), False),  # a string
        (Pointer(INT, "reference"), False),  # what it refers to is in memory
        (Array(INT, (2, 3)), True),
        (Array(CHAR, (4,)), True),
        (Array(INT, (0,)), False),  # shown by its address
        (Array(INT, (None,)), False),
        (Array(Pointer(CHAR), (2,)), False),
        (struct(Member("x", INT), Member("p", Pointer(INT), 64)), True),
        (struct(Member("s", Pointer(CHAR))), False),
        (struct(Member("x", INT, None, is_static=True)), False),
        (struct(Member("x", INT, is_virtual=True, is_base_class=True)), False),
        (struct(Member("x", INT), name="std::string"), True),  # a name that no printer has
        (Struct("struct", "S", None, (), is_declaration=True), False),
        (None, False),
    ],
)
def test_types_whose_text_depends_on_bits_alone(kind: Type | None, is_enough: bool) -> None:
    assert is_text_of_bits(kind, "c", STANDARD) is is_enough
    assert not is_text_of_bits(kind, "ada", STANDARD)


def test_a_class_with_a_printer_reads_memory() -> None:
    pair = Struct("struct", "unique_ptr<int>", 8, (Member("p", Pointer(INT)),), scope="std::")
    assert not is_text_of_bits(pair, "c", STANDARD)


def test_types_in_themselves_end() -> None:
    kind: Type = INT
    for _ in range(20):
        kind = struct(Member("inside", kind))
    assert not is_text_of_bits(kind, "c", STANDARD)


@pytest.mark.parametrize("is_enough", [True, False])
def test_lanes_share_an_answer_where_bits_are_enough(
    is_enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 0)
    monkeypatch.setattr(text_of_bits, "is_text_of_bits", lambda *_: is_enough)
    [first, *_] = sessions("records.gfx942.json")
    asked = Question(first, tuple(chosen_states(first, None)), Expression("$pc"))
    [answers] = lane_answers([asked], shares="text")
    texts = {id(lane_answer.answer) for lane_answer in answers}
    assert len(texts) == (1 if is_enough else len(answers))


def nest_with(numbers: list[int | None]) -> Question:
    """The question for `t`, an int in v6, in lanes with some numbers."""
    session = nest_shell().session
    target = StateTarget(session.architecture)
    target.add_wave(0)
    target.set_register(0, session.architecture.by_name["exec"], b"\xff" * 8)
    target.set_lanes(0, session.architecture.by_name["v6"], numbers)
    session = evolve(session, target=target)
    return Question(session, tuple(chosen_states(session, None)), session.variable("t"))


@pytest.mark.parametrize("shares", ["nothing", "record", "text"])
@pytest.mark.parametrize("unknown", [(), (5, 40)])
def test_numbers_of_their_own(
    shares: Shares, unknown: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each lane has another number, whose text is made from that of the first lane."""
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 0)
    numbers = [(-1) ** lane * lane << lane // 3 & 0xFFFF_FFFF for lane in range(64)]
    held = [None if lane in unknown else number for lane, number in enumerate(numbers)]
    question = nest_with(held)
    [answers] = lane_answers([question], shares=shares)
    for state, lane_answer in zip(question.states, answers, strict=True):
        focused = question.session.focused(state.lane)
        alone = answer(focused, question.wanted, None)
        assert lane_answer.answer.text == alone.text
        assert (lane_answer.answer.status, lane_answer.notes) == (alone.status, alone.notes)
        assert lane_answer.answer.assumed == alone.assumed
        if shares == "nothing" or (shares == "text" and not unknown):
            assert lane_answer.answer.record == alone.record
            assert [*lane_answer.answer.record] == [*alone.record]
            assert lane_answer.answer.where == alone.where
    questions = [question]
    [wave] = [WaveLanes(item.session, item.states, (("t", tuple(answers)),)) for item in questions]
    if shares == "record":
        [alone_answers] = lane_answers(questions, shares="nothing")
        own = WaveLanes(question.session, question.states, (("t", tuple(alone_answers)),))
        assert LanesJson().wave(wave) == LanesJson().wave(own)


def test_a_number_of_its_own_takes_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """To ask a lane alone takes 150."""
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 0)
    equal, distinct = nest_with([7] * 64), nest_with([*range(64)])
    for question in (equal, distinct):
        lane_answers([question], shares="text")  # what is done once
    calls = [
        calls_of(partial(lane_answers, [question], shares="text")) for question in (equal, distinct)
    ]
    assert calls[1] - calls[0] < 64 * 40, calls


def test_the_reason_of_the_first_lane_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_questions, "BATCH_THRESHOLD", 0)
    question = nest_with([lane if lane % 2 else None for lane in range(64)])
    [answers] = lane_answers([question], shares="record")
    reads: list[int] = []
    read = StateTarget.read_register

    def counted(self: StateTarget, *where: object) -> bytes:
        reads.append(1)
        return read(self, *where)  # type: ignore[arg-type]

    monkeypatch.setattr(StateTarget, "read_register", counted)
    notes = [lane_answer.notes for lane_answer in answers]
    assert len({note for of_lane in notes for note in of_lane if "not available" in note}) == 32
    assert len(reads) <= 32 + 1


@pytest.mark.parametrize(
    ("base", "shown"),
    [
        (BaseType("int", "signed", 32, "little"), {0xFFFF_FFFE: ("-2", -2)}),
        (BaseType("unsigned long", "unsigned", 64, "little"), {1 << 63: (f"{1 << 63}", 1 << 63)}),
        (BaseType("float", "float", 32, "little"), {0x3FC0_0000: ("1.5", 1.5)}),
        (BaseType("double", "float", 64, "little"), {0x7FF0 << 48: ("inf", "inf")}),
    ],
)
def test_plain_numbers_are_shown_as_objects_of_their_type(
    base: BaseType, shown: dict[int, tuple[str, object]]
) -> None:
    numbers = [0, 1, (1 << base.bit_size) - 1, 1 << base.bit_size - 1, *shown]
    for number in numbers:
        bits, kind = Bits(number, base.bit_size), Base(base)
        assert base_text(base, number, base.bit_size) == format_value(bits, kind)
        assert base_data(kind, bits) == value_data(bits, kind)
    for number, (text, data) in shown.items():
        assert base_text(base, number, base.bit_size) == text
        assert base_data(Base(base), Bits(number, base.bit_size)) == data


def test_variables_of_a_wave_are_read_with_its_session_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A list of thousands has a question for each of them: each looks at one wave, not at one for
    each question."""
    waves = sessions(GPU_STATES[0])[:2]
    variables = waves[0].variables()
    assert len(variables) > 2
    counts: list[int] = []

    def counted(asked: Sequence[Session], variable: Variable, **options: Any) -> object:
        counts.append(len(asked))
        return read_lanes(asked, variable, **options)

    monkeypatch.setattr(lane_questions, "read_lanes", counted)
    questions = [
        Question(wave, chosen_states(wave, None), variable)
        for wave in waves
        for variable in variables
    ]
    assert len([*lane_answers(questions)]) == len(questions)
    assert counts == [len(waves)] * len(variables)


def test_lanes_share_the_answer_of_a_variable_without_location(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wave = sessions(GPU_STATES[0])[0]
    variable, failure = wave.variables()[0], IllFormed("2 stack entries needed")
    read = evolve(wave.read(variable), location=None, bits=None, pointer=None, failure=failure)
    failing = LaneAnswers((wave,), lambda session: evolve(read, lane=session.lane))
    monkeypatch.setattr(lane_questions, "read_lanes", lambda *_, **__: failing)
    states = [evolve(state, error=None) for state in chosen_states(wave, None)]
    [answers] = lane_answers([Question(wave, states, variable)])
    assert len(answers) == len(states) == 32
    assert {lane.answer.error for lane in answers} == {failure}
    kinds = {state.is_absent for state in states}
    assert len({id(lane.answer) for lane in answers}) == len(kinds)
