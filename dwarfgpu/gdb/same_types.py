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


def is_same_type(theirs: gdb.Type, kind: Type | None, depth: int = _MOST_POINTERS) -> bool:
    """Return whether sizes, kinds, and the names and offsets of members agree, as far as both know
    them."""
    bare, theirs = strip(kind), theirs.strip_typedefs()
    if bare is None:
        return bool(theirs.code == gdb.TYPE_CODE_VOID)
    if isinstance(bare, Pointer):
        if theirs.code not in _REFERENCES:
            return False
        return depth == 0 or is_same_type(theirs.target(), bare.target, depth - 1)
    size = size_bytes(bare)
    if isinstance(bare, Struct):
        return _is_same_structure(theirs, bare, size)
    if size is not None and theirs.sizeof != size:
        return False
    if isinstance(bare, Array) and theirs.code == gdb.TYPE_CODE_ARRAY and depth:
        return is_same_type(theirs.target(), element_type(bare), depth - 1)
    if isinstance(bare, Enum):
        if theirs.code != gdb.TYPE_CODE_ENUM:
            return False
        values = {(field.name.rpartition("::")[2], field.enumval) for field in theirs.fields()}
        return values == {(name.rpartition("::")[2], value) for name, value in bare.enumerators}
    return not isinstance(bare, Base) or _is_same_base(theirs, bare)


def _is_same_structure(theirs: gdb.Type, struct_type: Struct, size: int | None) -> bool:
    if theirs.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return False
    fields = theirs.fields()
    if struct_type.is_declaration or not fields:  # one of them is only declared
        return True
    if size is not None and theirs.sizeof != size:
        return False
    known = {(field.name, field.bitpos) for field in fields if hasattr(field, "bitpos")}
    return known >= {
        (member.name, member.bit_offset)
        for member in struct_type.members
        if member.name
        and member.bit_size is None
        and member.bit_offset is not None
        and not (member.is_static or member.is_base_class or member.is_artificial)
    }


def _is_same_base(theirs: gdb.Type, kind: Base) -> bool:
    encoding = kind.base.encoding
    for codes, encodings in (
        ((gdb.TYPE_CODE_FLT,), ("float",)),
        ((gdb.TYPE_CODE_COMPLEX,), ("complex_float",)),
    ):
        if (theirs.code in codes) != (encoding in encodings):
            return False
    if theirs.code not in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR):
        return True
    is_signed = getattr(theirs, "is_signed", None)  # of GDB 12 and newer
    return is_signed is None or not kind.base.is_integral or is_signed == kind.base.is_signed
