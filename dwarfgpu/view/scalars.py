"""Scalar values as GDB prints them: integers, floating point, enumerations, and `/x` and others.

Law: the functions get known bits only, at most `MAX_BITS`, so that their text is bounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import WeakKeyDictionary

from dwarfgpu.arch.model import FlagField
from dwarfgpu.base.base_type import BaseType, float_format, is_currency, truth
from dwarfgpu.base.bits import signed
from dwarfgpu.base.float_format import BFLOAT16, BINARY32, BINARY64, FloatFormat
from dwarfgpu.base.json_reader import is_decimal

if TYPE_CHECKING:
    from fractions import Fraction

    from dwarfgpu.dwarf.constants import Style
    from dwarfgpu.dwarf.types.types import Enum

E5M2: Final = FloatFormat("fp8 e5m2 (OCP)", 5, 2)
E4M3: Final = FloatFormat("fp8 e4m3 (OCP)", 4, 3)

_CURRENCY_DIGITS: Final = 19
"""Those of its 64 bits: all of the number."""
MAX_BITS: Final = 4_096
"""No scalar is wider; a type that says so is not read as a number."""
LONG_LONG_BITS: Final = 64
"""The size of the widest integer that is taken for an address or a character."""
TOO_WIDE: Final = "That operation is not available on integers of more than 8 bytes."


def hexadecimal(number: int, digits: int = 1) -> str:
    """Return `0x` and at least that many digits."""
    return f"{number:#0{digits + 2}x}"


def swapped(number: int, size_bits: int) -> int:
    """Return the number with its bytes reversed, if the byte order of the type is not that of the
    object."""
    return int.from_bytes(number.to_bytes((size_bits + 7) // 8, "little"), "big")


def flags_text(fields: Iterable[FlagField], number: int, unknown: int = 0) -> str:
    """Return `[ FP_ROUND.32=ZERO IEEE CSP=0 ]`, as GDB shows registers with flags.

    A single set bit is shown by its name; bits outside of all fields are shown as a number. Fields
    with unknown bits are replaced by `<unavailable>`.
    """
    words: list[str] = []
    remaining = number & ~unknown
    for field in fields:
        value = field.of(number)
        remaining &= ~field.mask
        if field.mask & unknown:
            continue
        if field.values:
            words.append(f"{field.name}={field.values[value] or value}")
        elif field.size_bits > 1:
            words.append(f"{field.name}={value}")
        elif value and field.name:  # a bit that is always set has none
            words.append(field.name)
    last_words = [
        *([hexadecimal(remaining)] if remaining else []),
        *(["<unavailable>"] if unknown else []),
    ]
    return " ".join(["[", *words, *last_words, "]"])


def general(number: int | Fraction, digits: int) -> str:
    """Format a number as C's `%.*g`, exactly."""
    if number == 0:
        return "0"
    context = Context(digits, ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999)
    rounded = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    sign, figures, _ = rounded.as_tuple()
    exponent = rounded.adjusted()
    text = "".join(str(figure) for figure in figures).rstrip("0")
    if exponent < -4 or exponent >= digits:
        mark = "-" if exponent < 0 else "+"
        text = text[0] + ("." + text[1:] if text[1:] else "") + f"e{mark}{abs(exponent):02}"
    elif exponent < 0:
        text = "0." + "0" * (-exponent - 1) + text
    else:
        integer_digits = text[: exponent + 1].ljust(exponent + 1, "0")
        text = integer_digits + ("." + text[exponent + 1 :] if text[exponent + 1 :] else "")
    return "-" + text if sign else text


def float_text(form: FloatFormat, bits: int) -> str:
    """Return a floating-point number with the digits that distinguish it from its neighbours."""
    if form is E4M3:
        return _e4m3_text(bits)
    if not form.is_valid(bits):
        return "<invalid float value>"
    number = form.decode(bits)
    sign = "-" if form.sign(bits) else ""
    if number == "nan":
        return f"{sign}nan({_payload_text(form, bits)})"
    if isinstance(number, str):
        return number
    return sign + "0" if number == 0 else general(number, _digits(form))


