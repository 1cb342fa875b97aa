"""Functions of expressions against definitions over rational numbers and Python integers."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from dwarfgpu.machine.simulated.semantics import lane_functions as lanes
from dwarfgpu.machine.simulated.semantics import scalar_functions as scalars
from dwarfgpu.machine.simulated.semantics.exact_floats import fma_of

FORMATS = {np.float16: 11, np.float32: 24, np.float64: 53}


def nearest(value: Fraction, kind: type) -> float:
    """A rational number in a format, rounded once to nearest even."""
    if value == 0:
        return 0.0
    digits = FORMATS[kind]
    info = np.finfo(kind)
    power = max(
        value.numerator.bit_length() - value.denominator.bit_length() - digits - 1,
        int(info.minexp) - digits,
    )
    while abs(value) / Fraction(2) ** power >= 2**digits:
        power += 1
    power = max(power, int(info.minexp) - digits + 1)
    scaled = value / Fraction(2) ** power
    whole = math.floor(scaled)
    rest = scaled - whole
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1):
        whole += 1
    try:
        out = float(Fraction(whole) * Fraction(2) ** power)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return (math.inf if value > 0 else -math.inf) if abs(out) > float(info.max) else out


def numbers(kind: type, seed: int, count: int) -> np.ndarray:
    """Finite numbers of all sizes, many of them with few bits or near halfway."""
    rng = random.Random(seed)
    size = np.dtype(kind).itemsize
    integer = {2: np.uint16, 4: np.uint32, 8: np.uint64}[size]
    out = []
    while len(out) < count:
        bits = rng.getrandbits(8 * size)
        if rng.random() < 0.5:
            bits &= ~((1 << FORMATS[kind] // 2) - 1)
        value = np.array([bits], integer).view(kind)
        if np.isfinite(value[0]):
            out.append(value[0])
    return np.array(out, kind)


@pytest.mark.parametrize("kind", FORMATS)
def test_fma_rounds_once(kind: type) -> None:
    a, b, c = (numbers(kind, seed, 600) for seed in (1, 2, 3))
    with np.errstate(all="ignore"):
        near = (-(a.astype(np.float64)) * b).astype(kind)  # where most of the product is cancelled
    c = np.where(np.arange(600) % 3 == 0, near, c)
    c = np.where(np.isfinite(c), c, kind(1))
    with np.errstate(all="ignore"):
        fma = lanes.fma(a, b, c)
    for x, y, z, result in zip(a, b, c, fma, strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert float(result) == nearest(exact, kind), (x, y, z)


def test_fma_of_halfway_cases() -> None:
    """1 + 2^-24 lies between two f32; a product below it decides."""
    a = np.array([1 + 2**-12, 1 + 2**-12], np.float32)
    b = np.array([2**-12, -(2**-12)], np.float32)
    c = np.array([1, 1], np.float32)
    for x, y, z, result in zip(a, b, c, lanes.fma(a, b, c), strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert float(result) == nearest(exact, np.float32)


@pytest.mark.parametrize("arguments", [(math.inf, 0.0, 1.0), (math.inf, 1.0, -math.inf)])
def test_fma_without_a_result_is_not_a_number(arguments: tuple[float, ...]) -> None:
    assert math.isnan(fma_of(*arguments))


def test_the_smaller_of_zeros_is_the_negative_one() -> None:
    a, b = np.array([0.0, -0.0], np.float32), np.array([-0.0, 0.0], np.float32)
    assert np.signbit(lanes.float_min(a, b)).all()
    assert not np.signbit(lanes.float_max(a, b)).any()


def test_of_a_quiet_nan_and_a_number_it_is_the_number() -> None:
    nan, one = np.array([np.nan], np.float32), np.array([1], np.float32)
    assert lanes.float_min(nan, one)[0] == lanes.float_max(one, nan)[0] == 1


def test_a_signalling_nan_is_quieted() -> None:
    signalling = np.array([0x7F800001], np.uint32).view(np.float32)
    result = lanes.float_min(signalling, np.array([1], np.float32))
    assert result.view(np.uint32)[0] == 0x7FC00001


@pytest.mark.parametrize(
    ("value", "signed", "unsigned"),
    [
        (math.nan, 0, 0),
        (math.inf, 2**31 - 1, 2**32 - 1),
        (-math.inf, -(2**31), 0),
        (2.75, 2, 2),
        (-2.75, -2, 0),
        (3e9, 2**31 - 1, 3 * 10**9),
    ],
)
def test_conversions_to_integers_saturate(value: float, signed: int, unsigned: int) -> None:
    given = np.array([value], np.float32)
    with np.errstate(all="ignore"):
        assert lanes.FUNCTIONS["i32_of_float"](given)[0] == signed
        assert lanes.FUNCTIONS["u32_of_float"](given)[0] == unsigned


EDGES = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x00FF00F0]


def test_bits_of_lanes_are_those_of_scalars() -> None:
    values = np.array([*EDGES, *(random.Random(4).getrandbits(32) for _ in range(50))], np.uint32)
    signed = values.view(np.int32)
    for n, value in enumerate(map(int, values)):
        assert lanes.popcount(values)[n] == scalars.popcount(value)
        assert lanes.leading_zeros(values)[n] == scalars.leading_zeros(value, 32)
        assert lanes.trailing_zeros(values)[n] == scalars.trailing_zeros(value)
        assert lanes.leading_signs(signed)[n] == scalars.leading_signs(int(signed[n]), 32)
        assert lanes.reverse(values)[n] == scalars.reverse(value, 32)


def test_byte_permute() -> None:
    a, b = np.array([0x81020304], np.uint32), np.array([0x05860708], np.uint32)

    def permuted(selector: int) -> int:
        return int(lanes.byte_permute(a, b, np.array([selector], np.uint32))[0])

    assert permuted(0x07060504) == 0x81020304
    assert permuted(0x00010203) == 0x08078605
    assert permuted(0x0D0C0B0A) == 0xFF00FF00
    assert permuted(0x09090808) == 0


@pytest.mark.parametrize("kind, bits", [(np.float32, 0x7F800001), (np.float32, 0x7FC00000)])
def test_classes_of_nan(kind: type, bits: int) -> None:
    value = np.array([bits], np.uint32).view(kind)
    is_quiet = bool(bits & 0x400000)
    assert lanes.is_class(value, np.array([2], np.uint32))[0] == is_quiet
    assert lanes.is_class(value, np.array([1], np.uint32))[0] != is_quiet


def test_classes_of_numbers() -> None:
    """-infinity, -1, a negative denormal, -0 and their positive counterparts are classes 2 to 9."""
    given = np.array([-np.inf, -1, -1e-40, -0.0, 0.0, 1e-40, 1, np.inf], np.float32)
    classes = 1 << np.arange(2, 10, dtype=np.uint32)
    assert lanes.is_class(given, classes).all()
