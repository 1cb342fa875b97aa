"""Double precision operations missing in NumPy: fma, rounded once, and the bits of 2/pi."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import copysign, inf, isfinite, ldexp, nan
from typing import Any

import numpy as np

_SPLIT = float((1 << 27) + 1)
_PI_BITS = 1400


def fma64(
    a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], c: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Return a * b + c of doubles, rounded once (Boldo and Melquiond, "Emulation of FMA", 2008);
    for any NaN some NaN.

    Numbers whose intermediate results may leave the range of doubles are computed one by one.
    """
    a, b, c = np.broadcast_arrays(a, b, c)
    product, rest = _exact_product(a, b)
    low, low_rest = _exact_sum(c, rest)
    high, high_rest = _exact_sum(product, low)
    tail = _odd_sum(low_rest, high_rest)
    out = high + tail
    powers = [np.frexp(item)[1] for item in (a, b, c)]
    sizes = np.abs(powers[0] + powers[1])
    is_risky = (sizes > 900) | (np.abs(powers[2]) > 900)
    is_risky |= ~(np.isfinite(a) & np.isfinite(b) & np.isfinite(c))
    is_risky |= (np.abs(powers[0]) > 900) | (np.abs(powers[1]) > 900) | (product == 0) | (out == 0)
    if is_risky.any():
        out = np.array(out)
        for index in np.flatnonzero(is_risky):
            out.flat[index] = fma_of(
                float(a.flat[index]), float(b.flat[index]), float(c.flat[index])
            )
    result: np.ndarray[Any, Any] = out
    return result


def _exact_sum(
    a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    total = a + b
    bee = total - a
    return total, (a - (total - bee)) + (b - bee)


def _exact_product(
    a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    product = a * b
    a_scaled, b_scaled = a * _SPLIT, b * _SPLIT
    a_high, b_high = a_scaled - (a_scaled - a), b_scaled - (b_scaled - b)
    a_low, b_low = a - a_high, b - b_high
    rest = a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low
    return product, rest


def _odd_sum(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the sum, with its last bit set where it is not exact."""
    total, error = _exact_sum(a, b)
    number = total.view(np.int64)
    is_even = (error != 0) & (number & 1 == 0) & np.isfinite(total)
    away = np.where((error > 0) == (total > 0), np.int64(1), np.int64(-1))
    return np.where(is_even, number + away, number).view(np.float64)


def fma_of(a: float, b: float, c: float) -> float:
    """Return a * b + c, rounded once, with rational numbers."""
    if not (isfinite(a) and isfinite(b) and isfinite(c)):
        if not isfinite(a) or not isfinite(b):
            product = nan if 0.0 in (a, b) else a * b
            return product + c
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        product_sign = copysign(1.0, a) * copysign(1.0, b)
        is_negative = product_sign < 0 and copysign(1.0, c) < 0
        if a == 0 or b == 0 or c == 0:
            return -0.0 if is_negative and (a == 0 or b == 0) and c == 0 else 0.0
        return 0.0
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return inf if exact > 0 else -inf


@cache
def _two_over_pi() -> int:
    """Return the first bits of the fraction 2/pi (Machin's formula)."""
    scale = 1 << _PI_BITS + 64

    def arctangent_of_reciprocal(x: int) -> int:
        term = total = scale // x
        n, sign = 3, -1
        while term:
            term //= x * x
            total += sign * (term // n)
            n, sign = n + 2, -sign
        return total

    pi = 4 * (4 * arctangent_of_reciprocal(5) - arctangent_of_reciprocal(239))
    return (2 * scale << _PI_BITS) // pi


def two_over_pi_bits(exponent: int, segment: int) -> float:
    """Return 53 bits of 2/pi from the segment that matters for a double with a biased exponent."""
    shift = segment * 53
    if exponent > 1077:
        shift += exponent - 1077
    first_bits = _two_over_pi() >> _PI_BITS - 1201
    value = (first_bits << shift) >> (1201 - 53) & (1 << 53) - 1
    power = -53 - shift
    if exponent >= 1968:
        power += 128
    return ldexp(float(value), power)
