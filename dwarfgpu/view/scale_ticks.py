"""The ticks of a colour scale: round numbers between two ends, written exactly.

Law: no arithmetic in doubles, which do not distinguish addresses that are near each other, and are
infinite beyond their greatest one.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Final

from dwarfgpu.base.records import frozen

_MOST_STEPS: Final = 9
"""Between the ends of a scale."""
_STEPS: Final = (10, 20, 25, 50)
"""The steps of decimal numbers, times a power of ten."""
_INVISIBLE: Final = Fraction(1, 1_000_000)
"""The part of a scale by which a tick may be outside: the double 0.1 is greater than 0.1."""
_MOST_ZEROS: Final = 4
_MOST_DIGITS: Final = 20
"""Of a number without an exponent: zeros behind the point, and digits before it."""


@frozen
class Tick:
    """A labelled position of a scale."""

    share: float
    """0 at the least number, 1 at the greatest."""
    text: str


def ticks(least: float, most: float, *, is_address: bool) -> Iterator[Tick]:
    """Yield the ticks between two numbers, those of addresses in hexadecimal; the only number in
    the middle if they are equal. Integers have no ticks between them."""
    if least == most:
        yield Tick(0.5, number_text(least, is_address=is_address))
        return
    start, span = Fraction(least), Fraction(most) - Fraction(least)
    are_integers = isinstance(least, int) and isinstance(most, int)
    is_hexadecimal = is_address and are_integers
    exponent = 0
    if is_hexadecimal:
        digits = _binary_step(span)
    else:
        digits, exponent = _decimal_step(span, are_integers=are_integers)
    step = digits * Fraction(10) ** exponent
    margin = span * _INVISIBLE
    for index in range(ceil((start - margin) / step), (start + span + margin) // step + 1):
        number = index * digits
        text = f"{number:#x}" if is_hexadecimal else _text(Decimal(f"{number}e{exponent}"))
        share = float((index * step - start) / span)
        yield Tick(min(max(share, 0.0), 1.0), text)


def number_text(number: float, *, is_address: bool = False) -> str:
    """Return a number that is distinguishable from all others: an integer with all of its digits, a
    double with as many as it needs."""
    if not isinstance(number, int):
        return f"{number:.15g}" if float(f"{number:.15g}") == number else repr(number)
    return f"{number:#x}" if is_address else str(number)


def _binary_step(span: Fraction) -> int:
    """Return a power of two that is in a whole number at most `_MOST_STEPS` times."""
    step = 1
    while step * _MOST_STEPS < span:
        step *= 2
    return step


def _decimal_step(span: Fraction, *, are_integers: bool) -> tuple[int, int]:
    """Return the digits and the exponent of ten of a round number that is in a span at most
    `_MOST_STEPS` times."""
    exponent = len(str(span.numerator)) - len(str(span.denominator)) - 4
    if are_integers:
        exponent = max(exponent, -1)  # 10e-1 is 1
    while True:
        for digits in _STEPS:
            step = digits * Fraction(10) ** exponent
            is_possible = step.denominator == 1 or not are_integers
            if is_possible and step * _MOST_STEPS >= span:
                is_round = digits % 10 == 0
                return (digits // 10, exponent + 1) if is_round else (digits, exponent)
        exponent += 1


def _text(number: Decimal) -> str:
    """Return a number with as many digits behind the point as it has."""
    if not number:
        return "0"
    if -_MOST_ZEROS - 1 <= number.adjusted() < _MOST_DIGITS:
        return f"{number:f}"
    return f"{number:e}"
