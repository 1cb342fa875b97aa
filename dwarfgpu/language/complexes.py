"""Complex numbers (C 6.2.5, Annex G): pairs of numbers, as GDB calculates with them."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Base, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import Number, is_number
from dwarfgpu.language.c_numbers import NOT_A_NUMBER, not_comparable
from dwarfgpu.language.fortran.types import intrinsic_type
from dwarfgpu.language.kinds_of_operands import OperandKind, Operators
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import concatenate


def is_complex(type_: Type | None) -> bool:
    """Return whether it is a complex type of C."""
    bare = strip(type_)
    return isinstance(bare, Base) and bare.base.encoding == "complex_float"


def parts_of(arithmetic: Operators, value: TypedValue) -> tuple[Number, Number]:
    """Return the real and the imaginary part; for a real number, itself and 0."""
    bare = strip(value.type)
    if not is_complex(bare):
        number = arithmetic.number(value)
        return number, arithmetic.numbers.integer(0)
    assert isinstance(bare, Base)
    bits = arithmetic.objects.known(value)
    half = bits.size_bits // 2
    name = bare.base.name.replace("_Complex", "").replace("complex", "").strip() or "float"
    part = Base(evolve(bare.base, name=name, encoding="float", bit_size=half))
    real, imaginary = (
        arithmetic.numbers.of(part, bits.slice(bit_offset, half, bare.base.endian))
        for bit_offset in (0, half)
    )
    return real, imaginary


def complex_part(objects: ObjectAccess, value: TypedValue, index: int) -> TypedValue:
    """Return the real part of an object of Fortran, index 0, or the imaginary one."""
    bare = strip(value.type)
    assert isinstance(bare, Base)
    half, name = bare.base.bit_size // 2, bare.base.name.replace("complex", "real")
    part = Base(evolve(bare.base, name=name, encoding="float", bit_size=half))
    return objects.part(value, part, index * half)


def imaginary(arithmetic: Operators, number: Number) -> TypedValue:
    """Return i times a real floating number."""
    part = strip(number.type)
    assert isinstance(part, Base)
    kind = arithmetic.numbers.builtins.complex_of(part)
    return joined_as(arithmetic, arithmetic.numbers.integer(0), number, kind, part)


def binary(arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue) -> TypedValue:
    """Apply `+ - * /`; `UsageError` for another operator."""
    (a, b), (c, d) = _operands(arithmetic, ("+", "-", "*", "/"), operator, left, right)
    of = arithmetic.numbers.binary
    if operator in ("+", "-"):
        return joined(arithmetic, of(operator, a, c), of(operator, b, d), left, right)
    if operator == "*":
        real = of("-", of("*", a, c), of("*", b, d))
        return joined(arithmetic, real, of("+", of("*", a, d), of("*", b, c)), left, right)
    if not is_complex(right.type):  # each part, as in GDB: the square of a divisor may overflow
        return joined(arithmetic, of("/", a, c), of("/", b, c), left, right)
    size = of("+", of("*", c, c), of("*", d, d))
    real = of("/", of("+", of("*", a, c), of("*", b, d)), size)
    return joined(
        arithmetic, real, of("/", of("-", of("*", b, c), of("*", a, d)), size), left, right
    )


def compared(arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue) -> bool:
    """Compare with `==` or `!=`; `UsageError` for another operator, because complex numbers have no
    order."""
    if operator not in ("==", "!="):
        raise not_comparable(operator)
    (a, b), (c, d) = _operands(arithmetic, ("==", "!="), operator, left, right)
    numbers = arithmetic.numbers
    is_equal = numbers.compared("==", a, c) and numbers.compared("==", b, d)
    return is_equal == (operator == "==")


def _operands(
    arithmetic: Operators,
    operands_known: tuple[str, ...],
    operator: str,
    left: TypedValue,
    right: TypedValue,
) -> tuple[tuple[Number, Number], tuple[Number, Number]]:
    """Return the parts of both operands; `UsageError` for an unsupported operator."""
    if operator not in operands_known or not (is_number(left.type) and is_number(right.type)):
        raise UsageError(NOT_A_NUMBER)
    return parts_of(arithmetic, left), parts_of(arithmetic, right)


def unary(arithmetic: Operators, operator: str, value: TypedValue) -> TypedValue:
    """Apply `-`, `+`, or gcc's `~`, the conjugate."""
    real, imaginary = parts_of(arithmetic, value)
    if operator == "-":
        real = arithmetic.numbers.unary("-", real)
    if operator in ("-", "~"):
        imaginary = arithmetic.numbers.unary("-", imaginary)
    return joined(arithmetic, real, imaginary, value)


