"""Classes with static member templates, whose instances compilers describe outside of the class."""

from __future__ import annotations

from dwarfgpu.dwarf.names.type_names import type_name
from dwarfgpu.dwarf.scope.linked_variables import instance_named
from dwarfgpu.dwarf.scope.symbols_by_name import symbol_demangled_to
from dwarfgpu.dwarf.types.inheritance import ambiguous, inherited
from dwarfgpu.dwarf.types.types import Struct
from dwarfgpu.language.base_classes import bases, class_in
from dwarfgpu.language.member_lookup import member_meant
from dwarfgpu.session.session import Session


def class_with_template(session: Session, struct_type: Struct, name: str) -> Struct | None:
    """Return the class or base class with the static member template of an instance, `v<int>`: that
    declares the template, as clang describes it, or in which linkage names have the instance, as
    another unit may have the only declaration. None if none does. `UsageError` if several do that
    do not hide one another."""
    template, is_instance, _ = name.partition("<")
    if not is_instance or "::" in template:
        return None
    meant = member_meant(struct_type, template)
    linked = _class_with_instance(session, struct_type, name)
    if meant is None or (linked is not None and class_in(linked, meant.owner) is not None):
        return linked  # its template hides that of a base class
    return meant.owner if meant.is_data else None


def _class_with_instance(session: Session, struct_type: Struct, name: str) -> Struct | None:
    def own(candidate: Struct) -> list[str]:
        whole = f"{_shown(candidate)}::{name}"
        objects = session.objects_with(whole)
        symbol = symbol_demangled_to(objects, whole)
        return [whole] if symbol is not None or instance_named(objects, whole) is not None else []

    owners = [part.classes[-1] for part in inherited(struct_type, own, bases)]
    owners = [*dict.fromkeys(owners)]
    if len(owners) > 1:
        listed = (f"'{_shown(owner)}::{name}'" for owner in owners)
        raise ambiguous(name, _shown(struct_type), listed)
    return owners[0] if owners else None


def _shown(struct_type: Struct) -> str:
    return type_name(struct_type, cplusplus=True)
