"""Conversions between types of Ada: `integer(x)` (Ada 2012 4.6), and qualified expressions.

Law: no range is checked, as in GDB: an integer that the type does not hold wraps. A real number
becomes the nearest integer, as in Ada: GDB truncates it. A fixed-point number is the one that
programs of GNAT compute.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Final

from dwarfgpu.base.bits import signed
from dwarfgpu.base.float_format import X87_EXTENDED
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import tagged_parent, tagged_records
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.type_sizes import size_bits, unpacked
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Base, Dynamic, Struct, Type, renamed, strip
from dwarfgpu.errors import Unsupported, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import (
    bounded,
    is_fixed_point,
    is_floating,
    is_integer,
    scale_of,
)
from dwarfgpu.language.base_classes import is_same_class
from dwarfgpu.language.c_numbers import spelled
from dwarfgpu.language.casts import written_cast
from dwarfgpu.language.constant_expressions import Constant
from dwarfgpu.language.name_resolution import Typed
from dwarfgpu.language.number_rules import NumberRules, name_of
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits

_INVALID: Final = "Invalid cast."
_REALS: Final = frozenset({"short_float", "float", "long_float", "long_long_float"})
"""The floating-point types of Standard."""


def converted(
    arithmetic: Arithmetic,
    rules: NumberRules | None,
    value: TypedValue,
    to: Typed,
    constant: Constant | None = None,
) -> TypedValue:
    """Return the value of a type that is written before it. `UsageError` where there is none.

    `constant`: the number that the value is exactly, where it is a static expression.
    """
    target = strip(to.type)
    record = _record(to.type)
    if record is not None:
        value = _of_ancestor(arithmetic.objects, value, record)
        if is_dynamic(to.type):
            return _with_discriminants(arithmetic.objects, value, to, record)
        return written_cast(arithmetic, value, to)
    number = exact_real(arithmetic, value)
    if is_fixed_point(to.type):
        return TypedValue(
            to.type, bits=_fixed(arithmetic, rules, value, to.type, constant), unit=to.unit
        )
    if number is not None and is_integer(target):
        value = _literal(arithmetic, ast.Integer(abs(_rounded(number))), number)
    elif number is not None and is_fixed_point(value.type):
        value = _literal(arithmetic, ast.Floating(abs(number), "l"), number)
    return written_cast(arithmetic, value, to)


def exact_real(arithmetic: Arithmetic, value: TypedValue) -> Fraction | None:
    """Return the number that a value of a real type is, exactly; None for any other value, and for
    an infinity."""
    bare = strip(value.type)
    if isinstance(bare, Base) and is_fixed_point(bare):
        scale = Fraction(scale_of(bare.base))
        return _multiple_in(arithmetic.objects.known(value), bare) * scale
    if not isinstance(bare, Base) or bare.base.encoding != "float":
        return None
    number = arithmetic.number(value).value
    form = number.type.float_format
    exact = None if form is None else form.decode(number.bits)
    return exact if isinstance(exact, Fraction) else None


def of_multiples(
    arithmetic: Arithmetic,
    rules: NumberRules | None,
    operation: Callable[..., int],
    *operands: TypedValue,
) -> TypedValue | None:
    """Apply an operation to fixed-point numbers as multiples of their scale (Ada 2012 4.5.3); None
    where the scales or sizes are not the same. A result that the type does not hold wraps, with a
    warning."""
    kinds = [kind for operand in operands if isinstance(kind := strip(operand.type), Base)]
    computed = [in_base_range(kind) for kind in kinds]
    first = computed[0].base
    if (
        len({(scale_of(kind.base), kind.base.bit_size, kind.base.encoding) for kind in computed})
        > 1
    ):
        return None
    size, is_signed, exact = first.bit_size, first.encoding == "signed_fixed", 0
    if not isinstance(arithmetic.objects, Unevaluated):
        contents = map(arithmetic.objects.known, operands)
        exact = operation(*map(_multiple_in, contents, kinds))
    least = -(1 << size - 1) if is_signed else 0
    if not least <= exact < least + (1 << size) and rules is not None:
        rules.doubt(f"the result overflows {name_of(operands[0].type)}, {rules.overflow}")
    wrapped = Bits(exact & (1 << size) - 1, size)
    is_whole = computed[0] is kinds[0]
    type_ = operands[0].type if is_whole else renamed(operands[0].type, computed[0])
    return TypedValue(type_, bits=wrapped, unit=operands[0].unit)


def _multiple_in(contents: Bits, kind: Base) -> int:
    """Return which multiple of the scale of a type its contents are: perhaps a bit-field's."""
    is_signed = kind.base.encoding == "signed_fixed"
    size = min(contents.size_bits, kind.base.bit_size)
    return signed(contents.value, size) if is_signed else contents.value


