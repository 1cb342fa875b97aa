"""Arrays of Ada with separate bounds: a pointer to the elements and one to the bounds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

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


def access_pieces(
    shown: Shown, type_: Type | None, struct_type: Struct, first_bit: int, depth: int,
    letter: str | None,
) -> Iterator[str] | None:  # fmt: skip
    """Return the text of such a structure that is an access value, as that of other pointers:
    `(text_access) 0x4010`, the type only outside of other objects. None for any other structure,
    and for the array itself: GNAT names the types of access values alone by typedefs."""
    pointer = _pointer(shown, struct_type)
    if pointer is None or not isinstance(unqualified(type_), Typedef):
        return None
    is_value = depth or shown.options.is_listed
    if shown.options.summary and not depth:
        return iter(("...",))
    start = struct_type.members[0].bit_offset or 0
    bits = shown.object.bits(first_bit + start, size_bits(pointer) or 0)
    number = shown.scalar(shown, pointer, pointer, bits, max(depth, 1), letter)
    is_typed = shown.options.pointer_types and not is_value
    return chain((f"({shown.type_name(type_)}) ",), number) if is_typed else number


def pointed_array(
    shown: Shown, pointer: Pointer, number: int, depth: int, letter: str | None
) -> Iterator[str] | None:
    """Return the text of the address of such a structure that is no access value, as that of a
    parameter: as in GDB, with the array in place of the number. None for any other pointer."""
    target, resolver = pointer.target, shown.resolver
    bare = unqualified(target)
    is_shown = number and resolver is not None and letter in (None, "s", "r")
    if not is_shown or not isinstance(bare, Struct) or _pointer(shown, bare) is None:
        return None
    assert resolver is not None
    array = shown.placed(TypedObject(target, resolver.at(number)), None, depth, letter)
    is_typed = not depth and shown.options.pointer_types and not shown.options.is_listed
    return chain((f"({shown.type_name(pointer)}) ",), array) if is_typed else array


def _pointer(shown: Shown, struct_type: Struct) -> Pointer | None:
    return pointer_to_elements(struct_type) if shown.options.style == "ada" else None


def _address(shown: Shown, struct_type: Struct, first_bit: int) -> int:
    """Return the address of the elements; `UndefinedBits` if it is unknown."""
    pointer, start = struct_type.members[0].type, struct_type.members[0].bit_offset or 0
    bits = shown.object.bits(first_bit + start, size_bits(pointer) or 0)
    if not bits.is_complete:
        raise UndefinedBits("the address of the array is unknown")
    return bits.value
