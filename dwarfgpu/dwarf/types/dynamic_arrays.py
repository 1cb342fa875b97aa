"""Dynamic arrays of D and slices of Rust, also strings: structures of a length and a pointer to the
elements."""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.records import evolve, frozen
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

_SLICE: Final = pattern(r"(?:[&*](?:mut |const )?|(?:\w+::)*Box<)(?:\[|(?P<text>str(?:$|,)))")
"""What rustc calls slices. A pointer to a structure with a slice at its end, as
`*const RcInner<[i32]>`, has the same members, but leads to that structure."""


@frozen
class DynamicArray:
    """The parts of a dynamic array or slice."""

    length: Member
    pointer: Member
    element: Type
    is_slice: bool = False
    """Whether it is of Rust."""
    is_text: bool = False
    """Whether it is a `str` of Rust, whose bytes are text."""

    @property
    def shown_element(self) -> Type:
        """The type as which elements are shown."""
        byte = strip(self.element)
        return (
            evolve(byte, is_byte=False) if self.is_text and isinstance(byte, Base) else self.element
        )

    def with_length(self, count: int | None) -> Array:
        """Return the type of the elements together, of no more than memory can have."""
        return self._array(self.element, count)

    def shown_with_length(self, count: int) -> Array:
        """Return the type as which the elements are shown together."""
        return self._array(self.shown_element, count)

    def _array(self, element: Type, count: int | None) -> Array:
        if count is not None:
            count = min(count, MAX_TYPE_BITS // (size_bits(element) or 1))
        return Array(element, (count,), is_value=self.is_slice)


def dynamic_array(type_: Type | None) -> DynamicArray | None:
    """Return the parts of a dynamic array of D or a slice of Rust; None for any other type, and one
    of elements of no size.

    GDB knows both by the names of their members alone (dynamic_array_type in gdb/d-valprint.c,
    rust_slice_type_p in gdb/rust-lang.c). That of a compiler is declared at no line: gdc writes
    line 0, ldc2 and rustc none. The name of one of D is no mark: `int[]`, `string`, of ldc2 also
    `const(int[])` and `slice<int>`.
    """
    bare = strip(type_)
    if not isinstance(bare, Struct) or not may_be_dynamic_array(bare):
        return None
    first, second = bare.members
    is_slice = second.name == "length"
    length, pointer = (second, first) if is_slice else (first, second)
    name = _SLICE.match(bare.name or "") if is_slice else None
    language = dw.LANG_RUST if is_slice else dw.LANG_D
    if length.die is None or length.die.unit.language != language or (is_slice and name is None):
        return None
    number, kind = strip(length.type), strip(pointer.type)
    if not isinstance(number, Base) or not isinstance(kind, Pointer) or kind.target is None:
        return None
    if not _is_size(number, kind) or isinstance(strip(kind.target), Function):
        return None
    if (first.bit_offset, second.bit_offset) != (0, number.size_bits):
        return None
    if length.die.integer(dw.AT_DECL_LINE):
        return None
    is_text = name is not None and name["text"] is not None
    return DynamicArray(length, pointer, kind.target, is_slice=is_slice, is_text=is_text)


def _is_size(number: Base, pointer: Pointer) -> bool:
    """Return whether a type is that of `size_t`, which has as many bits as a pointer."""
    return number.base.encoding == "unsigned" and number.size_bytes == pointer.size_bytes
