"""The alignment of types, as compilers of C and C++ have it."""

from __future__ import annotations

from typing import TypeAlias

from dwarfgpu.arch.abi import Abi
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.types.type_sizes import nested_arrays, size_bytes
from dwarfgpu.dwarf.types.types import (
    Array,
    BareType,
    Base,
    Member,
    MemberPointer,
    Pointer,
    Struct,
    Type,
    denoted,
    is_method_pointer,
    strip,
)
from dwarfgpu.errors import UsageError
from dwarfgpu.language.other_units import require_one_instance

_MOST_ATOMIC_BYTES = 16
"""The largest object that is aligned to its size only because it is atomic."""

_Known: TypeAlias = dict[int, tuple[Struct | Array, int | None]]
"""Structures and arrays by their identity, with their alignment; None while that is determined."""


def alignment_bytes(type_: Type | None, abi: Abi) -> int:
    """Return the alignment of a type; `UsageError` if it has none, or it cannot be known.

    DW_AT_alignment where the file has it (DWARF 5 2.24). For another structure it is the largest of
    its members; for a scalar what the ABI says, its size for most; for a complex number that of a
    part; for void it is 1, as in GNU C. No attribute says how compilers align a vector, nor that a
    structure is packed.
    """
    return _alignment(type_, abi, {})


def _alignment(type_: Type | None, abi: Abi, known: _Known) -> int:
    """Return that of the elements, for arrays in one another, which may be in many others."""
    passed: list[Array] = []
    for _ in range(nested_arrays(type_)):
        bare = strip(type_)
        if not isinstance(bare, Array) or denoted(type_).alignment or id(bare) in known:
            break
        if bare.is_vector:
            raise _unknown()
        passed.append(bare)
        type_ = bare.element
    alignment = _of_element(type_, abi, known)
    for array_type in passed:
        known[id(array_type)] = array_type, alignment
    return alignment


def _of_element(type_: Type | None, abi: Abi, known: _Known) -> int:
    named = denoted(type_)
    bare = named.bare
    if named.alignment:
        return named.alignment
    if bare is None:  # void, as sizeof has it
        return 1
    if isinstance(bare, Array):
        kept = known[id(bare)][1]
        assert kept is not None  # no array is in itself
        return kept
    own = _of_structure(bare, abi, known) if isinstance(bare, Struct) else _of_scalar(bare, abi)
    size = size_bytes(bare)
    is_atomic = "atomic" in named.qualifiers
    if size and is_atomic and not size & size - 1 and size <= _MOST_ATOMIC_BYTES:
        return max(size, own)
    return own


def _unknown() -> UsageError:
    return UsageError("could not determine alignment of type")


def _of_structure(struct_type: Struct, abi: Abi, known: _Known) -> int:
    """Return the alignment of a structure, which is determined once: one may have many members of
    another, which has many of a third."""
    if id(struct_type) not in known:
        known[id(struct_type)] = struct_type, None
        known[id(struct_type)] = struct_type, _of_members(struct_type, abi, known)
    alignment = known[id(struct_type)][1]
    if alignment is None:  # it is a member of itself
        raise _unknown()
    return alignment


def _of_members(struct_type: Struct, abi: Abi, known: _Known) -> int:
    if struct_type.is_declaration:
        require_one_instance(struct_type)
        raise _unknown()
    if struct_type.declared.alignment:
        return struct_type.declared.alignment
    size = struct_type.size_bytes or 0
    if size % 2:  # a structure in an array has its alignment, too
        return 1
    most, is_packed = 1, False
    for member in struct_type.members:
        if not member.is_static:
            declared = None if member.die is None else member.die.integer(dw.AT_ALIGNMENT)
            own = declared or _alignment(member.type, abi, known)
            most = max(most, own)
            is_packed = is_packed or _is_misaligned(member, own)
    if is_packed or size % most:
        raise _unknown()
    return most


def _is_misaligned(member: Member, own: int) -> bool:
    """Return whether a member is where its alignment allows none: a bit-field may be anywhere, and
    where a virtual base is depends on the object."""
    if member.is_bit_field or member.location is not None or member.bit_offset is None:
        return False
    return member.bit_offset % (8 * own) != 0


def _of_scalar(bare: BareType, abi: Abi) -> int:
    size = size_bytes(bare) or 0
    if is_method_pointer(bare):  # of two parts
        size //= 2
    is_number = not isinstance(bare, Pointer | MemberPointer)
    if isinstance(bare, Base):
        if bare.base.vector_size is not None:
            raise _unknown()
        if bare.base.encoding == "complex_float":
            size //= 2
        is_number = bare.base.encoding != "decimal_float"
    most = abi.most_number_alignment_bytes
    if most is not None and is_number and 8 * size <= abi.long_double_bits:
        size = min(size, most)
    if not size or size & size - 1:
        raise _unknown()
    return size
