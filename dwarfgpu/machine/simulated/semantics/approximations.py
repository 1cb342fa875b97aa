"""Functions that hardware approximates: reciprocal roots, exponentials, logarithms, sin, cos.

Law: results are correctly rounded, to nearest. Double precision decides, except where its error may
reach over the middle of two results; these few are computed with 50 digits.
docs/approximate-instructions.md lists the instructions.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from math import inf, nextafter
from typing import Any, Final

import numpy as np

from dwarfgpu.machine.simulated.semantics.lane_functions import Lanes, nan_kept

_DIGITS: Final = 50
_DOUBT: Final = 8
"""Units in the last place of a double: more than the error of any library."""
_PI: Final = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640629")

Exact = Callable[[Decimal], Decimal]


def _rounded(wide: Lanes, like: Lanes, exact: Exact) -> Lanes:
    """Return doubles as numbers of the type of `like`, their source; `exact` of it, where that
    matters."""
    out = wide.astype(like.dtype)
    as_double = out.astype(np.float64)
    toward = np.where(wide > as_double, np.inf, -np.inf).astype(like.dtype)
    middle = (as_double + np.nextafter(out, toward).astype(np.float64)) / 2
    doubt = np.abs(wide - middle) <= _DOUBT * np.spacing(np.abs(wide))
    for index in np.flatnonzero(doubt & np.isfinite(middle) & np.isfinite(as_double)):
        with localcontext(prec=_DIGITS):
            value = exact(Decimal(float(like.flat[index])))
            is_above = value > Decimal(float(middle.flat[index]))
        candidates = sorted((out.flat[index], np.nextafter(out.flat[index], toward.flat[index])))
        out.flat[index] = candidates[is_above]
    return out


def exp2(a: Lanes) -> Lanes:
    """Return two to the power of a."""
    return _rounded(np.exp2(a.astype(np.float64)), a, lambda x: Decimal(2) ** x)


def logarithm(a: Lanes) -> Lanes:
    """Return log2(a); the NaN 0x7fc00000 for negative numbers."""
    wide = a.astype(np.float64)
    out = _rounded(np.log2(np.abs(wide)), a, lambda x: abs(x).ln() / Decimal(2).ln())
    return nan_kept(np.where(wide < 0, np.abs(a.dtype.type(np.nan)), out), a)


def sine_of_turns(a: Lanes) -> Lanes:
    """Return sin(2 pi a)."""
    wide = np.sin(2 * np.pi * np.fmod(a.astype(np.float64), 1.0))
    return _rounded(wide, a, lambda x: _sine(2 * _PI * (x % 1)))


def cosine_of_turns(a: Lanes) -> Lanes:
    """Return cos(2 pi a)."""
    wide = np.cos(2 * np.pi * np.fmod(a.astype(np.float64), 1.0))
    return _rounded(wide, a, lambda x: _sine(2 * _PI * (x % 1) + _PI / 2))


def _sine(x: Decimal) -> Decimal:
    """Return the sine by its series; |x| is below 8."""
    term = total = x
    number = 1
    while abs(term) > Decimal(10) ** (-_DIGITS - 5):
        term = -term * x * x / ((number + 1) * (number + 2))
        total += term
        number += 2
    return total


def reciprocal_root(a: Lanes) -> Lanes:
    """Return 1 / sqrt(a)."""
    out = 1 / np.sqrt(a.astype(np.float64))
    if a.dtype != np.float64:
        return _rounded(out, a, lambda x: 1 / x.sqrt())
    for index in np.flatnonzero(np.isfinite(out) & (out > 0) & np.isfinite(a)):
        out.flat[index] = _root_of_double(float(out.flat[index]), float(a.flat[index]))
    result: Lanes = out
    return result


def _root_of_double(estimate: float, a: float) -> float:
    """Return the double next to 1 / sqrt(a), from one that is near."""
    while True:
        above, below = nextafter(estimate, inf), nextafter(estimate, 0)
        if _excess(estimate, above, a) < 0:
            estimate = above
        elif _excess(estimate, below, a) > 0:
            estimate = below
        else:
            return estimate


def _excess(one: float, other: float, a: float) -> int:
    """Return a number with the sign of m * m * a - 1, where m is midway between two doubles."""
    (p, q), (r, s), (n, d) = (number.as_integer_ratio() for number in (one, other, a))
    middle, scale = p * s + r * q, 2 * q * s
    return middle * middle * n - scale * scale * d


APPROXIMATIONS: Final[dict[str, Any]] = {
    function.__name__: function
    for function in (exp2, logarithm, sine_of_turns, cosine_of_turns, reciprocal_root)
}
"""Keyed by the names that expressions use."""
