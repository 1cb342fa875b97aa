"""`&&` and `||`: the right operand is evaluated where the left one does not decide (C 6.5.13).

Law: an operand that is not evaluated is not read, but its names have a meaning, as in GDB.
"""

from __future__ import annotations

from collections.abc import Callable

from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.class_operators import refuse_overloaded
from dwarfgpu.language.typed_value import TypedValue


def holds(
    arithmetic: Arithmetic,
    operator: str,
    left: TypedValue,
    right: Callable[[], TypedValue],
    unread: Callable[[], TypedValue],
    *,
    cplusplus: bool,
) -> bool:
    """Return the result of `&&` or `||`; `unread` is the right operand, unevaluated.

    Raises `UsageError` for an operand that has no meaning or is a structure, evaluated or not, and
    `Unsupported` for one whose class declares the operator.
    """
    refuse_overloaded(operator, left, cplusplus=cplusplus)
    is_true = arithmetic.truth(left)
    if is_true == (operator == "&&"):
        value = right()
        refuse_overloaded(operator, left, value, cplusplus=cplusplus)
        return arithmetic.truth(value)
    try:
        value = unread()
    except UsageError:
        raise
    except DwarfGpuError:  # contents, or a call, that the result does not need
        return is_true
    refuse_overloaded(operator, left, value, cplusplus=cplusplus)
    return is_true
