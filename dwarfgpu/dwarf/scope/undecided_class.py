"""Classes of C++ that a unit only declares, as instances of a template that may be any of several.

gcc gives all instances whose values differ in their types alone one name, `W<3>`, and the entries
of what it only declares have no arguments.

Law: such a class has the size and the data members that are the same in all instances; whatever
else is asked of it is an error that names them.
"""

from __future__ import annotations

from functools import partial
from typing import Final, Never

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import ANONYMOUS
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Member, Struct, Type, strip
from dwarfgpu.errors import UsageError

_OF_FILE: Final = ("",)
"""Instead of what is known of a member, if that is of one file, or of one object."""


def _definitions(type_: Type | None) -> tuple[Die, ...]:
    """Return the entries that may define an instance of a template of C++ which is only declared;
    none for any other type."""
    declared = strip(type_)
    die = declared.die if isinstance(declared, Struct) and declared.is_declaration else None
    if die is None or "<" not in type_name(declared, cplusplus=True) or not die.unit.is_cplusplus:
        return ()
    return die.unit.info.class_definitions(die)


def may_be_several_instances(type_: Type | None) -> bool:
    """Return whether a class is only declared, and may be several instances of a template, which
    differ in the types of their values alone."""
    return len(_definitions(type_)) > 1


def instances_of(type_: Type | None) -> tuple[Struct, ...]:
    """Return the instances that such a class may be; none for any other type."""
    definitions = _definitions(type_)
    if len(definitions) < 2:
        return ()
    built = (strip(types_of(die.unit).build(die)) for die in definitions)
    return tuple(instance for instance in built if isinstance(instance, Struct))


def with_common_members(type_: Struct) -> Struct:
    """Return such a class with the size, data members and base classes of all its instances; any
    other class as it is."""
    instances = instances_of(type_)
    if not instances:
        return type_
    sizes = {instance.size_bytes for instance in instances}
    return evolve(
        type_,
        size_bytes=sizes.pop() if len(sizes) == 1 else None,
        members=partial(_common_members, type_, instances),
        declared=partial(_refuse, type_),
    )


def _common_members(type_: Struct, instances: tuple[Struct, ...]) -> tuple[Member, ...]:
    """Return the base classes, which have to be the same, and the data members that are."""
    described = [
        {member: _described(member) for member in instance.members if not member.is_static}
        for instance in instances
    ]
    common = set[tuple[object, ...]].intersection(*(set(one.values()) for one in described))
    for parts in described:
        if any(member.is_base_class and parts[member] not in common for member in parts):
            _refuse(type_)
    first = described[0]
    return tuple(member for member in first if first[member] in common - {_OF_FILE})


def _described(member: Member) -> tuple[object, ...]:
    """Return what is to be the same of a data member or base class."""
    from dwarfgpu.dwarf.scope.exact_functions import spelling_with_types  # few classes need it

    kind = spelling_with_types(member.type)
    is_of_file = not kind or "{" in kind or ANONYMOUS in kind
    if is_of_file or not member.name or member.location is not None:
        return _OF_FILE
    size = member.declared_bit_size
    return kind, member.name, member.bit_offset, size, member.is_base_class, member.access


def _refuse(type_: Struct) -> Never:
    error = why_undecided(type_)
    assert error is not None
    raise error


def why_undecided(type_: Type | None) -> UsageError | None:
    """Return the error that a class may be several instances, and which; None for any other
    type."""
    definitions = _definitions(type_)
    if len(definitions) < 2:
        return None
    # Few names have values.
    from dwarfgpu.dwarf.names.comparable import ambiguous_instance
    from dwarfgpu.dwarf.scope.exact_instances import shown_with_types

    shown = sorted(map(shown_with_types, definitions))
    return UsageError(ambiguous_instance(type_name(strip(type_), cplusplus=True), shown))
