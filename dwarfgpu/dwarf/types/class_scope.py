"""Member lookup in a class: its own members first, then its base classes.

Law: several that do not hide one another are refused, unless all are one entry, which then belongs
to no object.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from dwarfgpu.base.kept_answers import KeptAnswers
from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.printable import name_bytes
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.qualified import canonical
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import (
    followed,
    is_in_function,
    is_transparent,
    scope_path,
)
from dwarfgpu.dwarf.scope.named_entries import TYPES, named_entries
from dwarfgpu.dwarf.scope.scope_entries import CLASSES, DATA
from dwarfgpu.dwarf.scope.variable_names import named_outside_classes, outside_class
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.inheritance import ambiguous, inherited
from dwarfgpu.dwarf.unit import CompilationUnit

M = TypeVar("M", bound=Hashable)

_MEMBERS: Final = TYPES | DATA | {dw.TAG_MEMBER, dw.TAG_SUBPROGRAM, dw.TAG_ENUMERATOR}
_WITH_TYPES: Final = DATA | {dw.TAG_MEMBER}
_MAX_KEPT: Final = 4_096
"""Names in classes of a unit, with the members that they denote there: a command asks several
times, each time for those of all base classes."""
_MAX_NAMES: Final = 1_000
"""Of classes, with the members that they or their base classes have."""
_MOST: Final = 1_000
"""Maximum number of classes to search for a member."""


def class_scope(
    kind: Die, name: str, definition: Callable[[Die], Die], unit: CompilationUnit
) -> list[Die]:
    """Return the members with a canonical name: several for overloaded functions; empty for none.

    `definition` returns the defining entry of a class; `unit`: one that declares it, and may have
    static members that the definition lacks. `UsageError` if the name is ambiguous.
    """
    kept = _kept_members(unit)
    known = kept.get((kind, name))
    if known is not None:
        return [*known]
    definitions: dict[Die, Die] = {}

    def defined(base: Die) -> Die:
        meant = definitions.get(base)
        if meant is None:
            meant = definitions[base] = definition(base)
        return meant

    members = _class_scope(kind, name, defined, (unit, kind.unit))
    # What other units define depends on the loaded files.
    if all(one.unit is unit for one in (kind, *definitions.values())):
        kept[kind, name] = tuple(members)
    return members


@kept_with(first)
def _kept_members(unit: CompilationUnit) -> KeptAnswers[tuple[Die, str], tuple[Die, ...]]:
    """Return those of the classes of a unit by name: one command asks several times."""
    return KeptAnswers(_MAX_NAMES)


def _class_scope(
    kind: Die, name: str, definition: Callable[[Die], Die], units: Iterable[CompilationUnit]
) -> list[Die]:
    def members(of: Die) -> list[Die]:
        own = own_members(of, name)
        for unit in units:
            if not own and unit is not of.unit:
                own = [*_members_outside(of, name, unit)]
        if of == kind or not is_own_name(of, name.partition("<")[0]):
            return own
        return [die for die in own if die.tag != dw.TAG_SUBPROGRAM]  # constructors of a base class

    if own := members(kind):
        return own
    if not inherited(kind, members, lambda of: bases(of, definition)):
        return []
    # What a class between has may hide the member of the base class.
    return [
        *nearest_members(
            kind, name, lambda of: members(of) or members_left_out(of, name), definition
        )
    ]


def nearest_members(
    kind: Die, name: str, own: Callable[[Die], Iterable[M]], definition: Callable[[Die], Die]
) -> tuple[M, ...]:
    """Return those of the members with a name that no others hide; `own` returns those of one
    class. `UsageError` if classes that do not hide one another have some."""
    inherited_members = inherited(kind, own, lambda of: bases(of, definition))
    if not inherited_members:
        return ()
    nearest, *remaining_members = inherited_members
    if any(inherited_member.members != nearest.members for inherited_member in remaining_members):
        listed = (_candidate(one.classes, one.members, name) for one in inherited_members)
        raise ambiguous(name, class_name(kind), listed)
    return nearest.members


def _candidate(classes: Sequence[Die], members: Iterable[Hashable], name: str) -> str:
    """Return `'int A::x' (D -> A)`, of a function or type without its type, as in GDB."""
    declared, kind = next(iter(members)), ""
    if isinstance(declared, Die) and declared.tag in _WITH_TYPES:
        kind = f"{type_name(types_of(declared.unit).type_of(declared), cplusplus=True)} "
    return f"'{kind}{class_name(classes[-1])}::{name}' ({' -> '.join(map(class_name, classes))})"


def constructors(kind: Die, name: str) -> list[Die] | None:
    """Return the constructors of a class, also those that the compiler adds, for its own name after
    `::` (C++ class.qual); None for another name."""
    if not is_own_name(kind, name):
        return None
    functions = (child for child in kind.children() if child.tag == dw.TAG_SUBPROGRAM)
    return [child for child in functions if is_own_name(kind, canonical(child.name or ""))]


def is_own_name(kind: Die, name: str) -> bool:
    """Return whether a name is that of a class itself, with or without its arguments."""
    return bool(name) and name in _own_names(kind)


@kept_with(lambda kind: kind.unit)
def _own_names(kind: Die) -> tuple[str, str]:
    own = canonical(kind.name or "")
    return own, own.partition("<")[0]


def own_members(kind: Die, name: str) -> list[Die]:
    """Return the members of a class itself, including those of its anonymous parts."""
    return [*_own_members(kind, name)]


@kept_with(lambda kind, _: kind.unit, _MAX_KEPT)
def _own_members(kind: Die, name: str) -> tuple[Die, ...]:
    if is_own_name(kind, name):
        return (kind,)  # its own name, which no constructor hides (C++ class.qual)
    out: list[Die] = []
    template = name.partition("<")[0] if name.endswith(">") else None
    pending, remaining = [kind], _MOST
    while pending and remaining:
        remaining -= 1
        for child in _children(pending.pop(), (name, template)):
            child_name = canonical(child.name or "")
            is_instance = child_name == template and child.tag in DATA | {dw.TAG_MEMBER}
            is_named = child_name == name or is_instance
            if child.tag in _MEMBERS and is_named and not _is_inherited(kind, child):
                out.append(child)
            if child.tag == dw.TAG_ENUMERATION_TYPE and is_transparent(child):
                pending.append(child)
            elif child.tag == dw.TAG_MEMBER and child.name is None:
                part = child.reference(dw.AT_TYPE)
                if part is not None and part.tag in CLASSES:
                    pending.append(part.described)
    out += _not_hidden(used_members(kind, name), out)
    return tuple(out or _members_outside(kind, name, kind.unit))


def inherited_constructors(kind: Die, name: str) -> list[Die]:
    """Return the constructors of a base class of a name that using-declarations have made those of
    the class itself, as clang describes them."""
    functions = kind.children((dw.TAG_SUBPROGRAM,))
    return [child for child in functions if child.name == name and _is_inherited(kind, child)]


def _is_inherited(kind: Die, child: Die) -> bool:
    """Return whether a child is such a constructor: no name means it, as that of the base class is
    the class (C++ [class.qual])."""
    if child.tag != dw.TAG_SUBPROGRAM or not child.flag(dw.AT_ARTIFICIAL):
        return False
    name = canonical(child.name or "").partition("<")[0]
    pending, known = [kind], {kind}
    while pending and len(known) < _MOST:
        for _, base, _ in _declared_bases(pending.pop()):
            if is_own_name(base, name):
                return True
            if base not in known:
                known.add(base)
                pending.append(base)
    return False


@kept_with(lambda kind, _: kind.unit, _MAX_KEPT)
def used_members(kind: Die, name: str) -> tuple[Die, ...]:
    """Return the members of base classes that using-declarations of a class name, which are in its
    scope, too (C++ [namespace.udecl]): gcc describes these."""
    return tuple(
        die
        for die in _used(kind)
        if canonical(die.name or "") == name
        if (owner := die.parent()) is not None and not is_own_name(owner, name)
    )


@kept_with(lambda kind: kind.unit)
def _used(kind: Die) -> tuple[Die, ...]:
    """Return what the using-declarations of a class name."""
    if not kind.unit.is_cplusplus:
        return ()
    used = (followed(one) for one in kind.children((dw.TAG_IMPORTED_DECLARATION,)))
    return tuple(die for die in used if die.tag in _MEMBERS)


def _not_hidden(used: Iterable[Die], own: Iterable[Die]) -> Iterator[Die]:
    """Yield what using-declarations of a class bring in, without the functions that those of the
    class itself hide: of the same parameters and qualifiers ([namespace.udecl])."""
    own_functions = [die for die in own if die.tag == dw.TAG_SUBPROGRAM]
    hiding: set[tuple[str, ...]] | None = None
    for die in used:
        if die.tag == dw.TAG_SUBPROGRAM and own_functions:
            from dwarfgpu.dwarf.scope.parameters import signature  # few names need it

            if hiding is None:
                hiding = {*map(signature, own_functions)}
            if signature(die) in hiding:
                continue
        yield die


@kept_with(lambda kind, _: kind.unit, _MAX_KEPT)
def members_left_out(kind: Die, name: str) -> tuple[Die, ...]:
    """Return the inline static members of a class, and the instances of templates of these, that
    the definition lacks, as gcc describes them in units alone that use them. Their linkage names
    have the class. Where these cannot be sought without reading each unit, none are known."""
    if not kind.unit.is_cplusplus or not kind.name:
        return ()
    template = name.partition("<")[0]
    end = _mangled(template) + (b"E" if template == name else b"I")
    if not _may_end_in(kind.unit, end) or is_in_function(kind):
        return ()
    scope = b"E" if "<" in kind.name else _mangled(kind.name)
    for unit in kind.unit.info.main.units_containing(scope + end) or ():
        if members := tuple(_members_outside(kind, name, unit)):
            return members
    return ()


@kept_with(first, 64)
def _may_end_in(unit: CompilationUnit, end: bytes) -> bool:
    """Return whether a linkage name of a file may have a member's name, of whatever class: most
    names are no such member of any of hundreds of base classes."""
    return bool(unit.info.main.units_containing(end))


def _mangled(name: str) -> bytes:
    """Return a simple name as linkage names have it (Itanium C++ ABI, 5.1.3)."""
    text = name_bytes(name)
    return b"%d%b" % (len(text), text)


def _members_outside(kind: Die, name: str, unit: CompilationUnit) -> Iterator[Die]:
    """Yield the static members of a class, and the instances of templates of these, that no scope
    of a unit has."""
    path = scope_path(kind) if named_outside_classes(unit, name) else ()
    for die in outside_class(unit, path, name):
        from dwarfgpu.dwarf.scope.exact_instances import is_in_scope, within

        if is_in_scope(die, within(kind)):
            yield die


def _children(scope: Die, names: tuple[str | None, ...]) -> Iterator[Die]:
    """Yield the entries in a class that may have one of some canonical names, or members in them;
    no object is made for others."""
    if not scope.abbreviation.has_children:
        return
    unit, tree = scope.unit, scope.unit.tree
    may_be = named_entries(unit).may_match(names.__contains__)
    for index in tree.children(scope.index):
        abbreviation = tree.abbreviations[index]
        if abbreviation.tag == dw.TAG_ENUMERATION_TYPE or may_be(index, abbreviation):
            yield unit.die(index)


def bases(kind: Die, definition: Callable[[Die], Die]) -> Iterator[tuple[Die, Die, bool]]:
    """Return the base classes of a class, in the order of declaration, and whether they are
    virtual."""
    for child, base, is_virtual in _declared_bases(kind):
        yield child, definition(base), is_virtual


@kept_with(lambda kind: kind.unit)
def _declared_bases(kind: Die) -> tuple[tuple[Die, Die, bool], ...]:
    declared: list[tuple[Die, Die, bool]] = []
    for child in kind.children((dw.TAG_INHERITANCE,)):
        base = child.reference(dw.AT_TYPE)
        for _ in range(_MOST):
            if base is None or base.tag in CLASSES:
                break
            base = base.reference(dw.AT_TYPE)
        if base is not None and base.tag in CLASSES:
            declared.append((child, base, bool(child.integer(dw.AT_VIRTUALITY))))
    return tuple(declared)


def class_name(kind: Die) -> str:
    """Return a class as C++ spells it."""
    return type_name(types_of(kind.unit).build(kind), cplusplus=True)
