"""Arrays of Ada with separate bounds: a pointer to the elements and one to the bounds."""

from __future__ import annotations

from dwarfgpu.dwarf.names.fortran_ada import pointer_to_elements
from dwarfgpu.dwarf.types.types import Struct
from dwarfgpu.errors import UndefinedBits
from dwarfgpu.session.resolve_type import TypedObject
from dwarfgpu.view.object_printer import Shown


def unconstrained_array(shown: Shown, struct_type: Struct, first_bit: int) -> TypedObject | None:
    """Return the array that such a structure represents; None for any other structure, and for
    null."""
    if shown.options.style != "ada" or shown.whole is None:
        return None
    pointer = pointer_to_elements(struct_type)
    if pointer is None:
        return None
    start = struct_type.members[0].bit_offset or 0
    bits = shown.object.bits(first_bit + start, 8 * pointer.size_bytes)
    if not bits.is_complete:
        raise UndefinedBits("the address of the array is unknown")
    if not bits.value:
        return None
    whole = shown.whole
    resolved = whole.resolver.resolved(pointer.target, whole.part(first_bit), whole.around)
    return TypedObject(resolved.type, whole.resolver.at(bits.value))
