"""Members of structures by name; of C++, in the order of its standard.

1. Which class is meant before `::` in `o.B::m`: `base_classes` for the names that the class of the
   object has in itself; what else it has, and the focus, is the caller's ([basic.lookup.classref],
   [class.qual]).
2. What that class and its base classes declare by the name: a declaration hides those of base
   classes; several that remain are ambiguous ([class.member.lookup]).
3. Which part of the object has it: that of a base class that occurs several times is ambiguous
   ([class.access.base], [expr.ref]), unless no object has it, as a static member.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from dwarfgpu.base.records import frozen
from dwarfgpu.base.suggest import did_you_mean
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.fortran_ada import class_data, extended_parent, tagged_parent
from dwarfgpu.dwarf.names.qualified import split_last
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import around, is_transparent
from dwarfgpu.dwarf.scope.named_entries import TYPES
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.class_parts import Method
from dwarfgpu.dwarf.types.class_scope import members_left_out, own_members, used_members
from dwarfgpu.dwarf.types.inheritance import Inherited, ambiguous, inherited
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Member, Pointer, Struct, strip
from dwarfgpu.errors import LimitExceeded, UsageError
from dwarfgpu.language.base_classes import ambiguous_base, bases, class_in, class_named, ways_to

Declared: TypeAlias = list[Member] | Method | Die
"""The way to a data member in the class that declares it, or a member function; the entry of an
enumerator, a type, or a static member that the definition of the class lacks."""

_HIDING: Final = TYPES | {dw.TAG_ENUMERATOR}
_SPELLINGS: Final[WeakKeyDictionary[Struct, dict[str, str]]] = WeakKeyDictionary()
"""The names of the visible members, by themselves in lower case."""

_DEPTH: Final = 64
"""Maximum nesting of anonymous structures in the search for a member."""
_MOST_STEPS: Final = 10_000
"""Into anonymous structures and base classes, again from each structure that has them."""


def path_to(struct_type: Struct, name: str) -> list[Member] | None:
    """Return the members from a structure to one of a name, which may be in a base class.

    `Base::x` is that of a base class, or of the class itself. `UsageError` if there are several.
    """
    scope, simple = split_last(name)
    naming = struct_type
    if scope:
        named = class_named(struct_type, f"::{scope}" if name.startswith("::") else scope)
        if named is None:
            return None
        naming = named
    meant = member_meant(struct_type, simple, naming)
    return [*meant.path] if meant is not None and meant.is_data else None


def spelled_member(struct_type: Struct, name: str) -> str:
    """Return the name that a member has for one in any case of letters; the name itself if none
    has it."""
    spellings = _SPELLINGS.get(struct_type)
    if spellings is None:
        spellings = _SPELLINGS[struct_type] = {}
        for member in visible_members(struct_type):
            spelled = member.name or ""
            spellings.setdefault(spelled.lower(), spelled)
    return spellings.get(name.lower(), name)


def no_member(struct_type: Struct, name: str) -> UsageError:
    """Return the error that a structure has no such member, with GDB's wording, with a
    suggestion."""
    kinds = "member or method" if struct_type.declared.methods else "member"
    names = (member.name or "" for member in visible_members(struct_type))
    return UsageError(f"There is no {kinds} named {name}.{did_you_mean(name, names)}")


def visible_members(struct_type: Struct) -> Iterator[Member]:
    """Yield the named members, including those of anonymous structures, base classes, structures
    that are embedded in Go, the parents of tagged and extended types, and the data of polymorphic
    objects; each structure once, and no more after very many of these steps."""
    pending, visited, steps = deque([struct_type]), {struct_type}, 0
    while pending:
        current = pending.popleft()
        hidden, parent = tagged_parent(current) or (None, None)
        named, of_named = extended_parent(current) or class_data(current) or (None, None)
        for member in current.members:
            if member.name is not None and not member.is_base_class and member is not hidden:
                yield member
                if member is not named and not is_embedded(member):
                    continue
            inner = parent or of_named if member in (hidden, named) else strip(member.type)
            if isinstance(inner, Pointer) and is_embedded(member):
                inner = strip(inner.target)
            if not isinstance(inner, Struct):
                continue
            steps += 1
            if steps > _MOST_STEPS:
                return
            if inner not in visited:
                visited.add(inner)
                pending.append(inner)


def is_embedded(member: Member) -> bool:
    """Return whether a field of Go embeds a structure, or a pointer to one, whose fields are
    promoted (The Go Programming Language Specification, "Struct types")."""
    die = member.die
    return die is not None and die.unit.language == dw.LANG_GO and die.flag(dw.AT_GO_EMBEDDED_FIELD)


@frozen
class Meant:
    """What a name of a member means for objects of a class."""

    owner: Struct
    """The class or base class that declares it."""
    path: tuple[Member, ...]
    """The base classes on the way, and the data member; those alone for member functions."""
    is_data: bool


def member_meant(struct_type: Struct, name: str, naming: Struct | None = None) -> Meant | None:
    """Return what a simple name means for an object of a class: in that, or in the class that is
    named before it, which is one of its base classes. None if these declare no data member or
    member function of the name; `UsageError` if it is ambiguous, or the class is.

    First the declarations are looked up, whatever the object has: the name is ambiguous if two
    classes have one, and neither hides that of the other. Then those that are in objects have to be
    in one part of this one alone.
    """
    naming = naming or struct_type
    declared = inherited(naming, lambda candidate: _own(candidate, name), bases)
    if not declared:
        return None
    if declared[0].classes[-1] is not naming:  # what a class between has may hide the member
        declared = inherited(naming, lambda candidate: _own_anywhere(candidate, name), bases)
    first = declared[0]
    owner = first.classes[-1]
    own = first.members[0]
    steps = own if isinstance(own, list) else []
    if any(part.classes[-1] is not owner for part in declared):
        raise _ambiguous(naming, name, declared)
    if isinstance(own, Die) and (used := _class_used(owner, own)) is not None:
        return member_meant(struct_type, name, used)
    is_in_objects = any(map(_is_in_objects, first.members))
    ways = [()] if naming is struct_type else ways_to(struct_type, lambda kind: kind is naming)
    if is_in_objects and len(ways) > 1:
        raise ambiguous_base(struct_type, _shown(naming))
    if is_in_objects and len(declared) > 1 and not steps:
        raise ambiguous_base(naming, _shown(owner))  # GDB's words, too
    if is_in_objects and len(declared) > 1:
        raise _ambiguous(naming, name, declared)
    return Meant(owner, (*ways[0], *first.steps, *steps), isinstance(own, list))


def _own(struct_type: Struct, name: str) -> Sequence[Declared]:
    """Return what a class itself declares by a name: the way to a data member, or functions."""
    paths = _own_paths(struct_type, name)
    return (
        paths
        or [one for one in struct_type.declared.methods if one.name == name]
        or _own_without_object(struct_type, name)
    )


def _own_anywhere(struct_type: Struct, name: str) -> Sequence[Declared]:
    """Return the same, or the static members that the definition of a class lacks."""
    own, die = _own(struct_type, name), struct_type.die
    return own or (() if die is None else members_left_out(die, name))


def _class_used(struct_type: Struct, declared: Die) -> Struct | None:
    """Return the base class whose member a using-declaration of a class names; None for what the
    class declares itself, and for what is in no object."""
    owner = next((scope for scope in around(declared) if not is_transparent(scope)), None)
    if declared.tag in _HIDING or owner is None or owner.tag not in CLASSES:
        return None
    base = strip(types_of(owner.unit).build(owner))
    used = class_in(struct_type, base) if isinstance(base, Struct) else None
    is_base = used is not None and class_in(used, struct_type) is None
    return used if is_base else None


def _own_without_object(struct_type: Struct, name: str) -> Sequence[Die]:
    """Return the enumerators and types of a class of C++, and what its using-declarations name:
    they hide members of base classes."""
    die = struct_type.die
    if die is None or not die.unit.is_cplusplus:
        return ()
    used = used_members(die, name)
    own = (one for one in own_members(die, name) if one.tag in _HIDING or one in used)
    return [one for one in own if one != die]


def _is_in_objects(declared: Declared) -> bool:
    """Return whether every object has its own of what is declared (C++ [expr.ref])."""
    if isinstance(declared, list):
        return not declared[-1].is_static
    return isinstance(declared, Method) and declared.has_this


def _ambiguous(
    struct_type: Struct, name: str, declared: Iterable[Inherited[Struct, Member, Declared]]
) -> UsageError:
    return ambiguous(name, _shown(struct_type), (_candidate(part, name) for part in declared))


def _candidate(part: Inherited[Struct, Member, Declared], name: str) -> str:
    *_, last = part.classes
    first = part.members[0]
    kind = type_name(first[-1].type, cplusplus=True) + " " if isinstance(first, list) else ""
    return f"'{kind}{_shown(last)}::{name}' ({' -> '.join(map(_shown, part.classes))})"


def _shown(struct_type: Struct) -> str:
    return type_name(struct_type, cplusplus=True)


def _own_paths(struct_type: Struct, name: str) -> list[list[Member]]:
    """Return the way to the member of a structure itself, through anonymous ones, each once.
    `LimitExceeded` if too many lead to one another."""
    pending: deque[tuple[Struct, list[Member]]] = deque([(struct_type, [])])
    visited, steps = {struct_type}, 0
    for _ in range(MAX_CHAIN):
        if not pending:
            break
        current, path = pending.popleft()
        is_open = len(path) < _DEPTH
        above = (tagged_parent(current) or extended_parent(current)) if is_open else None
        component, parent = above or (None, None)
        if component is not None and parent is not None and parent not in visited:
            visited.add(parent)
            pending.append((parent, [*path, component]))
        index = current.index
        own = index.named.get(name)
        if own is not None:
            return [[*path, own]]
        for member in index.unnamed if is_open else ():
            inner = strip(member.type)
            if not isinstance(inner, Struct):
                continue
            steps += 1
            if steps > _MOST_STEPS:
                raise LimitExceeded(f"more than {_MOST_STEPS} unnamed members")
            if inner not in visited:
                visited.add(inner)
                pending.append((inner, [*path, member]))
    return []
