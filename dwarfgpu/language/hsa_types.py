"""Types of the HSA runtime, for programs that do not describe them: `(amd_signal_t *) 0x…`.

Law: what the program itself means by a name comes first.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Final

from dwarfgpu.base.base_type import BaseType
from dwarfgpu.dwarf.types.types import Array, Base, Enum, Member, Pointer, Struct, Type, Typedef
from dwarfgpu.machine.hsa_structures import SIGNAL_KINDS, STRUCTURES, HsaMember, HsaStructure
from dwarfgpu.machine.topology import model_of
from dwarfgpu.session.session import Session

_INTEGERS: Final = {
    "u16": ("uint16_t", "unsigned short", 16, False),
    "u32": ("uint32_t", "unsigned int", 32, False),
    "u64": ("uint64_t", "unsigned long", 64, False),
    "i64": ("int64_t", "long", 64, True),
}
"""Kind to the name of the typedef, the type, its bits, whether it is signed."""


def hsa_type(session: Session, name: str) -> Struct | None:
    """Return a structure of the runtime by name; None if there is none, or no GPU."""
    if name not in STRUCTURES or not has_gpus(session):
        return None
    return _struct(name)


def has_gpus(session: Session) -> bool:
    """Return whether the session has a GPU in focus, or threads of a process with GPUs."""
    return session.architecture.is_simt or model_of(session.target) is not None


@cache
def _struct(name: str) -> Struct:
    structure = STRUCTURES[name]
    return Struct("struct", name, structure.size_bytes, tuple(_members(structure)))


def _members(structure: HsaStructure) -> list[Member]:
    """Return the members; those that share their bytes are in an anonymous union."""
    by_offset: dict[int, list[HsaMember]] = {}
    for member in structure.members:
        by_offset.setdefault(member.offset_bytes, []).append(member)
    out = []
    for offset, members in by_offset.items():
        if len(members) == 1:
            [member] = members
            out.append(Member(member.name, _type(member), 8 * offset))
            continue
        parts = tuple(Member(member.name, _type(member), 0) for member in members)
        size = max(member.size_bytes for member in members)
        out.append(Member(None, Struct("union", None, size, parts), 8 * offset))
    return out


def _type(member: HsaMember) -> Type:
    type_: Type
    if member.kind in _INTEGERS:
        name, of, bits, is_signed = _INTEGERS[member.kind]
        encoding = "signed" if is_signed else "unsigned"
        type_ = Typedef(name, Base(BaseType(of, encoding, bits, "little")))
    elif member.kind == "ptr":
        type_ = Pointer(None)
    elif member.kind.endswith("*"):
        type_ = Pointer(partial(_struct, member.kind.removesuffix("*")))
    elif member.kind == "signal_kind":
        names = tuple((enumerator, number) for number, enumerator in SIGNAL_KINDS.items())
        type_ = Enum("amd_signal_kind_t", 8, names, is_signed=True)
    else:
        type_ = _struct(member.kind)
    return type_ if member.count is None else Array(type_, (member.count,))
