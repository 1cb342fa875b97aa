"""The ticks of the colour scale of a picture."""

from __future__ import annotations

import sys

import pytest

from dwarfgpu.view.scale_ticks import number_text, ticks

GREATEST, LEAST = sys.float_info.max, 5e-324
BIG = 7 << 60
"""Doubles near it differ by 1,024."""


@pytest.mark.parametrize(
    ("least", "most", "texts"),
    [
        (0, 1, "0 1"),
        (0, 63, "0 10 20 30 40 50 60"),
        (-3, 250000, "0 50000 100000 150000 200000 250000"),
        (BIG, BIG + 9, " ".join(str(BIG + number) for number in range(10))),
        (-BIG - 1, -BIG, f"{-BIG - 1} {-BIG}"),
        (0, 10**400, "0 2e+399 4e+399 6e+399 8e+399 1.0e+400"),
        (1.0, 2.0, "1.0 1.2 1.4 1.6 1.8 2.0"),
        (0.1, 0.3, "0.100 0.125 0.150 0.175 0.200 0.225 0.250 0.275 0.300"),  # 0.1 is above 1/10
        (1e-7, 2e-7, "1.0e-7 1.2e-7 1.4e-7 1.6e-7 1.8e-7 2.0e-7"),
        (1.0, 1 + 2**-50, " ".join(f"1.000000000000000{number}" for number in range(9))),
        (LEAST, 20 * LEAST, "2e-323 4e-323 6e-323 8e-323"),
        (-GREATEST, GREATEST, "-1.5e+308 -1.0e+308 -5e+307 0 5e+307 1.0e+308 1.5e+308"),
        (5, 5, "5"),
        (BIG, BIG, f"{BIG}"),
        (GREATEST, GREATEST, "1.7976931348623157e+308"),
    ],
)
def test_numbers(least: float, most: float, texts: str) -> None:
    found = list(ticks(least, most, is_address=False))
    assert " ".join(tick.text for tick in found) == texts
    shares = [tick.share for tick in found]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)


@pytest.mark.parametrize(
    ("least", "most", "texts"),
    [
        (BIG + 1, BIG + 3, "0x7000000000000001 0x7000000000000002 0x7000000000000003"),
        (0, 0x7F12, "0x0 0x1000 0x2000 0x3000 0x4000 0x5000 0x6000 0x7000"),
        (BIG, BIG, "0x7000000000000000"),
    ],
)
def test_addresses(least: int, most: int, texts: str) -> None:
    assert " ".join(tick.text for tick in ticks(least, most, is_address=True)) == texts


def test_the_share_of_a_tick() -> None:
    shares = [tick.share for tick in ticks(BIG, BIG + 8, is_address=True)]
    assert shares == [number / 8 for number in range(9)]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (6.3e-289, "6.3e-289"),
        (1.0000000000000002, "1.0000000000000002"),
        (3.0, "3"),
        (BIG + 1, str(BIG + 1)),
    ],
)
def test_the_text_of_a_number(number: float, text: str) -> None:
    assert number_text(number) == text
