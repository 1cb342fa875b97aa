"""Intrinsic functions of Fortran on numbers, bits and characters that GDB does not evaluate
(Fortran 2018 16.9), with the types that gfortran gives them."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import fortran_name, is_string
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    BareType,
    Base,
    Dynamic,
    Pointer,
    Type,
    declared_name,
    strip,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_integer, width
from dwarfgpu.language.complexes import complex_part, is_complex, joined_as, parts_of
from dwarfgpu.language.fortran.intrinsics import (
    Arguments,
    Intrinsic,
    integer,
    integer_of,
    is_given,
    kind_argument,
    number_of,
    wrapped,
)
from dwarfgpu.language.fortran.types import intrinsic_type
from dwarfgpu.language.function_context import FunctionContext
from dwarfgpu.language.syntax import literals
from dwarfgpu.language.syntax.ast import String
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated

_MOST_ARGUMENTS: Final = 100
_NUMBERED: Final = " ".join(f"a{number}" for number in range(1, _MOST_ARGUMENTS + 1))
"""The keywords of MAX and MIN, `a1 a2 a3` and so on (Fortran 2018 16.9.125)."""
_HIGHEST_CODE: Final = 255
_HALF: Final = Fraction(1, 2)


# Numbers


def _alike(context: FunctionContext, arguments: Arguments, name: str) -> list[Number]:
    """Return integers or real numbers in the largest of their kinds, as gfortran has them:
    the standard allows no two. `UsageError` for integers beside real numbers."""
    numbers = [_number(context, argument, name) for argument in arguments]
    if len({number.is_float for number in numbers}) > 1:
        raise UsageError(f"{name} is of numbers of one type, not of integers and real numbers")
    widest = max(numbers, key=width)
    return [context.arithmetic.numbers.cast(number, widest.type) for number in numbers]


def _number(context: FunctionContext, operand: TypedValue, name: str) -> Number:
    """Return an integer or a real number; `UsageError` with the name of any other type."""
    shown = declared_name(strip(operand.type)) or fortran_name(operand.type)
    return number_of(context, operand, name, f"{name} of type {shown} not supported")


def _order(number: Number) -> Fraction | float:
    form = number.value.type.float_format
    if not number.is_float or form is None:
        return Fraction(number.value.integer)
    exact = form.decode(number.value.bits)
    return {"inf": math.inf, "-inf": -math.inf}.get(exact, 0) if isinstance(exact, str) else exact


def _is_nan(number: Number) -> bool:
    form = number.value.type.float_format
    return number.is_float and form is not None and "nan" in str(form.decode(number.value.bits))


def _extreme(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return MAX or MIN, of numbers that are not NaN, unless all are, or of strings."""
    written = [argument for index, argument in enumerate(arguments) if is_given(arguments, index)]
    if all(is_string(argument.type) for argument in written):
        return _extreme_text(context, written, name)
    numbers = _alike(context, written, name)
    ordered = [number for number in numbers if not _is_nan(number)] or numbers[:1]
    chosen = max(ordered, key=_order) if name == "MAX" else min(ordered, key=_order)
    return context.arithmetic.value(chosen)


