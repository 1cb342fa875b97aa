"""Attributes of objects and types of Ada: `a'first`, `color'pos(red)` (Ada 2012 K.2).

Law: an attribute is what Ada says. GDB shows the bounds of subtypes of enumerations and characters
as numbers, reads bounds behind null and those of unconstrained types, takes the structure with the
address of an array for the array, and lets `'val` wrap.
"""

from __future__ import annotations

from functools import partial
from typing import Final, Protocol

from dwarfgpu.base.base_type import CHARACTERS
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.names.fortran_ada import TAG, enumeration_range, indexes_of, pointer_to_elements
from dwarfgpu.dwarf.types.dynamic_properties import ComputedRange
from dwarfgpu.dwarf.types.gnat_encodings import undecoded_size
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import (
    SYSTEM_ADDRESS,
    Array,
    BareType,
    Base,
    Dynamic,
    Enum,
    Pointer,
    Range,
    Struct,
    Type,
    strip,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.language.ada.indexing import array_of, is_parameter, stands_for_array
from dwarfgpu.language.ada.subtype_bounds import array_with_bounds
from dwarfgpu.language.arithmetic_conversions import (
    bounded,
    is_fixed_point,
    is_floating,
    is_integer,
)
from dwarfgpu.language.builtin_types import INT_BITS
from dwarfgpu.language.calls import Calling
from dwarfgpu.language.name_resolution import Typed
from dwarfgpu.language.syntax import ast
from dwarfgpu.language.syntax.attribute_names import (
    ACCESSES,
    ADDRESS,
    BOUNDS,
    FIRST,
    LENGTH,
    MINIMUM,
    MODULUS,
    OBJECT_TAG,
    POSITION,
    RANGE,
    SIZE,
    VALUE,
)
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.object import Bits

_OUT_OF_RANGE: Final = "argument to 'VAL out of range"


class Naming(Calling, Protocol):
    """What evaluates the parts of an attribute; `dwarfgpu.language.evaluator.Evaluator` does."""

    def type_named(self, name: ast.TypeName) -> Typed: ...

    def counting(self) -> Naming: ...


def attribute(evaluator: Naming, node: ast.Attribute) -> TypedValue:
    """Return the value of an attribute; `UsageError` with GDB's wording for one that its prefix
    does not have."""
    if node.name == RANGE:
        raise UsageError("'range is no value: it stands behind in; write 'first or 'last.")
    if node.name in BOUNDS:
        return _bound(evaluator.counting(), node)
    if isinstance(node.prefix, ast.TypeName):
        return _of_type(evaluator, node, evaluator.type_named(node.prefix))
    if node.name in (ADDRESS, SIZE, OBJECT_TAG, *ACCESSES):
        return _of_object(evaluator, node.name, evaluator.object(node.prefix))
    raise UsageError("Prefix must be type")


# Of objects


def _of_object(evaluator: Naming, name: str, value: TypedValue) -> TypedValue:
    objects = evaluator.objects
    if name == OBJECT_TAG:
        if isinstance(strip(value.type), Pointer):  # an implicit dereference (Ada 2012 4.1)
            value = objects.dereferenced(value)
        return objects.member(value, TAG)
    if name not in ACCESSES and is_parameter(value.type):
        value = array_of(evaluator.counting().objects, value)
    if name == SIZE:
        bare = strip(value.type)
        if isinstance(bare, Dynamic) and (error := objects.read(value).error):
            raise error
        if isinstance(bare, Struct) and (undecoded := undecoded_size(bare)) is not None:
            raise undecoded
        return _integer(evaluator, 8 * (size_bytes(value.type) or 0))
    pointer = objects.address_of(value)
    if name != ADDRESS:
        return pointer
    assert isinstance(pointer.type, Pointer)
    kind = evolve(pointer.type, target=None, own_name=SYSTEM_ADDRESS)
    return evolve(pointer, type=kind)


# Bounds


def _bound(evaluator: Naming, node: ast.Attribute) -> TypedValue:
    number, why = _dimension(evaluator, node), None
    if isinstance(node.prefix, ast.TypeName):
        typed = evaluator.type_named(node.prefix)
        array = _array(array_with_bounds(evaluator.objects, typed.type))
        if array is None and not node.arguments:
            return _bound_of_scalar(evaluator, node.name, typed)
    else:
        value = evaluator.object(node.prefix)
        if stands_for_array(value.type):
            value = array_of(evaluator.objects, value)
        array, why = _array(value.type), partial(evaluator.objects.known, value)
    if array is None and node.name == LENGTH:
        raise UsageError("the 'length attribute applies only to array types")
    if array is None or not 1 <= number <= len(array.dimensions):
        raise UsageError(f"invalid dimension number to '{node.name}")
    if why is not None and None in (array.dimensions[number - 1], _first(array, number - 1)):
        why()
    return _bound_of_array(evaluator, node.name, array, number - 1)


def _first(array: Array, dimension: int) -> int | None:
    return array.lower_bounds[dimension] if array.lower_bounds else 0


def _dimension(evaluator: Naming, node: ast.Attribute) -> int:
    if not node.arguments:
        return 1
    number = evaluator.arithmetic.number(evaluator.object(node.arguments[0]))
    if number.is_float:
        raise UsageError("Argument to subscript operation is not an integer.")
    return number.value.integer


def _array(type_: Type | None) -> Array | None:
    bare = strip(type_)
    if isinstance(bare, Struct):
        pointer = pointer_to_elements(bare)
        bare = strip(pointer.target) if pointer is not None else None
    form = bare.form if isinstance(bare, Dynamic) else bare
    return form if isinstance(form, Array) else None


def _bound_of_array(evaluator: Naming, name: str, array: Array, dimension: int) -> TypedValue:
    lower, count = _first(array, dimension), array.dimensions[dimension]
    if name == LENGTH and count is not None:
        return _integer(evaluator, count)
    if lower is None or count is None:
        raise UsageError(f"The array has no bounds here: '{name} is that of an object.")
    last = array.last_index(dimension)
    index = lower if name == FIRST or last is None else last
    indexes = indexes_of(array, dimension)
    if indexes.has_gaps and isinstance(indexes.kind, Enum) and index >= 0:
        enumerators = indexes.kind.enumerators
        index = enumerators[index][1] if index < len(enumerators) else index
    reference = array.indexes[dimension] if dimension < len(array.indexes) else None
    return _scalar(evaluator, reference() if callable(reference) else reference, index)


def _bound_of_scalar(evaluator: Naming, name: str, typed: Typed) -> TypedValue:
    """Return the least or the greatest value of a scalar type."""
    if is_floating(typed.type):
        raise UsageError("unimplemented type attribute")
    values = _values(typed.type)
    if name == LENGTH:
        raise UsageError("the 'length attribute applies only to array types")
    if values is None:
        raise UsageError(f"invalid dimension number to '{name}")
    if isinstance(values, ComputedRange):
        number = evaluator.objects.resolver.bound(values, "lower" if name == FIRST else "upper")
    else:
        number = values.lower if name == FIRST else values.upper
    return evolve(_scalar(evaluator, typed.type, number), unit=typed.unit)


def has_bounds(type_: Type | None) -> bool:
    """Return whether a type is a scalar one that has `'first` and `'last`."""
    return not is_floating(type_) and _values(type_) is not None


def _values(type_: Type | None) -> Range | ComputedRange | None:
    """Return the values of a scalar type, of a fixed-point one as multiples of its scale; None for
    other types and for floating-point ones."""
    bare = strip(type_)
    if not isinstance(bare, Base):
        return enumeration_range(type_) or _enumerated(bare)
    return bare.range or _base_values(bare)


def _enumerated(bare: BareType | None) -> Range | None:
    """Return the values of an enumeration; None for any other type."""
    if not isinstance(bare, Enum) or not bare.enumerators:
        return None
    return Range(bare.enumerators[0][1], bare.enumerators[-1][1], is_modular=False)


def _base_values(bare: BareType | None) -> Range | None:
    """Return the values of the base type of a discrete type, which a subtype need not have; of a
    modular type its own. None for other types."""
    if not isinstance(bare, Base):
        return _enumerated(bare)
    if bare.base.encoding == "boolean":
        return Range(0, 1, is_modular=False)
    if not is_integer(bare):
        return None
    if bare.modulus is not None:
        return Range(0, bare.modulus - 1, is_modular=True)
    size, is_signed = bounded(bare.base.bit_size), bare.base.is_signed
    least = -(1 << size - 1) if is_signed else 0
    return Range(least, least + (1 << size) - 1, bare.base.encoding == "unsigned")


# Of types


def _of_type(evaluator: Naming, node: ast.Attribute, typed: Typed) -> TypedValue:
    if node.name in (SIZE, ADDRESS, OBJECT_TAG, *ACCESSES):
        # The size of a subtype is not described: that of Natural is 31.
        raise UsageError("Attempt to use a type name as an expression")
    if node.name == MODULUS:
        values = _base_values(strip(typed.type))
        if values is None or not values.is_modular:
            raise UsageError("'modulus must be applied to modular type")
        return _integer(evaluator, values.upper + 1)
    if node.name == VALUE:
        position = evaluator.object(node.arguments[0])
        return evolve(_value_at(evaluator, position, typed.type), unit=typed.unit)
    operands = [_operand(evaluator, argument, typed.type) for argument in node.arguments]
    if node.name == POSITION:
        return _position(evaluator, operands[0], typed.type)
    chosen = _chosen(evaluator, node.name, (operands[0], operands[1]), typed.type)
    return evolve(chosen, unit=typed.unit)


def _operand(evaluator: Naming, node: ast.Node, type_: Type | None) -> TypedValue:
    """Return an argument; a constant as a number of a fixed-point type."""
    rules, bare = evaluator.rules, strip(type_)
    constant = rules.constant(node) if rules is not None and is_fixed_point(bare) else None
    if constant is None or not isinstance(bare, Base):
        return evaluator.object_as(node, type_)
    from dwarfgpu.language.ada.conversions import fixed_point  # few numbers are so

    return TypedValue(type_, bits=fixed_point(bare, constant))


def _position(evaluator: Naming, value: TypedValue, type_: Type | None) -> TypedValue:
    """Return `t'pos(x)`: the number of an enumerator, or a number itself."""
    if _base_values(strip(type_)) is None or _base_values(strip(value.type)) is None:
        raise UsageError("'POS only defined on discrete types")
    number = _number(evaluator, value)
    bare = strip(value.type)
    if isinstance(bare, Enum) and not isinstance(evaluator.objects, Unevaluated):
        position = bare.table.positions.get(number)
        if position is None:
            raise UsageError("enumeration value is invalid: can't find 'POS")
        number = position
    return _integer(evaluator, number)


def _value_at(evaluator: Naming, position: TypedValue, type_: Type | None) -> TypedValue:
    """Return `t'val(n)`: the value of a position, which the base type of a subtype may have."""
    whole = _base_values(strip(type_))
    if whole is None:
        raise UsageError("'VAL only defined on discrete types")
    if not is_integer(position.type) or _is_character(strip(position.type)):
        raise UsageError("'VAL requires integral argument")
    if isinstance(evaluator.objects, Unevaluated):
        return _scalar(evaluator, type_, whole.lower)
    number, bare = _number(evaluator, position), strip(type_)
    if isinstance(bare, Enum):
        if not 0 <= number < len(bare.enumerators):
            raise UsageError(_OUT_OF_RANGE)
        return _scalar(evaluator, type_, bare.enumerators[number][1])
    if not whole.lower <= number <= whole.upper:
        raise UsageError(_OUT_OF_RANGE)
    return _scalar(evaluator, type_, number)


def _chosen(
    evaluator: Naming, name: str, operands: tuple[TypedValue, TypedValue], type_: Type | None
) -> TypedValue:
    """Return `t'min(x, y)` or `t'max(x, y)`: of the type if that has the number."""
    arithmetic, (left, right) = evaluator.arithmetic, operands
    if all(map(is_fixed_point, (type_, left.type, right.type))):
        from dwarfgpu.language.ada.conversions import of_multiples  # few numbers are so

        chosen = of_multiples(
            arithmetic, evaluator.rules, min if name == MINIMUM else max, left, right
        )
        if chosen is not None:
            return evolve(chosen, type=type_)
    is_left = arithmetic.compared("<=" if name == MINIMUM else ">=", left, right)
    chosen = left if is_left else right
    if _values(type_) is None and not is_floating(type_):
        raise UsageError(f"'{name} only defined on scalar types")
    result = arithmetic.cast(chosen, type_)
    if arithmetic.compared("==", result, chosen):
        return result
    sides = arithmetic.numbers.usual(arithmetic.number(left), arithmetic.number(right))
    return arithmetic.value(sides[0] if is_left else sides[1])


# Values


def _is_character(bare: BareType | None) -> bool:
    return isinstance(bare, Base) and bare.base.encoding in CHARACTERS


def _number(evaluator: Naming, value: TypedValue) -> int:
    return evaluator.arithmetic.number(value).value.integer


def _integer(evaluator: Naming, number: int) -> TypedValue:
    """Return a number of the type int, or of a longer one that it needs."""
    size = INT_BITS
    while not -(1 << size - 1) <= number < 1 << size - 1:
        size *= 2
    return evaluator.arithmetic.value(evaluator.arithmetic.numbers.integer(number, size))


def _scalar(evaluator: Naming, type_: Type | None, number: int) -> TypedValue:
    """Return a number of a discrete or fixed-point type; an integer where the type has not that
    value, as the last index of an empty array."""
    bare, integer = strip(type_), _integer(evaluator, number)
    if isinstance(bare, Base) and bare.base.scale is not None:
        size = bounded(bare.base.bit_size)
        return TypedValue(type_, bits=Bits(number & (1 << size) - 1, size))
    whole = _base_values(bare)
    if whole is None or not whole.lower <= number <= whole.upper:
        return integer
    return evaluator.arithmetic.cast(integer, type_)
