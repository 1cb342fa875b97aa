"""Form and follow pointers to members, as the C++ ABI represents them (Itanium 2.3)."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.bits import signed
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import canonical
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import around, is_member
from dwarfgpu.dwarf.scope.parameters import parameter_types, with_parameters
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.class_parts import Method
from dwarfgpu.dwarf.types.types import (
    Function,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    denoted,
    strip,
)
from dwarfgpu.errors import EvaluationError, UsageError
from dwarfgpu.expr.context import ExprLoc, LocList
from dwarfgpu.expr.implicit_conversions import memory_location
from dwarfgpu.language.arithmetic_conversions import bounded
from dwarfgpu.language.base_class_casts import (
    converted,
    kinship,
    require_defined,
    way_up,
)
from dwarfgpu.language.base_classes import is_same_class
from dwarfgpu.language.c_numbers import not_comparable
from dwarfgpu.language.member_lookup import path_to
from dwarfgpu.language.object_access import ObjectAccess, function_type
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.language.value_text import read_memory
from dwarfgpu.model.location import UNDEFINED_LOCATION
from dwarfgpu.model.object import Bits
from dwarfgpu.model.value import Value
from dwarfgpu.view.object_printer import address_of

_PLUS: Final = b"\x22"
"""DW_OP_plus."""
_INVALID: Final = "Invalid cast."


def has_this(die: Die) -> bool:
    """Return whether an entry is a member function that an object has."""
    if die.tag != dw.TAG_SUBPROGRAM or not is_member(die):
        return False
    children = with_parameters(die).children()
    parameters = (child for child in children if child.tag == dw.TAG_FORMAL_PARAMETER)
    first = next(parameters, None)
    return first is not None and first.flag(dw.AT_ARTIFICIAL)


def member_pointer(objects: ObjectAccess, die: Die, name: str) -> TypedValue | None:
    """Return a pointer to a data member or member function; None if it is not part of an object.

    `name`: as written, for the error that it has no place.
    """
    if die.tag == dw.TAG_MEMBER:
        return _to_data(objects, die)
    return _to_function(objects, die, name) if has_this(die) else None


def _class_of(die: Die) -> Struct:
    """Return the named class that has a member, also one of its anonymous parts."""
    for above in around(die):
        if above.tag in CLASSES and above.name is not None:
            kind = types_of(above.unit).build(above)
            if isinstance(kind, Struct):
                return kind
    raise UsageError(f"There is no field named {die.name}")


def _to_data(objects: ObjectAccess, die: Die) -> TypedValue:
    container = objects.completed(_class_of(die))  # type units of its parts only declare it
    assert isinstance(container, Struct)
    path = path_to(container, die.name or "")
    if path is None or any(step.location is not None for step in path):
        raise UsageError(f"There is no field named {die.name}")
    if path[-1].bit_size is not None:
        raise UsageError("Attempt to take the address of a bit-field.")
    size_bytes = objects.architecture.address_bits // 8
    offset = sum(step.bit_offset or 0 for step in path) // 8
    kind = MemberPointer(path[-1].type, container, size_bytes)
    return TypedValue(kind, bits=Bits(offset, 8 * size_bytes), unit=die.unit)


def _to_function(objects: ObjectAccess, die: Die, name: str) -> TypedValue:
    container = _class_of(die)
    pair = _pair(objects, container, die)
    if pair is None:
        raise UsageError(f"There is no field named {name}")
    kind = MemberPointer(function_type(die), container, objects.architecture.address_bits // 4)
    return TypedValue(kind, bits=_of_halves(objects, *pair), unit=die.unit)


def _pair(objects: ObjectAccess, container: Struct, die: Die) -> tuple[int, int] | None:
    """Return the function or slot, and the adjustment of `this`; one of them marks a slot.

    None for a function without code that is not virtual.
    """
    for method in container.declared.methods:
        if _is_it(method, die) and method.slot_index is not None:
            slot = method.slot_index * (objects.architecture.address_bits // 8)
            return (slot, 1) if objects.architecture.abi.marks_virtual_in_second else (slot + 1, 0)
    entry = Subprogram(die).entry
    return None if entry is None else (entry, 0)


def _is_it(method: Method, die: Die) -> bool:
    """Return whether a virtual function of a class is that of an entry: by name and parameters."""
    if not method.is_virtual or method.name != die.name:
        return False
    names = [*map(_spelled, method.written), *(["..."] if method.type.is_variadic else [])]
    return names == parameter_types(die, _spelled)


def _spelled(type_: Type | None) -> str:
    return canonical(type_name(type_, cplusplus=True))


def is_null(objects: ObjectAccess, member: TypedValue) -> bool:
    """Return whether a pointer to member is null: -1 for a data member, no function and no slot for
    a member function (Itanium 2.3)."""
    bits = objects.known(member)
    if not _is_to_function(strip(member.type)):
        return bits.value == (1 << bits.size_bits) - 1
    return objects.architecture.abi.is_null_function(*_halves(objects, bits))


def null_member(objects: ObjectAccess, type_: Type) -> TypedValue:
    """Return the null pointer of a type of pointers to members."""
    kind = strip(type_)
    assert isinstance(kind, MemberPointer)
    size = bounded(8 * kind.size_bytes)
    return TypedValue(type_, bits=Bits(0 if _is_to_function(kind) else (1 << size) - 1, size))


def are_same_members(objects: ObjectAccess, left: TypedValue, right: TypedValue) -> bool:
    """Return whether two pointers to members are equal, that to a member of the base class
    converted to one of the derived class (C++ [expr.eq]).

    `UsageError` for members of classes that are not related.
    """
    to = composite_member(objects, left.type, right.type)
    if to is None:
        raise not_comparable("==")
    left, right = (converted_member(objects, operand, to) for operand in (left, right))
    if is_null(objects, left) or is_null(objects, right):
        return is_null(objects, left) and is_null(objects, right)
    return objects.known(left).value == objects.known(right).value


def composite_member(objects: ObjectAccess, left: Type | None, right: Type | None) -> Type | None:
    """Return the one of two types of pointers to members to which the other converts; None without
    one."""
    a, b = strip(left), strip(right)
    if not isinstance(a, MemberPointer) or not isinstance(b, MemberPointer):
        return None
    if _is_to_function(a) != _is_to_function(b) or a.size_bytes != b.size_bytes:
        return None
    first, second = objects.completed(a.container), objects.completed(b.container)
    if is_same_class(first, second) or way_up(first, second) is not None:
        return left
    return right if way_up(second, first) is not None else None


def converted_member(
    objects: ObjectAccess, value: TypedValue, type_: Type, *, is_cast: bool = False
) -> TypedValue:
    """Return a pointer to member as one of another class: with the offset of the base class (C++
    [conv.mem], Itanium 2.3).

    `is_cast`: it may also become one of a base class, and one of another type as it is. Otherwise
    `UsageError` for these, and always for a virtual or ambiguous base class.
    """
    from_, to = strip(value.type), strip(type_)
    if not isinstance(from_, MemberPointer) or not isinstance(to, MemberPointer):
        raise UsageError(_INVALID)
    size = value.size_bits
    if _is_to_function(from_) != _is_to_function(to) or size != 8 * to.size_bytes:
        raise UsageError(_INVALID)
    source, target = objects.completed(from_.container), objects.completed(to.container)
    if is_cast and not _is_of_one_type(from_.target, to.target):
        return reinterpreted_member(objects, value, type_)
    way = kinship(target, source)
    if way is None:
        require_defined(value.unit, source, target)
    if not is_cast and not is_same_class(source, target) and (way is None or not way.is_up):
        names = [type_name(kind, cplusplus=True) for kind in (source, target)]
        raise UsageError(
            f"A pointer to a member of {names[0]} is none to a member of {names[1]}: cast it."
        )
    if way is None:
        return reinterpreted_member(objects, value, type_)
    for step in way.steps:
        if step.is_virtual or step.location is not None:
            name = type_name(step.type, cplusplus=True)
            raise UsageError(f"pointer to member conversion via virtual base '{name}'")
    if isinstance(objects, Unevaluated):
        return TypedValue(type_, UNDEFINED_LOCATION, unit=value.unit)
    offset = sum(step.bit_offset or 0 for step in way.steps) // 8
    offset = offset if way.is_up else -offset
    bits = objects.known(value)
    if is_null(objects, value):
        moved = bits
    elif _is_to_function(to):
        first, second = _halves(objects, bits)
        shift = int(objects.architecture.abi.marks_virtual_in_second)
        moved = _of_halves(objects, first, second + (offset << shift))
    else:
        moved = Bits(bits.value + offset & (1 << bits.size_bits) - 1, bits.size_bits)
    return TypedValue(type_, bits=moved, unit=value.unit)


def reinterpreted_member(objects: ObjectAccess, value: TypedValue, type_: Type) -> TypedValue:
    """Return the contents of a pointer to member as one of another type (C++
    [expr.reinterpret.cast]); `UsageError` for one of another representation."""
    from_, to = strip(value.type), strip(type_)
    if not isinstance(from_, MemberPointer) or not isinstance(to, MemberPointer):
        raise UsageError(_INVALID)
    if _is_to_function(from_) != _is_to_function(to) or value.size_bits != 8 * to.size_bytes:
        raise UsageError(_INVALID)
    if isinstance(objects, Unevaluated):
        return TypedValue(type_, UNDEFINED_LOCATION, unit=value.unit)
    return TypedValue(type_, bits=objects.known(value), unit=value.unit)


def _is_to_function(kind: Type | None) -> bool:
    return isinstance(kind, MemberPointer) and isinstance(strip(kind.target), Function)


def _is_of_one_type(left: Type | None, right: Type | None) -> bool:
    """Return whether members of two classes have one type: of functions, `this` aside."""
    a, b = strip(left), strip(right)
    if isinstance(a, Function) and isinstance(b, Function):
        return _signature(a) == _signature(b)
    return _spelled(a) == _spelled(b)


def _signature(function: Function) -> tuple[object, ...]:
    this, *after = function.parameters or (None,)
    pointer = strip(this)
    qualifiers = denoted(pointer.target).qualifiers if isinstance(pointer, Pointer) else ()
    spelled = [_spelled(strip(kind)) for kind in (function.result, *after)]
    return sorted(qualifiers), spelled, function.is_variadic


def _halves(objects: ObjectAccess, bits: Bits) -> tuple[int, int]:
    """Return the function or slot, and the adjustment of `this`."""
    half, endian = bits.size_bits // 2, objects.context.endian
    first, second = (bits.slice(n * half, half, endian).value for n in (0, 1))
    return first, second


def _of_halves(objects: ObjectAccess, first: int, second: int) -> Bits:
    bits = objects.architecture.address_bits
    second &= (1 << bits) - 1
    is_little = objects.architecture.endian == "little"
    low, high = (first, second) if is_little else (second, first)
    return Bits(high << bits | low, 2 * bits)


def pointed(objects: ObjectAccess, value: TypedValue, member: TypedValue) -> TypedValue:
    """Return the member of an object at a pointer to member (A.5.14).

    An object of a derived class is first converted to the member's class (C++ expr.mptr). Without
    DW_AT_use_location, the C++ ABI defines the offset of a data member.
    """
    kind = strip(member.type)
    if not isinstance(kind, MemberPointer):
        raise UsageError("non-pointer-to-member value used in pointer-to-member construct")
    bits = objects.known(member)
    if isinstance(strip(kind.target), Function) and isinstance(objects, Unevaluated):
        return TypedValue(kind.target, UNDEFINED_LOCATION, unit=member.unit)
    if isinstance(strip(kind.target), Function):
        return _pointed_function(objects, value, kind, member)
    if is_null(objects, member):
        raise EvaluationError("the pointer to member is null")
    value = _in_class_of(objects, value, kind)
    if isinstance(objects, Unevaluated):
        return TypedValue(kind.target, UNDEFINED_LOCATION, unit=member.unit)
    is_literal = objects.session.strict
    if kind.use_location is None or (not is_literal and _only_adds(kind.use_location, value)):
        return objects.part(value, kind.target, 8 * signed(bits.value, bits.size_bits))
    if value.location is None:
        raise EvaluationError("a pointer to member is followed for objects in places only")
    number = Value.of(bits.value, objects.architecture.generic)
    location = objects.resolver.pointed(kind, number, value.location)
    target = objects.resolver.resolved(kind.target, location)
    return evolve(objects.unlocated_part(value, target.type), location=target.location, around=None)


def _only_adds(use_location: ExprLoc | LocList, value: TypedValue) -> bool:
    """Return whether an object without an address is to have the offset of a member added to it:
    gcc's `DW_OP_plus` takes it for an address."""
    is_plus = isinstance(use_location, ExprLoc) and use_location.expression == _PLUS
    return is_plus and address_of(value.location) is None


