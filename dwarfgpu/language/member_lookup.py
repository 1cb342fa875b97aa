"""Look up members and base classes of structures by name."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar
from weakref import WeakKeyDictionary

from dwarfgpu.base.records import evolve
from dwarfgpu.base.suggest import did_you_mean
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.names.fortran_ada import class_data, extended_parent, tagged_parent
from dwarfgpu.dwarf.names.qualified import parts, split_last
from dwarfgpu.dwarf.names.type_names import full_name, type_name
from dwarfgpu.dwarf.types.inheritance import Inherited, ambiguous, inherited
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Member, Pointer, Struct, strip
from dwarfgpu.errors import LimitExceeded, UsageError

M = TypeVar("M")

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
    paths = _parts_with(struct_type, name, _own_paths)
    return None if paths is None else [*paths.steps, *paths.members[0]]


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


def _parts_with(
    struct_type: Struct, name: str, own: Callable[[Struct, str], list[M]]
) -> Inherited[Struct, Member, M] | None:
    """Return the part of an object that has members of a name; None if there is none."""
    scope, simple = split_last(name)
    ways: list[tuple[Member, ...]] = [()]
    start = struct_type
    classes = classes_named(struct_type, _with_mark(name, scope)) if scope else [struct_type]
    if struct_type not in classes:
        ways = ways_to(struct_type, lambda candidate: candidate in classes)
        base = strip(ways[0][-1].type) if ways else None
        if not isinstance(base, Struct):
            return None
        start = base
    members = inherited(start, lambda candidate: own(candidate, simple), _bases)
    are_of_one_class = len({strip(way[-1].type) for way in ways if way}) < 2
    if len(ways) > 1 and not (are_of_one_class and _is_one_static_member(members)):
        raise _ambiguous_base(struct_type, scope)
    if len(members) > 1 and not _is_one_static_member(members):
        raise ambiguous(
            name, _shown(struct_type), (_candidate(member, simple) for member in members)
        )
    return evolve(members[0], steps=(*ways[0], *members[0].steps)) if members else None


def _with_mark(name: str, scope: str) -> str:
    """Return the scope of a name, with the `::` before it: that of a whole name."""
    return f"::{scope}" if name.startswith("::") else scope


def classes_named(struct_type: Struct, name: str) -> list[Struct]:
    """Return those of a class and its base classes that a name may mean in it: `B` and `m::B` are
    `m::B`, and so is `D::B` with a class `D` derived from it; `::B` is the whole name."""
    written = tuple(part.name for part in parts(name))
    hierarchy = _named(_hierarchy([struct_type]))
    longest = max(map(len, hierarchy.values()))
    named: dict[tuple[Struct, ...], dict[Struct, tuple[str, ...]]] = {}
    """What was named of classes and their base classes: a name may repeat one very often."""
    for count in range(min(len(written), longest), 0, -1):
        classes = [
            item
            for item, whole in hierarchy.items()
            if whole[-count:] == written[:count]
            if len(whole) == count or not name.startswith("::")
        ]
        for inner in written[count:]:
            if not classes:
                break
            key = tuple(classes)
            if key not in named:
                named[key] = _named(_hierarchy(classes))
            classes = [item for item, whole in named[key].items() if whole[-1] == inner]
        if classes:
            return classes
    return []


def _named(classes: Iterable[Struct]) -> dict[Struct, tuple[str, ...]]:
    """Return classes with the parts of their whole names."""
    return {item: tuple(part.name for part in parts(full_name(item))) for item in classes}


def _hierarchy(classes: Iterable[Struct]) -> list[Struct]:
    """Return classes with all of their base classes, each once. `LimitExceeded` if too many."""
    visited = dict.fromkeys(classes)
    pending = deque(visited)
    while pending:
        for _, base, _ in _bases(pending.popleft()):
            if base in visited:
                continue
            visited[base] = None
            if len(visited) > MAX_CHAIN:
                raise LimitExceeded(f"more than {MAX_CHAIN} base classes")
            pending.append(base)
    return list(visited)


def _is_one_static_member(parts: list[Inherited[Struct, Member, M]]) -> bool:
    """Return whether all parts of an object have the same static member, which is in none of them,
    so that its name is not ambiguous (C++ class.member.lookup)."""
    ends = {path[-1] for part in parts for path in part.members if isinstance(path, list)}
    return len(ends) == 1 and ends.pop().is_static


def _candidate(member: Inherited[Struct, Member, M], name: str) -> str:
    *_, last = member.classes
    first = member.members[0]
    kind = type_name(first[-1].type, cplusplus=True) + " " if isinstance(first, list) else ""
    return f"'{kind}{_shown(last)}::{name}' ({' -> '.join(map(_shown, member.classes))})"


def _shown(struct_type: Struct) -> str:
    return type_name(struct_type, cplusplus=True)


def _bases(struct_type: Struct) -> Iterator[tuple[Member, Struct, bool]]:
    for member in struct_type.index.bases:
        base = strip(member.type)
        if isinstance(base, Struct):
            yield member, base, member.is_virtual


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


def way_to(
    derived: Struct, is_wanted: Callable[[Struct], bool], name: str
) -> tuple[Member, ...] | None:
    """Return the path to a base class; `UsageError` if an object has several of that class."""
    paths = ways_to(derived, is_wanted)
    if len(paths) > 1:
        raise _ambiguous_base(derived, name)
    return paths[0] if paths else None


def _ambiguous_base(derived: Struct, name: str) -> UsageError:
    return UsageError(f"base class '{name}' is ambiguous in type '{_shown(derived)}'")


def ways_to(
    derived: Struct,
    is_wanted: Callable[[Struct], bool],
    is_open: Callable[[Member], bool] = lambda _: True,
) -> list[tuple[Member, ...]]:
    """Return one path to each part of an object with a base class, through open steps only.

    Base classes are identified by the path to them from the last virtual one, which occurs once in
    an object. `LimitExceeded` if there are too many.
    """
    paths: dict[tuple[object, ...], tuple[Member, ...]] = {}
    visited: set[tuple[object, ...]] = set()
    pending = deque[tuple[Struct, tuple[object, ...], tuple[Member, ...]]]([(derived, (), ())])
    while pending:
        current, way, steps = pending.popleft()  # as in GDB, the first base class leads to it
        for member in current.index.bases:
            inner = strip(member.type)
            if not isinstance(inner, Struct) or not is_open(member):
                continue
            here = (inner,) if member.is_virtual else (*way, member)
            if here in visited:
                continue
            visited.add(here)
            if len(visited) > MAX_CHAIN or len(here) > MAX_CHAIN:
                raise LimitExceeded(f"more than {MAX_CHAIN} base classes")
            if is_wanted(inner):
                paths[here] = (*steps, member)
            else:
                pending.append((inner, here, (*steps, member)))
    return list(paths.values())
