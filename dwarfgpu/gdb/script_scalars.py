"""Scalars of the program for scripts as numbers of Python: `bool(v)`, `int(v)`, `v == 1`.

Law: numbers are compared exactly, whatever their types; one that is unknown, and an object that is
no scalar, is an error, never False.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias

from dwarfgpu.dwarf.types.types import Base, Pointer, Unspecified, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_number
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.c_numbers import Numbers
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.model.value import Value
from dwarfgpu.session.session import Session

ExactNumber: TypeAlias = int | Fraction | float
"""A float is one that no fraction is: an infinity or NaN."""
_HOLDS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def is_true(session: Session, value: TypedValue, name: str) -> bool:
    """Return whether a scalar is not 0."""
    arithmetic, scalar = _scalar(session, value, name)
    return arithmetic.truth(scalar)


def integer_of(session: Session, value: TypedValue, name: str) -> int:
    """Return the number of a scalar without its fraction, as `int` of Python does."""
    number = exact_number(session, value, name)
    if isinstance(number, float):
        raise UsageError(f"{name} is {number}: it is no integer")
    return int(number)


def float_of(session: Session, value: TypedValue, name: str) -> float:
    """Return the float of Python that is nearest to the number of a scalar."""
    return float(_number(session, value, name).number)


def exact_number(session: Session, value: TypedValue, name: str) -> ExactNumber:
    """Return the number of a scalar; of a pointer, its address."""
    number = _number(session, value, name)
    form = number.type.float_format
    if number.type.encoding != "float" or form is None:
        return number.integer
    exact = form.decode(number.bits)
    return float(exact) if isinstance(exact, str) else exact


def number_to_hold(
    session: Session, value: TypedValue, name: str, target: TypedValue
) -> ExactNumber | None:
    """Return the number of a scalar that a target must be able to hold; None for another object,
    and for a pointer that becomes another pointer: the language converts these."""
    objects = ObjectAccess(session)
    kind, to = (strip(_referred(objects, side).type) for side in (value, target))
    is_pointer = isinstance(kind, Pointer) and not isinstance(to, Pointer)
    is_complex = isinstance(kind, Base) and kind.base.encoding == "complex_float"
    is_real = is_number(kind) and not is_complex
    return exact_number(session, value, name) if is_pointer or is_real else None


def holds(relation: str, left: ExactNumber, right: ExactNumber) -> bool:
    """Return whether a relation holds between two numbers."""
    return bool(_HOLDS[relation](left, right))


def pointers_compared(
    session: Session, relation: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Return whether a relation holds between two pointers, as the language has it: their address
    spaces and base classes count. None for other values."""
    objects = ObjectAccess(session)
    sides = [_referred(objects, side) for side in (left, right)]
    if not all(isinstance(strip(side.type), Pointer) for side in sides):
        return None
    return _arithmetic(objects).compared(relation, *sides)


def _number(session: Session, value: TypedValue, name: str) -> Value:
    arithmetic, scalar = _scalar(session, value, name)
    kind = scalar.type
    if kind is not None and not is_number(kind):
        return arithmetic.numbers.of(kind, arithmetic.objects.known(scalar)).value
    return arithmetic.number(scalar).value


def _scalar(session: Session, value: TypedValue, name: str) -> tuple[Arithmetic, TypedValue]:
    """Return a scalar, also one that a reference refers to; `UsageError` for another object."""
    objects = ObjectAccess(session)
    arithmetic = _arithmetic(objects)
    value = _referred(objects, value)
    bare = strip(value.type)
    if isinstance(bare, Unspecified) and bare.is_nullptr:
        value = arithmetic.decayed(value)
        bare = strip(value.type)
    if isinstance(bare, Pointer) or is_number(value.type):
        return arithmetic, value
    if value.error is not None and value.type is None:
        raise value.error
    raise UsageError(f"{name} has no number: only arithmetic types, enumerations and pointers do")


def _arithmetic(objects: ObjectAccess) -> Arithmetic:
    return Arithmetic(objects, Numbers(Builtins(objects.session.architecture)))


def _referred(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    bare = strip(value.type)
    if isinstance(bare, Pointer) and bare.kind != "pointer":
        return objects.dereferenced(value)
    return value
