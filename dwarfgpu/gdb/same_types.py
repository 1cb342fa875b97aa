"""Whether a type of GDB is one of the program: a name alone may mean another type in another file,
or in a block."""

from __future__ import annotations

from typing import Final

import gdb

from dwarfgpu.dwarf.types.type_sizes import element_type, size_bytes
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Pointer, Struct, Type, strip

_MOST_POINTERS: Final = 4
"""Targets of pointers, and elements, that are compared."""
_REFERENCES: Final = (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


def is_same_type(gdb_type: gdb.Type, kind: Type | None, depth: int = _MOST_POINTERS) -> bool:
    """Return whether sizes, kinds, and the names and offsets of members agree, as far as both know
    them."""
    bare, gdb_type = strip(kind), gdb_type.strip_typedefs()
    if bare is None:
        return bool(gdb_type.code == gdb.TYPE_CODE_VOID)
    if isinstance(bare, Pointer):
        if gdb_type.code not in _REFERENCES:
            return False
        return depth == 0 or is_same_type(gdb_type.target(), bare.target, depth - 1)
    size = size_bytes(bare)
    if isinstance(bare, Struct):
        return _is_same_structure(gdb_type, bare, size)
    if not _may_have_size(gdb_type, size):
        return False
    if isinstance(bare, Array) and gdb_type.code == gdb.TYPE_CODE_ARRAY and depth:
        return is_same_type(gdb_type.target(), element_type(bare), depth - 1)
    if isinstance(bare, Enum):
        if gdb_type.code != gdb.TYPE_CODE_ENUM:
            return False
        values = {(field.name.rpartition("::")[2], field.enumval) for field in gdb_type.fields()}
        return values == {(name.rpartition("::")[2], value) for name, value in bare.enumerators}
    return not isinstance(bare, Base) or _is_same_base(gdb_type, bare)


def _is_same_structure(gdb_type: gdb.Type, struct_type: Struct, size: int | None) -> bool:
    if gdb_type.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return False
    fields = gdb_type.fields()
    if struct_type.is_declaration or not fields:  # one of them is only declared
        return True
    if not _may_have_size(gdb_type, size):
        return False
    known = {(field.name, _bit_offset(field)) for field in fields}
    return known >= {
        (member.name, member.bit_offset)
        for member in struct_type.members
        if member.name
        and member.bit_size is None
        and member.bit_offset is not None
        and not (member.is_static or member.is_base_class or member.is_artificial)
    }


def _may_have_size(gdb_type: gdb.Type, size: int | None) -> bool:
    """Return whether the sizes agree; GDB has none for a type whose size each object determines."""
    return size is None or gdb_type.sizeof in (None, size)


def _bit_offset(field: gdb.Field) -> int | None:
    """Return where a member begins; None for a static one."""
    try:
        return int(field.bitpos)
    except AttributeError:
        return None


def _is_same_base(gdb_type: gdb.Type, kind: Base) -> bool:
    encoding = kind.base.encoding
    for codes, encodings in (
        ((gdb.TYPE_CODE_FLT,), ("float",)),
        ((gdb.TYPE_CODE_COMPLEX,), ("complex_float",)),
    ):
        if (gdb_type.code in codes) != (encoding in encodings):
            return False
    if gdb_type.code not in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR):
        return True
    try:
        is_signed = bool(gdb_type.is_signed)
    except AttributeError:  # before GDB 12
        return True
    return not kind.base.is_integral or is_signed == kind.base.is_signed
