"""Functions that vector operations call, over arrays whose last axis is the lanes.

Law: a result depends on nothing but the arguments, on every processor. Rounding is to nearest,
ties to even, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from dwarfgpu.machine.simulated.semantics.exact_floats import fma64, two_over_pi_bits

Lanes = np.ndarray[Any, Any]
"""Numbers; the last axis is the lanes of a wave."""

_INTEGER: Final = {2: np.uint16, 4: np.uint32, 8: np.uint64}
_FRACTION_BITS: Final = {2: 10, 4: 23, 8: 52}
_EXPONENT_BITS: Final = {2: 5, 4: 8, 8: 11}


def bits(a: Lanes) -> Lanes:
    """Return the bits of floating point numbers as unsigned integers."""
    return a.view(_INTEGER[a.itemsize])


def _float_of(a: Lanes, like: Lanes) -> Lanes:
    return a.view(like.dtype)


# Integers.


def popcount(a: Lanes) -> Lanes:
    """Return the number of set bits, as 32-bit numbers."""
    a = a.astype(np.uint32)
    a = a - (a >> 1 & 0x55555555)
    a = (a & 0x33333333) + (a >> 2 & 0x33333333)
    result: Lanes = (a + (a >> 4) & 0x0F0F0F0F) * np.uint32(0x01010101) >> 24
    return result


def _smeared(a: Lanes) -> Lanes:
    """Return a number with every bit below the highest one set."""
    for shift in (1, 2, 4, 8, 16):
        a = a | a >> shift
    return a


def leading_zeros(a: Lanes) -> Lanes:
    """Return the number of zeros above the highest set bit; -1 if no bit is set."""
    zeros = 32 - popcount(_smeared(a)).astype(np.int32)
    return np.where(a == 0, np.int32(-1), zeros)


def trailing_zeros(a: Lanes) -> Lanes:
    """Return the number of zeros below the lowest set bit; -1 if no bit is set."""
    return np.where(a == 0, np.int32(-1), popcount((a & -a) - 1).astype(np.int32))


def leading_signs(a: Lanes) -> Lanes:
    """Return the number of leading bits that equal the sign; -1 if all do."""
    return leading_zeros((a ^ a >> 31).view(np.uint32))


def reverse(a: Lanes) -> Lanes:
    """Return the bits of 32-bit numbers in the other order."""
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        a = a >> shift & mask | (a & mask) << shift
    return a >> 16 | a << 16


def byte(a: Lanes, number: int) -> Lanes:
    return a >> 8 * number & 255


def signed_field(a: Lanes, first: int, width: int) -> Lanes:
    """Return bits of 32-bit numbers as signed integers."""
    return (a << 32 - width - first).view(np.int32) >> 32 - width


def field(a: Lanes, first: int, width: int, is_signed: int) -> Lanes:
    """Return bits of 32-bit numbers as integers, signed or not."""
    if is_signed:
        return signed_field(a, first, width)
    return (a >> first & (1 << width) - 1).view(np.int32)


def join_bytes(parts: Iterable[Lanes]) -> Lanes:
    """Return bytes as 32-bit numbers, the lowest first."""
    return sum(part << 8 * number for number, part in enumerate(parts))  # type: ignore[return-value]


def absolute_difference(a: Lanes, b: Lanes) -> Lanes:
    return np.maximum(a, b) - np.minimum(a, b)


def sad_u8(a: Lanes, b: Lanes, is_masked: bool) -> Lanes:
    """Return the sum of differences of four bytes; masked, zeros of b do not count."""
    out = np.zeros(np.broadcast_shapes(a.shape, b.shape), np.uint32)
    for number in range(4):
        left, right = byte(a, number), byte(b, number)
        difference = absolute_difference(left, right).astype(np.uint32)
        out += np.where(is_masked & (right == 0), np.uint32(0), difference)
    return out


def four_masked_sad(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return `sad_u8` of four bytes of a, each one byte higher, with c added."""
    parts = [
        sad_u8((a >> 8 * number).astype(np.uint32), b, True) + c[number] for number in range(4)
    ]
    return np.stack(np.broadcast_arrays(*parts))


