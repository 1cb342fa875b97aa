"""FP_ROUND, FP16_OVFL, IEEE, DX10_CLAMP and EXCP_EN of MODE."""

from __future__ import annotations

import random
from fractions import Fraction
from math import inf, nan
from typing import Any, cast

import numpy as np
import pytest

from dwarfgpu.machine.simulated.semantics.rounding import rounded_division_fma, rounded_scaled
from dwarfgpu.machine.topology import StopReason
from tests.machine.simulated import vectors

NEAREST, UPWARD, DOWNWARD, TOWARD_ZERO = range(4)
PLAIN = 0x3F0
"""Denormals, IEEE, DX10_CLAMP."""


def left(code: str, mode: int, kind: str, *sources: Any, result: str = "", lanes: int = 1) -> Any:
    """The result in v8 of an instruction of GFX11 with sources in v0, v2, v4 (and the next)."""
    machine = vectors.machine(bytes.fromhex(code), lanes)
    [wave] = machine.waves
    wave.set_mode(mode)
    for number, source in enumerate(sources):
        raw = np.array([source] * 32, kind) if np.ndim(source) == 0 else np.array(source, kind)
        for dword, row in enumerate(_dwords(raw)):
            wave.v[2 * number + dword][: len(row)] = row
    stopped = machine.run()
    if stopped is not None:
        return stopped
    result = result or kind
    if result == "f8":
        return (wave.v[8].astype("u8") | wave.v[9].astype("u8") << np.uint64(32)).view("f8")
    if result == "f2":
        return (wave.v[8] & 0xFFFF).astype("u2").view("f2")
    return wave.v[8].view(result)


