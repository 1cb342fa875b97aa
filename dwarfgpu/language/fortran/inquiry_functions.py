"""Intrinsic functions of Fortran that ask for the model of a number, whatever its value is (Fortran
2018 16.4, 16.9)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor, log10
from typing import Final

from dwarfgpu.base.float_format import FloatFormat
from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.type_sizes import size_bits, unpacked
from dwarfgpu.dwarf.types.types import Absent, Array, Dynamic, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import Number
from dwarfgpu.language.complexes import complex_part, is_complex
from dwarfgpu.language.fortran.intrinsics import Arguments, Intrinsic, integer, number_of, wrapped
from dwarfgpu.language.function_context import FunctionContext
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import Value

_OF_REALS: Final[dict[str, Callable[[FloatFormat], Fraction]]] = {
    "EPSILON": lambda form: Fraction(1, 1 << form.fraction_bits),
    "HUGE": lambda form: (
        Fraction((2 << form.fraction_bits) - 1) * 2 ** (form.bias - form.fraction_bits)
    ),
    "TINY": lambda form: Fraction(1, 1 << form.bias - 1),
}
_EXPONENTS: Final[dict[str, Callable[[FloatFormat], int]]] = {
    "MAXEXPONENT": lambda form: form.bias + 1,
    "MINEXPONENT": lambda form: 2 - form.bias,
}
_DECIMAL: Final = log10(2)


def _model(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return a number that the type of the argument has: HUGE, TINY or EPSILON."""
    number = _number(context, arguments[0], name)
    form = number.value.type.float_format
    if not number.is_float or form is None:
        if name != "HUGE":
            raise UsageError(f"argument to {name} must be of type float")
        return wrapped(context, (1 << number.value.type.bit_size - 1) - 1, number)
    bits = form.encode(_OF_REALS[name](form))
    return context.arithmetic.value(Number(Value(bits, number.value.type), number.type))


def _exponent(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    number = _number(context, arguments[0], name)
    form = number.value.type.float_format
    if not number.is_float or form is None:
        raise UsageError(f"argument to {name} must be of type float")
    return integer(context, _EXPONENTS[name](form))


def _digits(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    return integer(context, _bits(_number(context, arguments[0], name)))


def _bits(number: Number) -> int:
    """Return how many binary digits the model of a number has."""
    form = number.value.type.float_format
    if not number.is_float or form is None:
        return number.value.type.bit_size - 1
    return form.fraction_bits + 1


def _precision(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    number = _real_part(context, arguments, name)
    if not number.is_float:
        raise UsageError(f"argument to {name} must be of type float")
    return integer(context, floor((_bits(number) - 1) * _DECIMAL))


def _range(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    number = _real_part(context, arguments, name)
    form = number.value.type.float_format
    if not number.is_float or form is None:
        return integer(context, floor(_bits(number) * _DECIMAL))
    return integer(context, floor((form.bias - 1) * _DECIMAL))


def _radix(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    _number(context, arguments[0], name)
    return integer(context, 2)


def _bit_size(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    number = _number(context, arguments[0], name)
    if number.is_float:
        raise UsageError(f"{name} is of integers")
    return wrapped(context, number.value.type.bit_size, number)


def _number(context: FunctionContext, value: TypedValue, name: str) -> Number:
    """Return a number of the type of a value, or of its elements."""
    return number_of(context, _element(value), name)


def _element(value: TypedValue) -> TypedValue:
    """Return an element of an array, whose value is not read; any other value as it is."""
    bare = strip(value.type)
    form = bare.form if isinstance(bare, Dynamic | Absent) else bare
    if not isinstance(form, Array) or is_string(form):
        return value
    element = None if form.element is None else unpacked(form.element)
    return TypedValue(element, bits=Bits(0, size_bits(element) or 0), unit=value.unit)


def _real_part(context: FunctionContext, arguments: Arguments, name: str) -> Number:
    """Return a number, of a complex one its real part."""
    value = _element(arguments[0])
    whole = complex_part(context.objects, value, 0) if is_complex(value.type) else value
    return number_of(context, whole, name)


INQUIRIES: Final = {
    name.lower(): Intrinsic(name, function, "i" if name == "BIT_SIZE" else "x", asks_type=True)
    for name, function in (
        ("BIT_SIZE", _bit_size), ("DIGITS", _digits), ("EPSILON", _model), ("HUGE", _model),
        ("MAXEXPONENT", _exponent), ("MINEXPONENT", _exponent), ("PRECISION", _precision),
        ("RADIX", _radix), ("RANGE", _range), ("TINY", _model),
    )
}  # fmt: skip
"""Keyed by their names in lower case."""

NOT_EVALUATED: Final = frozenset({
    "acos", "acosh", "adjustl", "adjustr", "aint", "all", "anint", "any", "asin",
    "asinh", "atan", "atan2", "atanh", "bessel_j0", "bessel_j1", "bessel_jn", "bessel_y0",
    "bessel_y1", "bessel_yn", "bge", "bgt", "ble", "blt", "c_loc", "c_sizeof",
    "command_argument_count", "cos", "cosh", "count", "cshift", "dot_product", "dprod",
    "dshiftl", "dshiftr", "eoshift", "erf", "erfc", "erfc_scaled", "exp", "exponent",
    "extends_type_of", "findloc", "fraction", "gamma", "hypot", "iall", "iany", "ibclr",
    "ibits", "ibset", "image_index", "index", "iparity", "is_contiguous", "is_iostat_end",
    "is_iostat_eor", "ishftc", "leadz", "lge", "lgt", "lle", "llt", "log", "log10",
    "log_gamma", "logical", "maskl", "maskr", "matmul", "maxloc", "maxval", "merge",
    "merge_bits", "minloc", "minval", "nearest", "new_line", "norm2", "null", "num_images",
    "out_of_range", "pack", "parity", "popcnt", "poppar", "present", "product", "reduce",
    "repeat", "reshape", "rrspacing", "same_type_as", "scale", "scan", "selected_char_kind",
    "selected_int_kind", "selected_real_kind", "set_exponent", "shifta", "shiftl", "shiftr",
    "sin", "sinh", "spacing", "spread", "storage_size", "sum", "tan", "tanh", "this_image",
    "trailz", "transfer", "transpose", "trim", "unpack", "verify",
})  # fmt: skip
"""The other functions of Fortran 2018 (16.7), which an error names."""
