"""Dynamic arrays of D, also strings: structures of a length and a pointer to the elements."""

from __future__ import annotations

from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import (
    MAX_TYPE_BITS,
    Array,
    Base,
    Function,
    Member,
    Pointer,
    Struct,
    Type,
    may_be_dynamic_array,
    strip,
)


@frozen
class DynamicArray:
    """The parts of a dynamic array."""

    length: Member
    pointer: Member
    element: Type

    def with_length(self, count: int) -> Array:
        """Return the type of the elements together, of no more than memory can have."""
        return Array(self.element, (min(count, MAX_TYPE_BITS // (size_bits(self.element) or 1)),))


def dynamic_array(type_: Type | None) -> DynamicArray | None:
    """Return the parts of a dynamic array of D; None for any other type, and one of elements of no
    size.

    GDB knows it by the names of its members alone (dynamic_array_type in gdb/d-valprint.c). That of
    a compiler is declared at no line: gdc writes line 0, ldc2 none. Its name is no mark: `int[]`,
    `string`, of ldc2 also `const(int[])` and `slice<int>`.
    """
    bare = strip(type_)
    if not isinstance(bare, Struct) or not may_be_dynamic_array(bare):
        return None
    length, pointer = bare.members
    if length.die is None or length.die.unit.language != dw.LANG_D:
        return None
    number, kind = strip(length.type), strip(pointer.type)
    if not isinstance(number, Base) or not isinstance(kind, Pointer) or kind.target is None:
        return None
    if not _is_size(number, kind) or isinstance(strip(kind.target), Function):
        return None
    if (length.bit_offset, pointer.bit_offset) != (0, number.size_bits):
        return None
    if length.die.integer(dw.AT_DECL_LINE):
        return None
    return DynamicArray(length, pointer, kind.target)


def _is_size(number: Base, pointer: Pointer) -> bool:
    """Return whether a type is that of `size_t`, which has as many bits as a pointer."""
    return number.base.encoding == "unsigned" and number.size_bytes == pointer.size_bytes
