"""Operators of Pascal that those of C are not: `and`, `or`, `xor` and `not` are of Booleans or of
integers, and `/` divides real numbers (ISO 7185 6.7.2.2, 6.7.2.3)."""

from __future__ import annotations

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Base, Struct, Type, is_set, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.c_numbers import holds, not_comparable
from dwarfgpu.language.fortran_operators import strings_compared
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.short_string_elements import contents_of_record
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated


def is_boolean(type_: Type | None) -> bool:
    """Return whether a type is Boolean."""
    bare = strip(type_)
    return isinstance(bare, Base) and bare.base.encoding == "boolean"


def are_boolean(operator: str, left: Type | None, right: Type | None) -> bool:
    """Return whether both operands are Booleans; `UsageError` where only one is."""
    if is_boolean(left) != is_boolean(right):
        raise UsageError(
            f'"{operator}" is between two Booleans or two integers;'
            " comparisons beside it need parentheses."
        )
    return is_boolean(left)


def compared(
    arithmetic: Arithmetic, operator: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Compare sets, strings that are records, Booleans, and numbers of the type Currency; None for
    other operands."""
    if is_set(left.type) or is_set(right.type):
        return sets_compared(arithmetic.objects, operator, left, right)
    if any(isinstance(strip(side.type), Struct) for side in (left, right)):
        first, second = (contents_of_record(arithmetic.objects, side) for side in (left, right))
        return strings_compared(arithmetic.objects, operator, first, second, pads=False)
    if is_boolean(left.type) and is_boolean(right.type):
        # As truths: Free Pascal writes -1 for that of a WordBool.
        a, b = arithmetic.truth(left), arithmetic.truth(right)
        return holds(operator, a - b)
    from dwarfgpu.language import currency_operators  # few programs have them

    if currency_operators.has_currency(left, right):
        return currency_operators.compared(arithmetic, operator, left, right)
    return None


def sets_compared(
    objects: ObjectAccess, operator: str, left: TypedValue, right: TypedValue
) -> bool:
    """Compare two sets by `=` and `<>`; `UsageError` for other operands and operators, as in
    GDB."""
    are_sets = is_set(left.type) and is_set(right.type)
    if operator not in ("==", "!=") or not are_sets or left.size_bits != right.size_bits:
        raise not_comparable(operator)
    if isinstance(objects, Unevaluated):
        return False  # only the type is wanted
    is_same = objects.known(left).value == objects.known(right).value
    return is_same == (operator == "==")


def divided(
    arithmetic: Arithmetic, operator: str, left: TypedValue, right: TypedValue
) -> TypedValue:
    """Return the left operand of a division: of `/` between two integers, as Double, as Free Pascal
    computes it; `UsageError` for `div` of real numbers."""
    are_integers = is_integer(left.type) and is_integer(right.type)
    if operator != "/" and not are_integers:
        raise UsageError("Integer-only operation on floating point number.")
    if operator != "/" or not are_integers:
        return left
    double = arithmetic.numbers.builtins.floating("double")
    return arithmetic.cast(left, Base(evolve(double.base, name="Double")))
