"""Objects whose text follows from their type and their bits alone.

Law: two such objects of one type in one wave, with equal bits that are all known, have equal
texts, wherever they are; if they are not pointers, in all waves of a machine. What reads memory or
names its own place is not among them: strings, references, empty arrays, members that are
evaluated, dynamic arrays of D, and classes with printers.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.constants import Style
from dwarfgpu.dwarf.types.types import (
    Array,
    Base,
    Enum,
    Member,
    Pointer,
    Struct,
    Type,
    may_be_dynamic_array,
    strip,
)
from dwarfgpu.view.printers.printer import Printers
from dwarfgpu.view.strings import character_kind

_STYLES: Final = ("c", "pascal")
"""In others a structure may describe an array elsewhere, as in Ada."""
_DEEPEST: Final = 8
"""Types nested deeper are taken to be of the other kind."""


def is_text_of_bits(type_: Type | None, style: Style, printers: Printers, depth: int = 0) -> bool:
    """Return whether the bits of an object, all known, are enough for its text."""
    bare = strip(type_)
    if style not in _STYLES or depth > _DEEPEST:
        return False
    match bare:
        case Base() | Enum():
            return True
        case Pointer():
            has_text = character_kind(bare.target, style, is_text=True) is not None
            return bare.kind == "pointer" and not has_text
        case Array():
            has_elements = bool(bare.dimensions) and all(bare.dimensions)
            return has_elements and is_text_of_bits(bare.element, style, printers, depth + 1)
        case Struct():
            if bare.is_declaration or bare.size_bytes is None or bare.declared.variant_parts:
                return False
            return (
                printers.of(bare) is None
                and not may_be_dynamic_array(bare)
                and all(
                    _is_in_place(member)
                    and is_text_of_bits(member.type, style, printers, depth + 1)
                    for member in bare.members
                )
            )
        case _:
            return False


def _is_in_place(member: Member) -> bool:
    """Return whether the member is at a fixed offset in the bits of its object."""
    is_elsewhere = member.is_static or member.is_virtual or member.location is not None
    return not is_elsewhere and member.bit_offset is not None
