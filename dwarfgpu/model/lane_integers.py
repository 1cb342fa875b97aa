"""One integer for each of many lanes, in the place of an integer.

Laws: a `Lanes` has the operators of an integer and is exact. A question with one answer (`if`,
`int()`, a look-up) answers for all lanes or raises `Divergence`, so that a split always divides; a
value known to be equal in all lanes is an `int`. NumPy is imported only here and by the makers of
lanes (docs/decisions/0008).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

INT64_LEAST, INT64_MOST, UINT64_MOST = -(1 << 63), (1 << 63) - 1, (1 << 64) - 1

# A type checker takes a `Lanes` for an integer, because it has the operators of one. At run time it
# is not one, and `isinstance` says so: code that receives lanes tests for the other types of a
# union.
if TYPE_CHECKING:
    _Integer = int
else:
    _Integer = object


class Divergence(Exception):
    """Lanes disagree on an answer: they must proceed separately.

    `key` has an element per lane, equal for lanes that may stay together; it broadcasts to the
    shape of all lanes. None separates every lane.
    """

    def __init__(self, key: Array | None) -> None:
        super().__init__()
        self.key = key


def lanes(array: Array) -> int:
    """Return an integer for each element, or an `int` if all are equal. `array` has at least one
    element."""
    least, most = int(array.min()), int(array.max())
    return least if least == most else Lanes(_smallest(array, least, most), least, most)


def _smallest(array: Array, least: int, most: int) -> Array:
    """Return an array in at most 64 bits where they hold every element, else in Python's own
    integers."""
    if array.dtype.kind in "iu" and array.dtype.itemsize < 8:
        return array
    return array.astype(_kind(least, most), copy=False)


def _kind(least: int, most: int) -> type:
    """Return what holds numbers within bounds exactly, signed if it can be."""
    if least >= INT64_LEAST and most <= INT64_MOST:
        return np.int64
    return np.uint64 if least >= 0 and most <= UINT64_MOST else object


def mapped(number: int, function: Callable[[int], int | None]) -> int | None:
    """Map the number of each lane; each distinct number is mapped once."""
    if not isinstance(number, Lanes):
        return function(number)
    occurring, inverse = np.unique(number.array, return_inverse=True)
    results = [function(int(value)) for value in occurring]
    inverse = inverse.reshape(number.array.shape)
    is_known = np.array([result is not None for result in results])
    if not is_known.any():
        return None
    if not is_known.all():
        raise Divergence(is_known[inverse])
    return lanes(np.array(results, object)[inverse])


class Lanes(_Integer):
    """Integers of several lanes, with bounds that need not be reached."""

    __slots__ = ("array", "least", "most")

    def __init__(self, array: Array, least: int, most: int) -> None:
        self.array = array
        self.least = least
        self.most = most

    def __repr__(self) -> str:
        return f"Lanes({self.least}..{self.most})"

    def __format__(self, spec: str) -> str:
        raise Divergence(None)  # a message with numbers belongs to one lane

    def __str__(self) -> str:
        return format(self)

    # One answer for all lanes, or none.

    def __index__(self) -> int:
        least, most = int(self.array.min()), int(self.array.max())
        if least != most:
            raise Divergence(self.array)
        return least

    def __int__(self) -> int:
        return self.__index__()

    def __bool__(self) -> bool:
        if self.least > 0 or self.most < 0:
            return True
        mask = self.array != 0
        if mask.all():
            return True
        if not mask.any():
            return False
        raise Divergence(mask)

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __getattr__(self, name: str) -> Any:
        """Evaluate any other attribute of an integer for each lane."""
        if hasattr(int, name):
            raise Divergence(None)
        raise AttributeError(name)

    def _diverge(self, *_: object) -> Any:
        raise Divergence(None)

    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _diverge
    __float__ = __complex__ = __round__ = __trunc__ = __floor__ = __ceil__ = _diverge

    def bit_length(self) -> int:
        if self.least < 0 or self.most > UINT64_MOST:
            count = np.vectorize(int.bit_length, otypes=[np.int64])
            return lanes(count(self.array.astype(object)))
        remaining, lengths = self.array.astype(np.uint64), np.zeros(self.array.shape, np.int64)
        for step in (32, 16, 8, 4, 2, 1):
            is_longer = remaining >> np.uint64(step) > 0
            lengths += step * is_longer
            remaining = np.where(is_longer, remaining >> np.uint64(step), remaining)
        return lanes(lengths + (remaining > 0))

    def to_bytes(self, *args: Any, **kwargs: Any) -> bytes:
        return self.__index__().to_bytes(*args, **kwargs)

    # Comparisons: decided by the bounds where they decide.

    def __lt__(self, other: int) -> bool:
        least, most = _bounds(other)
        return self._compared(other, np.less, self.most < least, self.least >= most)

    def __le__(self, other: int) -> bool:
        least, most = _bounds(other)
        return self._compared(other, np.less_equal, self.most <= least, self.least > most)

    def __gt__(self, other: int) -> bool:
        least, most = _bounds(other)
        return self._compared(other, np.greater, self.least > most, self.most <= least)

    def __ge__(self, other: int) -> bool:
        least, most = _bounds(other)
        return self._compared(other, np.greater_equal, self.least >= most, self.most < least)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | Lanes):
            return NotImplemented
        least, most = _bounds(other)
        apart = self.most < least or self.least > most
        return self._compared(other, np.equal, False, apart)

    def __ne__(self, other: object) -> bool:
        if not isinstance(other, int | Lanes):
            return NotImplemented
        least, most = _bounds(other)
        apart = self.most < least or self.least > most
        return self._compared(other, np.not_equal, apart, False)

    def _compared(self, other: int, compare: np.ufunc, always: bool, never: bool) -> bool:
        """Return a bool if the bounds decide, else the comparison, which decides when used."""
        if always or never:
            return always
        left, right = _pair(self, other)
        results = compare(left, right)
        if results.all():
            return True
        return cast(bool, Lanes(results.astype(np.int64), 0, 1)) if results.any() else False

    # Arithmetic. Bounds are those of the exact result: they show whether 64 bits hold it.

    def __add__(self, other: int) -> int:
        least, most = _bounds(other)
        return _combined(np.add, self, other, self.least + least, self.most + most)

    __radd__ = __add__

    def __sub__(self, other: int) -> int:
        least, most = _bounds(other)
        return _combined(np.subtract, self, other, self.least - most, self.most - least)

    def __rsub__(self, other: int) -> int:
        return -self + other

    def __mul__(self, other: int) -> int:
        corners = [a * b for a in (self.least, self.most) for b in _bounds(other)]
        return _combined(np.multiply, self, other, min(corners), max(corners))

    __rmul__ = __mul__

    def __neg__(self) -> int:
        return self * -1

    def __pos__(self) -> int:
        return self

    def __invert__(self) -> int:
        return -self - 1

    def __abs__(self) -> int:
        if self.least >= 0:
            return self
        most = max(-self.least, self.most)
        return _combined(lambda a, _: np.abs(a), self, 0, 0, most, narrows=True)

    def __floordiv__(self, other: int) -> int:
        return _quotient(np.floor_divide, self, other)

    def __rfloordiv__(self, other: int) -> int:
        return _quotient(np.floor_divide, other, self)

    def __mod__(self, other: int) -> int:
        return _quotient(np.remainder, self, other)

    def __rmod__(self, other: int) -> int:
        return _quotient(np.remainder, other, self)

    def __divmod__(self, other: int) -> tuple[int, int]:
        return self // other, self % other

    def __rdivmod__(self, other: int) -> tuple[int, int]:
        return other // self, other % self

    def __and__(self, other: int) -> int:
        least, most = _bounds(other)
        if self.least >= 0 and least == most and not most & most + 1 and self.most <= most:
            return self  # a mask of ones that keeps every bit
        if self.least < 0 and least == most == UINT64_MOST and self.array.dtype.kind == "i":
            return lanes(self.array.astype(np.int64, copy=False).astype(np.uint64))
        if self.least >= 0 or least >= 0:
            tops = [top for low, top in ((self.least, self.most), (least, most)) if low >= 0]
            return _combined(np.bitwise_and, self, other, 0, min(tops), narrows=True)
        return _combined(np.bitwise_and, self, other, *_widest(self, other), narrows=True)

    __rand__ = __and__

    def __or__(self, other: int) -> int:
        if _is_zero(other):
            return self
        return _combined(np.bitwise_or, self, other, *_widest(self, other), narrows=True)

    __ror__ = __or__

    def __xor__(self, other: int) -> int:
        return _combined(np.bitwise_xor, self, other, *_widest(self, other), narrows=True)

    __rxor__ = __xor__

    def __lshift__(self, count: int) -> int:
        return _shifted_left(self, count)

    def __rlshift__(self, number: int) -> int:
        return _shifted_left(number, self)

    def __rshift__(self, count: int) -> int:
        return _shifted_right(self, count)

    def __rrshift__(self, number: int) -> int:
        return _shifted_right(number, self)


def _bounds(number: int) -> tuple[int, int]:
    return (number.least, number.most) if isinstance(number, Lanes) else (number, number)


def _is_zero(number: int) -> bool:
    return not isinstance(number, Lanes) and number == 0


def _pair(a: int, b: int, kind: type | None = None) -> tuple[Any, Any]:
    """Return both as operands of NumPy that hold them exactly, or of a kind that does."""
    if kind is None:
        bounds = (*_bounds(a), *_bounds(b))
        kind = _kind(min(bounds), max(bounds))
    # One in 64 bits makes the result so; of signed and unsigned ones it would be a float.
    return _operand(a, kind, kind), _operand(b, kind, kind if kind is np.uint64 else None)


def _operand(number: int, kind: type, least: type | None) -> Any:
    if not isinstance(number, Lanes):
        return number if kind is object else kind(number)
    if kind is object:
        return number.array.astype(object, copy=False)
    is_unsigned = number.array.dtype == np.uint64
    return number.array.astype(least or (kind if is_unsigned else number.array.dtype), copy=False)


def _combined(
    operation: Callable[[Any, Any], Any],
    a: int,
    b: int,
    least: int,
    most: int,
    *,
    narrows: bool = False,
    is_exact: bool = False,
) -> int:
    """Return the result of an operation; `narrows`: lanes that differed may be equal in it.

    `is_exact`: only Python's own integers give it.
    """
    if least == most:
        return least
    bounds = (*_bounds(a), *_bounds(b), least, most)
    kind = object if is_exact else _kind(min(bounds), max(bounds))
    left, right = (np.asarray(operand) for operand in _pair(a, b, kind))
    array = np.asarray(operation(left, right))
    if narrows or array.dtype == object or (isinstance(a, Lanes) and isinstance(b, Lanes)):
        return lanes(array)
    return Lanes(array, least, most)


def _widest(a: int, b: int) -> tuple[int, int]:
    """Return bounds of any bitwise combination of two numbers."""
    least, most = (pick(*_bounds(a), *_bounds(b)) for pick in (min, max))
    size_bits = max((~least if least < 0 else least).bit_length(), most.bit_length())
    return (-(1 << size_bits) if least < 0 else 0), (1 << size_bits) - 1


def _quotient(operation: Callable[[Any, Any], Any], a: int, b: int) -> int:
    """Return floor division or its remainder, as Python's integers have them."""
    if not b:  # some lanes divide by zero: they proceed separately
        raise ZeroDivisionError("integer division or modulo by zero")
    most = max(abs(bound) for number in (a, b) for bound in _bounds(number))
    return _combined(operation, a, b, -most, most, narrows=True)


