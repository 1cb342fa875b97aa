"""Casts between a class and its base classes, with pointer adjustment (C++ 7.6.1.9).

Law: casts that cannot be placed are refused, never reinterpreted: to an ambiguous base class, and
down from a virtual one of an object whose class is unknown. As in GDB, the object determines the
place of the latter: the table of virtual functions names its class. The caller reinterprets
unrelated classes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.undecided_class import instances_of, may_be_several_instances
from dwarfgpu.dwarf.types.types import Member, Pointer, Struct, Type, strip
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import DwarfGpuError, EvaluationError, UsageError
from dwarfgpu.language.base_classes import is_same, is_same_class, way_to
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.other_units import require_one_instance
from dwarfgpu.language.syntax.expression_language import language_of
from dwarfgpu.language.typed_value import TypedValue, memory_in_gdbs_words
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import UNDEFINED_LOCATION, Location
from dwarfgpu.model.object import Bits
from dwarfgpu.session.type_attributes import displaced


@frozen
class Kinship:
    """The way from a class to one of its base classes."""

    steps: tuple[Member, ...]
    """The base classes on the way, from the outside."""
    is_up: bool
    """Whether the cast is from the derived class to the base class."""

    @property
    def is_of_object(self) -> bool:
        """Whether a cast down needs the class of the object: the base class is virtual."""
        return not self.is_up and any(
            step.is_virtual or step.location is not None for step in self.steps
        )

    @property
    def offset_bytes(self) -> int | None:
        """The offset of the base class; None if it depends on the object."""
        if self.is_of_object or any(step.location is not None for step in self.steps):
            return None
        return sum(step.bit_offset or 0 for step in self.steps) // 8

    @property
    def displacement_bytes(self) -> int | None:
        """The bytes by which a pointer moves; None if the object decides."""
        offset = self.offset_bytes
        return offset if self.is_up or offset is None else -offset


def kinship(source: Type | None, target: Type | None) -> Kinship | None:
    """Return how a class is related to another one; None if it is unrelated, or the same.

    `UsageError` for an ambiguous base class.
    """
    up = way_up(source, target)
    if up is not None:
        return up
    down = way_up(target, source)
    return None if down is None else evolve(down, is_up=False)


def way_of_pointer(source: Type | None, target: Type | None) -> Kinship | None:
    """Return the same for pointers. Of classes that may be several instances of a template all
    have to lead to one address; `UsageError` if they do not."""
    sources, targets = instances_of(source), instances_of(target)
    if not sources and not targets:
        return kinship(source, target)
    ways = [kinship(one, other) for one in sources or (source,) for other in targets or (target,)]
    if len({0 if way is None else way.displacement_bytes for way in ways}) > 1:
        require_one_instance(source if sources else target)
    return next((way for way in ways if way is not None), None)


def require_defined(unit: CompilationUnit | None, derived: Type | None, base: Type | None) -> None:
    """Raise `UsageError` for a C++ class that is only declared: its base classes are unknown."""
    a, b = strip(derived), strip(base)
    if not (isinstance(a, Struct) and isinstance(b, Struct) and language_of(unit).is_cplusplus):
        return
    for struct in (a, b) if a.name != b.name else ():
        if struct.is_declaration and not may_be_several_instances(struct):
            raise UsageError(
                f"class '{_name(struct)}' has no definition: whether the other one is a base "
                f"class is unknown; cast to void * first to take the address as it is"
            )


def way_up(derived: Type | None, base: Type | None) -> Kinship | None:
    """Return the way from a class to one of its base classes; None if it is not a base class.

    `UsageError` if there are several ways.
    """
    derived_class, base_class = strip(derived), strip(base)
    if (
        not isinstance(derived_class, Struct)
        or not isinstance(base_class, Struct)
        or is_same(derived_class, base_class)
    ):
        return None
    steps = way_to(
        derived_class, lambda candidate: is_same(candidate, base_class), _name(base_class)
    )
    return None if steps is None else Kinship(steps, is_up=True)


def _name(type_: Type | None) -> str:
    return type_name(type_, cplusplus=True)


def converted(objects: ObjectAccess, value: TypedValue, way: Kinship, type_: Type) -> TypedValue:
    """Return an object as that of a base class, or of a class derived from it."""
    if way.is_up:
        for step in way.steps:
            value = objects.step(value, step)
        return evolve(value, type=type_)
    if way.is_of_object and isinstance(objects, Unevaluated):
        return TypedValue(type_, UNDEFINED_LOCATION, unit=value.unit)
    if way.is_of_object:
        return _of_whole_object(objects, value, type_)
    offset = way.offset_bytes
    if value.location is None or offset is None:
        raise UsageError("Invalid cast.")
    derived_value = objects.resolver.resolved(type_, displaced(value.location, -8 * offset))
    return TypedValue(
        derived_value.type,
        derived_value.location,
        unit=value.unit,
        source_space=value.source_space,
        notes=value.notes,
    )


def _of_whole_object(objects: ObjectAccess, value: TypedValue, target: Type) -> TypedValue:
    """Return the object of a derived class that contains a value as a virtual base class.

    `UsageError` if the class of the whole object is unknown, or is not derived from that one,
    `Unavailable` if the object cannot be read.
    """
    # For virtual base classes.
    from dwarfgpu.language.created_class import table_of
    from dwarfgpu.language.real_types import real_object

    with memory_in_gdbs_words():
        table_of(objects, value)
    real = real_object(objects, value)
    whole = None if real is None else real.value
    if whole is not None and is_same_class(whole.type, target):
        return evolve(whole, type=target)
    way = None if whole is None else way_up(whole.type, target)
    if whole is None or way is None:
        name = "unknown" if real is None else f"'{real.name}'"
        raise UsageError(
            f"cannot convert from base class '{_name(value.type)}' to derived class "
            f"'{_name(target)}' because the base is virtual and the class of the object is {name}"
        )
    return converted(objects, whole, way, target)


def pointed_class(objects: ObjectAccess, value: TypedValue, bare: Pointer) -> Type | None:
    """Return the target of a pointer: of a class that may be several instances of a template the
    one that the object has, if it says so."""
    target = objects.completed(bare.target)
    if may_be_several_instances(target):
        with suppress(DwarfGpuError):  # the types may be enough
            return objects.dereferenced(value).type
    return target


def converted_pointer(objects: ObjectAccess, value: TypedValue, target: Type | None) -> TypedValue:
    """Return a pointer that is moved to an object of its new target; its type does not change. Null
    stays null.

    Only where a virtual base class is on the way is the object read.
    """
    bare = strip(value.type)
    source = pointed_class(objects, value, bare) if isinstance(bare, Pointer) else None
    target = objects.completed(target)
    way = None if source is None else way_of_pointer(source, target)
    if way is None:
        require_defined(value.unit, source, target)
        return value
    assert isinstance(bare, Pointer)
    value = objects.read(value)
    if way.is_of_object and target is not None:
        if isinstance(objects, Unevaluated) or _is_null(objects, value, bare):
            return value
        from dwarfgpu.language.real_types import moved_pointer  # for virtual base classes alone

        part = objects.dereferenced(value)
        whole = moved_pointer(value, part, _of_whole_object(objects, part, target))
        if whole is None:
            raise EvaluationError("the object to which the pointer points is not in memory")
        return whole
    removed = value.pointer
    if removed is not None:
        offset = _moved_bytes(objects, way, lambda: objects.pointee(value))
        moved = removed.displacement_bytes + offset
        return evolve(value, pointer=evolve(removed, displacement_bytes=moved))
    bits = objects.known(value)
    if _is_null(objects, value, bare):
        return value
    space = objects.space_of(bare, value.unit)
    offset = _moved_bytes(objects, way, lambda: objects.at(space, bits.value))
    address = bits.value + offset & (1 << bits.size_bits) - 1
    return evolve(value, bits=Bits(address, bits.size_bits), location=None, variable=None)


def _is_null(objects: ObjectAccess, value: TypedValue, bare: Pointer) -> bool:
    return value.bits is not None and value.bits.value == objects.null_of(bare, value.unit)


def _moved_bytes(objects: ObjectAccess, way: Kinship, where: Callable[[], Location]) -> int:
    """Return the adjustment of a pointer; calls `where` for the object only if it determines
    that."""
    offset = way.displacement_bytes
    if offset is not None:
        return offset
    start = location = where()
    with memory_in_gdbs_words():
        for step in way.steps:
            location = objects.resolver.member_location(location, step)
    first, last = start.single_locations[0], location.single_locations[0]
    if first.storage != last.storage:
        raise EvaluationError("the base class is not in the object to which the pointer points")
    return (last.bit_offset - first.bit_offset) // 8
