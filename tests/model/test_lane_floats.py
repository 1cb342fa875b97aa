"""Floating-point numbers of many lanes are those of each lane (`dwarfgpu.model.lane_floats`)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from random import Random

import numpy as np
import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import BINARY16, BINARY32, BINARY64, FloatFormat
from dwarfgpu.model.lane_floats import truncated
from dwarfgpu.model.lane_integers import Divergence, Lanes, lanes
from dwarfgpu.model.value import Value, is_nonzero

FORMATS = (BINARY16, BINARY32, BINARY64)
LANES = 16
OPERATIONS: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def kind(form: FloatFormat) -> BaseType:
    return BaseType(form.name, "float", form.size_bits, float_format=form)


def some(rng: Random, form: FloatFormat) -> list[int]:
    """Bits of numbers, small and large, subnormal, infinite and none."""
    edges = [form.zero(), form.zero(1), form.infinity(), form.infinity(1), 1, form.nan()]
    pools = (
        edges,
        edges[:5],
        [form.encode(Fraction(number, 4)) for number in range(-4, 5)],
        [rng.randrange(1 << form.size_bits) for _ in range(LANES)],
    )
    pool = rng.choice(pools)
    return [rng.choice(pool) for _ in range(LANES)]


def made(numbers: list[int], form: FloatFormat) -> int:
    return lanes(np.array(numbers, {16: np.uint16, 32: np.uint32, 64: np.uint64}[form.size_bits]))


def of_lane(number: int | None, lane: int) -> int | None:
    return int(number.array[lane]) if isinstance(number, Lanes) else number


def _bits(operation: Callable[[Value, Value], Value], x: Value, y: Value) -> int:
    return operation(x, y).bits


def _sign(order: int | None) -> int | None:
    return None if order is None else (order > 0) - (order < 0)


@pytest.mark.parametrize("seed", range(60))
def test_each_lane_has_its_own_result(seed: int) -> None:
    rng = Random(seed)
    form, to = rng.choice(FORMATS), rng.choice(FORMATS)
    base = kind(form)
    left, right = some(rng, form), some(rng, form)
    a, b = Value(made(left, form), base), Value(made(right, form), base)
    questions: dict[str, Callable[[Value, Value], int | None]] = {
        **{name: partial(_bits, operation) for name, operation in OPERATIONS.items()},
        "compare": lambda x, y: _sign(x.compare(y)),
        "convert": lambda x, _: x.converted(kind(to)).bits,
        "nonzero": lambda x, _: is_nonzero(x),
    }
    for name, ask in questions.items():
        alone = [ask(Value(x, base), Value(y, base)) for x, y in zip(left, right, strict=True)]
        try:
            together = ask(a, b)
        except Divergence as divergence:  # only for a number that is none
            numbers = [*left, *right, *(one for one in alone if name in OPERATIONS and one)]
            assert any(form.decode(bits) == "nan" for bits in numbers), name
            assert divergence.key is None or 0 < divergence.key.sum() < LANES
            continue
        assert [of_lane(together, lane) for lane in range(LANES)] == alone, (name, seed)


@pytest.mark.parametrize("seed", range(20))
def test_integers_become_the_nearest_numbers(seed: int) -> None:
    rng = Random(seed)
    form = rng.choice(FORMATS)
    size = rng.choice((8, 32, 64))
    base = BaseType("integer", rng.choice(("signed", "unsigned")), size)
    numbers = [rng.randrange(1 << size) for _ in range(LANES)]
    alone = [Value(number, base).converted(kind(form)).bits for number in numbers]
    try:
        together = Value(lanes(np.array(numbers, object)), base).converted(kind(form)).bits
    except Divergence:
        assert form is BINARY16
        assert size > 8
        return
    assert [of_lane(together, lane) for lane in range(LANES)] == alone


@pytest.mark.parametrize("number", [2.0**63, -(2.0**63), 1e300, np.inf, -np.inf, np.nan])
def test_lanes_part_whose_integer_64_bits_do_not_hold(number: float) -> None:
    some_lanes = lanes(np.array([1.5, number, -2.5]).view(np.uint64))
    with pytest.raises(Divergence) as parted:
        truncated(some_lanes, BINARY64)
    assert parted.value.key is not None
    assert [*parted.value.key] == [True, False, True]
    with pytest.raises(Divergence):
        truncated(BINARY64.encode(Fraction(2**70)), BINARY64)