def _shifted_left(number: int, count: int) -> int:
    if _is_zero(count):
        return number
    if count < 0:
        raise ValueError("negative shift count")
    _, count_most = _bounds(count)
    if count_most > MAX_SHIFT_BITS:
        raise Divergence(None)
    least, most = _bounds(number)
    ends = (least << count_most, most << count_most, least, most)
    return _combined(np.left_shift, number, count, min(ends), max(ends), narrows=True)


MAX_SHIFT_BITS = 1 << 12
"""Bits by which numbers of lanes are shifted at most; further ones are shifted one by one."""


def _shifted_right(number: int, count: int) -> int:
    if _is_zero(count):
        return number
    if count < 0:
        raise ValueError("negative shift count")
    least, most = _bounds(number)
    count_least, count_most = _bounds(count)
    if count_most > 63 and least >= INT64_LEAST and most <= INT64_MOST:
        count = _at_most_63(count)  # by then only the sign remains of 64 bits
    low = least >> (count_most if least >= 0 else count_least)
    high = most >> (count_least if most >= 0 else count_most)
    is_far = count_most > 63 and most > INT64_MOST
    return _combined(np.right_shift, number, count, low, high, narrows=True, is_exact=is_far)


def _at_most_63(count: int) -> int:
    if isinstance(count, Lanes):
        return lanes(np.minimum(count.array, 63).astype(np.int64))
    return min(count, 63)
