"""Arrays of Ada whose bounds are beside them: parameters of unconstrained types, and what access
values to such types designate."""

from __future__ import annotations

from dwarfgpu.dwarf.names.fortran_ada import is_string, pointer_to_elements
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Dynamic, Pointer, Qualified, Struct, Type, strip
from dwarfgpu.errors import UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_fixed_point, is_floating, is_integer
from dwarfgpu.language.constant_expressions import Constant
from dwarfgpu.language.name_resolution import Typed
from dwarfgpu.language.number_rules import NumberRules, name_of
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits, concatenate


def stands_for_array(type_: Type | None) -> bool:
    """Return whether an index of an object of the type is one of another object, an array."""
    bare = strip(type_)
    if not isinstance(bare, Pointer):
        return isinstance(bare, Struct) and pointer_to_elements(bare) is not None
    target = strip(bare.target)
    if isinstance(target, Struct):
        return pointer_to_elements(target) is not None
    return isinstance(target, Array | Dynamic)


def is_parameter(type_: Type | None) -> bool:
    """Return whether a type is the structure by which GNAT describes a parameter that is an array
    with separate bounds; access values to such arrays are of a typedef of it."""
    while isinstance(type_, Qualified):
        type_ = type_.target
    return isinstance(type_, Struct) and pointer_to_elements(type_) is not None


def array_of(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return the array that is indexed in place of a value: what an access value or a reference
    designates, with the bounds that GNAT keeps beside it; any other value as it is.

    `UsageError` for null; raise why a reference is lost. Where nothing is evaluated, the bounds are
    not resolved.
    """
    array = array_unless_null(objects, value)
    if array is None:
        raise UsageError("Cannot access memory at address 0x0")
    return array


def array_unless_null(objects: ObjectAccess, value: TypedValue) -> TypedValue | None:
    """Return what `array_of` does; None for a null access value to an unconstrained type."""
    if not stands_for_array(value.type):
        return value
    if isinstance(strip(value.type), Pointer):
        value = objects.dereferenced(value)
    bare = strip(value.type)
    pointer = pointer_to_elements(bare) if isinstance(bare, Struct) else None
    if pointer is None:
        return value
    if isinstance(objects, Unevaluated):
        return TypedValue(pointer.target, UNDEFINED_LOCATION, unit=value.unit)
    if value.location is None:
        objects.known(value)
        return value
    address = objects.known(objects.read(objects.member(value, "P_ARRAY"))).value
    if not address:
        return None
    resolved = objects.resolver.resolved(pointer.target, value.location, value.around)
    return TypedValue(resolved.type, objects.resolver.at(address), unit=value.unit)


def assigned(
    arithmetic: Arithmetic,
    rules: NumberRules | None,
    target: TypedValue,
    value: TypedValue,
    constant: Constant | None = None,
) -> tuple[TypedValue, TypedValue]:
    """Return the operands of an assignment of Ada: of parameters that are arrays these, and a
    string literal as an array of the target's type; a number that is assigned to a fixed-point one
    is converted. `constant`: the number that a static expression is, exactly.

    `UsageError` for arrays of different lengths (Ada 2012 4.6), for a record and an array, and for
    an integer and a real number.
    """
    if is_floating(value.type) and is_integer(target.type) and target.convenience is None:
        name = name_of(target.type)
        raise UsageError(
            f"Ada assigns no real number to the type {name}: {name}(x) is the nearest integer."
        )
    objects = arithmetic.objects
    is_fixed = is_fixed_point(target.type) and target.convenience is None
    if isinstance(objects, Unevaluated):
        return target, target if is_fixed or _is_literal(value) else value
    if is_fixed:
        from dwarfgpu.language.ada.conversions import converted  # few numbers are so

        to_type = Typed(target.type, target.unit)
        return target, converted(arithmetic, rules, value, to_type, constant)
    target, value = (
        array_of(objects, side) if is_parameter(side.type) else side for side in (target, value)
    )
    to, from_ = strip(target.type), strip(value.type)
    if not isinstance(from_, Array) or target.convenience is not None:
        return target, value
    if isinstance(to, Struct):
        raise UsageError("Invalid cast.")
    if not isinstance(to, Array):
        return target, value
    if to.dimensions != from_.dimensions:
        raise UsageError("cannot assign arrays of different length")
    if not _is_literal(value) or not is_string(to):
        return target, value
    endian, size = objects.context.endian, size_bits(to.element) or 8
    codes = objects.known(value).to_bytes(endian)  # its characters have a byte each
    bits = concatenate([Bits(code, size) for code in codes], endian)
    return target, TypedValue(target.type, bits=bits, unit=target.unit)


def _is_literal(value: TypedValue) -> bool:
    return value.unit is None and value.location is None and is_string(value.type)
