"""Members and base classes of structures by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.dwarf.type_names import type_name
from dwarfgpu.dwarf.types import MAX_CHAIN, BareType, Member, Struct, strip
from dwarfgpu.errors import LimitExceeded, UsageError

_DEPTH: Final = 64
"""Anonymous structures and base classes inside one another in which a member is looked for."""


def path_to(kind: Struct, name: str) -> list[Member] | None:
    """The members from a structure to one of a name: its own first, then those of its parts.

    `Base::x` is that of a base class, or of the class itself; `UsageError` where it has several.
    """
    scope, _, name = name.rpartition("::")
    if scope and scope != kind.name:
        way = way_to(kind, lambda each: each.name == scope, scope)
        outer = None if way is None else strip(way[-1].type)
        inner_path = path_to(outer, name) if isinstance(outer, Struct) else None
        return None if way is None or inner_path is None else [*way, *inner_path]
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


def way_to(
    derived: Struct, is_wanted: Callable[[Struct], bool], name: str
) -> tuple[Member, ...] | None:
    """The way to a base class; `UsageError` where an object has several of that class.

    Base classes are told apart by the way to them from the last virtual one on, of which an object
    has one.
    """
    found: dict[tuple[object, ...], tuple[Member, ...]] = {}
    seen: set[tuple[object, ...]] = set()
    pending: list[tuple[Struct, tuple[object, ...], tuple[Member, ...]]] = [(derived, (), ())]
    while pending:
        current, way, steps = pending.pop()
        for member in current.members:
            inner = strip(member.type) if member.is_base_class else None
            if not isinstance(inner, Struct):
                continue
            here = (inner,) if member.is_virtual else (*way, member)
            if here in seen:
                continue
            seen.add(here)
            if len(seen) > MAX_CHAIN or len(here) > MAX_CHAIN:
                raise LimitExceeded(f"more than {MAX_CHAIN} base classes")
            if is_wanted(inner):
                found[here] = (*steps, member)
            else:
                pending.append((inner, here, (*steps, member)))
    if len(found) > 1:
        kind = type_name(derived, cplusplus=True)
        raise UsageError(f"base class '{name}' is ambiguous in type '{kind}'")
    return next(iter(found.values()), None)
