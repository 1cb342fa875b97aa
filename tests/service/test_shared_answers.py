"""Lanes that share an answer show what each shows alone (`dwarfgpu.view.text_of_bits`)."""

from __future__ import annotations

import pytest

from dwarfgpu import DwarfGpuError, Session
from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Member, Pointer, Struct, Type
from dwarfgpu.service.lanes import lane_questions
from dwarfgpu.service.lanes.lane_answer import Shares
from dwarfgpu.service.lanes.lane_choice import chosen_states
from dwarfgpu.service.lanes.lane_questions import Question, lane_answers
from dwarfgpu.service.value.subject import Expression, Subject, answer, subject
from dwarfgpu.view import text_of_bits
from dwarfgpu.view.printers.standard import STANDARD
from dwarfgpu.view.text_of_bits import is_text_of_bits
from tests.session.test_read_lanes import GPU_STATES, sessions

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
        Question(session, tuple(chosen_states(session, None)), meaning(session, text))
        for session, text in shown(name)
    ]
    together = lane_answers(questions, shares=shares)
    for question, answers in zip(questions, together, strict=True):
        for state, lane_answer in [*zip(question.states, answers, strict=True)][::21]:
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
def test_what_only_bits_say(kind: Type | None, is_enough: bool) -> None:
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
