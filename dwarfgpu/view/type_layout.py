"""Structures with the place and size of each member and hole, as plain data.

Law: places come from the type alone, in bits from its beginning in storage order; a member with a
dynamic place has none.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.dwarf.constants import AsInCplusplus
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.type_sizes import size_bits
from dwarfgpu.dwarf.types.types import Member, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError, IllFormed
from dwarfgpu.view.json_object import JsonObject, Plain

_DEEPEST: Final = 100
_MAX_MEMBERS: Final = 10_000
"""Limit for nested structures: further members of a structure are omitted."""
_MAX_NAMES: Final = 4096
"""Names of types that are kept."""


def layout(type_: Type | None, *, cplusplus: AsInCplusplus = False) -> JsonObject:
    """Return `bit_size` and, for a structure or union, `members` and `holes`; the last hole is the
    padding at the end."""
    try:
        return {"bit_size": size_bits(type_), **_Layout(cplusplus).inside(strip(type_), ())}
    except DwarfGpuError:  # the text of the type has the error
        return {"bit_size": None}


class _Layout:
    """The layout of one type; `members_left` bounds it."""

    def __init__(self, cplusplus: AsInCplusplus) -> None:
        self.cplusplus = cplusplus
        self.members_left = _MAX_MEMBERS
        self._names = KeptAnswers[int, tuple[Type | None, str]](_MAX_NAMES)
        """The names of types by identity, each with its type, which keeps that alive."""

    def inside(self, type_: Type | None, around: tuple[Struct, ...]) -> JsonObject:
        """Return the layout. `around`: the structures that it is a member of, outermost first."""
        if not isinstance(type_, Struct) or type_.is_declaration:
            return {}
        if around and (
            len(around) == _DEEPEST or type_ in around or len(type_.members) > self.members_left
        ):
            return {}
        self.members_left -= len(type_.members)
        sizes = [member_bits(member) for member in type_.members]
        deeper = (*around, type_)
        members: list[Plain] = [
            self._member(member, size, deeper)
            for member, size in zip(type_.members, sizes, strict=True)
        ]
        return {"members": members, "holes": [] if type_.kind == "union" else _holes(type_, sizes)}

    def _member(self, member: Member, size: int | None, around: tuple[Struct, ...]) -> JsonObject:
        is_placed = member.location is None and not member.is_static
        return {
            "name": member.name,
            "type": self._name(member.type),
            "bit_offset": member.bit_offset if is_placed else None,
            "bit_size": size,
            "is_static": member.is_static,
            "is_base": member.is_base_class,
            **({} if member.is_static else self.inside(_bare(member.type), around)),
        }

    def _name(self, type_: Type | None) -> str:
        known = self._names.get(id(type_))
        if known is not None:
            return known[1]
        name = type_name(type_, cplusplus=self.cplusplus)
        self._names[id(type_)] = type_, name
        return name


def _bare(type_: Type | None) -> Type | None:
    """Return a type without typedefs and qualifiers; None if they form a cycle."""
    try:
        return strip(type_)
    except IllFormed:
        return None


def member_bits(member: Member) -> int | None:
    """Return the size; None if unknown or impossible."""
    try:
        size = member.declared_bit_size
        return size_bits(member.type) if size is None else size
    except IllFormed:
        return None


def _holes(struct_type: Struct, sizes: list[int | None]) -> list[Plain]:
    """Return the bits without a member, by offset; empty if a member's place is unknown."""
    placed: list[tuple[int, int]] = []
    for member, size in zip(struct_type.members, sizes, strict=True):
        if member.is_static:
            continue
        if member.location is not None or member.bit_offset is None or size is None:
            return []
        placed.append((member.bit_offset, member.bit_offset + size))
    holes: list[Plain] = []
    end = 0
    for first, last in sorted([*placed, (size_bits(struct_type) or 0,) * 2]):
        if first > end:
            holes.append({"bit_offset": end, "bit_size": first - end})
        end = max(end, last)
    return holes
