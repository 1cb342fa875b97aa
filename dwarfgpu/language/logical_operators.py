"""Operators between Booleans. The right operand of `&&` and `||` is evaluated where the left one
does not decide (C 6.5.13), that of the other ones always.

Law: an operand that is not evaluated is not read, but its names have a meaning, as in GDB.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import and_, or_, xor
from typing import Final, cast

from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.syntax.words import BITWISE
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.value import differs_by_lane

_OF_TRUTHS: Final[dict[str, Callable[[int, int], int]]] = {"&": and_, "|": or_, "^": xor}


def holds(
    arithmetic: Arithmetic,
    operator: str,
    left: TypedValue,
    right: Callable[[], TypedValue],
    unread: Callable[[], TypedValue],
    refuse: Callable[..., None],
) -> bool:
    """Return the result of `&&` or `||`; `unread` is the right operand, unevaluated, and `refuse`
    refuses an operator and operands that are objects of classes.

    Raises `UsageError` for an operand that has no meaning or is a structure, evaluated or not, and
    `Unsupported` for one whose class declares the operator.
    """
    refuse(operator, left)
    is_true = arithmetic.truth(left)
    if differs_by_lane(is_true):  # some lanes need the right operand: all may have it
        from dwarfgpu.model.lane_integers import Divergence  # it needs NumPy

        try:
            value = right()
            refuse(operator, left, value)
            other = arithmetic.truth(value)
            return cast(bool, _OF_TRUTHS["&" if operator == "&&" else "|"](is_true, other))
        except (DwarfGpuError, Divergence):
            is_true = bool(is_true)  # they part
    if is_true == (operator == "&&"):
        value = right()
        refuse(operator, left, value)
        return arithmetic.truth(value)
    try:
        value = unread()
    except UsageError:
        raise
    except DwarfGpuError:  # contents, or a call, that the result does not need
        return is_true
    refuse(operator, left, value)
    return is_true


def is_of_truths(operator: str) -> bool:
    """Return whether an operator between Booleans evaluates both."""
    return BITWISE.get(operator, operator) in _OF_TRUTHS


def of_truths(operator: str, left: int, right: int) -> int:
    """Apply `&`, `|`, `^`, or `and`, `or`, `xor`, to 0 or 1 and 0 or 1."""
    return _OF_TRUTHS[BITWISE.get(operator, operator)](left, right)
