"""Classes with virtual function tables, and the class as which an object was created, by the name
of its table (Itanium C++ ABI 2.5).

Law: where the table, its name or the class is unknown, there is no answer.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.bits import signed
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.meaning import has_tag
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_covering
from dwarfgpu.dwarf.scope.undecided_class import instances_of
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.inheritance import MOST_BASES
from dwarfgpu.dwarf.types.types import Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, LimitExceeded
from dwarfgpu.language.base_classes import is_same_class, ways_to
from dwarfgpu.language.dereference import Dereference
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.view.object_printer import space_and_address

_TABLE: Final = "vtable for "


@frozen
class CreatedClass:
    """The class of a whole object, and where that is from the part that is known."""

    typed: TypedValue
    """The class without an object."""
    to_top: int
    """In bytes."""


def created_class(objects: Dereference, value: TypedValue) -> CreatedClass | None:
    """Return the class of the whole object that contains a value of a class."""
    width = objects.architecture.address_space(0).address_bits // 8
    try:
        table = table_of(objects, value)
        if table is None:
            return None
        # The offset to the top is two words before the functions; a table may have none.
        top = table - 2 * width
        symbol = symbol_covering(objects.session.loaded_objects(), top)
        if symbol is None or not symbol.name.startswith(_TABLE):
            return None
        to_top = signed(_word(objects, top), 8 * width)
    except DwarfGpuError:
        return None
    typed = _class_named(objects, symbol.name.removeprefix(_TABLE))
    return None if typed is None else CreatedClass(typed, to_top)


def instance_of_object(objects: Dereference, value: TypedValue) -> Struct | None:
    """Return the only instance of a template, of those that the class of a value may be, that the
    object at its address is, or has there as a base class."""
    instances = instances_of(value.type)
    created = created_class(objects, value) if instances else None
    whole = None if created is None else strip(created.typed.type)
    if created is None or not isinstance(whole, Struct):
        return None
    offsets = {instance: _offsets(whole, instance) for instance in instances}
    meant = [one for one in instances if not offsets[one].isdisjoint({None, -created.to_top})]
    return meant[0] if len(meant) == 1 else None


def _offsets(whole: Struct, part: Struct) -> set[int | None]:
    """Return where a class has parts of another one, in bytes; None for what the object decides."""
    if is_same_class(whole, part):
        return {0}
    return {
        None
        if any(step.location is not None for step in way)
        else sum(step.bit_offset or 0 for step in way) // 8
        for way in ways_to(whole, lambda candidate: is_same_class(candidate, part))
    }


def table_of(objects: Dereference, value: TypedValue) -> int | None:
    """Return the address of the functions in the table of an object; None if it has none, or is not
    in memory. `Unavailable` if the object cannot be read."""
    located = space_and_address(value.location)
    if located is None or not has_virtual_table(value.type):
        return None
    space, address = located
    return _word(objects, address, space.number)


def _word(objects: Dereference, address: int, space_number: int = 0) -> int:
    width = objects.architecture.address_space(0).address_bits // 8
    space = objects.architecture.address_space(space_number) if space_number else None
    where = objects.at(space or objects.space_of(Pointer(None), None), address)
    data = objects.context.access.read_bytes(where, width)
    return int.from_bytes(data, objects.architecture.endian)


def _class_named(objects: Dereference, name: str) -> TypedValue | None:
    """Return a value of the class of that name, from outside of functions; None if no unit defines
    it."""
    name = f"::{name}"
    try:
        for meaning in objects.session.meanings(name).of(name, has_tag(CLASSES)):
            if isinstance(meaning, Die) and not meaning.flag(dw.AT_DECLARATION):
                return TypedValue(types_of(meaning.unit).build(meaning), unit=meaning.unit)
    except DwarfGpuError:
        pass  # the static type is known
    return None


def has_virtual_table(type_: Type | None) -> bool:
    """Return whether objects of a class point to virtual function tables."""
    return DynamicClasses().has(type_)


class DynamicClasses:
    """The classes that themselves or in a base class have virtual functions or virtual bases."""

    def __init__(self) -> None:
        self._has_table: dict[Struct, bool] = {}
        self._steps = 0
        """To base classes, again from each class that inherits one."""

    def has(self, type_: Type | None) -> bool:
        """Return whether it is one; `LimitExceeded` if there are too many base classes."""
        bare = strip(type_)
        if not isinstance(bare, Struct):
            return False
        if bare not in self._has_table:
            self._has_table[bare] = False  # as long as its base classes are looked at
            if instances := instances_of(bare):
                have = {self.has(instance) for instance in instances}
                self._has_table[bare] = have == {True}
                return self._has_table[bare]
            bases = bare.index.bases
            self._steps += len(bases)
            if self._steps > MOST_BASES:
                raise LimitExceeded(f"more than {MOST_BASES} base classes")
            is_own = any(method.is_virtual for method in bare.declared.methods)
            self._has_table[bare] = is_own or any(
                member.is_virtual or self.has(member.type) for member in bases
            )
        return self._has_table[bare]
