"""Find the value that a function returned, by the calling convention of AMD GPUs.

Source: AMDGPU usage, "Non-Kernel Functions" (values are returned in VGPRs from v0 on), and how
clang lowers types for it: an aggregate of up to 64 bits is returned as dwords of its memory, a
larger one in parts with registers of their own, if they are not too many.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.access.exact_reads import register_bytes
from dwarfgpu.base.records import frozen
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Member, Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session

_MAX_DWORDS: Final = 16
"""Maximum number of dwords of an aggregate, by members; a larger one is returned in memory."""
_MAX_REGISTERS: Final = 32
"""VGPRs in which values are returned."""
_NOCALL: Final = 3
"""DW_CC_nocall: the function does not obey the convention."""
_PASS_BY_REFERENCE: Final = 4
"""DW_CC_pass_by_reference: the class has a copy constructor or destructor of its own."""
_DWORD: Final = 32
_IN_MEMORY: Final = "it is returned in memory, at an address that the caller passed"


@frozen
class NotReturned:
    """Why the value that a function returned is not known."""

    reason: str


def result_type(function: Subprogram) -> Type | None:
    """Return the type of the value that a function returns; None if it returns none."""
    types = types_of(function.unit)
    for die in function.die.origins():
        kind = types.type_of(die)
        if kind is not None:
            return kind
    return None


def returned_value(session: Session, function: Subprogram, type_: Type) -> TypedValue | NotReturned:
    """Return the value that a function has just returned in the lane in focus, or the reason why it
    is unknown."""
    if session.architecture.machine != "AMDGPU" or session.lane is None:
        return NotReturned(f"the calling convention of {session.architecture.name} is not known")
    if _convention(function) == _NOCALL:
        return NotReturned("the compiler has changed how the function is called (DW_CC_nocall)")
    size = size_bits(type_)
    if size is None:
        return NotReturned("its type has no known size")
    try:
        pieces = _pieces(type_)
    except _Undecided as undecided:
        return NotReturned(undecided.reason)
    bits = 0
    for number, (offset, count) in enumerate(pieces):
        dword = _lane(session, number)
        if dword is None:
            return NotReturned(f"v{number} is not known")
        bits |= (dword & (1 << count) - 1) << offset
    return TypedValue(type_, bits=Bits(bits & (1 << size) - 1, size), unit=function.unit)


def _convention(function: Subprogram) -> int | None:
    numbers = (die.integer(dw.AT_CALLING_CONVENTION) for die in function.die.origins())
    return next((number for number in numbers if number is not None), None)


def _lane(session: Session, number: int) -> int | None:
    """Return the dword of the lane in focus in a VGPR; None if it is unknown."""
    register, target, lane = (
        session.architecture.register_named(f"v{number}"),
        session.target,
        session.lane,
    )
    if register is None or target is None or lane is None:
        return None
    try:
        return int.from_bytes(register_bytes(target, session.wave, register, 4 * lane, 4), "little")
    except DwarfGpuError:
        return None


class _Undecided(Exception):
    """The convention does not say where values of a type are."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _pieces(type_: Type) -> list[tuple[int, int]]:
    """Return which bits of the object the registers from v0 on have: offsets and counts;
    `_Undecided` where that is not known."""
    bare, size = strip(type_), size_bits(type_) or 0
    if isinstance(bare, Struct):
        if _is_passed_by_reference(bare):
            raise _Undecided(_IN_MEMORY)
        fields = [member for member in bare.members if not member.is_static]
        only = strip(fields[0].type) if len(fields) == 1 else None
        is_single = isinstance(only, Base | Enum | Pointer) and not fields[0].is_bit_field
        if size <= 2 * _DWORD and fields and not is_single:
            return _dwords(0, size)
        if sum(map(_dword_count, fields)) > _MAX_DWORDS:
            raise _Undecided(_IN_MEMORY)
    pieces = list(_parts(type_, 0))
    if len(pieces) > _MAX_REGISTERS:
        raise _Undecided(_IN_MEMORY)
    return pieces


def _dword_count(member: Member) -> int:
    """Return how many registers clang counts for a member."""
    bare = strip(member.type)
    if member.is_base_class:
        return 0
    if isinstance(bare, Struct):
        return sum(_dword_count(part) for part in bare.members if not part.is_static)
    return -(-(size_bits(member.type) or 0) // _DWORD)


def _parts(type_: Type | None, offset: int) -> Iterator[tuple[int, int]]:
    bare, size = strip(type_), None if type_ is None else size_bits(type_)
    if size is None:
        raise _Undecided("a part of its type has no known size")
    match bare:
        case Base() | Enum() | Pointer():
            yield from _dwords(offset, size)
        case Struct():
            yield from _parts_of_struct(bare, offset)
        case Array() if len(bare.dimensions) == 1 and bare.dimensions[0] is not None:
            element = size_bits(bare.element)
            count = bare.dimensions[0]
            if element is None or (bare.is_vector and element < 16):
                raise _Undecided("the convention of vectors of bytes is not documented")
            if bare.is_vector and element == 16:
                yield from _dwords(offset, 16 * count)
                return
            for index in range(count):
                yield from _parts(bare.element, offset + index * element)
        case _:
            raise _Undecided("the convention of a part of its type is not documented")


def _parts_of_struct(struct_type: Struct, offset: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of the members; `_Undecided` if clang adds others for padding."""
    if struct_type.kind == "union" or struct_type.is_declaration:
        raise _Undecided("the convention of large unions is not documented")
    end = 0
    for member in struct_type.members:
        if member.is_static:
            continue
        bit_offset, size = (
            member.bit_offset,
            size_bits(member.type) if member.type is not None else None,
        )
        inner = strip(member.type)
        is_empty = isinstance(inner, Struct) and not inner.members
        if member.is_virtual or member.is_bit_field or bit_offset is None or size is None:
            raise _Undecided(
                "the convention of its bit-fields or virtual base classes is not known"
            )
        if is_empty and member.is_base_class:
            continue
        if is_empty or bit_offset != -(-end // (alignment := _alignment(member.type))) * alignment:
            raise _Undecided("the convention of padding of its own is not documented")
        yield from _parts(member.type, offset + bit_offset)
        end = bit_offset + size


def _alignment(type_: Type | None) -> int:
    """Return LLVM's alignment of a type for AMD GPUs, in bits."""
    bare = strip(type_)
    match bare:
        case Struct():
            return max((_alignment(m.type) for m in bare.members if not m.is_static), default=8)
        case Array() if not bare.is_vector:
            return _alignment(bare.element)
    size = size_bits(type_) if type_ is not None else None
    return 1 << max((size or 8) - 1, 7).bit_length()


def _dwords(offset: int, size: int) -> list[tuple[int, int]]:
    return [
        (offset + bit_offset, min(_DWORD, size - bit_offset))
        for bit_offset in range(0, size, _DWORD)
    ]


def _is_passed_by_reference(struct_type: Struct) -> bool:
    return struct_type.convention == _PASS_BY_REFERENCE
