"""Numbers of 8 bits: both families of formats, and the instructions that convert them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf, isnan, nan

import numpy as np
import pytest

from dwarfgpu.isa.decode import decoder
from dwarfgpu.machine.simulated.semantics.small_floats import (
    format_of,
    small_bits,
    small_float,
    small_floats,
    xf32,
)
from tests.machine.simulated import vectors


@pytest.mark.parametrize(
    ("name", "most", "least", "one"),
    [
        ("fp8_fnuz", 240.0, 2.0**-10, 0x40), ("bf8_fnuz", 57344.0, 2.0**-17, 0x40),
        ("fp8", 448.0, 2.0**-9, 0x38), ("bf8", 57344.0, 2.0**-16, 0x3C),
    ],
)  # fmt: skip
def test_formats(name: str, most: float, least: float, one: int) -> None:
    """Limits of "OCP 8-bit Floating Point Specification", table 1, and of the fnuz formats."""
    numbers = small_floats(name)
    finite = numbers[np.isfinite(numbers)]
    assert (finite.max(), finite[finite > 0].min(), numbers[one]) == (most, least, 1)
    assert np.isnan(numbers).sum() == {"fp8": 2, "bf8": 6}.get(name, 1)
    assert np.isinf(numbers).sum() == (2 if name == "bf8" else 0)


@pytest.mark.parametrize("name", ["fp8_fnuz", "bf8_fnuz", "fp8", "bf8"])
def test_every_number_and_what_is_between(name: str) -> None:
    numbers = small_floats(name)
    positive = [(float(number), at) for at, number in enumerate(numbers[:128]) if number < inf]
    for (low, code), (high, _) in pairwise(positive):
        third = (high - low) / 3
        middle = (low + high) / 2
        values = [low, low + third, middle, high - third]
        even = code if code % 2 == 0 else code + 1
        expected = [code, code, even, code + 1]
        numbers = small_bits(np.array(values, "f4"), name).tolist()
        assert numbers == expected, (low, high)
        negative = small_bits(-np.array(values[1:], "f4"), name).tolist()
        is_zero = "fnuz" in name
        assert negative == [at | 0x80 if at or not is_zero else 0 for at in expected[1:]]


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("fp8_fnuz", 1e9, 0x80), ("fp8", 1e9, 0x7F), ("bf8", 1e9, 0x7C), ("bf8", -inf, 0xFC),
        ("bf8_fnuz", inf, 0x80), ("fp8_fnuz", -0.0, 0), ("fp8", -0.0, 0x80),
        ("fp8", 464.0, 0x7E), ("fp8", 465.0, 0x7F), ("fp8_fnuz", nan, 0x80),
    ],
)  # fmt: skip
def test_edges(name: str, value: float, code: int) -> None:
    """464 is halfway between the largest number and what would be the next one: 448 is even."""
    assert small_bits(np.array([value], "f4"), name)[0] == code
    if isnan(value):
        assert np.isnan(small_float(np.array([code], "u4"), name)[0])


def after(code: str, processor: str, *sources: int) -> list[int]:
    size = 64 if processor == "gfx942" else 32
    end = "000081bf" if size == 64 else ""
    machine = vectors.machine(bytes.fromhex(code + end), 4, processor, size)
    [wave] = machine.waves
    for number, source in enumerate(sources):
        wave.v[1 + number][:] = source
    stopped = machine.run()
    assert stopped is None, stopped
    return [int(wave.v[number][2]) for number in (1, 2, 3)]


def f4(value: float) -> int:
    return int(np.float32(value).view("u4"))


@pytest.mark.parametrize(
    ("processor", "code", "sources", "result"),
    [
        # v_cvt_f32_fp8 v1, v2, and of byte 2 (SDWA) and byte 3 (byte_sel)
        ("gfx942", "02a9027e", (0, 0x40), f4(1)),
        ("gfx942", "f9a8027e02060200", (0, 0x00440000), f4(1.5)),
        ("gfx1200", "0118ecd502010000", (0, 0x38000000), f4(1)),
        # v_cvt_pk_fp8_f32 v1, v2, v3 op_sel:[0,0,1]: the high half, the low one stays
        ("gfx942", "0140a2d202070200", (0x1234, f4(1), f4(-1)), 0xC0401234),
        ("gfx1200", "014069d702070200", (0x1234, f4(1), f4(-1)), 0xB8381234),
        # v_dot4_f32_fp8_bf8 v0, v1, v2, v3 neg_lo:[0,0,1], written to v0
    ],
)
def test_conversions(processor: str, code: str, sources: tuple[int, ...], result: int) -> None:
    assert after(code, processor, *sources)[0] == result


def test_pairs_of_a_half() -> None:
    """v_cvt_pk_f32_fp8_sdwa v[2:3], v2 src0_sel:WORD_1, v_cvt_pk_f32_bf8 with op_sel."""
    assert after("f9ac047e02060500", "gfx942", 0, 0xC0401234)[1:] == [f4(1), f4(-1)]
    assert after("0208efd502010000", "gfx1200", 0, 0xBC3C1234)[1:] == [f4(1), f4(-1)]


def test_numbers_of_xf32_have_ten_bits_of_fraction() -> None:
    step = Fraction(1, 1 << 10)
    values = [1 + step / 2, 1 + step / 2 * 3, 1 + step / 4 * 3, Fraction(-1) - step / 4]
    result = xf32(np.array([float(value) for value in values], "f4"))
    assert [Fraction(float(number)) for number in result] == [1, 1 + 2 * step, 1 + step, -1]
    assert np.isnan(xf32(np.array([nan], "f4"))[0]) and xf32(np.array([inf], "f4"))[0] == inf


@pytest.mark.parametrize(
    ("processor", "name"), [("gfx942", "fp8_fnuz"), ("gfx950", "fp8"), ("gfx1200", "fp8")]
)
def test_formats_of_processors(processor: str, name: str) -> None:
    assert format_of("fp8", decoder(processor, 64).target) == name