def cast(arithmetic: Operators, value: TypedValue, type_: Type | None) -> TypedValue:
    """Convert to a complex type, or from one to a real one, which takes the real part (C
    6.3.1.7)."""
    real, imaginary = parts_of(arithmetic, value)
    if not is_complex(type_):
        return arithmetic.cast(arithmetic.value(real), type_)
    bare = strip(type_)
    assert isinstance(bare, Base)
    part = Base(evolve(bare.base, encoding="float", bit_size=bare.base.bit_size // 2))
    return joined_as(arithmetic, real, imaginary, type_, part)


def joined(
    arithmetic: Operators, real: Number, imaginary: Number, *operands: TypedValue
) -> TypedValue:
    """Return a complex number with the type of the operand that has the larger parts, or of parts
    like those of a wider real operand (C 6.3.1.8), with GDB's name."""
    kinds = [operand.type for operand in operands if is_complex(operand.type)]
    bares = [bare for kind in kinds if isinstance(bare := strip(kind), Base)]
    widest = max(bares, key=lambda bare: bare.base.bit_size)
    part = Base(evolve(widest.base, encoding="float", bit_size=widest.base.bit_size // 2))
    of_parts = strip(real.type)
    if isinstance(of_parts, Base) and of_parts.base.bit_size > part.base.bit_size:
        name, bit_size = _complex_name(of_parts.base.name), 2 * of_parts.base.bit_size
        wider = evolve(of_parts.base, name=name, encoding="complex_float", bit_size=bit_size)
        return joined_as(arithmetic, real, imaginary, Base(wider), of_parts)
    return joined_as(arithmetic, real, imaginary, widest, part)


def as_common(arithmetic: Operators, value: TypedValue, other: TypedValue) -> TypedValue:
    """Return a value as the complex number that the usual arithmetic conversions of both make it
    (C 6.3.1.8)."""
    pairs = zip(parts_of(arithmetic, value), parts_of(arithmetic, other), strict=True)
    real, imaginary = (arithmetic.numbers.usual(*pair)[0] for pair in pairs)
    return joined(arithmetic, real, imaginary, value, other)


def _complex_name(part: str) -> str:
    """Return the name of the complex type with parts of a real type: `complex(kind=8)` in
    Fortran."""
    is_of_fortran = part.startswith(("real(", "real*"))
    return part.replace("real", "complex", 1) if is_of_fortran else f"_Complex {part}"


def joined_as(
    arithmetic: Operators, real: Number, imaginary: Number, type_: Type | None, part: Base
) -> TypedValue:
    """Return a complex number of a type, from its parts."""
    numbers = arithmetic.numbers
    runs = [numbers.bits(numbers.cast(half, part)) for half in (real, imaginary)]
    return TypedValue(type_, bits=concatenate(runs, numbers.endian))


COMPLEX: Final = OperandKind(is_complex, binary, unary, compared)


def complex_literal(arithmetic: Operators, real: TypedValue, imaginary: TypedValue) -> TypedValue:
    """Return `(real, imaginary)` of Fortran; `UsageError` for parts that are not real numbers."""
    if is_complex(real.type) or is_complex(imaginary.type):
        raise UsageError("The parts of a complex number are real numbers.")
    builtins = arithmetic.numbers.builtins
    first, second = (parts_of(arithmetic, part)[0] for part in (real, imaginary))
    reals = [part.value.type.bit_size // 8 for part in (first, second) if part.is_float]
    kind = max(reals, default=None)  # Fortran 2018 7.4.3.3
    of_part = intrinsic_type(builtins, "real", kind)
    return joined_as(arithmetic, first, second, intrinsic_type(builtins, "complex", kind), of_part)
