"""The properties of the basic types of D besides `sizeof` (spec/property; spec/type, "Basic Data
Types")."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.float_format import FloatFormat, Special
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import Unsupported
from dwarfgpu.language.builtin_types import Builtins
from dwarfgpu.language.d.types import keyword_type
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits

_CHARACTERS: Final = ("char", "wchar", "dchar")
_LAST_CODE_POINT: Final = 0x10FFFF


def property_of(builtins: Builtins, type_: Type | None, name: str) -> TypedValue:
    """Return the property of a name of a basic type; `Unsupported` for one that it has not."""
    bare = strip(type_)
    if isinstance(bare, Base) and bare.base.vector_size is None:
        form = bare.base.float_format if bare.base.encoding == "float" else None
        if form is None:
            bits = _bits_of_integers(bare.base, name)
            if bits is not None:
                return TypedValue(type_, bits=Bits(bits, bare.base.bit_size))
        elif (number := real_property(form, name)) is not None:
            if isinstance(number, int):
                kind = keyword_type(builtins, "int")
                return TypedValue(kind, bits=Bits(number & 0xFFFFFFFF, 32))
            bits = form.encode(number) if isinstance(number, Fraction) else _special(form, number)
            return TypedValue(type_, bits=Bits(bits, bare.base.bit_size))
    spelled = "void" if type_ is None else type_name(type_)
    raise Unsupported(f"the property {name} of {spelled} is not supported in expressions")


def _bits_of_integers(base: BaseType, name: str) -> int | None:
    """Return the bits of a property of integers, characters or Booleans; None of another name."""
    ones = (1 << base.bit_size) - 1
    if base.encoding == "boolean":
        return {"min": 0, "max": 1, "init": 0}.get(name)
    if base.name in _CHARACTERS:  # gdc describes a byte as a character
        greatest = min(ones, _LAST_CODE_POINT)
        initial = min(ones, 0xFFFF)  # no character
        return {"min": 0, "max": greatest, "init": initial}.get(name)
    half = 1 << base.bit_size - 1
    least, most = (half, half - 1) if base.is_signed else (0, ones)
    return {"min": least, "max": most, "init": 0}.get(name)


def real_property(form: FloatFormat, name: str) -> Fraction | Special | int | None:
    """Return a property of a real type: an integer where that is of the type `int`; None of
    another name. Those of the C standard have the same numbers (C17 5.2.4.2.2)."""
    digits = form.fraction_bits + 1
    greatest = (2 - Fraction(1, 1 << digits - 1)) * (1 << form.bias)
    least = Fraction(1, 1 << form.bias - 1)
    match name:
        case "init" | "nan":
            return "nan"
        case "infinity":
            return "inf"
        case "max":
            return greatest
        case "min_normal":
            return least
        case "epsilon":
            return Fraction(1, 1 << digits - 1)
        case "mant_dig":
            return digits
        case "max_exp":
            return form.bias + 1
        case "min_exp":
            return 2 - form.bias
        case "dig":
            return _power_of_ten(1 << digits - 1)
        case "max_10_exp":
            return _power_of_ten(int(greatest))
        case "min_10_exp":
            return -_power_of_ten(int(1 / least))
        case _:
            return None


def _power_of_ten(number: int) -> int:
    """Return the exponent of the greatest power of 10 that is at most a number."""
    exponent = (number.bit_length() - 1) * 3 // 10  # less than the logarithm of 2
    while 10 ** (exponent + 1) <= number:
        exponent += 1
    return exponent


def _special(form: FloatFormat, number: Special) -> int:
    return form.nan() if number == "nan" else form.infinity()
