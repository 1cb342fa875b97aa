"""Find static members of a class (DWARF 5 5.7.7), and the class itself, in other units."""

from __future__ import annotations

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.meaning import has_tag
from dwarfgpu.dwarf.scope.scope_entries import CLASSES
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.dwarf.types.builder import types_of
from dwarfgpu.dwarf.types.types import Member, Qualified, Struct, Type, Typedef, strip
from dwarfgpu.session.session import Session


def static_member(session: Session, member: Member) -> Variable | None:
    """Return the variable that completes a declaration, or that of a constant; None if there is
    none."""
    declared = member.die
    if declared is None or member.name is None:
        return None
    if declared.has(dw.AT_CONST_VALUE):
        return Variable(member.name, declared, "global")
    defined = session.meanings(member.name).definition(declared)
    return None if defined is declared else Variable(member.name, defined, "global")


def completed(session: Session, type_: Type | None) -> Type | None:
    """Return a class that is only declared in its unit as another unit defines it; any other type,
    or a class that no unit defines, unchanged."""
    bare = strip(type_)
    if not isinstance(bare, Struct) or not bare.is_declaration or bare.name is None:
        return type_
    name = f"::{type_name(bare, cplusplus=True)}"
    meanings = session.meanings(name).of(name, has_tag(CLASSES))
    die = meanings[0] if meanings and isinstance(meanings[0], Die) else None
    if die is None or die.flag(dw.AT_DECLARATION):
        return type_
    defined: Type = types_of(die.unit).build(die)
    while isinstance(type_, Qualified | Typedef):  # not endless: `strip` was here before
        if isinstance(type_, Qualified):
            defined = Qualified(type_.qualifier, defined)
        type_ = type_.target
    return defined
