"""Members of structures by their names."""

from __future__ import annotations

from typing import Final

from dwarfgpu.dwarf.types import MAX_CHAIN, BareType, Member, Struct, strip

_DEPTH: Final = 64
"""Anonymous structures and base classes inside one another in which a member is looked for."""


def path_to(kind: Struct, name: str) -> list[Member] | None:
    """The members from a structure to one of a name: its own first, then those of its parts."""
    pending: list[tuple[Struct, list[Member]]] = [(kind, [])]
    for _ in range(MAX_CHAIN):
        if not pending:
            return None
        current, path = pending.pop(0)
        inner: list[tuple[Struct, list[Member]]] = []
        for member in current.members:
            if member.name == name:
                return [*path, member]
            bare: BareType | None = None
            if (member.name is None or member.is_base_class) and len(path) < _DEPTH:
                bare = strip(member.type)
            if isinstance(bare, Struct):
                inner.append((bare, [*path, member]))
        pending += inner
    return None