def _payload_text(form: FloatFormat, bits: int) -> str:
    """Return `0x8000000000000`: as in GDB the lower words, of 32 bits, have all their digits, and
    the bits that are left before them no leading zeros."""
    mantissa_bits = form.fraction_bits + form.explicit_integer_bit
    low_bits = (mantissa_bits - 1) // 32 * 32
    mantissa = bits & (1 << mantissa_bits) - 1
    low = f"{mantissa & (1 << low_bits) - 1:0{low_bits // 4}x}" if low_bits else ""
    return f"{mantissa >> low_bits:#x}{low}"


def _digits(form: FloatFormat) -> int:
    """Return the decimal digits of `%g` in GDB: 9 for float, 17 for double, 21 for x87."""
    return 1 + math.ceil((form.fraction_bits + 1) * math.log10(2))


def _e4m3_text(bits: int) -> str:
    """Format OCP e4m3, which has no infinity: the highest exponent encodes numbers and, with all
    bits set, NaN."""
    sign = "-" if bits & 0x80 else ""
    if bits & 0x7F == 0x7F:
        return f"{sign}nan(0x7)"
    if bits & 0x78 != 0x78:
        number = E4M3.decode(bits)
        assert not isinstance(number, str)
        return sign + "0" if number == 0 else general(number, _digits(E4M3))
    from fractions import Fraction

    return sign + general(Fraction((8 | bits & 7) << 5), _digits(E4M3))


def format_of(base: BaseType, size_bits: int) -> FloatFormat | None:
    """Return the format of a float, or of one element or half of a vector or complex type; None for
    a decimal one.

    Types whose name alone determines the format are supported here, for display: `__bf16`, e5m2,
    e4m3.
    """
    if base.encoding == "decimal_float":
        return None
    form = base.float_format
    own_bits = base.bit_size // (2 if base.encoding == "complex_float" else 1)
    if form is not None and (own_bits == size_bits or form.size_bits == size_bits):
        return form
    name = base.name.lower()
    if size_bits == 16 and ("bf16" in name or "bfloat" in name):
        return BFLOAT16
    if size_bits == 8 and "fnuz" not in name:
        return E5M2 if "e5m2" in name else E4M3 if "e4m3" in name else None
    return float_format(base.name, size_bits)


def raw(number: int, size_bits: int, why: str) -> str:
    """Return bits that cannot be read as a number of their type, and the reason."""
    return f"{hexadecimal(number, (size_bits + 3) // 4)} <{why}>"


def base_text(base: BaseType, number: int, size_bits: int, style: Style = "c") -> str:
    """Return the natural text of a base type that is neither vector nor character."""
    match base.encoding:
        case "boolean" if style == "fortran":
            return ".TRUE." if number else ".FALSE."  # as libgfortran writes it
        case "boolean":
            is_true = truth(base, number)
            return str(number) if is_true is None else ("false", "true")[is_true]
        case "signed" | "signed_char":
            return str(signed(number, size_bits))
        case "unsigned" | "unsigned_char" | "generic" | "UTF" | "UCS" | "ASCII":
            return str(number)
        case "address":
            return hexadecimal(number)
        case "float" | "imaginary_float":
            form = format_of(base, size_bits)
            if form is None:
                why = f"the name {base.name} does not determine the format of {size_bits} bits"
                return raw(number, size_bits, why)
            if style == "ada":
                return _with_point(float_text(form, number))
            return float_text(form, number) + ("i" if base.encoding == "imaginary_float" else "")
        case "signed_fixed" | "unsigned_fixed" if base.scale is not None:
            digits = _CURRENCY_DIGITS if is_currency(base) else 11 if size_bits < 32 else 17
            return general(fixed(base, number, size_bits), digits)
        case "signed_fixed" | "unsigned_fixed":
            return raw(number, size_bits, "its scale is missing")
        case encoding:
            return raw(number, size_bits, f"{encoding} is not decoded")


def fixed(base: BaseType, number: int, size_bits: int) -> Fraction:
    """Return the number that the bits of a fixed-point type are, which has a scale."""
    from fractions import Fraction  # few programs have such types

    value = signed(number, size_bits) if base.encoding == "signed_fixed" else number
    assert base.scale is not None
    return value * Fraction(base.scale)


