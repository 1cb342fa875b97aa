"""Conversions between types of Ada: `integer(x)` (Ada 2012 4.6), and qualified expressions.

Law: no range is checked, as in GDB: an integer that the type does not hold wraps. A real number
becomes the nearest integer, as in Ada: GDB truncates it.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor

from dwarfgpu.base.bits import signed
from dwarfgpu.dwarf.names.fortran_ada import tagged_parent
from dwarfgpu.dwarf.types.types import MAX_CHAIN, BareType, Base, Struct, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.base_class_casts import is_same_class
from dwarfgpu.language.c_numbers import spelled
from dwarfgpu.language.casts import written_cast
from dwarfgpu.language.name_resolution import Typed
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax.ast import Floating, Integer
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits


def converted(arithmetic: Arithmetic, value: TypedValue, to: Typed) -> TypedValue:
    """Return the value of a type that is written before it. `UsageError` where there is none."""
    target = strip(to.type)
    if isinstance(target, Struct):
        value = _of_ancestor(arithmetic.objects, value, target)
        return written_cast(arithmetic, value, to)
    number = exact_real(arithmetic, value)
    if isinstance(target, Base) and target.base.scale is not None:
        exact = _exact(arithmetic, value) if number is None else number
        return TypedValue(to.type, bits=fixed_point(target, exact), unit=to.unit)
    if number is not None and is_integer(target):
        value = _literal(arithmetic, Integer(abs(_rounded(number))), number)
    elif number is not None and _is_fixed(strip(value.type)):
        value = _literal(arithmetic, Floating(abs(number), "l"), number)
    return written_cast(arithmetic, value, to)


def _is_fixed(bare: BareType | None) -> bool:
    return isinstance(bare, Base) and bare.base.scale is not None


def exact_real(arithmetic: Arithmetic, value: TypedValue) -> Fraction | None:
    """Return the number that a value of a real type is, exactly; None for any other value, and for
    an infinity."""
    bare = strip(value.type)
    if isinstance(bare, Base) and bare.base.scale is not None:
        bits = arithmetic.objects.known(value).value
        is_signed = bare.base.encoding == "signed_fixed"
        return (signed(bits, bare.base.bit_size) if is_signed else bits) * Fraction(bare.base.scale)
    if not isinstance(bare, Base) or bare.base.encoding != "float":
        return None
    number = arithmetic.number(value).value
    form = number.type.float_format
    exact = None if form is None else form.decode(number.bits)
    return exact if isinstance(exact, Fraction) else None


def _exact(arithmetic: Arithmetic, value: TypedValue) -> Fraction:
    return Fraction(arithmetic.number(value).value.integer)


def _rounded(number: Fraction) -> int:
    """Return the nearest integer, of two the one that is not towards 0 (Ada 2012 4.6)."""
    magnitude = floor(abs(number) + Fraction(1, 2))
    return -magnitude if number < 0 else magnitude


def _is_same_real(first: Fraction, second: Fraction) -> bool:
    """Return whether two numbers are the same in binary64, as 0.29 and 29 hundredths are."""
    try:
        return float(first) == float(second)
    except OverflowError:
        return False


def fixed_point(kind: Base, number: Fraction) -> Bits:
    """Return the bits of a number of a fixed-point type: without what is behind its last place, as
    GNAT has it (Ada 2012 4.6), unless a number of the type is that real number."""
    base, scale = kind.base, Fraction(kind.base.scale or 1)
    multiple = _rounded(number / scale)
    if multiple * scale != number and not _is_same_real(multiple * scale, number):
        multiple = int(number / scale)
    least = -(1 << base.bit_size - 1) if base.encoding == "signed_fixed" else 0
    if not least <= multiple < least + (1 << base.bit_size):
        whole = int(number) if number.denominator == 1 else number
        raise UsageError(f"The type does not hold the number {spelled(whole)}.")
    return Bits(multiple & (1 << base.bit_size) - 1, base.bit_size)


def _literal(arithmetic: Arithmetic, literal: Integer | Floating, number: Fraction) -> TypedValue:
    """Return the value of a literal with the sign of a number."""
    magnitude = arithmetic.numbers.literal(literal)
    return arithmetic.value(arithmetic.numbers.unary("-", magnitude) if number < 0 else magnitude)


def _of_ancestor(objects: ObjectAccess, value: TypedValue, target: Struct) -> TypedValue:
    """Return the part of a tagged object that has the components of a type from which its own is
    derived; the value itself if the type is none of them."""
    part = value
    for _ in range(MAX_CHAIN):
        record = strip(part.type)
        if not isinstance(record, Struct) or is_same_class(record, target):
            return part
        parent = tagged_parent(record)
        if parent is None:
            return value
        part = objects.step(part, parent[0])
    return value