def four_sad_u16(a: Lanes, b: Lanes, c: Lanes, is_masked: bool) -> Lanes:
    """Return `sad_u8` of four bytes of a, each one byte higher, with 16 bits of c added and
    kept."""
    out: Lanes = np.zeros(np.shape(a), np.uint64)
    for number in range(4):
        one = sad_u8((a >> 8 * number).astype(np.uint32), b, is_masked).astype(np.uint64)
        out = out | (one + (c >> 16 * number) & 0xFFFF) << 16 * number
    return out


def conditional_exchange(m: Lanes, a: Lanes) -> Lanes:
    """Return m, with each half replaced by the low 31 bits of the half of a if the highest bit of
    the latter is set."""
    out = m
    for first in (0, 32):
        mask = np.uint64(0xFFFFFFFF << first)
        kept = np.uint64(0x7FFFFFFF << first)
        is_on = a >> first + 31 & 1 != 0
        out = np.where(is_on, out & ~mask | a & kept, out)
    return out


def byte_permute(a: Lanes, b: Lanes, selectors: Lanes) -> Lanes:
    """Return bytes that selectors choose: 0 to 7 are bytes of b and a, 8 to 11 signs, 12 is zero,
    others are ones."""
    a, b, selectors = np.broadcast_arrays(a, b, selectors)
    combined = a.astype(np.uint64) << 32 | b
    out = np.zeros(combined.shape, np.uint32)
    for number in range(4):
        selector = (selectors >> 8 * number & 255).astype(np.uint64)
        plain = combined >> 8 * (selector & 7) & 255
        sign = (combined >> 16 * (selector & 3) + 15 & 1) * 255
        value = np.where(selector < 8, plain, np.where(selector < 12, sign, 255))
        value = np.where(selector == 12, 0, value)
        out |= value.astype(np.uint32) << 8 * number
    return out


def lanes_below(lane: Lanes) -> Lanes:
    """Return for each lane a bit for all lanes with a smaller number."""
    return (np.uint64(1) << lane.astype(np.uint64)) - 1


def chosen_bits(a: Lanes, b: Lanes, c: Lanes, table: int) -> Lanes:
    """Return for each place the bit that a table of eight has for its three bits, a the highest."""
    a, b, c = np.broadcast_arrays(a, b, c)
    out = np.zeros(a.shape, np.uint32)
    for index in range(8):
        if table >> index & 1:
            first, second, third = (index >> n & 1 for n in (2, 1, 0))
            out |= (a if first else ~a) & (b if second else ~b) & (c if third else ~c)
    return out


def byte_pair(a: Lanes) -> Lanes:
    """Return two numbers of 8 bits as one of 16 bits."""
    result: Lanes = a[1].astype(np.uint16) << 8 | a[0].astype(np.uint16)
    return result


def halves(low: Lanes, high: Lanes) -> Lanes:
    """Return two numbers of 16 bits as one of 32 bits."""
    return low.view(np.uint16).astype(np.uint32) | high.view(np.uint16).astype(np.uint32) << 16


def pair_of(a: Lanes, b: Lanes) -> Lanes:
    return np.stack(np.broadcast_arrays(a, b))


# Floating point.


