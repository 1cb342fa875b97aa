"""Types in full, as GDB's `ptype` prints them.

Member functions, access and underlying types of enumerations are not known of a type here, so
they are not shown. Of structures without a name inside one another only the first is in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve

from dwarfgpu.dwarf.type_names import type_name
from dwarfgpu.dwarf.types import (
    Array,
    Enum,
    Function,
    Member,
    MemberPointer,
    Pointer,
    Qualified,
    Struct,
    Type,
    Typedef,
    Unspecified,
    strip,
)

MOST_MEMBERS: Final = 10_000
"""Members and enumerators of one definition, those of structures without a name included."""
_DEEPEST: Final = 100
"""Types in one another that are looked through."""
_PLACE: Final = "\0"
"""Stands for the name that is declared."""


def type_text(kind: Type | None, *, cplusplus: bool = False) -> str:
    """`struct s {…} *`: the type without typedefs, with the members of what it is made of.

    `IllFormed` for a cycle of typedefs; members beyond `MOST_MEMBERS` are `...`.
    """
    return type_name(_Definition(cplusplus).of(kind, 1, 0), cplusplus=cplusplus)


def declaration(kind: Type | None, name: str, *, cplusplus: bool = False) -> str:
    """`int (*fn)(int)`: an object of the type as it is declared."""
    # A name stands where the mark of a pointer to it would: to a member, which has a name in it.
    marked = type_name(MemberPointer(kind, Unspecified(_PLACE)), cplusplus=cplusplus)
    return marked.replace(f"({_PLACE}::*)", name).replace(f"{_PLACE}::*", name)


class _Definition:
    """The text of one type; `members_left` bounds it."""

    def __init__(self, cplusplus: bool) -> None:
        self.cplusplus = cplusplus
        self.members_left = MOST_MEMBERS

    def of(self, kind: Type | None, levels: int, indent: int, depth: int = 0) -> Type | None:
        """The type with the text of its body in place of a structure or enumeration.

        `levels`: how many structures in one another are shown; at 1 named ones are, too, and
        typedefs are looked through.
        """
        if depth > _DEEPEST:
            return kind

        def inner(part: Type | None) -> Type | None:
            return self.of(part, levels, indent, depth + 1)

        match kind:
            case Typedef() if levels > 0:
                return inner(strip(kind))
            case Qualified():
                return evolve(kind, target=inner(kind.target))
            case Pointer() | MemberPointer():
                return evolve(kind, target=inner(kind.target))
            case Array():
                return evolve(kind, element=inner(kind.element))
            case Function():
                return evolve(kind, result=inner(kind.result))
            case Struct() if levels > 0 or (kind.name is None and levels == 0):
                return Unspecified("\n".join(self._structure(kind, levels, indent)))
            case Enum() if levels > 0 or (kind.name is None and levels == 0):
                return Unspecified(self._enumeration(kind))
            case _:
                return kind

    def _structure(self, kind: Struct, levels: int, indent: int) -> Iterator[str]:
        bases = [
            type_name(each.type, cplusplus=True) for each in kind.members if each.is_base_class
        ]
        above = f" : {', '.join(bases)}" if bases else ""
        yield f"{kind.kind} {kind.name}{above} {{" if kind.name else f"{kind.kind}{above} {{"
        margin = " " * (indent + 4)
        members = [each for each in kind.members if not each.is_base_class]
        if kind.is_declaration:
            yield f"{margin}<incomplete type>"
        elif not members:
            yield f"{margin}<no data fields>"
        for each in members:
            if self.members_left <= 0:
                yield f"{margin}..."
                break
            self.members_left -= 1
            yield f"{margin}{self._member(each, levels - 1, indent + 4)};"
        yield " " * indent + "}"

    def _member(self, member: Member, levels: int, indent: int) -> str:
        kind = self.of(member.type, levels, indent)
        if member.name is None:
            text = type_name(kind, cplusplus=self.cplusplus)
        else:
            text = declaration(kind, member.name, cplusplus=self.cplusplus)
        size = "" if member.bit_size is None else f" : {member.bit_size}"
        return f"{'static ' if member.is_static else ''}{text}{size}"

    def _enumeration(self, kind: Enum) -> str:
        shown: list[str] = []
        following = 0
        for name, value in kind.enumerators:
            if self.members_left <= 0:
                shown.append("...")
                break
            self.members_left -= 1
            full = f"{kind.name}::{name}" if kind.is_scoped and kind.name else name
            shown.append(full if value == following else f"{full} = {value}")
            following = value + 1
        title = "enum class" if kind.is_scoped else "enum"
        return f"{title} {kind.name + ' ' if kind.name else ''}{{{', '.join(shown)}}}"
