"""Structures with the place and size of each member and hole, as plain data.

Law: places are those of the type alone, in bits from its beginning in storage order; a member
whose place the program tells has none.
"""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.types.types import Member, Struct, Type, size_bits, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.view.json_object import JsonObject, Plain

_DEEPEST: Final = 100


def layout(kind: Type | None, *, cplusplus: bool = False) -> JsonObject:
    """`bit_size` and, of a structure or union, `members` and `holes`; the last hole is the
    padding at the end."""
    try:
        bare = strip(kind)
        return {"bit_size": size_bits(kind), **_inside(bare, cplusplus, 0)}
    except DwarfGpuError:  # what it is made of is told all the same
        return {"bit_size": None}


def _inside(kind: Type | None, cplusplus: bool, depth: int) -> JsonObject:
    if not isinstance(kind, Struct) or kind.is_declaration or depth == _DEEPEST:
        return {}
    members: list[Plain] = [_member(each, cplusplus, depth) for each in kind.members]
    return {"members": members, "holes": [] if kind.kind == "union" else _holes(kind)}


def _member(member: Member, cplusplus: bool, depth: int) -> JsonObject:
    is_placed = member.location is None and not member.is_static
    bare = strip(member.type)
    return {
        "name": member.name,
        "type": type_name(member.type, cplusplus=cplusplus),
        "bit_offset": member.bit_offset if is_placed else None,
        "bit_size": _size(member),
        "is_static": member.is_static,
        "is_base": member.is_base_class,
        **({} if member.is_static else _inside(bare, cplusplus, depth + 1)),
    }


def _size(member: Member) -> int | None:
    return size_bits(member.type) if member.bit_size is None else member.bit_size


def _holes(kind: Struct) -> list[Plain]:
    """The bits that no member has, by offset; of none if a member's place is not known."""
    placed: list[tuple[int, int]] = []
    for each in kind.members:
        size = _size(each)
        if each.is_static:
            continue
        if each.location is not None or each.bit_offset is None or size is None:
            return []
        placed.append((each.bit_offset, each.bit_offset + size))
    holes: list[Plain] = []
    end = 0
    for first, last in sorted([*placed, (size_bits(kind) or 0,) * 2]):
        if first > end:
            holes.append({"bit_offset": end, "bit_size": first - end})
        end = max(end, last)
    return holes
