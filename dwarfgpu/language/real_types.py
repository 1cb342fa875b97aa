"""The class as which an object was created, by its virtual function table (Itanium C++ ABI 2.5.2).

Law: where the object, its table or the class is unknown, there is no answer, and the static type is
shown.
"""

from __future__ import annotations

from dwarfgpu.base.argument_types import names_wrong_arguments
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Pointer, Qualified, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, UndefinedBits
from dwarfgpu.language import value_text
from dwarfgpu.language.created_class import created_class
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import DEFAULT_OPTIONS, FormatOptions, Symbolize
from dwarfgpu.view.object_printer import space_and_address


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
    created, located = created_class(objects, value), space_and_address(value.location)
    if created is None or located is None:
        return None
    typed, (space, address) = created.typed, located
    name = type_name(typed.type, cplusplus=True)
    if (size_bytes(typed.type) or 0) < (size_bytes(value.type) or 0):
        return RealObject(value, name)
    source_space = objects.source_space(value, space)
    pointer = objects.pointer(typed.type, space, address + created.to_top, typed.unit, source_space)
    return RealObject(objects.dereferenced(pointer), name)


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