def in_base_range(kind: Base) -> Base:
    """Return the type in which programs compute numbers of a fixed-point type: of one that has no
    sign in the bits of a component that with all bits, which has one (Ada 2012 3.5.9)."""
    whole = unpacked(kind)
    assert isinstance(whole, Base)
    base, values = whole.base, whole.range
    upper = None if values is None else values.upper
    is_fixed = base.encoding == "unsigned_fixed"
    if is_fixed and isinstance(upper, int) and upper < 1 << bounded(base.bit_size) - 1:
        return evolve(whole, base=evolve(base, encoding="signed_fixed"))
    return whole


def static_number(rules: NumberRules, node: ast.Node) -> Constant | None:
    """Return the number that a static expression is, exactly; None for another one. A conversion of
    one to a floating-point type does not round it (Ada 2012 4.9)."""
    match node:
        case ast.Cast(how="conversion", type=ast.TypeName((name,))) if name.lower() in _REALS:
            return static_number(rules, node.operand)
        case _:
            return rules.constant(node)


def _fixed(
    arithmetic: Arithmetic,
    rules: NumberRules | None,
    value: TypedValue,
    type_: Type | None,
    constant: Constant | None,
) -> Bits:
    """Return the bits of a fixed-point number.

    Programs of GNAT round a floating-point number to the nearest one of an ordinary type, and of
    two to that which is not towards 0. They truncate it for a decimal type, and for each type a
    static expression, an integer and a fixed-point number. A warning says where a type that is
    taken for a decimal one would have another number if it were none.
    """
    target = strip(type_)
    assert isinstance(target, Base)
    if constant is not None:
        return fixed_point(target, constant)
    scale = Fraction(scale_of(target.base))
    number = exact_real(arithmetic, value)
    if number is None:
        number = Fraction(arithmetic.number(value).value.integer)
    if is_fixed_point(value.type) or not is_floating(value.type):
        return _scaled(target, int(number / scale), number)
    nearest = _rounded(number / scale)
    if not _is_decimal(scale):
        return _scaled(target, nearest, number)
    multiple = _multiple(arithmetic, number / scale)
    if multiple != nearest and rules is not None:
        rules.doubt(
            f"{name_of(type_)} is taken for a decimal type, whose numbers are truncated; "
            f"for an ordinary one this is {spelled(nearest * scale)}"
        )
    return _scaled(target, multiple, number)


def _is_decimal(scale: Fraction) -> bool:
    """Return whether a type of a scale is taken for a decimal one. Debug information does not say
    it: an ordinary type has such a scale only where the program asks for it, but for 1."""
    power = Fraction(1) / scale if scale < 1 else scale
    digits = str(power.numerator)
    return scale != 1 and power.denominator == 1 and digits.rstrip("0") == "1"


def _multiple(arithmetic: Arithmetic, quotient: Fraction) -> int:
    """Return how many units a number is, truncated. A program computes it as a Long_Long_Float,
    which may be the next integer already; `Unsupported` where it is unknown which format that
    has."""
    form = arithmetic.numbers.builtins.floating("long double").base.float_format
    if form is None:
        return int(quotient)
    product = form.decode(form.encode(quotient))
    multiple = int(quotient if isinstance(product, str) else product)
    if form is not X87_EXTENDED and multiple != int(float(quotient)):
        raise Unsupported("the number depends on the format of Long_Long_Float, which is unknown")
    return multiple