def _dwords(values: Any) -> list[Any]:
    raw = values.view(f"u{values.itemsize}").astype("u8")
    return [(raw & 0xFFFFFFFF).astype("u4"), (raw >> np.uint64(32)).astype("u4")][
        : max(values.itemsize // 4, 1)
    ]


ADD, MUL, FMA = {}, {}, {}
ADD["f4"], MUL["f4"], FMA["f4"] = "00051006", "00051010", "080013d600051204"
ADD["f2"], MUL["f2"] = "00051064", "0005106a"
ADD["f8"], MUL["f8"] = "080027d700050200", "080028d700050200"


def numbers(kind: str, seed: int) -> list[float]:
    rng = random.Random(f"{kind}{seed}")
    limits = np.finfo(kind)
    edges = [0.0, -0.0, 1.0, -1.0, float(limits.max), -float(limits.max), float(limits.tiny)]
    edges += [float(limits.smallest_subnormal), 1 + float(limits.eps), -float(limits.tiny)]
    out = [rng.choice(edges) for _ in range(12)]
    out += [float(np.array(rng.uniform(-3, 3), kind)) for _ in range(12)]
    return out + [
        float(np.array(2.0 ** rng.randrange(-14, 14) * rng.random(), kind)) for _ in range(8)
    ]


def neighbours(exact: Fraction, kind: str) -> tuple[float, float]:
    """The greatest number of a type that is not above, and the smallest that is not below."""
    limits = np.finfo(kind)
    if abs(exact) > Fraction(float(limits.max)):
        most = float(limits.max)
        return (most, inf) if exact > 0 else (-inf, -most)
    near = np.array(exact.numerator / exact.denominator, kind)[()]
    while Fraction(float(near)) > exact:
        near = np.nextafter(near, np.array(-inf, kind)[()])
    with np.errstate(over="ignore"):
        above = np.nextafter(near, np.array(inf, kind)[()])
        while above <= limits.max and Fraction(float(above)) <= exact:
            near, above = above, np.nextafter(above, np.array(inf, kind)[()])
    return float(near), float(near if Fraction(float(near)) == exact else above)


@pytest.mark.parametrize("direction", [UPWARD, DOWNWARD, TOWARD_ZERO])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
@pytest.mark.parametrize("name", ["ADD", "MUL"])
def test_directed_rounding(name: str, kind: str, direction: int) -> None:
    """Each field of FP_ROUND is for its types; the other one has another direction."""
    code = {"ADD": ADD, "MUL": MUL}[name][kind]
    field = direction if kind == "f4" else direction << 2
    a, b = numbers(kind, 1), numbers(kind, 2)
    values = left(code, PLAIN | field, kind, a, b, lanes=32)
    for one, other, result in zip(a, b, values.tolist(), strict=True):
        exact = (
            Fraction(one) + Fraction(other) if name == "ADD" else Fraction(one) * Fraction(other)
        )
        below, above = neighbours(exact, kind)
        expected = {UPWARD: above, DOWNWARD: below, TOWARD_ZERO: below if exact > 0 else above}
        assert result == expected[direction], (one, other, result, expected)


@pytest.mark.parametrize(
    ("direction", "text"), [(NEAREST, "0x0p+0"), (UPWARD, "0x0p+0"), (DOWNWARD, "-0x0p+0")]
)
def test_a_sum_that_cancels_is_minus_zero_only_downward(direction: int, text: str) -> None:
    [result, *_] = left(ADD["f4"], PLAIN | direction, "f4", 2.5, -2.5)
    assert np.signbit(result) == text.startswith("-") and result == 0


@pytest.mark.parametrize("other", [UPWARD, DOWNWARD, TOWARD_ZERO])
def test_the_other_field_changes_nothing(other: int) -> None:
    a, b = numbers("f4", 3), numbers("f4", 4)
    plain = left(ADD["f4"], PLAIN, "f4", a, b, lanes=32)
    assert (left(ADD["f4"], PLAIN | other << 2, "f4", a, b, lanes=32) == plain).all()


CONVERSIONS = [
    ("0015107e", "f4", "f2", 1 + 2.0**-12, 2),  # v_cvt_f16_f32
    ("001f107e", "f8", "f4", 1 + 2.0**-30, 2),  # v_cvt_f32_f64: the field of f64
    ("000b107e", "i4", "f4", (1 << 24) + 1, 0),  # v_cvt_f32_i32
]


@pytest.mark.parametrize(("code", "source", "result", "value", "field"), CONVERSIONS)
def test_conversions(code: str, source: str, result: str, value: Any, field: int) -> None:
    below, above = neighbours(Fraction(value), result)
    for direction, wanted in ((UPWARD, above), (DOWNWARD, below), (TOWARD_ZERO, below)):
        values = left(code, PLAIN | direction << field, source, value, result=result)
        assert float(values[0]) == wanted
        other = left(code, PLAIN | direction << 2 - field, source, value, result=result)
        assert float(other[0]) == below  # to nearest


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_fma_and_square_root(kind: str) -> None:
    eps = float(np.finfo(kind).eps)
    fma = {"f4": "080013d600051204", "f8": "080014d600051204"}[kind]
    field = {"f4": 0, "f8": 2}[kind]
    a, b, c = 1 + eps, 1 + eps, -1.0
    below, above = neighbours(Fraction(a) * Fraction(b) + Fraction(c), kind)
    assert below != above
    assert left(fma, PLAIN | UPWARD << field, kind, a, b, c)[0] == above
    assert left(fma, PLAIN | DOWNWARD << field, kind, a, b, c)[0] == below
    root = {"f4": "0067107e", "f8": "0069107e"}[kind]
    up, down = (left(root, PLAIN | d << field, kind, 2.0)[0] for d in (UPWARD, DOWNWARD))
    assert Fraction(float(down)) ** 2 < 2 < Fraction(float(up)) ** 2
    assert np.nextafter(down, type(down)(2)) == up
    assert left(root, PLAIN | UPWARD << field, kind, 9.0)[0] == 3


FRACT = {"f2": "00bf107e", "f4": "0041107e", "f8": "007d107e"}
"""v_fract_f16, v_fract_f32, v_fract_f64 v8, v0."""


def bits(number: int, kind: str) -> float:
    return float(np.array(number, f"u{kind[1:]}").view(kind))


@pytest.mark.parametrize(
    ("kind", "direction", "number", "expected"),
    [
        ("f4", DOWNWARD, 0xBCAA9AC8, 0x3F7AAB29),
        ("f4", UPWARD, 0xBA28A679, 0x3F7FD5D7),
        ("f2", UPWARD, 0xB647, 0x38DD),
        ("f8", DOWNWARD, 0xBFBD696E09E71313, 0x3FEC52D23EC31D9D),
        ("f4", UPWARD, 0x80000001, 0x3F7FFFFF),  # never 1
        ("f4", NEAREST, 0x80000001, 0x3F7FFFFF),
        ("f4", DOWNWARD, 0x40000000, 0x80000000),  # a sum that cancels
        ("f4", UPWARD, 0x40000000, 0),
    ],
)
def test_fractions(kind: str, direction: int, number: int, expected: int) -> None:
    """V_FRACT_F32 obeys the round mode, its result is at most 0x3f7fffff (AMD's ISA documents)."""
    field = direction if kind == "f4" else direction << 2
    [result, *_] = left(FRACT[kind], PLAIN | field, kind, bits(number, kind))
    assert int(result.view(f"u{kind[1:]}")) == expected


@pytest.mark.parametrize("direction", [UPWARD, DOWNWARD, TOWARD_ZERO])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_fractions_are_rounded_sums(kind: str, direction: int) -> None:
    rng = random.Random(kind)
    scale = np.array([2.0 ** -rng.randrange(24) for _ in range(20)])
    some = np.array([rng.uniform(-1, 1) for _ in range(20)]) * scale
    values = [float(number) for number in some.astype(kind)] + numbers(kind, 5)[:12]
    field = direction if kind == "f4" else direction << 2
    most = float(np.nextafter(np.array(1, kind)[()], np.array(0, kind)[()]))
    results = left(FRACT[kind], PLAIN | field, kind, values, lanes=32)
    for number, result in zip(values, results.tolist(), strict=True):
        exact = Fraction(number) - Fraction(number).__floor__()
        below, above = neighbours(exact, kind)
        assert result == min(above if direction == UPWARD else below, most), (number, result)


def test_halves_that_do_not_overflow() -> None:
    """FP16_OVFL: infinities that are not an overflow stay."""
    assert left(MUL["f2"], PLAIN, "f2", 300.0, 300.0)[0] == inf
    assert left(MUL["f2"], PLAIN | 1 << 23, "f2", 300.0, 300.0)[0] == 65504
    assert left(MUL["f2"], PLAIN | 1 << 23, "f2", -300.0, 300.0)[0] == -65504
    assert left(MUL["f2"], PLAIN | 1 << 23, "f2", inf, 300.0)[0] == inf


SIGNALLING = 0x7F800001


def test_minimum_of_a_signalling_nan() -> None:
    """With IEEE it is quieted and is the result; without, the other number is."""
    code = "0005101e"  # v_min_f32 v8, v0, v2
    values = left(code, PLAIN, "u4", SIGNALLING, np.float32(2).view("u4"))
    assert values[0] == SIGNALLING | 1 << 22
    values = left(code, PLAIN & ~(1 << 9), "u4", SIGNALLING, np.float32(2).view("u4"), result="f4")
    assert values[0] == 2


def test_clamp_of_nan() -> None:
    code = "088003d500050200"  # v_add_f32_e64 v8, v0, v2 clamp
    assert left(code, PLAIN, "f4", nan, 1.0)[0] == 0
    assert np.isnan(left(code, PLAIN & ~(1 << 8), "f4", nan, 1.0)[0])
    assert left(code, PLAIN & ~(1 << 8), "f4", 3.0, 1.0)[0] == 1


@pytest.mark.parametrize(
    ("bit", "code", "sources", "reason"),
    [
        (0, ADD["f4"], (inf, -inf), StopReason.FP_INVALID_OPERATION),
        (1, ADD["f4"], (1e-40, 1.0), StopReason.FP_INPUT_DENORMAL),
        (2, "0055107e", (0.0,), StopReason.FP_DIVIDE_BY_0),  # v_rcp_f32
        (3, MUL["f4"], (1e30, 1e30), StopReason.FP_OVERFLOW),
        (4, MUL["f4"], (1e-30, 1e-12), StopReason.FP_UNDERFLOW),
        (5, ADD["f4"], (1.0, 1e-20), StopReason.FP_INEXACT),
        (6, "0057107e", (0.0,), StopReason.INT_DIVIDE_BY_0),  # v_rcp_iflag_f32
    ],
)
def test_exceptions_stop_a_wave_that_enables_them(
    bit: int, code: str, sources: tuple[float, ...], reason: StopReason
) -> None:
    stopped = left(code, PLAIN | 1 << 12 + bit, "f4", *sources, lanes=3)
    assert stopped.reason is reason and stopped.lanes == (0, 1, 2)
    assert stopped.wave.pc == 0x10000
    # Without the bit nothing stops, nor with it where there is nothing exceptional.
    left(code, PLAIN | (0x7F & ~(1 << bit)) << 12, "f4", *[1.0] * len(sources))[0]
    assert left(code, PLAIN | 0x7F << 12, "f4", *[1.0] * len(sources))[0] in (1.0, 2.0)


DIVISION_FIXUP = {"f2": "080054d600051204", "f4": "080027d600051204", "f8": "080028d600051204"}


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
@pytest.mark.parametrize(
    ("denominator", "numerator", "reason"),
    [
        (0.0, 1.0, StopReason.FP_DIVIDE_BY_0),
        (-0.0, -2.5, StopReason.FP_DIVIDE_BY_0),
        (0.0, 0.0, StopReason.FP_INVALID_OPERATION),
        (inf, -inf, StopReason.FP_INVALID_OPERATION),
        (0.0, inf, None),  # which is exact
        (inf, 1.0, None),
        (0.0, nan, None),
        (nan, 0.0, None),
        (2.0, 1.0, None),
    ],
)
def test_exceptions_of_a_division(
    kind: str, denominator: float, numerator: float, reason: StopReason | None
) -> None:
    """IEEE 754, 7.2 and 7.3: v_div_fixup has them, as its sources are those of the division."""
    code, sources = DIVISION_FIXUP[kind], (0.5, denominator, numerator)
    stopped = left(code, PLAIN | 0x7F << 12, kind, *sources)
    assert getattr(stopped, "reason", None) is reason
    enabled = {StopReason.FP_DIVIDE_BY_0: 4, StopReason.FP_INVALID_OPERATION: 1, None: 0}[reason]
    plain = left(code, PLAIN, kind, *sources)
    without = left(code, PLAIN | (0x7F & ~enabled) << 12, kind, *sources)
    assert without.tobytes() == plain.tobytes()


def test_square_roots_of_negative_numbers() -> None:
    """In every direction NaN, which is an exception."""
    root = "0067107e"
    assert np.isnan(left(root, PLAIN | UPWARD, "f4", -2.0)[0])
    stopped = left(root, PLAIN | 0x7F << 12, "f4", -2.0)
    assert stopped.reason is StopReason.FP_INVALID_OPERATION


def test_a_product_of_scalars() -> None:
    """v_mul_f32_e64 v8, s0, s2 has one value for all lanes."""
    code = "080008d500040000"
    assert left(code, PLAIN | UPWARD | 0x7F << 12, "f4")[0] == 0


def test_an_exception_of_an_inactive_lane_is_none() -> None:
    a = np.where(np.arange(32) == 5, 1e30, 1.0)
    assert left(MUL["f4"], PLAIN | 8 << 12, "f4", a, a, lanes=5)[0] == 1
    assert left(MUL["f4"], PLAIN | 8 << 12, "f4", a, a, lanes=6).lanes == (5,)


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("mode", [UPWARD, DOWNWARD, TOWARD_ZERO])
def test_a_power_far_out_of_range(kind: str, mode: int) -> None:
    """Its exact number has as many bits as the power says."""
    limits = np.finfo(kind)
    a = np.array([1, -1, 1, -1, 0], kind)
    power = np.array([2**31 - 1, 2**31 - 1, -(2**31), -(2**31), 2**31 - 1], np.int32)
    with np.errstate(all="ignore"):
        scaled = rounded_scaled(a, power, mode | mode << 2, cast("Any", None))
    most, least = float(limits.max), float(limits.smallest_subnormal)
    assert scaled.tolist() == [
        inf if mode == UPWARD else most,
        -inf if mode == DOWNWARD else -most,
        least if mode == UPWARD else 0,
        -least if mode == DOWNWARD else 0,
        0,
    ]


@pytest.mark.parametrize(("code", "kind"), [("080037d600051204", "f4"), ("080038d600051204", "f8")])
def test_a_fused_multiplication_of_a_division(code: str, kind: str) -> None:
    """v_div_fmas: without a scale it is v_fma."""
    tiny = float(np.finfo(kind).eps) / 4
    above = float(np.nextafter(np.array(1, kind), np.array(2, kind)))
    for direction, expected in ((NEAREST, 1.0), (UPWARD, above), (DOWNWARD, 1.0)):
        mode = PLAIN | direction | direction << 2
        assert left(code, mode, kind, 1.0, tiny, 1.0)[0] == expected


@pytest.mark.parametrize(("kind", "step", "large"), [("f4", 64, 2.0**20), ("f8", 128, 2.0**20)])
def test_a_scale_of_a_division_is_rounded_once(kind: str, step: int, large: float) -> None:
    """As the manual has it: 2**64 or 2**128 times the sum if the quotient is large, else one by
    that."""
    tiny = float(np.finfo(kind).eps) / 4
    above = float(np.nextafter(np.array(1, kind), np.array(2, kind)))
    mode = UPWARD | UPWARD << 2
    for quotient, power in ((large, step), (1 / large, -step)):
        sources = (np.array([number], kind) for number in (quotient, tiny, quotient))
        [found] = rounded_division_fma(*sources, np.array([True]), mode, cast("Any", None))
        assert found == above * quotient * 2.0**power
