"""Integers with bits that are not known.

Law: bits that are known of a result are the same whatever the unknown bits of the operands are.
Which bits these are follows from the operation alone, never from what unknown bits happen to be.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import product
from operator import and_, or_
from typing import Any, Final, TypeAlias

_MOST_CASES: Final = 64
"""More cases of unknown bits are not tried one by one."""


class Undecided(Exception):
    """What happens depends on bits that are not known."""


class KnownInPart:
    """What is known in part."""

    def is_true(self) -> bool | None:
        """Return whether it is not 0; None if that is not decided."""
        raise NotImplementedError


class PartlyKnown(KnownInPart):
    """An integer of any size with the mask of its unknown bits, which is not 0."""

    __slots__ = ("unknown", "value")

    def __init__(self, value: int, unknown: int) -> None:
        """`value`: its unknown bits do not count; an `unknown` below 0: the sign is one of them."""
        self.value = value
        self.unknown = unknown

    @property
    def ones(self) -> int:
        """The number with zeros for all unknown bits."""
        return self.value & ~self.unknown

    @property
    def zeros(self) -> int:
        """The number with ones for all unknown bits."""
        return self.value | self.unknown

    def is_true(self) -> bool | None:
        """Return whether it is not 0; None if that is not decided."""
        return True if self.ones else None

    def __bool__(self) -> bool:
        if self.is_true() is None:
            raise Undecided
        return True

    def __index__(self) -> int:
        raise Undecided

    def __format__(self, spec: str) -> str:
        raise Undecided

    def bit_length(self) -> int:
        raise Undecided

    def bit_count(self) -> int:
        raise Undecided

    def to_bytes(self, size: int, order: str) -> bytes:
        raise Undecided

    def __mod__(self, other: int) -> int:
        raise Undecided

    def __hash__(self) -> int:
        raise Undecided

    # Bit by bit.

    def __invert__(self) -> Number:
        return PartlyKnown(~self.value, self.unknown)

    def __and__(self, other: Number) -> Number:
        value, unknown = parts_of(other)
        either = (self.unknown | unknown) & self.zeros & (value | unknown)
        return partly_known(self.value & value, either)

    def __or__(self, other: Number) -> Number:
        return ~(~self & ~other)

    def __xor__(self, other: Number) -> Number:
        value, unknown = parts_of(other)
        return partly_known(self.value ^ value, self.unknown | unknown)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lshift__(self, count: Number) -> Number:
        return _shifted(lambda a, b: a << b, self, count)

    def __rshift__(self, count: Number) -> Number:
        return _shifted(lambda a, b: a >> b, self, count)

    def __rlshift__(self, other: int) -> Number:
        return joined([other << count for count in _cases(self)])

    def __rrshift__(self, other: int) -> Number:
        return joined([other >> count for count in _cases(self)])

    # Arithmetic.

    def __add__(self, other: Number) -> Number:
        return _added(self, other, 0)

    def __radd__(self, other: int) -> Number:
        return _added(self, other, 0)

    def __sub__(self, other: Number) -> Number:
        return _added(self, ~other, 1)

    def __rsub__(self, other: int) -> Number:
        return _added(~self, other, 1)

    def __neg__(self) -> Number:
        return _added(~self, 0, 1)

    def __abs__(self) -> Number:
        return choose(self < 0, -self, self)  # type: ignore[no-any-return]

    def __mul__(self, other: Number) -> Number:
        return _product(self, other)

    __rmul__ = __mul__

    # Comparisons.

    def __lt__(self, other: Number) -> Number:
        return _less(self, other)

    def __gt__(self, other: Number) -> Number:
        return _less(other, self)

    def __le__(self, other: Number) -> Number:
        return opposite(_less(other, self))

    def __ge__(self, other: Number) -> Number:
        return opposite(_less(self, other))

    def __eq__(self, other: object) -> Number:  # type: ignore[override]
        return opposite(self != other)

    def __ne__(self, other: object) -> Number:  # type: ignore[override]
        return _truth(self ^ other)  # type: ignore[operator]


Number: TypeAlias = "int | PartlyKnown"


def partly_known(value: int, unknown: int) -> Number:
    """Return a number with some unknown bits; a plain one if there are none."""
    return PartlyKnown(value, unknown) if unknown else value


def parts_of(number: Number) -> tuple[int, int]:
    """Return the value and the mask of the unknown bits."""
    return (number.value, number.unknown) if isinstance(number, PartlyKnown) else (number, 0)


def joined(numbers: list[Any]) -> Number:
    """Return what is known of a number that is one of some."""
    values, unknown = zip(*map(parts_of, numbers), strict=True)
    changed = reduce(or_, values) ^ reduce(and_, values)
    return partly_known(values[0], reduce(or_, unknown) | changed)


def is_true(number: Any) -> bool | None:
    """Return whether a number is not 0; None if that is not decided."""
    return number.is_true() if isinstance(number, KnownInPart) else bool(number)


def _truth(number: Any) -> Number:
    """Return 1 for a number that is not 0, else 0."""
    truth = is_true(number)
    return PartlyKnown(0, 1) if truth is None else int(truth)


def opposite(number: Any) -> Number:
    """Return `not number`."""
    return _truth(number) ^ 1


def choose(condition: Any, first: Any, second: Any) -> Any:
    """Return `first if condition else second`."""
    truth = is_true(condition)
    if truth is None:
        return joined([first, second])
    return first if truth else second


def least(*numbers: Any) -> Number:
    """Return `min` of two numbers."""
    first, second = numbers
    return choose(first < second, first, second)  # type: ignore[no-any-return]


def greatest(*numbers: Any) -> Number:
    """Return `max` of two numbers."""
    first, second = numbers
    return choose(first < second, second, first)  # type: ignore[no-any-return]


def tried(function: Callable[..., Number], *arguments: Any) -> Number:
    """Return what is known of the result of a function: of one that needs numbers, in all cases of
    a few unknown bits; of more, nothing."""
    try:
        return function(*arguments)
    except Undecided:
        pass
    try:
        return joined([function(*case) for case in product(*map(_cases, arguments))])
    except Undecided:
        return PartlyKnown(0, -1)


def of_bits(function: Callable[..., int], number: Number, *arguments: Any) -> Number:
    """Return the result of a function that only sets bits where more bits are set, and each of them
    for bits of its own."""
    if not isinstance(number, PartlyKnown):
        return function(number, *arguments)
    ones = function(number.ones, *arguments)
    return partly_known(ones, ones ^ function(number.zeros, *arguments))


def _cases(argument: Any) -> list[Any]:
    """Return the numbers that a number may be; `Undecided` if these are many."""
    if not isinstance(argument, PartlyKnown):
        return [argument]
    if argument.unknown < 0 or 1 << argument.unknown.bit_count() > _MOST_CASES:
        raise Undecided
    out, bits = [argument.ones], argument.unknown
    while bits:
        out += [number | bits & -bits for number in out]
        bits &= bits - 1
    return out


def _shifted(shift: Callable[[int, int], int], number: PartlyKnown, count: Number) -> Number:
    try:
        counts = _cases(count)
    except Undecided:
        return PartlyKnown(0, -1)
    return joined([
        partly_known(shift(number.value, one), shift(number.unknown, one)) for one in counts
    ])  # fmt: skip


def _added(first: Number, second: Number, carry: int) -> Number:
    """Return a sum: of a bit, those of both numbers and the carry must be known. Carries grow with
    the numbers, so that the least and the greatest sum have the extremes."""
    (a, a_unknown), (b, b_unknown) = parts_of(first), parts_of(second)
    lowest = (a & ~a_unknown, b & ~b_unknown)
    highest = (a | a_unknown, b | b_unknown)
    # A number whose sign is unknown: below it, carries of both extremes are compared as far as one
    # bit above all that differs.
    size = max(number.bit_length() for number in (*lowest, *highest, a_unknown, b_unknown)) + 2
    mask = (1 << size) - 1
    low, high = (((x & mask) + (y & mask) + carry) & mask for x, y in (lowest, highest))
    carries = low ^ lowest[0] ^ lowest[1] ^ high ^ highest[0] ^ highest[1]
    unknown = (a_unknown | b_unknown | carries) & mask
    if unknown >> size - 1:
        unknown |= -1 << size
    return partly_known(a + b + carry, unknown)


def _product(first: Number, second: Number) -> Number:
    """Return a product: what no unknown bit gets to is known, and zeros above the greatest one."""
    (a, a_unknown), (b, b_unknown) = parts_of(first), parts_of(second)
    lowest = min(
        (_zeros(unknown) + _zeros(other) for unknown, other in (
            (a_unknown, b | b_unknown), (b_unknown, a | a_unknown)) if unknown and other),
        default=None,
    )  # fmt: skip
    if lowest is None:
        return a * b  # one of them is 0
    unknown = -1 << lowest
    most = (a | a_unknown, b | b_unknown)
    if min(most) >= 0 and min(a_unknown, b_unknown) >= 0:
        unknown &= (1 << (most[0] * most[1]).bit_length()) - 1
    return partly_known(a * b, unknown)


def _zeros(number: int) -> int:
    """Return the number of zeros below the lowest set bit."""
    return (number & -number).bit_length() - 1


def _extremes(number: Number) -> tuple[int, int]:
    """Return the least and the greatest number that it may be."""
    value, unknown = parts_of(number)
    if unknown < 0:
        raise Undecided
    return value & ~unknown, value | unknown


def _less(first: Number, second: Number) -> Number:
    try:
        (low, high), (other_low, other_high) = _extremes(first), _extremes(second)
    except Undecided:
        return PartlyKnown(0, 1)
    if high < other_low:
        return 1
    return 0 if low >= other_high else PartlyKnown(0, 1)
