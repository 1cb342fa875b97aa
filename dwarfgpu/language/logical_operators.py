"""`&&` and `||`: the right operand is evaluated where the left one does not decide (C 6.5.13).

Law: an operand that is not evaluated is not read, but its names have a meaning, as in GDB.
"""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.typed_value import TypedValue


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
