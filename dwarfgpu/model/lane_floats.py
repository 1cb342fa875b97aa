"""Binary floating-point numbers of many lanes, as bits in the place of an integer.

Law: each lane has what `dwarfgpu.base.float_format` gives for its bits. Lanes with a NaN, whose
sign and payload NumPy does not define, part from the others; so do all lanes of other formats.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dwarfgpu.base.float_format import BINARY16, BINARY32, BINARY64, FloatFormat
from dwarfgpu.model.lane_integers import Array, Divergence, Lanes, lanes

_TYPES: Final[dict[FloatFormat, tuple[Any, Any]]] = {
    BINARY16: (np.uint16, np.float16),
    BINARY32: (np.uint32, np.float32),
    BINARY64: (np.uint64, np.float64),
}
"""The formats that NumPy has: the types of their bits and of their numbers."""
_UFUNCS: Final = {
    "addition": np.add,
    "subtraction": np.subtract,
    "multiplication": np.multiply,
    "division": np.divide,
}
_EXACT: Final = 1 << 24
"""Up to here binary32, from which NumPy rounds to binary16, has all integers."""


def combined(operation: str, form: FloatFormat, a: int, b: int) -> int:
    """Return the result of an arithmetic operation, rounded to nearest even."""
    x, y = _numbers(form, a), _numbers(form, b)
    with np.errstate(all="ignore"):
        return _bits(form, np.asarray(_UFUNCS[operation](x, y)), np.isnan(x) | np.isnan(y))


def compared(form: FloatFormat, a: int, b: int) -> int | None:
    """Return a negative number, zero or a positive one in each lane; None if unordered."""
    x, y = _numbers(form, a), _numbers(form, b)
    is_unordered = np.isnan(x) | np.isnan(y)
    if is_unordered.all():
        return None
    if is_unordered.any():
        raise Divergence(is_unordered)
    return lanes(np.asarray(x > y).astype(np.int64) - np.asarray(x < y))


def converted(bits: int, form: FloatFormat, to: FloatFormat) -> int:
    """Return the numbers in another format, rounded to nearest even."""
    numbers = _numbers(form, bits)
    if to not in _TYPES:
        raise Divergence(_parted(bits))
    with np.errstate(all="ignore"):
        return _bits(to, numbers.astype(_TYPES[to][1]), np.isnan(numbers))


def of_integers(number: int, to: FloatFormat) -> int:
    """Return integers as floating-point numbers, rounded to nearest even."""
    assert isinstance(number, Lanes)
    is_small = number.least >= -_EXACT and number.most <= _EXACT
    is_exact = is_small or to in (BINARY32, BINARY64)
    if to not in _TYPES or number.array.dtype == object or not is_exact:
        raise Divergence(number.array)
    return _bits(to, number.array.astype(_TYPES[to][1]), np.False_)


def truncated(bits: int, form: FloatFormat) -> int:
    """Return the integers before the point; lanes where 64 bits do not hold them part."""
    numbers = _numbers(form, bits).astype(np.float64)
    is_held = np.abs(numbers) < 2.0**63
    if not is_held.all():
        raise Divergence(is_held if is_held.any() else _parted(bits))
    return lanes(numbers.astype(np.int64))


def _numbers(form: FloatFormat, bits: int) -> Array:
    if form not in _TYPES:
        raise Divergence(_parted(bits))
    of_bits, of_numbers = _TYPES[form]
    array = bits.array if isinstance(bits, Lanes) else np.array(bits, of_bits)
    numbers: Array = array.astype(of_bits).view(of_numbers)
    return numbers


def _bits(form: FloatFormat, numbers: Array, is_nan: Any) -> int:
    """Return the bits of results; lanes part that have a NaN, or had one before."""
    is_nan = np.isnan(numbers) | is_nan
    if is_nan.any():
        raise Divergence(None if is_nan.all() else is_nan)
    return lanes(numbers.view(_TYPES[form][0]))


def _parted(bits: int) -> Array | None:
    """Return the key by which lanes part that are not computed together."""
    return bits.array if isinstance(bits, Lanes) else None