def fma(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return a * b + c, rounded once; for any NaN that one, quiet, also beside infinity times 0."""
    return nan_kept(_fused(a, b, c), a, b, c)


def _fused(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return a * b + c, rounded once, of numbers: which NaN it is, is left to processors."""
    if a.dtype == np.float64:
        return fma64(a, b, c)
    product = a.astype(np.float64) * b
    total = product + c
    # Numbers whose low bits are all zero may be halfway between two results, or seem to be.
    if ((total.view(np.uint64) & np.uint64(0x0FFFFFFF)) == 0).any() or a.itemsize == 2:
        total = _rounded_to_odd(product, c.astype(np.float64), total)
    return total.astype(a.dtype)


def _rounded_to_odd(a: Lanes, b: Lanes, total: Lanes) -> Lanes:
    """Return the sum of two numbers with the last bit set where it is not exact: to be rounded
    again."""
    bee = total - a
    error = (a - (total - bee)) + (b - bee)
    number = total.view(np.int64)
    is_inexact = (error != 0) & np.isfinite(total) & (number & 1 == 0)
    away = np.where((error > 0) == (total > 0), np.int64(1), np.int64(-1))
    return np.where(is_inexact, number + away, number).view(np.float64)


def flushed(a: Lanes) -> Lanes:
    """Return the numbers with zeros of their sign in place of denormal ones."""
    is_denormal = np.abs(a) < np.finfo(a.dtype).smallest_normal
    return np.where(is_denormal, np.copysign(a.dtype.type(0), a), a)


def quieted(a: Lanes) -> Lanes:
    """Return NaN as quiet NaN."""
    quiet = _INTEGER[a.itemsize](1 << _FRACTION_BITS[a.itemsize] - 1)
    return _float_of(bits(a) | quiet, a)


def quiet_nan(a: Lanes) -> Lanes:
    """Return the numbers with every NaN a quiet one."""
    return np.where(a != a, quieted(a), a)


def nan_kept(a: Lanes, *sources: Lanes) -> Lanes:
    """Return results of an operation that has a NaN for every NaN: the first one of its sources,
    quiet. The processors that run this would have a new one for infinity times 0, plus a NaN."""
    if (a != a).any():
        for source in reversed(sources):
            a = np.where(source != source, quieted(source), a)
    return a


def is_signalling(a: Lanes) -> Lanes:
    """Return whether numbers are signalling NaN."""
    quiet = _INTEGER[a.itemsize](1 << _FRACTION_BITS[a.itemsize] - 1)
    result: Lanes = (a != a) & (bits(a) & quiet == 0)
    return result


def _chosen(a: Lanes, b: Lanes, chosen: Lanes) -> Lanes:
    """Return a minimum or maximum with the rules of IEEE 754-2008 for NaN: a signalling one is
    quieted."""
    is_nan = (a != a) | (b != b)
    if is_nan.any():
        chosen = np.where(is_signalling(b), quieted(b), chosen)
        chosen = np.where(is_signalling(a), quieted(a), chosen)
    return chosen


def plain_min(a: Lanes, b: Lanes) -> Lanes:
    """Return the smaller number as `float_min` does where MODE.IEEE is 0: the other one of any
    NaN."""
    a, b = np.broadcast_arrays(a, b)
    equal = _float_of(bits(a) | bits(b), a)
    chosen = np.where(a == b, equal, np.where(a < b, a, b))
    return np.where(a != a, b, np.where(b != b, a, chosen))


def plain_max(a: Lanes, b: Lanes) -> Lanes:
    """Return the larger number as `float_max` does where MODE.IEEE is 0: the other one of any
    NaN."""
    a, b = np.broadcast_arrays(a, b)
    equal = _float_of(bits(a) & bits(b), a)
    chosen = np.where(a == b, equal, np.where(a > b, a, b))
    return np.where(a != a, b, np.where(b != b, a, chosen))


def float_min(a: Lanes, b: Lanes) -> Lanes:
    """Return the smaller number, -0 before +0; for a quiet NaN, the other operand."""
    a, b = np.broadcast_arrays(a, b)
    equal = _float_of(bits(a) | bits(b), a)
    return _chosen(a, b, np.where(a == b, equal, np.fmin(a, b)))


def float_max(a: Lanes, b: Lanes) -> Lanes:
    """Return the greater number, +0 after -0; for a quiet NaN, the other operand."""
    a, b = np.broadcast_arrays(a, b)
    equal = _float_of(bits(a) & bits(b), a)
    return _chosen(a, b, np.where(a == b, equal, np.fmax(a, b)))


def number_min(a: Lanes, b: Lanes) -> Lanes:
    """Return the smaller number, -0 before +0; for any NaN the other operand, a quiet one if both
    are NaN (IEEE 754-2019, minimumNumber)."""
    return _quieted_pair(a, b, plain_min(a, b))


def number_max(a: Lanes, b: Lanes) -> Lanes:
    """Return the greater number, +0 after -0; for any NaN the other operand, a quiet one if both
    are NaN (IEEE 754-2019, maximumNumber)."""
    return _quieted_pair(a, b, plain_max(a, b))


def _quieted_pair(a: Lanes, b: Lanes, chosen: Lanes) -> Lanes:
    """Return the first of two NaN as a quiet one; else what was chosen."""
    return np.where((a != a) & (b != b), quieted(a), chosen)


def minimum_2019(a: Lanes, b: Lanes) -> Lanes:
    """Return the smaller number, -0 before +0; a quiet NaN if one is NaN (IEEE 754-2019)."""
    a, b = np.broadcast_arrays(a, b)
    return _nan_of(a, b, plain_min(a, b))


def maximum_2019(a: Lanes, b: Lanes) -> Lanes:
    """Return the greater number, +0 after -0; a quiet NaN if one is NaN (IEEE 754-2019)."""
    a, b = np.broadcast_arrays(a, b)
    return _nan_of(a, b, plain_max(a, b))


def _nan_of(a: Lanes, b: Lanes, out: Lanes) -> Lanes:
    return np.where(a != a, quieted(a), np.where(b != b, quieted(b), out))


def float_median(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return the median of three; the smallest if one is NaN."""
    return _median(a, b, c, float_min(float_min(a, b), c))


def number_median(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return the median of three; if one is NaN, the smallest as in `number_min`."""
    return _median(a, b, c, number_min(number_min(a, b), c))


def _median(a: Lanes, b: Lanes, c: Lanes, smallest: Lanes) -> Lanes:
    largest = float_max(float_max(a, b), c)
    of_two = np.where(
        largest == a, float_max(b, c), np.where(largest == b, float_max(a, c), float_max(a, b))
    )
    return np.where((a != a) | (b != b) | (c != c), smallest, of_two)


def clip_number(a: Lanes, low: float, high: float) -> Lanes:
    """Cut to a range; NaN stays."""
    return np.minimum(np.maximum(a, low), high)


def clamped(a: Lanes) -> Lanes:
    """Apply the modifier `clamp` to floating point results: 0 to 1, and 0 for NaN (DX10_CLAMP)."""
    zero, one = a.dtype.type(0), a.dtype.type(1)
    result: Lanes = np.where(a > zero, np.minimum(a, one), zero)
    return result


def clamped_but_nan(a: Lanes) -> Lanes:
    """Apply the modifier `clamp` with MODE.DX10_CLAMP 0: NaN stays."""
    return np.where(a == a, clamped(a), a)


def fraction(a: Lanes) -> Lanes:
    """Return a - floor(a), always below 1."""
    below_one = np.nextafter(a.dtype.type(1), a.dtype.type(0))
    part = a - np.floor(a)
    return np.where(part >= 1, below_one, part)


def reciprocal(a: Lanes) -> Lanes:
    result: Lanes = a.dtype.type(1) / a
    return result


def raw_exponent(a: Lanes) -> Lanes:
    """Return the biased exponent, as it is encoded."""
    count = _FRACTION_BITS[a.itemsize]
    mask = (1 << _EXPONENT_BITS[a.itemsize]) - 1
    return (bits(a) >> count & mask).astype(np.int32)


def mantissa(a: Lanes) -> Lanes:
    """Return the fraction of frexp; infinities are unchanged, a NaN is quiet."""
    return np.where(np.isfinite(a), np.frexp(a)[0], quiet_nan(a))


def exponent(a: Lanes) -> Lanes:
    """Return the exponent of frexp; 0 for zero, infinities and NaN."""
    return np.where(np.isfinite(a), np.frexp(a)[1], np.int32(0))


def scaled(a: Lanes, power: Lanes | int) -> Lanes:
    """Return a times two to the power."""
    wide = np.asarray(power, np.int32)
    if a.itemsize == 2:
        return np.ldexp(a.astype(np.float64), wide).astype(a.dtype)
    return np.ldexp(a, wide)


def f16_of(a: Lanes) -> Lanes:
    """Return f32 as f16; a NaN is quiet before it loses bits: NumPy keeps it signalling, or leaves
    that to processors."""
    return quiet_nan(a).astype(np.float16)


def f32_of(a: Lanes) -> Lanes:
    """Return f16 as f32, a NaN as a quiet one."""
    return quiet_nan(a).astype(np.float32)


def f16_toward_zero(a: Lanes) -> Lanes:
    """Return f32 as f16, without rounding up."""
    half = f16_of(a)
    too_large = np.abs(half.astype(np.float32)) > np.abs(a)
    return np.where(too_large, bits(half) - np.uint16(1), bits(half)).view(np.float16)


def bf16(a: Lanes) -> Lanes:
    """Return f32 as bf16, which is a number of 16 bits."""
    number = a.view(np.uint32)
    rounded = number + 0x7FFF + (number >> 16 & 1) >> 16
    return np.where(a != a, number >> 16 | 0x40, rounded).astype(np.uint16)


def of_bf16(a: Lanes) -> Lanes:
    """Return bf16 as f32."""
    return (a.astype(np.uint32) << 16).view(np.float32)


def _integer_of_float(kind: type, low: int, high: int) -> Callable[[Lanes], Lanes]:
    def converted(a: Lanes) -> Lanes:
        truncated = np.trunc(a.astype(np.float64))
        truncated = np.where(truncated == truncated, truncated, 0.0)
        return np.clip(truncated, float(low), float(high)).astype(np.int64).astype(kind)

    converted.__doc__ = f"Toward zero; numbers outside of {low} to {high} are the nearest of these."
    return converted


def canonical(a: Lanes, *sources: Lanes) -> Lanes:
    """Return the numbers with the NaN 0xffc00000 where no source is one: the processors that run
    this differ."""
    is_new = a != a
    for source in sources:
        is_number = source == source
        # Of a sum of products (v_dot2), all elements count.
        is_new = is_new & (is_number.all(0) if is_number.ndim > is_new.ndim else is_number)
    return np.where(is_new, -np.abs(a.dtype.type(np.nan)), a) if is_new.any() else a


def two_over_pi(a: Lanes, segment: Lanes) -> Lanes:
    """Return a segment of 2/pi for the reduction of an angle (V_TRIG_PREOP_F64)."""
    a, segment = np.broadcast_arrays(a, segment)
    power = raw_exponent(a)
    out = [two_over_pi_bits(int(p), int(s) & 31) for p, s in zip(power, segment, strict=True)]
    return np.array(out, np.float64)


def is_class(a: Lanes, classes: Lanes) -> Lanes:
    """Return whether a number is of one of the classes, a bit each: signalling NaN, quiet NaN, then
    from -infinity to +infinity."""
    smallest = np.finfo(a.dtype).smallest_normal
    is_negative, size = np.signbit(a), np.abs(a)
    kind = np.where(size == 0, 3, np.where(size < smallest, 2, np.where(np.isinf(a), 0, 1)))
    number = np.where(is_negative, 2 + kind, 9 - kind)
    number = np.where(a != a, np.where(is_signalling(a), 0, 1), number)
    result: Lanes = classes >> number & 1 != 0
    return result


FUNCTIONS: Final[dict[str, Any]] = {
    **{
        function.__name__: function
        for function in (
            *(popcount, leading_zeros, trailing_zeros, leading_signs, reverse, byte, signed_field),
            *(chosen_bits, four_sad_u16, four_masked_sad, conditional_exchange),
            *(field, join_bytes, absolute_difference, byte_permute, lanes_below, byte_pair, halves),
            *(pair_of, fma, flushed, float_min, float_max, float_median, clip_number, fraction),
            *(number_min, number_max, number_median),
            *(plain_min, plain_max, minimum_2019, maximum_2019, clamped_but_nan, raw_exponent),
            *(
                reciprocal,
                mantissa,
                exponent,
            ),
            *(scaled, f16_of, f32_of, f16_toward_zero, quiet_nan, nan_kept),
            *(canonical, two_over_pi, is_class, clamped, bits, bf16, of_bf16),
        )
    },
    **{
        name: getattr(np, name)
        for name in ("where", "minimum", "maximum", "ceil", "floor", "trunc", "sqrt")
    },
    "clip": np.clip,
    "round_even": np.rint,
    "reciprocal_iflag": reciprocal,
    "MAX_F32": float(np.finfo(np.float32).max),
    "INFINITY": float("inf"),
    "i32_of_float": _integer_of_float(np.int32, -(1 << 31), (1 << 31) - 1),
    "u32_of_float": _integer_of_float(np.uint32, 0, (1 << 32) - 1),
    "i16_of_float": _integer_of_float(np.int16, -(1 << 15), (1 << 15) - 1),
    "u16_of_float": _integer_of_float(np.uint16, 0, (1 << 16) - 1),
}
"""Keyed by the names that expressions use, besides those of types, which convert."""
