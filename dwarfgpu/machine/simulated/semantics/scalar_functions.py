"""Functions that scalar operations call, over Python integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

SCALAR_PREFIX: Final = "scalar_"
"""Before the names of these functions in generated statements."""


def popcount(a: int) -> int:
    return a.bit_count()


def leading_zeros(a: int, width: int) -> int:
    """Return the number of zeros above the highest set bit; -1 if no bit is set."""
    return width - a.bit_length() if a else -1


def trailing_zeros(a: int) -> int:
    """Return the number of zeros below the lowest set bit; -1 if no bit is set."""
    return (a & -a).bit_length() - 1


def leading_signs(a: int, width: int) -> int:
    """Return the number of leading bits that equal the sign; -1 if all do."""
    return leading_zeros(a ^ a >> width - 1, width)


def reverse(a: int, width: int) -> int:
    """Return the bits in the other order."""
    return int(f"{a:0{width}b}"[::-1], 2)


def quads(a: int) -> int:
    """Return a bit for each group of four bits in which one is set."""
    out = number = 0
    while a >> 4 * number:
        out |= bool(a >> 4 * number & 15) << number
        number += 1
    return out


def spread(a: int, distance: int, count: int) -> int:
    """Move each bit `n` to position `distance * n`, and repeat it there."""
    bits = (1 << count) - 1
    return sum(bits << distance * n for n in range(a.bit_length()) if a >> n & 1)


def absolute_difference(a: int, b: int) -> int:
    difference = (a - b & 0xFFFFFFFF ^ 0x80000000) - 0x80000000
    return abs(difference)


def bit_field(a: int, width: int, type: str) -> int:
    """Return the lowest bits, as a signed number if the type is signed."""
    if not width:
        return 0
    a &= (1 << width) - 1
    if type[0] == "u":
        return a
    most = int(type[1:])
    sign = 1 << min(width, most) - 1
    return (a & (1 << most) - 1 ^ sign) - sign


def inserted(a: int, value: int, first: int, width: int) -> int:
    """Return a number with some bits replaced."""
    mask = (1 << width) - 1 << first
    return a & ~mask | value << first & mask


SCALAR_FUNCTIONS: Final[dict[str, Callable[..., int]]] = {
    SCALAR_PREFIX + function.__name__: function
    for function in (
        *(popcount, leading_zeros, trailing_zeros, leading_signs, reverse, quads, spread),
        *(absolute_difference, bit_field, inserted),
    )
}
