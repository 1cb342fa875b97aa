"""The class as which an object was created, by its virtual function table (Itanium C++ ABI 2.5.2).

Law: where the object, its table or the class is unknown, there is no answer, and the static type is
shown.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.bits import signed
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.meaning import has_tag
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.scope.symbol_at_address import symbol_covering
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Pointer, Qualified, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.language import value_text
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.value_text import read_memory
from dwarfgpu.language.vtables import has_virtual_table
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import DEFAULT_OPTIONS, FormatOptions, Symbolize
from dwarfgpu.view.object_printer import space_and_address

_TABLE: Final = "vtable for "


@frozen
class RealObject:
    """An object, and the class that it has."""

    value: TypedValue
    """All of the object; the part that the static type describes while its constructor or
    destructor runs."""
    name: str
    """The name of the class."""


@names_wrong_arguments
def format_source(
    value: TypedValue,
    session: Session,
    options: FormatOptions = DEFAULT_OPTIONS,
    symbolize: Symbolize | None = None,
) -> str:
    """Return the text of a value, as `Reading.text`: `<optimized out>` or `<error: …>` where there
    are no contents. With the option `object`, that of the whole object and its class."""
    value = ObjectAccess(session).read(value)
    if value.error is not None and not isinstance(value.error, UndefinedBits):
        return f"<error: {value.error}>"
    return format(value, session, options, symbolize)


def format(
    value: TypedValue,
    session: Session,
    options: FormatOptions = DEFAULT_OPTIONS,
    symbolize: Symbolize | None = None,
) -> str:
    """Return the text of a value, as `value_text.format`; with the option `object`, that of the
    whole object and its class."""
    if options.object:
        objects = ObjectAccess(session)
        real = real_object(objects, value)
        if real is not None:
            return f"({real.name}) {value_text.format(real.value, session, options, symbolize)}"
        value = real_pointer(objects, value)
    return value_text.format(value, session, options, symbolize)


def real_object(objects: ObjectAccess, value: TypedValue) -> RealObject | None:
    """Return the whole object that contains a value of a class; None if that is unknown."""
    located = space_and_address(value.location)
    width = objects.architecture.address_space(0).address_bits // 8
    try:
        table = table_of(objects, value)
        if located is None or table is None:
            return None
        space, address = located
        # The offset to the top is two words before the functions; a table may have none.
        top = table - 2 * width
        symbol = symbol_covering(objects.session.loaded_objects(), top)
        if symbol is None or not symbol.name.startswith(_TABLE):
            return None
        to_top = signed(_word(objects, top), 8 * width)
    except DwarfGpuError:
        return None
    typed = _class_named(objects, symbol.name.removeprefix(_TABLE))
    if typed is None:
        return None
    name = type_name(typed.type, cplusplus=True)
    if (size_bytes(typed.type) or 0) < (size_bytes(value.type) or 0):
        return RealObject(value, name)
    source_space = objects.source_space(value, space)
    pointer = objects.pointer(typed.type, space, address + to_top, typed.unit, source_space)
    return RealObject(objects.dereferenced(pointer), name)


def table_of(objects: ObjectAccess, value: TypedValue) -> int | None:
    """Return the address of the functions in the table of an object; None if it has none, or is not
    in memory. `Unavailable` if the object cannot be read."""
    located = space_and_address(value.location)
    if located is None or not has_virtual_table(value.type):
        return None
    space, address = located
    return _word(objects, address, space.number)


def _word(objects: ObjectAccess, address: int, space_number: int = 0) -> int:
    width = objects.architecture.address_space(0).address_bits // 8
    data = read_memory(objects, address, space_number, width)
    return int.from_bytes(data, objects.architecture.endian)


def real_pointer(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return a pointer or reference to the whole object to which one leads; the same one if that is
    unknown."""
    bare = strip(value.type)
    if not isinstance(bare, Pointer) or not isinstance(strip(bare.target), Struct):
        return value
    try:
        read = objects.read(value)
        part = objects.dereferenced(read)
        real = real_object(objects, part)
    except DwarfGpuError:
        return value
    moved = None if real is None else moved_pointer(read, part, real.value)
    if real is None or moved is None:
        return value
    target = _qualified(real.value.type, bare.target)
    kind = _qualified(evolve(bare, target=target), value.type)
    return evolve(moved, type=kind, unit=real.value.unit)


def moved_pointer(pointer: TypedValue, part: TypedValue, whole: TypedValue) -> TypedValue | None:
    """Return a pointer that has been read, from a part of an object to the whole, as far as these
    are apart: the number of a pointer to private memory is not its address there. None if they are
    not in one memory."""
    first, last, bits = (
        space_and_address(part.location),
        space_and_address(whole.location),
        pointer.bits,
    )
    if first is None or last is None or first[0] != last[0] or bits is None:
        return None
    number = bits.value + last[1] - first[1] & (1 << bits.size_bits) - 1
    return evolve(pointer, bits=Bits(number, bits.size_bits), variable=None, location=None)


def _qualified(type_: Type | None, like: Type | None) -> Type | None:
    """Return a type with the qualifiers of another one."""
    qualifiers = []
    for _ in range(MAX_CHAIN):
        if not isinstance(like, Qualified):
            break
        qualifiers.append(like.qualifier)
        like = like.target
    for qualifier in reversed(qualifiers):
        type_ = Qualified(qualifier, type_)
    return type_


def _class_named(objects: ObjectAccess, name: str) -> TypedValue | None:
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
