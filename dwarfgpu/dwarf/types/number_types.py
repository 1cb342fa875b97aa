"""The integral types as which objects are read as numbers."""

from __future__ import annotations

from dwarfgpu.base.base_type import BaseType, unsigned_type
from dwarfgpu.base.bits import Endian
from dwarfgpu.dwarf.types.type_sizes import enum_base
from dwarfgpu.dwarf.types.types import Base, Enum, Pointer, Type, strip


def number_type(type_: Type | None, endian: Endian) -> BaseType | None:
    """Return the integral type of an integer, an enumeration or a pointer; None for any other type.

    `IllFormed` for an enumeration without a size.
    """
    bare = strip(type_)
    if isinstance(bare, Enum):
        return enum_base(bare, endian)
    if isinstance(bare, Pointer) and bare.kind == "pointer":
        return unsigned_type(8 * bare.size_bytes, endian)
    if not isinstance(bare, Base) or bare.first_bit or bare.base.vector_size is not None:
        return None
    if bare.base.encoding == "address":
        return unsigned_type(bare.base.bit_size, bare.base.endian)
    is_number = bare.base.is_integral and bare.base.encoding != "boolean"  # as for GDB
    return bare.base if is_number else None
