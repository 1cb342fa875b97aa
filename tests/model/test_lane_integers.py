"""Integers of many lanes are those of each lane (`dwarfgpu.model.lane_integers`)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np
import pytest

from dwarfgpu.model.lane_integers import Divergence, Lanes, lanes

OPERATORS: dict[str, Callable[[int, int], object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "//": operator.floordiv,
    "%": operator.mod,
    "divmod": divmod,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
UNARY: dict[str, Callable[[int], int]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "abs": abs,
    "bit_length": lambda number: number.bit_length(),
}
EDGES = (0, 1, -1, 2, 63, 64, 1 << 31, (1 << 63) - 1, 1 << 63, -(1 << 63), (1 << 64) - 1, 1 << 80)


def made(numbers: list[int]) -> int:
    return lanes(np.array(numbers, object))


def elements(number: object, count: int) -> list[object]:
    """What a result is in each lane."""
    if isinstance(number, tuple):
        return list(zip(*(elements(part, count) for part in number), strict=True))
    if isinstance(number, Lanes):
        return [int(one) for one in np.broadcast_to(number.array, (count,))]
    return [number] * count


def some(rng: Random, count: int, *, is_shift: bool = False, is_divisor: bool = False) -> list[int]:
    bits = rng.choice((3, 8, 31, 62, 63, 64, 70))
    pool = [rng.randrange(-(1 << bits), 1 << bits) for _ in range(rng.choice((1, 2, count)))]
    if rng.random() < 0.4:
        pool += rng.sample(EDGES, 3)
    if is_shift:
        pool = [abs(number) % 130 for number in pool]
    if is_divisor:
        pool = [number or 7 for number in pool]
    return [rng.choice(pool) for _ in range(count)]


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_that_of_each_lane(name: str) -> None:
    rng, apply = Random(name), OPERATORS[name]
    kinds = {"is_shift": name in ("<<", ">>"), "is_divisor": name in ("//", "%", "divmod")}
    for _ in range(400):
        count = rng.choice((2, 5))
        left, right = some(rng, count), some(rng, count, **kinds)
        a, b = made(left), made(right)
        if rng.random() < 0.3:
            right = right[:1] * count
            b = right[0]
        want = [apply(x, y) for x, y in zip(left, right, strict=True)]
        result = apply(a, b)
        assert elements(result, count) == want, (left, right)
        # What is known to be equal in all lanes is an integer.
        assert isinstance(result, Lanes | tuple) == (len(set(want)) > 1 or name == "divmod")


@pytest.mark.parametrize("name", UNARY)
def test_a_unary_operator_is_that_of_each_lane(name: str) -> None:
    rng, apply = Random(name), UNARY[name]
    for _ in range(100):
        numbers = some(rng, 4)
        assert elements(apply(made(numbers)), 4) == [apply(number) for number in numbers], numbers


def test_equal_lanes_are_an_int() -> None:
    assert type(made([7, 7, 7])) is int
    assert type(made([8, 9]) >> 4) is int
    assert type(made([4, 6]) & 1) is int


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_of_every_size_are_exact(kind: str) -> None:
    limits = np.iinfo(kind)
    numbers = [int(limits.min), 1, int(limits.max)]
    number = lanes(np.array(numbers, kind))
    assert elements(number + 1, 3) == [one + 1 for one in numbers]
    assert elements(number * -3, 3) == [one * -3 for one in numbers]
    assert elements(number - number * 2, 3) == [-one for one in numbers]
    large = lanes(np.array([(1 << 61) + 1, 0, 7], np.int64))
    few = lanes(np.array([0, 5, 100], kind))
    assert elements(large + few, 3) == [(1 << 61) + 1, 5, 107], "of 64 bits, not of a float"


@pytest.mark.parametrize("name", ["<", "<=", ">", ">=", "==", "!="])
def test_bounds_decide_without_looking(name: str) -> None:
    """Where the bounds decide a comparison, no lane is looked at: here are none."""
    compare = OPERATORS[name]
    for least, most, other_least, other_most in product(range(3), repeat=4):
        if least > most or other_least > other_most:
            continue
        pairs = product(range(least, most + 1), range(other_least, other_most + 1))
        answers = {compare(one, other) for one, other in pairs}
        number = Lanes(np.array(None), least, most)
        other = Lanes(np.array(None), other_least, other_most)
        if len(answers) == 1 and (
            name not in ("==", "!=") or least > other_most or most < other_least
        ):
            assert compare(number, other) is answers.pop()
        elif name not in ("==", "!="):
            with pytest.raises(TypeError):  # of NumPy: it looks at them
                compare(number, other)


def test_zero_is_outside_of_bounds() -> None:
    assert bool(Lanes(np.array(None), 1, 2)) is True
    assert bool(Lanes(np.array(None), -2, -1)) is True


@pytest.mark.parametrize("ask", [bool, int, operator.index, hash, {1: "one"}.get])
def test_one_answer_for_lanes_that_differ_parts_them(ask: Callable[[int], object]) -> None:
    with pytest.raises(Divergence) as caught:
        ask(made([0, 1, 1]))
    assert caught.value.key is not None
    assert [bool(key) for key in caught.value.key] == [False, True, True]


def test_a_zero_divisor_in_some_lanes_parts_them() -> None:
    with pytest.raises(Divergence):
        made([5, 6]) // made([0, 1])


def test_a_shift_by_more_bits_than_memory_asks_each_lane() -> None:
    with pytest.raises(Divergence) as caught:
        1 << made([1, 1 << 40])
    assert caught.value.key is None


def test_a_message_with_numbers_is_that_of_one_lane() -> None:
    for show in (str, lambda number: f"{number:#x}"):
        with pytest.raises(Divergence) as caught:
            show(made([3, 9]))
        assert caught.value.key is None
    assert repr(made([3, 9])) == "Lanes(3..9)"


def test_isinstance_is_honest() -> None:
    number = made([3, 9])
    assert number.__class__ is Lanes
    assert isinstance(number, Lanes)
    assert not isinstance(number, int | float | str)
