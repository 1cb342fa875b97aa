"""The steps of a division: v_div_scale, v_div_fmas, v_div_fixup.

Where AMD's pseudo code and the published results of gfx1100 differ, these are the results: the NaN
of 0/0 is 0x7fc00000, in the ISA documents 0xffc00000. Where the pseudo code makes a quotient wrong
(a denominator that is scaled up to infinity), these make it right, as IEEE 754 has it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import numpy as np

from dwarfgpu.machine.simulated.semantics.lane_functions import (
    Lanes,
    fma,
    quieted,
    raw_exponent,
    scaled,
)


def _division(b: Lanes, c: Lanes) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """Judge the division of a denominator and a numerator: is the quotient near the largest number,
    is the denominator denormal, may its reciprocal be, may the quotient be."""
    limit, most, least = {4: (96, 253, -126), 8: (768, 2045, -1022)}[b.itemsize]
    distance = raw_exponent(c) - raw_exponent(b)
    is_denormal = (np.abs(b) < np.finfo(b.dtype).smallest_normal) & (b != 0)
    return distance >= limit, is_denormal, raw_exponent(b) >= most, distance <= least


def division_scale(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return the numerator c or the denominator b, scaled so that their division loses nothing."""
    a, b, c = np.broadcast_arrays(a, b, c)
    step, tiny = {4: (64, 23), 8: (128, 53)}[a.itemsize]
    is_huge, is_denormal, tiny_reciprocal, tiny_quotient = _division(b, c)
    is_denominator, is_numerator = a == b, a == c
    up, down, nan = scaled(a, step), scaled(a, -step), a.dtype.type(np.nan)
    return np.select(
        [
            (b == 0) | (c == 0),
            is_huge,
            is_denormal,
            tiny_reciprocal & tiny_quotient,
            tiny_reciprocal,
            tiny_quotient,
            raw_exponent(c) <= tiny,
        ],
        [
            np.full_like(a, nan),
            np.where(is_denominator, up, a),
            up,
            np.where(is_denominator, down, a),
            down,
            np.where(is_numerator, up, a),
            up,
        ],
        a,
    )


def division_needs_scale(b: Lanes, c: Lanes) -> Lanes:
    """Return whether v_div_fmas scales the quotient of c and b back."""
    b, c = np.broadcast_arrays(b, c)
    is_huge, is_denormal, _, tiny_quotient = _division(b, c)
    result: Lanes = (b == 0) | (c == 0) | is_huge | ~is_denormal & tiny_quotient
    return result


def division_fma(a: Lanes, b: Lanes, c: Lanes, is_scaled: Lanes) -> Lanes:
    """Return a * b + c, rounded once; scaled up if the quotient c is large, otherwise down."""
    a, b, c, is_scaled = np.broadcast_arrays(a, b, c, is_scaled)
    step, middle = {4: (64, 127), 8: (128, 1023)}[c.itemsize]
    out = fma(a, b, c)
    power = np.where(raw_exponent(c) > middle, np.int32(step), np.int32(-step))
    out = np.where(is_scaled, scaled(out, power), out)
    least = np.finfo(out.dtype).smallest_subnormal
    is_tiny = is_scaled & (np.abs(out) <= np.finfo(out.dtype).smallest_normal)
    for lane in np.flatnonzero(is_tiny & np.isfinite(a) & np.isfinite(b) & np.isfinite(c)):
        exact = Fraction(float(a[lane])) * Fraction(float(b[lane])) + Fraction(float(c[lane]))
        steps = round(exact * Fraction(2) ** int(power[lane]) / Fraction(float(least)))
        out[lane] = np.copysign(out.dtype.type(steps) * least, out[lane])
    return out


def division_fixup(quotient: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return the quotient of c and b with the special cases of IEEE 754."""
    quotient, b, c = np.broadcast_arrays(quotient, b, c)
    kind = quotient.dtype.type
    sign = np.where(np.signbit(b) ^ np.signbit(c), kind(-1), kind(1))
    infinite, zero = np.copysign(kind(np.inf), sign), np.copysign(kind(0), sign)
    nan = np.full_like(quotient, abs(kind(np.nan)))
    least = {2: -(1 << 16), 4: -150, 8: -1075}[quotient.itemsize]
    return np.select(
        [
            c != c,
            b != b,
            (np.isinf(b) & np.isinf(c)) | ((b == 0) & (c == 0)),
            (b == 0) | np.isinf(c),
            np.isinf(b) | (c == 0) | (raw_exponent(c) - raw_exponent(b) < least),
            quotient != quotient,
        ],
        [quieted(c), quieted(b), nan, infinite, zero, infinite],
        np.copysign(quotient, sign),
    )


DIVISION: Final[dict[str, Any]] = {
    function.__name__: function
    for function in (division_scale, division_needs_scale, division_fma, division_fixup)
}
"""Keyed by the names that expressions use."""
