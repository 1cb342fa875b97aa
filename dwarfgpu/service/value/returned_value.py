"""What a function returned, by the call convention of AMD GPUs.

Source: AMDGPU usage, "Non-Kernel Functions" (values are returned in VGPRs from v0 on), and how
clang lowers types for it: an aggregate of up to 64 bits is returned as dwords of its memory, a
larger one in parts, each of which has registers of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scope.subprogram import Subprogram
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Pointer, Struct, Type, size_bits, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language.value import TypedValue
from dwarfgpu.model.object import Bits
from dwarfgpu.session.session import Session

_MAX_REGISTERS: Final = 16
"""What needs more is in memory, where the caller says."""
_NOCALL: Final = 3
"""DW_CC_nocall: the function does not obey the convention."""
_DWORD: Final = 32


def result_type(function: Subprogram) -> Type | None:
    """The type of the value that a function returns; None if it returns none."""
    types = types_of(function.unit)
    for die in function.die.origins():
        kind = types.type_of(die)
        if kind is not None:
            return kind
    return None


def returned_value(session: Session, function: Subprogram, kind: Type) -> TypedValue | None:
    """The value that a function has just returned to the lane in focus.

    None where the convention does not say where it is, or a register is not known.
    """
    if session.architecture.machine != "AMDGPU" or session.lane is None:
        return None
    if _convention(function) == _NOCALL:
        return None
    size, pieces = size_bits(kind), _pieces(kind)
    if size is None or not pieces:
        return None
    bits = 0
    for number, (offset, count) in enumerate(pieces):
        dword = _lane(session, number)
        if dword is None:
            return None
        bits |= (dword & (1 << count) - 1) << offset
    return TypedValue(kind, bits=Bits(bits & (1 << size) - 1, size), unit=function.unit)


def _convention(function: Subprogram) -> int | None:
    numbers = (die.integer(dw.AT_CALLING_CONVENTION) for die in function.die.origins())
    return next((number for number in numbers if number is not None), None)


def _lane(session: Session, number: int) -> int | None:
    """What the lane in focus has in a VGPR; None if that is unknown."""
    register, target, lane = (
        session.architecture.register_named(f"v{number}"),
        session.target,
        session.lane,
    )
    if register is None or target is None or lane is None:
        return None
    try:
        return int.from_bytes(target.read_register(session.wave, register, 4 * lane, 4), "little")
    except DwarfGpuError:
        return None


def _pieces(kind: Type) -> list[tuple[int, int]]:
    """Which bits of the object the registers from v0 on have: offsets and counts; empty where that
    is not known."""
    bare, size = strip(kind), size_bits(kind)
    if size is None or not size:
        return []
    if isinstance(bare, Struct) and not _is_plain(bare):
        return []
    if isinstance(bare, Struct) and size <= 2 * _DWORD and not _only_scalar(bare):
        return _dwords(0, size)
    try:
        pieces = list(_parts(kind, 0))
    except _Unknown:
        return []
    return pieces if len(pieces) <= _MAX_REGISTERS else []


class _Unknown(Exception):
    """The convention of a type is not known."""


def _parts(kind: Type | None, offset: int) -> Iterator[tuple[int, int]]:
    bare, size = strip(kind), None if kind is None else size_bits(kind)
    if size is None:
        raise _Unknown
    match bare:
        case Base() | Enum() | Pointer():
            yield from _dwords(offset, size)
        case Struct():
            if not _is_plain(bare):
                raise _Unknown
            for member in bare.members:
                if not member.is_static:
                    yield from _parts(member.type, offset + (member.bit_offset or 0))
        case Array() if len(bare.dimensions) == 1 and bare.dimensions[0] is not None:
            element = size_bits(bare.element)
            count = bare.dimensions[0]
            if element is None or (bare.is_vector and element < 16):
                raise _Unknown
            if bare.is_vector and element == 16:
                yield from _dwords(offset, 16 * count)
                return
            for index in range(count):
                yield from _parts(bare.element, offset + index * element)
        case _:
            raise _Unknown


def _dwords(offset: int, size: int) -> list[tuple[int, int]]:
    return [(offset + at, min(_DWORD, size - at)) for at in range(0, size, _DWORD)]


def _is_plain(kind: Struct) -> bool:
    """Whether a structure is copied bit by bit, and its parts do not overlap."""
    if kind.kind == "union" or kind.is_declaration:
        return False
    return all(
        member.is_static
        or not (
            member.is_base_class
            or member.is_virtual
            or member.bit_size is not None
            or member.bit_offset is None
        )
        for member in kind.members
    )


def _only_scalar(kind: Struct) -> bool:
    """Whether a structure has one member, which is no aggregate: it is returned as that."""
    members = [member for member in kind.members if not member.is_static]
    return len(members) == 1 and not isinstance(strip(members[0].type), Struct | Array)
