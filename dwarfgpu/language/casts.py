"""Explicit casts: `(type) x`, `{type} address`, and the four named casts of C++."""

from __future__ import annotations

from typing import TypeGuard

from dwarfgpu.base.bits import signed
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.types import Base, Enum, MemberPointer, Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, UndefinedBits, UsageError
from dwarfgpu.language.arithmetic import Arithmetic
from dwarfgpu.language.arithmetic_conversions import is_integer
from dwarfgpu.language.base_class_casts import way_up
from dwarfgpu.language.base_classes import is_same_class
from dwarfgpu.language.member_pointers import reinterpreted_member
from dwarfgpu.language.name_resolution import Typed
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated

_DYNAMIC = "Argument to dynamic_cast"


def written_cast(arithmetic: Arithmetic, value: TypedValue, to: Typed) -> TypedValue:
    """Cast a value to a type name; its address classes are those of its own unit."""
    unit = to.unit or value.unit
    if _keeps_address(value.type, to.type):
        value = arithmetic.objects.read(value)
        if isinstance(value.error, UndefinedBits):  # as in GDB, it stays `<optimized out>`
            return TypedValue(to.type, error=value.error, unit=unit)
    return evolve(arithmetic.cast(value, to.type), unit=unit)


def loses_bits(arithmetic: Arithmetic, value: TypedValue, to: Typed) -> bool:
    """Return whether a cast to a pointer truncates an integer, which GDB warns of on machines of
    less than 64 bits (`value_cast`)."""
    bare, address_bits = strip(to.type), arithmetic.objects.architecture.address_bits
    if address_bits >= 64 or not isinstance(bare, Pointer) or bare.kind != "pointer":
        return False
    if not is_integer(strip(value.type)) or isinstance(arithmetic.objects, Unevaluated):
        return False
    try:
        number = signed(arithmetic.number(value).value.integer, 64)
    except DwarfGpuError:
        return False  # the cast reports what is unknown
    return abs(number) >> address_bits != 0


def _keeps_address(from_: Type | None, to: Type | None) -> bool:
    """Return whether a cast between pointers leaves the address as it is; pointers to two classes
    may differ by the offset of a base class."""
    pointers = strip(from_), strip(to)
    targets = [
        strip(bare.target)
        for bare in pointers
        if isinstance(bare, Pointer) and bare.kind == "pointer"
    ]
    return len(targets) == 2 and not all(isinstance(target, Struct) for target in targets)


def in_memory(arithmetic: Arithmetic, address: TypedValue, to: Typed) -> TypedValue:
    """Return `{type} address`: the address is used unchanged, as in GDB, even for an object of a
    derived class."""
    if isinstance(strip(address.type), Struct):
        raise UsageError("Value can't be converted to integer.")
    return arithmetic.objects.dereferenced(_untyped(arithmetic, address, to))


def named_cast(arithmetic: Arithmetic, how: str, value: TypedValue, to: Typed) -> TypedValue:
    """Cast as `static_cast<type>(value)` and similar casts; errors have GDB's wording."""
    if how == "reinterpret":
        return _reinterpreted(arithmetic, value, to)
    if how == "dynamic" and not _is_upwards(arithmetic.objects, value, to.type):
        return _asked(arithmetic, value, to)
    return written_cast(arithmetic, value, to)


def _untyped(arithmetic: Arithmetic, value: TypedValue, to: Typed) -> TypedValue:
    """Return a pointer to the type at an address that no base class moves."""
    builtins = arithmetic.numbers.builtins
    pointer = written_cast(arithmetic, value, Typed(builtins.pointer(None), to.unit))
    return written_cast(arithmetic, pointer, Typed(builtins.pointer(to.type), to.unit))


