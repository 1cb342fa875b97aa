"""Lanes asked together answer what each answers alone: random expressions, states and masks."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from dwarfgpu.base.records import evolve
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.expr import evaluate_lanes as passes
from dwarfgpu.expr.dialect.dialect import AMD_PROVISIONAL
from dwarfgpu.expr.evaluate import Result, evaluate
from dwarfgpu.expr.text.assembly import assemble
from dwarfgpu.model.location import Location
from dwarfgpu.model.object import Bits
from dwarfgpu.session.read_lanes import evaluate_for_lanes, of_each_lane
from dwarfgpu.session.session import Session
from tests.lane_worlds import UNIT, Expression, machine

Outcome = tuple[Result | DwarfGpuError, Bits | DwarfGpuError | None]
Ask = Callable[[Session], Outcome]
SEEDS = range(100)
EXPRESSIONS = 5
"""Of one machine."""


def asking(data: bytes, size_bits: int) -> Ask:
    """What is asked of a lane: the result of operations, and the object there."""

    def ask(session: Session) -> Outcome:
        context = evolve(session.context(), unit=UNIT)
        try:
            result = evaluate(data, context, dialect=AMD_PROVISIONAL)
        except DwarfGpuError as error:
            return error, None
        if not isinstance(result, Location):
            return result, None
        try:
            return result, context.access.read(result, size_bits)
        except DwarfGpuError as error:
            return result, error

    return ask


def comparable(outcome: Outcome) -> tuple[object, ...]:
    """To compare; errors by their kind and words."""
    return tuple(
        (type(item), str(item)) if isinstance(item, DwarfGpuError) else item for item in outcome
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_lanes_answer_what_each_answers_alone(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In half of the seeds they go on together, wherever they part. Of each expression, another
    third of the lanes is asked alone."""
    is_generous = seed % 2 == 0
    if is_generous:
        monkeypatch.setattr(passes, "MIN_LANES", 2)
        monkeypatch.setattr(passes, "IN_VAIN", 200)
    rng = Random(seed)
    sessions = machine(rng)
    arch = sessions[0].architecture
    for number in range(EXPRESSIONS):
        text = Expression(rng, arch).text()
        data = assemble(text, AMD_PROVISIONAL, arch=arch)
        ask = asking(data, rng.choice((8, 16, 32, 64, 5, 96)))
        lanes = range(arch.lane_count) if rng.random() < 0.8 else range(3, 20, 2)
        asked: list[int | None] = []

        def counted(session: Session, ask: Ask = ask, asked: list[int | None] = asked) -> Outcome:
            asked.append(session.lane)
            return ask(session)

        result = evaluate_for_lanes(sessions, counted, of_each_lane, lanes, batch=True)
        answering = len({id(part.pick) for parts in result.known.values() for part in parts})
        in_vain, count = len(asked) - answering, len(sessions) * len(lanes)
        assert is_generous or in_vain <= 2 + count // 1024 + result.together_count // 16
        for row, session in enumerate(sessions):
            for lane in lanes[number % 3 :: 3]:
                alone = comparable(ask(session.focused(lane)))
                assert comparable(result.of(row, lane)) == alone, (text, row, lane)
