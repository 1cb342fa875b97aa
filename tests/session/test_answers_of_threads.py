"""What a thread of Python finds while another one is in the midst of the same question.

The other thread is called where it could be switched to, so that the tests do not depend on luck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.by_pc import Scopes
from dwarfgpu.dwarf.scope.concrete_entries import ConcreteEntries
from dwarfgpu.machine.core.thread_registers import RegisterNotes
from tests.cli.command import FIXTURES

LISTS = FIXTURES / "core/lists.x86_64.O2"


def first_location(scopes: Scopes) -> int:
    """Return the first program location with a function."""
    return next(pc for pc in range(0x401000, 0x402000) if scopes.chain_at(pc))


class Replaced:
    """An attribute that another thread replaces as soon as it is set."""

    def __init__(self, by: Any) -> None:
        self._by, self._value = by, None

    def __get__(self, instance: object, owner: object = None) -> Any:
        return self._value

    def __set__(self, instance: object, value: Any) -> None:
        self._value = value and self._by


def test_registers_are_those_of_the_thread_that_is_asked_for() -> None:
    def thread(number: int) -> Any:
        return SimpleNamespace(decode=lambda: {"rax": bytes([number])})

    other = thread(2)

    class Shared(RegisterNotes):
        _last: Any = Replaced((other, other.decode()))

    notes = Shared(None, None)  # type: ignore[arg-type]
    assert notes.decoded(thread(1)) == {"rax": b"\1"}


@pytest.mark.parametrize(
    ("attribute", "question", "replacement"),
    [
        ("_functions", "function_entries_at", ("other",)),
        ("_first", "first_variables_at", ("other",)),
    ],
)
def test_functions_are_those_of_the_location_that_is_asked_for(
    attribute: str, question: str, replacement: object
) -> None:
    scopes = CodeObject.open(LISTS).scopes
    pc = first_location(scopes)
    alone = getattr(Scopes(scopes.info), question)(pc)
    shared = type("Shared", (Scopes,), {attribute: Replaced((pc + 1, replacement))})
    assert getattr(shared(scopes.info), question)(pc) == alone


def test_entries_of_an_instance_are_known_when_they_are_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scopes = CodeObject.open(LISTS).scopes
    instance = next(
        scope
        for pc in range(0x401000, 0x403000)
        for scope in scopes.chain_at(pc)
        if len([*scope.children()]) > 2 and any(len([*c.origins()]) > 1 for c in scope.children())
    )
    origins = [origin for child in instance.children() for origin in [*child.origins()][1:]]
    seen_meanwhile: list[list[bool]] = []
    unchanged, is_asked = Die.origins, False

    def switching(die: Die) -> Iterator[Die]:
        nonlocal is_asked
        if not is_asked:
            is_asked = True
            entries = ConcreteEntries(instance)
            seen_meanwhile.append([origin in entries for origin in origins])
        return unchanged(die)

    monkeypatch.setattr(Die, "origins", switching)
    entries = ConcreteEntries(instance)
    alone = [origin in entries for origin in origins]
    assert seen_meanwhile == [alone] and any(alone)


@pytest.mark.parametrize(
    "ask",
    [
        lambda code, pc: code.scopes.linked_unit_at(pc).header,
        lambda code, pc: code.scopes.subprogram_at(pc),
        lambda code, pc: code.scopes.chain_at(pc),
        lambda code, pc: code.scopes.subprograms_at(pc),
        lambda code, pc: code.scopes.variables_at(pc),
        lambda code, pc: code.scopes.locals_at(pc),
        lambda code, pc: code.scopes.parameters_at(pc),
        lambda code, pc: code.info.call_frames.row_at(pc),
        lambda code, pc: code.info.units[0].line_table.line_at(pc),
        lambda code, pc: code.info.units[0].line_table.begins_line(pc),
    ],
)
def test_an_answer_may_be_forgotten_as_soon_as_it_is_kept(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[CodeObject, int], object]
) -> None:
    pc = first_location(CodeObject.open(LISTS).scopes)
    alone = ask(CodeObject.open(LISTS), pc)

    def emptied(kept: KeptAnswers[Any, Any], asked: object, answer: object) -> None:
        kept.clear()  # as by another thread, which keeps its answer

    monkeypatch.setattr(KeptAnswers, "__setitem__", emptied)
    shared = ask(CodeObject.open(LISTS), pc)
    assert repr(shared) == repr(alone) != "None"
