"""The intrinsic functions of Fortran that GDB evaluates (Fortran 2018 16.9), with its errors.

Law: a function that asks for the shape or the place of an object reads none of its elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Final, TypeAlias

from dwarfgpu.base.float_format import X87_EXTENDED
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.names.fortran_ada import class_attribute, class_pointer, extended_parent
from dwarfgpu.dwarf.types.type_sizes import size_bytes, strides_of
from dwarfgpu.dwarf.types.types import (
    Absent,
    Array,
    BareType,
    Base,
    Dynamic,
    Pointer,
    Struct,
    Type,
    declared_name,
    strip,
)
from dwarfgpu.errors import UndefinedBits, Unsupported, UsageError, counted
from dwarfgpu.language.arithmetic_conversions import Number, is_integer, width
from dwarfgpu.language.c_numbers import spelled
from dwarfgpu.language.complexes import complex_part, is_complex, joined_as, parts_of
from dwarfgpu.language.fortran.types import EXTENDED_KIND, intrinsic_type
from dwarfgpu.language.function_context import FunctionContext
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import single_location_in
from dwarfgpu.model.object import concatenate
from dwarfgpu.model.storage import Memory
from dwarfgpu.model.value import Value

Arguments: TypeAlias = list[TypedValue]
_REAL_PARTS: Final = (
    "Types of arguments for CMPLX called with more then one argument must be REAL or INTEGER"
)


_ROOT_BITS: Final = 160
"""Bits of a square root that are computed: a quarter more than binary128 has."""


_MOST_PARENTS: Final = 50
"""Derived types that extend one another."""

_LEFT_OUT: Final = TypedValue(None)
"""An argument that is left out before one with its keyword."""


@frozen
class Intrinsic:
    """One function, and how many arguments it takes."""

    name: str
    evaluate: Callable[[FunctionContext, Arguments, str], TypedValue]
    keywords: str = "a"
    """The names of its arguments, with blanks between them (Fortran 2018 16.9)."""
    least: int = 1
    most: int = 1
    takes_targets: bool = True
    """Whether an argument that is a pointer is its target."""
    asks_type: bool = False
    """Whether the result depends on the type of the argument alone."""

    def value(
        self, context: FunctionContext, positional: Arguments, named: Mapping[str, TypedValue]
    ) -> TypedValue:
        """Return the value; `UsageError` for arguments that it does not take.

        `named`: arguments behind the other ones, by their keywords in small letters.
        """
        arguments = self._in_order(positional, named) if named else positional
        if not self.least <= len(arguments) <= self.most:
            most = counted(self.most, "argument")
            takes = most if self.least == self.most else f"{self.least} to {most}"
            raise UsageError(f"{self.name} takes {takes}, not {len(arguments)}")
        return self.evaluate(context, arguments, self.name)

    def _in_order(self, positional: Arguments, named: Mapping[str, TypedValue]) -> Arguments:
        """Return the arguments with those at the end left out; `UsageError` for a keyword that
        means none, or one that comes before it, and where one that is needed is left out."""
        keywords = self.keywords.split()
        for keyword in named:
            if keyword not in keywords[: self.most]:
                raise UsageError(f"{self.name} has no argument {keyword}")
            if keyword in keywords[: len(positional)]:
                raise UsageError(f"{self.name} has two arguments {keyword}")
        last = max(map(keywords.index, named))
        behind = [named.get(word, _LEFT_OUT) for word in keywords[len(positional) : last + 1]]
        arguments = [*positional, *behind]
        for argument, keyword in zip(arguments[: self.least], keywords, strict=False):
            if argument is _LEFT_OUT:
                raise UsageError(f"{self.name} needs its argument {keyword}")
        return arguments


# Numbers


def _absolute(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    (operand,) = arguments
    if is_complex(operand.type):
        return _length(context, operand)
    number = number_of(context, operand, name)
    if number.is_float:
        form = number.value.type.float_format
        negative = form is not None and form.sign(number.value.bits)
        value = -number.value if negative else number.value
        return context.arithmetic.value(Number(value, number.type))
    return integer_of(context, abs(number.value.integer), number)


def _length(context: FunctionContext, operand: TypedValue) -> TypedValue:
    """Return the absolute value of a complex number, in the type of its parts."""
    real, imaginary = parts_of(context.arithmetic, operand)
    form = real.value.type.float_format
    if form is None:
        raise UsageError(_unsupported("ABS", operand.type))
    parts = [form.decode(part.value.bits) for part in (real, imaginary)]
    exact = [part for part in parts if not isinstance(part, str)]
    if len(exact) == len(parts):
        bits = form.encode(_root(sum((part * part for part in exact), Fraction(0))))
    else:
        bits = form.infinity(0) if any("inf" in str(part) for part in parts) else form.nan()
    return _in_part(context, operand, bits)


def _in_part(context: FunctionContext, whole: TypedValue, bits: int) -> TypedValue:
    """Return a real number in the type of the parts of a complex one."""
    part = complex_part(context.objects, evolve(whole, location=None), 0).type
    assert isinstance(part, Base)
    return context.arithmetic.value(Number(Value(bits, part.base), part))


def _square_root(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    if is_complex(arguments[0].type):
        raise Unsupported(f"{name} of a complex number is not evaluated")
    number = number_of(context, arguments[0], name, f"argument to {name} must be of type float")
    form = number.value.type.float_format
    if not number.is_float or form is None:
        raise UsageError(f"argument to {name} must be of type float")
    exact, sign = form.decode(number.value.bits), form.sign(number.value.bits)
    if isinstance(exact, str) or not exact:
        bits = form.nan() if exact == "-inf" else number.value.bits
    else:
        bits = form.nan() if sign else form.encode(_root(exact))
    return context.arithmetic.value(Number(Value(bits, number.value.type), number.type))


def _root(number: Fraction) -> Fraction:
    """Return the square root, exact or with more bits than a format has and one more that says
    that it is not, so that it is rounded right."""
    scale = max(0, _ROOT_BITS - (number.numerator.bit_length() - number.denominator.bit_length()))
    scaled = (number.numerator << 2 * scale) // number.denominator
    root = math.isqrt(scaled)
    is_exact = Fraction(root, 1 << scale) ** 2 == number
    return Fraction(2 * root + (not is_exact), 2 << scale)


def _truncated(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return INT, which is of the real part of a complex number."""
    number, kind = (
        parts_of(context.arithmetic, arguments[0])[0],
        kind_argument(context, arguments, 1),
    )
    if isinstance(context.objects, Unevaluated):
        return integer(context, 0, kind)
    form = number.value.type.float_format
    exact = form.decode(number.value.bits) if form is not None else number.value.integer
    if isinstance(exact, str):
        raise UsageError(f"{name} of {exact} is no integer")
    return integer(context, math.trunc(exact), kind)


