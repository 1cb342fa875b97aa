"""Approximate instructions are correctly rounded: compared with 60 digits."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dwarfgpu.isa.operation import operations
from dwarfgpu.machine.simulated.semantics.approximations import (
    APPROXIMATIONS,
    _rounded,
    exp2,
    logarithm,
    reciprocal_root,
)

PAGE = Path(__file__).resolve().parents[3] / "docs/approximate-instructions.md"
PI = Decimal("3.1415926535897932384626433832795028841971693993751058209749445923078164")
_CALLS = re.compile(r"\b(exp2|logarithm|sine_of_turns|cosine_of_turns|reciprocal\w*|sqrt)\(")


def series(x: Decimal, is_cosine: bool) -> Decimal:
    """sin or cos, term by term; not as the code does it."""
    total, power, factorial = Decimal(0), Decimal(1) if is_cosine else x, 1
    for number in range(0 if is_cosine else 1, 120, 2):
        total += power / factorial * (-1 if number // 2 % 2 else 1)
        power *= x * x
        factorial *= (number + 1) * (number + 2)
    return total


REFERENCE: dict[str, Callable[[Decimal], Decimal]] = {
    "exp2": lambda x: (x * Decimal(2).ln()).exp(),
    "logarithm": lambda x: x.ln() / Decimal(2).ln(),
    "sine_of_turns": lambda x: series(2 * PI * (x - int(x)), is_cosine=False),
    "cosine_of_turns": lambda x: series(2 * PI * (x - int(x)), is_cosine=True),
    "reciprocal_root": lambda x: 1 / x.sqrt(),
}


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
@pytest.mark.parametrize("name", REFERENCE)
def test_results_are_next_to_the_true_ones(name: str, kind: str) -> None:
    """No other number of the type is nearer."""
    if kind == "f8" and name != "reciprocal_root":
        pytest.skip("no instruction")
    rng = random.Random(f"{name}{kind}")
    least = 2.0**-8 if name in ("logarithm", "reciprocal_root") else -7.0
    source = np.array([rng.uniform(least, 7.0) for _ in range(150)], kind)
    out = APPROXIMATIONS[name](source)
    assert out.dtype == source.dtype
    with localcontext(prec=60):
        for x, found in zip(source.tolist(), out, strict=True):
            true = REFERENCE[name](Decimal(x))
            distance = abs(Decimal(float(found)) - true)
            for toward in (np.inf, -np.inf):
                other = np.nextafter(found, found.dtype.type(toward))
                assert distance <= abs(Decimal(float(other)) - true), (x, found)


@pytest.mark.parametrize(("error", "wanted"), [(1e-16, 1), (-1e-16, 1), (0.0, 1)])
def test_a_library_that_errs_at_the_middle_does_not_count(error: float, wanted: int) -> None:
    """The true value is just above the middle of 1 and the next f32, whatever double is given."""
    middle = 1 + 2.0**-24
    source = np.array([5.0], "f4")

    def exact(x: Decimal) -> Decimal:
        assert x == 5
        return Decimal(middle) + Decimal("1e-30")

    rounded = _rounded(np.array([middle + error]), source, exact)
    assert rounded[0] == np.float32(1 + wanted * 2.0**-23)
    below = _rounded(np.array([middle + error]), source, lambda x: Decimal(middle) - 1)
    assert below[0] == 1


def test_special_cases() -> None:
    def of(function: Any, value: float) -> float:
        with np.errstate(all="ignore"):
            return float(function(np.array([value], "f4"))[0])

    assert [of(exp2, x) for x in (-np.inf, np.inf, 0.0, -149.0, 128.0)] == [
        0.0, np.inf, 1.0, 2.0**-149, np.inf,
    ]  # fmt: skip
    assert of(logarithm, 0.0) == -np.inf and np.isnan(of(logarithm, -1.0))
    assert of(reciprocal_root, 0.0) == np.inf and np.isnan(of(reciprocal_root, -1.0))
    assert of(reciprocal_root, np.inf) == 0


def test_the_page_lists_all_of_them() -> None:
    declared = {
        item.name
        for item, _ in operations()
        if _CALLS.search(item.expression) and "v_" in item.name
    }
    assert set(re.findall(r"`(v_\w+)`", PAGE.read_text("utf-8"))) == declared
