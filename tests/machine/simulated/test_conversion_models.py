"""Conversions and classes of lanes against models of one lane, in Python's fractions.

The models are written from the descriptions in AMD's ISA documents and IEEE 754, not from the
expressions of the declarations.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from random import Random

import pytest

from dwarfgpu.isa.decode import decoder
from tests.machine.simulated import programs, vectors
from tests.machine.simulated.models import MASK, Model, encoding_of, require, require_on, s
from tests.machine.simulated.test_float_models import (
    FORMATS,
    edges,
    encoded,
    floats,
    nan_of,
    same_float,
    value,
)


def converted(source: int, target: int) -> Model:
    """Between formats, rounded once."""

    def model(number: int) -> int:
        real = value(number, source)
        if real != real:
            return nan_of(target)
        return encoded(real, target, is_negative=bool(number >> source - 1))

    return model


@pytest.mark.parametrize(("source", "target"), [(32, 16), (16, 32), (64, 32), (32, 64)])
def test_between_formats(source: int, target: int) -> None:
    rng = Random(5)
    numbers = [*edges(source), *(rng.getrandbits(source) for _ in range(200))]
    if source > target:  # around the middle of two numbers of the smaller format
        step = FORMATS[source][1] - FORMATS[target][1]
        for small in edges(target):
            real = value(small, target)
            if real == real:
                near = encoded(real, source, is_negative=bool(small >> target - 1))
                half = near ^ 1 << step - 1
                numbers += [half, half ^ 1, half + 1 & MASK[source], near ^ 1]
    cases = [(number,) for number in numbers]
    name = f"v_cvt_f{target}_f{source}"
    require(name, target, converted(source, target), cases, same_float(target))


NANS = [
    ("v_cvt_f16_f32", 16, (0x7F800001,), 0x7E00),
    ("v_cvt_f16_f32", 16, (0xFFA00000,), 0xFF00),
    ("v_cvt_f16_f32", 16, (0x7FC02001,), 0x7E01),
    ("v_cvt_f32_f16", 32, (0x7D01,), 0x7FE02000),
    ("v_cvt_f32_f16", 32, (0xFE05,), 0xFFC0A000),
    ("v_cvt_f64_f32", 64, (0xFFA00000,), 0xFFFC000000000000),
    ("v_cvt_f32_f64", 32, (0x7FF0000000000001,), 0x7FC00000),
    ("v_cvt_pkrtz_f16_f32", 32, (0x7F800001, 0xFFA00000), 0xFF007E00),
    ("v_cvt_pk_f16_f32", 32, (0x7F800001, 0xFFA00000), 0xFF007E00),
    ("v_cvt_pk_bf16_f32", 32, (0x7F800001, 0xFFA00000), 0xFFE07FC0),
    ("v_frexp_mant_f16", 16, (0xFC01,), 0xFE01),
    ("v_frexp_mant_f32", 32, (0x7F800001,), 0x7FC00001),
    ("v_frexp_mant_f64", 64, (0xFFF0000000000001,), 0xFFF8000000000001),
    ("v_log_f16", 16, (0xFC01,), 0xFE01),
    ("v_log_f32", 32, (0xFFA00000,), 0xFFE00000),
]


@pytest.mark.parametrize("direction", range(4))
@pytest.mark.parametrize("is_ieee", [0, 1])
@pytest.mark.parametrize(("name", "bits", "case", "expected"), NANS)
def test_a_nan_stays_and_is_quiet(
    name: str, bits: int, case: tuple[int, ...], expected: int, is_ieee: int, direction: int
) -> None:
    """With the first bits of its fraction, whatever MODE says (docs/run.md)."""
    mode = 0x1F0 | is_ieee << 9 | direction * 5
    require_on(
        ("gfx900", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1200"),
        name, bits, lambda *_: expected, [case], mode=mode,
    )  # fmt: skip


@pytest.mark.parametrize(("name", "sources", "expected"), [
    ("s_cvt_f16_f32", (0x7F800001,), 0x7E00),
    ("s_cvt_f32_f16", (0x7D01,), 0x7FE02000),
    ("s_cvt_hi_f32_f16", (0x7D010000,), 0x7FE02000),
    ("s_cvt_pk_rtz_f16_f32", (0x7F800001, 0xFFA00000), 0xFF007E00),
])  # fmt: skip
def test_a_scalar_nan_stays_and_is_quiet(
    name: str, sources: tuple[int, ...], expected: int
) -> None:
    machine = decoder("gfx1200", 32)
    fields = {f"src{number}": number for number in range(len(sources))}
    running = vectors.machine(programs.encoded(machine, name, sdst=8, **fields), 32, "gfx1200", 32)
    [wave] = running.waves
    wave.s[: len(sources)] = sources
    assert running.run(most=1) is None
    assert wave.s[8] == expected


def toward_zero(number: int) -> int:
    """An f32 as an f16."""
    real = value(number, 32)
    if real != real:
        return nan_of(16)
    sign = number >> 31 << 15
    if abs(real) == float("inf"):
        return sign | 0x7C00
    return sign | bisect_right(positive_halves(), abs(real)) - 1


@cache
def positive_halves() -> list[float]:
    """By their encodings."""
    return [value(number, 16) for number in range(0x7C00)]


def test_pairs_of_halves_toward_zero() -> None:
    """Too large a number is the largest one, as far as it is finite."""
    rng = Random(6)
    numbers = [
        0x477FE000,
        0x477FF000,
        0x7F7FFFFF,
        0x33800000,
        0x33000000,
        0x387FC001,
        1,
        0x7F800000,
    ]
    numbers += [0x38800000 + rng.getrandbits(25) for _ in range(8)]
    cases = [(a, rng.choice(numbers) | 1 << 31) for a in numbers]

    def both(a: int, b: int) -> int:
        return toward_zero(a) | toward_zero(b) << 16

    require("v_cvt_pkrtz_f16_f32", 32, both, cases)


def whole(number: int, bits: int, low: int, high: int, how: Callable[[Fraction], int] = int) -> int:
    real = value(number, bits)
    if real != real:
        return 0
    if abs(real) == float("inf"):
        return high if real > 0 else low
    return max(low, min(high, how(Fraction(real))))


TO_INTEGERS: list[tuple[str, int, int, int, int, Callable[[Fraction], int]]] = [
    ("v_cvt_i32_f32", 32, 32, -(1 << 31), (1 << 31) - 1, int),
    ("v_cvt_u32_f32", 32, 32, 0, (1 << 32) - 1, int),
    ("v_cvt_i32_f64", 64, 32, -(1 << 31), (1 << 31) - 1, int),
    ("v_cvt_u32_f64", 64, 32, 0, (1 << 32) - 1, int),
    ("v_cvt_i16_f16", 16, 16, -(1 << 15), (1 << 15) - 1, int),
    ("v_cvt_u16_f16", 16, 16, 0, (1 << 16) - 1, int),
    ("v_cvt_flr_i32_f32", 32, 32, -(1 << 31), (1 << 31) - 1,
     lambda x: x.numerator // x.denominator),
    ("v_cvt_rpi_i32_f32", 32, 32, -(1 << 31), (1 << 31) - 1,
     lambda x: (2 * x.numerator + x.denominator) // (2 * x.denominator)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "source", "bits", "low", "high", "how"), TO_INTEGERS,
                         ids=lambda v: v if isinstance(v, str) else "")  # fmt: skip
def test_to_integers(
    name: str, source: int, bits: int, low: int, high: int, how: Callable[[Fraction], int]
) -> None:
    reals = [n / 4 for n in range(-11, 12)] + [
        low - 1,
        low - 0.5,
        high + 0.5,
        high + 1,
        1e30,
        -1e30,
    ]
    cases = [*floats(source, 1), *((encoded(real, source),) for real in reals)]
    require(name, bits, lambda n: whole(n, source, low, high, how), cases)


@pytest.mark.parametrize(("name", "bits", "is_signed"), [
    ("v_cvt_f32_i32", 32, True), ("v_cvt_f32_u32", 32, False), ("v_cvt_f64_i32", 64, True),
    ("v_cvt_f64_u32", 64, False), ("v_cvt_f16_i16", 16, True), ("v_cvt_f16_u16", 16, False),
])  # fmt: skip
def test_from_integers(name: str, bits: int, is_signed: bool) -> None:
    width = min(bits, 32)
    rng = Random(7)
    numbers = [0, 1, 2, (1 << 24) + 1, (1 << 24) + 3, 2049, 2051, 1 << width - 1, MASK[width]]
    numbers += [rng.getrandbits(width) for _ in range(100)]
    cases = [(number & MASK[width],) for number in numbers]

    def model(number: int) -> int:
        return encoded(Fraction(s(number, width) if is_signed else number), bits)

    require(name, bits, model, cases)


def test_bytes_of_floats() -> None:
    """v_cvt_pk_u8_f32: to the nearest byte, in place of one of four."""
    reals = [-1.0, -0.4, 0.5, 1.5, 2.5, 254.5, 255.4, 256.0, 1e30, -1e30, float("inf")]

    def model(a: int, b: int, c: int) -> int:
        byte = whole(a, 32, 0, 255, round)
        return c & ~(255 << 8 * (b % 4)) | byte << 8 * (b % 4)

    cases = [(encoded(real, 32), b, 0x12345678) for real in reals for b in (0, 1, 2, 3, 7)]
    require("v_cvt_pk_u8_f32", 32, model, [*cases, (nan_of(32), 0, MASK[32])])


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_classes(bits: int) -> None:
    """v_cmp_class: ten kinds of numbers, a bit of the second operand for each."""
    _, fraction_bits, _ = FORMATS[bits]
    quiet = 1 << fraction_bits - 1
    kinds = [  # signalling and quiet NaN, then from -infinity to infinity
        nan_of(bits) & ~quiet | 1, nan_of(bits), encoded(float("-inf"), bits),
        encoded(-1.0, bits), 1 << bits - 1 | 1, 1 << bits - 1, 0, 1, encoded(1.0, bits),
        encoded(float("inf"), bits),
    ]  # fmt: skip
    for target in ("gfx90a", "gfx1100", "gfx1200"):
        encoding = encoding_of(target, f"v_cmp_class_f{bits}")
        assert encoding is not None
        size = decoder(target).target.wave_size
        fields = {"sdst": 20, "src0": 256, "src1": 256 + 2}
        code = programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")
        for chosen in range(10):
            machine = vectors.machine(code, 10, target, size)
            [wave] = machine.waves
            for lane, number in enumerate(kinds):
                wave.v[0][lane], wave.v[1][lane] = number & MASK[32], number >> 32
            wave.v[2][:] = 1 << chosen
            assert machine.run(most=1) is None
            assert wave.s[20] == 1 << chosen, (target, chosen)
