"""Conversions of OpenCL C that are functions: `convert_uchar4_sat_rte(v)` (OpenCL C 3.0, 6.4.3) and
`as_float(x)` (6.4.4).

Law: where OpenCL C leaves the result of a conversion undefined, there is none. A bool is promoted
to an int, as an argument of functions that take numbers, and is no type of 6.4.4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from dwarfgpu.base.pattern import pattern
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import EvaluationError, UsageError, counted
from dwarfgpu.language.arithmetic_conversions import Number, is_boolean, is_number
from dwarfgpu.language.function_context import FunctionContext
from dwarfgpu.language.gpu_builtins import is_free
from dwarfgpu.language.opencl.types import SCALARS_AND_VECTORS, opencl_type
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.vectors import contents, elements_of, is_vector, joined, vector_form
from dwarfgpu.model.value import Value

if TYPE_CHECKING:
    from fractions import Fraction

    from dwarfgpu.base.float_format import FloatFormat

_CONVERT: Final = pattern(
    "convert_(?P<type>[a-z]+[0-9]*)(?P<saturated>_sat)?(?:_rt(?P<rounding>[ezpn]))?"
)
_AS: Final = pattern("as_(?P<type>[a-z]+[0-9]*)")
_TO_INTEGER: Final[dict[str, Callable[[Fraction], int]]] = {
    "e": round, "z": math.trunc, "p": math.ceil, "n": math.floor
}  # fmt: skip
"""To the nearest, ties to even; toward zero; toward positive and toward negative infinity."""
_FLOATING: Final = ("half", "float", "double")


def names_of_conversions(word: str) -> Iterator[str]:
    """Yield the names that begin with a word; those with a rounding or saturation only where it
    goes on beyond the type: each type has nine of them."""
    for kind in SCALARS_AND_VECTORS:
        plain = f"convert_{kind}"
        yield from (name for name in (f"as_{kind}", plain) if name.startswith(word))
        if word.startswith(f"{plain}_"):
            saturations = ("",) if kind.startswith(_FLOATING) else ("", "_sat")
            for saturated in saturations:
                for rounding in ("", *(f"_rt{letter}" for letter in _TO_INTEGER)):
                    name = f"{plain}{saturated}{rounding}"
                    if name.startswith(word):
                        yield name


class Converting(FunctionContext, Protocol):
    """What evaluates a call; `dwarfgpu.language.evaluator.Evaluator` does."""

    def report(self, doubt: str) -> None: ...


def conversion(
    evaluation: Converting, name: str
) -> Callable[[list[TypedValue]], TypedValue] | None:
    """Return the function of a name; None for other names, and where the program defines it."""
    match = _CONVERT.fullmatch(name) or _AS.fullmatch(name)
    if match is None:
        return None
    kind = opencl_type(evaluation.names.builtins, match["type"])
    if kind is None or not is_free(evaluation.names.meaning(name)):
        return None
    return partial(_called, evaluation, match, kind)


def _called(
    evaluation: Converting, match: re.Match[str], kind: Type, arguments: list[TypedValue]
) -> TypedValue:
    name = match[0]
    if len(arguments) != 1:
        raise UsageError(f"{name} takes one argument")
    (value,) = arguments
    element = vector_form(value.type)[0] if is_vector(value.type) else value.type
    is_reinterpreted = name.startswith("as_")
    is_accepted = is_number(element) and not (is_boolean(element) and is_reinterpreted)
    if not is_accepted:
        raise UsageError(f"{name} takes a number or a vector of numbers")
    if is_reinterpreted:
        return _reinterpreted(evaluation, name, value, kind)
    return _converted(evaluation, match, value, kind)


def _shape(type_: Type | None) -> tuple[Type | None, int]:
    return vector_form(type_) if is_vector(type_) else (type_, 1)


def _reinterpreted(evaluation: Converting, name: str, value: TypedValue, kind: Type) -> TypedValue:
    """Return the same bits as another type; beyond the elements of the operand there are none."""
    arithmetic, endian = evaluation.arithmetic, evaluation.objects.context.endian
    (own, own_count), (element, count) = _shape(value.type), _shape(kind)
    own_bits, element_bits = size_bits(own) or 0, size_bits(element) or 0
    sizes = [bits * (4 if number == 3 else number) // 8  # as in memory (6.1.5)
             for bits, number in ((own_bits, own_count), (element_bits, count))]  # fmt: skip
    if sizes[0] != sizes[1]:
        raise UsageError(f"{name} takes {counted(sizes[1], 'byte')}, not {sizes[0]}")
    is_defined = count == own_count or (own_count, count) == (4, 3)
    if not is_defined and not isinstance(evaluation.objects, Unevaluated):
        evaluation.report(
            f"{name} of {counted(own_count, 'element')}: OpenCL leaves the result to the "
            "implementation, and clang's has the same bytes"
        )
    if is_vector(value.type):
        bits = contents(evaluation.objects, value)
    else:
        bits = arithmetic.numbers.bits(arithmetic.number(value))
    bits = bits.slice(0, own_count * own_bits, endian).slice(0, count * element_bits, endian)
    return TypedValue(kind, bits=joined([bits], kind, endian), unit=value.unit)


def _converted(
    evaluation: Converting, match: re.Match[str], value: TypedValue, kind: Type
) -> TypedValue:
    name, arithmetic = match[0], evaluation.arithmetic
    (_, own_count), (element, count) = _shape(value.type), _shape(kind)
    if own_count != count:
        wanted = "a number" if count == 1 else f"a vector of {count} elements"
        raise UsageError(f"{name} takes {wanted}")
    bare = strip(element)
    assert isinstance(bare, Base)
    if bare.base.encoding == "float" and match["saturated"]:
        raise UsageError(f"{name}: only conversions to integers have _sat")
    parts = elements_of(arithmetic, value, value) if is_vector(value.type) else [value]
    sources = [arithmetic.number(part) for part in parts]
    if is_boolean(value.type):
        sources = [arithmetic.numbers.promoted(source) for source in sources]
    results = [_number(evaluation, match, source, bare) for source in sources]
    if not is_vector(kind):
        return TypedValue(kind, bits=arithmetic.numbers.bits(results[0]), unit=value.unit)
    bits = [arithmetic.numbers.bits(result) for result in results]
    endian = evaluation.objects.context.endian
    return TypedValue(kind, bits=joined(bits, kind, endian), unit=value.unit)


def _number(evaluation: Converting, match: re.Match[str], number: Number, to: Base) -> Number:
    numbers, source, rounding = evaluation.arithmetic.numbers, number.value, match["rounding"]
    base, form = numbers.plain(to.base), number.value.type.float_format
    if base.float_format is not None:
        if form == base.float_format:
            return Number(Value(source.bits, base), to)
        exact = source.integer if form is None else form.decode(source.bits)
        if rounding in (None, "e") or isinstance(exact, str):
            return numbers.cast(number, to)
        sign = 0 if form is None else form.sign(source.bits)
        return Number(Value(_rounded(base.float_format, exact, sign, rounding), base), to)
    least, most = (-1 << base.bit_size - 1, (1 << base.bit_size - 1) - 1)
    if not base.is_signed:
        least, most = 0, (1 << base.bit_size) - 1
    if form is None:
        whole = source.integer  # C 6.3.1.3: modulo; clang's is that of signed types, too
    else:
        exact = form.decode(source.bits)
        if isinstance(exact, str):
            whole = {"nan": 0, "inf": most + 1, "-inf": least - 1}[exact]
        else:
            whole = _TO_INTEGER[rounding or "z"](exact)
        if not match["saturated"] and (exact == "nan" or not least <= whole <= most):
            raise EvaluationError(
                f"{match[0]} of {form.to_float(source.bits):g}: the type does not hold it, and "
                "OpenCL leaves the result open without _sat"
            )
    if match["saturated"]:
        whole = max(least, min(whole, most))
    return Number(Value.of(whole, base), to)


def _rounded(form: FloatFormat, exact: Fraction | int, sign: int, rounding: str) -> int:
    """Return the bits of a number rounded toward zero or an infinity; `sign` is that of a zero."""
    from fractions import Fraction  # few expressions have any

    number = Fraction(exact)
    bits = form.encode(number, sign)
    nearest = form.decode(bits)
    is_outward = rounding == ("n" if number < 0 else "p")
    is_beyond = isinstance(nearest, str) or abs(nearest) > abs(number)
    if is_outward and not is_beyond and nearest != number:
        return bits + 1  # which is that of the next number, or infinity
    return bits - 1 if is_beyond and not is_outward else bits