def _rounded(number: Fraction) -> int:
    """Return the nearest integer, of two the one that is not towards 0 (Ada 2012 4.6)."""
    magnitude = floor(abs(number) + Fraction(1, 2))
    return -magnitude if number < 0 else magnitude


def fixed_point(kind: Base, number: Constant) -> Bits:
    """Return the bits of a static number in a fixed-point type: without what is behind its last
    place, as GNAT has it; `UsageError` where the type does not hold it."""
    return _scaled(kind, int(number / Fraction(scale_of(kind.base))), number)


def _scaled(kind: Base, multiple: int, number: Fraction | int) -> Bits:
    """Return the bits of a multiple of the scale of a type; `UsageError` where that does not hold
    the number."""
    base = kind.base
    least = -(1 << base.bit_size - 1) if base.encoding == "signed_fixed" else 0
    if not least <= multiple < least + (1 << base.bit_size):
        whole = int(number) if number.denominator == 1 else number
        raise UsageError(f"The type does not hold the number {spelled(whole)}.")
    return Bits(multiple & (1 << base.bit_size) - 1, base.bit_size)


def _literal(
    arithmetic: Arithmetic, literal: ast.Integer | ast.Floating, number: Fraction
) -> TypedValue:
    """Return the value of a literal with the sign of a number."""
    magnitude = arithmetic.numbers.literal(literal)
    return arithmetic.value(arithmetic.numbers.unary("-", magnitude) if number < 0 else magnitude)


def _record(type_: Type | None) -> Struct | None:
    """Return the record that a type is, of one whose size depends on discriminants the constant
    part; None for any other type."""
    bare = strip(type_)
    form = bare.form if isinstance(bare, Dynamic) else bare
    return form if isinstance(form, Struct) else None


def _is_same(one: Struct, other: Struct) -> bool:
    """Return whether two records are of one type, one of them perhaps with the size that an object
    has."""
    is_named = one.name is not None and one.name == other.name
    return is_same_class(one, other) or (is_named and _have_same_names(one, other))


def _have_same_names(one: Struct, other: Struct) -> bool:
    first, second = ([member.name for member in record.members] for record in (one, other))
    return first == second


def _of_ancestor(objects: ObjectAccess, value: TypedValue, target: Struct) -> TypedValue:
    """Return the part of a tagged object that has the components of a type from which its own is
    derived; the value itself if the type is none of them. Raise why an object is lost whose parts
    depend on it."""
    part = value
    for _ in range(MAX_CHAIN):
        record = _record(part.type)
        if record is None or _is_same(record, target):
            return part
        if not isinstance(strip(part.type), Struct):
            objects.known(part)
            return value
        parent = tagged_parent(record)
        if parent is None:
            return value
        part = objects.step(part, parent[0])
    return value


def _with_discriminants(
    objects: ObjectAccess, value: TypedValue, to: Typed, target: Struct
) -> TypedValue:
    """Return an object as one of a type whose size depends on its discriminants: they are those of
    the object (Ada 2012 4.6). `UsageError` for an object of an unrelated type."""
    record, unit = _record(value.type), to.unit or value.unit
    if record is not None and _is_same(record, target):
        return evolve(value, type=renamed(to.type, strip(value.type)), variable=None, unit=unit)
    if (
        record is not None
        and isinstance(objects, Unevaluated)
        and any(_is_same(record, parent) for parent, _ in tagged_records(target))
    ):
        return TypedValue(to.type, UNDEFINED_LOCATION, unit=unit)  # its tag was not readable
    if record is None or not _have_same_names(record, target) or value.location is None:
        raise UsageError(_INVALID)
    placed = objects.resolver.resolved(to.type, value.location, value.around)
    if size_bits(placed.type) != value.size_bits:
        raise UsageError(_INVALID)
    return evolve(value, type=placed.type, variable=None, unit=unit)
