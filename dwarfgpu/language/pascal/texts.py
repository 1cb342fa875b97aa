"""Comparisons of characters and strings of Pascal, also of those with wider characters than the
other one's, and of what a PChar points to.

Law: what Free Pascal computes is the answer. It converts a string to the wider characters by the
code page that the program has then: only ASCII is the same in each.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.names.fortran_ada import is_string
from dwarfgpu.dwarf.types.type_sizes import size_bytes
from dwarfgpu.dwarf.types.types import Array, Pointer, Struct, Type, strip
from dwarfgpu.errors import Unsupported
from dwarfgpu.language.c_numbers import holds
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.pascal.allocated_strings import (
    allocated_name,
    is_character,
    is_pointer_to_characters,
)
from dwarfgpu.language.pascal.short_string_elements import contents_of_record, ended_at_nul
from dwarfgpu.language.read_strings import pointed
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.language.unevaluated import Unevaluated

LAST_OF_ASCII: Final = 127
"""The characters up to it are the same in each code page."""


def texts_compared(
    objects: ObjectAccess, operator: str, left: TypedValue, right: TypedValue
) -> bool | None:
    """Compare two strings, or a string and a character or a PChar; None for other operands.

    `Unsupported` where the code page of the program decides, and for a string whose length the
    debug information does not say.
    """
    kinds = (left.type, right.type)
    if all(map(is_character, kinds)) and size_bytes(left.type) == size_bytes(right.type):
        return None  # as numbers
    if all(map(is_pointer_to_characters, kinds)) and not any(map(allocated_name, kinds)):
        return None  # as addresses
    sides = [
        contents_of_record(objects, side)
        if isinstance(strip(side.type), Struct)
        else ended_at_nul(objects, side)
        for side in (left, right)
    ]
    if not all(_is_text(side.type) for side in sides):
        return None
    if isinstance(objects, Unevaluated):
        return False  # only the type is wanted
    first, second = (codes_of(objects, side) for side in sides)
    sizes = [character_bytes(side.type) for side in sides]
    if (
        sizes[0] != sizes[1]
        and max(first if sizes[0] < sizes[1] else second, default=0) > LAST_OF_ASCII
    ):
        raise Unsupported(
            "a character of 8 bits that is none of ASCII: the code page of the program decides"
            " which one of another size it is"
        )
    return holds(operator, (first > second) - (first < second))


def pointed_length(objects: ObjectAccess, value: TypedValue) -> int:
    """Return how many characters a PChar points to."""
    return len(codes_of(objects, value))


def _is_text(type_: Type | None) -> bool:
    return is_string(type_) or is_character(type_) or is_pointer_to_characters(type_)


def character_bytes(type_: Type | None) -> int:
    """Return the size of the characters of a text."""
    bare = strip(type_)
    if isinstance(bare, Array):
        bare = strip(bare.element)
    elif isinstance(bare, Pointer):
        bare = strip(bare.target)
    return size_bytes(bare) or 1


def codes_of(objects: ObjectAccess, value: TypedValue) -> list[int]:
    """Return the numbers of the characters of a text, of a PChar up to a NUL."""
    width, endian = character_bytes(value.type), objects.context.endian
    if is_pointer_to_characters(value.type):
        if allocated_name(value.type) is not None:
            raise Unsupported("the debug information does not say how long the string is")
        is_nil = not objects.known(value).value
        data = b"" if is_nil else pointed(objects, value, width)
    else:
        data = objects.known(value).to_bytes(endian)
    return [
        int.from_bytes(data[start : start + width], endian) for start in range(0, len(data), width)
    ]
