"""The lengths of arrays in a structure, which each object determines."""

from __future__ import annotations

from contextlib import suppress

from dwarfgpu import language
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf.types.dynamic_types import is_dynamic
from dwarfgpu.dwarf.types.types import Absent, Dynamic, Member, Pointer, Struct, Type, strip
from dwarfgpu.errors import DwarfGpuError
from dwarfgpu.language import Options
from dwarfgpu.language.object_access import ObjectAccess
from dwarfgpu.language.typed_value import TypedValue
from dwarfgpu.session.session import Session


def with_lengths(session: Session, text: str, options: Options, type_: Type | None) -> Type | None:
    """Return the type of an expression, a structure with the lengths that its components have in
    that object, as GDB's `ptype` shows them, also behind a reference; the type itself where they
    are unknown."""
    reference = strip(type_)
    is_reference = isinstance(reference, Pointer) and reference.kind != "pointer"
    referred = strip(reference.target) if isinstance(reference, Pointer) else reference
    if reference is not referred and not is_reference:
        return type_
    form = referred.form if isinstance(referred, Dynamic) else referred
    if not isinstance(form, Struct) or not any(map(_is_varying, form.members)):
        return type_
    with suppress(DwarfGpuError):
        if language.has_assignment(text, session, options):
            return type_
        value = language.evaluate(text, session, evolve(options, looked_at=None))
        objects = ObjectAccess(session)
        value = objects.dereferenced(value) if is_reference else value
        whole = strip(value.type)
        if isinstance(whole, Struct):
            members = [_with_length(objects, value, member) for member in whole.members]
            known = evolve(whole, members=tuple(members))
            return evolve(reference, target=known) if isinstance(reference, Pointer) else known
    return type_


def _is_varying(member: Member) -> bool:
    return not member.is_static and is_dynamic(member.type)


def _with_length(objects: ObjectAccess, value: TypedValue, member: Member) -> Member:
    if _is_varying(member):
        with suppress(DwarfGpuError):
            resolved = objects.step(value, member).type
            if not isinstance(resolved, Absent):
                return evolve(member, type=resolved)
    return member
