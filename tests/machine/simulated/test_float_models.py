"""Floating point instructions of lanes against models of one lane, in Python's fractions.

The models are written from the descriptions in AMD's ISA documents and IEEE 754, not from the
expressions of the declarations. Operands are the edges of each type with each other, and random
ones.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, product
from random import Random
from typing import Any

import pytest

from dwarfgpu.isa.decode import decoder
from tests.machine.simulated import programs, vectors
from tests.machine.simulated.models import (
    MASK,
    Model,
    computed,
    encoding_of,
    require,
    require_on,
    s,
)

FORMATS = {16: (5, 10, "e"), 32: (8, 23, "f"), 64: (11, 52, "d")}


def edges(bits: int) -> list[int]:
    """Numbers at both ends of several exponents, of both signs, with infinities and NaN."""
    exponent_bits, fraction_bits, _ = FORMATS[bits]
    top, bias = (1 << exponent_bits) - 1, (1 << exponent_bits - 1) - 1
    exponents = (0, 1, 2, bias - 1, bias, bias + 1, bias + fraction_bits, top - 1)
    ones = (1 << fraction_bits) - 1
    out = [e << fraction_bits | f for e in exponents for f in (0, 1, ones)]
    out += [top << fraction_bits, top << fraction_bits | 1 << fraction_bits - 1]
    return [sign << bits - 1 | number for number in out for sign in (0, 1)]


def value(number: int, bits: int) -> float:
    code = {16: "H", 32: "I", 64: "Q"}[bits]
    [out] = struct.unpack(FORMATS[bits][2], struct.pack(code, number & MASK[bits]))
    return float(out)


def encoded(number: Fraction | float, bits: int, *, is_negative: bool = False) -> int:
    """The nearest number, ties to even; `is_negative` is the sign of zero."""
    exponent_bits, fraction_bits, _ = FORMATS[bits]
    bias, top = (1 << exponent_bits - 1) - 1, (1 << exponent_bits) - 1
    sign = 1 << bits - 1 if is_negative or number < 0 else 0
    if number in (float("inf"), float("-inf")):
        return sign | top << fraction_bits
    size = abs(Fraction(number))
    if not size:
        return sign
    exponent = max(size.numerator.bit_length() - size.denominator.bit_length(), 1 - bias)
    while exponent > 1 - bias and size < Fraction(2) ** exponent:
        exponent -= 1
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    steps = size / Fraction(2) ** (exponent - fraction_bits)
    whole = round(steps)  # to even
    out = whole + (exponent + bias - 1 << fraction_bits)
    return sign | min(out, top << fraction_bits)


def is_nan(number: int, bits: int) -> bool:
    return value(number, bits) != value(number, bits)


def same_float(bits: int) -> Callable[[int, int], bool]:
    return lambda a, b: a == b or is_nan(a, bits) and is_nan(b, bits)


def nan_of(bits: int) -> int:
    _, fraction_bits, _ = FORMATS[bits]
    return MASK[bits] >> 1 & ~((1 << fraction_bits - 1) - 1)


def fused(bits: int, *numbers: int) -> int:
    """a * b + c, rounded once."""
    x, y, z = (value(number, bits) for number in numbers)
    infinite = float("inf")
    if any(number != number for number in (x, y, z)):
        return nan_of(bits)
    if abs(x) == infinite or abs(y) == infinite:
        if not x or not y:
            return nan_of(bits)
        sign = (x < 0) ^ (y < 0)
        if abs(z) == infinite and (z < 0) != sign:
            return nan_of(bits)
        return encoded(-infinite if sign else infinite, bits)
    if abs(z) == infinite:
        return encoded(z, bits)
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    minus = [bool(number >> bits - 1) for number in numbers]
    return encoded(
        exact, bits, is_negative=minus[2] and minus[0] ^ minus[1] if not exact else False
    )


def floats(bits: int, count: int, seed: int = 2) -> list[tuple[int, ...]]:
    rng = Random(seed)
    some = edges(bits)
    if count == 1:
        return [(number,) for number in some]
    out = [tuple(rng.choice(some) for _ in range(count)) for _ in range(500)]
    _, fraction_bits, _ = FORMATS[bits]
    for _ in range(150):  # near each other, so that sums cancel
        first = rng.getrandbits(bits)
        out.append(tuple(first ^ rng.getrandbits(fraction_bits) for _ in range(count)))
    return out


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_fma_rounds_once(bits: int) -> None:
    name = f"v_fma_f{bits}"
    require(name, bits, lambda *n: fused(bits, *n), floats(bits, 3), same_float(bits))


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_sums_and_products(bits: int) -> None:
    one = encoded(1.0, bits)
    cases = floats(bits, 2)
    require(f"v_add_f{bits}", bits, lambda a, b: fused(bits, a, one, b), cases,
            same_float(bits))  # fmt: skip
    require(f"v_mul_f{bits}", bits, lambda a, b: fused(bits, a, b, _zero(a, b, bits)), cases,
            same_float(bits))  # fmt: skip


def _zero(a: int, b: int, bits: int) -> int:
    """The zero that changes no product: of its sign."""
    return (a ^ b) & 1 << bits - 1


def ordered(number: int, bits: int) -> tuple[float, int]:
    """By value, -0 before +0."""
    return value(number, bits), -(number >> bits - 1)


def extreme(choose: Callable[..., int], bits: int, *numbers: int) -> int:
    """The least or greatest of numbers that are not NaN."""
    known = [number for number in numbers if not is_nan(number, bits)]
    return choose(known, key=lambda number: ordered(number, bits)) if known else nan_of(bits)


def median(bits: int, *numbers: int) -> int:
    if any(is_nan(number, bits) for number in numbers):
        return extreme(min, bits, *numbers)
    return sorted(numbers, key=lambda number: ordered(number, bits))[1]


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_least_and_greatest(bits: int) -> None:
    """NaN are quiet here: the other numbers; zeros by their sign."""
    pairs, threes, same = floats(bits, 2), floats(bits, 3), same_float(bits)
    for kind, choose in (("min", min), ("max", max)):

        def of(*numbers: int, choose: Any = choose) -> int:
            return extreme(choose, bits, *numbers)

        require(f"v_{kind}_f{bits}", bits, of, pairs, same)
        if bits < 64:
            require(f"v_{kind}3_f{bits}", bits, of, threes, same)
    if bits < 64:
        require(f"v_med3_f{bits}", bits, lambda *n: median(bits, *n), threes, same)


def rounded(bits: int, how: Callable[[Fraction], int]) -> Model:
    def model(number: int) -> int:
        real = value(number, bits)
        if real != real or abs(real) == float("inf"):
            return nan_of(bits) if real != real else number
        return encoded(Fraction(how(Fraction(real))), bits, is_negative=bool(number >> bits - 1))

    return model


ROUNDINGS: list[tuple[str, Callable[[Fraction], int]]] = [
    ("floor", lambda x: x.numerator // x.denominator),
    ("ceil", lambda x: -(-x.numerator // x.denominator)),
    ("trunc", int),
    ("rndne", round),
]


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize(("name", "how"), ROUNDINGS, ids=lambda v: v if isinstance(v, str) else "")
def test_whole_numbers(name: str, how: Callable[[Fraction], int], bits: int) -> None:
    halves = [(encoded(n / 2, bits),) for n in range(-9, 10)]
    cases = [*floats(bits, 1), *halves]
    require(f"v_{name}_f{bits}", bits, rounded(bits, how), cases, same_float(bits))


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_powers_of_two(bits: int) -> None:
    """Down to denormal numbers, rounded once, and up to infinity."""

    def model(number: int, power: int) -> int:
        real = value(number, bits)
        if real != real or abs(real) == float("inf") or not real:
            return number
        exact = Fraction(real) * Fraction(2) ** s(power, 16 if bits == 16 else 32)
        return encoded(exact, bits)

    exponent_bits, fraction_bits, _ = FORMATS[bits]
    span = (1 << exponent_bits) + fraction_bits
    powers = [*range(-span - 2, -span + 4), -fraction_bits - 1, -1, 0, 1, span - 1, span]
    cases = [(a, p & MASK[32]) for (a,) in floats(bits, 1) for p in powers]
    require(f"v_ldexp_f{bits}", bits, model, cases, same_float(bits))


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_fractions_and_exponents(bits: int) -> None:
    def parts_of(number: int) -> tuple[int, int]:
        real = value(number, bits)
        if real != real or abs(real) == float("inf") or not real:
            return number, 0
        size, exponent = abs(Fraction(real)), 0
        while size >= 1:
            size, exponent = size / 2, exponent + 1
        while size < Fraction(1, 2):
            size, exponent = size * 2, exponent - 1
        return encoded(-size if real < 0 else size, bits), exponent

    of_exponent = "v_frexp_exp_i16_f16" if bits == 16 else f"v_frexp_exp_i32_f{bits}"
    width = 16 if bits == 16 else 32
    cases = floats(bits, 1)
    require(f"v_frexp_mant_f{bits}", bits, lambda n: parts_of(n)[0], cases, same_float(bits))
    require(of_exponent, width, lambda n: parts_of(n)[1], cases)


def quotients(bits: int) -> Iterator[tuple[int, int]]:
    """Pairs of numbers, of every exponent with some others."""
    exponent_bits, fraction_bits, _ = FORMATS[bits]
    rng = Random(3)
    count = 1 << exponent_bits
    for e in range(0, count, 1 if bits == 32 else 16):
        for other in (e, 0, 1, 2, count // 2, count - 2, rng.randrange(count)):
            a, b = (rng.getrandbits(fraction_bits) | e_ << fraction_bits for e_ in (e, other))
            yield a | rng.getrandbits(1) << bits - 1, b
            yield b, a


def divided(bits: int, a: int, b: int) -> int:
    x, y = value(a, bits), value(b, bits)
    is_negative = bool((a ^ b) >> bits - 1)
    infinite = float("inf")
    if x != x or y != y or (not x and not y) or abs(x) == abs(y) == infinite:
        return nan_of(bits)
    if abs(x) == infinite or not y:
        return encoded(infinite, bits, is_negative=is_negative)
    if abs(y) == infinite:
        return encoded(0.0, bits, is_negative=is_negative)
    return encoded(Fraction(x) / Fraction(y), bits, is_negative=is_negative)


@pytest.mark.parametrize("target", ["gfx90a", "gfx1100", "gfx1200"])
@pytest.mark.parametrize("bits", [32, 64])
def test_division_of_every_exponent(bits: int, target: str) -> None:
    """The sequence of compilers, with v_div_scale, v_div_fmas and v_div_fixup, rounds once."""
    machine = decoder(target)
    size = machine.target.wave_size

    def made(name: str, **fields: int) -> bytes:
        encoding = encoding_of(target, name)
        assert encoding is not None
        return programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")

    def fma(to: int, a: int, b: int, c: int, *, is_negated: bool = False) -> bytes:
        return made(f"v_fma_f{bits}", vdst=to, src0=256 + a, src1=256 + b, src2=256 + c,
                    src0_modifiers=int(is_negated))  # fmt: skip

    scale = f"v_div_scale_f{bits}"
    one, vcc, n, d, scaled_d, scaled_n, r, e, q, t = 242, 106, 0, 2, 4, 6, 8, 10, 12, 14
    code = [
        made(scale, vdst=scaled_d, sdst=20, src0=256 + d, src1=256 + d, src2=256 + n),
        made(scale, vdst=scaled_n, sdst=vcc, src0=256 + n, src1=256 + d, src2=256 + n),
        made(f"v_rcp_f{bits}", vdst=r, src0=256 + scaled_d),
    ]
    for _ in range(2):
        step = made(f"v_fma_f{bits}", vdst=e, src0=256 + scaled_d, src1=256 + r, src2=one,
                    src0_modifiers=1)  # fmt: skip
        code += [step, fma(r, e, r, r)]
    code += [
        made(f"v_mul_f{bits}", vdst=q, src0=256 + scaled_n, src1=256 + r),
        fma(t, scaled_d, q, scaled_n, is_negated=True),
    ]
    if bits == 32:
        code += [fma(q, t, r, q), fma(t, scaled_d, q, scaled_n, is_negated=True)]
    code += [
        made(f"v_div_fmas_f{bits}", vdst=q, src0=256 + t, src1=256 + r, src2=256 + q),
        made(f"v_div_fixup_f{bits}", vdst=q, src0=256 + q, src1=256 + d, src2=256 + n),
    ]
    cases = [*quotients(bits), *islice(product(edges(bits), repeat=2), 0, None, 7)]
    for first in range(0, len(cases), size):
        some = cases[first : first + size]
        running = vectors.machine(b"".join(code), size, target, size)
        [wave] = running.waves
        for lane, pair in enumerate(some):
            for register, number in zip((n, d), pair, strict=True):
                wave.v[register][lane] = number & MASK[32]
                wave.v[register + 1][lane] = number >> 32
        stopped = running.run(most=len(code))
        assert stopped is None, stopped
        for lane, (a, b) in enumerate(some):
            result = int(wave.v[q][lane]) | (int(wave.v[q + 1][lane]) << 32 if bits == 64 else 0)
            expected = divided(bits, a, b)
            text = f"{a:#x} / {b:#x}: {result:#x}, not {expected:#x}"
            assert same_float(bits)(result, expected), text


OF_EACH_GENERATION = ("gfx803", "gfx900", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200")
QUIET = {16: 0x7E05, 32: 0x7FC00005, 64: 0x7FF8000000000005}
SIGNALLING = {16: 0xFC01, 32: 0xFF800001, 64: 0xFFF0000000000001}


def kept_nan(bits: int, *numbers: int) -> int:
    """The only NaN of the sources, quiet (docs/run.md)."""
    [number] = {number for number in numbers if is_nan(number, bits)}
    return number | 1 << FORMATS[bits][1] - 1


@pytest.mark.parametrize(("name", "bits"), [
    ("v_fma_f16", 16), ("v_fma_f32", 32), ("v_fma_f64", 64), ("v_pk_fma_f16", 16),
    ("v_pk_fma_f32", 32), ("v_mad_f16", 16), ("v_mad_f32", 32), ("v_fma_mix_f32", 32),
    ("v_mad_mix_f32", 32), ("v_fma_legacy_f32", 32), ("v_div_fmas_f32", 32),
    ("v_div_fmas_f64", 64),
])  # fmt: skip
def test_a_product_and_sum_of_a_nan_is_that_nan(name: str, bits: int) -> None:
    """Quiet, of every source, beside all other numbers: infinity times 0 too."""
    infinity = encoded(float("inf"), bits)
    one, most = encoded(1.0, bits), infinity - 1
    some = [0, 1 << bits - 1, one, infinity, infinity | 1 << bits - 1, most, 1]
    cases = []
    for nan in (QUIET[bits], SIGNALLING[bits]):
        for a, b in product(some, repeat=2):
            cases += [(a, b, nan), (a, nan, b), (nan, a, b), (nan, nan, a), (a, nan, nan)]
    if "legacy" in name:  # 0 times NaN is 0
        cases = [case for case in cases if is_nan(case[2], bits)]
    require_on(OF_EACH_GENERATION, name, bits, lambda *numbers: kept_nan(bits, *numbers), cases)


def twice_rounded(*numbers: int) -> int:
    """a * b + c of f32 without denormals, as v_mad_f32 has it."""
    a, b, c = (_without_denormals(number) for number in numbers)
    product = _without_denormals(fused(32, a, b, _zero(a, b, 32)))
    return _without_denormals(fused(32, product, encoded(1.0, 32), c))


def _without_denormals(number: int) -> int:
    return number if number >> 23 & 0xFF else number & 1 << 31


def test_mixed_precision() -> None:
    """v_fma_mix_f32: op_sel_hi says of each source that it is a half, op_sel which one. It rounds
    once, v_mad_mix_f32 of gfx900 twice."""
    rng = Random(4)
    for target, name in (("gfx90a", "v_fma_mix_f32"), ("gfx1100", "v_fma_mix_f32"),
                         ("gfx900", "v_mad_mix_f32")):  # fmt: skip
        encoding = encoding_of(target, name)
        if encoding is None:
            continue
        for halves in range(8):
            high = rng.getrandbits(3)
            fields = {
                f"src{n}_modifiers": 8 * (halves >> n & 1) | 4 * (high >> n & 1) for n in range(3)
            }
            cases = [tuple(rng.choice(edges(32)) ^ rng.getrandbits(16) for _ in range(3))
                     for _ in range(64)]  # fmt: skip
            values = computed(target, encoding, cases, 1, **fields)
            for case, number in zip(cases, values, strict=True):
                used = [
                    _of_half(a >> 16 * (high >> n & 1)) if halves >> n & 1 else a
                    for n, a in enumerate(case)
                ]
                expected = fused(32, *used) if "fma" in name else twice_rounded(*used)
                assert same_float(32)(number, expected), (target, halves, high, case)


def _of_half(number: int) -> int:
    real = value(number & MASK[16], 16)
    if real != real:
        return nan_of(32)
    return encoded(real, 32, is_negative=bool(number >> 15 & 1))


@pytest.mark.parametrize(("target", "mode", "factor"), [
    ("gfx90a", 0x1C0, 2), ("gfx90a", 0x3C0, 1), ("gfx1100", 0x1C0, 2), ("gfx1100", 0x1F0, 1),
    ("gfx1200", 0x0C0, 2), ("gfx1200", 0x0F0, 1),
])  # fmt: skip
def test_output_modifiers(target: str, mode: int, factor: int) -> None:
    """They need MODE without IEEE, and without denormal results; -0 is 0 then."""
    encoding = encoding_of(target, "v_mul_f32")
    assert encoding is not None
    size = decoder(target).target.wave_size
    fields = {"vdst": 8, "src0": 256, "src1": 242, "omod": 1}
    code = programs.placed(encoding, fields).to_bytes(encoding.format.size, "little")
    machine = vectors.machine(code, 2, target, size)
    [wave] = machine.waves
    wave.set_mode(mode)
    wave.v[0][:2] = encoded(1.5, 32), 1 << 31
    assert machine.run(most=1) is None
    assert wave.v[8][:2].tolist() == [encoded(1.5 * factor, 32), 0 if factor == 2 else 1 << 31]


@pytest.mark.parametrize("clamp", [0, 1])
def test_halves_of_mixed_precision(clamp: int) -> None:
    """v_fma_mixlo_f16 and v_fma_mixhi_f16 round twice, clamp, and leave the other half alone."""
    rng = Random(8)
    cases = [tuple(encoded(rng.uniform(-2, 2), 32) for _ in range(3)) for _ in range(64)]
    for target in ("gfx90a", "gfx1100"):
        for name, first in (("v_fma_mixlo_f16", 0), ("v_fma_mixhi_f16", 16)):
            encoding = encoding_of(target, name)
            assert encoding is not None
            values = computed(target, encoding, cases, 1, clamp=clamp)
            for case, number in zip(cases, values, strict=True):
                real = value(fused(32, *case), 32)
                if clamp:
                    real = min(max(real, 0.0), 1.0)
                expected = encoded(Fraction(real), 16)
                assert number == expected << first, (target, name, case)


@pytest.mark.parametrize("target", ["gfx900", "gfx1010"])
def test_multiply_and_add_rounds_twice(target: str) -> None:
    """v_mad_f32 is v_mul_f32 and v_add_f32 without denormals, whatever MODE says."""
    encoding = encoding_of(target, "v_mad_f32")
    if encoding is None:
        pytest.skip(f"{target} has none")
    cases = floats(32, 3)
    values = computed(target, encoding, cases, 1)
    for case, number in zip(cases, values, strict=True):
        assert same_float(32)(number, twice_rounded(*case)), case