def _in_class_of(objects: ObjectAccess, value: TypedValue, kind: MemberPointer) -> TypedValue:
    """Return an object, or the base class of it that a pointer to member is for."""
    container = objects.completed(kind.container)
    way = kinship(value.type, container)
    if way is not None and container is not None:
        return converted(objects, value, way, container)
    if not is_same_class(value.type, container):
        names = [type_name(either, cplusplus=True) for either in (value.type, container)]
        raise UsageError(f"The pointer to a member of {names[1]} is not for objects of {names[0]}.")
    return value


def _pointed_function(
    objects: ObjectAccess,
    value: TypedValue,
    kind: MemberPointer,
    member: TypedValue,
) -> TypedValue:
    """Return the function itself; a virtual one is that of the object's table (Itanium 2.3)."""
    bits = objects.known(member)
    half = bits.size_bits // 2
    first, second = _halves(objects, bits)
    marks_second = objects.architecture.abi.marks_virtual_in_second
    if is_null(objects, member):
        raise EvaluationError("the pointer to member is null")
    if (second if marks_second else first) & 1:
        slot = first if marks_second else first - 1
        adjustment = signed(second, half) >> marks_second
        first = _virtual_function(objects, _in_class_of(objects, value, kind), slot, adjustment)
    location = memory_location(objects.context, objects.architecture.address_space(0), first)
    return TypedValue(kind.target, location, Bits(0, 0), unit=member.unit)


def _virtual_function(
    objects: ObjectAccess, value: TypedValue, slot_bytes: int, adjustment_bytes: int
) -> int:
    """Return the code of the virtual function in a slot of an object's table."""
    address = address_of(value.location)
    if address is None:
        raise UsageError("Attempt to take address of value not located in memory.")
    space = objects.architecture.address_space(0)
    for displacement in (adjustment_bytes, slot_bytes):
        address = (address + displacement) % space.end
        data = read_memory(objects, address, 0, space.address_bits // 8)
        address = int.from_bytes(data, objects.context.endian)
    return address
