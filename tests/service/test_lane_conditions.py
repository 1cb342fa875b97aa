"""A condition over lanes: no more work for few than for many, and the answers of each alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import numpy as np  # noqa: F401 - what is imported already is used for few lanes, too
import pytest

import dwarfgpu as dg
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.service.lanes.lane_conditions import holds_in_lanes
from dwarfgpu.service.value.condition import holds
from dwarfgpu.service.value.value_history import ValueHistory
from tools.bench_journeys import calls

DEMO = Path(dg.__file__).parent / "data"


def demo() -> dg.Session:
    state = load_state(DEMO / "demo.json")
    code = dg.CodeObject.open(str(DEMO / "demo.co"), state.code_objects[0].load_address)
    [wave] = state.waves
    return dg.Session(state.architecture, (code,), state.target, wave=wave.wave, lane=0, pc=wave.pc)


def work(lane_count: int, condition: str) -> int:
    """The calls that testing a condition in the first lanes of the demo takes."""

    def question() -> list[bool]:
        holds = holds_in_lanes(demo(), ValueHistory(), condition, range(lane_count))
        return [holds(lane) for lane in range(lane_count)]

    return calls(question)[0]


@pytest.mark.parametrize("condition", ["t > 3", "$_lane == 5 && t"])
def test_few_lanes_are_not_more_work_than_many(condition: str) -> None:
    all_lanes = work(64, condition)
    for count in (1, 2, 3, 8, 15, 16):
        assert work(count, condition) <= all_lanes, count


@pytest.mark.parametrize(
    ("condition", "passes"),
    [
        ("t > 3", 1),
        ("(float)t / 3 > 21.5f", 1),
        ("(double)t * 1e-3 >= 0.0625 && t != 70", 1),
        ("-(float)t", 1),
        ("!(t % 20) || $_lane == 7", 1),
        ("$_lane == 5 && t && (float)t < 99", 1),
        ("(int)((float)t / 7) == 4", 1),
        ("$_lane < 40 && 100 / ($_lane - 50)", 5),  # a lane divides by 0 that C does not ask
    ],
)
def test_lanes_that_disagree_are_evaluated_in_one_pass(
    condition: str, passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of floating-point types and both operands of `&&` are those of all lanes at once."""
    asked = list[str]()

    def counted(session: dg.Session, history: ValueHistory, text: str) -> bool:
        asked.append(text)
        return holds(session, history, text)

    monkeypatch.setattr("dwarfgpu.service.lanes.lane_conditions.holds", counted)
    holds_in = holds_in_lanes(demo(), ValueHistory(), condition, range(64))
    answers = [holds_in(lane) for lane in range(64)]
    assert len(asked) == passes
    assert answers == [holds(demo().focused(lane), ValueHistory(), condition) for lane in range(64)]


_OPERANDS = ("t", "(float)t", "(double)t", "$_lane", "3", "20", "63.5", "0.1f", "(short)t", "0",
             "threadIdx.x", "1e38f", "(unsigned char)t")  # fmt: skip
_OPERATORS = ("+", "-", "*", "/", "<", ">", "<=", ">=", "==", "!=", "&&", "||")


def expression(rng: Random, depth: int) -> str:
    if not depth:
        return rng.choice(_OPERANDS)
    if rng.random() < 0.2:
        return f"{rng.choice('!-')}({expression(rng, depth - 1)})"
    left, right = (expression(rng, rng.randrange(depth)) for _ in range(2))
    return f"({left}) {rng.choice(_OPERATORS)} ({right})"


def answer(ask: Callable[[], bool]) -> object:
    try:
        return ask()
    except dg.DwarfGpuError as error:
        return type(error), error.message


@pytest.mark.parametrize("seed", range(50))
def test_each_lane_has_the_answer_and_the_error_of_that_lane_alone(seed: int) -> None:
    session, history = demo(), ValueHistory()
    condition = expression(Random(seed), 3)
    holds_in = holds_in_lanes(session, history, condition, range(64))
    for lane in range(64):
        alone = answer(partial(holds, session.focused(lane), history, condition))
        assert answer(partial(holds_in, lane)) == alone, (condition, lane)


@pytest.mark.parametrize("operator", ["&&", "||"])
@pytest.mark.parametrize("right", ["1 / ($_lane * 0)", "*(int *)($_lane * 0 + 8)", "(long)1e30f"])
def test_a_right_operand_that_fails_in_all_lanes(operator: str, right: str) -> None:
    session, history = demo(), ValueHistory()
    condition = f"$_lane < 5 {operator} {right}"
    holds_in = holds_in_lanes(session, history, condition, range(64))
    for lane in range(64):
        alone = answer(partial(holds, session.focused(lane), history, condition))
        assert answer(partial(holds_in, lane)) == alone, lane


def test_only_lanes_that_ask_for_it_have_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest has its answer in one pass."""
    asked = list[str]()

    def counted(session: dg.Session, history: ValueHistory, text: str) -> bool:
        asked.append(text)
        return holds(session, history, text)

    monkeypatch.setattr("dwarfgpu.service.lanes.lane_conditions.holds", counted)
    holds_in = holds_in_lanes(demo(), ValueHistory(), "$_lane < 5 && *(int *)8", range(64))
    answers = [answer(partial(holds_in, lane)) for lane in range(64)]
    assert [one is False for one in answers] == [lane >= 5 for lane in range(64)]
    assert len(asked) == 8