def _real(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return REAL: without a kind, of a complex number in the type of its parts."""
    operand, kind = arguments[0], kind_argument(context, arguments, 1)
    if kind is None and is_complex(operand.type):
        return _in_part(context, operand, parts_of(context.arithmetic, operand)[0].value.bits)
    to = intrinsic_type(context.names.builtins, "real", kind)
    return context.arithmetic.cast(context.arithmetic.value(_real_part(context, operand)), to)


def _real_part(context: FunctionContext, operand: TypedValue) -> Number:
    return parts_of(context.arithmetic, operand)[0]


def _imaginary(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    if not is_complex(arguments[0].type):
        raise UsageError(f"argument to {name} must be of type complex")
    return _in_part(context, arguments[0], parts_of(context.arithmetic, arguments[0])[1].value.bits)


def _remainder(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return MOD, with the sign of the dividend, or MODULO, with that of the divisor.

    It has the larger of two kinds, as with gfortran: the standard allows no two.
    """
    left, right = (number_of(context, operand, name) for operand in arguments)
    if left.is_float != right.is_float:
        raise UsageError(f"non-matching types for parameters to {name} ()")
    if width(right) > width(left):
        left = context.arithmetic.numbers.cast(left, right.type)
    if not left.is_float:
        dividend, divisor = left.value.integer, right.value.integer
        if divisor == 0:
            if isinstance(context.objects, Unevaluated):
                return context.arithmetic.value(left)
            raise UsageError(f"calling {name} (N, 0) is undefined")
        return integer_of(context, int(_reduced(name, Fraction(dividend), divisor)), left)
    form, other = left.value.type.float_format, right.value.type.float_format
    if form is None or other is None:
        raise UsageError(_unsupported(name, left.type))
    a, p = form.decode(left.value.bits), other.decode(right.value.bits)
    if isinstance(a, str) or p in ("nan", 0):
        bits = form.nan()
    elif isinstance(p, str):  # infinite: the quotient is 0
        is_moved = name == "MODULO" and a and (a < 0) != (p == "-inf")
        bits = form.infinity(int(p == "-inf")) if is_moved else left.value.bits
        bits = bits if a or name == "MOD" else form.zero(int(p == "-inf"))
    else:
        of_zero = right if name == "MODULO" else left
        bits = form.encode(
            _reduced(name, a, p), (other if name == "MODULO" else form).sign(of_zero.value.bits)
        )
    return context.arithmetic.value(Number(Value(bits, left.value.type), left.type))


def _reduced(name: str, a: Fraction, p: Fraction | int) -> Fraction:
    quotient = a / p
    whole = math.floor(quotient) if name == "MODULO" else math.trunc(quotient)
    return a - whole * p


def _rounded(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return FLOOR or CEILING."""
    number = number_of(context, arguments[0], name, f"argument to {name} must be of type float")
    kind = intrinsic_type(context.names.builtins, "integer", kind_argument(context, arguments, 1))
    form = number.value.type.float_format
    if not number.is_float or form is None:
        raise UsageError(f"argument to {name} must be of type float")
    if isinstance(context.objects, Unevaluated):
        return context.arithmetic.value(Number(Value.of(0, kind.base), kind))
    exact = form.decode(number.value.bits)
    if isinstance(exact, str):
        raise UsageError(f"{name} of {exact} is no integer")
    whole = math.floor(exact) if name == "FLOOR" else math.ceil(exact)
    value = Value.of(whole, kind.base)
    if value.integer != whole:
        raise UsageError(f"{kind.name} does not hold the result of {name}: give a larger kind")
    return context.arithmetic.value(Number(value, kind))


def _complex(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    builtins = context.names.builtins
    kind = kind_argument(context, arguments, 2)
    whole = intrinsic_type(builtins, "complex", kind)
    if is_given(arguments, 1) and any(is_complex(part.type) for part in arguments[:2]):
        raise UsageError(_REAL_PARTS)
    real, imaginary = parts_of(context.arithmetic, arguments[0])
    if is_given(arguments, 1):
        imaginary = number_of(context, arguments[1], name)
    part = intrinsic_type(builtins, "real", kind)
    return joined_as(context.arithmetic, real, imaginary, whole, part)


def number_of(
    context: FunctionContext, operand: TypedValue, name: str, message: str = ""
) -> Number:
    """Return an integer or a real number; `UsageError` with GDB's wording for another type."""
    bare = strip(operand.type)
    is_real = isinstance(bare, Base) and bare.base.encoding == "float"
    if not is_real and not is_integer(operand.type):
        raise UsageError(message or _unsupported(name, operand.type))
    return context.arithmetic.number(operand)


def _unsupported(name: str, type_: Type | None) -> str:
    shown = declared_name(strip(type_)) or "<unnamed type>"
    return f"{name} of type {shown} not supported"


def integer_of(context: FunctionContext, number: int, like: Number) -> TypedValue:
    """Return a number of the type of another, with a warning where that does not hold it."""
    if context.rules is None:
        return wrapped(context, number, like)
    return context.arithmetic.value(context.rules.kept(number, like.type))


def wrapped(context: FunctionContext, number: int, like: Number) -> TypedValue:
    """Return the low-order bits of a number as one of the type of another."""
    return context.arithmetic.value(Number(Value.of(number, like.value.type), like.type))


# Types


def _kind(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    bare = strip(arguments[0].type)
    if isinstance(bare, Absent | Dynamic):
        bare = bare.form
    for _ in range(2):
        if isinstance(bare, Array):
            bare = strip(bare.element)
        elif isinstance(bare, Pointer):  # of Fortran: the object that it is associated with
            bare = strip(bare.target)
    if not isinstance(bare, Base):
        raise UsageError("argument to kind must be an intrinsic type")
    size = (bare.unpacked_bits or bare.base.bit_size) // 8
    size = size // 2 if bare.base.encoding == "complex_float" else size
    is_extended = bare.base.float_format == X87_EXTENDED  # which has padding
    return integer(context, EXTENDED_KIND if is_extended else size)


def _array_of(context: FunctionContext, value: TypedValue, name: str) -> Array:
    """Return the type of an array with known bounds; `UsageError` for anything else."""
    bare = _resolved(context, value)
    if isinstance(bare, Absent) and isinstance(bare.form, Array):
        raise UsageError(f"{name} can only be used on allocated/associated arrays")
    if isinstance(bare, Array) and not _is_text(bare):
        return bare
    error = context.objects.read(value).error
    raise error or UsageError(f"{name} can only be applied to arrays")


def _resolved(context: FunctionContext, value: TypedValue) -> BareType | None:
    """Return the type of an object. Where it depends on an object that is nowhere, why is an
    error; if nothing is evaluated, its constant part is the answer."""
    bare = strip(value.type)
    if not isinstance(bare, Dynamic):
        return bare
    if isinstance(context.objects, Unevaluated):
        return bare.form
    error = context.objects.read(value).error
    raise error or UsageError("The bounds of the array are unknown.")


def _is_text(array: Array) -> bool:
    element = strip(array.element)
    return isinstance(element, Base) and element.base.encoding in ("signed_char", "unsigned_char")


def _counts(array: Array) -> list[int | None]:
    """Return the number of elements of each dimension, the fastest first."""
    return list(reversed(array.dimensions))


def _size(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    array = _array_of(context, arguments[0], name)
    counts = _counts(array)
    if is_given(arguments, 1):
        dimension = _dimension(context, arguments[1], name)
        if not 1 <= dimension <= len(counts):
            raise UsageError(f"DIM argument to {name} must be between 1 and {len(counts)}")
        counts = counts[dimension - 1 : dimension]
    total = 1
    for count in counts:
        total *= _known(count, array, name)
    return integer(context, total, kind_argument(context, arguments, 2))


def _bounds(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return LBOUND or UBOUND (Fortran 2018 16.9.109, 16.9.196): of a dimension without elements 1
    and 0."""
    array = _array_of(context, arguments[0], name)
    lowers = list(reversed(array.lower_bounds or (0,) * len(array.dimensions)))
    pairs = list(zip(lowers, _counts(array), strict=True))
    kind = kind_argument(context, arguments, 2)
    if is_given(arguments, 1):
        dimension = _dimension(context, arguments[1], name)
        if not 1 <= dimension <= len(pairs):
            raise UsageError(f"{name} dimension must be from 1 to {len(pairs)}")
        return integer(context, _bound(*pairs[dimension - 1], array, name), kind)
    return _integers(context, [_bound(*pair, array, name) for pair in pairs], kind)


def _bound(lower: int | None, count: int | None, array: Array, name: str) -> int:
    if name == "LBOUND":
        return 1 if count == 0 else _known(lower, array, name)
    return 0 if count == 0 else _known(lower, array, name) + _known(count, array, name) - 1


def _known(bound: int | None, array: Array, name: str) -> int:
    if bound is None and array.lost_length is not None:
        raise UndefinedBits(array.lost_length)
    if bound is None:
        raise UsageError(f"{name}: a bound of the array is unknown, as that of an assumed size")
    return bound


def _shape(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    bare, kind = _resolved(context, arguments[0]), kind_argument(context, arguments, 1)
    if not isinstance(bare, Array | Absent) or isinstance(bare, Array) and _is_text(bare):
        return _integers(context, [], kind)
    array = _array_of(context, arguments[0], name)
    return _integers(context, [_known(count, array, name) for count in _counts(array)], kind)


def _rank(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    bare = _resolved(context, arguments[0])
    form = bare.form if isinstance(bare, Absent) else bare
    is_array = isinstance(form, Array) and not _is_text(form)
    return integer(context, len(form.dimensions) if is_array and isinstance(form, Array) else 0)


# Storage


def _location(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    size = context.session.architecture.address_bits // 8
    pointer = _of_class(context, arguments[0])
    if pointer is not None:
        return integer(context, context.objects.known(pointer).value, size)
    single = single_location_in(arguments[0].location)
    if single is None or not isinstance(single.storage, Memory) or single.byte_address is None:
        raise UsageError("LOC needs an object in memory")
    return integer(context, single.byte_address, size)


def _of_class(
    context: FunctionContext, value: TypedValue, attribute: str = ""
) -> TypedValue | None:
    """Return the address of a polymorphic object; None for any other object, for an array, and for
    one without the attribute, if that is wanted."""
    bare = strip(value.type)
    component = class_pointer(bare) if isinstance(bare, Struct) else None
    if component is None or not isinstance(bare, Struct):
        return None
    if attribute and class_attribute(bare) != attribute:
        return None
    return context.objects.step(value, component)


def _allocated(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    pointer = _of_class(context, arguments[0], "allocatable")
    if pointer is not None:
        return context.truth(_is_set(context, pointer))
    bare = _resolved(context, arguments[0])
    form = bare.form if isinstance(bare, Absent) else bare
    if not isinstance(form, Array) or _is_text(form):
        raise UsageError("ALLOCATED can only be applied to arrays")
    return context.truth(not (isinstance(bare, Absent) and bare.state == "not allocated"))


def _associated(context: FunctionContext, arguments: Arguments, name: str) -> TypedValue:
    """Return whether a pointer is associated, or with a target (Fortran 2018 16.9.20)."""
    of_class = _of_class(context, arguments[0], "pointer")
    pointer = arguments[0] if of_class is None else of_class
    bare = _resolved(context, pointer)
    form = bare.form if isinstance(bare, Absent) else bare
    is_array = isinstance(form, Array) and form.attribute == "pointer"
    if not is_array and not isinstance(form, Pointer):
        raise UsageError("ASSOCIATED can only be applied to pointers")
    is_unread = isinstance(context.objects, Unevaluated)
    is_associated = _is_set(context, pointer) if isinstance(bare, Pointer) else (
        not isinstance(bare, Absent)
    )  # fmt: skip
    if len(arguments) == 1 or is_unread:
        return context.truth(is_associated)
    of_class = _of_class(context, arguments[1])
    target = arguments[1] if of_class is None else of_class
    if isinstance(_resolved(context, target), Absent):
        return context.truth(False)
    sides = [_pointed(context, side) for side in (pointer, target)]
    if is_associated and not _is_alike(strip(sides[0].type), strip(sides[1].type)):
        raise UsageError("arguments to associated must be of same type and kind")
    return context.truth(is_associated and _is_same(*sides))


def _is_set(context: FunctionContext, pointer: TypedValue) -> bool:
    """Return whether a pointer is not null; if nothing is evaluated, that it is not."""
    return isinstance(context.objects, Unevaluated) or context.arithmetic.truth(pointer)


def _pointed(context: FunctionContext, value: TypedValue) -> TypedValue:
    bare, objects = strip(value.type), context.objects
    if not isinstance(bare, Pointer) or not context.arithmetic.truth(value):
        return value
    if strip(bare.target) is not None:
        return objects.dereferenced(value)
    address = objects.known(value).value  # of unlimited type
    return TypedValue(None, objects.at(objects.space_of(bare, value.unit), address))


def _is_alike(pointer: Type | None, target: Type | None) -> bool:
    """Return whether a pointer to one type may be associated with the other: one to a structure
    also with what extends it, one of unlimited type (None) with any."""
    if pointer is None:
        return True
    if isinstance(pointer, Array) and isinstance(target, Array):
        return _is_alike(strip(pointer.element), strip(target.element))
    if isinstance(pointer, Array) or isinstance(target, Array):
        return False
    if isinstance(pointer, Base) and isinstance(target, Base):
        return (pointer.base.encoding, pointer.base.bit_size) == (
            target.base.encoding,
            target.base.bit_size,
        )
    if isinstance(pointer, Struct) and isinstance(target, Struct):
        return any(size_bytes(pointer) == size_bytes(kind) for kind in _with_parents(target))
    return type(pointer) is type(target) and size_bytes(pointer) == size_bytes(target)


def _with_parents(struct_type: Struct) -> Iterator[Struct]:
    """Yield a derived type, and those that it extends, the nearest first."""
    yield struct_type
    for _ in range(_MOST_PARENTS):
        parent = extended_parent(struct_type)
        if parent is None:
            return
        struct_type = parent[1]
        yield struct_type


def _is_same(pointer: TypedValue, target: TypedValue) -> bool:
    """Return whether two objects are the same elements in the same order, and not without any."""
    locations = [single_location_in(side.location) for side in (pointer, target)]
    if any(single is None or not isinstance(single.storage, Memory) for single in locations):
        return False
    if locations[0] != locations[1]:
        return False
    left, right = strip(pointer.type), strip(target.type)
    if not isinstance(left, Array) or not isinstance(right, Array):
        return True
    if left.dimensions != right.dimensions or 0 in left.dimensions:
        return False
    steps = [
        [stride for stride, count in zip(strides_of(side) or (), side.dimensions, strict=False)
         if count != 1]
        for side in (left, right)
    ]  # fmt: skip
    return steps[0] == steps[1]


# Arguments and results


def is_given(arguments: Arguments, index: int) -> bool:
    """Return whether an optional argument was given."""
    return len(arguments) > index and arguments[index] is not _LEFT_OUT


def kind_argument(context: FunctionContext, arguments: Arguments, index: int) -> int | None:
    if not is_given(arguments, index):
        return None
    number = context.arithmetic.number(arguments[index])
    if number.is_float:
        raise UsageError("The kind of a type is an integer.")
    return 4 if isinstance(context.objects, Unevaluated) and not number.value else (
        number.value.integer
    )  # fmt: skip


def _dimension(context: FunctionContext, argument: TypedValue, name: str) -> int:
    if not is_integer(argument.type):
        raise UsageError(
            f"DIM argument to {name} must be an integer"
            if name == "SIZE"
            else f"{name} second argument should be an integer"
        )
    number = context.arithmetic.number(argument).value.integer
    return 1 if isinstance(context.objects, Unevaluated) and not number else number


def integer(context: FunctionContext, number: int, kind: int | None = None) -> TypedValue:
    """Return a number of `integer*4`, or of another kind; `UsageError` where that is too small."""
    type_ = intrinsic_type(context.names.builtins, "integer", kind)
    value = Value.of(number, type_.base)
    if value.integer != number and not isinstance(context.objects, Unevaluated):
        raise UsageError(f"{type_.name} does not hold {spelled(number)}: give a larger kind")
    return context.arithmetic.value(Number(value, type_))


def _integers(context: FunctionContext, numbers: list[int], kind: int | None) -> TypedValue:
    """Return an array of one dimension of `integer*4`, or of another kind."""
    values = [integer(context, number, kind) for number in numbers]
    runs = [context.objects.known(value) for value in values]
    bits = concatenate(runs, context.arithmetic.numbers.endian)
    element = intrinsic_type(context.names.builtins, "integer", kind)
    return TypedValue(Array(element, (len(numbers),), lower_bounds=(1,)), bits=bits)


INTRINSICS: Final = {
    intrinsic.name.lower(): intrinsic
    for intrinsic in (
        Intrinsic("ABS", _absolute),
        Intrinsic("AIMAG", _imaginary, "z"),
        Intrinsic("ALLOCATED", _allocated, "array"),
        Intrinsic("ASSOCIATED", _associated, "pointer target", most=2, takes_targets=False),
        Intrinsic("CEILING", _rounded, "a kind", most=2),
        Intrinsic("CMPLX", _complex, "x y kind", most=3),
        Intrinsic("FLOOR", _rounded, "a kind", most=2),
        Intrinsic("INT", _truncated, "a kind", most=2),
        Intrinsic("KIND", _kind, "x", asks_type=True),
        Intrinsic("LBOUND", _bounds, "array dim kind", most=3),
        Intrinsic("LOC", _location, "x", takes_targets=False),
        Intrinsic("MOD", _remainder, "a p", least=2, most=2),
        Intrinsic("MODULO", _remainder, "a p", least=2, most=2),
        Intrinsic("RANK", _rank, "a"),
        Intrinsic("REAL", _real, "a kind", most=2),
        Intrinsic("SHAPE", _shape, "source kind", most=2),
        Intrinsic("SIZE", _size, "array dim kind", most=3),
        Intrinsic("SQRT", _square_root, "x"),
        Intrinsic("UBOUND", _bounds, "array dim kind", most=3),
    )
}
"""Keyed by their names in lower case."""
