"""The base classes of a class: by name, and the ways to them in an object.

Law: a base class is identified by the way to it from the last virtual one, which occurs once in an
object; what is asked of it alone, as a name is, knows it once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from dwarfgpu.dwarf.names.qualified import parts, require_few_scopes
from dwarfgpu.dwarf.names.type_names import full_name, type_name
from dwarfgpu.dwarf.scope.declarations import is_in_function
from dwarfgpu.dwarf.types.types import MAX_CHAIN, Member, Struct, Type, strip
from dwarfgpu.errors import LimitExceeded, UsageError


def is_local(struct_type: Struct) -> bool:
    """Return whether a class of C++ is in a function: it has no name outside of that (C++
    [class.local])."""
    die = struct_type.die
    return die is not None and die.unit.is_cplusplus and is_in_function(die)


def class_named(struct_type: Struct, name: str) -> Struct | None:
    """Return the class or the only base class of it that has a name in it, as `classes_named` says;
    None if none has. `UsageError` if several have: but the class hides its base classes."""
    classes = classes_named(struct_type, name)
    if struct_type in classes:
        return struct_type
    if len(classes) > 1:
        raise ambiguous_base(struct_type, name)
    return classes[0] if classes else None


def classes_named(struct_type: Struct, name: str) -> list[Struct]:
    """Return those of a class and its base classes that have a name in it: `B`, as a class declares
    its own name in itself (C++ [class.pre]), so that `D::B` is one with a class `D` derived from
    `B`; `m::B` and `::B` by the whole name. A template's name is that of its instance there."""
    written = tuple(part.name for part in parts(name))
    require_few_scopes(written)
    if not written:
        return []
    hierarchy = _Hierarchy(struct_type)
    is_whole = name.startswith("::")
    for count in range(min(len(written), hierarchy.longest), 0, -1):
        classes = hierarchy.with_whole_name(written[:count], is_global=is_whole)
        if count == 1 and not is_whole:
            classes = hierarchy.with_own_name(written[0])
        for own_name in written[count:]:
            classes = hierarchy.with_own_name(own_name, classes) if classes else []
        if classes:
            return classes
    return []


def class_in(struct_type: Struct, other: Struct) -> Struct | None:
    """Return the class, or its base class, that another one is, perhaps as another unit describes
    it; None if none is."""
    return next(iter(_Hierarchy(struct_type).same(other)), None)


class _Hierarchy:
    """A class with all of its base classes, each once."""

    def __init__(self, struct_type: Struct) -> None:
        """`LimitExceeded` if there are too many."""
        self._below = {struct_type: 1}
        """Bits of the classes that are one of these or its base class, by their order here."""
        order, path = [struct_type], [(struct_type, bases(struct_type))]
        while path:
            derived, remaining = path[-1]
            _, base, _ = next(remaining, (None, None, None))
            if base is None:
                path.pop()
                if path:
                    self._below[path[-1][0]] |= self._below[derived]
            elif base in self._below:
                self._below[derived] |= self._below[base]
            else:
                self._below[base] = 1 << len(order)
                order.append(base)
                path.append((base, bases(base)))
                if len(order) > MAX_CHAIN:
                    raise LimitExceeded(f"more than {MAX_CHAIN} base classes")
        self._names = [tuple(part.name for part in parts(full_name(item))) for item in order]
        self.longest = max(map(len, self._names))
        """Of their whole names."""
        self._order = order
        self._by_own_name: dict[str, list[int]] = {}
        for number, whole in enumerate(self._names):
            own = whole[-1] if whole else ""
            for spelled in dict.fromkeys((own, own.partition("<")[0])):
                self._by_own_name.setdefault(spelled, []).append(number)

    def with_whole_name(self, name: tuple[str, ...], *, is_global: bool) -> list[Struct]:
        """Return the classes of a whole name; `is_global`: those outside of functions alone."""
        named = zip(self._order, self._names, strict=True)
        classes = [item for item, whole in named if whole == name]
        return [item for item in classes if not is_local(item)] if is_global else classes

    def same(self, other: Struct) -> list[Struct]:
        """Return those that are a class, perhaps as another unit describes it."""
        if other in self._below or other.name is None or is_local(other):
            return [other] if other in self._below else []
        whole = tuple(part.name for part in parts(full_name(other)))
        return self.with_whole_name(whole, is_global=True)

    def with_own_name(self, name: str, of: Iterable[Struct] | None = None) -> list[Struct]:
        """Return those of the classes, or of some of them and their base classes, that have a name:
        instances of templates have that of the template, too."""
        numbers = self._by_own_name.get(name, [])
        within = -1
        if of is not None:
            within = 0
            for item in of:
                within |= self._below[item]
        return [self._order[number] for number in numbers if within >> number & 1]


def bases(struct_type: Struct) -> Iterator[tuple[Member, Struct, bool]]:
    """Yield the base classes that a class names, and whether they are virtual."""
    for member in struct_type.index.bases:
        base = strip(member.type)
        if isinstance(base, Struct):
            yield member, base, member.is_virtual


def way_to(
    derived: Struct, is_wanted: Callable[[Struct], bool], name: str
) -> tuple[Member, ...] | None:
    """Return the path to a base class; `UsageError` if an object has several of that class."""
    paths = ways_to(derived, is_wanted)
    if len(paths) > 1:
        raise ambiguous_base(derived, name)
    return paths[0] if paths else None


def ambiguous_base(derived: Struct, name: str) -> UsageError:
    """Return the error that an object has several base classes of a name."""
    shown = type_name(derived, cplusplus=True)
    return UsageError(f"base class '{name}' is ambiguous in type '{shown}'")


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


def is_same_class(left: Type | None, right: Type | None) -> bool:
    """Return whether two types are one class, or one of them is unknown."""
    first, second = strip(left), strip(right)
    if first is None or second is None:
        return True
    return isinstance(first, Struct) and isinstance(second, Struct) and is_same(first, second)


def is_same(left: Struct, right: Struct) -> bool:
    """Return whether two entries, maybe of two units, describe one class."""
    if left is right:
        return True
    if left.name is None or (left.name, left.size_bytes) != (right.name, right.size_bytes):
        return False
    if left.is_declaration and right.is_declaration:
        return _full(left) == _full(right)
    return _exact_name(left) == _exact_name(right) and _layout(left) == _layout(right)


def _exact_name(struct: Struct) -> str:
    """Return the name of a class with the types of the values among arguments of templates."""
    name = _full(struct)
    if "<" not in name or struct.die is None or not struct.die.unit.is_cplusplus:
        return name
    from dwarfgpu.dwarf.scope.exact_instances import spelled_with_types  # few have arguments

    words = spelled_with_types(struct)
    return words if isinstance(words, str) else name


def _layout(struct_type: Struct) -> list[tuple[object, ...]]:
    return [
        (member.name, member.bit_offset, member.bit_size, member.is_base_class, member.is_virtual)
        for member in struct_type.members
        if not member.is_static
    ]


def _full(struct: Struct) -> str:
    return type_name(struct, cplusplus=True)