def _reinterpreted(arithmetic: Arithmetic, value: TypedValue, to: Typed) -> TypedValue:
    bare = strip(to.type)
    if isinstance(bare, Pointer) and bare.kind != "pointer":
        return evolve(arithmetic.referring(value, bare), unit=to.unit or value.unit)
    value = arithmetic.decayed(value)
    from_, kind = _kind(strip(value.type)), _kind(bare)
    kinds = {from_, kind}
    if None in kinds or (kinds == {"integer"}) or kinds == {"pointer", "member"}:
        raise UsageError("Invalid reinterpret_cast")
    if from_ != "integer" and kind == "integer" and not is_integer(bare):
        # None makes a pointer an enumeration (C++ [expr.reinterpret.cast]p4), and a bool is too
        # small. As in GDB, other integers take what they have bits for.
        raise UsageError("Invalid reinterpret_cast")
    if kinds == {"member"} and to.type is not None:
        return evolve(
            reinterpreted_member(arithmetic.objects, value, to.type), unit=to.unit or value.unit
        )
    if kinds == {"pointer"}:
        void = Typed(arithmetic.numbers.builtins.pointer(None), to.unit)
        value = written_cast(arithmetic, value, void)
    return written_cast(arithmetic, value, to)


def _kind(bare: Type | None) -> str | None:
    match bare:
        case Pointer():
            return "pointer"
        case MemberPointer():
            return "member"
        case Enum():
            return "integer"
        case Base() if bare.base.is_integral or is_integer(bare):
            return "integer"
        case _:
            return None


def _is_class(bare: Type | None) -> TypeGuard[Struct]:
    return isinstance(bare, Struct) and bare.kind != "union"


def _may_be_null(bare: Type | None) -> bool:
    """Return whether 0 of a type is a null pointer for GDB: not of char16_t and the like."""
    return isinstance(bare, Base) and is_integer(bare) and bare.base.encoding != "UTF"


def _is_upwards(objects: ObjectAccess, value: TypedValue, to: Type | None) -> bool:
    """Return whether the types alone determine the result of a dynamic_cast; `UsageError` if they
    have none."""
    bare, value_type = strip(to), strip(value.type)
    if not isinstance(bare, Pointer):
        raise UsageError(f"{_DYNAMIC} must be a pointer or reference type")
    target = strip(bare.target)
    if target is not None and not _is_class(target):
        raise UsageError(f"{_DYNAMIC} must be pointer to class or `void *'")
    if bare.kind != "pointer":
        if not _is_class(value_type):
            raise UsageError(f"{_DYNAMIC} does not have class type")
        source: Type | None = value_type
    elif isinstance(value_type, Pointer):
        source = strip(value_type.target)
        if not _is_class(source):
            raise UsageError(f"{_DYNAMIC} does not have pointer to class type")
    elif _may_be_null(value_type) and not objects.known(value).value:
        return False  # a null pointer, as in GDB
    else:
        raise UsageError(f"{_DYNAMIC} does not have pointer type")
    return target is not None and (
        way_up(source, target) is not None or is_same_class(source, target)
    )


def _asked(arithmetic: Arithmetic, value: TypedValue, to: Typed) -> TypedValue:
    """Return a dynamic_cast whose result the object decides: null for a pointer to an object
    without the class, an error for a reference to one."""
    from dwarfgpu.language.dynamic_casts import public_part  # few casts ask the object

    objects, bare = arithmetic.objects, strip(to.type)
    assert isinstance(bare, Pointer)
    is_pointer = bare.kind == "pointer"
    is_null = is_pointer and not objects.known(value).value
    if is_null or isinstance(objects, Unevaluated):
        return _reinterpreted(arithmetic, value, to)
    source = objects.dereferenced(objects.read(value)) if is_pointer else value
    part = public_part(objects, source, objects.completed(bare.target))
    if part is None and not is_pointer:
        raise UsageError("dynamic_cast failed")
    if part is None:
        part = arithmetic.value(arithmetic.numbers.integer(0))
    elif is_pointer:
        part = objects.address_of(part)
    return written_cast(arithmetic, part, to)
