"""Vectors: elementwise operators, and OpenCL's names for selected elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.base.bits import Endian
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.type_sizes import element_type, size_bits, vector_type
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Array, Base, Qualified, Type, Typedef, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic_conversions import is_floating, is_number
from dwarfgpu.language.kinds_of_operands import OperandKind, Operators
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location, composite
from dwarfgpu.model.object import Bits, concatenate
from dwarfgpu.model.storage import Memory, Part

_HALVES: Final = {"lo": (0, 1), "hi": (None, 1), "even": (0, 2), "odd": (1, 2)}
"""The first element and the step of a half; None is the middle."""
_LETTERS: Final = pattern("[xyzw]{2,16}")
_DIGITS: Final = pattern("[sS][0-9a-fA-F]{2,16}")
_WITH_FOURTH: Final = 3
"""How many elements a vector has that takes as much memory as one of four (OpenCL C 6.1.5)."""
_COUNTS: Final = (1, 2, 3, 4, 8, 16)
"""How many elements a vector of OpenCL has."""
_DIFFERENT_TYPES: Final = "Cannot perform operation on vectors with different types"
_DIFFERENT_SIZES: Final = "Cannot perform conditional operation on vectors with different sizes"


def is_vector(type_: Type | None) -> bool:
    bare = strip(type_)
    if isinstance(bare, Base):
        return bare.base.vector_size is not None
    return isinstance(bare, Array) and bare.is_vector and bare.dimensions[0] is not None


def why_sizes_differ(from_: Type | None, to: Type | None) -> str:
    """Return why bits of one type are not cast to another one of another size."""
    if is_vector(to) and is_vector(from_):
        return "Cannot convert between vector values of different sizes"
    if is_vector(to) and is_number(from_):
        return "can only cast scalar to vector of same size"
    return "Invalid cast."


def vector_form(type_: Type | None) -> tuple[Type | None, int]:
    """Return the type and the number of the elements."""
    bare = strip(type_)
    if isinstance(bare, Base) and bare.base.vector_size:
        count = bare.base.vector_size
        bit_size = bare.base.bit_size // count
        name = bare.name.partition("[")[0]
        return Base(evolve(bare.base, name=name, bit_size=bit_size, vector_size=None)), count
    assert isinstance(bare, Array) and bare.dimensions[0] is not None
    return element_type(bare), bare.dimensions[0]


def is_floating_vector(type_: Type | None) -> bool:
    return is_vector(type_) and is_floating(vector_form(type_)[0])


def components(
    objects: ObjectAccess, value: TypedValue, name: str, *, is_opencl: bool
) -> TypedValue | None:
    """Return `.xy`, `.s01` or `.lo`: several elements of a vector (OpenCL C 6.3.7); None for other
    names. Halves of a vector of three elements are those of one of four, whose last is undefined.
    """
    element, count = vector_form(value.type)
    if name in _HALVES and count > 1:
        first, step = _HALVES[name]
        half = (count + 1) // 2
        start = half if first is None else first
        indexes = [start + step * number for number in range(min(half, _COUNTS[-1] + 1))]
    elif _LETTERS.fullmatch(name):
        indexes = ["xyzw".index(letter) for letter in name]
    elif _DIGITS.fullmatch(name):
        indexes = [int(digit, 16) for digit in name[1:]]
    else:
        return None
    has_fourth = count == _WITH_FOURTH and name in _HALVES
    if len(indexes) not in _COUNTS or max(indexes) >= count + has_fourth:
        raise UsageError(f"Invalid OpenCL vector component accessor {name}")
    if len(indexes) == 1:
        return objects.element(value, indexes[0])
    kind = (
        _opencl_vector(element, len(indexes)) if is_opencl else vector_type(element, len(indexes))
    )
    elements = [
        objects.element(value, index) if index < count else _fourth(objects, value, element)
        for index in indexes
    ]
    parts = [objects.read(part) for part in elements]
    is_assignable = len(set(indexes)) == len(indexes)
    location = _location_of(parts, size_bits(kind) or 0) if is_assignable else None
    read = [part.bits for part in parts if part.bits is not None]
    if len(read) < len(parts):
        error = next((part.error for part in parts if part.error is not None), None)
        return TypedValue(kind, location, error=error, unit=value.unit)
    bits = joined(read, kind, objects.context.endian)
    return TypedValue(kind, location, bits, unit=value.unit, notes=value.notes)


def contents(objects: ObjectAccess, value: TypedValue) -> Bits:
    """Return the contents of an object; of a vector, what is known of them: its padding may be
    undefined."""
    bits = objects.read(value).bits if is_vector(value.type) else None
    return objects.known(value) if bits is None else bits


def joined(elements: list[Bits], type_: Type | None, endian: Endian) -> Bits:
    """Return the contents of a vector of some elements; its padding is undefined."""
    bits = concatenate(elements, endian)
    padding = (size_bits(type_) or 0) - bits.size_bits
    if padding <= 0:
        return bits
    return concatenate([bits, Bits(0, padding, undefined=(1 << padding) - 1)], endian)


def _fourth(objects: ObjectAccess, value: TypedValue, element: Type | None) -> TypedValue:
    """Return what follows the last of three elements: the padding of the vector, undefined where
    the vector has none."""
    size = size_bits(element) or 0
    storage = value.location and value.location.single_locations[0].storage
    if isinstance(storage, Memory) and (value.size_bits or 0) >= (_WITH_FOURTH + 1) * size:
        return objects.element(value, _WITH_FOURTH)
    read = objects.read(value)
    bits = read.bits and read.bits.slice(_WITH_FOURTH * size, size, objects.context.endian)
    return TypedValue(element, bits=bits, error=read.error, unit=value.unit)


def _location_of(parts: Sequence[TypedValue], bit_size: int) -> Location | None:
    """Return the location of several elements, to which a vector of a size may be assigned."""
    elements: list[Part] = []
    for part in parts:
        size = part.size_bits
        if part.location is None or size is None:
            return None
        elements.append(Part(part.location, size))
    padding = bit_size - sum(element.size_bits for element in elements)
    if padding > 0:
        elements.append(Part(UNDEFINED_LOCATION, padding))
    return composite(elements)


def binary(arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue) -> TypedValue:
    """Apply an operator to each pair of elements; a number is used for each element."""
    vector = left if is_vector(left.type) else right
    if is_vector(left.type) and is_vector(right.type) and _shape(left) != _shape(right):
        raise UsageError(_DIFFERENT_TYPES)
    columns = [elements_of(arithmetic, operand, vector) for operand in (left, right)]
    pairs = zip(*columns, strict=True)
    return _of(
        arithmetic, vector, [arithmetic.binary(operator, first, two) for first, two in pairs]
    )


def unary(arithmetic: Operators, operator: str, value: TypedValue) -> TypedValue:
    """Apply `-`, `+` or `~` to each element."""
    elements = [
        arithmetic.unary(operator, element) for element in elements_of(arithmetic, value, value)
    ]
    return _of(arithmetic, value, elements)


def compared(arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue) -> bool:
    """Compare two vectors with `==` or `!=`; `UsageError` for another operator or another kind of
    value."""
    if operator not in ("==", "!="):
        raise UsageError("Invalid type combination in ordering comparison.")
    objects = arithmetic.objects
    if not (is_vector(left.type) and is_vector(right.type)):
        raise UsageError("Invalid type combination in equality test.")
    same_size = left.size_bits == right.size_bits
    is_equal = same_size and objects.known(left).value == objects.known(right).value
    return is_equal == (operator == "==")


def related(
    arithmetic: Operators, operator: str, left: TypedValue, right: TypedValue
) -> TypedValue:
    """Compare each pair of elements, or join them by `&&` and `||`, as OpenCL does (OpenCL C 6.3):
    a vector of signed integers of their size, -1 where it is true."""
    vector = left if is_vector(left.type) else right
    if is_vector(left.type) and is_vector(right.type) and _shape(left) != _shape(right):
        raise UsageError(_DIFFERENT_TYPES)
    columns = [elements_of(arithmetic, operand, vector) for operand in (left, right)]
    pairs = list(zip(*columns, strict=True))
    if operator in ("&&", "||"):
        join = all if operator == "&&" else any
        return _truths(arithmetic, vector, [join(map(arithmetic.truth, pair)) for pair in pairs])
    truths = [arithmetic.compared(operator, first, two) for first, two in pairs]
    return _truths(arithmetic, vector, truths)


def negated(arithmetic: Operators, value: TypedValue) -> TypedValue:
    """Return `!a` of OpenCL: -1 for each element that is zero."""
    elements = elements_of(arithmetic, value, value)
    return _truths(arithmetic, value, [not arithmetic.truth(element) for element in elements])


def selected(
    arithmetic: Operators, condition: TypedValue, yes: TypedValue, no: TypedValue
) -> TypedValue:
    """Return `condition ? yes : no` of OpenCL for a condition that is a vector: each element is
    from `yes` where the most significant bit of the condition's is set, as `select` has it (OpenCL
    C 6.3.i, 6.12.6). A number is used for each element; two are of one type.

    `UsageError` for a condition whose elements are unlike those of the result.
    """
    kind, count = vector_form(condition.type)
    vector = next((arm for arm in (yes, no) if is_vector(arm.type)), None)
    if vector is None:
        vector = TypedValue(_opencl_vector(yes.type, count), unit=condition.unit)
    elif is_vector(yes.type) and is_vector(no.type) and _shape(yes) != _shape(no):
        raise UsageError(_DIFFERENT_TYPES)
    element, element_count = vector_form(vector.type)
    if element_count != count or size_bits(element) != size_bits(kind):
        raise UsageError(_DIFFERENT_SIZES)
    conditions = elements_of(arithmetic, condition, condition)
    chosen = [_is_negative(arithmetic, part) for part in conditions]
    columns = [elements_of(arithmetic, arm, vector) for arm in (yes, no)]
    triples = zip(chosen, *columns, strict=True)
    return _of(arithmetic, vector, [first if is_first else two for is_first, first, two in triples])


def _is_negative(arithmetic: Operators, element: TypedValue) -> bool:
    """Return whether the most significant bit of an integer is set."""
    value = arithmetic.number(element).value
    return bool(value.bits >> value.type.bit_size - 1)


def widened(arithmetic: Operators, number: TypedValue, vector: TypedValue) -> TypedValue:
    """Return a vector like another whose elements all are a number, as OpenCL converts one of two
    operands (OpenCL C 6.3)."""
    return _of(arithmetic, vector, elements_of(arithmetic, number, vector))


def shift_count(arithmetic: Operators, left: TypedValue, right: TypedValue) -> TypedValue:
    """Return by how many bits OpenCL shifts: modulo the bits of a promoted number, or of an element
    of a vector (OpenCL C 6.3.j)."""
    vector = next((side for side in (left, right) if is_vector(side.type)), None)
    if vector is None:
        bits = arithmetic.numbers.promoted(arithmetic.number(left)).value.type.bit_size
    else:
        bits = size_bits(vector_form(vector.type)[0]) or 0
    most = arithmetic.value(arithmetic.numbers.integer(bits - 1))
    if vector is None or not is_vector(right.type):
        return arithmetic.binary("&", right, most)
    if not is_vector(left.type) or vector_form(left.type)[1] != vector_form(right.type)[1]:
        raise UsageError(_DIFFERENT_TYPES)
    counts = elements_of(arithmetic, right, right)
    return _of(arithmetic, vector, [arithmetic.binary("&", count, most) for count in counts])


def spread(arithmetic: Operators, number: TypedValue, type_: Type) -> TypedValue:
    """Return a vector whose elements all are a number: `(float4)(1.5f)` of OpenCL."""
    kind, count = vector_form(type_)
    arithmetic.objects.count_parts(count)
    vector = TypedValue(type_, unit=number.unit)
    return _of(arithmetic, vector, [arithmetic.cast(number, kind)] * count)


def assigned(arithmetic: Operators, target: TypedValue, value: TypedValue) -> TypedValue:
    """Return what OpenCL assigns to a vector: a number becomes all its elements.

    `UsageError` for a vector of another type, which clang refuses (OpenCL C 6.2.1).
    """
    if is_number(value.type) and target.type is not None:
        return spread(arithmetic, value, target.type)
    if is_vector(value.type) and _shape(target) != _shape(value):
        raise UsageError("Cannot assign a vector of a different type")
    return value


def vector_literal(arithmetic: Operators, values: Sequence[TypedValue], type_: Type) -> TypedValue:
    """Return `(float4)(pair, 1, 2)` of OpenCL: numbers and the elements of vectors, as many as the
    vector has (OpenCL C 6.1.6)."""
    kind, count = vector_form(type_)
    elements: list[TypedValue] = []
    for value in values:
        elements += elements_of(arithmetic, value, value) if is_vector(value.type) else [value]
    if len(elements) != count:
        raise UsageError(f"A vector of {count} elements needs {count}, not {len(elements)}.")
    vector = TypedValue(type_, unit=values[0].unit)
    return _of(arithmetic, vector, [arithmetic.cast(element, kind) for element in elements])


def _truths(arithmetic: Operators, vector: TypedValue, truths: list[bool]) -> TypedValue:
    kind, count = vector_form(vector.type)
    size, endian = size_bits(kind) or 0, arithmetic.objects.context.endian
    parts = [Bits((1 << size) - 1 if truth else 0, size) for truth in truths]
    type_ = _opencl_vector(_integer(size, endian), count)
    return TypedValue(type_, bits=joined(parts, type_, endian), unit=vector.unit)


def _opencl_vector(element: Type | None, count: int) -> Array | Typedef:
    from dwarfgpu.language.opencl.types import opencl_vector  # few programs

    return opencl_vector(element, count)


def _integer(bit_size: int, endian: Endian) -> Base:
    """Return the signed integer type of OpenCL with a size (OpenCL C 6.1.1)."""
    name = {8: "char", 16: "short", 32: "int", 64: "long"}.get(bit_size, f"__int{bit_size}")
    return Base(BaseType(name, "signed_char" if name == "char" else "signed", bit_size, endian))


def _shape(value: TypedValue) -> tuple[object, ...]:
    element, count = vector_form(value.type)
    bare = strip(element)
    encoding = bare.base.encoding if isinstance(bare, Base) else None
    return encoding, size_bits(element), count


def elements_of(arithmetic: Operators, value: TypedValue, vector: TypedValue) -> list[TypedValue]:
    """Return the elements of a vector; for a number, that many copies of it."""
    objects = arithmetic.objects
    kind, count = vector_form(vector.type)
    objects.check_parts(count)
    if is_vector(value.type):
        operand = TypedValue(value.type, bits=contents(objects, value), unit=value.unit)
        return [objects.element(operand, index) for index in range(count)]
    objects.count_parts(count)
    number = arithmetic.value(arithmetic.number(value))
    element = arithmetic.cast(number, kind)
    is_shorter = (size_bits(kind) or 0) < (number.size_bits or 0)
    if is_shorter and not arithmetic.compared("==", element, number):
        raise UsageError("conversion of scalar to vector involves truncation")
    return [element] * count


def _of(arithmetic: Operators, vector: TypedValue, elements: list[TypedValue]) -> TypedValue:
    """Return a vector of results, each as one of its elements."""
    kind, _ = vector_form(vector.type)
    objects = arithmetic.objects
    parts = [objects.known(arithmetic.cast(element, kind)) for element in elements]
    bits = joined(parts, vector.type, objects.context.endian)
    return TypedValue(_of_value(vector.type), bits=bits, unit=vector.unit)


def _of_value(type_: Type | None) -> Type | None:
    """Return a type without qualifiers, which a result has not, and the typedefs with them."""
    result = inner = type_
    for _ in range(MAX_CHAIN):
        if not isinstance(inner, Qualified | Typedef):
            break
        result = inner.target if isinstance(inner, Qualified) else result
        inner = inner.target
    return result


VECTOR: Final = OperandKind(is_vector, binary, unary, compared)
