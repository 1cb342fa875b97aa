"""Floating point formats of 8, 6 and 4 bits, and xf32.

"fnuz" are those of GFX940: one zero, no infinities, one NaN. Later processors have those of the
Open Compute Project ("OCP 8-bit Floating Point Specification"): e4m3 has no infinities either.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from dwarfgpu.isa.isa_target import IsaTarget
from dwarfgpu.machine.simulated.semantics.lane_functions import Lanes, bits, fma
from dwarfgpu.machine.simulated.wave_fault import not_simulated

_SIZES: Final = {"fp8": (8, 4), "bf8": (8, 5), "fp6": (6, 2), "bf6": (6, 3), "fp4": (4, 2)}
"""Bits of a number, and of its exponent."""
MATRIX_FORMATS: Final = ("fp8", "bf8", "fp6", "bf6", "fp4")
"""By the fields `cbsz` and `blgp` of `v_mfma_f32_16x16x128_f8f6f4` and its like."""


def format_of(kind: str, target: IsaTarget) -> str:
    """Return the format of `fp8` or `bf8` on a processor."""
    is_fnuz = target.generation == 9 and target.processor != "gfx950"
    return f"{kind}_fnuz" if is_fnuz else kind


@cache
def small_floats(name: str) -> Lanes:
    """Return the number of each code of a format, as f32.

    Those of 6 and 4 bits (e2m3, e3m2, e2m1) have neither infinities nor NaN.
    """
    kind, _, fnuz = name.partition("_")
    bits, exponent_bits = _SIZES[kind]
    fraction_bits = bits - 1 - exponent_bits
    bias = (1 << exponent_bits - 1) - (not fnuz)
    out = np.zeros(1 << bits, np.float32)
    for number in range(1 << bits):
        exponent = number >> fraction_bits & (1 << exponent_bits) - 1
        fraction = number & (1 << fraction_bits) - 1
        if exponent:
            value = (1 + fraction / (1 << fraction_bits)) * 2.0 ** (exponent - bias)
        else:
            value = fraction / (1 << fraction_bits) * 2.0 ** (1 - bias)
        out[number] = -value if number >> bits - 1 else value
    if fnuz:
        out[0x80] = np.nan
    elif kind == "fp8":
        out[[0x7F, 0xFF]] = np.nan
    elif kind == "bf8":
        out[0x7C], out[0xFC] = np.inf, -np.inf
        out[[0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]] = np.nan
    return out


def small_float(a: Lanes, name: str) -> Lanes:
    """Return the lowest bits as f32."""
    numbers = small_floats(name)
    result: Lanes = numbers[a & len(numbers) - 1]
    return result


def small_bits(a: Lanes, name: str, saturates: bool = False, active: Lanes | None = None) -> Lanes:
    """Return numbers as bytes, to nearest, ties to even; one that is too large becomes infinity, or
    NaN, or with `saturates` the largest.

    `WaveStop` for infinity in an active lane where the format has none and large numbers saturate:
    no document says whether it does.
    """
    numbers = small_floats(name).astype(np.float64)
    positive = numbers[:128]
    finite = positive[np.isfinite(positive)]
    step = finite[-1] - finite[-2]
    size = np.abs(a.astype(np.float64))
    above = np.searchsorted(finite, size)  # the first number that is not smaller
    above = np.minimum(above, len(finite) - 1)
    below = np.maximum(above - 1, 0)
    middle = (finite[above] + finite[below]) / 2
    is_up = (size > middle) | (size == middle) & (above % 2 == 0)
    out = np.where(is_up, above, below)
    limit = finite[-1] + step / 2
    is_large = (size > limit) | (size == limit) & (len(finite) % 2 == 0)
    nan = int(np.flatnonzero(np.isnan(numbers))[0])
    has_infinity = bool(np.isinf(positive).any())
    large = 0x7C if has_infinity else nan
    if saturates:
        is_infinite = np.isinf(a)
        if not has_infinity and (is_infinite & (True if active is None else active)).any():
            raise not_simulated(f"infinity as {name} while MODE.FP16_OVFL is set")
        is_large = is_large & is_infinite
        out = np.minimum(out, len(finite) - 1)
    out = np.where(is_large, large, out)
    is_negative = np.signbit(a)
    if nan == 0x80:  # neither -0 nor -NaN
        is_negative = is_negative & (out != 0) & (out != nan)
    out = np.where(is_negative, out | 0x80, out)
    return np.where(a != a, nan if nan == 0x80 else 0x7F, out).astype(np.uint32)


def _factors(scale: Lanes, sign: int) -> Lanes:
    """Return the powers of two of exponents of f32, or with a sign of -1 their reciprocals; NaN for
    the greatest exponent."""
    exponents = (scale >> 23 & 255).astype(np.int32)
    result: Lanes = np.where(exponents == 255, np.nan, np.ldexp(1.0, sign * (exponents - 127)))
    return result


def scaled_float(a: Lanes, name: str, scale: Lanes, pair: int, number: int) -> Lanes:
    """Return one of a pair of numbers in a dword as f32, times the power of two in the exponent of
    another f32."""
    codes = a >> _SIZES[name][0] * (2 * pair + number)
    result: Lanes = (small_float(codes, name) * _factors(scale, 1)).astype(np.float32)
    return result


def scaled_bits(
    a: Lanes, name: str, scale: Lanes, saturates: bool = False, active: Lanes | None = None
) -> Lanes:
    """Return numbers divided by the power of two in the exponent of an f32, as bytes."""
    return small_bits(a.astype(np.float64) * _factors(scale, -1), name, saturates, active)


def xf32(a: Lanes) -> Lanes:
    """Return f32 with the 10 bits of fraction of xf32, to nearest even."""
    number = bits(a).astype(np.uint64)
    rounded = (number + 0xFFF + (number >> np.uint64(13) & np.uint64(1))) & np.uint64(0xFFFFE000)
    kept = np.where(np.isfinite(a), rounded, number)
    return kept.astype(np.uint32).view(np.float32)


def small_dot(a: Lanes, kind_a: str, b: Lanes, kind_b: str, c: Lanes) -> Lanes:
    """Return the sum of c and the products of four bytes each, added one after the other."""
    for number in range(4):
        left, right = small_float(a >> 8 * number, kind_a), small_float(b >> 8 * number, kind_b)
        c = fma(left, right, c)
    return c


SMALL_FLOATS: Final[dict[str, Any]] = {
    function.__name__: function
    for function in (small_float, small_bits, small_dot, scaled_float, scaled_bits)
}
"""Keyed by the names that expressions use."""
