"""Find static members of a class (DWARF 5 5.7.7), and the class itself, in other units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.declarations import (
    is_definition,
    is_in_unnamed_namespace,
    path_of,
    unit_of_unnamed,
)
from dwarfgpu.dwarf.scope.meaning import has_tag
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.named_entries import named
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_of_variable
from dwarfgpu.dwarf.scope.undecided_class import (
    may_be_several_instances,
    why_undecided,
    with_common_members,
)
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.scope.variable_names import instances_of_member, listed_instances
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import (
    Array,
    Function,
    Member,
    Pointer,
    Qualified,
    Struct,
    Type,
    denoted,
    strip,
)
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.session.session import Session

_DEEPEST: Final = 64
"""Maximum number of pointers, arrays and functions around a class that `ptype` shows."""


def static_member(
    session: Session, member: Member, unit: CompilationUnit | None
) -> Variable | None:
    """Return the variable that completes a declaration, or that of a constant; the declaration
    itself if only a symbol has its place; None if there is none, or an instance of a template.

    `unit`: of the object. The type unit of a class in an unnamed namespace may be that of several
    files, in which gcc takes the classes for one; each has its own variable.
    """
    declared = member.die
    if declared is None or member.name is None:
        return None
    if declared.has(dw.AT_CONST_VALUE):
        return Variable(member.name, declared, "global")
    own = unit_of_unnamed(declared, unit)
    if own not in (None, declared.unit) and is_in_unnamed_namespace(declared):
        path = "::".join(("", *(scope.name for scope in path_of(declared)), member.name))
        return next(
            (one for one in NameLookup((), own).of(path) if isinstance(one, Variable)), None
        )
    defined = session.meanings(member.name).definition(declared)
    variable = Variable(member.name, defined, "global")
    if instances_of_member(declared, defined):
        return None
    is_placed = defined is not declared or (
        symbol_of_variable(session.loaded_objects(), variable) is not None
    )
    return variable if is_placed else None


def member_instances(session: Session, member: Member) -> str:
    """Return what follows the message that there is no member of a name which is that of a static
    member template: its instances; empty for any other member."""
    declared = member.die
    if declared is None or member.name is None:
        return ""
    defined = session.meanings(member.name).definition(declared)
    return listed_instances(instances_of_member(declared, defined))


def completed(session: Session, type_: Type | None) -> Type | None:
    """Return a class that is only declared in its unit as another unit defines it; any other type,
    or a class that no unit defines, unchanged; one that may be several instances of a template with
    what these have in common."""
    bare = strip(type_)
    if not isinstance(bare, Struct) or not bare.is_declaration or bare.name is None:
        return type_
    if may_be_several_instances(bare):
        return requalified(with_common_members(bare), type_)
    name = f"::{type_name(bare, cplusplus=True)}"
    meanings = session.meanings(name).of(name, has_tag(CLASSES))
    die = meanings[0] if meanings and isinstance(meanings[0], Die) else None
    if die is None or die.flag(dw.AT_DECLARATION):
        return type_
    return requalified(types_of(die.unit).build(die), type_)


def require_one_instance(type_: Type | None) -> None:
    """Raise `UsageError` for such a class, whose members or size are needed."""
    if (why := why_undecided(type_)) is not None:
        raise why


def several_completions(session: Session, type_: Type | None, unit: CompilationUnit) -> list[str]:
    """Return the notes that several files define a structure of C, each for itself, which a unit
    only declares: `completed`, and the types of one file, take the first."""
    bare = strip(type_)
    if not isinstance(bare, Struct) or bare.name is None or unit.is_cplusplus:
        return []
    first = next((member.die for member in bare.members if member.die is not None), None)
    if first is not None and first.unit == unit:
        return []
    entries = [die.described for die in named(unit, bare.name) if die.tag in CLASSES]
    if not entries or any(map(is_definition, entries)):
        return []
    lookup = session.meanings(bare.name)
    taken = unit.info.class_definition(entries[0])
    if taken == entries[0]:
        meanings = lookup.of(f"::{bare.name}", has_tag(CLASSES))
        if not meanings or not isinstance(meanings[0], Die):
            return []
        taken = meanings[0]
    lookup.remark_on_completion(taken, bare.name)
    return [*lookup.remarks]


def completed_below(
    session: Session,
    type_: Type | None,
    definition: Callable[[Session, Type | None], Type | None] = completed,
    depth: int = _DEEPEST,
) -> Type | None:
    """Return a type with the class below its pointers, arrays and results of functions as
    `definition` completes it; one without such a class, or behind more than `depth` of them,
    unchanged."""
    bare = strip(type_)
    inner: Type | None
    match bare:
        case Pointer():
            inner = bare.target
        case Array():
            inner = bare.element
        case Function():
            inner = bare.result
        case _:
            return definition(session, type_)
    defined = completed_below(session, inner, definition, depth - 1) if depth else inner
    if defined is inner:
        return type_
    match bare:
        case Pointer():
            return requalified(evolve(bare, target=defined), type_)
        case Array():
            return requalified(evolve(bare, element=defined), type_)
        case Function():
            return requalified(evolve(bare, result=defined), type_)


def requalified(defined: Type, type_: Type | None) -> Type:
    """Return a type with the qualifiers of another, looking through its typedefs."""
    for qualifier in reversed(denoted(type_).qualifiers):
        defined = Qualified(qualifier, defined)
    return defined
