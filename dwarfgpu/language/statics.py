"""Static members: variables that a class declares, and some unit has (DWARF 5 5.7.7)."""

from __future__ import annotations

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.scopes import Variable
from dwarfgpu.dwarf.types import Member
from dwarfgpu.dwarf.unit import CompilationUnit
from dwarfgpu.errors import IllFormed, Unsupported
from dwarfgpu.session import Session


def static_member(
    session: Session, unit: CompilationUnit | None, member: Member
) -> Variable | None:
    """The variable that completes a declaration, or the declaration of a constant; None: nowhere.

    `Unsupported` where the declaration is in another file than the unit that the object is from.
    """
    elsewhere = Unsupported(f"the static member {member.name} of a class of another file")
    if unit is None or member.entry is None or member.name is None:
        raise elsewhere
    try:
        declared = unit.info.die_at(member.entry)
    except IllFormed:
        raise elsewhere from None
    if declared.name != member.name or declared.tag not in (dw.TAG_MEMBER, dw.TAG_VARIABLE):
        raise elsewhere
    if declared.has(dw.AT_CONST_VALUE):
        return Variable(member.name, declared, "global")
    defined = session.meanings(member.name).definition(declared)
    return None if defined is declared else Variable(member.name, defined, "global")
