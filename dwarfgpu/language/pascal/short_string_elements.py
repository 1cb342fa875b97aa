"""Characters of the short strings of Free Pascal, also behind the ones that count."""

from __future__ import annotations

from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.short_strings import MOST_CHARACTERS, members_of_string
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import (
    Array,
    Member,
    Struct,
    strip,
)
from dwarfgpu.errors import UsageError, counted
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.pascal.allocated_strings import allocated_name, is_character
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated
from dwarfgpu.model.location import single_location_in
from dwarfgpu.model.storage import Memory

_OUTSIDE = "no such vector element"


def element_of_record(objects: ObjectAccess, value: TypedValue, index: int) -> TypedValue | None:
    """Return the element of a short string that is a record: 0 is its length; None for another
    value."""
    parts = parts_of_string(value)
    if parts is None:
        return None
    length, characters, array = parts
    if not 0 <= index <= (array.dimensions[0] or 0):
        raise UsageError(_OUTSIDE)
    before = (characters.bit_offset or 0) + 8 * (index - 1)
    first_bit = before if index else length.bit_offset or 0
    return objects.part(value, array.element, first_bit)


def why_uncertain(array: Array, index: int) -> str | None:
    """Return the note on an element of a short string that is an array, whose type does not say how
    many characters it has; None for one that counts.

    `UsageError` for an index that no short string has.
    """
    length = array.dimensions[0]
    if not 0 <= index <= MOST_CHARACTERS:
        raise UsageError(_OUTSIDE)
    if length is None or index <= length:
        return None
    has = counted(length, "character")
    return f"the string has {has}, and its type does not say whether there is room for {index}"


def contents_of_record(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return the characters that count of a short string that is a record; another value as it
    is."""
    parts = parts_of_string(value)
    if parts is None:
        return value
    length, characters, array = parts
    count = objects.known(objects.step(value, length)).value
    kind = Array(array.element, (count,), lower_bounds=(1,))
    return objects.part(value, kind, characters.bit_offset or 0)


def ended_at_nul(objects: ObjectAccess, value: TypedValue) -> TypedValue:
    """Return an array of characters that is no string up to its first NUL, where Free Pascal ends
    it in an expression; any other value as it is."""
    bare, single = strip(value.type), single_location_in(value.location)
    if not isinstance(bare, Array) or isinstance(objects, Unevaluated) or not is_plain_array(value):
        return value
    if single is None or not isinstance(single.storage, Memory):
        return value
    width = size_bytes(bare.element) or 1
    data = objects.known(value).to_bytes(objects.context.endian)
    characters = (data[start : start + width] for start in range(0, len(data), width))
    count = next((index for index, one in enumerate(characters) if not any(one)), None)
    if count is None:
        return value
    return objects.part(value, Array(bare.element, (count,), lower_bounds=(1,)), 0)


def is_plain_array(value: TypedValue) -> bool:
    """Return whether it is an array of characters that is no string."""
    bare = strip(value.type)
    is_one = isinstance(bare, Array) and not bare.is_short_string and is_string(bare)
    return is_one and allocated_name(value.type) is None


def as_string(objects: ObjectAccess, value: TypedValue) -> TypedValue | None:
    """Return a string, or a character as a string of one; None for any other value."""
    bare = strip(value.type)
    if is_character(bare):
        kind = Array(value.type, (1,), lower_bounds=(1,))
        return TypedValue(kind, bits=objects.known(value), unit=value.unit)
    contents = contents_of_record(objects, ended_at_nul(objects, value))
    return contents if is_string(contents.type) else None


def parts_of_string(value: TypedValue) -> tuple[Member, Member, Array] | None:
    """Return the length and the characters of a short string that is a record, and the type of the
    characters; None for another value."""
    bare = strip(value.type)
    members = members_of_string(bare) if isinstance(bare, Struct) else None
    if members is None:
        return None
    length, characters = members
    array = strip(characters.type)
    assert isinstance(array, Array)
    return length, characters, array
