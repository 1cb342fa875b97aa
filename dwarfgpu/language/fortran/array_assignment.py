"""Intrinsic assignment of Fortran to strings, and of scalars to arrays (Fortran 2018 10.2.1.3)."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.types import Array, strip
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.assignment import store
from dwarfgpu.language.evaluation_options import Options
from dwarfgpu.language.number_rules import NumberRules
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits

_BLANK: Final = b" "


def stored(
    arithmetic: Arithmetic,
    options: Options,
    target: TypedValue,
    value: TypedValue,
    rules: NumberRules | None,
) -> TypedValue:
    """Assign a value: a string gets blanks at its end or is cut, and each element of an array gets
    a scalar. Where elements become another number, one warning says so."""
    objects = arithmetic.objects
    to, is_scalar = strip(target.type), _is_scalar(value)
    if isinstance(objects, Unevaluated) or not isinstance(to, Array) or target.convenience:
        return store(arithmetic, options, target, value)
    if is_string(to):
        return store(arithmetic, options, target, _of_length(arithmetic, to, value))
    if not is_scalar or to.is_vector or None in to.dimensions:
        return store(arithmetic, options, target, value)
    objects.check_parts(prod(count or 0 for count in to.dimensions))
    value = evolve(objects.read(value), location=None, variable=None)
    elements = [*_elements(arithmetic, target)]
    kind = elements[0].type if elements else None
    if kind is not None and rules is not None and rules.applies(kind, value.type):
        rules.doubt_assigned(arithmetic.number(value), kind)
    values = [
        _of_length(arithmetic, strip(one.type), value) if is_string(one.type)
        else arithmetic.cast(value, one.type)
        for one in elements
    ]  # fmt: skip
    for one, own in zip(elements, values, strict=True):
        store(arithmetic, options, one, own)
    return objects.read(evolve(target, bits=None, pointer=None, error=None))


def _is_scalar(value: TypedValue) -> bool:
    return is_string(value.type) or not isinstance(strip(value.type), Array)


def _elements(arithmetic: Arithmetic, array: TypedValue) -> Iterator[TypedValue]:
    """Yield the elements of all dimensions."""
    bare = strip(array.type)
    if not isinstance(bare, Array) or is_string(bare):
        yield array
        return
    first = bare.lower_bound or 0
    for index in range(first, first + (bare.dimensions[0] or 0)):
        yield from _elements(arithmetic, arithmetic.objects.element(array, index))


def _of_length(arithmetic: Arithmetic, to: object, value: TypedValue) -> TypedValue:
    """Return a string as one of the length of another; any other value as it is."""
    count = to.dimensions[0] if isinstance(to, Array) else None
    if count is None or not isinstance(to, Array) or not is_string(value.type):
        return value
    endian = arithmetic.objects.context.endian
    text = arithmetic.objects.known(value).to_bytes(endian)[:count].ljust(count, _BLANK)
    bits = Bits(int.from_bytes(text, endian), 8 * count)
    return TypedValue(evolve(to, strides_bits=(), declared_bits=None), bits=bits, unit=value.unit)