def whole_part(base: BaseType, number: int, size_bits: int) -> int:
    """Return the bits of the integer to which the letters that show integers round a fixed-point
    number, as GDB: the one next to it towards 0."""
    return int(fixed(base, number, size_bits)) & (1 << size_bits) - 1


def _with_point(text: str) -> str:
    """Return a number with a point, as Ada's have: `1.0`, `1.0e+30`."""
    digits, mark, exponent = text.partition("e")
    if "." in digits or not is_decimal(digits.lstrip("-")):
        return text
    return f"{digits}.0{mark}{exponent}"


def complex_text(
    base: BaseType, first: int, second: int, half_bits: int, style: Style = "c"
) -> str:
    """Return `1.5 + -2i`; in Fortran `(1.5,-2)`."""
    form = format_of(base, half_bits)
    if form is None:
        return raw(first, half_bits, "real part") + " + " + raw(second, half_bits, "imaginary part")
    real, imaginary = float_text(form, first), float_text(form, second)
    return f"({real},{imaginary})" if style == "fortran" else f"{real} + {imaginary}i"


_Enumerators: TypeAlias = tuple[Mapping[int, str], tuple[tuple[int, str], ...] | None]
"""Names by their bits, and the flags in declaration order if it is an enumeration of flags."""
_KNOWN: Final[WeakKeyDictionary[Enum, _Enumerators]] = WeakKeyDictionary()


def _enumerators_of(kind: Enum) -> _Enumerators:
    known = _KNOWN.get(kind)
    if known is None:
        known = _KNOWN[kind] = _enumerators(kind)
    return known


def _enumerators(kind: Enum) -> _Enumerators:
    from dwarfgpu.dwarf.names.fortran_ada import enumerator_text  # operations have no types
    from dwarfgpu.dwarf.names.type_names import enumerator_scope

    bits = kind.value_bits
    mask = (1 << bits) - 1
    names: dict[int, str] = {}
    is_flags, scope = not kind.has_negative, enumerator_scope(kind)
    for name, value in kind.enumerators:
        if not -(1 << bits) <= 2 * value <= 2 * mask:
            continue  # no value of the type is that
        is_flags = is_flags and value & value - 1 == 0
        names.setdefault(value & mask, enumerator_text(scope + name, value))
    return names, tuple(names.items()) if is_flags else None


def enum_text(kind: Enum, number: int) -> str:
    """Return `GREEN`; `(A | B)` if every enumerator is one bit; otherwise the number."""
    names, flags = _enumerators_of(kind)
    name = names.get(number)
    if name is not None:
        return name
    if flags is None:
        return str(signed(number, kind.value_bits) if kind.has_negative else number)
    if not number:
        return "0"
    shown = [name for flag, name in flags if number & flag]
    for flag, _ in flags:
        number &= ~flag
    if number:
        shown.append(f"unknown: {hexadecimal(number)}")
    return f"({' | '.join(shown)})"


def nibbles_text(number: int, separator: str = " ", *, size_bits: int = 0) -> str:
    """Return `0100 1101`: binary in groups of four digits, as many as the number needs; further
    zeros up to a size are not grouped, as in GDB."""
    if not number:
        return "0".zfill(size_bits)
    text = f"{number:b}"
    text = text.zfill(-(-len(text) // 4) * 4)
    groups = [text[start : start + 4] for start in range(0, len(text), 4)]
    return "0" * (size_bits - len(text)) + separator.join(groups)


def lettered(letter: str, number: int, size_bits: int, *, is_signed: bool) -> str:
    """Format bits by a letter that depends on size and sign only: x d u o t z."""
    match letter:
        case "d":
            return str(signed(number, size_bits))
        case "u":
            return str(number)
        case "o":
            return f"0{number:o}" if number else "0"
        case "t":
            return f"{number:b}"
        case "z":
            return hexadecimal(number, (size_bits + 3) // 4)
        case "f":
            form = {32: BINARY32, 64: BINARY64}.get(size_bits)
            if form is not None:
                return float_text(form, number)
            return str(signed(number, size_bits) if is_signed else number)
        case _:
            return hexadecimal(number)
