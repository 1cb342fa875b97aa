"""Arrays of Ada with separate bounds: a pointer to the elements and one to the bounds."""

from __future__ import annotations

from dwarfgpu.dwarf.names.fortran_ada import pointer_to_elements
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Pointer, Struct, Type, Typedef, unqualified
from dwarfgpu.errors import UndefinedBits
from dwarfgpu.session.resolve_type import TypedObject
from dwarfgpu.view.object_printer import Shown


def unconstrained_array(shown: Shown, struct_type: Struct, first_bit: int) -> TypedObject | None:
    """Return the array that such a structure represents; None for any other structure, and for
    null."""
    pointer, whole = _pointer(shown, struct_type), shown.whole
    if pointer is None or whole is None:
        return None
    address = _address(shown, struct_type, first_bit)
    if not address:
        return None
    resolved = whole.resolver.resolved(pointer.target, whole.part(first_bit), whole.around)
    return TypedObject(resolved.type, whole.resolver.at(address))


def null_text(
    shown: Shown, type_: Type | None, struct_type: Struct, first_bit: int, depth: int
) -> str | None:
    """Return `(text_access) 0x0` for such a structure without an array, the type only outside of
    other objects; None for any other structure."""
    if _pointer(shown, struct_type) is None or _address(shown, struct_type, first_bit):
        return None
    if depth or shown.options.is_listed or not shown.options.pointer_types:
        return "0x0"
    is_named = isinstance(unqualified(type_), Typedef)  # GNAT describes types of access values so
    return f"({'' if is_named else 'access '}{shown.type_name(type_)}) 0x0"


def _pointer(shown: Shown, struct_type: Struct) -> Pointer | None:
    return pointer_to_elements(struct_type) if shown.options.style == "ada" else None


def _address(shown: Shown, struct_type: Struct, first_bit: int) -> int:
    """Return the address of the elements; `UndefinedBits` if it is unknown."""
    pointer, start = struct_type.members[0].type, struct_type.members[0].bit_offset or 0
    bits = shown.object.bits(first_bit + start, size_bits(pointer) or 0)
    if not bits.is_complete:
        raise UndefinedBits("the address of the array is unknown")
    return bits.value
