"""The NaN that arithmetic and conversions give: quiet, with the sign and payload of the operand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import (
    BINARY32,
    BINARY64,
    X87_EXTENDED,
    FloatFormat,
    add,
    divide,
    multiply,
    subtract,
)
from dwarfgpu.model.value import Value

ONE, INFINITY, ZERO = 0x3FF0000000000000, 0x7FF0000000000000, 0
QUIET, SIGNALLING = 0x7FF8000000000123, 0x7FF0000000000456
NEGATIVE = 0xFFF8000000000789
PLAIN = 0x7FF8000000000000

Operation = Callable[[FloatFormat, int, int], int]


@pytest.mark.parametrize("operation", [add, subtract, multiply, divide])
@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (QUIET, ONE, QUIET),
        (ONE, QUIET, QUIET),
        (ONE, NEGATIVE, NEGATIVE),
        (QUIET, NEGATIVE, QUIET),
        (NEGATIVE, QUIET, NEGATIVE),
        (QUIET, INFINITY, QUIET),
        (QUIET, ZERO, QUIET),
        (SIGNALLING, ONE, 0x7FF8000000000456),
    ],
)
def test_arithmetic_gives_the_first_nan(
    operation: Operation, a: int, b: int, expected: int
) -> None:
    assert operation(BINARY64, a, b) == expected


@pytest.mark.parametrize(
    ("operation", "a", "b"),
    [(subtract, INFINITY, INFINITY), (multiply, INFINITY, ZERO), (divide, ZERO, ZERO)],
)
def test_arithmetic_without_one_gives_the_plain_nan(operation: Operation, a: int, b: int) -> None:
    assert operation(BINARY64, a, b) == PLAIN


FLOAT = BaseType("float", "float", 32, float_format=BINARY32)
DOUBLE = BaseType("double", "float", 64, float_format=BINARY64)
LONG_DOUBLE = BaseType("long double", "float", 80, float_format=X87_EXTENDED)


@pytest.mark.parametrize(
    ("bits", "of", "to", "expected"),
    [
        (QUIET, DOUBLE, LONG_DOUBLE, 0x7FFF_C000000000091800),
        (NEGATIVE, DOUBLE, FLOAT, 0xFFC00000),
        (0x7FC00123, FLOAT, DOUBLE, 0x7FF8002460000000),
        (0x7FFF_C000000000091800, LONG_DOUBLE, DOUBLE, QUIET),
        (0x7FFF_4000000000091800, LONG_DOUBLE, DOUBLE, PLAIN),  # no number to x87
    ],
)
def test_a_conversion_keeps_the_top_of_the_payload(
    bits: int, of: BaseType, to: BaseType, expected: int
) -> None:
    assert Value(bits, of).converted(to).bits == expected