def _extreme_text(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return the first or the last string in the order of the characters, with blanks behind it to
    the length of the longest one (Fortran 2018 16.9.126)."""
    texts = [_text(context, argument, name) for argument in arguments]
    if isinstance(context.objects, Unevaluated):
        texts = [b" " * (_string_type(context, one, name).dimensions[0] or 0) for one in arguments]
    longest = max(map(len, texts))
    padded = [text.ljust(longest, b" ") for text in texts]
    chosen = max(padded) if name == "MAX" else min(padded)
    written = String(tuple(chosen), is_counted=True)
    return literals.text(context.names, context.arithmetic.numbers, written, cplusplus=False)


def _nearest(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return NINT: of two integers that are as near the one that is not towards 0."""
    number = _number(context, arguments[0], name)
    form = number.value.type.float_format
    exact = form.decode(number.value.bits) if number.is_float and form is not None else None
    if exact is None:
        raise UsageError(f"argument to {name} must be of type float")
    kind = kind_argument(context, arguments, 1)
    if isinstance(context.objects, Unevaluated):
        return integer(context, 0, kind)
    if isinstance(exact, str):
        raise UsageError(f"{name} of {exact} is no integer")
    magnitude = math.floor(abs(exact) + _HALF)
    return integer(context, -magnitude if exact < 0 else magnitude, kind)


def _with_sign(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return SIGN: the magnitude of one number with the sign of another."""
    of, sign = _alike(context, arguments, name)
    form = of.value.type.float_format
    if not of.is_float or form is None:
        magnitude = abs(of.value.integer)
        return integer_of(context, -magnitude if sign.value.integer < 0 else magnitude, of)
    is_same = bool(form.sign(of.value.bits)) == bool(form.sign(sign.value.bits))
    return context.arithmetic.value(of if is_same else Number(-of.value, of.type))


def _difference(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return DIM: how much one number is larger than another, or 0."""
    left, right = _alike(context, arguments, name)
    arithmetic = context.arithmetic
    if not _is_nan(left) and not _is_nan(right) and _order(left) <= _order(right):
        return arithmetic.value(arithmetic.numbers.cast(arithmetic.numbers.integer(0), left.type))
    if not left.is_float:
        return integer_of(context, left.value.integer - right.value.integer, left)
    return arithmetic.value(Number(arithmetic.numbers.binary("-", left, right).value, left.type))


def _conjugate(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    (operand,) = arguments
    if not is_complex(operand.type):
        raise UsageError(f"argument to {name} must be of type complex")
    real, imaginary = parts_of(context.arithmetic, operand)
    part = complex_part(context.objects, operand, 0).type
    assert isinstance(part, Base)
    negated = Number(-imaginary.value, imaginary.type)
    return joined_as(context.arithmetic, real, negated, operand.type, part)


def _double(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    arithmetic = context.arithmetic
    part = parts_of(arithmetic, arguments[0])[0]
    to = intrinsic_type(context.names.builtins, "real", 8)
    return arithmetic.cast(arithmetic.value(part), to)


# Bits


def _integers_alike(context: FunctionContext, arguments: Arguments, name: str) -> list[Number]:
    if not all(is_integer(argument.type) for argument in arguments):
        raise UsageError(f"{name} is of integers")
    return _alike(context, arguments, name)


def _of_bits(
    operator: str, context: FunctionContext, arguments: Arguments, name: str
) -> TypedValue:
    """Return IAND, IOR or IEOR."""
    left, right = _integers_alike(context, arguments, name)
    a, b = left.value.integer, right.value.integer
    return integer_of(context, {"&": a & b, "|": a | b, "^": a ^ b}[operator], left)


def _inverted(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    (number,) = _integers_alike(context, arguments, name)
    return integer_of(context, ~number.value.integer, number)


def _position(
    context: FunctionContext, arguments: Arguments, name: str, *, least: bool
) -> tuple[Number, int]:
    """Return an integer and the number of bits in the second argument; `UsageError` for one that
    the integer has not."""
    _integers_alike(context, arguments, name)
    number, second = (context.arithmetic.number(argument) for argument in arguments)
    size, bits = number.value.type.bit_size, second.value.integer
    low, high = (-size, size) if least else (0, size - 1)
    if not low <= bits <= high:
        if isinstance(context.objects, Unevaluated):
            return number, 0
        raise UsageError(f"the second argument of {name} is from {low} to {high} here")
    return number, bits


def _shifted(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return ISHFT: to the left, or to the right by a negative number, without a sign."""
    number, count = _position(context, arguments, name, least=True)
    bits = number.value.bits & (1 << number.value.type.bit_size) - 1
    return wrapped(context, bits << count if count >= 0 else bits >> -count, number)


def _is_set(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    number, bit = _position(context, arguments, name, least=False)
    return context.truth(bool(number.value.bits >> bit & 1))


# Characters


def _text(context: FunctionContext, value: TypedValue, name: str) -> bytes:
    """Return the characters of a string; `UsageError` with the reason for anything else."""
    value = _target(context, value)
    string = _string_type(context, value, name)
    if string is not strip(value.type) and not isinstance(strip(value.type), Dynamic):
        raise UsageError(f"{name} of an array is not supported: give it an element")
    if isinstance(context.objects, Unevaluated):
        return b" "
    return context.objects.known(value).to_bytes(context.arithmetic.numbers.endian)


def _target(context: FunctionContext, value: TypedValue) -> TypedValue:
    """Return the string that is allocated or pointed to; any other value as it is."""
    bare = strip(value.type)
    if not isinstance(bare, Pointer):
        return value
    if isinstance(context.objects, Unevaluated):
        return evolve(value, type=bare.target)
    return context.objects.read(context.objects.dereferenced(value))


def _string_type(context: FunctionContext, value: TypedValue, name: str) -> Array:
    """Return the type of a string, or of the elements of an array of strings; `UsageError` for any
    other value."""
    form = _form(value.type)
    if isinstance(form, Array) and not is_string(form):
        form = _form(form.element)
    if isinstance(form, Array) and is_string(form):
        return form
    while isinstance(form, Array):
        form = _form(form.element)
    if (declared_name(form) or "").startswith("character(kind="):
        raise UsageError(f"{name} of characters of kind 4 is not supported")
    error = context.objects.read(value).error
    raise error or UsageError(f"argument to {name} must be of type character")


def _form(type_: Type | None) -> BareType | None:
    bare = strip(type_)
    return bare.form if isinstance(bare, Dynamic | Absent) else bare


def _length(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return LEN, or LEN_TRIM: without the blanks at the end."""
    kind = kind_argument(context, arguments, 1)
    if name == "LEN":
        value = _target(context, arguments[0])
        (count,) = _string_type(context, value, name).dimensions
        if count is not None:
            return integer(context, count, kind)
    text = _text(context, arguments[0], name)
    return integer(context, len(text if name == "LEN" else text.rstrip(b" ")), kind)


def _code(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    text = _text(context, arguments[0], name)
    if len(text) != 1:
        raise UsageError(f"argument to {name} must have the length 1, not {len(text)}")
    return integer(context, text[0], kind_argument(context, arguments, 1))


def _character(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return CHAR or ACHAR: the character of a code, which gfortran has beyond ASCII, too."""
    if not is_integer(arguments[0].type):
        raise UsageError(f"argument to {name} must be of type integer")
    intrinsic_type(context.names.builtins, "character", kind_argument(context, arguments, 1))
    code = context.arithmetic.number(arguments[0]).value.integer
    if isinstance(context.objects, Unevaluated):
        code = 0
    if not 0 <= code <= _HIGHEST_CODE:
        raise UsageError(f"the argument of {name} is from 0 to {_HIGHEST_CODE}")
    written = String((code,), is_counted=True)
    return literals.text(context.names, context.arithmetic.numbers, written, cplusplus=False)


ELEMENTAL: Final = {
    intrinsic.name.lower(): intrinsic
    for intrinsic in (
        Intrinsic("ACHAR", _character, "i kind", most=2),
        Intrinsic("BTEST", _is_set, "i pos", least=2, most=2),
        Intrinsic("CHAR", _character, "i kind", most=2),
        Intrinsic("CONJG", _conjugate, "z"),
        Intrinsic("DBLE", _double),
        Intrinsic("DIM", _difference, "x y", least=2, most=2),
        Intrinsic("IACHAR", _code, "c kind", most=2),
        Intrinsic("IAND", partial(_of_bits, "&"), "i j", least=2, most=2),
        Intrinsic("ICHAR", _code, "c kind", most=2),
        Intrinsic("IEOR", partial(_of_bits, "^"), "i j", least=2, most=2),
        Intrinsic("IOR", partial(_of_bits, "|"), "i j", least=2, most=2),
        Intrinsic("ISHFT", _shifted, "i shift", least=2, most=2),
        Intrinsic("LEN", _length, "string kind", most=2),
        Intrinsic("LEN_TRIM", _length, "string kind", most=2),
        Intrinsic("MAX", _extreme, _NUMBERED, least=2, most=_MOST_ARGUMENTS),
        Intrinsic("MIN", _extreme, _NUMBERED, least=2, most=_MOST_ARGUMENTS),
        Intrinsic("NINT", _nearest, "a kind", most=2),
        Intrinsic("NOT", _inverted, "i"),
        Intrinsic("SIGN", _with_sign, "a b", least=2, most=2),
    )
}
"""Keyed by their names in lower case."""
