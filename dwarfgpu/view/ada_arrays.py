"""Arrays of Ada with separate bounds: a pointer to the elements and one to the bounds.

GNAT describes them as a structure of `P_ARRAY` and `P_BOUNDS`; the bounds of the array to which the
first points are evaluated with the structure as the object.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.types.types import Array, Dynamic, Pointer, Struct, strip
from dwarfgpu.errors import UndefinedBits
from dwarfgpu.session.resolve_type import TypedObject
from dwarfgpu.view.object_printer import Shown

_MEMBERS: Final = ("P_ARRAY", "P_BOUNDS")


def unconstrained_array(shown: Shown, struct_type: Struct, first_bit: int) -> TypedObject | None:
    """Return the array that such a structure represents; None for any other structure, and for
    null."""
    members = struct_type.members
    if shown.options.style != "ada" or shown.whole is None:
        return None
    if tuple(member.name for member in members) != _MEMBERS or members[0].bit_offset is None:
        return None
    pointer = strip(members[0].type)
    if not isinstance(pointer, Pointer) or not isinstance(strip(pointer.target), Dynamic | Array):
        return None
    bits = shown.object.bits(first_bit + members[0].bit_offset, 8 * pointer.size_bytes)
    if not bits.is_complete:
        raise UndefinedBits("the address of the array is unknown")
    if not bits.value:
        return None
    whole = shown.whole
    resolved = whole.resolver.resolved(pointer.target, whole.part(first_bit), whole.around)
    return TypedObject(resolved.type, whole.resolver.at(bits.value))
